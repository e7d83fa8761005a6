"""Note 003, section 3: f of fields of a few bumps on the cube. Equations 8 to 12, 'More generally?'; section 3.1, opening."""

import math
from functools import partial

import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.ledger.notes.note_003 import corrected, holds, refuted
from gatefield.ledger.routes import cube
from gatefield.theory import hypercube

LOADS = np.array([0.9, 0.7, -0.4, 0.6, 0.5])
CORR = np.outer(LOADS, LOADS) + np.diag(1 - LOADS**2)
"""The correlation of a field with one common factor, so that the law of its signs is an integral over it."""
CORNERS = cube.corners(5)
LAW = cube.one_factor(LOADS, CORNERS)
COV = cube.covariance(LAW, CORNERS)
FIELD = np.array([0.9, -0.37, 0.21, 1.3, -0.55])
BUMP, PAIR, LEAD, AGAINST = (np.array(w) for w in ([1.0, 0, 0, 0, 0], [1.0, 1, 0, 0, 0], [1.5, 1, 0, 0, 0], [1.5, -1, 0, 0, 0]))
THREE, THREE_LEAD, THREE_TIE = (np.array([a, 1.5, 0, 1.0, 0]) for a in (2.0, 2.6, 2.5))
LARGEST_AT_3 = np.array([1.5, 0, 0, 2.0, 1.0])
EVEN = (1 + np.eye(5)) / 2
ENUMERATION = "enumeration, probabilities by one-dimensional quadrature"

corrected_drift = partial(corrected, implements="theory.hypercube.drift")
LEADS = r"f(w) = \frac{1}{2} C e_i,\quad C = \frac{2}{\pi}\sin^{-1}\Sigma"


def drift(w, corr: np.ndarray = CORR) -> np.ndarray:
    return np.asarray(hypercube.drift(w, corr))


def opened(w: np.ndarray, law: np.ndarray = LAW) -> np.ndarray:
    return cube.opened(w, law, CORNERS)


def enumerated(value: float) -> Estimate:
    return Estimate(value, 1e-10, ENUMERATION)


def even_site(w: np.ndarray, where: int) -> float:
    """The drift at one site for equal correlations of 1/2."""
    return opened(w, cube.one_factor(np.full(5, math.sqrt(0.5)), CORNERS))[where]


def at_largest(f: np.ndarray) -> float:
    """What f has where w is largest, over its own largest entry."""
    return f[LARGEST_AT_3.argmax()] / f.max()


