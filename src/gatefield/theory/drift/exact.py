"""Drifts that are exact sums over a finite support, or an exact quadrature."""

from functools import singledispatch
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from gatefield.core.precision import real
from gatefield.data import Gaussian, Hypercube, Ising, NonlinearGP, SinglePulse, Source
from gatefield.data.numerics.field import field_covariance
from gatefield.data.source import per_run
from gatefield.theory.drift.pair import pair_drift
from gatefield.theory.hypercube.drift import law_drift
from gatefield.theory.hypercube.law import MOST_TRACED, corners
from gatefield.theory.hypercube.moments import MOST_SITES
from gatefield.theory.hypercube.walsh import tied_sign

Field = Float[Array, " n"]
Support = tuple[Float[Array, "points n"], Float[Array, " points"]]

_MOST_SPINS = 16


def has_exact(source: Source) -> bool:
    """Whether the support is small enough to be summed over, or there are two sites only."""
    match source:
        case Ising():
            return source.n <= _MOST_SPINS
        case Hypercube() | NonlinearGP():
            return (source.n == 2 and isinstance(source, NonlinearGP)) or on_cube(source)
        case SinglePulse():
            return True
    return False


def on_cube(source: Source) -> bool:
    """Whether the source is that of signs, few enough for their law to be summed."""
    if isinstance(source, NonlinearGP):
        return _binary(source) and source.n <= _most_signs(source)
    return isinstance(source, Hypercube) and source.n <= _most_signs(source)


def _most_signs(source: Hypercube | NonlinearGP) -> int:
    return MOST_TRACED if isinstance(source.xi, Tracer) else MOST_SITES


def exact_drift(source: Source, w: Field) -> Field:
    """The drift of one run of a source for which `has_exact` is true; ties, up to rounding, count one half."""
    if isinstance(source, NonlinearGP):
        rho = Gaussian(2, source.xi, boundary=source.boundary).covariance()[0, 1]
        return real(pair_drift(w, rho, source.gain))
    return _summed(source, w)


def cube_drift(source: Any, w: Field) -> tuple[Field, Field]:
    """The drift of signs on a ring or a line and a bound of its error, for all runs; one law per length scale."""
    if isinstance(source.xi, Tracer):
        return per_run(lambda one: law_drift(w, field_covariance(one.n, one.xi, one.boundary)), source)
    scales = np.asarray(source.xi, dtype=np.float64)
    parts = [law_drift(w, np.asarray(field_covariance(source.n, xi, source.boundary))) for xi in scales.ravel()]
    value, error = (jnp.stack(part).reshape(*scales.shape, source.n) for part in zip(*parts, strict=True))
    return value, error


@eqx.filter_jit
def _summed(source: Source, w: Field) -> Field:
    points, chances = support(source)
    gate = 0.5 + 0.5 * tied_sign(points, w)
    return jnp.matmul(chances * gate, points, precision="highest")


@singledispatch
def support(source: Source) -> Support:
    """The points of a discrete law and their probabilities."""
    raise TypeError(f"{type(source).__name__} has no finite support")


@support.register
def _(source: Ising) -> Support:
    spins = corners(source.n)
    bonds = spins * np.roll(spins, -1, axis=1)
    energy = bonds.sum(axis=1) if source.boundary == "ring" else bonds[:, :-1].sum(axis=1)
    return real(spins), jax.nn.softmax(real(source.coupling) * real(energy))


@support.register
def _(source: SinglePulse) -> Support:
    site, start = np.arange(source.n), np.arange(source.n)[:, None]
    widths = range(source.widths[0], source.widths[1] + 1)
    pulses = np.concatenate([(site - start) % source.n < width for width in widths]).astype(float)
    if source.complement:
        pulses = np.concatenate([pulses, 1 - pulses])
    level = pulses.mean(axis=0) if source.centre else 0.0
    return real(pulses - level), real(np.full(len(pulses), 1 / len(pulses)))


def _binary(source: NonlinearGP) -> bool:
    return not isinstance(source.gain, Tracer) and bool(np.isinf(source.gain).all())
