"""The examples of note 003, section 3: sizes of the bumps, the printed drift, and the right one."""

from typing import Any, NamedTuple

import numpy as np

from gatefield.data.numerics import arcsine_covariance
from gatefield.theory import hypercube


class Case(NamedTuple):
    """One example: its number in the note, in words, the sizes at i, j, k, and the printed and the right multiple of columns.

    `vote` is the weight of the majority's drift C(e_i + e_j + e_k)/4 - m/4, with m_l the moment of signs at i, j, k and l.
    """

    equation: int
    words: str
    sizes: tuple[float, float, float]
    printed: tuple[float, float, float]
    right: tuple[float, float, float]
    vote: float = 0.0


_ONE = (1.0, 0.0, 0.0)
_HALF = (0.5, 0.0, 0.0)

CASES = {
    "single": Case(8, "one bump", (1.0, 0.0, 0.0), _ONE, _HALF),
    "balanced": Case(9, "two equal bumps", (1.0, 1.0, 0.0), (1.0, 1.0, 0.0), (0.25, 0.25, 0.0)),
    "imbalanced": Case(10, "two bumps, 2 and 1", (2.0, 1.0, 0.0), _ONE, _HALF),
    "difference": Case(11, "two bumps, 2 and -1", (2.0, -1.0, 0.0), _ONE, _HALF),
    "three leading": Case(12, "three bumps, 4, 2, 1", (4.0, 2.0, 1.0), _ONE, _HALF),
    "three voting": Case(12, "three bumps, 2.5, 2, 1", (2.5, 2.0, 1.0), _ONE, (0.0, 0.0, 0.0), 1.0),
    "three tied": Case(12, "three bumps, 3, 2, 1", (3.0, 2.0, 1.0), _ONE, (0.25, 0.0, 0.0), 0.5),
}


def printed(name: str, latent: Any, sites: tuple[int, int, int]) -> np.ndarray:
    """The drift as printed, Sigma being the kernel of equation 2."""
    return latent[:, sites] @ np.array(CASES[name].printed)


def corrected(name: str, latent: Any, sites: tuple[int, int, int]) -> np.ndarray:
    """The right drift, with C the covariance of the signs."""
    case, cov = CASES[name], np.asarray(arcsine_covariance(latent, np.inf))
    value = cov[:, sites] @ np.array(case.right)
    if case.vote:
        fourth = np.array([_moment(latent, (*sites, site)) for site in range(len(latent))])
        value = value + case.vote * (cov[:, sites].sum(1) - fourth) / 4
    return value


def _moment(latent: Any, sites: tuple[int, ...]) -> float:
    """E of the product of signs; a site that occurs twice drops out."""
    odd = [site for site in dict.fromkeys(sites) if sites.count(site) % 2]
    return float(hypercube.sign_moment(latent[np.ix_(odd, odd)]))
