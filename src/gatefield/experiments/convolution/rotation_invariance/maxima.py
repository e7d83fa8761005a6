"""Maxima over positions in `rotation-invariance`, where the moments have means: exact, and over sampled networks."""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import numpy as np
import xarray as xr

from gatefield.experiments.convolution.rotation_invariance.moments import (
    SIDE_BY_SIDE,
    gates_of,
    network,
    pair,
    sigmas,
    turned,
)
from gatefield.experiments.convolution.rotation_invariance.ring import DRAWS, RingSettings
from gatefield.kernels import conv_gap_moment
from gatefield.nets import ConvGated

POOLINGS = {
    "chosen": "maximum of the gating network",
    "own": "maximum of the outputs",
    "blocks": "maxima of blocks of two, mean",
}
"""What leaves each channel: the output where the gating network has its largest sum; the largest output; the mean of the larger
ones of positions 0 and 1, of 2 and 3, ..."""


def maxima(p: RingSettings) -> xr.Dataset:
    """E<y,y'> with maxima in the place of the mean, for gates that rotate with x', and how much a rotation changes y'."""
    x, gating = turned(pair(p)), network(p, jax.random.key(p.seed), gating="galu")
    chosen, gates = _chosen(gating, x), gates_of(gating, x)
    last = p.positions * chosen * gates[-1]  # so that the mean over positions is the output at the chosen one
    exact = conv_gap_moment([*gates[:-1], last], x, sigmas(p), p.kernel_size)[0, 1:]
    keys = jax.random.split(jax.random.fold_in(jax.random.key(p.seed), DRAWS), p.draws)
    found = _over_draws(network(p, keys, gates_from=gating), x, chosen)
    mean, error = found.products.mean(0), found.products.std(0) / np.sqrt(p.draws)
    each = ("pooling", "rotation")
    return xr.Dataset(
        {
            "max_exact": ("rotation", exact, {"long_name": "E<y,y'>, positions chosen by the gating network"}),
            "max_found": (each, mean, {"long_name": "E<y,y'> over sampled networks"}),
            "max_error": (each, error, {"long_name": "its standard error"}),
            "max_change": (each, found.change.max(0), {"long_name": "largest relative change of an output"}),
        },
        {"pooling": list(POOLINGS), "rotation": np.arange(p.positions)},
    )


def _chosen(gating: ConvGated, x: np.ndarray) -> np.ndarray:
    """1 at the position of each channel's largest sum in the gating network, else 0: (samples, positions, channels)."""
    sums = np.asarray(gating.preactivations(jax.numpy.asarray(x, float))[-1], np.float64)
    return (np.arange(sums.shape[1])[:, None] == sums.argmax(1)[:, None]).astype(float)


class Drawn(NamedTuple):
    """Of each network, (poolings, rotations): <y,y'>, and how far y' is from that of rotation 0, over the largest y'."""

    products: np.ndarray
    change: np.ndarray


def _over_draws(net: ConvGated, x: np.ndarray, chosen: np.ndarray) -> Drawn:
    with jax.default_matmul_precision("float32"):
        found = _products(net, jax.numpy.asarray(x, float), jax.numpy.asarray(chosen, float))
    return Drawn(*(np.asarray(one, np.float64) for one in found))


@eqx.filter_jit
def _products(net: ConvGated, x: Any, chosen: Any) -> Any:
    positions = x.shape[1]

    def one(weights: Any) -> Any:
        z = eqx.tree_at(lambda n: n.weights, net, weights)(x).reshape(len(x), positions, -1)
        y = jax.numpy.stack([(z * chosen).sum(1), z.max(1), blocks(z).mean(1)])
        change, size = (jax.numpy.sqrt((v**2).sum(2)) for v in (y[:, 1:] - y[:, 1:2], y[:, 1:]))
        largest = jax.numpy.maximum(size.max(1, keepdims=True), 1e-30)
        return jax.numpy.einsum("prc,pc->pr", y[:, 1:], y[:, 0]), change / largest

    return jax.lax.map(one, net.weights, batch_size=SIDE_BY_SIDE)


def blocks(z: Any) -> Any:
    """The largest of each two neighbouring positions, as `ConvGated(pool="max")` has it; a last odd one is left out."""
    whole = z[:, : z.shape[1] // 2 * 2]
    return whole.reshape(len(z), -1, 2, z.shape[-1]).max(2)
