"""Note 002, section 2, 'Uncertainty Principle': what it hopes for, and what is so. No numbered equations."""

import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.data import Gaussian
from gatefield.ledger.notes.note_002 import holds, refuted
from gatefield.ledger.routes import calculus, neuron, uncertainty
from gatefield.measures import entropies, gabor, gabor_fit, spreads
from gatefield.theory import relu

PLACE = "section on the uncertainty principle"
FINE, WIDE = 100_000, 300.0
"""A ring and a width on it, so fine and long as to be a line to 1e-4."""
TIMES = np.arange(80) / 4
START = np.random.default_rng(3).normal(size=16) / 4
"""A start from which the entropy sum rises on the way."""


def line_product(carrier: float, one_sided: bool = False) -> float:
    """Product of the spreads of a real Gabor of width 1, by the library."""
    position, frequency = spreads(gabor(FINE, FINE / 2, WIDE, carrier * FINE / (2 * np.pi * WIDE)), one_sided=one_sided)
    return 2 * np.pi / FINE * position * frequency


def rise_of_flow() -> float:
    """Largest rise of the entropy sum along the flow of `relu.velocity`, by Runge and Kutta's method."""
    covs = Gaussian(16, 2.0).covariance(), Gaussian(16, 1.0).covariance()
    path = calculus.runge_kutta(lambda w: relu.velocity(w, *covs), START[None], TIMES[1], len(TIMES) - 1)
    return uncertainty.rise(np.add(*entropies(np.concatenate(list(path)))))


def entropies_of_modes() -> np.ndarray:
    return uncertainty.entropy_sum(*uncertainty.energies(neuron.mode_path(START, 2.0, 1.0, TIMES)))


def swapped_field() -> np.ndarray:
    """The field of one neuron after 100 tau on Gaussian data whose positive class has the shorter range."""
    return neuron.mode_path(np.random.default_rng(0).normal(size=24) / 4, 1.0, 2.0, np.array([0.0, 100.0]))[-1]


FORMULAS = {
    "002-uncertainty-minimum": refuted(
        place=PLACE,
        says="a real Gabor has the least product of spreads in position and frequency, 1/2",
        implements="measures.spreads",
        value=lambda: line_product(3.0),
        estimate=lambda: Estimate(uncertainty.spread_product(3.0), 5e-4, "quadrature on the line"),
        printed=lambda: 0.5,  # the number that the note prints
        number="product of the spreads of a real Gabor on a line, carrier of 3 radians per width",
        printed_equation=r"\sigma_x\,\sigma_k = \frac{1}{2}",
        note="a real field has mean frequency 0, so that its spread counts the carrier",
    ),
    "002-uncertainty-gaussian": holds(
        place=PLACE,
        says="the least product of spreads on the line, 1/2, is that of Gaussians",
        implements="measures.spreads",
        value=lambda: line_product(0.0),
        estimate=lambda: Estimate(uncertainty.spread_product(0.0), 5e-4, "quadrature on the line"),
        number="product of the spreads of a Gaussian on a line",
        right=r"\sigma_x\,\sigma_k \geq \frac{1}{2}",
    ),
    "002-uncertainty-monotone": refuted(
        place=PLACE,
        says="the uncertainty of a field decreases monotonically in training",
        implements="measures.entropies",
        value=rise_of_flow,
        estimate=lambda: Estimate(uncertainty.rise(entropies_of_modes()), 1e-4, "closed form of the flow, mode by mode"),
        printed=lambda: uncertainty.rise(-np.sort(-entropies_of_modes())),  # the same values in falling order
        number="largest rise of the entropy sum, in nats, along one exact flow on Gaussian data; n = 16, xi = (2, 1)",
        note="the flow is that of one ReLU neuron, from a start at which the sum rises on the way",
    ),
    "002-gabor-hypothesis": refuted(
        place=PLACE,
        says="on Gaussian data, too, trained fields are Gabors",
        implements="measures.gabor_fit",
        value=lambda: gabor_fit(swapped_field(), model="gabor").R2,
        estimate=lambda: Estimate(uncertainty.best_gabor(swapped_field()), 1e-5, "least squares on sums over images"),
        printed=lambda: uncertainty.best_gabor(uncertainty.by_images(24, 12.0, 4.0, 10.0)),  # of a Gabor
        number="R2 of the best Gabor for the field of one neuron after 100 tau; n = 24, xi = (1, 2)",
        note="the positive class has the shorter range; a Gabor has R2 = 1",
    ),
}
