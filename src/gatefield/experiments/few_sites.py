"""Exact states of a few neighbouring sites of alternating sign on the cube, and which of them a field is."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.data import Hypercube
from gatefield.measures import ipr, shifted_cosine
from gatefield.theory import hypercube

SAME = 0.95
"""From which cosine on, over all shifts, an end counts as a state: the states themselves are 0.6 and less alike."""


def head(n: int, sites: int) -> np.ndarray:
    """Equal weights of alternating sign on neighbouring sites in the middle of the ring.

    >>> head(7, 3).tolist()
    [0.0, 0.0, 1.0, -1.0, 1.0, 0.0, 0.0]
    """
    out = np.zeros(n)
    out[n // 2 - sites // 2 : n // 2 + sites // 2 + 1] = (-1.0) ** np.arange(sites)
    return out


def states(n: int, pairs: Sequence[tuple[float, float]], most_sites: int, over: str = "pair") -> xr.Dataset:
    """The exact states of 1, 3, ... sites for each pair of length scales, which lie along the dimension `over`.

    >>> found = states(12, [(2.0, 1.0)], most_sites=1)
    >>> bool(found.state_exists[0, 0]), round(float(found.state_ipr[0, 0]), 2)
    (True, 0.82)
    """
    sites = range(1, most_sites + 1, 2)
    found = [[_state(n, pair, m) for m in sites] for pair in pairs]
    fields, both = np.array([[one.field for one in row] for row in found]), (over, "sites")
    data: dict[str, Any] = {
        "state": ((*both, "position"), fields),
        "state_ipr": (both, ipr(fields)),
        "state_exists": (both, [[bool(one.exists) for one in row] for row in found]),
        "state_loss": (both, [[float(one.loss) for one in row] for row in found]),
        "state_lead": (both, [[float(one.lead) for one in row] for row in found]),
    }
    return xr.Dataset(data, {"sites": list(sites)})


def _state(n: int, pair: tuple[float, float], sites: int) -> hypercube.LocalizedState:
    positive, negative = (Hypercube(n, xi) for xi in pair)
    return hypercube.head_state(positive.squashed.correlation, negative.covariance(), head(n, sites))


def reached(ends: np.ndarray, known: xr.Dataset) -> np.ndarray:
    """How many sites the state has that each end is, 0 for none, up to shift and sign.

    **Arguments**

    - `ends`: fields (..., position); before it as many dimensions as the states have, or more, the first of them the same.
    - `known`: what `states` gives.
    """
    lead = ends.ndim - 2  # dimensions that ends have beside those over which there are states
    lay = (slice(None), *(None,) * lead)
    alike = shifted_cosine(ends[..., None, :], known.state.values[lay])
    alike = np.where(known.state_exists.values[lay], alike, 0.0)  # else the state is none
    return np.where(alike.max(-1) >= SAME, known.sites.values[alike.argmax(-1)], 0)
