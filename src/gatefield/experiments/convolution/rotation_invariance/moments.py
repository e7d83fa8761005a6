"""The moments of `rotation-invariance`: exact, and over sampled networks."""

from typing import Any, NamedTuple

import equinox as eqx
import jax
import numpy as np
import xarray as xr

from gatefield.experiments.convolution.rotation_invariance.ring import DRAWS, PAIR, RingSettings, ramps
from gatefield.kernels import conv_gap_moment, conv_moment, rotation_terms
from gatefield.nets import ConvGated

CASES = ("rotating", "kept", "unpooled")
"""Pooled with gates that rotate with the input, pooled with gates kept in place, not pooled with gates that rotate."""
SIDE_BY_SIDE = 500
"""Networks evaluated at once."""


def moments(p: RingSettings) -> xr.Dataset:
    """E<y,y'> of a rising ramp x and a falling one x', rotated by each number of positions, over random weights."""
    base = pair(p)
    x = turned(base)
    gating = network(p, jax.random.key(p.seed), gating="galu")
    gates = gates_of(gating, x)
    kept = [np.concatenate([gate[:1], np.repeat(gate[1:2], p.positions, 0)]) for gate in gates]
    weights = (sigmas(p), p.kernel_size)
    turns = np.array([0, p.positions // 3])
    exact = [
        conv_gap_moment(gates, x, *weights)[0, 1:],
        conv_gap_moment(kept, x, *weights)[0, 1:],
        conv_moment(gates, x, *weights)[0, 1:] / p.positions**2,
    ]
    terms = [rotation_terms([g[[0, 1 + turn]] for g in gates], x[[0, 1 + turn]], *weights)[:, 0, 1] for turn in turns]
    keys = jax.random.split(jax.random.fold_in(jax.random.key(p.seed), DRAWS), p.draws)
    rotating = _over_draws(network(p, keys, gates_from=gating), x)
    frozen = _over_draws(network(p, keys, gating="free", free_gates=kept), x)
    found = [rotating.pooled, frozen.pooled, rotating.whole]
    return xr.Dataset(
        {
            "exact": (("case", "rotation"), np.array(exact)),
            "found": (("case", "rotation"), np.array([one.mean(0) for one in found])),
            "error": (("case", "rotation"), np.array([one.std(0) / np.sqrt(p.draws) for one in found])),
            "change": ("gates", [rotating.change.max(), frozen.change.max()], {"long_name": "largest change of an output"}),
            "terms": (("turn", "rotation"), np.array(terms)),
        },
        {"case": list(CASES), "rotation": np.arange(p.positions), "turn": turns, "gates": ["rotating", "kept"]},
        {"draws": p.draws},
    )


def turned(base: np.ndarray) -> np.ndarray:
    """The first input, and all rotations of the second: x'(i + r) for r = 0, 1, ..."""
    return np.stack([base[0], *(np.roll(base[1], -r) for r in range(base.shape[1]))])


def pair(p: RingSettings) -> np.ndarray:
    """A rising ramp and a falling one."""
    x, y = ramps(np.random.default_rng([p.seed, PAIR]), 2, p)
    return x[np.argsort(-y)]


def network(p: RingSettings, key: Any, **gates: Any) -> ConvGated:
    """Convolutions alone: the mean over positions is taken afterwards."""
    channels = [p.channels] * p.layers
    return ConvGated((p.positions, 1), channels, kernel_size=p.kernel_size, padding="circular", key=key, **gates)


def sigmas(p: RingSettings) -> np.ndarray:
    """Standard deviations of the weights of each layer."""
    return np.sqrt(2 / (p.kernel_size * np.array([1, *[p.channels] * (p.layers - 1)])))


def gates_of(net: ConvGated, x: np.ndarray) -> list[np.ndarray]:
    """The gates of each layer, in float64."""
    found = eqx.filter_jit(lambda net, x: net.gates(x))(net, jax.numpy.asarray(x, float))
    return [np.asarray(gate, np.float64) for gate in found]


class Drawn(NamedTuple):
    """Of each network: <y,y'> for each rotation with the mean over positions, without it over n^2, and how much, at most, a
    rotation changes y', relative to it."""

    pooled: np.ndarray
    whole: np.ndarray
    change: np.ndarray


def _over_draws(net: ConvGated, x: np.ndarray) -> Drawn:
    with jax.default_matmul_precision("float32"):
        return Drawn(*(np.asarray(one, np.float64) for one in _products(net, jax.numpy.asarray(x, float))))


@eqx.filter_jit
def _products(net: ConvGated, x: Any) -> Any:
    positions = x.shape[1]

    def one(weights: Any) -> Any:
        z = eqx.tree_at(lambda n: n.weights, net, weights)(x).reshape(len(x), positions, -1)
        y = z.mean(1)
        change, size = (jax.numpy.sqrt((v**2).sum(1).max()) for v in (y[1:] - y[1], y[1:]))
        whole = jax.numpy.einsum("ric,ic->r", z[1:], z[0]) / positions**2
        return y[1:] @ y[0], whole, change / jax.numpy.maximum(size, 1e-30)

    return jax.lax.map(one, net.weights, batch_size=SIDE_BY_SIDE)
