"""The drift of one class for many fields at once: in closed form where data are Gaussian, else on one fixed sample."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core.precision import real
from gatefield.data import NonlinearGP
from gatefield.gates.half_space import TIE

GAUSSIAN = 0.05
"""Up to this gain data count as Gaussian with their own covariance: at gain 0.01 their excess kurtosis is below 0.001."""


class Law(eqx.Module):
    """One class, symmetric about 0: its covariance and, unless it counts as Gaussian, a sample of it."""

    cov: Float[Any, "n n"]
    x: Float[Any, "samples n"] | None

    def drift(self, w: Float[Array, "batch n"]) -> Float[Array, "batch n"]:
        r"""$f(w) = E[1(\langle w,x\rangle>0)\,x]$ for each field, with one half at ties.

        A sample stands for itself and its mirror image, so that $f = \tfrac12 E[x \operatorname{sign}\langle w,x\rangle]$. On
        the sample f is the gradient of a convex function, as it is for the law itself.
        """
        if self.x is None:
            image = w @ real(self.cov)
            return image / jnp.sqrt(2 * jnp.pi * jnp.sum(image * w, axis=-1, keepdims=True))
        signs = gate_signs(self.x, w)
        return (jnp.matmul(signs.T, self.x, precision="highest") / (2 * len(self.x))).astype(w.dtype)


def gate_signs(x: Float[Array, "samples n"], w: Float[Array, "batch n"]) -> Float[Array, "samples batch"]:
    """The sign of <w, x> in the precision of x, 0 where it is 0 up to rounding."""
    w = w.astype(x.dtype)
    h = jnp.matmul(x, w.T, precision="highest")
    return jnp.where(jnp.abs(h) < TIE * jnp.sum(jnp.abs(w), axis=-1), 0.0, jnp.sign(h))


def law(source: NonlinearGP, key: PRNGKeyArray, samples: int) -> Law:
    """The law of a source of one run, with a sample of the given size unless it counts as Gaussian."""
    cov = np.asarray(source.covariance(), float)
    gaussian = float(source.gain) <= GAUSSIAN
    return Law(cov, None if gaussian else _draw(source, key, samples))


@eqx.filter_jit
def _draw(source: NonlinearGP, key: PRNGKeyArray, samples: int) -> Float[Array, "samples n"]:
    """In blocks, so that each number of samples begins with the same ones."""
    draw, block = source.sampler(), 4096
    count = -(-samples // block)
    x = jax.lax.map(lambda i: draw(jax.random.fold_in(key, i), block), jnp.arange(count))
    return x.reshape(count * block, -1)[:samples]
