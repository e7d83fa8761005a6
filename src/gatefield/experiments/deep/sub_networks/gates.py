"""What is read off one soft-GaLU network: which of its gates are active or sensitive, and what K^a owes to them."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from gatefield.experiments.deep.networks import Arrays, own_gates
from gatefield.kernels import gate_ntk_through, gate_parts, gate_path_sensitivity, gate_sensitivity, strength_and_gate_ntk
from gatefield.measures import (
    active_gates,
    carrying_share,
    ipr,
    path_shares,
    sensitive_gates,
    sensitivity_threshold,
    subnetwork_sizes,
)

READINGS = ("safe", "between", "between, any rest")
"""Which paths count: a gate above the safe tau_S moves, the rest are active; a gate between shut and active moves, the rest are
active; or the rest are any."""
PATHS = ("all", "active", "sensitive", "own", "others")
"""Of `sensitive` paths one gate is between shut and active, and the rest are active; `own` is the term of that gate in
equation 6 on them, `others` the sum of the terms of the active ones."""
MOST = 0.9
"""The part of a sum that counts as most of it."""
RANKED = np.linspace(0, 1, 51)
"""Shares of gates at which the carried part is recorded."""


class Gates:
    """A network at one time, on some samples."""

    def __init__(self, weights: Arrays, gating: Arrays, x: np.ndarray, soft: tuple[float, float]) -> None:
        self.weights, self.gating, self.x, self.soft = weights, gating, x, soft
        self.gates = own_gates([*gating, weights[-1]], x, soft)
        self.slopes = [soft[0] * gate * (1 - gate / (1 + soft[1])) for gate in self.gates]

    @cached_property
    def sensitivity(self) -> Any:
        return gate_sensitivity(self.gating, self.x, *self.soft)

    @cached_property
    def kernels(self) -> tuple[np.ndarray, np.ndarray]:
        """K^w and K^a."""
        strength, gate = strength_and_gate_ntk(self.weights, self.gating, self.x, *self.soft)
        return np.asarray(strength), np.asarray(gate)

    @property
    def kernel(self) -> np.ndarray:
        """K^a."""
        return self.kernels[1]

    def active(self, tau: float) -> Arrays:
        return [np.asarray(mask) for mask in active_gates(self.gates, tau)]

    def between(self, tau: float) -> Arrays:
        """Gates steeper than one at tau: neither above it nor as near to zero."""
        return [(gate <= tau) & (gate >= 1 + self.soft[1] - tau) for gate in self.gates]

    def sensitive(self, tau: float, factor: float = 1.0) -> Arrays:
        """Gates whose steepest derivative is above so many times the least threshold that keeps them apart from active ones."""
        bound = max(float(sums.max()) for sums in self.sensitivity.sums)
        least = factor * sensitivity_threshold(tau, *self.soft, bound)
        return [np.asarray(mask) for mask in sensitive_gates(self.sensitivity.gates, least)]

    def part(self, moving: Arrays, kept: Arrays | None, y: np.ndarray) -> list[float]:
        """Of the trace of K^a, and of y'K^a y, what these paths alone have."""
        through = np.asarray(gate_ntk_through(self.weights, self.gating, self.x, moving, kept, *self.soft))
        return [float(np.trace(through) / np.trace(self.kernel)), float(y @ through @ y / (y @ self.kernel @ y))]


def shares(net: Gates, taus: Sequence[float], factors: Sequence[float], y: np.ndarray) -> dict[str, np.ndarray]:
    """By threshold: shares of gates, of paths and of K^a."""
    each = [_at_threshold(net, tau, factors, y) for tau in taus]
    return {name: np.stack([one[name] for one in each]) for name in each[0]}


