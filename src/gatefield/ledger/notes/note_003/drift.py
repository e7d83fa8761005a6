"""Note 003, sections 1 and 2: setting and dynamics of one neuron.

Data (equations 1, 2); velocity and drift (3 to 5), properties 1 to 4, the early phase, the extra fact.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import jax
import numpy as np

from gatefield.data import Gaussian, Ising, line_correlation, ring_spectrum
from gatefield.ledger.formula import Estimate, sampled
from gatefield.ledger.notes.note_003 import corrected, holds, holds_if, refuted
from gatefield.ledger.routes import calculus, cube, gaussian, rings
from gatefield.theory import drift, elliptical, neuron

FIELD = np.array([0.9, -0.37, 0.21, 1.3, -0.55, 0.4])
SITE = np.eye(6)[0]
POINTS, J1, J0 = cube.corners(6), 0.6, 0.2
LAW1, LAW0 = cube.ring_law(6, J1), cube.ring_law(6, J0)
RING = rings.ring(6, 1.5)
STRETCH, ANGLE = np.diag([2.0, 1.0]), 0.7
TURN = np.array([[np.cos(ANGLE), -np.sin(ANGLE)], [np.sin(ANGLE), np.cos(ANGLE)]])
SYMMETRY, STRETCHED, TILTED = STRETCH @ TURN @ np.linalg.inv(STRETCH), STRETCH @ STRETCH, np.array([1.0, 0.3])
"""A matrix A such that Ax has the law of x for covariance diag(4, 1), that covariance, and a field."""
SKEWED = (Fraction(7, 10), Fraction(-31, 100), Fraction(1, 2))
EARLY = np.random.default_rng(0).normal(size=40)
ENUMERATION = "enumeration of the cube"
POLAR = "quadrature over the plane of a site and the field"
KERNEL = r"\Sigma_{ij} = e^{-(i - j)^2/\xi^2}"


def enumerated(value: float, error: float = 1e-12) -> Estimate:
    return Estimate(value, error, ENUMERATION)


def cube_velocity() -> float:
    """The velocity of one neuron on two laws on the cube."""
    source1, source0 = Ising(6, J1), Ising(6, J0)
    return float(neuron.velocity(FIELD, partial(drift, source1), source1.covariance(), source0.covariance())[0])


def slope(function: Callable[[np.ndarray], float], error: float) -> Estimate:
    """Of a function of the field, at one site."""
    change = calculus.derivative(lambda e: function(FIELD + e * SITE), 1e-4, order=2)
    return Estimate(change, error, f"central differences, {ENUMERATION}")


def equation_4() -> float:
    """As printed."""
    both = cube.covariance(LAW0, POINTS) + cube.covariance(LAW1, POINTS)
    return (cube.opened(FIELD, LAW1, POINTS) / 2 - both @ FIELD / 2)[0]


def early_ratio() -> float:
    """Label term over decay term of the velocity, both along the field, for a standard normal field on 40 sites."""
    source1, source0 = Gaussian(40, 2.0), Gaussian(40, 4.0)
    decay = EARLY @ (source1.covariance() + source0.covariance()) @ EARLY / 4
    return float(EARLY @ drift(source1, EARLY) / 2 / decay)


def sampled_early_ratio(size: int = 100_000) -> Estimate:
    cov1, both = rings.ring(40, 2.0), rings.ring(40, 2.0) + rings.ring(40, 4.0)
    field = np.random.default_rng(1).normal(size=(size, 40)) @ (np.linalg.cholesky(cov1).T @ EARLY)
    return sampled(gaussian.sampled(np.maximum(field, 0) / 2 / (EARLY @ both @ EARLY / 4)), f"{size} samples")


def rate_ratio_by_waves() -> Estimate:
    """Rates as the response of the covariances to waves."""
    both, wave = rings.ring(40, 2.0) + rings.ring(40, 4.0), np.cos(2 * np.pi * 3 * np.arange(40) / 40)
    return Estimate((both @ wave)[0] / both[0].sum(), 1e-12, "covariances applied to waves")


def gaussian_slope() -> np.ndarray:
    """The derivative of the drift of Gaussian data by automatic differentiation."""
    with jax.enable_x64(True):
        return np.asarray(jax.jacfwd(lambda w: elliptical.drift(w, RING, "gaussian"))(jax.numpy.asarray(FIELD)))


def change_along_itself() -> Estimate:
    """How much the drift changes when the field grows."""
    change = calculus.derivative(lambda e: gaussian.open_mean((1 + e) * FIELD, RING), 1e-4, order=2)
    return Estimate(np.abs(change).max(), 1e-10, f"central differences, {POLAR}")


FORMULAS = {
    "003-eq1": holds_if(
        place="equations 1 and 2",
        says="mean of output times input of one ReLU neuron, on translation-invariant data",
        implements="theory.drift",
        value=lambda: (Ising(6, J1).covariance() @ FIELD)[0] / 2,
        estimate=lambda: enumerated(float(LAW1 @ (np.maximum(POINTS @ FIELD, 0) * POINTS[:, 0])), 1e-13),
        number="first entry of E[1(w.x > 0) x x'] w; Ising ring of 6 sites",
        right=r"\mathbb{E}[\mathbb{1}(\langle w, x\rangle > 0)\,x x^\top]\,w = \frac{1}{2} C w",
        note="the law must be symmetric about zero and the classes balanced, besides translation invariance",
    ),
    "003-translation-only": refuted(
        place="section 1",
        says="translation invariance is all that the dynamics of one neuron assume",
        implements="theory.drift",
        value=lambda: cube.skewed_image(SKEWED),
        estimate=lambda: sampled(cube.sampled_skewed_image(SKEWED), "400000 samples"),
        printed=lambda: 2 * SKEWED[0] / 2,  # Cw/2 with C = 2 I
        number="first entry of E[1(w.x > 0) x x'] w; three independent sites, each 2 with probability 1/3, else -1",
        right=r"\mathbb{E}[\mathbb{1}(\langle w, x\rangle > 0)\,x x^\top]\,w \neq \frac{1}{2} C w",
        printed_equation=r"\mathbb{E}[\mathbb{1}(\langle w, x\rangle > 0)\,x x^\top]\,w = \frac{1}{2} C w",
        note="this law is translation-invariant and of mean 0, but not symmetric about zero",
    ),
    "003-eq2-kernel": corrected(
        place="equation 2",
        says="the covariance exp(-(i-j)^2/xi^2) goes with circular shifts and a Fourier basis",
        implements="data.line_correlation",
        value=lambda: rings.off_diagonal(rings.in_fourier(np.asarray(line_correlation(40, 2.0)))),
        estimate=lambda: Estimate(
            rings.distance_to_circulant(rings.line(40, 2.0)), 1e-12, "distance to the nearest circulant matrix"
        ),
        printed=lambda: rings.distance_to_circulant(rings.ring(40, 2.0)),  # of a kernel that does go with shifts
        number="norm off the diagonal in the Fourier basis, relative to the whole; 40 sites, xi = 2. Printed: 0, as for a "
        "circulant one",
        right=r"\Sigma_{ij} \propto \sum_p e^{-(i - j + pn)^2/\xi^2}",
        printed_equation=KERNEL,
        note="it is Toeplitz; wrapped around the ring it is circulant",
    ),
    "003-eq4": corrected(
        place="equation 4",
        says="gradient flow of one ReLU neuron, by its drift f(w)",
        implements="theory.neuron.velocity",
        value=cube_velocity,
        estimate=lambda: slope(lambda w: -cube.loss(w, (LAW1, LAW0), POINTS), 1e-9),
        printed=equation_4,
        number="velocity at the first site; Ising rings of 6 sites",
        right=r"\tau\frac{dw}{dt} = \frac{1}{2} f(w) - \frac{1}{4}(\Sigma_0 + \Sigma_1)w",
        printed_equation=r"\tau\frac{dw}{dt} = \frac{1}{2} f(w) - \frac{1}{2}(\Sigma_0 + \Sigma_1)w",
        note="for half the mean squared error; the printed 1/2 in both places fits no scale of the loss",
    ),
    "003-eq5": holds(
        place="equation 5",
        says="the gradient of the mean output of a ReLU neuron is its drift f(w)",
        implements="theory.drift",
        value=lambda: drift(Ising(6, J1), FIELD)[0],
        estimate=lambda: slope(lambda w: cube.output(w, LAW1, POINTS), 1e-10),
        number="f at the first site; Ising ring of 6 sites",
        right=r"\nabla\,\mathbb{E}\,\mathrm{ReLU}(\langle w, x\rangle) = \mathbb{E}[\mathbb{1}(\langle w, x\rangle \geq 0)\,x]",
        note="for a symmetric law ties do not matter, because those x cancel",
    ),
    "003-property1": holds(
        place="section 2, property 1",
        says="the drift f(w) does not change with the size of the field",
        implements="theory.drift",
        value=lambda: drift(Ising(6, J1), 3.7 * FIELD)[1],
        estimate=lambda: enumerated(cube.opened(FIELD, LAW1, POINTS)[1]),
        number="f(3.7 w) at the second site; Ising ring of 6 sites",
        right=r"f(\alpha w) = f(w),\quad \alpha > 0",
    ),
    "003-property2": holds_if(
        place="section 2, property 2",
        says="the drift f(w) changes sign with the field",
        implements="theory.drift",
        value=lambda: drift(Ising(6, J1), -FIELD)[1],
        estimate=lambda: enumerated(-cube.opened(FIELD, LAW1, POINTS)[1]),
        number="f(-w) at the second site; Ising ring of 6 sites",
        right=r"f(-w) = -f(w)",
        note="if the mean of x is zero and ties carry no mean",
    ),
    "003-property3": holds_if(
        place="section 2, property 3",
        says="the drift f(w) of a shifted field is the shifted drift",
        implements="theory.drift",
        value=lambda: drift(Ising(6, J1), np.roll(FIELD, 2))[3],
        estimate=lambda: enumerated(cube.opened(FIELD, LAW1, POINTS)[1]),
        number="f of a field shifted by two sites, at the fourth site; Ising ring of 6 sites",
        right=r"f(\mathcal{C} w) = \mathcal{C} f(w)",
        note="if the law is that of a ring; on a line, as equation 2 prints it, this fails",
    ),
    "003-property4": corrected(
        place="section 2, property 4",
        says="how the drift f(w) changes under a linear map A that leaves the law of the data as it is",
        implements="theory.elliptical.drift",
        value=lambda: (SYMMETRY @ np.asarray(elliptical.drift(SYMMETRY.T @ TILTED, STRETCHED, "gaussian")))[0],
        estimate=lambda: Estimate(gaussian.open_mean(TILTED, STRETCHED)[0], 1e-12, POLAR),
        printed=lambda: (SYMMETRY.T @ gaussian.open_mean(SYMMETRY @ TILTED, STRETCHED))[0],
        number="first entry of f(w) by way of A; Gaussian data of covariance diag(4, 1)",
        right=r"f(A^\top w) = A^{-1} f(w)",
        printed_equation=r"f(A w) = A^{-\top} f(w)",
        note="both forms agree for orthogonal A",
    ),
    "003-early-phase": holds(
        place="section 2, early phase",
        says="at a standard normal start the decay term dominates the velocity of one ReLU neuron",
        implements="theory.drift",
        value=early_ratio,
        estimate=sampled_early_ratio,
        number="label term over decay term, both along the field; Gaussian rings, n = 40, xi = (2, 4)",
    ),
    "003-low-frequencies": holds(
        place="section 2, footnote 3",
        says="the decay term shrinks low frequencies of a field faster than high ones",
        implements="data.ring_spectrum",
        value=lambda: np.divide(*(ring_spectrum(40, 2.0) + ring_spectrum(40, 4.0))[[3, 0]]),
        estimate=rate_ratio_by_waves,
        number="decay rate of frequency 3 over that of frequency 0; n = 40, xi = (2, 4)",
        right=r"\left.\tau\frac{du_k}{dt}\right|_{\mathrm{decay}} = -\frac{1}{4}(\lambda_{0k} + \lambda_{1k})\,u_k",
    ),
    "003-extra-fact": holds(
        place="section 2, extra fact",
        says="the derivative of the drift f(w) is orthogonal to the field on both sides",
        implements="theory.drift",
        value=lambda: max(np.abs(gaussian_slope() @ FIELD).max(), np.abs(FIELD @ gaussian_slope()).max()),
        estimate=change_along_itself,
        number="largest entry of J w and w'J; Gaussian ring of 6 sites",
        right=r"J w = 0,\quad w^\top J = 0,\quad J = \frac{\partial f}{\partial w}",
        note="because E relu is convex and of degree one; not special to ReLU",
    ),
}
