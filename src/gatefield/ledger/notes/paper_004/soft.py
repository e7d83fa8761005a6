"""Ledger of soft gates: paper 004, section 3."""

import functools
from functools import partial

import numpy as np

from gatefield.kernels.paths import expected_ntk
from gatefield.kernels.sensitivity import gate_path_sensitivity
from gatefield.kernels.soft import soft_relu_ntk, strength_and_gate_ntk
from gatefield.kernels.soft_pass import soft_gate
from gatefield.ledger.formula import Entry, Estimate
from gatefield.ledger.routes import kernels as routes

DIMS, SIGMA, BETA, EPS = (2, 2, 2, 1), 0.7, 4.0, 0.1
_RNG = np.random.default_rng(5)
GATING = [0.8 * _RNG.normal(size=shape) for shape in ((2, 2), (2, 2))]
STRENGTHS = [_RNG.normal(size=shape) for shape in ((2, 2), (2, 2), (2, 1))]
X = np.array([[0.5, -1.0], [1.2, 0.3]])
DIFFERENCES = "derivatives by differences"


def output(strengths: list[np.ndarray], gating: list[np.ndarray]) -> np.ndarray:
    return routes.output(strengths, routes.soft_gates(gating, X, BETA, EPS), X)


def soft_galu_kernel() -> Estimate:
    """All weights of both networks at once."""
    found = routes.differences_kernel(lambda both: output(both[:3], both[3:]), [*STRENGTHS, *GATING])
    return Estimate(float(found[0, 1]), 1e-7, DIFFERENCES)


def soft_relu_kernel() -> Estimate:
    found = routes.differences_kernel(lambda w: output(w, w[:2]), STRENGTHS)
    return Estimate(float(found[0, 1]), 1e-7, DIFFERENCES)


@functools.cache
def activation_slopes() -> np.ndarray:
    """Products of the derivatives of the activations of all paths from one input."""

    def activations(gating: list[np.ndarray]) -> np.ndarray:
        return routes.path_features((1, 2, 2, 1), routes.soft_gates(gating, X, BETA, EPS), np.ones((2, 1))).T

    return routes.differences_kernel(activations, GATING)


@functools.cache
def strength_over_signs() -> float:
    """Mean of K^w(s, s) over all signs of the strengths, from the gradients of all paths."""
    features = routes.path_features(DIMS, routes.soft_gates(GATING, X, BETA, EPS), X)
    return float(np.mean([np.sum((features[:, 0] @ routes.path_gradients(w)) ** 2) for w in routes.all_signs(DIMS, SIGMA)]))


def gate_over_signs() -> float:
    """Mean of K^a(s, s) over all signs of the strengths, by differences of the output."""
    x, total, step = X[:1], 0.0, 1e-5
    ends = [
        [
            routes.soft_gates([g + sign * step * (k == n) * _unit(g, at) for n, g in enumerate(GATING)], x, BETA, EPS)
            for sign in (1, -1)
        ]
        for k, gate in enumerate(GATING)
        for at in np.ndindex(gate.shape)
    ]
    for weights in routes.all_signs(DIMS, SIGMA):
        total += sum((np.subtract(*(routes.output(weights, g, x) for g in pair)).item() / (2 * step)) ** 2 for pair in ends)
    return total / 1024


def _unit(like: np.ndarray, at: tuple[int, ...]) -> np.ndarray:
    one = np.zeros_like(like)
    one[at] = 1.0
    return one


paper = partial(Entry, source="004")

ENTRIES = (
    paper(
        name="004-table2",
        place="table 2",
        says="gates lie in [0, 1], and are 1(q > 0) for beta = infinity",
        status="holds with a condition",
        implements="kernels.strength_and_gate_ntk",
        value=lambda: float(soft_gate(np.array(2.0), 50.0, EPS)[0]),
        estimate=lambda: Estimate((1 + EPS) / (1 + np.exp(-100.0)), 1e-12, "the formula of table 2 at beta = 50, q = 2"),
        printed=lambda: 1.0,
        note="they lie in (0, 1 + eps): the limit is 1 only for eps = 0",
    ),
    paper(
        name="004-soft-galu",
        place="section 3, soft-GaLU",
        says="K = K^w + K^a",
        status="holds",
        implements="kernels.strength_and_gate_ntk",
        value=lambda: sum(float(part[0, 1]) for part in strength_and_gate_ntk(STRENGTHS, GATING, X, BETA, EPS)),
        estimate=soft_galu_kernel,
        note="the transposes are missing in print",
    ),
    paper(
        name="004-soft-relu",
        place="section 3, soft-ReLU",
        says="K = K^w + K^a and both cross terms",
        status="holds",
        implements="kernels.soft_relu_ntk",
        value=lambda: sum(float(part[0, 1]) for part in soft_relu_ntk(STRENGTHS, X, BETA, EPS)),
        estimate=soft_relu_kernel,
        note="the transposes are missing in print",
    ),
    paper(
        name="004-eq6",
        place="equation 6, definition 3.1",
        says="the activation of a path answers to the gating network by the product rule",
        status="holds",
        implements="kernels.gate_path_sensitivity",
        value=lambda: float(gate_path_sensitivity(GATING, X, BETA, EPS)[0, 1]),
        estimate=lambda: Estimate(float(activation_slopes()[0, 1]), 1e-7, f"{DIFFERENCES}, all paths"),
    ),
    paper(
        name="004-lemma3.1-strength",
        place="lemma 3.1 (ii) and 7.5 (ii)",
        says="E[K^w] = sigma^(2(d-1)) (x'x) o lambda",
        status="corrected",
        implements="kernels.expected_ntk",
        value=lambda: float(expected_ntk(routes.soft_gates(GATING, X, BETA, EPS), X, SIGMA)[0, 0]),
        estimate=lambda: Estimate(strength_over_signs(), 1e-12, "all signs of the strengths"),
        printed=lambda: float(expected_ntk(routes.soft_gates(GATING, X, BETA, EPS), X, SIGMA)[0, 0]) / 3,
        note="the factor d is missing",
    ),
    paper(
        name="004-lemma3.1-gates",
        place="lemma 3.1 (iii) and 7.5 (iii)",
        says="E[K^a] = sigma^(2d) (x'x) o delta",
        status="holds",
        implements="kernels.gate_path_sensitivity",
        value=lambda: float((SIGMA**6 * (X @ X.T) * gate_path_sensitivity(GATING, X, BETA, EPS))[0, 0]),
        estimate=lambda: Estimate(gate_over_signs(), 1e-8, f"all signs of the strengths, {DIFFERENCES}"),
        note="for a given gating network",
    ),
)
