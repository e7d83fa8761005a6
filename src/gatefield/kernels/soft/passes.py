"""One pass through a network with soft gates G = (1 + eps) sigmoid(beta q), and how its sums answer to sums below."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from scipy.special import expit

from gatefield.core import checks
from gatefield.core.checks import given
from gatefield.core.errors import UserError
from gatefield.kernels.arrays import check_layers, numbers
from gatefield.kernels.passes import dense, gated_pass


class Pass(NamedTuple):
    """Arrays (samples, width), one for each gated layer; `entering` begins with the inputs."""

    entering: list[Any]
    sums: list[Any]
    gates: list[Any]
    slopes: list[Any]
    """dG/dq."""


@given(q=numbers, beta=checks.number, eps=checks.number)
def soft_gate(q: Any, beta: Any, eps: Any) -> tuple[Any, Any]:
    r"""The soft gate and its slope.

    $$G=(1+\epsilon)\,\mathrm{sigmoid}(\beta q),\qquad G'=\beta G\,(1-G/(1+\epsilon))$$

    **Arguments**

    - `q`: sums, an array.
    - `beta`, `eps`: steepness, and how far gates reach above 1.

    **Returns** G and G', both of the shape of q.

    >>> gate, slope = soft_gate(np.array([0.0]), 4.0, 0.1)
    >>> gate.round(4), slope.round(4)
    (array([0.55]), array([1.1]))

    **Source:** paper 004, table 2.
    """
    q = q if hasattr(q, "dtype") else np.asarray(q, float)
    sigmoid = jax.nn.sigmoid if any(isinstance(value, jax.Array) for value in (q, beta, eps)) else expit
    return (1 + eps) * sigmoid(beta * q), (1 + eps) * beta * sigmoid(beta * q) * sigmoid(-beta * q)


def gating_pass(weights: list[Any], x: Any, beta: Any, eps: Any, biases: list[Any] | None = None) -> Pass:
    """The gating network up to its last gates."""
    slopes: list[Any] = []

    def gate(at: int, q: Any) -> Any:
        opened, slope = soft_gate(q, beta, eps)
        slopes.append(slope)
        return opened

    passed = list(gated_pass(dense(weights, biases), x, gate))
    sums, gates, leaving = (list(part) for part in zip(*passed, strict=True))
    return Pass([x, *leaving], sums, gates, slopes)


def answers(layers: list[Any], one: Pass, top: int) -> Iterator[tuple[int, Any]]:
    """For k = top down to 0, the derivatives (samples, width of top, width of k) of the sums of layer `top` by those of k."""
    width = one.sums[top].shape[1]
    xp = jnp if isinstance(one.sums[top], jax.Array) else np
    back = xp.broadcast_to(xp.eye(width, dtype=one.sums[top].dtype), (len(one.sums[top]), width, width))
    yield top, back
    for k in range(top - 1, -1, -1):
        back = (back @ layers[k + 1].T) * (one.gates[k] + one.sums[k] * one.slopes[k])[:, None, :]
        yield k, back


def check_soft(beta: Any, eps: Any) -> tuple[Any, Any]:
    """A finite beta > 0 and eps >= 0."""
    rule = "positive and finite, because hard gates have no slope (K^a is then 0, and K^w is ntk of the hard gates)"
    beta = checks.real("beta", beta, rule, lambda b: (b > 0) & np.isfinite(b))
    checks.number("beta", beta)
    checks.number("eps", eps)
    return beta, checks.real("eps", eps, "zero or more and finite", lambda e: (e >= 0) & np.isfinite(e))


def check_masks(name: str, masks: Any, gates: list[Any]) -> None:
    """Masks of the shapes of the gates, one for each layer of them."""
    shapes, wanted = [np.shape(mask) for mask in masks], [gate.shape for gate in gates]
    if shapes != wanted:
        raise UserError(f"{name} must have the shapes {wanted} of the gates, not {shapes}; give one mask for each layer.")


def check_gating(gating_weights: list[Any], x: Any) -> list[Any]:
    """The layers of a gating network that make gates; a last layer (width,) or (width, 1), which makes none, is left out."""
    if not gating_weights or any(not layer.ndim for layer in gating_weights):
        shapes = [layer.shape for layer in gating_weights]
        raise UserError(
            f"gating_weights must be arrays (fan-in, width), but have the shapes {shapes}; give one for each layer."
        )
    last = gating_weights[-1]
    layers = gating_weights[:-1] if len(gating_weights) > 1 and (last.ndim == 1 or last.shape[1] == 1) else gating_weights
    return check_layers("gating_weights", [*layers, np.zeros((layers[-1].shape[-1], 1))], x)[:-1]
