r"""The conditional-Gaussian closure: the drift of a squashed Gaussian field, site by site.

Given one site $x_i$, the rest of $\langle w,x\rangle$ is treated as Gaussian with the right mean and variance. The drift at
site i then depends on one number, the correlation $a_i$ of $x_i$ and $\langle w,x\rangle$. It is exact for Gaussian data. For
gains of 1 and above it is off by 1 to 15 percent for random fields and bumps at length scales up to 5 (by more where the field
oscillates faster than the data).

With the longer or the same range positive it tells at which gains fields localize: in `phase-diagram` it is off by more than
one step of the grid at 7 of 650 settings, all at gain 0.55. It does not tell how much: it has about 0.57 of SGD's IPR
(`amplifier`). With the shorter range positive do not use it: it localizes fields that SGD leaves spread, within 200 tau from
gain 1.5 on, and within 10,000 tau from gain 0.67 on, there at 85 of 300 settings.

It is of one neuron. For committees, whose units act on each other, there is no closure here: `theory.relu.velocity` is exact
for them on Gaussian data, and for other data takes their `GaussianClone`s, which is another task.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.ndimage import map_coordinates
from jax.scipy.special import erf, erfc
from jaxtyping import Array, ArrayLike, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact, Field, FieldLike, MatrixLike, ScalarLike
from gatefield.core.checks import given
from gatefield.core.precision import exact, real, scaled
from gatefield.theory.drift.direction import direction
from gatefield.theory.inputs import check_broadcast, check_field, covariance, field, one_gain, some, values
from gatefield.theory.squash import Squash, panels, sag, squash

__all__ = ["Table", "amplifier", "drift", "expansion", "tabulate", "velocity"]

Values = Float[Exact, "*shape"]
ValuesLike = Real[ArrayLike, "*#shape"] | Sequence

_BRANCH = 0.6
"""Up to this |a| the integral of erf is taken, beyond it that of erfc, which does not cancel near 1."""


class Table(NamedTuple):
    """The amplifier at equal steps of a from 0 to 1, from which it is read on straight lines; tables may be stacked."""

    values: Float[Exact, "*gains points"]


def _gain_or_table(name: str, value: Any) -> None:
    if not isinstance(value, Table):
        one_gain(name, value)


@given(a=some, gain=some)
@exact
def amplifier(a: ValuesLike, gain: ValuesLike) -> Values:
    r"""Mean of a site where a gate is open, if the site and the gate's field correlate by a and the rest is Gaussian.

    $$\phi(a) = E\Big[X\,\Phi\Big(\frac{aX}{\sqrt{1-a^2}}\Big)\Big]
    = \int_0^\infty \varphi(z)\,X(z) \operatorname{erf}\frac{c X(z)}{\sqrt2}\,dz, \qquad c = \frac{a}{\sqrt{1-a^2}}$$

    with $X(z) = \operatorname{erf}(gz)/Z(g)$, $\varphi$ and $\Phi$ the normal density and distribution. It is odd and
    increasing in a. At gain 0 it is $a/\sqrt{2\pi}$, at gain infinity $\tfrac12\operatorname{erf}(c/\sqrt2)$, and at a = 1
    it is $\arctan(\sqrt2 g)/(\pi Z(g))$ with slope $Z(g)/(2\sqrt2 g)$. Above |a| = 0.6 the integral of
    $\operatorname{erfc}$ is subtracted from the value at 1 instead, in the variable $z/\sqrt{1-a^2}$. The relative error is
    below 1e-13 for all a and gains (measured against 30 digits).

    **Arguments**

    - `a`: correlations in [-1, 1]; what rounding puts beyond counts as -1 or 1.
    - `gain`: zero or more, `inf` allowed; broadcast against `a`.

    **Returns** the means; float64 NumPy unless traced.

    >>> round(float(amplifier(0.5, 0.01)), 12)
    0.199476540747

    **Source:** no note prints it; it answers section 2 of note 003, "I don't know what it looks like".
    """
    check_broadcast(a=a, gain=gain)
    return _amplifier(real(checks.correlation("a", a)), real(checks.gain(gain)))


@jax.jit
def _amplifier(a: Array, gain: Array) -> Array:
    a, gain = jnp.broadcast_arrays(a, gain)
    s = squash(gain)
    inner = jnp.abs(a) < _BRANCH
    size = jnp.where(inner, 0.8, jnp.where(jnp.abs(a) > 1, 1.0, jnp.abs(a)))
    near_zero = jnp.where(inner, a, 0.0)
    square = jnp.where(inner, 1.0, (1 - size) * (1 + size))
    factor = jnp.where(inner, near_zero / jnp.sqrt((1 - near_zero) * (1 + near_zero)), size)
    integral = _integral(inner, square, factor, s)
    at_one = jnp.arctan(np.sqrt(2) * s.gain) / (np.pi * s.deviation)
    return jnp.where(inner, integral, jnp.sign(a) * (at_one - integral))


@given(gain=some)
@exact
def tabulate(gain: ValuesLike, *, points: int = 4_001) -> Table:
    r"""A table of the amplifier, which stands for the gain in `drift` and `velocity` where fields are very many.

    **Arguments**

    - `gain`: zero or more, `inf` allowed; one table for each.
    - `points`: how many. Straight lines between them are off by at most $1.3/{\rm points}^2$, at gain infinity.

    **Returns** a `Table`, of which `jax.vmap` takes one for each gain; float64 NumPy unless traced.

    >>> tabulate(float("inf"), points=3).values.round(4)
    array([0.    , 0.2181, 0.5   ])
    """
    count = checks.count("points", points, least=2)
    return Table(amplifier(np.linspace(0.0, 1.0, count), real(gain)[..., None]))


@given(w=field, cov=covariance, gain=_gain_or_table)
@exact
def drift(w: FieldLike, cov: MatrixLike, gain: ScalarLike | Table) -> Field:
    r"""Closure of the drift $E[1(\langle w,x\rangle>0)\,x]$ for sites of unit variance.

    $$f_i(w) = \phi(a_i), \qquad a_i = \frac{(Cw)_i}{\sqrt{w^\top C w}}$$

    with $\phi$ the `amplifier` and C the covariance of x (not of the latent field). If the variances $C_{ii}$ are not one,
    $f_i = \sqrt{C_{ii}}\,\phi(a_i/\sqrt{C_{ii}})$. Exact at gain 0. It is not the gradient of anything.

    **Arguments**

    - `w`: a field, not zero.
    - `cov`: covariance of x.
    - `gain`: zero or more, `inf` allowed; or its table, as from `tabulate`.

    **Returns** the drift, 0 where $\langle w,x\rangle$ is always 0; float64 NumPy unless traced. Under `jit` a zero field gives
    0, and NaN gives NaN.

    >>> import numpy as np
    >>> drift([1.0, 0.0], np.eye(2), np.inf)
    array([0.5, 0. ])

    **Source:** no note prints it; see `amplifier`.
    """
    w, cov = scaled(real(w)), real(cov)
    check_field(w, cov)
    return _drift(w, cov, _known(gain))


@given(w=field, cov1=covariance, cov0=covariance, gain=_gain_or_table)
@exact
def velocity(w: FieldLike, cov1: MatrixLike, cov0: MatrixLike, gain: ScalarLike | Table) -> Field:
    r"""Velocity $\tau\,dw/dt$ of one ReLU neuron in the closure, for labels (1, 0) and classes of equal shares.

    $$\tau\frac{dw}{dt} = \tfrac12 f(w) - \tfrac14(C_0+C_1)\,w$$

    with f the closure's `drift` of the positive class. At gain 0 it is the exact flow on Gaussian data.

    **Arguments**

    - `w`: a field, not zero.
    - `cov1`, `cov0`: covariances of both classes.
    - `gain`: that of the positive class, zero or more, `inf` allowed; or its table, as from `tabulate`.

    **Returns** the velocity; float64 NumPy unless traced.

    >>> import numpy as np
    >>> velocity([1.0, 0.0], np.eye(2), np.eye(2), np.inf)
    array([-0.25,  0.  ])

    **Source:** note 002, equation 19, with the drift of `amplifier`.
    """
    w, cov1, cov0 = real(w), real(cov1), real(cov0)
    check_field(w, cov1, cov0)
    return _drift(scaled(w), cov1, _known(gain)) / 2 - jnp.matmul(cov1 + cov0, w, precision="highest") / 4


def _known(gain: Any) -> Array | Table:
    return Table(real(gain.values)) if isinstance(gain, Table) else real(checks.gain(gain))


@jax.jit
def _drift(w: Array, cov: Array, gain: Array | Table) -> Array:
    spread = jnp.sqrt(jnp.diagonal(cov))
    a = direction(w, cov) / jnp.where(spread > 0, spread, 1.0)
    return spread * (_read(jnp.asarray(gain.values), a) if isinstance(gain, Table) else _amplifier(a, gain))


def _read(values: Float[Array, " points"], a: Array) -> Array:
    """On straight lines. The steps are equal, so that no place is searched as by `jnp.interp`, which takes twice the time."""
    return jnp.sign(a) * map_coordinates(values, [jnp.abs(a) * (len(values) - 1)], order=1, mode="nearest")


@given(a=some, kurtosis=values)
@exact
def expansion(a: ValuesLike, kurtosis: ValuesLike) -> Values:
    r"""The amplifier for weak correlation, of any symmetric law.

    $$\phi(a) = \frac{1}{\sqrt{2\pi}}\Big[a - \frac{\kappa_4}{6}a^3 + O(a^5)\Big]$$

    with $\kappa_4$ the excess kurtosis: where it is negative, large correlations are amplified more than small ones. That
    favours localized fields and does not decide: its sign is wrong on them in 18 of 48 cases of `kurtosis-law`.

    **Arguments**

    - `a`: correlations in [-1, 1].
    - `kurtosis`: excess kurtosis of a site, as from `nlgp.excess_kurtosis`.

    **Returns** the expansion; float64 NumPy unless traced.

    >>> round(float(expansion(0.1, -2.0) * (2 * 3.141592653589793) ** 0.5), 6)
    0.100333

    **Source:** no note prints it; see `amplifier`.
    """
    check_broadcast(a=a, kurtosis=kurtosis)
    a, kurtosis = real(checks.correlation("a", a)), real(checks.finite("kurtosis", kurtosis))
    return (a - kurtosis / 6 * a**3) / np.sqrt(2 * np.pi)


def _integral(inner: Array, square: Array, factor: Array, s: Squash) -> Array:
    r"""$\int_0^\infty \varphi(z) X \operatorname{erf}(kX/\sqrt{2b})\,dz$ with b = `square`, k = `factor`; erfc if not `inner`.

    In the variable $v = z/\sqrt b$ it is smooth in b, so that there are slopes at b = 0.
    """
    root = jnp.sqrt(jnp.maximum(square, 1e-12))  # at b = 0 the panels only need to reach beyond the cut
    end = s.top / root
    # beyond k X = 8.5 erfc(k X/sqrt 2) is below 2e-17; a panel of its own resolves it before
    cut = jnp.where(inner, end / 2, jnp.minimum(8.5 / (jnp.where(inner, 1.0, factor) * s.slope), end))
    v, weight = panels(jnp.zeros_like(end), cut, end)
    spread = square[..., None] * v**2
    x = s.slope[..., None] * v * (1 - sag(s.gain[..., None] ** 2 * spread))
    height = factor[..., None] * x / np.sqrt(2)
    step = jnp.where(inner[..., None], erf(height), erfc(height))
    density = jnp.exp(-spread / 2) / np.sqrt(2 * np.pi)
    flat = factor / (np.sqrt(2) * root * s.deviation)
    beyond = s.tail / s.deviation * jnp.where(inner, erf(flat), erfc(flat))
    return square * jnp.sum(weight * density * x * step, axis=-1) + beyond
