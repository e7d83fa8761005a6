"""The tangent kernel in PyTorch, by per-sample gradients of torch.func."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gatefield.speed.peers.gated_network import GatedNetwork, output


def by_torch_func(torch: Any, net: GatedNetwork) -> Callable[[], np.ndarray]:
    """`vmap(grad(...))`, contracted weight by weight, as PyTorch's own tutorial on tangent kernels does."""
    weights, gates = (tuple(map(torch.from_numpy, arrays)) for arrays in (net.weights, net.gates))
    x = torch.from_numpy(net.x)

    def one(weights: Any, gates: Any, sample: Any) -> Any:
        return output(weights, [gate[None] for gate in gates], sample[None])[0, 0]

    rows = torch.func.vmap(torch.func.grad(one), (None, 0, 0))

    def go() -> np.ndarray:
        flat = [row.reshape(len(x), -1) for row in rows(weights, gates, x)]
        return torch.stack([row @ row.T for row in flat]).sum(0).numpy()

    return go
