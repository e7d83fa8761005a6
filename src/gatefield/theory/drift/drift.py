"""The drift of any source: one function for all ways to compute it."""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.errors import UserError, unknown_name
from gatefield.core.precision import exact, real
from gatefield.data import Hypercube, NonlinearGP, Source
from gatefield.data.source import per_run
from gatefield.theory import closure
from gatefield.theory.drift.closed import closed, has_closed
from gatefield.theory.drift.exact import cube_drift, exact_drift, has_exact, on_cube
from gatefield.theory.drift.result import Drift
from gatefield.theory.drift.sampled import sampled_drift

METHODS = ("auto", "closed", "exact", "closure", "sampled")

FieldLike = Float[ArrayLike, " n"]


def drift(
    source: Source, w: FieldLike, *, method: str = "auto", key: PRNGKeyArray | None = None, samples: int = 262_144
) -> Float[Array, "*runs n"]:
    r"""Mean input where a gate is open, for any source.

    $$f(w) = E[1(\langle w,x\rangle \ge 0)\,x]$$

    A gate counts one half where $\langle w,x\rangle = 0$; for symmetric sources this changes nothing. f does not depend on
    the length of w, and for symmetric sources it is the gradient of $\tfrac12 E|\langle w,x\rangle|$.

    | method | for |
    |---|---|
    | "closed" | Gaussian, Elliptical, GaussianClone; NonlinearGP if w has one entry or the gain is 0; Hypercube if one leads |
    | "exact" | Ising up to 16 sites, SinglePulse, Hypercube up to 12, by summing over the support; NonlinearGP of 2 sites |
    | "closure" | NonlinearGP and Hypercube, approximately (see `closure`) |
    | "sampled" | any source, in float64, with the linear part of the gate as control variate |
    | "auto" | the first of "closed" and "exact" that applies, else "sampled" |

    **Arguments:** `source`: a source; with a run axis the result has it in front. `w`: a field, not zero. `method`: as above.
    `key`: needed for sampling. `samples`: at least this many are drawn. See `drift_estimate` for the error. A Hypercube is
    summed in about a second to 8 sites, in seconds to 10, within a minute at 12, once for each length scale; where the length
    scale is traced, to 8 sites. A NonlinearGP of infinite gain is treated as a Hypercube.

    **Returns:** the drift; float64 NumPy unless traced. To differentiate a sampled drift is an error, because
    each sample opens the gate or not; that of a discrete law is constant in steps, with derivative 0 between them.

    >>> from gatefield.data import Gaussian, Ising
    >>> drift(Gaussian(3, xi=1.0, boundary="line"), [1.0, 0.0, 0.0]).round(4)
    array([0.3989, 0.1468, 0.0073])
    >>> drift(Ising(3, coupling=0.5), [2.0, 1.0, -2.0]).round(4)
    array([0.4037, 0.4037, 0.2112])

    **Source:** note 003, equation 5.
    """
    return drift_estimate(source, w, method=method, key=key, samples=samples).value


def drift_estimate(
    source: Source, w: FieldLike, *, method: str = "auto", key: PRNGKeyArray | None = None, samples: int = 262_144
) -> Drift:
    """The `drift` of a source together with its standard error and the method used.

    **Arguments:** as for `drift`.

    **Returns:** a `Drift` with `value`, `error` (one standard error if sampled, a bound for "exact" on a Hypercube, else 0) and
    `method`. The bound is NaN where the length scale of the Hypercube is traced. The standard error is estimated from the
    sample, and cannot be relied on where the source has no fourth moment, as `StudentT` up to 4 degrees of freedom.

    >>> import jax
    >>> from gatefield.data import Hypercube
    >>> estimate = drift_estimate(Hypercube(40, xi=2.0), [1.0] * 40, key=jax.random.key(0), samples=10_000)
    >>> estimate.method, bool(estimate.error.max() < 0.01)
    ('sampled', True)
    """
    if method not in METHODS:
        raise unknown_name("method", method, METHODS)
    _check_source(source, w)
    possible = _possible(source, w)
    if method == "auto":
        method = next(name for name in possible if name != "closure")
    if method not in possible:
        others = " or ".join(f"'{name}'" for name in possible)
        raise UserError(
            f"The method '{method}' does not apply to this {type(source).__name__} of {source.n} sites and this w; "
            f"use {others}."
        )
    if method == "exact" and on_cube(source):
        return Drift(*_cube(source, w), method)
    if method != "sampled":
        value = _computed(source, w, method)
        return Drift(value, 0 * value, method)
    if key is None:
        raise UserError(f"The drift of this {type(source).__name__} is sampled; give a key, such as key=jax.random.key(0).")
    return Drift(*_sampled(source, w, key, checks.count("samples", samples)), method)


@exact
def _computed(source: Source, w: FieldLike, method: str) -> Float[Array, "*runs n"]:
    routes = {"closed": closed, "exact": exact_drift, "closure": _closure}
    return per_run(lambda one: routes[method](one, real(w)), source)


@exact
def _cube(source: Source, w: FieldLike) -> tuple[Array, Array]:
    return cube_drift(source, real(w))


@exact
def _sampled(source: Source, w: FieldLike, key: PRNGKeyArray, samples: int) -> tuple[Array, Array]:
    return per_run(lambda one: sampled_drift(one, real(w), key, samples), source)


def _closure(source: Any, w: Float[Array, " n"]) -> Float[Array, " n"]:
    gain = source.gain if isinstance(source, NonlinearGP) else jnp.inf
    return real(closure.drift(w, source.covariance(), gain))


def _possible(source: Source, w: FieldLike) -> list[str]:
    """The methods that apply, the best first."""
    applies = {
        "closed": has_closed(source, w),
        "exact": has_exact(source),
        "closure": isinstance(source, NonlinearGP | Hypercube),
        "sampled": True,
    }
    return [name for name, holds in applies.items() if holds]


def _check_source(source: Source, w: FieldLike) -> None:
    if not isinstance(source, Source):
        raise UserError(f"source must be a source, such as Hypercube(40, xi=2.0), but is {source!r}.")
    checks.finite("w", w)
    if np.shape(w) != (source.n,):
        raise UserError(
            f"w must have one entry for each of the {source.n} sites, but has shape {np.shape(w)}; give such a field."
        )
    if not isinstance(w, Tracer) and not np.any(w):
        raise UserError("w must not be zero everywhere, because its gate would be open nowhere; give another field.")
