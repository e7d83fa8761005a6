"""The Jacobian of the drift: one function for all ways to compute it."""

from collections.abc import Sequence
from typing import Any, Literal, overload

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Float, PRNGKeyArray, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.estimate import Estimate
from gatefield.core.precision import exact, real
from gatefield.core.ties import side
from gatefield.data import Source, per_run
from gatefield.data.numerics import corners
from gatefield.theory.drift.closed import Route, closed_route, is_binary
from gatefield.theory.drift.few_sites import one_site_jacobian, two_site_jacobian
from gatefield.theory.drift.fields import check_fields
from gatefield.theory.drift.lines import line_jacobians
from gatefield.theory.drift.many import each_field
from gatefield.theory.drift.sampled import STANDARD_ERRORS
from gatefield.theory.hypercube.moments import MOST_SITES
from gatefield.theory.inputs import one_key, some
from gatefield.theory.inputs import source as a_source

METHODS = ("auto", "closed", "exact", "sampled")

Matrices = Float[Exact, "*runs_and_fields n n"]
FieldsLike = Real[ArrayLike, "*fields n"] | Sequence


@overload
def drift_jacobian(
    source: Source, w: FieldsLike, *, method: str = ..., key: PRNGKeyArray | None = ..., samples: int = ...
) -> Matrices: ...
@overload
def drift_jacobian(
    source: Source,
    w: FieldsLike,
    *,
    method: str = ...,
    key: PRNGKeyArray | None = ...,
    samples: int = ...,
    with_error: Literal[True],
) -> Estimate: ...
@given(source=a_source, w=some, key=one_key, with_error=checks.flag)
def drift_jacobian(
    source: Source,
    w: FieldsLike,
    *,
    method: str = "auto",
    key: PRNGKeyArray | None = None,
    samples: int = 16_384,
    with_error: bool = False,
) -> Matrices | Estimate:
    r"""Jacobian of the `drift`, for the sharp gate: how the mean input behind a gate changes with the gate's field.

    $$J = \frac{\partial f}{\partial w} = E[\delta(\langle w,x\rangle)\,xx^\top], \qquad Jw = 0, \qquad J(cw) = J(w)/c$$

    It is symmetric and has no negative eigenvalue, because f is the gradient of a convex function.

    | method | for |
    |---|---|
    | "closed" | Gaussian and elliptical sources; NonlinearGP if w has one entry other than 0 |
    | "exact" | NonlinearGP of 2 sites, by quadrature; signs and finite laws, where it is 0 |
    | "sampled" | NonlinearGP of any finite gain: lines are drawn, and the roots of $\langle w,x\rangle$ on each are computed |
    | "auto" | the first of these that applies |

    For NonlinearGP of finite gain it is exact in two cases only: 2 sites, or one weight other than 0. On 3 and more sites with
    two or more weights it is sampled, so that it needs a key and has a standard error (`with_error`).

    Lines integrate the delta function exactly, so that "sampled" has a standard error, but no bias from a gate of some width;
    every line obeys Jw = 0 by itself. On signs the drift is constant between ties, and J is 0 there; on a tie, where there is
    none, it is NaN (on finite laws that are listed, and to 12 sites of a Hypercube; on more sites ties are not looked for).
    At finite gain J is finite wherever no signed sum of the weights is 0 (see `hypercube.margin`). Where one is, as for two
    equal weights alone, it is infinite from some gain on, and sampling cannot find it. Trust the standard error to gains of
    about 10: above, a growing part of J comes from few lines of large weight, on which all sites are saturated.

    **Arguments**

    - `source`: a source; with a run axis the result has it in front.
    - `w`: a field (n,), not zero, or many (..., n), which then share their samples.
    - `method`: as above; it must apply to all fields.
    - `key`: needed for sampling.
    - `samples`: at least this many lines are drawn; 16,384 take one or two seconds for a field of 40 sites.
    - `with_error`: whether to give the error and the method too.

    **Returns** J (..., n, n), float64 NumPy unless traced; with `with_error` an `Estimate` of it, whose error is one standard
    error if sampled, else 0. A sampled J cannot be differentiated.

    >>> from gatefield.data import Gaussian, NonlinearGP
    >>> drift_jacobian(NonlinearGP(3, xi=1.0, gain=3.0, boundary="line"), [1.0, 0.0, 0.0]).round(4) + 0.0
    array([[0.    , 0.    , 0.    ],
           [0.    , 0.1029, 0.0316],
           [0.    , 0.0316, 0.1049]])
    >>> import jax
    >>> found = drift_jacobian(NonlinearGP(3, 1.0, 3.0), [1.0, 0.5, -0.2], key=jax.random.key(0), samples=512, with_error=True)
    >>> found.method, bool(abs(found.value @ [1.0, 0.5, -0.2]).max() < 1e-6)
    ('sampled', True)

    **Source:** note 003, section 2, extra fact; the closed form and the lines are printed nowhere.
    """
    checks.choice("method", method, METHODS)
    check_fields(source, w)
    routes = _routes(source, w)
    if not routes:
        raise UserError(
            f"The Jacobian of the drift of {type(source).__name__} data is not known; take "
            "theory.neuron.sampled_jacobian, whose gate has an edge of finite width."
        )
    method = next(iter(routes)) if method == "auto" else method
    if method not in routes:
        others = " or ".join(f"'{name}'" for name in routes)
        raise UserError(f"The method '{method}' does not apply to this {type(source).__name__} and this w; use {others}.")
    found = _estimate(source, w, method, routes[method], key, checks.count("samples", samples))
    return found if with_error else found.value


