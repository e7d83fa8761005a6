"""How far fields are from those that they are judged by."""

import numpy as np


def relative_distance(w: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """|w - reference| / |reference| of all units of a network together, (..., unit, position) to (...).

    >>> relative_distance(np.array([[[3.0, 0.0], [0.0, 4.5]]]), np.array([[3.0, 0.0], [0.0, 4.0]])).tolist()
    [0.1]
    """
    return np.sqrt(((w - reference) ** 2).sum((-2, -1)) / (reference**2).sum((-2, -1)))
