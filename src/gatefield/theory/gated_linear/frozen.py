"""Gated linear networks behind the gates of many ReLU committees at once: their limits and losses."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, Real

from gatefield.core.arrays import Exact
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.core.text.quoted import quoted
from gatefield.theory.gated_linear.mixture import Mixture
from gatefield.theory.gated_linear.path import limit
from gatefield.theory.inputs import check_sites, sets

Sets = Float[Exact, "sets K n"]
SetsLike = Real[ArrayLike, "sets K n"] | Sequence


def a_mixture(name: str, data: Any) -> None:
    if not isinstance(data, Mixture):
        raise UserError(f"{name} must be both classes in a Mixture, but is {quoted(data)}; write mixture(task).")


def _check(data: Mixture, V: Any, w: Any, name: str) -> None:
    """As many weights as directions of gates, and as many sites as the data have."""
    check_sites(V, data.classes[0].covariance())
    if np.shape(V) != np.shape(w):
        raise UserError(f"V and {name} must have one shape, but have {np.shape(V)} and {np.shape(w)}; give one for each gate.")


class FrozenLimits(NamedTuple):
    """Where gated linear networks end."""

    limit: Sets
    """From zero weights."""
    limit_from_start: Sets
    """From the given weights; the same unless gates are redundant."""


@given(data=a_mixture, V=sets, w0=sets)
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
    _check(data, V, w0, "w0")
    return _limits(data, real(V), real(w0))


@given(data=a_mixture, V=sets, w=sets)
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
    _check(data, V, w, "w")
    return _losses(data, real(V), real(w))


@eqx.filter_jit
def _limits(data: Mixture, V: Array, w0: Array) -> FrozenLimits:
    def one(args: tuple[Array, Array]) -> tuple[Array, Array]:
        gates, start = args
        A, b = data.hard_moments(gates)
        ends = jax.vmap(lambda w: limit(A, b, w, len(gates)))(jnp.stack([0 * start.ravel(), start.ravel()]))
        return ends[0].reshape(start.shape), ends[1].reshape(start.shape)

    return FrozenLimits(*jax.lax.map(one, (V, w0)))


@eqx.filter_jit
def _losses(data: Mixture, V: Array, w: Array) -> Array:
    return jax.lax.map(lambda pair: data.loss(*pair), (V, w))
