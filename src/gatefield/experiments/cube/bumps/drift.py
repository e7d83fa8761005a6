"""Exact drifts on the cube of fields with few bumps, at any number of sites."""

from typing import Any

import numpy as np

from gatefield.theory import hypercube


def gate_table(corr: Any, sites: tuple[int, ...]) -> np.ndarray:
    """E[1(x_sites = c) x_l] for each corner c of the bumps' sites and each site l: (corners, n).

    The gate of a field on these sites sees nothing else, so that the law of them and one more site is all that f needs.

    >>> gate_table(np.eye(2), (0,))
    array([[ 0.5,  0. ],
           [-0.5,  0. ]])
    """
    corr, k, columns = np.asarray(corr), len(sites), []
    points = hypercube.corners(k)
    alone = hypercube.pattern_law(corr[np.ix_(sites, sites)])
    for site in range(len(corr)):
        if site in sites:
            columns.append(alone * points[:, sites.index(site)])
            continue
        among = [*sites, site]
        up, down = hypercube.pattern_law(corr[np.ix_(among, among)]).reshape(2, 2**k)
        columns.append(up - down)
    return np.array(columns).T


def drifts(sizes: np.ndarray, tables: np.ndarray) -> np.ndarray:
    """f of fields with these sizes on the bumps' sites, by `gate_table`; leading axes are broadcast. Ties count one half."""
    points = hypercube.corners(sizes.shape[-1])
    return (0.5 * np.sign(sizes @ points.T)[..., None, :] @ tables)[..., 0, :]
