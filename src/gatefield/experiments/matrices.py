"""How much of a matrix lies off its diagonal, or off the blocks along it."""

import numpy as np


def off_diagonal(matrices: np.ndarray, block: int = 1) -> np.ndarray:
    """Frobenius norm of what is off the diagonal, as a share of the whole matrix's; 0 for a matrix of zeros.

    **Arguments**

    - `matrices`: (..., m, m).
    - `block`: the size of the blocks along the diagonal that count as diagonal.

    >>> off_diagonal(np.array([[3.0, 2.0, 0.0], [2.0, 3.0, 0.0], [0.0, 0.0, 1.0]])).round(4).tolist()
    0.5443
    """
    places = np.arange(matrices.shape[-1]) // block
    rest = np.where(places[:, None] == places, 0.0, matrices)
    whole = np.linalg.norm(matrices, axis=(-2, -1))
    return np.asarray(np.linalg.norm(rest, axis=(-2, -1)) / np.where(whole > 0, whole, 1.0))
