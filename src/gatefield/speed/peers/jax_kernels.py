"""Tangent kernels in plain JAX: the layer-by-layer formula jitted, and per-sample gradients contracted."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from gatefield.speed.peers.gated_network import GatedNetwork, layerwise, output


def jacobian(weights: Any, gates: Any, x: Any) -> Any:
    """Per-sample gradients, contracted."""

    def one(w: Any, g: Any, sample: Any) -> Any:
        return output(w, [gate[None] for gate in g], sample[None])[0, 0]

    rows = jax.vmap(jax.grad(one), (None, 0, 0))(weights, gates, x)
    return sum(r.reshape(len(x), -1) @ r.reshape(len(x), -1).T for r in rows)


def by_layers(net: GatedNetwork) -> Callable[[], jax.Array]:
    """The plain formula, all in one jitted function."""
    return _jitted(layerwise, net)


def by_jacobian(net: GatedNetwork) -> Callable[[], jax.Array]:
    """The Jacobian, formed and contracted in one jitted function."""
    return _jitted(jacobian, net)


def _jitted(function: Callable[..., Any], net: GatedNetwork) -> Callable[[], jax.Array]:
    jitted = jax.jit(function)
    with jax.enable_x64(True):
        arrays = jax.tree.map(jnp.asarray, tuple(net))

    def go() -> jax.Array:
        with jax.enable_x64(True):
            return jax.block_until_ready(jitted(*arrays))

    return go
