"""Figure 9 of paper 004, drawn from its paths: a circular convolution network, and its bundles of paths of one strength."""

import itertools
from typing import Any

import numpy as np

from gatefield.kernels import PathBundles, path_bundles

POSITIONS, KERNEL, LAYERS = 3, 2, 3
"""Those of the paper's figure: 2^3 = 8 strengths of 3 paths each."""
STYLES: tuple[dict[str, Any], ...] = ({"linestyle": "-"}, {"linestyle": (0, (2.5, 1.2))})
"""Of an edge, by the weight of the kernel that it uses."""
COLOURS = ("C0", "C1", "C2")
"""Of a path, by the position at which it ends."""


def draw_network(figure: Any) -> Any:
    """The whole network, in one panel."""
    whole = figure.subplots()
    _network(whole, path_bundles(POSITIONS, KERNEL, LAYERS))
    return whole


def draw_bundles(figure: Any) -> None:
    """Each bundle of paths in a small copy of the network."""
    bundles = path_bundles(POSITIONS, KERNEL, LAYERS)
    small = figure.subplots(2, len(bundles.positions) // 2).ravel()
    for axes, weights, positions in zip(small, *bundles, strict=True):
        _bundle(axes, weights, positions, bundles)


def edges(bundles: PathBundles) -> list[tuple[int, int, int, int]]:
    """Each edge once: layer, weight of its kernel, position before and behind.

    >>> sum(layer == 0 for layer, *_ in edges(path_bundles(3, 2, 3)))
    6
    """
    found = set()
    for weights, positions in zip(*bundles, strict=True):
        for path in positions.tolist():
            steps = zip(weights.tolist(), itertools.pairwise(path), strict=True)
            found |= {(layer, weight, *ends) for layer, (weight, ends) in enumerate(steps)}
    return sorted(found)


def strength(weights: np.ndarray) -> str:
    """The product of the weights that a bundle uses, and of the mean over positions.

    >>> strength(np.array([0, 1, 0]))
    '$\\\\theta^{(1)}_1\\\\theta^{(2)}_2\\\\theta^{(3)}_1\\\\,/\\\\,3$'
    """
    factors = "".join(rf"\theta^{{({layer})}}_{weight + 1}" for layer, weight in enumerate(weights, 1))
    return rf"${factors}\,/\,{POSITIONS}$"


def _network(axes: Any, bundles: PathBundles) -> None:
    for layer, weight, before, behind in edges(bundles):
        axes.plot([layer, layer + 1], [-before, -behind], color="0.35", linewidth=1.5, zorder=1, **STYLES[weight])
    _outputs(axes, range(POSITIONS), {"color": "0.35", "linewidth": 1.5})
    _nodes(axes, size=190)
    for position in range(POSITIONS):
        axes.text(0, -position, f"$x_{position + 1}$", ha="center", va="center", fontsize=9, zorder=3)
    axes.text(LAYERS + 1, -1, "$y$", ha="center", va="center", fontsize=9, zorder=3)
    for layer in range(1, LAYERS + 1):
        axes.text(layer - 0.5, 0.5, f"layer {layer}", ha="center", fontsize=8)
    axes.text(LAYERS + 0.5, 0.5, "mean", ha="center", fontsize=8)
    for weight, style in enumerate(STYLES):
        axes.plot([], [], color="0.35", label=rf"$\theta^{{(l)}}_{weight + 1}$", **style)
    axes.plot([], [], color="0.35", linestyle=":", label=f"1/{POSITIONS} each")
    axes.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, 0.06),
        ncols=3,
        fontsize=8,
        title="weights, the same at every position",
        title_fontsize=8,
    )


def _bundle(axes: Any, weights: np.ndarray, positions: np.ndarray, bundles: PathBundles) -> None:
    """The paths of one strength; all other edges pale."""
    for layer, _, before, behind in edges(bundles):
        axes.plot([layer, layer + 1], [-before, -behind], color="0.88", linewidth=0.8, zorder=0)
    for path, colour in zip(positions, COLOURS, strict=True):
        for layer, weight in enumerate(weights):
            ends = -path[layer : layer + 2]
            axes.plot([layer, layer + 1], ends, color=colour, linewidth=1.4, zorder=1, **STYLES[weight])
        _outputs(axes, [path[-1]], {"color": colour, "linewidth": 1.4})
    _nodes(axes, size=14)
    axes.set_title(strength(weights), fontsize=8, loc="center")


def _outputs(axes: Any, positions: Any, style: dict[str, Any]) -> None:
    """From positions of the last layer to the output, which is their mean."""
    for position in positions:
        axes.plot([LAYERS, LAYERS + 1], [-position, -1], linestyle=":", zorder=1, **style)


def _nodes(axes: Any, size: int) -> None:
    places = [*itertools.product(range(LAYERS + 1), range(POSITIONS)), (LAYERS + 1, 1)]
    x, y = np.transpose(places)
    axes.scatter(x, -y, s=size, facecolor="white", edgecolor="0.2", zorder=2)
    axes.set(xlim=(-0.4, LAYERS + 1.4), ylim=(0.35 - POSITIONS, 0.65))
    axes.set_axis_off()
