"""Note 000, section 3.3, second half: the limiting loss (equations 13 to 16) and which gates are best (17, 18, tiling)."""

from functools import partial

import numpy as np

from gatefield.data import Gaussian, Task
from gatefield.gates import delta, half_spaces
from gatefield.ledger.formula import Estimate, sampled
from gatefield.ledger.notes.note_000 import corrected, holds, holds_if, refuted
from gatefield.ledger.routes import gated
from gatefield.theory import gated_linear as gl
from gatefield.theory import hypercube

FIT = "least squares on a set of samples"
LIMITING_LOSS = r"\mathcal{L}_\infty = \mathbb{E}[y^2] - b^\top A^{+} b"
BY_MEANS = (
    r"\mathbb{E}[y^2] - \mathcal{L}_\infty = \frac{1}{2}\,m_1^\top (S_1 + S_0)^{+} m_1,\quad "
    r"m_c = \mathbb{E}_c[\tilde x],\quad S_c = \mathbb{E}_c[\tilde x\tilde x^\top]"
)
PAIR = np.array([[-0.281, 0.505] * 3, [-0.505, 0.281] * 3])
"""Two gates that overlap, found by `best_half_spaces`."""


def twice_limiting_loss() -> float:
    return float(2 * gl.limiting_loss(gated.REGULAR.A, gated.REGULAR.b, gated.REGULAR.power))


def by_residual() -> Estimate:
    return Estimate(gated.residual(), 1e-10, FIT)


def means_form() -> float:
    """E[x~|1]' (E[x~x~'|1] + E[x~x~'|0])^+ E[x~|1], which is twice what is explained."""
    return float(2 * gl.explained(gated.REGULAR.A, gated.REGULAR.b))


def by_means_residual() -> Estimate:
    return Estimate(2 * (0.5 - gated.residual()), 1e-10, FIT)


def share(labels: tuple[float, float]) -> float:
    """What a one-site gate explains, as a share of the label power."""
    A, b, power = gl.statistics(delta(40, 0), Task(Gaussian(40, 2.0), Gaussian(40, 1.0), labels=labels))
    return float(gl.explained(A, b) / power)


def best_pair_of_all() -> float:
    """On signs of Gaussian rings of three sites."""
    laws = [hypercube.pattern_law(np.asarray(Gaussian(3, xi).covariance(), float)) for xi in (1.5, 0.7)]
    return gl.best_gates(hypercube.corners(3), *gl.posterior(*laws), 2).explained


FORMULAS = {
    "000-eq15": holds_if(
        place="equations 13 to 15",
        says="limiting loss of a gated linear network",
        implements="theory.gated_linear.limiting_loss",
        value=twice_limiting_loss,
        estimate=by_residual,
        number="mean squared error in the limit; two units on three inputs, crossing gates",
        right=LIMITING_LOSS,
        note="for the mean squared error without one half; with the pseudo-inverse where A is singular",
    ),
    "000-eq16": holds(
        place="equation 16",
        says="what gates explain in the limit, by the moments of each class, labels (1, 0)",
        implements="theory.gated_linear.explained",
        value=means_form,
        estimate=by_means_residual,
        number="twice the explained part of the label power; two units on three inputs, crossing gates",
        right=BY_MEANS,
    ),
    "000-wlog": refuted(
        place="equation 16",
        says="in the limiting loss, labels (1, 0) are no loss of generality",
        implements="theory.gated_linear.statistics",
        value=partial(share, (1.0, -1.0)),
        estimate=lambda: Estimate(gated.site_share((1.0, -1.0)), 1e-9, "plain algebra on the ring"),
        printed=lambda: gated.site_share((1.0, 0.0)),
        number="share of the label power that a one-site gate explains, labels (1, -1); printed: labels (1, 0)",
        note="other labels give another share; Gaussian rings of 40 sites, length scales 2 and 1",
    ),
    "000-eq18": corrected(
        place="equation 18",
        says="the quantity that the best gates maximise",
        implements="theory.gated_linear.explained",
        value=means_form,
        estimate=by_means_residual,
        printed=gated.printed_products_of_means,
        number="twice the explained part of the label power; two units on three inputs, crossing gates",
        right=r"m_1^\top (S_1 + S_0)^{+} m_1,\; m_c = \mathbb{E}_c[\tilde x],\quad S_c = \mathbb{E}_c[\tilde x\tilde x^\top]",
        printed_equation=r"m_1^\top \left(m_1 m_1^\top + m_0 m_0^\top\right)^{-1} m_1",
        note="second moments belong in place of products of means, which have rank two",
    ),
    "000-tiling": refuted(
        place="section 3.3",
        says="of half-space gates, the best tile the inputs without overlap",
        implements="theory.gated_linear.best_half_spaces",
        value=lambda: gl.explained(*gl.statistics(half_spaces(PAIR), Task(Gaussian(6, 1.5), Gaussian(6, 0.7)))[:2]),
        estimate=lambda: sampled(gated.fitted_pair(PAIR), "least squares on 800,000 samples"),
        printed=lambda: gated.best_mode(6, 1.5, 0.7) / np.pi,  # opposite half-spaces: twice the best single one
        number="what two overlapping half-space gates explain; printed: what the best pair that tiles does",
        note="Gaussian rings of 6 sites, length scales 1.5 and 0.7; 000-tiling-of-all has gates of any shape",
    ),
    "000-tiling-of-all": refuted(
        place="section 3.3",
        says="of all gates, whatever their shape, the best tile the inputs without overlap",
        implements="theory.gated_linear.best_gates",
        value=best_pair_of_all,
        estimate=lambda: Estimate(gated.best_pair(tiling=False), 1e-10, "all pairs of functions of the corners"),
        printed=lambda: gated.best_pair(tiling=True),
        number="what the best two gates explain; printed: what the best two that tile do",
        note="signs of Gaussian rings of three sites, length scales 1.5 and 0.7",
    ),
}
