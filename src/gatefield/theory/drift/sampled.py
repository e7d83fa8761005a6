"""Drifts by sampling, with the linear part of the gate as control variate."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core.errors import UserError
from gatefield.core.precision import real
from gatefield.core.scaling import scaled
from gatefield.data import Source

Field = Float[Array, " n"]

_CHUNK = 8192
_TIE = 1e-5


def sampled_drift(source: Source, w: Field, key: PRNGKeyArray, samples: int) -> tuple[Field, Field]:
    r"""The drift of one run and its standard error.

    $f = \tfrac12 E x + \tfrac12 E[x \operatorname{sign}\langle w,x\rangle]$ with the mean known, and the sign 0 where
    $|\langle w,x\rangle| < 10^{-5}|w|_1$. From the second term, $\beta (x-\mu)\langle w,x-\mu\rangle$ less its known mean
    $\beta C w$ is taken off, with $\beta$ by regression at each site. The error is estimated from the spread of the sample, so
    that it cannot be relied on where the source has no fourth moment. The sign is a step, whose derivative over a sample is 0
    and not that of the mean: to differentiate is an error.
    """
    w = scaled(w)
    pull = jnp.matmul(real(source.covariance()), w, precision="highest")
    return _regress(source, real(source.mean()), pull, w, key, samples)


@eqx.filter_jit
def _regress(source: Source, mean: Field, pull: Field, w: Field, key: PRNGKeyArray, samples: int) -> tuple[Field, Field]:
    draw, chunk = source.sampler(), min(samples, _CHUNK)

    def moments(block: Array) -> Float[Array, "5 n"]:
        x = draw(jax.random.fold_in(key, block), chunk)
        signed = 0.5 * x * _sign(x, w)[:, None]
        linear = (x - mean) * jnp.matmul(x - mean, w, precision="highest")[:, None] - pull
        return jnp.stack([part.mean(axis=0) for part in (signed, linear, signed**2, linear**2, signed * linear)])

    blocks = -(-samples // chunk)
    signed, linear, square, linear_square, product = jax.lax.map(moments, jnp.arange(blocks)).mean(axis=0)
    spread, joint, linear_spread = square - signed**2, product - signed * linear, linear_square - linear**2
    beta = jnp.where(linear_spread > 0, joint / jnp.where(linear_spread > 0, linear_spread, 1.0), 0.0)
    error = jnp.sqrt(jnp.maximum(spread - beta * joint, 0.0) / (blocks * chunk))
    return mean / 2 + signed - beta * linear, error


def _sign(x: Float[Array, "size n"], w: Field) -> Float[Array, " size"]:
    """The sign of <w, x>, 0 at ties: rounding must not decide them, or it would break the symmetries of the source."""
    field = _undifferentiated(jnp.matmul(x, w, precision="highest"))
    return jnp.where(jnp.abs(field) < _TIE * jnp.sum(jnp.abs(w)), 0.0, jnp.sign(field))


@jax.custom_jvp
def _undifferentiated(field: Array) -> Array:
    """The same values; an error where a derivative is asked for."""
    return field


@_undifferentiated.defjvp
def _refuse(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    raise UserError(
        "A sampled drift cannot be differentiated, because each sample opens the gate or not; use method='closed', 'exact' or "
        "'closure' where they apply, or finite differences of the values."
    )