def _routes(source: Source, w: Any) -> dict[str, Route | None]:
    """The methods that apply, the best first, each with its function of one run and one field if it has one."""
    squashed, smooth = source.squashed, source.gaussian or (source.symmetric and source.elliptical is not None)
    if smooth:
        route = closed_route(source, w)
        assert route is not None
        return {"closed": lambda one, field: jax.jacfwd(lambda v: route(one, v))(field)}
    if squashed is None:
        listed = eqx.filter_eval_shape(lambda one: one.support(), source) is not None
        return {"exact": _flat} if listed else {}
    if is_binary(squashed.gain):
        return {"exact": _flat}
    found: dict[str, Route | None] = {"closed": _one_site} if _single(w) else {}
    return found | ({"exact": _two_sites} if source.n == 2 else {}) | {"sampled": None}


def _single(w: Any) -> bool:
    """Whether each field is known to have one entry other than 0."""
    return not isinstance(w, Tracer) and bool(np.all(np.count_nonzero(np.asarray(w, float), axis=-1) == 1))


def _one_site(source: Source, w: Float[Array, " n"]) -> Float[Array, "n n"]:
    assert source.squashed is not None
    return one_site_jacobian(source.squashed, w)


def _two_sites(source: Source, w: Float[Array, " n"]) -> Float[Array, "n n"]:
    assert source.squashed is not None
    return two_site_jacobian(source.squashed, w)


def _flat(source: Source, w: Float[Array, " n"]) -> Float[Array, "n n"]:
    """0, or NaN where a point lies on the edge of the gate."""
    support = source.support()
    if support is not None:
        points, chances = map(real, support)
    elif source.n <= MOST_SITES:
        points, chances = real(corners(source.n)), real(1.0)
    else:
        return jnp.where(jnp.isnan(w).any(), jnp.nan, jnp.zeros((source.n, source.n)))
    tied = jnp.any((side(points, w[None])[:, 0] == 0) & (chances > 0)) | jnp.isnan(w).any()
    return jnp.where(tied, jnp.nan, jnp.zeros((source.n, source.n)))


def _estimate(source: Source, w: Any, method: str, route: Route | None, key: Any, samples: int) -> Estimate:
    if route is not None:
        value = _computed(source, w, route)
        return Estimate(value, np.zeros(np.shape(value)), method)  # also where it is infinite
    if key is None:
        raise UserError(
            f"The Jacobian of the drift of this {type(source).__name__} is sampled; give a key, such as key=jax.random.key(0)."
        )
    return Estimate(*_sampled(source, w, key, samples), method, STANDARD_ERRORS)


@exact
def _computed(source: Source, w: Any, route: Route) -> Matrices:
    return per_run(lambda one: each_field(lambda field: route(one, field), real(w)), source)


@exact
def _sampled(source: Source, w: Any, key: PRNGKeyArray, samples: int) -> tuple[Array, Array]:
    rows = real(w).reshape(-1, source.n)

    def of(one: Source) -> tuple[Array, Array]:
        assert one.squashed is not None
        value, error = line_jacobians(one.squashed, rows, key, samples)
        shape = (*np.shape(w), source.n)
        return value.reshape(shape), error.reshape(shape)

    return per_run(of, source)
