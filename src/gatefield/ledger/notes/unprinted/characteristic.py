"""Characteristic functions of the data: Gaussian, Ising, pulses, signs, and what their logarithm says of a squashed site."""

from functools import partial

import numpy as np

from gatefield.data import Gaussian, Hypercube, Ising, NonlinearGP, SinglePulse
from gatefield.ledger.formula import Estimate
from gatefield.ledger.notes import unprinted
from gatefield.ledger.notes.note_001.small_bump import GAIN
from gatefield.ledger.notes.note_003.drift import ENUMERATION, FIELD, J1, LAW1, POINTS, RING
from gatefield.ledger.routes import cube, rings, squashed
from gatefield.theory import characteristic

holds = partial(unprinted.holds, place="note 002, section 1: characteristic functions", implements="theory.characteristic")
PULSES = rings.pulses(6, 1, 3)


def mean_cosine() -> Estimate:
    """Of w.x, which is normal."""
    spread = np.sqrt(FIELD @ RING @ FIELD)
    return Estimate(squashed.mean(lambda z: np.cos(spread * z), 1.0), 1e-12, "quadrature of the cosine of w.x")


def departure() -> float:
    """24/t^4 (log chi + t^2/2) of one squashed site, for t to 0."""
    source, sizes = NonlinearGP(6, 1.5, GAIN), np.array([0.2, 0.1])
    values = np.real(characteristic(source, sizes[:, None] * np.eye(6)[2]))
    coarse, fine = 24 / sizes**4 * (np.log(values) + sizes**2 / 2)
    return float((4 * fine - coarse) / 3)


FORMULAS = {
    "sheet-characteristic-gaussian": holds(
        says="characteristic function of Gaussian data",
        value=lambda: np.real(characteristic(Gaussian(6, 1.5), FIELD)),
        estimate=mean_cosine,
        number="its value at one w; ring of 6 sites, xi = 1.5",
        right=r"\chi(w) = \mathbb{E}\,e^{i\langle w, x\rangle} = e^{-\frac{1}{2} w^\top C w}",
    ),
    "sheet-characteristic-ising": holds(
        says="characteristic function of an Ising ring, by transfer matrices",
        value=lambda: np.real(characteristic(Ising(6, J1), FIELD)),
        estimate=lambda: Estimate(cube.characteristic(FIELD, POINTS, LAW1).real, 1e-12, ENUMERATION),
        number="its value at one w; ring of 6 sites, J = 0.6",
        right=r"\chi(w) = \frac{\mathrm{tr}\prod_j D_j M}{1 + t^n},\quad D_j = \mathrm{diag}(e^{iw_j}, e^{-iw_j}),"
        r"\quad M = \frac{1}{2}(1 + t\,s s'),\quad t = \tanh J",
    ),
    "sheet-characteristic-pulse": holds(
        says="characteristic function of single pulses, a sum over all of them",
        value=lambda: np.imag(characteristic(SinglePulse(6, (1, 3)), FIELD)),
        estimate=lambda: Estimate(cube.characteristic(FIELD, PULSES, np.full(18, 1 / 18)).imag, 1e-12, "all 18 pulses"),
        number="its imaginary part at one w; ring of 6 sites, widths 1 to 3",
        right=r"\chi(w) = \frac{1}{N}\sum_{x} e^{i\langle w, x\rangle}",
        note="the sum is over all N pulses; the imaginary part would be 0 for a law symmetric about zero",
    ),
    "sheet-characteristic-signs": holds(
        says="characteristic function of the signs of a Gaussian field, a sum over the corners of the cube",
        value=lambda: np.real(characteristic(Hypercube(3, 1.5), FIELD[:3])),
        estimate=lambda: Estimate(
            cube.characteristic(FIELD[:3], cube.corners(3), cube.three_signs(1.5)).real,
            1e-10,
            "three sites, by pair correlations",
        ),
        number="its value at one w; ring of 3 sites, xi = 1.5",
        right=r"\chi(w) = \sum_{x \in \{\pm 1\}^n} p(x)\,e^{i\langle w, x\rangle}",
    ),
    "sheet-characteristic-kurtosis": holds(
        says="the logarithm of the characteristic function departs from the Gaussian form by the excess kurtosis",
        value=departure,
        estimate=lambda: Estimate(squashed.kurtosis(GAIN), 1e-4, "fourth moment by quadrature"),
        number="kappa_4 of one squashed site at gain 3, from the departure at two sizes of t",
        right=r"\log\chi(t\,e_i) = -\frac{t^2}{2} + \frac{\kappa_4}{24}t^4 + O(t^6)",
    ),
}
