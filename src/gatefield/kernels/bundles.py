"""The paths of circular convolutions, listed by their strength."""

import math
from typing import NamedTuple

import numpy as np
from jaxtyping import Int

from gatefield.core import checks
from gatefield.core.errors import UserError

MOST_PATHS = 10**6
"""More would fill the memory of a laptop: each takes a hundred bytes or so."""


class PathBundles(NamedTuple):
    """Bundles of n paths of one strength."""

    weights: Int[np.ndarray, "bundles layers"]
    """Which weight of each layer's kernel the paths of a bundle use: the strength is the product of these."""
    positions: Int[np.ndarray, "bundles paths nodes"]
    """Positions of each path of a bundle, from the input to the last layer."""


def path_bundles(n: int, kernel_size: int, layers: int) -> PathBundles:
    r"""All paths of circular convolutions on a ring of n positions, grouped by strength.

    Layer l makes $q(i)=\sum_j\theta^{(l)}_j z(i+j)$, so that a path which uses the weights $j_1,\dots,j_c$ and ends at i begins
    at $i+j_1+\dots+j_c$ modulo n. There are $k^c$ bundles of n paths.

    **Arguments**

    - `n`: positions.
    - `kernel_size`: k, at most n.
    - `layers`: c. At most a million paths are listed.

    **Returns** the weights that each bundle uses, and the positions of its paths; path i of a bundle ends at i.

    >>> bundles = path_bundles(3, 2, 3)
    >>> bundles.weights.shape, bundles.positions.shape
    ((8, 3), (8, 3, 4))
    >>> bundles.weights[5], bundles.positions[5]
    (array([1, 0, 1]), array([[2, 1, 1, 0],
           [0, 2, 2, 1],
           [1, 0, 0, 2]]))

    **Source:** paper 004, section 4, path sharing.
    """
    n, layers = checks.count("n", n), checks.count("layers", layers)
    size = ring_kernel(kernel_size, n)
    if math.log(n) + layers * math.log(size) > math.log(MOST_PATHS) + 1e-9:  # rounding of the logarithms
        raise UserError(
            f"{n} positions, kernel_size {size} and {layers} layers make more than {MOST_PATHS} paths, too many to list; "
            "give smaller numbers, or use conv_gap_moment, which lists none."
        )
    weights = np.indices((size,) * layers).reshape(layers, -1).T
    steps = np.concatenate([np.cumsum(weights[:, ::-1], 1)[:, ::-1], np.zeros((len(weights), 1), int)], 1)
    return PathBundles(weights, (steps[:, None] + np.arange(n)[:, None]) % n)


def ring_kernel(kernel_size: int, positions: int) -> int:
    """A kernel size that fits on the ring."""
    size = checks.count("kernel_size", kernel_size)
    if size > positions:
        raise UserError(f"kernel_size must be at most the {positions} positions, but is {size}; write kernel_size={positions}.")
    return size
