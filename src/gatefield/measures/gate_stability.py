"""How often a unit's gate keeps its value while its field moves."""

from collections.abc import Sequence
from typing import Any, cast

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, ArrayLike, Float, PRNGKeyArray, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.estimate import Estimate
from gatefield.core.keys import as_key
from gatefield.core.precision import exact, real
from gatefield.core.runs import run_count
from gatefield.core.text.quoted import quoted
from gatefield.core.ties import inner_sign
from gatefield.data import Source, Task
from gatefield.measures.inputs import fields
from gatefield.measures.labels import labelled
from gatefield.theory import relu

Fields = Float[Array, "*#batch n"]
FieldsLike = Real[ArrayLike, "*#batch n"] | Sequence
Shares = Float[Exact, "*batch"]

_BLOCK = 10_000
"""Samples that are drawn at a time, so that many fields fit into memory beside them."""


def gate_stability(
    W_t: FieldsLike | xr.DataArray,
    W_next: FieldsLike | xr.DataArray,
    source: Source | Task,
    *,
    key: PRNGKeyArray | None = None,
    samples: int = 100_000,
    with_error: bool = False,
    dim: str = "position",
) -> Any:
    r"""Probability that a unit's gate is the same at two times.

    $$P\big[1(\langle w_t,x\rangle>0) = 1(\langle w_{t'},x\rangle>0)\big]$$

    For Gaussian inputs, and for all others with ellipsoidal contours about 0, it is $1-\theta/\pi$, with $\theta$ the angle
    between the fields in the metric of the covariance. For other sources it is the mean over samples. Where an input lies on
    the edge of a gate, up to rounding, the gate is taken as 1/2. A task gives the average over its classes.

    **Arguments**

    - `W_t`, `W_next`: the fields at the two times, (units, n) or any (..., n), or two `DataArray`s, of which the first gives
      the coordinates of the result; with a run axis of the source, it comes first.
    - `source`: a source or a task.
    - `key`, `samples`: for the sources that must be sampled, a PRNG key and how many samples to draw from each.
    - `with_error`: whether to give an `Estimate`, whose error is 0 where the probability is exact.
    - `dim`: the dimension of a `DataArray` that holds the sites.

    **Returns** the probability for each unit, shape (...), NaN where a field is zero: an array or a `DataArray`, or an
    `Estimate` of it.

    >>> import numpy as np
    >>> from gatefield.data import Gaussian
    >>> np.round(gate_stability([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [[2.0, 0.0, 0.0], [0.0, 1.0, 0.0]], Gaussian(3, xi=0.1)), 6)
    array([1. , 0.5])

    **Source:** note 002, equation 45, with its closed form for Gaussian data.
    """
    samples, key = checks.count("samples", samples, least=2), None if key is None else as_key(key, runs=False)
    checks.flag("with_error", with_error)
    value, error = _mean_and_error(cast(Any, W_t), W_next, source, key, samples, dim=dim)
    if not with_error:
        return value
    closed = all(_by_contours(part) for _, part in _classes(source))
    return Estimate(value, error, "closed form") if closed else Estimate(value, error, f"{samples} samples", 4.0)


@labelled(
    ("gate_stability", "probability that the gate keeps its value"),
    ("gate_stability_error", "error of the probability that the gate keeps its value"),
    join="override",  # fields at two times: their times differ, and pair up in order
)
@given(W_t=fields, W_next=fields)
@exact
def _mean_and_error(W_t: Any, W_next: Any, source: Source | Task, key: Any, samples: int) -> tuple[Any, Any]:
    """Averages over the classes, which are independent."""
    _check(W_t, W_next, source)
    parts = _classes(source)
    keys: list = [None] * len(parts) if key is None else list(jax.random.split(key, len(parts)))
    found = [(share, *_stability(W_t, W_next, part, k, samples)) for (share, part), k in zip(parts, keys, strict=True)]
    value = sum(share * mean for share, mean, _ in found)
    return value, sum((share * deviation) ** 2 for share, _, deviation in found) ** 0.5


def _classes(source: Source | Task) -> list[tuple[float, Source]]:
    """Each source with its share."""
    if isinstance(source, Task):
        return [(source.proportion, source.positive), (1 - source.proportion, source.negative)]
    return [(1.0, source)]


