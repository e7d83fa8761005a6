"""Ledger of the hypercube: section 3 of note 003, and what it needs."""

import math
from functools import partial

import jax
import numpy as np

from gatefield.ledger.formula import Entry, Estimate
from gatefield.ledger.routes import drift_cases
from gatefield.ledger.routes import hypercube_cases as cases
from gatefield.ledger.routes.closure_cases import panels
from gatefield.ledger.routes.hypercube_cases import CORR, COV, ENUMERATION, FIELD, OTHER, site
from gatefield.theory import elliptical, hypercube

BUMP, PAIR, LEAD, AGAINST = (np.array(w) for w in ([1.0, 0, 0, 0, 0], [1.0, 1, 0, 0, 0], [1.5, 1, 0, 0, 0], [1.5, -1, 0, 0, 0]))
THREE, THREE_LEAD, THREE_TIE = (np.array([a, 1.5, 0, 1.0, 0]) for a in (2.0, 2.6, 2.5))
EVEN = (1 + np.eye(5)) / 2
HEAD = (20, 14, 11, 1, 1, 0)
LEADING = np.array([1.0, 0.3, -0.2, 0.2, 0.25])


def drift(w, corr: np.ndarray = CORR) -> np.ndarray:
    return np.asarray(hypercube.drift(w, corr))


def even_site(w: np.ndarray, where: int) -> float:
    """The drift at one site for equal correlations of 1/2, by enumeration."""
    law = cases.one_factor(np.full(5, math.sqrt(0.5)), cases.CORNERS)
    return float(cases.opened(w, law)[where])


def by_walsh() -> float:
    """The first entry of the drift as the sum of Walsh coefficients times moments."""
    coefficient, moments = hypercube.walsh(FIELD), np.zeros(32)
    corners, law = hypercube.corners(5), hypercube.pattern_law(CORR)
    for s in range(32):
        inside = (s >> np.arange(5)) & 1 == 1
        moments[s] = law @ (corners[:, inside].prod(1) * corners[:, 0])
    return float(coefficient @ moments)


def open_corners() -> Estimate:
    """How many corners open the gate and have sign 1 at the first site."""
    inside = cases.CORNERS[cases.CORNERS @ FIELD >= 0]
    return Estimate(float(np.sum(inside[:, 0] == 1)), 1e-9, "enumeration of the cube")


def gaussian_slope() -> np.ndarray:
    """The derivative of the drift of Gaussian data by automatic differentiation."""
    with jax.enable_x64(True):
        function = lambda w: elliptical.drift(w, drift_cases.RING1, "gaussian")  # noqa: E731
        return np.asarray(jax.jacfwd(function)(jax.numpy.asarray(drift_cases.FIELD)))


def differences() -> np.ndarray:
    """The same by central differences of a quadrature."""
    step, w = 1e-4, drift_cases.FIELD
    moves = step * np.eye(len(w))
    both = [
        (drift_cases.polar_drift(w + m, drift_cases.RING1), drift_cases.polar_drift(w - m, drift_cases.RING1)) for m in moves
    ]
    return np.array([(up - down) / (2 * step) for up, down in both]).T


def fourth_moment() -> Estimate:
    a = cases.LOADS[:4]
    t, weight = panels(np.linspace(-9, 9, 37))
    odds = 2 * cases.ndtr((a / np.sqrt(1 - a**2))[:, None] * t) - 1
    value = float(odds.prod(0) @ (weight * np.exp(-(t**2) / 2))) / math.sqrt(2 * math.pi)
    return Estimate(value, 1e-11, "one-dimensional quadrature")


note, sheet = (partial(Entry, source=source) for source in ("003", "sheet"))
f = partial(note, implements="theory.hypercube.drift")

