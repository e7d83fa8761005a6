"""Drifts in closed form."""

from functools import singledispatch

import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jax.scipy.special import erfc
from jaxtyping import Array, ArrayLike, Float, Real

from gatefield.core.precision import real
from gatefield.core.scaling import scaled
from gatefield.data import Elliptical, Gaussian, GaussianClone, Hypercube, NonlinearGP, Source
from gatefield.theory import elliptical
from gatefield.theory.nlgp import half_gate_mean

Field = Float[Array, " n"]


def has_closed(source: Source, w: Float[ArrayLike, " n"]) -> bool:
    """Whether there is a closed form: for elliptical laws always, for squashed fields if one site alone decides the gate."""
    match source:
        case Gaussian() | Elliptical() | GaussianClone():
            return True
        case Hypercube():
            return not isinstance(w, Tracer) and 2 * np.max(np.abs(w)) > np.sum(np.abs(w)) * (1 + 1e-12)
        case NonlinearGP():
            return _gaussian(source) or _one_site(w)
    return False


def _one_site(w: Float[ArrayLike, " n"]) -> bool:
    return not isinstance(w, Tracer) and np.count_nonzero(w) == 1


def _gaussian(source: NonlinearGP) -> bool:
    return not isinstance(source.gain, Tracer) and not np.any(source.gain)


@singledispatch
def closed(source: Source, w: Field) -> Field:
    """The drift of one run of a source for which `has_closed` is true."""
    raise TypeError(f"{type(source).__name__} has no closed drift")


@closed.register
def _(source: Gaussian, w: Field) -> Field:
    return real(elliptical.drift(w, source.covariance(), "gaussian"))


@closed.register
def _(source: Elliptical, w: Field) -> Field:
    return real(elliptical.drift(w, source.covariance(), source.radial))


@closed.register
def _(source: GaussianClone, w: Field) -> Field:
    r"""$\mu\,\Phi(m/s) + \varphi(m/s)\,Cw/s$ with m and s the mean and standard deviation of $\langle w,x\rangle$."""
    w, mean = scaled(w), real(source.mean())
    pull = jnp.matmul(real(source.covariance()), w, precision="highest")
    square, level = (jnp.matmul(w, part, precision="highest") for part in (pull, mean))
    spread = jnp.sqrt(jnp.where(square > 0, square, 1.0))
    score = level / spread
    opened = jnp.where(square > 0, erfc(-score / np.sqrt(2)) / 2, (1 + jnp.sign(level)) / 2)
    bump = jnp.where(square > 0, jnp.exp(-(score**2) / 2) / (np.sqrt(2 * np.pi) * spread), 0.0)
    return mean * opened + bump * pull


@closed.register
def _(source: NonlinearGP, w: Field) -> Field:
    if not _one_site(w):  # the gain is zero
        return real(elliptical.drift(w, source.covariance(), "gaussian"))
    return _behind_one_site(source, w, source.gain)


@closed.register
def _(source: Hypercube, w: Field) -> Field:
    return _behind_one_site(source, w, jnp.inf)


def _behind_one_site(source: NonlinearGP | Hypercube, w: Field, gain: Real[ArrayLike, ""]) -> Field:
    """The drift where the site of largest weight decides the gate."""
    site = int(np.argmax(np.abs(w)))
    latent = real(Gaussian(source.n, source.xi, boundary=source.boundary).covariance())[site].at[site].set(1.0)
    return jnp.sign(w[site]) * real(half_gate_mean(latent, gain))
