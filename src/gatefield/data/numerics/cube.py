"""Corners of the cube."""

import numpy as np
from jaxtyping import Float

from gatefield.core import checks

MOST = 24
"""Sites: their 2^24 corners take 3 GB."""


def corners(n: int) -> Float[np.ndarray, "corners n"]:
    """All corners of the cube, one per row; site i is -1 where binary digit i of the row's number is 1.

    >>> corners(2)
    array([[ 1.,  1.],
           [-1.,  1.],
           [ 1., -1.],
           [-1., -1.]])
    """
    n = checks.count("n", n, most=MOST)
    return 1.0 - 2.0 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
