"""The hypercube source: signs of a Gaussian field."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.data.arrays import Draw, Parameter
from gatefield.data.numerics.arcsine import arcsine_covariance
from gatefield.data.numerics.correlation import BOUNDARIES, lag_matrix
from gatefield.data.numerics.field import field_draw, lag_correlation
from gatefield.data.source import Source, Squashed
from gatefield.data.sources.gaussian import Gaussian


class Hypercube(Source):
    r"""Signs of a Gaussian field: corners of the cube, correlated along the ring.

    $$x_i = \operatorname{sign}(z_i), \qquad \operatorname{Cov}(x_i, x_j) = \frac2\pi \arcsin\rho_{ij}$$

    with $z$ the Gaussian field of correlation $\rho$. It is the nonlinear Gaussian process of infinite gain.

    **Arguments**

    - `n`: number of sites.
    - `xi`: length scale of z in sites.
    - `boundary`: "ring" or "line".

    >>> import jax, numpy as np
    >>> print(np.unique(Hypercube(40, xi=2.0).sample(jax.random.key(0), 5)))
    [-1.  1.]

    **Source:** note 003, section 3 (data on the hypercube).
    """

    n: int = eqx.field(static=True)
    xi: Parameter
    boundary: str = eqx.field(static=True)

    def __init__(self, n: int, xi: Any, *, boundary: str = "ring") -> None:
        self.n = checks.count("n", n)
        self.xi = checks.length_scale(xi)
        self.boundary = checks.choice("boundary", boundary, BOUNDARIES)

    @property
    def symmetric(self) -> bool:
        return True

    @property
    def squashed(self) -> Squashed:
        return Squashed(Gaussian(self.n, self.xi, boundary=self.boundary).covariance(), np.asarray(np.inf))

    def sampler(self) -> Draw:
        field = field_draw(self.n, self.xi, self.boundary)

        def draw(key: PRNGKeyArray, size: int) -> Float[Array, "size n"]:
            z = field(key, size)
            return jnp.where(z < 0, -jnp.ones_like(z), jnp.ones_like(z))

        return draw

    def _covariance(self) -> Float[Exact, "n n"]:
        rho = lag_correlation(self.n, self.xi, self.boundary)
        return lag_matrix(arcsine_covariance(rho, np.inf), self.n, self.boundary)
