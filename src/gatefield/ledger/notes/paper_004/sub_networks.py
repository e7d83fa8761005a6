"""Paper 004, section 3.1: how large equation 6 is on the paths of the sensitive sub-network."""

import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.kernels import gate_path_sensitivity, gate_sensitivity
from gatefield.ledger.notes.paper_004 import holds_if, refuted
from gatefield.ledger.routes import labels, paths
from gatefield.measures import active_gates, sensitive_gates, sensitivity_threshold

BETA, EPS, TAU = 4.0, 0.1, 0.9
GATING = [np.array([[0.2, 0.83]]), np.array([[-1.45, 0.3], [0.76, 0.5]])]
X = np.array([[1.0], [0.98]])
"""Both samples have a path whose first gate is sensitive and whose second is active, but pulls the other way."""


def threshold() -> float:
    """tau_S, the least that keeps sensitive gates apart from active ones."""
    found = gate_sensitivity(GATING, X, BETA, EPS)
    return sensitivity_threshold(TAU, BETA, EPS, max(float(sums.max()) for sums in found.sums))


def least_term() -> float:
    """The least over all sensitive paths of the largest term of equation 6, over tau_S tau_A^(d-2)."""
    steep, gates = gate_sensitivity(GATING, X, BETA, EPS).gates, paths.soft_gates(GATING, X, BETA, EPS)
    on, moving = active_gates(gates, TAU), sensitive_gates(steep, threshold())
    first, second = (np.where(mask, value, np.inf) for mask, value in zip(moving, steep, strict=True))
    rest = [np.where(mask, gate, np.inf).min(1) for mask, gate in zip(on, gates, strict=True)]
    return float(np.minimum(first.min(1) * rest[1], second.min(1) * rest[0]).min()) / (threshold() * TAU)


def length() -> float:
    """The length of equation 6 on the path through the first gates of both layers, which is sensitive: its first sample."""
    first = [np.array([[True, False]])] * 2
    return float(np.sqrt(gate_path_sensitivity(GATING, X[:1], BETA, EPS, kept=first)[0, 0]))


def bound() -> float:
    """tau_S tau_A^(d-2) without the library's thresholds."""
    return TAU * labels.steepest_active(TAU, BETA, EPS, paths.steepest_sum(GATING, X, BETA, EPS))


FORMULAS = {
    "004-sensitive-bound": holds_if(
        place="section 3.1, sensitive sub-network",
        says="on a path with one sensitive gate and active ones else, one term of equation 6 exceeds tau_S tau_A^(d-2)",
        implements="kernels.gate_sensitivity",
        value=least_term,
        estimate=lambda: Estimate(
            paths.least_sensitive_term(GATING, X, (BETA, EPS), TAU, bound() / TAU) / bound(),
            1e-5,
            "all sensitive paths, one by one, derivatives by differences",
        ),
        number="least such term over the bound; two samples of one input, w = 2, d = 3",
        right=r"\max_m\left|\frac{\partial G_l}{\partial\theta^g(m)}\right|\prod_{l' \neq l} G_{l'} > \tau_S\,\tau_A^{d-2}",
        note="for the weight that the gate is most sensitive to",
    ),
    "004-sensitive-sum": refuted(
        place="section 3.1, sensitive sub-network",
        says="on a path with one sensitive gate and active ones else, all of equation 6 is of the order tau_S tau_A^(d-2)",
        implements="kernels.gate_path_sensitivity",
        value=length,
        estimate=lambda: Estimate(
            paths.path_slope(GATING, X[:1], (BETA, EPS), (0, 0)), 1e-7, "the activation of the path, by differences"
        ),
        printed=bound,
        number="length of dA/dtheta over all weights, for one such path; printed: the bound; one input, w = 2, d = 3",
        printed_equation=r"\left|\frac{\partial A}{\partial\theta^g}\right| > \tau_S\,\tau_A^{d-2}",
        note="the other d - 2 terms are said to contribute less; an active gate that pulls the other way takes it all away",
    ),
}
