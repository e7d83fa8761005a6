"""The drift on the cube for any latent correlation."""

from typing import Any

import jax
import jax.numpy as jnp
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.errors import UserError, unknown_name
from gatefield.core.precision import exact, real
from gatefield.core.runs import leaf
from gatefield.data import Source, arcsine_covariance
from gatefield.data.numerics.field import Draw, gaussian_draw, symmetric_root
from gatefield.theory.drift.result import Drift
from gatefield.theory.drift.sampled import sampled_drift
from gatefield.theory.hypercube import inputs
from gatefield.theory.hypercube.law import MOST_TRACED, corners, law
from gatefield.theory.hypercube.moments import MOST_SITES
from gatefield.theory.hypercube.walsh import tied_sign

METHODS = ("auto", "exact", "sampled")


class Signs(Source):
    """Signs of a Gaussian vector of any correlation."""

    n: int = leaf(0, static=True)
    corr: Float[Array, "n n"] = leaf(2)

    def __init__(self, corr: Any) -> None:
        self.corr = corr
        self.n = corr.shape[-1]

    def sampler(self) -> Draw:
        field = gaussian_draw(symmetric_root(self.corr))

        def draw(key: PRNGKeyArray, size: int) -> Float[Array, "size n"]:
            z = field(key, size)
            return jnp.where(z < 0, -jnp.ones_like(z), jnp.ones_like(z))

        return draw

    def _covariance(self) -> Float[Array, "n n"]:
        return real(arcsine_covariance(real(self.corr), jnp.inf))


def drift(
    w: Float[ArrayLike, " n"],
    corr: Float[ArrayLike, "n n"],
    *,
    method: str = "auto",
    key: PRNGKeyArray | None = None,
    samples: int = 262_144,
) -> Float[Array, " n"]:
    r"""Drift of the signs $x_i = \operatorname{sign} z_i$ of a Gaussian vector of any correlation.

    $$f(w) = E[1(\langle w,x\rangle\ge0)\,x] = \tfrac12\sum_x p(x)\operatorname{sign}(\langle w,x\rangle)\,x$$

    with p the `pattern_law`; the sign is 0 at ties, which are told up to rounding (`chow` decides them exactly). f is constant
    where no corner changes sides.

    | method | for |
    |---|---|
    | "exact" | up to 12 sites (8 under a transformation of `corr`) |
    | "sampled" | any number, with the linear part of the gate as control variate |
    | "auto" | "exact" where it applies, else "sampled" |

    **Arguments:** `w`: a field, not zero. `corr`: correlation of z. `method`: as above. `key`, `samples`: for sampling.

    **Returns:** the drift; float64 NumPy unless traced. See `drift_estimate` for its error.

    >>> import numpy as np
    >>> drift([1.1, 0.7, -0.45, 0.3, 0.2], np.exp(-np.subtract.outer(np.arange(5), np.arange(5)) ** 2 / 2.25)).round(6)
    array([0.490791, 0.230764, 0.044849, 0.015039, 0.006697])

    **Source:** note 003, equations 5 and 14 to 17.
    """
    return drift_estimate(w, corr, method=method, key=key, samples=samples).value


def drift_estimate(
    w: Float[ArrayLike, " n"],
    corr: Float[ArrayLike, "n n"],
    *,
    method: str = "auto",
    key: PRNGKeyArray | None = None,
    samples: int = 262_144,
) -> Drift:
    r"""The `drift` together with its error and the method used.

    The error of "exact" is $\tfrac12(\sum_S e_S^2)^{1/2}$ with $e_S$ the errors of the moments, each found by other rules with
    fewer nodes (see `sign_moment_estimate`); it bounds that of every entry because the Walsh coefficients of a gate have
    squares of sum 1/4. That of "sampled" is one standard error. A matrix seen before costs nothing. A new one, for a ring with
    length scale 1 to 2, took on two busy cores, besides some seconds to compile: to n = 8 about a second, with error 1e-13 to
    1e-10; n = 10 two seconds (1e-12 to 2e-7); n = 12 three quarters of a minute (1e-11 to 2e-6). Without the symmetries of a
    ring more sets of sites are computed, up to 24 times as many at n = 12.

    **Arguments:** as for `drift`.

    **Returns:** a `Drift` with `value`, `error` and `method`. If `corr` is traced, the error of "exact" is not known and NaN.
    Traced results have the user's precision: float32 unless inside `with jax.enable_x64(True)`.

    >>> import numpy as np
    >>> estimate = drift_estimate(np.arange(1.0, 5.0), (1 + np.eye(4)) / 2)
    >>> estimate.method, bool(estimate.error.max() < 1e-12)
    ('exact', True)
    """
    n = inputs.correlation(corr)
    inputs.field(w, n)
    if method not in METHODS:
        raise unknown_name("method", method, METHODS)
    possible = n <= (MOST_TRACED if isinstance(corr, Tracer) else MOST_SITES)
    if method == "exact" and not possible:
        raise UserError(f"The drift of {n} signs is not summed; use method='sampled' and give a key.")
    if method != "sampled" and possible:
        return Drift(*_exact(w, corr), "exact")
    if key is None:
        raise UserError(f"The drift of {n} signs is sampled; give a key, such as key=jax.random.key(0).")
    return Drift(*_sampled(w, corr, key, checks.count("samples", samples)), "sampled")


@exact
def _exact(w: Float[ArrayLike, " n"], corr: Float[ArrayLike, "n n"]) -> tuple[Array, Array]:
    return law_drift(real(w), corr)


@exact
def _sampled(w: Float[ArrayLike, " n"], corr: Float[ArrayLike, "n n"], key: PRNGKeyArray, samples: int) -> tuple[Array, Array]:
    return sampled_drift(Signs(real(corr)), real(w), key, samples)


def law_drift(w: Float[Array, " n"], corr: Any) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
    """The drift of signs with this latent correlation, and a bound of its error at each site."""
    known = law(corr)
    return _gated(w, real(corners(len(w))), known.chances, known.errors)


@jax.jit
def _gated(
    w: Float[Array, " n"], points: Array, chances: Array, errors: Array
) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
    value = jnp.matmul(0.5 * chances * tied_sign(points, w), points, precision="highest")
    return value, jnp.full_like(value, 0.5) * jnp.linalg.norm(errors)
