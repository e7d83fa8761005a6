"""The drift and its derivative, steady states, moments and orthants of signs, counts and margins on the cube."""

import math

import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.ledger.notes.note_003 import drift as note
from gatefield.ledger.notes.note_003.bumps import CORNERS, CORR, COV, ENUMERATION, FIELD, LAW, LOADS, drift, enumerated, opened
from gatefield.ledger.notes.unprinted import holds
from gatefield.ledger.routes import calculus, cube, gaussian
from gatefield.theory import hypercube

OTHER = np.array([0.2, 1.1, -0.4, 0.35, 0.8])
MAJORITY = (1.0, -1.0, 1.0, 0.0, 0.0)
ROOTS = [math.isqrt(10**24 * p) for p in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)]


def differences() -> np.ndarray:
    """The derivative of the drift of Gaussian data, by central differences of a quadrature."""
    return calculus.jacobian(lambda w: gaussian.open_mean(w, note.RING), note.FIELD, 1e-4)


def convexity_gap() -> Estimate:
    """E relu at two fields less the tangents from the other one, which is <f(w) - f(v), w - v>."""
    law = (LAW, CORNERS)
    tangents = cube.slope(FIELD, OTHER, *law) + cube.slope(OTHER, FIELD, *law)
    gap = cube.output(FIELD, *law) + cube.output(OTHER, *law) - tangents
    return Estimate(gap, 1e-8, f"differences of E relu, {ENUMERATION}")


FORMULAS = {
    "cube-jacobian-symmetric": holds(
        place="derivative of f",
        says="the derivative of the drift f(w) is symmetric",
        implements="theory.elliptical.drift",
        value=lambda: note.gaussian_slope()[0, 3],
        estimate=lambda: Estimate(differences()[3, 0], 1e-7, "central differences of a quadrature, sites exchanged"),
        number="J_14, estimated as J_41; Gaussian ring of 6 sites",
        right=r"J = \mathbb{E}[\delta(\langle w, x\rangle)\,x x^\top]",
        note="J is the second derivative of E relu(w.x)",
    ),
    "cube-jacobian-positive": holds(
        place="derivative of f",
        says="the derivative of the drift f(w) has no negative eigenvalue, and the field is an eigenvector of eigenvalue 0",
        implements="theory.elliptical.drift",
        value=lambda: np.linalg.eigvalsh(note.gaussian_slope())[0],
        estimate=lambda: Estimate(np.linalg.eigvalsh((differences() + differences().T) / 2)[0], 1e-7, "central differences"),
        number="smallest eigenvalue of J; Gaussian ring of 6 sites",
        right=r"J \succeq 0,\quad J w = 0",
    ),
    "cube-flat": holds(
        place="derivative of f",
        says="on the cube the drift f(w) is constant where no corner changes sides",
        implements="theory.hypercube.drift",
        value=lambda: drift(FIELD + 0.001)[0],
        estimate=lambda: enumerated(opened(FIELD)[0]),
        number="f at the first site, w moved by 0.001; signs of a Gaussian field on five sites",
        note="so its derivative is 0 almost everywhere; it jumps at ties",
    ),
    "cube-monotone": holds(
        place="f as a gradient",
        says="the drift f(w) is monotone: <f(w) - f(v), w - v> is never negative",
        implements="theory.hypercube.drift",
        value=lambda: (drift(FIELD) - drift(OTHER)) @ (FIELD - OTHER),
        estimate=convexity_gap,
        number="that product for two fields; signs of a Gaussian field on five sites",
        right=r"\langle f(w) - f(v), w - v\rangle \geq 0",
        note="because f is the gradient of the convex function E relu(w.x)",
    ),
    "cube-localized-state": holds(
        place="steady states",
        says="the localized steady state of a neuron on the cube, if its largest entry exceeds the sum of the others",
        implements="theory.hypercube.localized_state",
        value=lambda: hypercube.localized_state(COV, np.eye(5)).loss,
        estimate=lambda: Estimate(
            cube.settled_loss(LAW, CORNERS, np.eye(5)), 1e-8, f"3000 Euler steps and the loss, {ENUMERATION}"
        ),
        number="its loss; signs of a Gaussian field on five sites against independent ones",
        right=r"w = (C_0 + C_1)^{-1}C_1 e_i,\quad L = \frac{1}{4} - \frac{1}{8}e_i^\top C_1(C_0 + C_1)^{-1}C_1 e_i",
    ),
    "cube-majority-state": holds(
        place="steady states",
        says="a steady state of a neuron on the cube whose gate a majority of three sites decides",
        implements="theory.hypercube.head_state",
        value=lambda: hypercube.head_state(CORR, np.eye(5), MAJORITY).loss,
        estimate=lambda: Estimate(
            cube.settled_loss(LAW, CORNERS, np.eye(5), MAJORITY), 1e-8, f"3000 Euler steps and the loss, {ENUMERATION}"
        ),
        number="its loss, signs 1, -1, 1 of the three sites; signs of a Gaussian field on five sites against independent ones",
        right=r"w = 2(C_0 + C_1)^{-1}f,\quad L = \frac{1}{4} - \frac{1}{4}\langle w, f\rangle",
        note="f is the mean of x where the majority opens the gate",
    ),
    "cube-sign-moment": holds(
        place="moments of signs",
        says="fourth moment E[x_1 x_2 x_3 x_4] of the signs of a Gaussian field, by a recursion over pairs",
        implements="theory.hypercube.sign_moment",
        value=lambda: hypercube.sign_moment(CORR[:4, :4]),
        estimate=lambda: Estimate(cube.product_mean(LOADS[:4]), 1e-11, "one-dimensional quadrature"),
        number="the moment for four correlated sites",
    ),
    "cube-orthant": holds(
        place="orthant probabilities",
        says="probability of one corner of the cube, from moments of signs",
        implements="theory.hypercube.orthant",
        value=lambda: hypercube.orthant(CORR, [1, -1, 1, 1, -1]),
        estimate=lambda: Estimate(
            cube.one_factor(LOADS, np.array([[1.0, -1, 1, 1, -1]]))[0], 1e-11, "one-dimensional quadrature"
        ),
        number="p(1, -1, 1, 1, -1); five correlated sites",
        right=r"p(x) = 2^{-n}\sum_S m_S \prod_{i \in S} x_i",
        note="the sum is over even sets S",
    ),
    "cube-chow-regular": holds(
        place="uniform law",
        says="drift of independent signs, counted exactly",
        implements="theory.hypercube.chow",
        value=lambda: hypercube.chow(range(1, 41))[39],
        estimate=lambda: Estimate(cube.uniform_chow(np.arange(1, 41), 39), 1e-12, "convolution of the law of the others"),
        number="f at the last site, w = (1, ..., 40)",
        right=r"c_j = \mathbb{E}[\mathbb{1}(\langle w, x\rangle > 0)\,x_j] \approx \frac{w_j}{\sqrt{2\pi}|w|}",
        note="the approximation gives 0.107246",
    ),
    "cube-margin": holds(
        place="margin",
        says="margin of a gate on the cube: the smallest signed sum of its weights, by meeting in the middle",
        implements="theory.hypercube.margin",
        value=lambda: hypercube.margin(ROOTS),
        estimate=lambda: Estimate(cube.nearest(ROOTS), 0.0, "enumeration"),
        number="margin of twelve integers, square roots of primes times 10^12",
        right=r"\delta = \min_{x \in \{\pm 1\}^n}\left|\sum_i w_i x_i\right|",
    ),
}
