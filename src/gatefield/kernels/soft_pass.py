"""One pass through a network with soft gates G = (1 + eps) sigmoid(beta q), and how its sums answer to sums below."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from scipy.special import expit

from gatefield.core import checks
from gatefield.kernels.arrays import check_layers


class Pass(NamedTuple):
    """Arrays (samples, width), one for each gated layer; `entering` begins with the inputs."""

    entering: list[Any]
    sums: list[Any]
    gates: list[Any]
    slopes: list[Any]
    """dG/dq."""


def soft_gate(q: Any, beta: Any, eps: Any) -> tuple[Any, Any]:
    r"""The gate $G=(1+\epsilon)\,\mathrm{sigmoid}(\beta q)$ and its slope $\beta G(1-G/(1+\epsilon))$.

    >>> gate, slope = soft_gate(np.array([0.0]), 4.0, 0.1)
    >>> gate.round(4), slope.round(4)
    (array([0.55]), array([1.1]))

    **Source:** paper 004, table 2.
    """
    sigmoid = jax.nn.sigmoid if isinstance(q, jax.Array) else expit
    return (1 + eps) * sigmoid(beta * q), (1 + eps) * beta * sigmoid(beta * q) * sigmoid(-beta * q)


def gating_pass(layers: list[Any], x: Any, beta: Any, eps: Any) -> Pass:
    """The gating network up to its last gates."""
    found = Pass([x], [], [], [])
    for w in layers:
        q = found.entering[-1] @ w
        gate, slope = soft_gate(q, beta, eps)
        for items, item in zip(found, (q * gate, q, gate, slope), strict=True):
            items.append(item)
    return found


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
    return beta, checks.real("eps", eps, "zero or more and finite", lambda e: (e >= 0) & np.isfinite(e))


def check_gating(params: list[Any], x: Any) -> list[Any]:
    """The layers of a gating network that make gates; a last layer (width,) or (width, 1), which makes none, is left out."""
    layers = params[:-1] if len(params) > 1 and (params[-1].ndim == 1 or params[-1].shape[1] == 1) else params
    return check_layers("params_g", [*layers, np.zeros((layers[-1].shape[-1], 1))], x)[:-1]
