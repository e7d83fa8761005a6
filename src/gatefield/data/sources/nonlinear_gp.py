"""The nonlinear Gaussian process: a Gaussian field squashed by the error function."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.precision import real
from gatefield.data.arrays import Draw, Parameter
from gatefield.data.numerics.arcsine import arcsine_covariance, gain_deviation
from gatefield.data.numerics.correlation import BOUNDARIES, lag_matrix
from gatefield.data.numerics.field import field_draw, lag_correlation
from gatefield.data.source import Source, Squashed, is_zero
from gatefield.data.sources.gaussian import Gaussian

_LEAST_GAIN = 1e-9  # erf(g z)/Z(g) is z to double precision there, and neither numerator nor denominator underflows


class NonlinearGP(Source):
    r"""A Gaussian field squashed by the error function, with unit variance.

    $$x_i = \frac{\operatorname{erf}(g z_i)}{Z(g)}, \qquad
    \operatorname{Cov}(x_i, x_j) = \frac{\arcsin(\kappa\rho_{ij})}{\arcsin\kappa}, \qquad
    Z(g)^2 = \frac2\pi\arcsin\kappa, \quad \kappa = \frac{2g^2}{1 + 2g^2}$$

    with $z$ the Gaussian field of correlation $\rho$ and $g$ the gain, from $g = 0$ (Gaussian) to $g = \infty$ (signs).

    **Arguments**

    - `n`: number of sites.
    - `xi`: length scale of z in sites.
    - `gain`: zero or more, `inf` allowed.
    - `boundary`: "ring" or "line".

    >>> import jax, numpy as np
    >>> source = NonlinearGP(40, xi=2.0, gain=[0.01, 3.0, np.inf])
    >>> print(np.round(source.covariance()[:, 0, 1], 6))
    [0.778801 0.66657  0.568343]
    >>> x = source.sample(jax.random.key(0), 5)
    >>> x.shape, bool(abs(x[2]).max() == 1)
    ((3, 5, 40), True)

    **Source:** note 003, equation 7, with the normalisation written out.
    """

    n: int = eqx.field(static=True)
    xi: Parameter
    gain: Parameter
    boundary: str = eqx.field(static=True)

    def __init__(self, n: int, xi: Any, gain: Any, *, boundary: str = "ring") -> None:
        self.n = checks.count("n", n)
        self.xi = checks.length_scale(xi)
        self.gain = checks.gain(gain)
        self.boundary = checks.choice("boundary", boundary, BOUNDARIES)

    @property
    def symmetric(self) -> bool:
        return True

    @property
    def gaussian(self) -> bool:
        return is_zero(self.gain)

    @property
    def continuous(self) -> bool:
        return not isinstance(self.gain, Tracer) and bool(np.isfinite(self.gain).all())

    @property
    def squashed(self) -> Squashed:
        return Squashed(Gaussian(self.n, self.xi, boundary=self.boundary).covariance(), self.gain)

    def sampler(self) -> Draw:
        field = field_draw(self.n, self.xi, self.boundary)
        squash = _squash(self.gain)
        return lambda key, size: squash(field(key, size))

    def _covariance(self) -> Float[Exact, "n n"]:
        rho = lag_correlation(self.n, self.xi, self.boundary)
        return lag_matrix(arcsine_covariance(rho, self.gain), self.n, self.boundary)


def _squash(gain: Real[ArrayLike, ""]) -> Any:
    """z -> erf(g z)/Z(g), whose limits z and sign(z) are reached at gain 0 and infinity."""
    binary = jnp.isinf(real(gain))
    slope = jnp.where(binary, 1.0, jnp.maximum(real(gain), _LEAST_GAIN))
    factor = jnp.where(
        binary, 1.0, 1.0 / real(gain_deviation(jnp.maximum(gain, _LEAST_GAIN)))
    )  # a division for each x is slower

    def squash(z: Float[Array, "size n"]) -> Float[Array, "size n"]:
        return jnp.where(binary, jnp.where(z < 0, -1.0, 1.0), jax.lax.erf(slope * z) * factor).astype(z.dtype)

    return squash