def _at_threshold(net: Gates, tau: float, factors: Sequence[float], y: np.ndarray) -> dict[str, np.ndarray]:
    on, middle, safe = net.active(tau), net.between(tau), net.sensitive(tau)
    loose = [net.sensitive(tau, factor) for factor in factors]
    both = [[a & s for a, s in zip(on, masks, strict=True)] for masks in loose]
    parts = np.array([net.part(safe, on, y), net.part(middle, on, y), net.part(middle, None, y)])
    every = np.prod([float(gate.shape[1]) for gate in net.gates])
    paths = np.array([*subnetwork_sizes(on, safe), subnetwork_sizes(on, middle)[1]])
    return {
        "active": _by_layer(on),
        "between": _by_layer(middle),
        "sensitive": _by_layer(safe),
        "path_share": paths.mean(1) / every,
        "empty": np.mean(paths[1:] == 0, axis=1),
        "trace_part": parts[:, 0],
        "label_part": parts[:, 1],
        "loose_sensitive": np.array([_by_layer(masks).mean() for masks in loose]),
        "loose_both": np.array([_by_layer(masks).mean() for masks in both]),
        "loose_part": np.array([net.part(masks, on, y)[0] for masks in loose]),
        "loose_sensitive_layer": np.array([_by_layer(masks) for masks in loose]),
        "loose_both_layer": np.array([_by_layer(masks) for masks in both]),
        **_paths(on, [safe, middle], loose),
    }


def _paths(on: Arrays, by: Sequence[Arrays], loose: Sequence[Arrays]) -> dict[str, np.ndarray]:
    """Shares of all paths: through a sensitive gate of each layer, or of any, by two readings; and at lowered thresholds."""
    found, low = ([path_shares(on, masks) for masks in each] for each in (by, loose))
    return {
        "path_layer": np.array([np.mean(one.layers, 0) for one in found]),
        "path_through": np.array([np.mean(one.through) for one in found]),
        "loose_path": np.array([np.mean(one.sensitive) for one in low]),
        "loose_path_both": np.array([np.mean(one.both) for one in low]),
        "loose_path_through": np.array([np.mean(one.through) for one in low]),
    }


def carried(net: Gates, y: np.ndarray) -> dict[str, Any]:
    """How the trace of K^a is spread over gates, ranked by their slopes: no threshold is needed."""
    parts = [np.asarray(part) for part in gate_parts(net.weights, net.gating, net.x, *net.soft)]
    by_label = gate_parts(net.weights, net.gating, net.x, *net.soft, along=y)
    flat, slopes = _flat(parts), _flat(net.slopes)
    reached = np.concatenate([[0.0], np.cumsum(flat[np.argsort(-slopes)])]) / flat.sum()
    return {
        "carried": reached[np.round(RANKED * len(flat)).astype(int)],
        "needed": float(carrying_share(parts, net.slopes, MOST)),
        "needed_label": float(carrying_share(by_label, net.slopes, MOST)),
        "needed_least": float(carrying_share(parts, share=MOST)),
        "effective": 1 / (len(flat) * float(ipr(np.sqrt(np.abs(flat))))),
        "gate_part": np.trace(net.kernel) / sum(np.trace(kernel) for kernel in net.kernels),
        "off": abs(flat.sum() / np.trace(net.kernel) - 1),
    }


def path_slopes(net: Gates, tau: float) -> np.ndarray:
    """Root mean square over paths of the length of equation 6 for each of `PATHS`, or of a part of it; NaN for no path."""
    on, middle = net.active(tau), net.between(tau)
    every, one_between = [[np.ones_like(mask) for mask in on]], [[*on[:at], middle[at], *on[at + 1 :]] for at in range(len(on))]
    own = [[np.full_like(mask, layer == at) for layer, mask in enumerate(on)] for at in range(len(on))]
    others = [[~mask for mask in masks] for masks in own]
    whole = [_rms(net, sets) for sets in (every, [on], one_between)]
    return np.array([*whole, _rms(net, one_between, own), _rms(net, one_between, others)])


def _rms(net: Gates, sets: Sequence[Arrays], moving: Sequence[Arrays | None] | None = None) -> float:
    """Over the paths through each of some sets of gates, which have no path in common; of each only some gates may move."""
    pairs = zip(sets, moving or [None] * len(sets), strict=True)
    total = sum(np.trace(gate_path_sensitivity(net.gating, net.x, *net.soft, kept=k, moving=m)) for k, m in pairs)
    count = sum(float(np.prod([mask.sum(1) for mask in kept], axis=0).sum()) for kept in sets)
    return float(np.sqrt(total / count)) if count else np.nan


def _by_layer(masks: Arrays) -> np.ndarray:
    return np.array([mask.mean() for mask in masks])


def _flat(arrays: Sequence[Any]) -> np.ndarray:
    return np.concatenate([np.asarray(array).ravel() for array in arrays])
