"""Drifts that are exact sums over a finite support, or an exact quadrature."""

from functools import singledispatch

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Float

from gatefield._precision import real
from gatefield.data import Gaussian, Hypercube, Ising, NonlinearGP, SinglePulse, Source
from gatefield.theory._drift_pair import pair_drift

Field = Float[Array, " n"]
Support = tuple[Float[Array, "points n"], Float[Array, " points"]]

_MOST_SPINS, _MOST_SIGNS = 16, 3


def has_exact(source: Source) -> bool:
    """Whether the support is small enough to be summed over, or there are two sites only."""
    match source:
        case Ising():
            return source.n <= _MOST_SPINS
        case Hypercube():
            return source.n <= _MOST_SIGNS
        case NonlinearGP():
            return source.n == 2 or (source.n <= _MOST_SIGNS and _binary(source))
        case SinglePulse():
            return True
    return False


def exact_drift(source: Source, w: Field) -> Field:
    """The drift of one run of a source for which `has_exact` is true; ties, up to rounding, count one half."""
    if isinstance(source, NonlinearGP) and source.n == 2:
        rho = Gaussian(2, source.xi, boundary=source.boundary).covariance()[0, 1]
        return real(pair_drift(w, rho, source.gain))
    return _summed(source, w)


@eqx.filter_jit
def _summed(source: Source, w: Field) -> Field:
    points, chances = support(source)
    field = jnp.matmul(points, w, precision="highest")
    tie = jnp.abs(field) <= 64 * jnp.finfo(field.dtype).eps * jnp.sum(jnp.abs(w)) * jnp.max(jnp.abs(points))
    gate = jnp.where(tie, 0.5, jnp.where(field > 0, 1.0, 0.0))
    return jnp.matmul(chances * gate, points, precision="highest")


@singledispatch
def support(source: Source) -> Support:
    """The points of a discrete law and their probabilities."""
    raise NotImplementedError


@support.register
def _(source: Ising) -> Support:
    spins = _corners(source.n)
    bonds = spins * np.roll(spins, -1, axis=1)
    energy = bonds.sum(axis=1) if source.boundary == "ring" else bonds[:, :-1].sum(axis=1)
    return real(spins), jax.nn.softmax(real(source.coupling) * real(energy))


@support.register(Hypercube)
@support.register(NonlinearGP)
def _(source: Hypercube | NonlinearGP) -> Support:
    """Up to three signs: p(x) = 2^-n (1 + sum of C_ij x_i x_j over pairs)."""
    corners = real(_corners(source.n))
    pairs = jnp.triu(real(Hypercube(source.n, source.xi, boundary=source.boundary).covariance()), 1)
    return corners, (1 + jnp.einsum("pi,ij,pj->p", corners, pairs, corners)) / 2**source.n


@support.register
def _(source: SinglePulse) -> Support:
    site, start = np.arange(source.n), np.arange(source.n)[:, None]
    widths = range(source.widths[0], source.widths[1] + 1)
    pulses = np.concatenate([(site - start) % source.n < width for width in widths]).astype(float)
    if source.complement:
        pulses = np.concatenate([pulses, 1 - pulses])
    level = pulses.mean(axis=0) if source.centre else 0.0
    return real(pulses - level), real(np.full(len(pulses), 1 / len(pulses)))


def _corners(n: int) -> np.ndarray:
    """All corners of the cube, one per row."""
    return 1.0 - 2.0 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)


def _binary(source: NonlinearGP) -> bool:
    return not isinstance(source.gain, Tracer) and bool(np.isinf(source.gain).all())
