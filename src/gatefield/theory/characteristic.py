"""Characteristic functions of sources: in closed form, by exact sums and products, or by sampling."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jax.scipy.special import erf
from jaxtyping import Array, ArrayLike, Complex, Float, PRNGKeyArray, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.estimate import Estimate
from gatefield.core.precision import exact, real
from gatefield.core.runs import run_count
from gatefield.data import Source, per_run
from gatefield.data.numerics import corners
from gatefield.theory.drift.exact import on_cube
from gatefield.theory.drift.many import each_field
from gatefield.theory.hypercube.law import law
from gatefield.theory.inputs import one_key, some
from gatefield.theory.inputs import source as a_source
from gatefield.theory.squash import normal_density, panels_between, squash

METHODS = ("auto", "closed", "exact", "sampled")
STANDARD_ERRORS = 4.0

Values = Complex[Exact, "*runs_and_fields"]
FieldsLike = Real[ArrayLike, "*fields n"] | Sequence
Route = Callable[[Any, Float[Array, " n"]], Array | None]

_BLOCK = 4096
"""Samples drawn at a time."""
_PANELS = 17
"""Edges of panels of 32 nodes on the bend of one site: they resolve the cosine to |w_i| = 500."""
_UNCORRELATED = 1e-14
"""Correlations below are rounding."""


@overload
def characteristic(
    source: Source, w: FieldsLike, *, method: str = ..., key: PRNGKeyArray | None = ..., samples: int = ...
) -> Values: ...
@overload
def characteristic(
    source: Source,
    w: FieldsLike,
    *,
    method: str = ...,
    key: PRNGKeyArray | None = ...,
    samples: int = ...,
    with_error: Literal[True],
) -> Estimate: ...
@given(source=a_source, w=some, key=one_key, with_error=checks.flag)
def characteristic(
    source: Source,
    w: FieldsLike,
    *,
    method: str = "auto",
    key: PRNGKeyArray | None = None,
    samples: int = 262_144,
    with_error: bool = False,
) -> Values | Estimate:
    r"""Characteristic function of the inputs, $\chi(w) = E\,e^{i\langle w,x\rangle}$.

    It holds the whole law. Its logarithm gives the cumulants of a neuron's input $\langle w,x\rangle$: for a symmetric law

    $$\log\chi(tw) = -\tfrac{t^2}2 w^\top C w + \tfrac{t^4}{24}\,\kappa_4\,(w^\top C w)^2 + O(t^6)$$

    so that data depart from the Gaussian form first by the excess kurtosis $\kappa_4$ of $\langle w,x\rangle$. That of a site
    bends the drift in `closure.expansion`; whether fields localize it does not decide (`kurtosis-law`).

    | method | for |
    |---|---|
    | "closed" | Gaussian sources, $e^{i\langle w,\mu\rangle - w^\top Cw/2}$; those of Laplace radius, $1/(1+w^\top Cw/2)$ |
    | "exact" | Ising, by the transfer matrix; finite laws, summed; Hypercube to 12 sites; NonlinearGP and Hypercube of any |
    | | size where sites are independent or w has one entry, by one integral for each site |
    | "sampled" | any source |
    | "auto" | the first of these that applies |

    What applies follows from what the source says of itself (`gaussian`, `elliptical`, `squashed`, `support()`,
    `_characteristic`). The integral resolves weights up to about 500 in size.

    **Arguments**

    - `source`: a source; with a run axis the result has it in front.
    - `w`: a field (n,), or many (..., n), which then share their samples.
    - `method`: as above; it must apply to all fields.
    - `key`: needed for sampling.
    - `samples`: at least this many are drawn.
    - `with_error`: whether to give the error and the method too.

    **Returns** complex numbers, NumPy in double precision unless traced; with `with_error` an `Estimate`, whose error is one
    standard error of the distance in the plane if sampled, else 0 (on a Hypercube, precise as `hypercube.pattern_law` is).

    >>> from gatefield.data import Gaussian, Ising, SinglePulse
    >>> print(characteristic(Gaussian(3, xi=1.0), [1.0, 0.0, 0.0]).real.round(6))
    0.606531
    >>> print(characteristic(Ising(40, coupling=1.0), [0.1] * 40).real.round(6))
    0.1716
    >>> characteristic(SinglePulse(3, widths=(1, 1)), [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]).round(4).tolist()
    [(1+0j), (0.8468+0.2805j)]

    **Source:** announced in note 002, section 1, and not printed there; the transfer matrix is that of Ising (1925).
    """
    checks.choice("method", method, METHODS)
    _check(source, w)
    routes = _routes(source, w)
    method = next(iter(routes)) if method == "auto" else method
    if method not in routes:
        others = " or ".join(f"'{name}'" for name in routes)
        raise UserError(f"The method '{method}' does not apply to this {type(source).__name__} and this w; use {others}.")
    found = _estimate(source, w, method, routes[method], key, checks.count("samples", samples))
    return found if with_error else found.value


def _check(source: Source, w: Any) -> None:
    checks.finite("w", w)
    if np.shape(w)[-1:] != (source.n,):
        raise UserError(
            f"w must have one entry for each of the {source.n} sites, but has shape {np.shape(w)}; "
            f"give it the shape ({source.n},), or (..., {source.n}) for many fields."
        )


def _routes(source: Source, w: Any) -> dict[str, Route | None]:
    """The methods that apply, the best first, each with its function of one run and one field; None for samples."""
    field = jax.ShapeDtypeStruct((source.n,), jnp.result_type(float))
    gives = {route: eqx.filter_eval_shape(route, source, field) is not None for route in (_elliptical, _own, _summed)}
    found: dict[str, Route | None] = {"closed": _elliptical} if gives[_elliptical] else {}
    exactly = {_own: gives[_own], _summed: gives[_summed], _product: _one_by_one(source, w), _on_cube: on_cube(source)}
    if any(exactly.values()):
        found["exact"] = next(route for route, applies in exactly.items() if applies)
    return found | {"sampled": None}


def _elliptical(source: Source, w: Float[Array, " n"]) -> Array | None:
    """The closed form for ellipsoidal contours about the mean, if the law of the radius has one."""
    if source.elliptical is None:
        return None
    image = jnp.matmul(real(source.covariance()), w, precision="highest")
    value = source.elliptical.characteristic(jnp.dot(w, image), source.n)
    return None if value is None else value * jnp.exp(1j * jnp.dot(w, real(source.mean())))


def _own(source: Source, w: Float[Array, " n"]) -> Array | None:
    return source._characteristic(w)


def _summed(source: Source, w: Float[Array, " n"]) -> Array | None:
    support = source.support()
    if support is None:
        return None
    points, probabilities = map(real, support)
    return jnp.sum(probabilities * jnp.exp(1j * jnp.matmul(points, w, precision="highest")))


def _one_by_one(source: Source, w: Any) -> bool:
    """Whether all that counts are single sites: they are known to be independent, or each field has one entry at most."""
    squashed = source.squashed
    if isinstance(w, Tracer) or squashed is None or isinstance(squashed.correlation, Tracer):
        return False
    apart = np.abs(np.asarray(squashed.correlation) - np.eye(source.n)).max() < _UNCORRELATED
    return bool(apart or np.all(np.count_nonzero(np.asarray(w, float), axis=-1) <= 1))


def _product(source: Source, w: Float[Array, " n"]) -> Array:
    r"""$\prod_i E\cos(w_i x_i)$, each by Gauss-Legendre panels; what lies beyond them is flat."""
    assert source.squashed is not None
    s = squash(real(source.squashed.gain))
    z, weight = panels_between(s.top * real(np.linspace(0, 1, _PANELS)))
    x = erf(s.gain * z) / s.deviation
    inside = jnp.sum(weight * normal_density(z) * jnp.cos(w[:, None] * x), axis=-1)
    return jnp.prod(2 * (inside + s.tail * jnp.cos(w / s.deviation))) + 0j


def _on_cube(source: Source, w: Float[Array, " n"], chances: Array | None = None) -> Array:
    """The sum over the corners of the cube."""
    if chances is None:
        assert source.squashed is not None
        chances = law(source.squashed.correlation).chances
    return jnp.sum(chances * jnp.exp(1j * jnp.matmul(real(corners(source.n)), w, precision="highest")))


def _estimate(source: Source, w: Any, method: str, route: Route | None, key: Any, samples: int) -> Estimate:
    if route is not None:
        value = _computed(source, w, route)
        return Estimate(value, np.zeros(np.shape(value)), method)
    if key is None:
        raise UserError(
            f"The characteristic function of this {type(source).__name__} is sampled; give a key, such as "
            "key=jax.random.key(0)."
        )
    return Estimate(*_sampled(source, w, key, samples), method, STANDARD_ERRORS)


@exact
def _computed(source: Source, w: Any, route: Route) -> Values:
    correlation = source.squashed.correlation if route is _on_cube and source.squashed is not None else None
    if correlation is None or isinstance(correlation, Tracer):
        return per_run(lambda one: each_field(lambda field: route(one, field), real(w)), source)
    laws = [law(one).chances for one in np.asarray(correlation).reshape(-1, source.n, source.n)]
    parts = [each_field(lambda field, chances=chances: _on_cube(source, field, chances), real(w)) for chances in laws]
    runs = run_count(source)
    return parts[0] if runs is None else jnp.broadcast_to(jnp.stack(parts), (runs, *np.shape(w)[:-1]))


@exact
def _sampled(source: Source, w: Any, key: PRNGKeyArray, samples: int) -> tuple[Array, Array]:
    return per_run(lambda one: _averaged(one, real(w), key, -(-samples // _BLOCK)), source)


@eqx.filter_jit
def _averaged(source: Source, w: Float[Array, "*fields n"], key: PRNGKeyArray, blocks: int) -> tuple[Array, Array]:
    """The mean of exp(i<w, x>) and its standard error; of a symmetric law, of the cosine alone."""
    draw, fields = source.sampler(), w.reshape(-1, w.shape[-1])

    def add(total: tuple[Array, Array], block: Array) -> tuple[tuple[Array, Array], None]:
        h = jnp.matmul(draw(jax.random.fold_in(key, block), _BLOCK), fields.T, precision="highest")
        wave = jnp.cos(h) + (0j if source.symmetric else 1j * jnp.sin(h))
        return (total[0] + wave.mean(0), total[1] + jnp.mean(jnp.abs(wave) ** 2, 0)), None

    zero = jnp.zeros(len(fields), fields.dtype)
    first, square = (part / blocks for part in jax.lax.scan(add, (zero + 0j, zero), jnp.arange(blocks))[0])
    error = jnp.sqrt(jnp.maximum(square - jnp.abs(first) ** 2, 0.0) / (blocks * _BLOCK))
    return first.reshape(w.shape[:-1]), error.reshape(w.shape[:-1])
