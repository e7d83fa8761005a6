"""The drift of any source: one function for all ways to compute it."""

from collections.abc import Sequence
from typing import Any, Literal, overload

from jaxtyping import Array, ArrayLike, Float, PRNGKeyArray, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.estimate import Estimate
from gatefield.core.precision import exact, real
from gatefield.data import Source, per_run
from gatefield.theory import closure
from gatefield.theory.drift.closed import Route, closed_route
from gatefield.theory.drift.exact import cube_drift, exact_route, on_cube
from gatefield.theory.drift.fields import check_fields
from gatefield.theory.drift.many import each_field
from gatefield.theory.drift.sampled import STANDARD_ERRORS, sampled_drift
from gatefield.theory.inputs import one_key, some
from gatefield.theory.inputs import source as a_source

METHODS = ("auto", "closed", "exact", "closure", "sampled")

Fields = Float[Exact, "*runs_and_fields n"]
FieldsLike = Real[ArrayLike, "*fields n"] | Sequence


@overload
def drift(
    source: Source, w: FieldsLike, *, method: str = ..., key: PRNGKeyArray | None = ..., samples: int = ...
) -> Fields: ...
@overload
def drift(
    source: Source,
    w: FieldsLike,
    *,
    method: str = ...,
    key: PRNGKeyArray | None = ...,
    samples: int = ...,
    with_error: Literal[True],
) -> Estimate: ...
@given(source=a_source, w=some, key=one_key, with_error=checks.flag)
def drift(
    source: Source,
    w: FieldsLike,
    *,
    method: str = "auto",
    key: PRNGKeyArray | None = None,
    samples: int = 262_144,
    with_error: bool = False,
) -> Fields | Estimate:
    r"""Mean input where a gate is open, for any source.

    $$f(w) = E[1(\langle w,x\rangle \ge 0)\,x]$$

    A gate counts one half where $\langle w,x\rangle = 0$; for symmetric sources this changes nothing. f does not depend on
    the length of w, and for symmetric sources it is the gradient of $\tfrac12 E|\langle w,x\rangle|$.

    | method | for |
    |---|---|
    | "closed" | Gaussian and elliptical sources; squashed ones if one site decides the gate |
    | "exact" | finite laws, summed: Ising to 16 sites, SinglePulse, Hypercube to 12; NonlinearGP of 2 sites, by quadrature |
    | "closure" | squashed Gaussian fields (NonlinearGP, Hypercube), approximately (see `closure`) |
    | "sampled" | any source, in float64, with the linear part of the gate as control variate |
    | "auto" | the first of "closed" and "exact" that applies, else "sampled" |

    What applies follows from what the source says of itself (`gaussian`, `symmetric`, `elliptical`, `squashed`, `support()`),
    so that a source of your own has all of them too. A Hypercube is summed in about a second to 8 sites, in seconds to 10,
    within a minute at 12, once for each length scale; where the length scale is traced, to 8 sites. A NonlinearGP of infinite
    gain is treated as a Hypercube.

    **Arguments**

    - `source`: a source; with a run axis the result has it in front.
    - `w`: a field (n,), not zero, or many (..., n), whose samples are then the same.
    - `method`: as above; it must apply to all fields.
    - `key`: needed for sampling.
    - `samples`: at least this many are drawn.
    - `with_error`: whether to give the error and the method too.

    **Returns** the drift, float64 NumPy unless traced; with `with_error` an `Estimate` of it. Its error is one standard error
    if sampled, a bound for "exact" on a Hypercube (NaN where the length scale is traced), else 0. The standard error is
    estimated from the sample, and cannot be relied on where the source has no fourth moment, as a Student t up to 4 degrees of
    freedom. To differentiate a sampled drift is an error, because each sample opens the gate or not (`drift_jacobian` has its
    derivative); that of a discrete law is constant in steps, with derivative 0 between them.

    >>> from gatefield.data import Gaussian, Hypercube, Ising
    >>> drift(Gaussian(3, xi=1.0, boundary="line"), [1.0, 0.0, 0.0]).round(4)
    array([0.3989, 0.1468, 0.0073])
    >>> drift(Ising(3, coupling=0.5), [2.0, 1.0, -2.0]).round(4)
    array([0.4037, 0.4037, 0.2112])
    >>> import jax
    >>> estimate = drift(Hypercube(40, xi=2.0), [1.0] * 40, key=jax.random.key(0), samples=10_000, with_error=True)
    >>> estimate.method, bool(estimate.error.max() < 0.01)
    ('sampled', True)

    **Source:** note 003, equation 5.
    """
    checks.choice("method", method, METHODS)
    check_fields(source, w)
    routes = _routes(source, w)
    if method == "auto":
        method = next(name for name in routes if name != "closure")
    if method not in routes:
        others = " or ".join(f"'{name}'" for name in routes)
        raise UserError(
            f"The method '{method}' does not apply to this {type(source).__name__} of {source.n} sites and this w; "
            f"use {others}."
        )
    found = _estimate(source, w, method, routes[method], key, checks.count("samples", samples))
    return found if with_error else found.value


def _routes(source: Source, w: Any) -> dict[str, Route | None]:
    """The methods that apply, the best first, each with its function of one run and one field if it has one."""
    cube = on_cube(source)
    exact = None if cube else exact_route(source)
    routes: dict[str, tuple[bool, Route | None]] = {
        "closed": ((route := closed_route(source, w)) is not None, route),
        "exact": (cube or exact is not None, exact),
        "closure": (source.squashed is not None, _closure),
        "sampled": (True, None),
    }
    return {name: route for name, (applies, route) in routes.items() if applies}


def _estimate(source: Source, w: Any, method: str, route: Route | None, key: Any, samples: int) -> Estimate:
    if route is not None:
        value = _computed(source, w, route)
        return Estimate(value, 0 * value, method)
    if method == "exact":
        return Estimate(*_cube(source, w), method)
    if key is None:
        raise UserError(f"The drift of this {type(source).__name__} is sampled; give a key, such as key=jax.random.key(0).")
    return Estimate(*_sampled(source, w, key, samples), method, STANDARD_ERRORS)


@exact
def _computed(source: Source, w: Any, route: Route) -> Fields:
    return per_run(lambda one: each_field(lambda field: route(one, field), real(w)), source)


@exact
def _cube(source: Source, w: Any) -> tuple[Array, Array]:
    return cube_drift(source, real(w))


@exact
def _sampled(source: Source, w: Any, key: PRNGKeyArray, samples: int) -> tuple[Array, Array]:
    return per_run(lambda one: sampled_drift(one, real(w), key, samples), source)


def _closure(source: Source, w: Float[Array, " n"]) -> Float[Array, " n"]:
    assert source.squashed is not None
    return real(closure.drift(w, source.covariance(), source.squashed.gain))
