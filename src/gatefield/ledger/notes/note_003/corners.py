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
        says="the k largest weights decide the gate on the cube, if the others add up to less than their margin delta",
        implements="theory.hypercube.head_size",
        value=lambda: hypercube.head_size(HEAD),
        estimate=lambda: Estimate(cube.sites_that_matter(HEAD), 0.0, "enumeration of the cube"),
        number="how many sites decide the gate of w = (20, 14, 11, 1, 1, 0)",
        right=r"\sum_{i > k}|w_i| < \delta = \min_{x \in \{\pm 1\}^k}\left|\sum_{i \leq k} w_i x_i\right|",
        note="the condition is necessary too, and no other set of weights decides with fewer",
    ),
    "003-delta-int": corrected(
        place="section 3, SDP",
        says="value of the integer problem for the margin delta of a gate on the cube",
        implements="theory.hypercube.margin",
        value=lambda: -(hypercube.margin([3, 2, 2, 2.5]) ** 2),
        estimate=lambda: Estimate(-cube.nearest([3, 2, 2, 2.5], square=True), 1e-12, "enumeration of the cube"),
        printed=lambda: -math.sqrt(cube.nearest([3, 2, 2, 2.5])),
        number="value for w = (3, 2, 2, 2.5)",
        right=r"\delta_{\mathrm{INT}} = -\delta^2",
        printed_equation=r"\delta_{\mathrm{INT}} = -\sqrt{\delta}",
        note="the objective is a square, so that the value is that of delta squared",
    ),
    "003-sdp": holds_if(
        place="section 3, SDP",
        says="a semidefinite relaxation bounds the margin delta of a gate on the cube",
        implements="theory.hypercube.sdp_margin",
        value=lambda: hypercube.sdp_margin([5, 2, 1, 1]),
        estimate=lambda: chains([5, 2, 1, 1]),
        number="value of the relaxation for w = (5, 2, 1, 1)",
        right=r"\delta_{\mathrm{SDP}} = -\left(\max\left(0,\; 2\max_i|w_i| - \sum_i|w_i|\right)\right)^2",
        note="only if one weight exceeds the sum of the others, where -delta^2 is in closed form anyway; else the "
        "relaxation is 0",
    ),
    "003-grothendieck": refuted(
        place="section 3, SDP",
        says="Grothendieck's inequality might bound the margin delta of a gate from below",
        implements="theory.hypercube.sdp_margin",
        value=lambda: hypercube.sdp_margin([1, 1, 1]),
        estimate=lambda: chains([1, 1, 1]),
        printed=lambda: -cube.nearest([1, 1, 1], square=True),
        number="value of the relaxation for w = (1, 1, 1); printed: that of the integer problem",
        note="it bounds relaxations of positive maxima; here the relaxation is 0 and the integer value -1, so that no "
        "factor helps",
    ),
    "003-eq17": holds(
        place="equations 14 to 17",
        says="the drift f(w) on the cube as a sum over the corners that open the gate",
        implements="theory.hypercube.drift",
        value=lambda: drift(FIELD[:4], CORR[:4, :4])[0],
        estimate=lambda: enumerated(entrywise(inside=False)),
        number="f at the first site, w = (0.9, -0.37, 0.21, 1.3); signs of a Gaussian field",
        right=r"f(w) = \sum_{x' \in \Theta}\mathbb{E}\left[\left(\prod_i \frac{1 + x'_i X_i}{2}\right) X\right]",
    ),
    "003-entrywise": corrected(
        place="the line after equation 17",
        says="in the sum over corners for the drift f(w), X_j may be taken inside the product over sites",
        implements="theory.hypercube.drift",
        value=lambda: drift(FIELD[:4], CORR[:4, :4])[0],
        estimate=lambda: enumerated(entrywise(inside=False)),
        printed=lambda: entrywise(inside=True),
        number="f at the first site, w = (0.9, -0.37, 0.21, 1.3); signs of a Gaussian field",
        right=r"\sum_{x' \in \Theta}\mathbb{E}\left[\left(\prod_i \frac{1 + x'_i X_i}{2}\right) X_j\right]",
        printed_equation=r"\sum_{x' \in \Theta}\mathbb{E}\left[\prod_i \frac{1 + x'_i X_i}{2}\,X_j\right]",
        note="it must stay outside, or it is there n times; for even n the printed line gives P(gate open) = 1/2",
    ),
    "003-eq22": holds(
        place="equations 18, 19, 21 and 22",
        says="g_j(x) counts the corners that open the gate and agree with x_j",
        implements="theory.hypercube.chow",
        value=lambda: 16 * (0.5 + hypercube.chow(FIELD)[0]),
        estimate=lambda: Estimate(np.sum(CORNERS[CORNERS @ FIELD >= 0][:, 0] == 1), 1e-9, "enumeration of the cube"),
        number="g_1 at x_1 = 1, w = (0.9, -0.37, 0.21, 1.3, -0.55)",
        right=r"g_j(x) = 2^{n-1}\left(\frac{1}{2} + x_j c_j\right)",
        note="c_j is the drift under the uniform law",
    ),
    "003-eq20": corrected(
        place="equation 20",
        says="the drift f(w) on the cube as a sum over sites",
        implements="theory.hypercube.walsh",
        value=by_walsh,
        estimate=lambda: enumerated(opened(FIELD)[0]),
        printed=lambda: cube.sum_over_sites(FIELD, LAW, CORNERS),
        number="f at the first site, w = (0.9, -0.37, 0.21, 1.3, -0.55); signs of a Gaussian field",
        right=r"f(w) = \sum_{|S|\ \mathrm{odd}} c_S\,\mathbb{E}[x^S x]",
        printed_equation=r"f(w) = \sum_j \mathbb{E}[g_j(X)\,X]",
        note="a product over sites became a sum. It is a sum over odd sets S of sites, c_S the Walsh coefficients of the gate",
    ),
    "003-divide": refuted(
        place="section 3.1, the goals after equation 20",
        says="a site either decides the gate on the cube or hardly matters to it, with nothing in between",
        implements="theory.hypercube.influence",
        value=lambda: hypercube.influence([1] * 9)[0],
        estimate=lambda: Estimate(2 * cube.uniform_chow(np.ones(9, dtype=int), 0), 1e-12, "convolution"),
        printed=lambda: 1.0 - 1.0,  # g_j(1) - g_j(-1), each of which is printed as about 1
        number="influence 2|c_j| of one of nine equal weights",
        right=r"g_j(1) - g_j(-1) \propto 2|c_j| \approx \sqrt{\frac{2}{\pi n}}",
        note="the influence takes all values between 0 and 1; the formula is for n equal weights",
    ),
}