def _stability(W_t: Any, W_next: Any, source: Source, key: Any, samples: int) -> tuple[Any, Any]:
    """Probability and standard error for one source."""
    if _by_contours(source):
        value = _by_angle(W_t, W_next, source.covariance())
        return value, 0 * value
    if key is None:
        raise UserError(
            f"The gates on {type(source).__name__} inputs must be sampled, which needs a key; give key=jax.random.key(0)."
        )
    return _by_samples(W_t, W_next, source, key, samples)


def _by_contours(source: Source) -> bool:
    """Whether the contours are known to be ellipsoids about 0."""
    return source.symmetric and source.elliptical is not None


@exact
def _by_angle(W_t: FieldsLike, W_next: FieldsLike, cov: Float[ArrayLike, "*runs n n"]) -> Shares:
    W_t, W_next, cov = real(W_t), real(W_next), real(cov)
    if cov.ndim == 3:
        cov = jnp.expand_dims(cov, tuple(range(1, max(W_t.ndim, W_next.ndim) - 1)))
    return jnp.vectorize(relu.gate_agreement, signature="(n),(n),(n,n)->()")(W_t, W_next, cov)


@exact
def _by_samples(W_t: FieldsLike, W_next: FieldsLike, source: Source, key: PRNGKeyArray, samples: int) -> tuple[Shares, Shares]:
    """Mean agreement and its standard error, block by block."""
    W_t, W_next = real(W_t), real(W_next)
    sizes = [_BLOCK] * (samples // _BLOCK) + [samples % _BLOCK] * (samples % _BLOCK > 0)
    first, second = jnp.zeros(()), jnp.zeros(())
    for i, size in enumerate(sizes):
        one, two = _block(W_t, W_next, source, jax.random.fold_in(key, i), size)
        first, second = first + one / samples, second + two / samples
    return first, jnp.sqrt(jnp.maximum(second - first**2, 0.0) / (samples - 1))


@eqx.filter_jit
def _block(W_t: Fields, W_next: Fields, source: Source, key: PRNGKeyArray, size: int) -> tuple[Shares, Shares]:
    """Sums over samples of the agreement and of its square."""
    x = source.sample(key, size)
    x = jnp.expand_dims(x, tuple(range(x.ndim - 2, max(W_t.ndim, W_next.ndim) - 1)))
    agreement = 1 - jnp.abs(_gate(W_t, x) - _gate(W_next, x))
    return jnp.sum(agreement, axis=-1), jnp.sum(agreement**2, axis=-1)


def _gate(W: Fields, x: Float[Array, "*#batch size n"]) -> Float[Array, "*batch size"]:
    """1, 0, or 1/2 on the edge; NaN for a field that is zero."""
    h = jnp.einsum("...n,...sn->...s", W, x)
    gate = (1 + inner_sign(h, x, W[..., None, :])) / 2
    return jnp.where(jnp.any(W != 0, axis=-1)[..., None], gate, jnp.nan)


def _check(W_t: Any, W_next: Any, source: Any) -> None:
    if not isinstance(source, Source | Task):
        n = (np.shape(W_t) or (40,))[-1]
        raise UserError(
            f"source must be a source or a task, but is {quoted(source)}; write for instance source=Gaussian({n}, xi=2.0)."
        )
    shapes = np.shape(W_t), np.shape(W_next)
    if any(shape[-1:] != (source.n,) for shape in shapes):
        raise UserError(
            f"Fields must have {source.n} sites, as the source has, but have shapes {shapes[0]} and {shapes[1]}; "
            f"give both the shape ({source.n},), or (..., {source.n}) for many."
        )
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise UserError(
            f"W_t and W_next must have one shape, but have {shapes[0]} and {shapes[1]}; select the same units."
        ) from None
    runs = run_count(source)
    if runs is not None and any(len(shape) < 2 or shape[0] not in (1, runs) for shape in shapes):
        raise UserError(
            f"The source stands for {runs} runs, so that fields need a leading axis of {runs}, but have shapes "
            f"{shapes[0]} and {shapes[1]}; write W_t[None] and W_next[None] for fields that all runs share."
        )