FORMULAS = {
    "003-shape-only": corrected_drift(
        place="section 2, after the properties",
        says="the drift f(w) depends only on the shape of the field, not on its size or position",
        value=lambda: drift(np.roll(FIELD, 1), EVEN)[2],
        estimate=lambda: enumerated(even_site(FIELD, 1)),
        printed=lambda: even_site(FIELD, 2),
        number="third entry of f of a field moved by one site; signs of five sites, equal correlations 1/2",
        right=r"f(\alpha\,\mathcal{C} w) = \mathcal{C} f(w)",
        printed_equation=r"f(\alpha\,\mathcal{C} w) = f(w)",
        note="f does not change with the size of w, but moves along with its position",
    ),
    "003-eq8": corrected_drift(
        place="equation 8, single bump",
        says="drift f(w) of a single bump on the cube",
        value=lambda: drift(BUMP)[1],
        estimate=lambda: enumerated(opened(BUMP)[1]),
        printed=lambda: CORR[0, 1],
        number="f(e_1) at the second site; signs of a Gaussian field on five sites",
        right=LEADS,
        printed_equation=r"f(e_i) = \Sigma e_i",
        note="C, the covariance of the signs, in place of that of the latent field, and a factor 1/2",
    ),
    "003-eq9": corrected_drift(
        place="equation 9, balanced bumps",
        says="drift f(w) of two equal bumps on the cube",
        value=lambda: drift(PAIR)[3],
        estimate=lambda: enumerated(opened(PAIR)[3]),
        printed=lambda: (CORR @ PAIR)[3],
        number="f(e_1 + e_2) at the fourth site; signs of a Gaussian field on five sites",
        right=r"f(e_i + e_j) = \frac{1}{4} C (e_i + e_j)",
        printed_equation=r"f(e_i + e_j) = \Sigma (e_i + e_j)",
        note="half of the factor of a single bump, so that no scale of f repairs both equations",
    ),
    "003-eq10": corrected_drift(
        place="equation 10, imbalanced bumps",
        says="drift f(w) of two bumps of different size on the cube",
        value=lambda: drift(LEAD)[3],
        estimate=lambda: enumerated(opened(LEAD)[3]),
        printed=lambda: CORR[0, 3],
        number="f(1.5 e_1 + e_2) at the fourth site; signs of a Gaussian field on five sites",
        right=LEADS,
        printed_equation=r"f(\alpha e_i + e_j) = \Sigma e_i",
        note="C, the covariance of the signs, in place of that of the latent field, and a factor 1/2",
    ),
    "003-eq11": corrected_drift(
        place="equation 11, imbalanced bumps of opposite sign",
        says="drift f(w) of two bumps of different size and opposite sign on the cube",
        value=lambda: drift(AGAINST)[3],
        estimate=lambda: enumerated(opened(AGAINST)[3]),
        printed=lambda: CORR[0, 3],
        number="f(1.5 e_1 - e_2) at the fourth site; signs of a Gaussian field on five sites",
        right=LEADS,
        printed_equation=r"f(\alpha e_i - e_j) = \Sigma e_i",
        note="C, the covariance of the signs, in place of that of the latent field, and a factor 1/2",
    ),
    "003-eq12": corrected_drift(
        place="equation 12, three bumps",
        says="drift f(w) of three bumps alpha > beta > 1 on the cube, if alpha < beta + 1",
        value=lambda: drift(THREE)[1],
        estimate=lambda: enumerated(opened(THREE)[1]),
        printed=lambda: CORR[0, 1],
        number="f(2 e_1 + 1.5 e_2 + e_4) at the second site; signs of a Gaussian field on five sites",
        right=r"f(w) = \frac{1}{4}\left(C(e_i + e_j + e_k) - m\right),\quad m_l = \mathbb{E}[x_i x_j x_k x_l]",
        printed_equation=r"f(\alpha e_i + \beta e_j + e_k) \approx \Sigma e_i",
        note="for alpha < beta + 1 the majority of the three signs decides the gate",
    ),
    "003-eq12-lead": corrected_drift(
        place="equation 12, three bumps",
        says="drift f(w) of three bumps alpha > beta > 1 on the cube, if alpha > beta + 1",
        value=lambda: drift(THREE_LEAD)[1],
        estimate=lambda: enumerated(opened(THREE_LEAD)[1]),
        printed=lambda: CORR[0, 1],
        number="f(2.6 e_1 + 1.5 e_2 + e_4) at the second site; signs of a Gaussian field on five sites",
        right=LEADS,
        printed_equation=r"f(\alpha e_i + \beta e_j + e_k) \approx \Sigma e_i",
        note="for alpha > beta + 1 the largest bump alone decides the gate",
    ),
    "003-eq12-tie": corrected_drift(
        place="equation 12, three bumps",
        says="drift f(w) of three bumps alpha > beta > 1 on the cube, if alpha = beta + 1",
        value=lambda: drift(THREE_TIE)[1],
        estimate=lambda: enumerated((opened(THREE) + opened(THREE_LEAD))[1] / 2),
        printed=lambda: CORR[0, 1],
        number="f(2.5 e_1 + 1.5 e_2 + e_4) at the second site; signs of a Gaussian field on five sites",
        right=r"f(w) = \frac{1}{8}\left(C(3e_i + e_j + e_k) - m\right)",
        printed_equation=r"f(\alpha e_i + \beta e_j + e_k) \approx \Sigma e_i",
        note="then f is the mean of its values for a little more and a little less alpha",
    ),
    "003-maximum": refuted(
        place="section 3.1",
        says="the drift f(w) extracts the largest entry of the field",
        implements="theory.hypercube.drift",
        value=lambda: at_largest(drift(LARGEST_AT_3)),
        estimate=lambda: enumerated(at_largest(opened(LARGEST_AT_3))),
        printed=lambda: at_largest(CORR[3]),  # of f = Sigma e_i, with w_i the largest
        number="f where w is largest, over the largest entry of f; w = 1.5 e_1 + 2 e_4 + e_5, signs of a Gaussian field",
        note="only if the largest entry exceeds the sum of the others",
    ),
    "003-independence": refuted(
        place="section 3.1",
        says="a site X_j is nearly independent of the gate unless w_j is the largest entry of the field",
        implements="theory.hypercube.drift",
        value=lambda: 2 * drift(BUMP)[1],
        estimate=lambda: enumerated(2 * opened(BUMP)[1]),
        printed=lambda: LAW @ CORNERS[:, 1],  # the mean of X_j, whatever the gate
        number="E[X_2 | gate of e_1 open]; signs of a Gaussian field on five sites",
        right=r"\mathbb{E}[X_j \mid \langle w, X\rangle \geq 0] = C_{ij},\quad w = e_i",
        printed_equation=r"\mathbb{E}[X_j \mid \langle w, X\rangle \geq 0] \approx \mathbb{E}[X_j]",
        note="correlated signs follow the gate",
    ),
    "003-leading-weight": holds(
        place="section 3, 'More generally?'",
        says="a weight larger than the sum of all others decides the gate on the cube alone",
        implements="theory.hypercube.drift",
        value=lambda: drift([1.0, 0.3, -0.2, 0.2, 0.25])[4],
        estimate=lambda: Estimate(COV[0, 4] / 2, 1e-10, f"half of the covariance, by {ENUMERATION}"),
        number="f at the fifth site, w = (1, 0.3, -0.2, 0.2, 0.25); signs of a Gaussian field",
        right=r"f(w) = \frac{1}{2}\,\mathrm{sign}(w_1)\,C e_1,\quad |w_1| > \sum_{i > 1}|w_i|",
    ),
}
