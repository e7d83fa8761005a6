"""Drifts in closed form."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jax.scipy.special import erfc

from gatefield.core.precision import real, scaled
from gatefield.data import Source
from gatefield.theory import elliptical
from gatefield.theory.drift.arrays import Field
from gatefield.theory.nlgp import half_gate_mean

Route = Callable[[Any, Field], Field]

_ROUNDING = 1e-12
"""A weight leads if it exceeds the sum of the others by more than this share: nearer to a tie, signs are summed exactly."""


def closed_route(source: Source, w: Any) -> Route | None:
    """The closed form of the drift, as a function of one run of the source and one field, or None if there is none.

    There is one for Gaussian and ellipsoidal laws; for squashed fields if one site alone decides each gate. What the source is
    must be asked of all runs together, because the parameters of one run alone are traced.
    """
    if source.gaussian:
        return _centred_gaussian if source.symmetric else _gaussian
    if source.symmetric and source.elliptical is not None:
        return _ellipsoidal
    squashed = source.squashed
    return _behind_one_site if squashed is not None and _one_site_decides(w, squashed.gain) else None


def _one_site_decides(w: Any, gain: Any) -> bool:
    """Whether one weight decides the gate of each field: the only one, or on signs one that exceeds the sum of the others."""
    if isinstance(w, Tracer):
        return False
    sizes = np.abs(np.asarray(w, dtype=float))
    alone = np.count_nonzero(sizes, axis=-1) == 1
    leads = is_binary(gain) & (2 * sizes.max(-1) > sizes.sum(-1) * (1 + _ROUNDING))
    return bool(np.all(alone | leads))


def is_binary(gain: Any) -> bool:
    """Whether the gain is known to be infinite in all runs, so that sites are signs."""
    return not isinstance(gain, Tracer) and bool(np.isinf(gain).all())


def _centred_gaussian(source: Source, w: Field) -> Field:
    return real(elliptical.drift(w, source.covariance(), "gaussian"))


def _ellipsoidal(source: Source, w: Field) -> Field:
    assert source.elliptical is not None
    return real(elliptical.drift(w, source.covariance(), source.elliptical))


def _gaussian(source: Source, w: Field) -> Field:
    r"""$\mu\,\Phi(m/s) + \varphi(m/s)\,Cw/s$ with m and s the mean and standard deviation of $\langle w,x\rangle$."""
    w, mean = scaled(w), real(source.mean())
    image = jnp.matmul(real(source.covariance()), w, precision="highest")
    square, level = (jnp.matmul(w, part, precision="highest") for part in (image, mean))
    spread = jnp.sqrt(jnp.where(square > 0, square, 1.0))
    score = level / spread
    opened = jnp.where(square > 0, erfc(-score / np.sqrt(2)) / 2, (1 + jnp.sign(level)) / 2)
    bump = jnp.where(square > 0, jnp.exp(-(score**2) / 2) / (np.sqrt(2 * np.pi) * spread), 0.0)
    return mean * opened + bump * image


def _behind_one_site(source: Source, w: Field) -> Field:
    """The drift where the site of largest weight decides the gate."""
    assert source.squashed is not None
    correlation, gain = source.squashed
    site = jnp.argmax(jnp.abs(w))
    latent = real(correlation)[site].at[site].set(1.0)
    return jnp.sign(w[site]) * real(half_gate_mean(latent, gain))
