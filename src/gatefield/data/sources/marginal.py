"""A Gaussian field with a marginal law of one's choice."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.errors import UserError
from gatefield.core.precision import real
from gatefield.core.text.quoted import quoted
from gatefield.data.arrays import Draw, Parameter
from gatefield.data.laws.quantiles import Quantile, QuantileFunction, as_quantile
from gatefield.data.numerics.correlation import BOUNDARIES, lag_matrix
from gatefield.data.numerics.field import field_draw, lag_correlation
from gatefield.data.numerics.quadrature import normal_moments, pair_moment
from gatefield.data.source import Source


class Marginal(Source):
    r"""A Gaussian field each of whose sites is mapped to a given law, with mean 0 and variance 1.

    $$x_i = \frac{Q(\Phi(z_i)) - \mu}{\sigma}, \qquad \operatorname{Cov}(x_i, x_j) = E\,x_i x_j$$

    with z the Gaussian field of correlation $\rho$, $\Phi$ the normal distribution function, Q the quantile function and $\mu$,
    $\sigma$ its mean and standard deviation. The expectation is a quadrature in the plane for each $\rho_{ij}$. Its error is
    below 1e-10 for the laws named here (for algebraic tails, with k >= 2.1; 1e-8 at 2.05), and for any other Q that is smooth
    but for the median and the breaks it states, and whose variance does not hang on tails of probability below 1e-13.

    **Arguments**

    - `n`: number of sites.
    - `xi`: length scale of z in sites.
    - `quantile`: `Uniform()`, `Laplace()` or `Algebraic(k)` from `gatefield.data.laws`, their names "uniform", "laplace",
      "algebraic:6", or any elementwise function of u in (0, 1), written with jax.numpy; if it has kinks or jumps other than at
      the median, wrap it in `QuantileFunction(function, breaks)`.
    - `boundary`: "ring" or "line".

    >>> import jax, numpy as np
    >>> source = Marginal(40, xi=2.0, quantile="uniform")
    >>> print(np.round(source.covariance()[0, :2], 6))  # (6/pi) asin(rho/2)
    [1.       0.763907]
    >>> bool(abs(source.sample(jax.random.key(0), 5)).max() <= 3**0.5)
    True
    """

    n: int = eqx.field(static=True)
    xi: Parameter
    quantile: Quantile
    boundary: str = eqx.field(static=True)

    def __init__(self, n: int, xi: Any, quantile: Quantile | str | Callable[[Array], Array], *, boundary: str = "ring") -> None:
        self.n = checks.count("n", n)
        self.xi = checks.length_scale(xi)
        self.quantile = _finite_variance(as_quantile(quantile))
        self.boundary = checks.choice("boundary", boundary, BOUNDARIES)

    @property
    def symmetric(self) -> bool:
        return self.quantile.symmetric

    @property
    def continuous(self) -> bool:
        return self.quantile.continuous

    def sampler(self) -> Draw:
        field = field_draw(self.n, self.xi, self.boundary)
        mean, variance, _ = normal_moments(self.quantile, jnp.inf)
        mean, scale = real(mean), jnp.sqrt(real(variance))

        def draw(key: PRNGKeyArray, size: int) -> Float[Array, "size n"]:
            return (self.quantile.from_normal(field(key, size)) - mean) / scale

        return draw

    def _covariance(self) -> Float[Exact, "n n"]:
        rho = lag_correlation(self.n, self.xi, self.boundary)
        mean, _, _ = normal_moments(self.quantile, jnp.inf)
        moments = jax.lax.map(lambda r: pair_moment(self.quantile, mean, r), real(rho))
        return lag_matrix(moments / moments[0], self.n, self.boundary)


def _finite_variance(quantile: Quantile) -> Quantile:
    """The quantile function, if its variance is finite and can be computed; one with runs or traced passes unchecked."""
    if any(isinstance(value, Tracer) or np.ndim(value) for value in jax.tree.leaves(quantile)):
        return quantile
    # Of a plain function tails of probability below 1e-13 are lost, as u is rounded; others are accurate up to the last panel.
    edge = 7.5 if isinstance(quantile, QuantileFunction) else 33.0
    with jax.ensure_compile_time_eval():  # also where another parameter is traced
        _, variance, share = (float(moment) for moment in normal_moments(quantile, edge))
        again = float(normal_moments(quantile, edge, 23)[1])  # other panels: another variance means kinks or jumps
    if not (np.isfinite(variance) and variance > 0 and share < 1e-3):
        raise UserError(
            f"quantile must have a finite, positive variance, but that of {quoted(quantile)} is {variance:g}, "
            f"with a share of {share:.2g} from the far tails; choose one with lighter tails."
        )
    if abs(again / variance - 1) > 1e-8:
        raise UserError(
            f"quantile must be smooth, but {quoted(quantile)} has kinks or jumps; "
            "say where by QuantileFunction(function, breaks=(u1, u2, ...))."
        )
    return quantile
