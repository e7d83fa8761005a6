"""Drifts that are exact sums over a finite support, or an exact quadrature."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from gatefield.core.precision import real
from gatefield.core.runs import run_count
from gatefield.core.ties import opened
from gatefield.data import Source, per_run
from gatefield.theory.drift.closed import Field, Route, is_binary
from gatefield.theory.drift.pair import pair_drift
from gatefield.theory.hypercube.law import MOST_TRACED
from gatefield.theory.hypercube.law_drift import law_drift
from gatefield.theory.hypercube.moments import MOST_SITES
from gatefield.theory.listed import gated_mean


def exact_route(source: Source) -> Route | None:
    """The drift of one run and one field, for two squashed sites and for laws of few points; None for others."""
    if source.n == 2 and source.squashed is not None:
        return _two_sites
    return None if eqx.filter_eval_shape(lambda one: one.support(), source) is None else _summed


def on_cube(source: Source) -> bool:
    """Whether the source is that of signs, few enough for their law to be summed."""
    squashed = source.squashed
    if squashed is None or not is_binary(squashed.gain):
        return False
    return source.n <= (MOST_TRACED if isinstance(squashed.correlation, Tracer) else MOST_SITES)


def _two_sites(source: Source, w: Field) -> Field:
    assert source.squashed is not None
    correlation, gain = source.squashed
    return real(pair_drift(w, correlation[0, 1], gain))


@eqx.filter_jit
def _summed(source: Source, w: Field) -> Field:
    """Ties, up to rounding, count one half."""
    support = source.support()
    assert support is not None
    points, probabilities = map(real, support)
    return gated_mean(opened(points, w[None])[:, 0], points, probabilities)


def cube_drift(source: Any, w: Float[Array, "*fields n"]) -> tuple[Array, Array]:
    """The drift of signs and a bound of its error, for all runs and fields; one law per latent correlation."""
    correlation = source.squashed.correlation
    if isinstance(correlation, Tracer):
        return per_run(lambda one: law_drift(w, one.squashed.correlation), source)
    parts = [law_drift(w, one) for one in np.asarray(correlation).reshape(-1, source.n, source.n)]
    value, error = (jnp.stack(part) for part in zip(*parts, strict=True))
    runs = run_count(source)
    if runs is None:
        return value[0], error[0]
    return jnp.broadcast_to(value, (runs, *w.shape)), jnp.broadcast_to(error, (runs, *w.shape))
