"""Note 003, section 3, opening: squashed Gaussian data. Equation 7."""

import math

import numpy as np
from scipy.special import erf

from gatefield.core.estimate import Estimate
from gatefield.ledger.notes.note_002.small_bump import QUADRATURE
from gatefield.ledger.notes.note_003 import holds, refuted
from gatefield.ledger.routes import squashed
from gatefield.theory import nlgp

WORST = math.sqrt(1 - 4 / math.pi**2)
"""The correlation at which signs differ most from the latent field."""


def gap_of_signs() -> Estimate:
    """The latent correlation less that of the signs, E[sign(Z_1) sign(Z_2)], the inner mean in closed form."""
    signs = squashed.mean(lambda z: np.sign(z) * erf(WORST * z / math.sqrt(8 / math.pi**2)), 1.0)
    return Estimate(WORST - signs, 1e-10, QUADRATURE)


FORMULAS = {
    "003-eq7": holds(
        place="equation 7",
        says="erf(gZ) has the variance Z(g), by which squashed data are normalised",
        implements="theory.nlgp.variance",
        value=lambda: nlgp.variance(10.0),
        estimate=lambda: Estimate(squashed.deviation(10.0) ** 2, 1e-11, QUADRATURE),
        number="Z(10)",
        right=r"\mathcal{Z}(g) = \frac{2}{\pi}\sin^{-1}\frac{2g^2}{1 + 2g^2}",
        note="it is the latent Z that is N(0, Sigma), not X",
    ),
    "003-covariance-close": refuted(
        place="after equation 7",
        says="the covariance of squashed data is close to that of the latent field",
        implements="theory.nlgp.covariance",
        value=lambda: WORST - nlgp.covariance(WORST, math.inf),
        estimate=gap_of_signs,
        number="largest gap between both correlations at gain infinity",
        right=r"\rho - \frac{2}{\pi}\sin^{-1}\rho \leq 0.2105\quad (g = \infty)",
        note="the largest gap is 0.036 at gain 1, 0.118 at gain 3 and 0.2105 at gain infinity",
    ),
}
