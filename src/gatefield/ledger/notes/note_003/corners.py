"""Note 003, section 3: which weights decide the gate (equation 13, SDP), and section 3.1: sums over corners (14 to 22)."""

import math

import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.ledger.notes.note_003 import corrected, holds, holds_if, refuted
from gatefield.ledger.notes.note_003.bumps import CORNERS, CORR, FIELD, LAW, LOADS, drift, enumerated, opened
from gatefield.ledger.routes import cube
from gatefield.theory import hypercube

HEAD = (20, 14, 11, 1, 1, 0)
FOUR = cube.corners(4), cube.one_factor(LOADS[:4], cube.corners(4)), FIELD[:4]


def entrywise(*, inside: bool) -> float:
    points, law, w = FOUR
    return cube.entrywise(w, law, points, inside=inside)


def chains(w: list[int]) -> Estimate:
    return Estimate(cube.sticks(w), 1e-6, "descent over unit vectors in three dimensions")


def by_walsh() -> float:
    """The first entry of the drift as the sum of Walsh coefficients times moments."""
    coefficient, moments = hypercube.walsh(FIELD), np.zeros(32)
    corners, law = hypercube.corners(5), hypercube.pattern_law(CORR)
    for s in range(32):
        inside = (s >> np.arange(5)) & 1 == 1
        moments[s] = law @ (corners[:, inside].prod(1) * corners[:, 0])
    return float(coefficient @ moments)


FORMULAS = {
    "003-eq13": holds(
        place="equation 13 and the condition after it",
        says="the k largest weights decide the gate if the others add up to less than delta",
        implements="theory.hypercube.head_size",
        value=lambda: hypercube.head_size(HEAD),
        estimate=lambda: Estimate(cube.sites_that_matter(HEAD), 0.0, "enumeration of the cube"),
        right=r"\sum_{i > k}|w_i| < \delta = \min_{x \in \{\pm 1\}^k}\left|\sum_{i \leq k} w_i x_i\right|",
        note="it is necessary too, and no other set of weights decides with fewer; the number is how many sites the gate sees",
    ),
    "003-delta-int": corrected(
        place="section 3, SDP",
        says="the integer problem has value -sqrt(delta)",
        implements="theory.hypercube.margin",
        value=lambda: -(hypercube.margin([3, 2, 2, 2.5]) ** 2),
        estimate=lambda: Estimate(-cube.nearest([3, 2, 2, 2.5], square=True), 1e-12, "enumeration of the cube"),
        printed=lambda: -math.sqrt(cube.nearest([3, 2, 2, 2.5])),
        right=r"\delta_{\mathrm{INT}} = -\delta^2",
        printed_equation=r"\delta_{\mathrm{INT}} = -\sqrt{\delta}",
        note="-delta^2",
    ),
    "003-sdp": holds_if(
        place="section 3, SDP",
        says="a semidefinite relaxation bounds delta",
        implements="theory.hypercube.sdp_margin",
        value=lambda: hypercube.sdp_margin([5, 2, 1, 1]),
        estimate=lambda: chains([5, 2, 1, 1]),
        right=r"\delta_{\mathrm{SDP}} = -\left(\max\left(0,\; 2\max_i|w_i| - \sum_i|w_i|\right)\right)^2",
        note="if one weight exceeds the sum of the others, the value is -delta^2, which is in closed form anyway; else it is 0",
    ),
    "003-grothendieck": refuted(
        place="section 3, SDP",
        says="Grothendieck's inequality might bound delta from below",
        implements="theory.hypercube.sdp_margin",
        value=lambda: hypercube.sdp_margin([1, 1, 1]),
        estimate=lambda: chains([1, 1, 1]),
        printed=lambda: -cube.nearest([1, 1, 1], square=True),
        note="it bounds relaxations of positive maxima; here the relaxation is 0, the integer value -1 (printed)",
    ),
    "003-eq17": holds(
        place="equations 14 to 17",
        says="f is a sum over the corners of the gate of products of (1 + x'_i X_i)/2",
        implements="theory.hypercube.drift",
        value=lambda: drift(FIELD[:4], CORR[:4, :4])[0],
        estimate=lambda: enumerated(entrywise(inside=False)),
        right=r"f(w) = \sum_{x' \in \Theta}\mathbb{E}\left[\left(\prod_i \frac{1 + x'_i X_i}{2}\right) X\right]",
    ),
    "003-entrywise": corrected(
        place="the line after equation 17",
        says="entrywise, X_j may be taken inside the product over sites",
        implements="theory.hypercube.drift",
        value=lambda: drift(FIELD[:4], CORR[:4, :4])[0],
        estimate=lambda: enumerated(entrywise(inside=False)),
        printed=lambda: entrywise(inside=True),
        right=r"\sum_{x' \in \Theta}\mathbb{E}\left[\left(\prod_i \frac{1 + x'_i X_i}{2}\right) X_j\right]",
        printed_equation=r"\sum_{x' \in \Theta}\mathbb{E}\left[\prod_i \frac{1 + x'_i X_i}{2}\,X_j\right]",
        note="it must stay outside, or it is there n times; for even n the printed line gives P(gate open) = 1/2",
    ),
    "003-eq22": holds(
        place="equations 18, 19, 21 and 22",
        says="g_j counts the corners of the gate that agree with x_j",
        implements="theory.hypercube.chow",
        value=lambda: 16 * (0.5 + hypercube.chow(FIELD)[0]),
        estimate=lambda: Estimate(np.sum(CORNERS[CORNERS @ FIELD >= 0][:, 0] == 1), 1e-9, "enumeration of the cube"),
        right=r"g_j(x) = 2^{n-1}\left(\frac{1}{2} + x_j c_j\right)",
        note="g_j = 2^(n-1) (1/2 + x_j c_j) with c_j the drift under the uniform law; the number is g_1 at x_1 = 1",
    ),
    "003-eq20": corrected(
        place="equation 20",
        says="f is the sum over sites of E[g_j(X) X]",
        implements="theory.hypercube.walsh",
        value=by_walsh,
        estimate=lambda: enumerated(opened(FIELD)[0]),
        printed=lambda: cube.sum_over_sites(FIELD, LAW, CORNERS),
        right=r"f(w) = \sum_{|S|\ \mathrm{odd}} c_S\,\mathbb{E}[x^S x]",
        printed_equation=r"f(w) = \sum_j \mathbb{E}[g_j(X)\,X]",
        note="the product over sites became a sum. f = sum of c_S E[x^S x] over odd sets, c_S from the Walsh expansion",
    ),
    "003-divide": refuted(
        place="section 3.1, the goals after equation 20",
        says="g_j is either that of a site which decides the gate or nearly constant, with nothing in between",
        implements="theory.hypercube.influence",
        value=lambda: hypercube.influence([1] * 9)[0],
        estimate=lambda: Estimate(2 * cube.uniform_chow(np.ones(9, dtype=int), 0), 1e-12, "convolution"),
        printed=lambda: 1.0 - 1.0,  # g_j(1) - g_j(-1), each of which is printed as about 1
        note="the influence 2|c_j| takes all values between 0 and 1; n equal weights have about sqrt(2/(pi n)), here n = 9",
    ),
}
