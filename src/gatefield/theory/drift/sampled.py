"""Drifts by sampling, with the linear part of the gate as control variate."""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core.errors import UserError
from gatefield.core.precision import real, scaled
from gatefield.core.ties import inner_sign
from gatefield.data import Source

Fields = Float[Array, "*fields n"]

STANDARD_ERRORS = 4.0
"""How many standard errors a right value may lie away from a sampled one; it lies further with a chance of 1 in 16,000."""

_BLOCK = 4096
"""Samples drawn at a time: enough to keep all cores busy, few enough that the gates of a thousand fields take 32 MB."""


def sampled_drift(source: Source, w: Fields, key: PRNGKeyArray, samples: int) -> tuple[Fields, Fields]:
    r"""The drift of one run and its standard error for each field, all from the same samples, drawn in whole blocks.

    $f = \tfrac12 E x + \tfrac12 E[x \operatorname{sign}\langle w,x\rangle]$ with the mean known, and the sign 0 at ties. From
    the second term, $\beta (x-\mu)\langle w,x-\mu\rangle$ less its known mean $\beta C w$ is taken off, with $\beta$ by
    regression at each site. The error is estimated from the spread of the sample, so that it cannot be relied on where the
    source has no fourth moment. The sign is a step, whose derivative over a sample is 0 and not that of the mean: to
    differentiate is an error.
    """
    fields = scaled(w.reshape(-1, w.shape[-1]))
    known = jnp.matmul(fields, real(source.covariance()), precision="highest")
    value, error = _regress(source, real(source.mean()), known, fields, key, -(-samples // _BLOCK))
    return value.reshape(w.shape), error.reshape(w.shape)


@eqx.filter_jit
def _regress(
    source: Source, mean: Float[Array, " n"], known: Fields, w: Fields, key: PRNGKeyArray, blocks: int
) -> tuple[Fields, Fields]:
    """Moments of signed and linear terms over all blocks, and the regression of one on the other."""
    draw, add = source.sampler(), functools.partial(jnp.matmul, precision="highest")

    def moments(total: Float[Array, "5 fields n"], block: Array) -> tuple[Float[Array, "5 fields n"], None]:
        x = draw(jax.random.fold_in(key, block), _BLOCK)
        sign, y = _half_signs(x, w).T, x - mean
        h = add(w, y.T)
        terms = add(sign, x), add(h, y), add(sign**2, x**2), add(h**2, y**2), add(sign * h, x * y)
        return total + jnp.stack(terms) / _BLOCK, None

    zero = jnp.zeros((5, *w.shape), w.dtype)
    signed, linear, square, linear_square, product = jax.lax.scan(moments, zero, jnp.arange(blocks))[0] / blocks
    spread, joint, linear_spread = square - signed**2, product - signed * linear, linear_square - linear**2
    beta = jnp.where(linear_spread > 0, joint / jnp.where(linear_spread > 0, linear_spread, 1.0), 0.0)
    error = jnp.sqrt(jnp.maximum(spread - beta * joint, 0.0) / (blocks * _BLOCK))
    return mean / 2 + signed - beta * (linear - known), error


def _half_signs(x: Float[Array, "size n"], w: Float[Array, "fields n"]) -> Float[Array, "size fields"]:
    """Half of the sign of <w, x>, 0 at ties: rounding must not decide them, or it would break the symmetries of the source."""
    h = undifferentiated(jnp.matmul(x, w.T, precision="highest"))
    return inner_sign(h, x[:, None], w) / 2


@jax.custom_jvp
def undifferentiated(h: Array) -> Array:
    """The same values; an error where a derivative is asked for."""
    return h


@undifferentiated.defjvp
def _refuse(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    raise UserError(
        "A sampled drift cannot be differentiated, because each sample opens the gate or not; use method='closed', 'exact' or "
        "'closure' where they apply, or theory.drift_jacobian."
    )
