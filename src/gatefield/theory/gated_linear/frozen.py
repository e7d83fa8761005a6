"""Gated linear networks behind the gates of many ReLU committees at once: their limits and losses."""

from collections.abc import Sequence
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float, Real

from gatefield.core.arrays import Exact
from gatefield.core.precision import exact, real
from gatefield.theory.gated_linear.mixture import Mixture
from gatefield.theory.gated_linear.path import limit

Sets = Float[Exact, "sets K n"]
SetsLike = Real[ArrayLike, "sets K n"] | Sequence


class FrozenLimits(NamedTuple):
    """Where gated linear networks end."""

    limit: Sets
    """From zero weights."""
    limit_from_start: Sets
    """From the given weights; the same unless gates are redundant."""


@exact
def frozen_limits(data: Mixture, V: SetsLike, w0: SetsLike) -> FrozenLimits:
    r"""Where linear units end behind the gates $1(\langle v_k,x\rangle>0)$, frozen: $w(\infty) = K A^+ b + (I - A A^+)\,w(0)$.

    A and b are exact for Gaussian classes. On a sample both come from that sample, each input with both signs; but for a single
    gate A is known without sampling: it is half of the covariance, whatever the law and the gate.

    **Arguments**

    - `data`: both classes, a `Mixture`.
    - `V`: directions of the gates (sets, K, n), such as the fields of ReLU committees.
    - `w0`: initial weights (sets, K, n).

    **Returns** `FrozenLimits`: `limit` from zero weights and `limit_from_start` from `w0`, each (sets, K, n); float64 NumPy
    unless traced.

    >>> import numpy as np
    >>> from gatefield.theory.classes import GaussianClass
    >>> both = Mixture(GaussianClass(np.eye(2)), GaussianClass(np.eye(2)))
    >>> frozen_limits(both, [[[3.0, 0.0]]], [[[0.0, 0.0]]]).limit.round(4).tolist()
    [[[0.3989, 0.0]]]

    **Source:** note 000, after equation 11, corrected by the factor K and for singular A.
    """
    return _limits(data, real(V), real(w0))


@exact
def frozen_losses(data: Mixture, V: SetsLike, w: SetsLike) -> Float[Exact, " sets"]:
    """The loss of gated linear networks with weights `w` behind the gates of `V`; with V = w that of the ReLU committees.

    **Arguments**

    - `data`: both classes, a `Mixture`.
    - `V`: directions of the gates (sets, K, n).
    - `w`: weights (sets, K, n).

    **Returns** half of the mean squared error of each set; float64 NumPy unless traced.

    >>> import numpy as np
    >>> from gatefield.theory.classes import GaussianClass
    >>> both = Mixture(GaussianClass(np.eye(2)), GaussianClass(np.eye(2)))
    >>> frozen_losses(both, [[[1.0, 0.0]]], [[[0.0, 0.0]]]).tolist()
    [0.25]

    **Source:** note 000, equations 13 to 15, with the factor one half.
    """
    return _losses(data, real(V), real(w))


@eqx.filter_jit
def _limits(data: Mixture, V: Array, w0: Array) -> FrozenLimits:
    def one(args: tuple[Array, Array]) -> tuple[Array, Array]:
        gates, start = args
        A, b = (data.covariance() / 2, data.pull(gates)) if len(gates) == 1 else data.moments(gates)
        ends = jax.vmap(lambda w: limit(A, b, w, len(gates)))(jnp.stack([0 * start.ravel(), start.ravel()]))
        return ends[0].reshape(start.shape), ends[1].reshape(start.shape)

    return FrozenLimits(*jax.lax.map(one, (V, w0)))


@eqx.filter_jit
def _losses(data: Mixture, V: Array, w: Array) -> Array:
    return jax.lax.map(lambda pair: data.loss(*pair), (V, w))
