"""Ledger of gates that networks make: paper 004, table 2, lemma 3.1 and the networks of experiments 3, 4 and 6."""

from functools import partial

import numpy as np

from gatefield.kernels.paths import expected_ntk
from gatefield.kernels.sensitivity import gate_path_sensitivity
from gatefield.kernels.soft import strength_and_gate_ntk
from gatefield.kernels.soft_pass import soft_gate
from gatefield.kernels.tangent import ntk
from gatefield.ledger.formula import Entry, Estimate
from gatefield.ledger.notes.paper_004 import soft
from gatefield.ledger.routes import descent as slow
from gatefield.ledger.routes import kernels as routes

DIMS, SIGMA = (1, 2, 2, 1), 0.7
GATING = [np.array([[0.7, -0.4]]), np.array([[0.5, 0.9], [-0.6, 0.3]])]
STRENGTHS = [np.array([[0.9, -1.1]]), np.array([[0.4, -0.7], [1.3, 0.2]]), np.array([[0.8], [-0.5]])]
X = np.array([[0.5], [1.2]])
"""For both samples the gating network opens one gate of the first layer and both of the second."""
APART = np.array([[0.5, -1.0], [1.2, 0.3]])
"""Two samples of two inputs; no unit with weights +-sigma is at its threshold for them."""


def sum_of_means() -> float:
    """d sigma^(2(d-1)) (x'x) o lambda + sigma^(2d) (x'x) o delta."""
    gates = routes.soft_gates(GATING, X, soft.BETA, soft.EPS)
    delta = gate_path_sensitivity(GATING, X, soft.BETA, soft.EPS)
    return float((expected_ntk(gates, X, SIGMA) + SIGMA**6 * (X @ X.T) * delta)[0, 1])


def mean_of_sum() -> Estimate:
    """The kernel by all weights of both networks at once, over all signs of the strengths."""

    def output(both: list[np.ndarray]) -> np.ndarray:
        return routes.output(both[:3], routes.soft_gates(both[3:], X, soft.BETA, soft.EPS), X)

    found = [routes.differences_kernel(output, [*w, *GATING])[0, 1] for w in routes.all_signs(DIMS, SIGMA)]
    return Estimate(float(np.mean(found)), 1e-7, f"all signs of the strengths, {soft.DIFFERENCES}")


def slopes_from_second_input() -> Estimate:
    """delta(1, 2) from the paths that begin at the second input."""
    second = np.array([p[0] == 1 for p in routes.paths(soft.DIMS)])

    def activations(gating: list[np.ndarray]) -> np.ndarray:
        gates = routes.soft_gates(gating, soft.X, soft.BETA, soft.EPS)
        return routes.path_features(soft.DIMS, gates, np.ones((2, 2)))[second].T

    return Estimate(float(routes.differences_kernel(activations, soft.GATING)[0, 1]), 1e-7, f"{soft.DIFFERENCES}, all paths")


def hard_gates(gating: list[np.ndarray]) -> list[np.ndarray]:
    return slow.hard_gates([*gating, np.ones((2, 1))], X)


def hard_kernel(*, strengths: bool) -> float:
    """K(1, 2) behind hard gates, by differences with respect to the gating weights, and to the strengths too."""

    def output(moved: list[np.ndarray]) -> np.ndarray:
        return routes.output(moved[:3] if strengths else STRENGTHS, hard_gates(moved[-2:]), X)

    return float(routes.differences_kernel(output, [*STRENGTHS, *GATING] if strengths else GATING)[0, 1])


def copied_mean(kind: str) -> float:
    """Mean of K(1, 2) over all signs, gates copied from the weights: by the library, over paths, or as if decoupled."""
    dims, found = (2, 2, 1), []
    for w in routes.all_signs(dims, SIGMA):
        gates = slow.hard_gates(w, APART)
        if kind == "library":
            found.append(ntk(w, gates, APART)[0, 1])
        elif kind == "decoupled":
            found.append(expected_ntk(gates, APART, SIGMA)[0, 1])
        else:
            found.append(routes.all_pairs(w, gates, APART)[0, 1])
    return float(np.mean(found))


paper = partial(Entry, source="004")

ENTRIES = (
    paper(
        name="004-table2-sign",
        place="table 2",
        says="gates are chi(-beta q) with chi(v) = (1 + eps)/(1 + exp v)",
        status="holds",
        implements="kernels.gate_sensitivity",
        value=lambda: float(soft_gate(np.array(0.5), soft.BETA, soft.EPS)[0]),
        estimate=lambda: Estimate((1 + soft.EPS) / (1 + np.exp(-soft.BETA * 0.5)), 1e-12, "the formula of table 2"),
        note="so they open with q, as (1 + eps) sigmoid(beta q); here at q = 0.5",
    ),
    paper(
        name="004-lemma3.1-sum",
        place="lemma 3.1 (i) and 7.5 (i)",
        says="E[K] = E[K^w] + E[K^a]",
        status="holds",
        implements="kernels.gate_path_sensitivity",
        value=sum_of_means,
        estimate=mean_of_sum,
        note="for a given gating network; E[K^w] with its factor d. Lemma 7.5 writes K^g for K^a",
    ),
    paper(
        name="004-delta",
        place="definition 3.1",
        says="delta does not depend on the input at which the paths begin",
        status="holds",
        implements="kernels.gate_path_sensitivity",
        value=lambda: float(gate_path_sensitivity(soft.GATING, soft.X, soft.BETA, soft.EPS)[0, 1]),
        estimate=slopes_from_second_input,
    ),
    paper(
        name="004-experiment3",
        place="experiment 3",
        says="GaLU is written with gating weights of time t, as if they were trained",
        status="holds with a condition",
        implements="kernels.ntk",
        value=lambda: float(ntk(STRENGTHS, hard_gates(GATING), X)[0, 1]),
        estimate=lambda: Estimate(hard_kernel(strengths=True), 1e-7, f"{soft.DIFFERENCES}, all weights of both networks"),
        note="they must be frozen, as table 3 has it; hard gates have no slope, so that K is that of the strengths alone",
    ),
    paper(
        name="004-experiment4",
        place="experiment 4",
        says="gating weights equal to the weights satisfy assumption 2, independence",
        status="corrected",
        implements="kernels.ntk",
        value=lambda: copied_mean("library"),
        estimate=lambda: Estimate(copied_mean("paths"), 1e-12, "all signs, all pairs of paths, d = 2"),
        printed=lambda: copied_mean("decoupled"),
        note="assumption 1 is meant; a copy violates 2, and E[K(1,2)] is not that of independent gates (printed)",
    ),
    paper(
        name="004-experiment6",
        place="experiment 6",
        says="with beta = infinity the gates are trained, the strengths frozen",
        status="refuted",
        implements="kernels.strength_and_gate_ntk",
        value=lambda: float(strength_and_gate_ntk(STRENGTHS, GATING, X, 1e6, 0.0)[1][0, 1]),
        estimate=lambda: Estimate(hard_kernel(strengths=False), 1e-9, f"{soft.DIFFERENCES} of the output behind hard gates"),
        note="K^a is zero there, so that nothing is learned; gates are trained at a finite beta",
    ),
)
