"""The drift on the cube for any latent correlation."""

from collections.abc import Sequence
from typing import Any, Literal, overload

import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Float, PRNGKeyArray, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact, MatrixLike
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.estimate import Estimate
from gatefield.core.precision import exact, real
from gatefield.core.runs import leaf
from gatefield.data import Source
from gatefield.data.numerics import Draw, arcsine_covariance, gaussian_draw, symmetric_root
from gatefield.theory.drift.sampled import STANDARD_ERRORS, sampled_drift
from gatefield.theory.hypercube import inputs
from gatefield.theory.hypercube.law import MOST_TRACED
from gatefield.theory.hypercube.law_drift import law_drift
from gatefield.theory.hypercube.moments import MOST_SITES
from gatefield.theory.inputs import one_key

Fields = Float[Exact, "*fields n"]
FieldsLike = Real[ArrayLike, "*fields n"] | Sequence

METHODS = ("auto", "exact", "sampled")


class Signs(Source):
    """Signs of a Gaussian vector of any correlation."""

    n: int = leaf(0, static=True)
    corr: Float[Exact, "n n"] = leaf(2)

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


@overload
def drift(
    w: FieldsLike, corr: MatrixLike, *, method: str = ..., key: PRNGKeyArray | None = ..., samples: int = ...
) -> Fields: ...
@overload
def drift(
    w: FieldsLike,
    corr: MatrixLike,
    *,
    method: str = ...,
    key: PRNGKeyArray | None = ...,
    samples: int = ...,
    with_error: Literal[True],
) -> Estimate: ...
@given(key=one_key, with_error=checks.flag)
def drift(
    w: FieldsLike,
    corr: MatrixLike,
    *,
    method: str = "auto",
    key: PRNGKeyArray | None = None,
    samples: int = 262_144,
    with_error: bool = False,
) -> Fields | Estimate:
    r"""Drift of the signs $x_i = \operatorname{sign} z_i$ of a Gaussian vector of any correlation.

    $$f(w) = E[1(\langle w,x\rangle\ge0)\,x] = \tfrac12\sum_x p(x)\operatorname{sign}(\langle w,x\rangle)\,x$$

    with p the `pattern_law`; the sign is 0 at ties, up to rounding (`chow` decides them exactly). f is constant where no corner
    changes sides.

    | method | for |
    |---|---|
    | "exact" | up to 12 sites (8 under a transformation of `corr`) |
    | "sampled" | any number, with the linear part of the gate as control variate |
    | "auto" | "exact" where it applies, else "sampled" |

    The error of "exact" is $\tfrac12(\sum_S e_S^2)^{1/2}$ with $e_S$ the errors of the moments, each found by other rules with
    fewer nodes (see `sign_moment`); it bounds that of every entry because the Walsh coefficients of a gate have squares of sum
    1/4. That of "sampled" is one standard error. A matrix seen before costs nothing. A new one, for a ring with length scale 1
    to 2, took on two busy cores, besides some seconds to compile: to n = 8 about a second, with error 1e-13 to 1e-10; n = 10
    two seconds (1e-12 to 2e-7); n = 12 three quarters of a minute (1e-11 to 2e-6). Without the symmetries of a ring more sets
    of sites are computed, up to 24 times as many at n = 12.

    **Arguments**

    - `w`: a field (n,), not zero, or many (..., n), whose samples are then the same.
    - `corr`: correlation of z.
    - `method`: as above.
    - `key`, `samples`: for sampling.
    - `with_error`: whether to give the error and the method too.

    **Returns** the drift, float64 NumPy unless traced; with `with_error` an `Estimate` of it. If `corr` is traced, the error of
    "exact" is not known and NaN. Traced results have the user's precision: float32 unless inside `with jax.enable_x64(True)`.

    >>> import numpy as np
    >>> corr = np.exp(-np.subtract.outer(np.arange(5), np.arange(5)) ** 2 / 2.25)
    >>> drift([1.1, 0.7, -0.45, 0.3, 0.2], corr).round(6)
    array([0.490791, 0.230764, 0.044849, 0.015039, 0.006697])
    >>> estimate = drift(np.arange(1.0, 6.0), corr, with_error=True)
    >>> estimate.method, bool(estimate.error.max() < 1e-12)
    ('exact', True)

    **Source:** note 003, equations 5 and 14 to 17.
    """
    n = inputs.correlation(corr)
    inputs.fields(w, n)
    checks.choice("method", method, METHODS)
    found = _estimate(w, corr, method, key, checks.count("samples", samples))
    return found if with_error else found.value


def _estimate(w: Any, corr: Any, method: str, key: Any, samples: int) -> Estimate:
    n = np.shape(corr)[-1]
    possible = n <= (MOST_TRACED if isinstance(corr, Tracer) else MOST_SITES)
    if method == "exact" and not possible:
        raise UserError(f"The drift of {n} signs is not summed; use method='sampled' and give a key.")
    if method != "sampled" and possible:
        return Estimate(*_exact(w, corr), "exact")
    if key is None:
        raise UserError(f"The drift of {n} signs is sampled; give a key, such as key=jax.random.key(0).")
    return Estimate(*_sampled(w, corr, key, samples), "sampled", STANDARD_ERRORS)


@exact
def _exact(w: Any, corr: Any) -> tuple[Array, Array]:
    return law_drift(real(w), corr)


@exact
def _sampled(w: Any, corr: Any, key: PRNGKeyArray, samples: int) -> tuple[Array, Array]:
    return sampled_drift(Signs(real(corr)), real(w), key, samples)
