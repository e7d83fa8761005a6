"""Elliptical sources."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.precision import real
from gatefield.data.arrays import Draw, Parameter
from gatefield.data.laws.radial import GaussianRadial, Radial, as_radial
from gatefield.data.numerics.correlation import BOUNDARIES
from gatefield.data.numerics.field import field_covariance, field_factor
from gatefield.data.numerics.normals import normal
from gatefield.data.source import Source


class Elliptical(Source):
    r"""A field with ellipsoidal contours and any law of the radius.

    $$x = R\,\Sigma^{1/2} u, \qquad \operatorname{Cov}(x) = \Sigma$$

    with u uniform on the unit sphere, R an independent radius with $E R^2 = n$, and $\Sigma$ the correlation matrix of the
    Gaussian field of the same length scale.

    **Arguments**

    - `n`: number of sites.
    - `xi`: length scale in sites.
    - `radial`: a law of the radius from `gatefield.data.laws` (`GaussianRadial()`, `StudentT(df)`, `LaplaceRadial()`,
      `Sphere()`, `Shell(thickness)`), or its name: "gaussian", "student:5", "laplace", "sphere", "shell" or "shell:0.2".
    - `boundary`: "ring" or "line".

    >>> import jax, numpy as np
    >>> x = Elliptical(4, xi=0.1, radial="sphere").sample(jax.random.key(0), 3)  # almost uncorrelated
    >>> print(np.round(np.linalg.norm(x, axis=1), 5))
    [2. 2. 2.]

    **Source:** note 003, section 2 (elliptical data).
    """

    n: int = eqx.field(static=True)
    xi: Parameter
    radial: Radial
    boundary: str = eqx.field(static=True)

    def __init__(self, n: int, xi: Any, radial: Radial | str, *, boundary: str = "ring") -> None:
        self.n = checks.count("n", n)
        self.xi = checks.length_scale(xi)
        self.radial = as_radial(radial)
        self.boundary = checks.choice("boundary", boundary, BOUNDARIES)

    @property
    def symmetric(self) -> bool:
        return True

    @property
    def gaussian(self) -> bool:
        return isinstance(self.radial, GaussianRadial)

    @property
    def elliptical(self) -> Radial:
        return self.radial

    def sampler(self) -> Draw:
        factor = real(field_factor(self.n, self.xi, self.boundary))

        def draw(key: PRNGKeyArray, size: int) -> Float[Array, "size n"]:
            noise_key, radial_key = jax.random.split(key)
            noise = normal(noise_key, (size, self.n), factor.dtype)
            chi = jnp.linalg.norm(noise, axis=1)
            scale = self.radial.radii(radial_key, chi, self.n) / chi
            return jnp.matmul(scale[:, None] * noise, factor, precision="highest")

        return draw

    def _covariance(self) -> Float[Exact, "n n"]:
        return field_covariance(self.n, self.xi, self.boundary)