ENTRIES = (
    f(
        name="003-shape-only",
        place="section 2, after the properties",
        says="f depends only on the shape of w, not on its size or position",
        status="corrected",
        value=lambda: float(drift(np.roll(FIELD, 1), EVEN)[2]),
        estimate=lambda: Estimate(even_site(FIELD, 1), 1e-10, ENUMERATION),
        printed=lambda: even_site(FIELD, 2),
        note="f does not change with the size of w and moves along with its position; here one site of f of a moved field",
    ),
    f(
        name="003-eq8",
        place="equation 8, single bump",
        says="f(e_i) = Sigma e_i",
        status="corrected",
        value=lambda: float(drift(BUMP)[1]),
        estimate=lambda: site(BUMP, 1),
        printed=lambda: float(CORR[0, 1]),
        note="f = C e_i/2 with C = (2/pi) arcsin Sigma, the covariance of the signs",
    ),
    f(
        name="003-eq9",
        place="equation 9, balanced bumps",
        says="f(e_i + e_j) = Sigma (e_i + e_j)",
        status="corrected",
        value=lambda: float(drift(PAIR)[3]),
        estimate=lambda: site(PAIR, 3),
        printed=lambda: float((CORR @ PAIR)[3]),
        note="f = C(e_i + e_j)/4: half of the factor of equation 8, so that no scale of f repairs both",
    ),
    f(
        name="003-eq10",
        place="equation 10, imbalanced bumps",
        says="f(alpha e_i + e_j) = Sigma e_i for alpha > 1",
        status="corrected",
        value=lambda: float(drift(LEAD)[3]),
        estimate=lambda: site(LEAD, 3),
        printed=lambda: float(CORR[0, 3]),
        note="f = C e_i/2",
    ),
    f(
        name="003-eq11",
        place="equation 11, imbalanced bumps of opposite sign",
        says="f(alpha e_i - e_j) = Sigma e_i for alpha > 1",
        status="corrected",
        value=lambda: float(drift(AGAINST)[3]),
        estimate=lambda: site(AGAINST, 3),
        printed=lambda: float(CORR[0, 3]),
        note="f = C e_i/2",
    ),
    f(
        name="003-eq12",
        place="equation 12, three bumps",
        says="f(alpha e_i + beta e_j + e_k) is about Sigma e_i for alpha > beta > 1",
        status="corrected",
        value=lambda: float(drift(THREE)[1]),
        estimate=lambda: site(THREE, 1),
        printed=lambda: float(CORR[0, 1]),
        note="for alpha < beta + 1 the majority decides: f = (C(e_i + e_j + e_k) - m)/4 with m_l = E[x_i x_j x_k x_l]",
    ),
    f(
        name="003-eq12-lead",
        place="equation 12, three bumps",
        says="the same for alpha > beta + 1",
        status="corrected",
        value=lambda: float(drift(THREE_LEAD)[1]),
        estimate=lambda: site(THREE_LEAD, 1),
        printed=lambda: float(CORR[0, 1]),
        note="then f = C e_i/2 exactly",
    ),
    f(
        name="003-eq12-tie",
        place="equation 12, three bumps",
        says="the same for alpha = beta + 1",
        status="corrected",
        value=lambda: float(drift(THREE_TIE)[1]),
        estimate=lambda: Estimate(float((cases.opened(THREE) + cases.opened(THREE_LEAD))[1]) / 2, 1e-10, ENUMERATION),
        printed=lambda: float(CORR[0, 1]),
        note="then f is the mean of both regimes beside it",
    ),
    f(
        name="003-maximum",
        place="section 3.1",
        says="f extracts the largest entry of w",
        status="refuted",
        value=lambda: float(drift([1.5, 0, 0, 2.0, 1.0])[3] / drift([1.5, 0, 0, 2.0, 1.0]).max()),
        estimate=lambda: Estimate(
            float(cases.opened(np.array([1.5, 0, 0, 2.0, 1.0]))[3] / cases.opened(np.array([1.5, 0, 0, 2.0, 1.0])).max()),
            1e-10,
            ENUMERATION,
        ),
        printed=lambda: 1.0,
        note="only if it exceeds the sum of the others. The number is f where w is largest, over the largest entry of f",
    ),
    f(
        name="003-independence",
        place="section 3.1",
        says="X_j is nearly independent of the gate unless w_j is the largest entry",
        status="refuted",
        value=lambda: 2 * float(drift(BUMP)[1]),
        estimate=lambda: Estimate(2 * float(cases.opened(BUMP)[1]), 1e-10, ENUMERATION),
        printed=lambda: 0.0,
        note="correlated signs follow the gate: for a single bump E[X_j|gate] = C_ij, the number here",
    ),
    f(
        name="003-leading-weight",
        place="section 3, 'More generally?'",
        says="if the largest weight exceeds the sum of the others, it alone decides the gate",
        status="holds",
        value=lambda: float(drift(LEADING)[4]),
        estimate=lambda: Estimate(float(COV[0, 4]) / 2, 1e-10, f"half of the covariance, by {ENUMERATION}"),
        note="then f = sign(w_1) C e_1/2",
    ),
    note(
        name="003-eq13",
        place="equation 13 and the condition after it",
        says="the k largest weights decide the gate if the others add up to less than delta",
        status="holds",
        implements="theory.hypercube.head_size",
        value=lambda: float(hypercube.head_size(HEAD)),
        estimate=lambda: cases.sites_that_matter(HEAD),
        note="it is necessary too, and no other set of weights decides with fewer; the number is how many sites the gate sees",
    ),
    note(
        name="003-delta-int",
        place="section 3, SDP",
        says="the integer problem has value -sqrt(delta)",
        status="corrected",
        implements="theory.hypercube.margin",
        value=lambda: -(hypercube.margin([3, 2, 2, 2.5]) ** 2),
        estimate=lambda: Estimate(-cases.nearest([3, 2, 2, 2.5], square=True), 1e-12, "enumeration of the cube"),
        printed=lambda: -math.sqrt(cases.nearest([3, 2, 2, 2.5])),
        note="-delta^2",
    ),
    note(
        name="003-sdp",
        place="section 3, SDP",
        says="a semidefinite relaxation bounds delta",
        status="holds with a condition",
        implements="theory.hypercube.sdp_margin",
        value=lambda: hypercube.sdp_margin([5, 2, 1, 1]),
        estimate=lambda: cases.sticks([5, 2, 1, 1]),
        note="if one weight exceeds the sum of the others, the value is -delta^2, which is in closed form anyway; else it is 0",
    ),
    note(
        name="003-grothendieck",
        place="section 3, SDP",
        says="Grothendieck's inequality might bound delta from below",
        status="refuted",
        implements="theory.hypercube.sdp_margin",
        value=lambda: hypercube.sdp_margin([1, 1, 1]),
        estimate=lambda: cases.sticks([1, 1, 1]),
        printed=lambda: -cases.nearest([1, 1, 1], square=True),
        note="it bounds relaxations of positive maxima; here the relaxation is 0, the integer value -1 (printed)",
    ),
    f(
        name="003-eq17",
        place="equations 14 to 17",
        says="f is a sum over the corners of the gate of products of (1 + x'_i X_i)/2",
        status="holds",
        value=lambda: float(drift(FIELD[:4], CORR[:4, :4])[0]),
        estimate=lambda: Estimate(cases.entrywise(inside=False), 1e-10, ENUMERATION),
    ),
    f(
        name="003-entrywise",
        place="the line after equation 17",
        says="entrywise, X_j may be taken inside the product over sites",
        status="corrected",
        value=lambda: float(drift(FIELD[:4], CORR[:4, :4])[0]),
        estimate=lambda: Estimate(cases.entrywise(inside=False), 1e-10, ENUMERATION),
        printed=lambda: cases.entrywise(inside=True),
        note="it must stay outside, or it is there n times; for even n the printed line gives P(gate open) = 1/2",
    ),
    note(
        name="003-eq22",
        place="equations 18, 19, 21 and 22",
        says="g_j counts the corners of the gate that agree with x_j",
        status="holds",
        implements="theory.hypercube.chow",
        value=lambda: 16 * (0.5 + float(hypercube.chow(FIELD)[0])),
        estimate=open_corners,
        note="g_j = 2^(n-1) (1/2 + x_j c_j) with c_j the drift under the uniform law; the number is g_1 at x_1 = 1",
    ),
    note(
        name="003-eq20",
        place="equation 20",
        says="f is the sum over sites of E[g_j(X) X]",
        status="corrected",
        implements="theory.hypercube.walsh",
        value=by_walsh,
        estimate=lambda: site(FIELD, 0),
        printed=cases.printed_sum,
        note="the product over sites became a sum. f = sum of c_S E[x^S x] over odd sets, c_S from the Walsh expansion",
    ),
    note(
        name="003-divide",
        place="section 3.1, the goals after equation 20",
        says="g_j is either that of a site which decides the gate or nearly constant, with nothing in between",
        status="refuted",
        implements="theory.hypercube.influence",
        value=lambda: float(hypercube.influence([1] * 9)[0]),
        estimate=lambda: Estimate(2 * cases.uniform_chow(np.ones(9, dtype=int), 0).value, 1e-12, "convolution"),
        printed=lambda: 0.0,
        note="the influence 2|c_j| takes all values between 0 and 1; n equal weights have about sqrt(2/(pi n)), here n = 9",
    ),
    sheet(
        name="cube-jacobian-symmetric",
        place="derivative of f",
        says="the derivative of f is symmetric",
        status="holds",
        implements="theory.elliptical.drift",
        value=lambda: float(gaussian_slope()[0, 3]),
        estimate=lambda: Estimate(float(differences()[3, 0]), 1e-7, "central differences of a quadrature, sites exchanged"),
        note="J = E[delta(w.x) x x'], the second derivative of E relu(w.x); Gaussian data",
    ),
    sheet(
        name="cube-jacobian-positive",
        place="derivative of f",
        says="the derivative of f has no negative eigenvalue, and the field is an eigenvector of eigenvalue 0",
        status="holds",
        implements="theory.elliptical.drift",
        value=lambda: float(np.linalg.eigvalsh(gaussian_slope())[0]),
        estimate=lambda: Estimate(
            float(np.linalg.eigvalsh((differences() + differences().T) / 2)[0]), 1e-7, "central differences"
        ),
        note="the number is the smallest eigenvalue",
    ),
    sheet(
        name="cube-flat",
        place="derivative of f",
        says="on the cube f is constant where no corner changes sides",
        status="holds",
        implements="theory.hypercube.drift",
        value=lambda: float(drift(FIELD + 0.001)[0]),
        estimate=lambda: site(FIELD, 0),
        note="so its derivative is 0 almost everywhere; it jumps at ties",
    ),
    sheet(
        name="cube-monotone",
        place="f as a gradient",
        says="<f(w) - f(v), w - v> is never negative",
        status="holds",
        implements="theory.hypercube.drift",
        value=lambda: float((drift(FIELD) - drift(OTHER)) @ (FIELD - OTHER)),
        estimate=cases.convexity_gap,
        note="because f is the gradient of the convex function E relu(w.x)",
    ),
    sheet(
        name="cube-localized-state",
        place="steady states",
        says="the localized state is (C0 + C1)^-1 C1 e_i, if its largest entry exceeds the sum of the others",
        status="holds",
        implements="theory.hypercube.localized_state",
        value=lambda: float(hypercube.localized_state(COV, np.eye(5)).loss),
        estimate=lambda: cases.settled_loss(np.eye(5)),
        note="the number is its loss 1/4 - e_i'C1 (C0 + C1)^-1 C1 e_i/8",
    ),
    sheet(
        name="cube-sign-moment",
        place="moments of signs",
        says="recursion over pairs for E[x_1 x_2 x_3 x_4]",
        status="holds",
        implements="theory.hypercube.sign_moment",
        value=lambda: float(hypercube.sign_moment(CORR[:4, :4])),
        estimate=fourth_moment,
    ),
    sheet(
        name="cube-orthant",
        place="orthant probabilities",
        says="p(x) = 2^-n times the sum of m_S x^S over even sets S",
        status="holds",
        implements="theory.hypercube.orthant",
        value=lambda: float(hypercube.orthant(CORR, [1, -1, 1, 1, -1])),
        estimate=lambda: Estimate(
            float(cases.one_factor(cases.LOADS, np.array([[1.0, -1, 1, 1, -1]]))[0]), 1e-11, "one-dimensional quadrature"
        ),
    ),
    sheet(
        name="cube-chow-regular",
        place="uniform law",
        says="the drift of independent signs, counted exactly",
        status="holds",
        implements="theory.hypercube.chow",
        value=lambda: float(hypercube.chow(range(1, 41))[39]),
        estimate=lambda: cases.uniform_chow(np.arange(1, 41), 39),
        note="w = 1, ..., 40 at its last site: 0.108717, near w_j/(sqrt(2 pi)|w|) = 0.107246",
    ),
    sheet(
        name="cube-margin",
        place="margin",
        says="the smallest signed sum of integers by meeting in the middle",
        status="holds",
        implements="theory.hypercube.margin",
        value=lambda: float(hypercube.margin([math.isqrt(10**24 * p) for p in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)])),
        estimate=lambda: Estimate(
            cases.nearest([math.isqrt(10**24 * p) for p in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)]), 0.0, "enumeration"
        ),
    ),
)
