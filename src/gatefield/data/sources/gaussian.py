"""The Gaussian source."""

from typing import Any

import equinox as eqx
from jaxtyping import Float

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.data.arrays import Draw, Parameter
from gatefield.data.numerics.correlation import BOUNDARIES
from gatefield.data.numerics.field import field_covariance, field_draw
from gatefield.data.source import Source


class Gaussian(Source):
    r"""A stationary Gaussian field of unit variance.

    $$x \sim N(0, R), \qquad R_{ij} \propto \sum_p \exp(-(i - j + p n)^2/\xi^2)$$

    with $\xi$ the length scale; on a line only $p = 0$ is kept.

    **Arguments**

    - `n`: number of sites.
    - `xi`: length scale in sites.
    - `boundary`: "ring" or "line".

    >>> import jax, numpy as np
    >>> source = Gaussian(40, xi=2.0)
    >>> print(np.round(source.covariance()[0, :3], 6))
    [1.       0.778801 0.367879]

    **Source:** note 002, section 2 (Fourier transforms), for the wrapped kernel.
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
    def gaussian(self) -> bool:
        return True

    def sampler(self) -> Draw:
        return field_draw(self.n, self.xi, self.boundary)

    def _covariance(self) -> Float[Exact, "n n"]:
        return field_covariance(self.n, self.xi, self.boundary)
