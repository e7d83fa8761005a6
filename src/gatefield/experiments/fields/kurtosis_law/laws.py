"""Laws of one site, each with the tasks that are made of it and what is known of the site alone."""

from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import erf
from jaxtyping import Array, Float
from scipy.special import ndtri

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.precision import exact
from gatefield.core.text.quoted import quoted
from gatefield.data import Ising, Marginal, NonlinearGP, SinglePulse, Source
from gatefield.data.laws import Quantile, as_quantile

FAR, FINE = 36.0, 180_001
"""How far out, in standard deviations of z, and on how many points moments of a site are summed: at 36 even the fourth moment
of an algebraic law of k = 4.1 has 4 digits; the step of 2e-4 gives smooth laws 7 digits, and laws with jumps 4."""
LEAST = 4.1
"""Up to 4 the fourth moment of an algebraic law is infinite, and near it no sum finds it."""
SIGNS = ("ising", "pulse")
"""Laws of two values, of the same probability, at each site."""


class Site(NamedTuple):
    """Of one site: the excess kurtosis, and (E|x|)^2/E x^2, which is 2/pi for a Gaussian."""

    kurtosis: float
    sharpness: float


def family(law: str) -> tuple[str, str]:
    """The name of a law and its parameter, an empty text if it has none."""
    name, _, value = law.partition(":")
    return name, value


def law_text(law: str) -> str:
    """A law as one says it.

    >>> law_text("gain:inf"), law_text("levels:0.5"), law_text("algebraic:5"), law_text("ising"), law_text("pulse")
    ('gain ∞', '3 levels 0.5', 'algebraic 5', 'Ising', 'pulses')
    """
    name, value = family(law)
    names = {"levels": "3 levels", "ising": "Ising", "pulse": "pulses", "laplace": "Laplace"}
    return f"{names.get(name, name)} {value.replace('inf', '∞')}".strip()


def known(laws: tuple[str, ...]) -> tuple[str, ...]:
    """The laws, if there are any, all different, and each is one."""
    if not laws or len(set(laws)) < len(laws):
        raise UserError(f"laws must be one or more different laws, but are {quoted(list(laws))}; write laws=uniform,laplace.")
    for law in laws:
        if law not in SIGNS:
            _from_normal(law)  # a wrong name or parameter is reported here, before anything runs
        name, value = family(law)
        if name == "algebraic" and float(value) <= LEAST:
            raise UserError(f"The law {quoted(law)} has no fourth moment to speak of; its parameter must exceed {LEAST:g}.")
    return laws


def of_site(law: str) -> Site:
    """What is known of one site, by a sum over the normal variable that it is made of."""
    if law in SIGNS:
        return Site(-2.0, 1.0)
    first, second, fourth = _absolute_moments(_from_normal(law))
    return Site(fourth / second**2 - 3, first**2 / second)


def source(law: str, p: Any, long: Any) -> Source:
    """The source with the longer range or the shorter; `long` may be an array of truth values, one for each run."""
    name, value = family(law)
    if name == "ising":
        return Ising(p.n, np.where(long, p.coupling_long, p.coupling_short))
    if name == "pulse":
        return SinglePulse(p.n, p.wide if long else p.narrow, complement=True, centre=True)
    xi = np.where(long, p.xi_long, p.xi_short)
    if name == "gain":
        return NonlinearGP(p.n, xi, float(value))
    return Marginal(p.n, xi, _quantile(law))


def _quantile(law: str) -> Quantile:
    name, value = family(law)
    return ThreeLevels(_share(value)) if name == "levels" else as_quantile(law)


class ThreeLevels(Quantile):
    """-1, 0 and 1, the outer two with the probability `share` together.

    >>> ThreeLevels(0.5)(np.array([0.1, 0.5, 0.9])).tolist()
    [-1.0, 0.0, 1.0]
    """

    symmetric = True

    share: float = eqx.field(static=True)

    @property
    def breaks(self) -> tuple[float, ...]:
        edge = float(ndtri(1 - self.share / 2))
        return -edge, edge

    def from_normal(self, z: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        return jnp.sign(z) * (jnp.abs(z) > self.breaks[1])


def _share(value: str) -> float:
    try:
        share = float(value)
    except ValueError:
        share = float("nan")
    if not 0 < share < 1:
        raise UserError(f"The law 'levels:{value}' must end in a share between 0 and 1; write levels:0.5.")
    return share


def _from_normal(law: str) -> Callable[[Any], Any]:
    """The site as a function of a standard normal variable, up to its scale."""
    name, value = family(law)
    if name != "gain":
        return _quantile(law).from_normal
    try:
        gain = float(value)
    except ValueError:
        raise UserError(f"The law {quoted(law)} must end in a gain, zero or more; write gain:3 or gain:inf.") from None
    checks.gain(gain)
    return lambda z: _squashed(z, gain)


def _squashed(z: Any, gain: float) -> Any:
    if np.isinf(gain):
        return jnp.where(z < 0, -1.0, 1.0)
    return z if gain < 1e-6 else erf(gain * z)


@exact
def _absolute_moments(from_normal: Callable[[Any], Any]) -> tuple[Any, ...]:
    """E|x|, E x^2 and E x^4 of a law symmetric about zero, by the rule of trapezoids."""
    z = jnp.linspace(0.0, FAR, FINE)
    size, weight = jnp.abs(from_normal(z)), jnp.exp(-(z**2) / 2) * (FAR / (FINE - 1)) * np.sqrt(2 / np.pi)
    weight = weight.at[0].multiply(0.5)
    # |x|^4 times a density below 1e-280 is nothing, but may be infinity times zero
    return tuple(jnp.sum(jnp.where(weight > 1e-280, weight * size**power, 0.0)) for power in (1, 2, 4))
