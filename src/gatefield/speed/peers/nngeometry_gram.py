"""The tangent kernel by nngeometry, which contracts what its hooks catch of each layer."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gatefield.speed.peers.gated_network import GatedNetwork


def by_nngeometry(torch: Any, gram: Any, net: GatedNetwork) -> Callable[[], np.ndarray]:
    """`GramMatrix` of the network as a PyTorch module, with all samples in one batch. `gram` is `nngeometry.gram`."""
    model, loader = _model(torch, net), _loader(torch, torch.from_numpy(net.x))

    def go() -> np.ndarray:
        found = gram.GramMatrix(model, loader, function=lambda x: model(x)).data
        return found[0, :, 0, :].numpy()

    return go


def _model(torch: Any, net: GatedNetwork) -> Any:
    gates = [torch.from_numpy(gate) for gate in net.gates]

    def layer(w: np.ndarray) -> Any:
        made = torch.nn.Linear(*w.shape, bias=False)
        made.weight = torch.nn.Parameter(torch.from_numpy(np.ascontiguousarray(w.T)))
        return made

    class Gated(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = torch.nn.ModuleList(map(layer, net.weights))

        def forward(self, x: Any) -> Any:
            for layer, gate in zip(self.layers[:-1], gates, strict=True):
                x = layer(x) * gate
            return self.layers[-1](x)

    return Gated()


def _loader(torch: Any, x: Any) -> Any:
    """One batch, taken as it is: the usual loader would stack it sample by sample."""

    class Whole(torch.utils.data.Dataset):
        def __len__(self) -> int:
            return len(x)

        def __getitems__(self, places: list[int]) -> Any:
            return x[places]

    return torch.utils.data.DataLoader(Whole(), batch_size=len(x), collate_fn=lambda batch: (batch,))
