"""The tangent kernel of a gated network, against formulas and Jacobians."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from gatefield.core.machine import memory
from gatefield.kernels import ntk
from gatefield.speed.contest import Contest, Contestant, Missing
from gatefield.speed.peers import jax_kernels, present
from gatefield.speed.peers.gated_network import GatedNetwork, Size, layerwise, network
from gatefield.speed.peers.nngeometry_gram import by_nngeometry
from gatefield.speed.peers.structured import IN_A_ROW, PYTHON, Structured
from gatefield.speed.peers.torch_func import by_torch_func

SIZES = [
    Size(6, 100, 200, 784),
    Size(6, 500, 200, 784),
    Size(20, 500, 200, 1),
    Size(6, 100, 2000, 784),
    Size(6, 500, 2000, 784),
]
JACOBIAN = 4e9
"""Bytes: a Jacobian that alone would be larger is not tried, nor one that with a copy would not fit into memory."""


def entries(quick: bool) -> Iterator[Contest]:
    structured = Structured()
    try:
        for size in SIZES[:1] if quick else SIZES:
            for kind in ("float32", "float64"):
                yield contest(size, kind, structured)
    finally:
        structured.close()


def contest(size: Size, kind: str, structured: Structured | None = None) -> Contest:
    """`ntk` and peers on the same network; errors are those of the whole matrix, against the plain formula in float64."""
    net = network(*size, np.dtype(kind))
    right = layerwise(*_double(net))

    def error(found: Any) -> float:
        """Of the whole matrix, or of its first row where only that came back."""
        there = right if np.ndim(found) == 2 else right[0]
        return float(np.abs(np.asarray(found) - there).max() / np.abs(right).max())

    ours = Contestant("ntk", lambda: ntk(net.weights, net.gates, net.x))
    name = f"d={size.depth}, w={size.width}, n={size.samples:,}, {size.inputs} inputs, {kind}"
    peers = [Contestant("layer by layer, jitted", jax_kernels.by_layers(net)), *_jacobians(size, net), _gram(net)]
    return Contest(name, "kernel", ours, [*peers, _structured(size, kind, structured)], error)


def _jacobians(size: Size, net: GatedNetwork) -> list[Contestant | Missing]:
    torch, names = present.torch(), ("Jacobian in JAX", "Jacobian by torch.func")
    needed = size.samples * size.parameters * net.x.dtype.itemsize
    if needed > min(JACOBIAN, memory() / 3):
        return [Missing(name, f"its Jacobian takes {needed / 1e9:.1f} GB") for name in names]
    by_torch = Contestant(names[1], by_torch_func(torch, net)) if torch else Missing(names[1], present.absent("torch"))
    return [Contestant(names[0], jax_kernels.by_jacobian(net)), by_torch]


def _gram(net: GatedNetwork) -> Contestant | Missing:
    torch, gram = present.torch(), present.package("nngeometry.gram")
    if torch is None or gram is None:
        return Missing("nngeometry", present.absent("torch" if torch is None else "nngeometry"))
    return Contestant("nngeometry", by_nngeometry(torch, gram, net))


def _structured(size: Size, kind: str, structured: Structured | None) -> Contestant | Missing:
    name = "neural-tangents, structured"
    if structured is None or not structured.ready:
        return Missing(name, f"not importable here: name a Python that has it by {PYTHON}")
    return Contestant(name, structured.by_structure(size, kind), IN_A_ROW)


def _double(net: GatedNetwork) -> tuple[Any, Any, Any]:
    return [w.astype(float) for w in net.weights], [g.astype(float) for g in net.gates], net.x.astype(float)
