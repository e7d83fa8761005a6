"""How the drift of squashed Gaussian data changes with the field: behind one site, for two sites, and by sampled lines."""

import jax
import numpy as np

from gatefield.data import NonlinearGP
from gatefield.ledger.formula import Estimate
from gatefield.ledger.notes import unprinted
from gatefield.ledger.notes.note_001.small_bump import GAIN
from gatefield.ledger.routes import rings, squashed
from gatefield.theory import drift_jacobian

PAIR = np.array([1.0, 0.6])
TRIPLE = np.array([1.0, -0.5, 0.3])
RHO = float(np.exp(-1.0))
"""The correlation of neighbours on a line with a length scale of one site."""
EXTRA = "note 003, extra fact, at finite gain"


def two_sites() -> float:
    return float(drift_jacobian(NonlinearGP(2, 1.0, GAIN, boundary="line"), PAIR)[1, 1])


def by_lines() -> float:
    source = NonlinearGP(3, 1.5, GAIN)
    return float(drift_jacobian(source, TRIPLE, method="sampled", key=jax.random.key(0), samples=40_000)[1, 1])


def on_a_grid() -> Estimate:
    """The error is that of the library's 40,000 lines: four standard errors."""
    return Estimate(squashed.three_sites(TRIPLE, rings.ring(3, 1.5), GAIN)[1, 1], 2e-3, "quadrature over two of the sites")


FORMULAS = {
    "sheet-jacobian-site": unprinted.holds(
        place=EXTRA,
        says="derivative of the drift f(w) on squashed data behind a gate of one site",
        implements="theory.drift_jacobian",
        value=lambda: drift_jacobian(NonlinearGP(6, 1.5, GAIN), np.eye(6)[0])[1, 2],
        estimate=lambda: Estimate(
            squashed.behind_one_site(rings.ring(6, 1.5), GAIN, 1, 2), 1e-9, "quadrature in the plane, where z is 0 at the site"
        ),
        number="J_23 for w = e_1; ring of 6 sites, xi = 1.5, gain 3",
        right=r"J_{jk} = \frac{1}{\sqrt{2}\,\pi g Z(g)}\sin^{-1}\frac{c_{jk}}{\sqrt{(c_{jj} + 1/2g^2)(c_{kk} + 1/2g^2)}},"
        r"\quad c_{jk} = \rho_{jk} - \rho_{ij}\rho_{ik}",
        note="for the weight 1; at gain infinity it is 0, because the drift of signs is constant in cells",
    ),
    "sheet-jacobian-pair": unprinted.holds(
        place=EXTRA,
        says="derivative of the drift f(w) on squashed data of two sites, as one integral along the curve w.x = 0",
        implements="theory.drift_jacobian",
        value=two_sites,
        estimate=lambda: Estimate(squashed.pair_slope(PAIR, RHO, GAIN), 1e-7, "central differences of a quadrature"),
        number="J_22 for w = (1, 0.6); line, xi = 1, gain 3",
    ),
    "sheet-jacobian-lines": unprinted.holds(
        place=EXTRA,
        says="derivative of the drift f(w) on squashed data, by roots on random lines",
        implements="theory.drift_jacobian",
        value=by_lines,
        estimate=on_a_grid,
        number="J_22 for w = (1, -0.5, 0.3); ring of 3 sites, xi = 1.5, gain 3",
        right=r"J = \mathbb{E}[\delta(\langle w, x\rangle)\,x x^\top]",
        note="no gate of finite width is needed",
    ),
}
