"""Paper 004, section 3: gates that a network makes.

Table 2, both parts of K, definition 3.1, lemma 3.1, section 3.1 (equation 6); the networks of experiments 3, 4 and 6.
"""

import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.kernels import expected_ntk, gate_path_sensitivity, ntk, soft_relu_ntk, strength_and_gate_ntk, wide_soft_relu_ntk
from gatefield.ledger.notes.paper_004 import corrected, holds, holds_if, refuted
from gatefield.ledger.routes import calculus, labels, paths, wide
from gatefield.ledger.routes.descent import hard_gates
from gatefield.measures import sensitivity_threshold

DIMS, SIGMA, BETA, EPS = (2, 2, 2, 1), 0.7, 4.0, 0.1
_RNG = np.random.default_rng(5)
GATING = [0.8 * _RNG.normal(size=shape) for shape in ((2, 2), (2, 2))]
STRENGTHS = [_RNG.normal(size=shape) for shape in ((2, 2), (2, 2), (2, 1))]
X = np.array([[0.5, -1.0], [1.2, 0.3]])
"""Two samples of two inputs; no unit with weights +-sigma is at its threshold for them."""
NARROW = (1, 2, 2, 1)
GATING1 = [np.array([[0.7, -0.4]]), np.array([[0.5, 0.9], [-0.6, 0.3]])]
STRENGTHS1 = [np.array([[0.9, -1.1]]), np.array([[0.4, -0.7], [1.3, 0.2]]), np.array([[0.8], [-0.5]])]
X1 = np.array([[0.5], [1.2]])
"""One input; for both samples the gating network opens one gate of the first layer and both of the second."""
DIFFERENCES = "derivatives by differences"


def soft(gating: list[np.ndarray], x: np.ndarray = X) -> list[np.ndarray]:
    return paths.soft_gates(gating, x, BETA, EPS)


def hard(gating: list[np.ndarray]) -> list[np.ndarray]:
    return hard_gates([*gating, np.ones((2, 1))], X1)


def by_differences(function: Callable[[list[np.ndarray]], np.ndarray], params: list[np.ndarray], more: str = "") -> Estimate:
    """K(1, 2) of a function of these weights."""
    return Estimate(calculus.gram(function, params)[0, 1], 1e-7, DIFFERENCES + more)


def gate(q: float, beta: float) -> float:
    """The library's soft gate: the root of K^w for one unit, input and strength 1, and a last strength 0."""
    one, zero = np.ones((1, 1)), np.zeros((1, 1))
    return float(strength_and_gate_ntk([one, zero], [q * one], one, beta, EPS)[0][0, 0] ** 0.5)


def strength_over_signs() -> float:
    """Mean of K^w(1, 1) over all signs of the strengths, from the gradients of all paths."""
    return paths.kernels_over_signs(DIMS, soft(GATING), X, SIGMA).mean(0)[0, 0]


def gate_over_signs() -> float:
    """Mean of K^a(1, 1) over all signs of the strengths, by differences of the output."""
    every = paths.all_signs(itertools.pairwise(DIMS), SIGMA)
    return np.mean([calculus.gram(lambda g, w=w: paths.output(w, soft(g, X[:1]), X[:1]), GATING)[0, 0] for w in every]).item()


def sum_of_means() -> float:
    """d sigma^(2(d-1)) (x'x) o lambda + sigma^(2d) (x'x) o delta."""
    delta = gate_path_sensitivity(GATING1, X1, BETA, EPS)
    return float((expected_ntk(soft(GATING1, X1), X1, SIGMA) + SIGMA**6 * (X1 @ X1.T) * delta)[0, 1])


def output(both: list[np.ndarray], x: np.ndarray = X) -> np.ndarray:
    """Of three layers of strengths behind two of soft gates."""
    return paths.output(both[:3], soft(both[3:], x), x)


def mean_of_sum() -> Estimate:
    """The kernel by all weights of both networks at once, over all signs of the strengths."""
    every = paths.all_signs(itertools.pairwise(NARROW), SIGMA)
    found = np.mean([calculus.gram(lambda both: output(both, X1), [*w, *GATING1])[0, 1] for w in every])
    return Estimate(found, 1e-7, f"all signs of the strengths, {DIFFERENCES}")


def slopes_from_second_input() -> Estimate:
    """delta(1, 2) from the paths that begin at the second input."""
    second = np.array([p[0] == 1 for p in paths.paths(DIMS)])
    return by_differences(lambda g: paths.path_features(DIMS, soft(g), np.ones((2, 2)))[second].T, GATING, ", all paths")


def copied_mean(kernel: Callable[..., Any]) -> float:
    """Mean of K(1, 2) over all signs, d = 2, gates copied from the weights."""
    every = paths.all_signs(itertools.pairwise((2, 2, 1)), SIGMA)
    return float(np.mean([kernel(w, hard_gates(w, X), X)[0, 1] for w in every]))


def decoupled(_: list[np.ndarray], gates: list[np.ndarray], x: np.ndarray) -> np.ndarray:
    """The mean kernel of theorem 2.3, as if these gates did not depend on the weights."""
    features = paths.path_features((2, 2, 1), gates, x)
    return 2 * SIGMA**2 * features.T @ features


FORMULAS = {
    "004-table2": holds_if(
        place="table 2",
        says="soft gates lie in [0, 1], and are 1(q > 0) for beta = infinity",
        implements="kernels.strength_and_gate_ntk",
        value=lambda: gate(2.0, 50.0),
        estimate=lambda: Estimate((1 + EPS) / (1 + np.exp(-100.0)), 1e-12, "the formula of table 2 at beta = 50, q = 2"),
        printed=lambda: float(2.0 > 0),
        number="gate at q = 2, beta = 50, eps = 0.1",
        right=r"0 < G < 1 + \varepsilon,\quad \lim_{\beta\to\infty} G = (1 + \varepsilon)\,\mathbb{1}(q > 0)",
        note="the limit is 1 only for eps = 0",
    ),
    "004-table2-sign": holds(
        place="table 2",
        says="soft gates are chi(-beta q), which opens with q",
        implements="kernels.strength_and_gate_ntk",
        value=lambda: gate(0.5, BETA),
        estimate=lambda: Estimate((1 + EPS) / (1 + np.exp(-BETA * 0.5)), 1e-12, "the formula of table 2"),
        number="gate at q = 0.5, beta = 4, eps = 0.1",
        right=r"G = \chi_\varepsilon(-\beta q),\quad \chi_\varepsilon(v) = \frac{1 + \varepsilon}{1 + e^v}",
        note="that is (1 + eps) sigmoid(beta q)",
    ),
    "004-soft-galu": holds(
        place="section 3, soft-GaLU",
        says="the kernel of soft-GaLU is the sum of those of its strengths and of its gates",
        implements="kernels.strength_and_gate_ntk",
        value=lambda: sum(part[0, 1] for part in strength_and_gate_ntk(STRENGTHS, GATING, X, BETA, EPS)),
        estimate=lambda: by_differences(output, [*STRENGTHS, *GATING]),
        number="K(1, 2); two samples, d_in = w = 2, d = 3, beta = 4",
        right=r"K = K^w + K^a = \Psi^{w\top}\Psi^w + \Psi^{a\top}\Psi^a",
        note="the transposes are missing in print",
    ),
    "004-soft-relu": holds(
        place="section 3, soft-ReLU",
        says="the kernel of soft-ReLU is the sum of those of its strengths and of its gates, and of both cross terms",
        implements="kernels.soft_relu_ntk",
        value=lambda: sum(part[0, 1] for part in soft_relu_ntk(STRENGTHS, X, BETA, EPS)),
        estimate=lambda: by_differences(lambda w: paths.output(w, soft(w[:2]), X), STRENGTHS),
        number="K(1, 2); two samples, d_in = w = 2, d = 3, beta = 4",
        right=r"K = K^w + K^a + \Psi^{w\top}\Psi^a + \Psi^{a\top}\Psi^w",
        note="the transposes are missing in print",
    ),
    "004-eq6": holds(
        place="equation 6, definition 3.1",
        says="how the activation of a path changes with the weights of the gating network",
        implements="kernels.gate_path_sensitivity",
        value=lambda: gate_path_sensitivity(GATING, X, BETA, EPS)[0, 1],
        estimate=lambda: by_differences(lambda g: paths.activations(soft(g)).T, GATING, ", all paths"),
        number="delta(1, 2), its products summed over paths; two samples, d_in = w = 2, d = 3, beta = 4",
        right=r"\frac{\partial A}{\partial\theta} = \sum_l \frac{\partial G_l}{\partial\theta}\prod_{l' \neq l} G_{l'}",
    ),
    "004-delta": holds(
        place="definition 3.1",
        says="delta, the path sensitivity of two samples, does not depend on the input at which the paths begin",
        implements="kernels.gate_path_sensitivity",
        value=lambda: gate_path_sensitivity(GATING, X, BETA, EPS)[0, 1],
        estimate=slopes_from_second_input,
        number="delta(1, 2), estimated from the second input; two samples, d_in = w = 2, d = 3, beta = 4",
        right=r"\delta(s, s') = \sum_{p \rightsquigarrow i}\sum_m \frac{\partial A(s, p)}{\partial\theta^g(m)}"
        r"\frac{\partial A(s', p)}{\partial\theta^g(m)}",
    ),
    "004-lemma3.1-sum": holds(
        place="lemma 3.1 (i) and 7.5 (i)",
        says="the mean kernel is the sum of the mean kernels of strengths and of gates",
        implements="kernels.gate_path_sensitivity",
        value=sum_of_means,
        estimate=mean_of_sum,
        number="E[K(1, 2)]; one input, w = 2, d = 3, beta = 4",
        right=r"\mathbb{E}[K] = \mathbb{E}[K^w] + \mathbb{E}[K^a]",
        note="for a given gating network; E[K^w] with its factor d. Lemma 7.5 writes K^g for K^a",
    ),
    "004-lemma3.1-strength": corrected(
        place="lemma 3.1 (ii) and 7.5 (ii)",
        says="mean of K^w, the kernel of the strengths",
        implements="kernels.expected_ntk",
        value=lambda: expected_ntk(soft(GATING), X, SIGMA)[0, 0],
        estimate=lambda: Estimate(strength_over_signs(), 1e-12, "all signs of the strengths"),
        printed=lambda: strength_over_signs() / 3,
        number="E[K^w(1, 1)]; two samples, d_in = w = 2, d = 3, beta = 4",
        right=r"\mathbb{E}[K^w] = d\,\sigma^{2(d-1)}\,(x^\top x)\odot\lambda",
        printed_equation=r"\mathbb{E}[K^w] = \sigma^{2(d-1)}\,(x^\top x)\odot\lambda",
        note="the factor d is missing",
    ),
    "004-lemma3.1-gates": holds(
        place="lemma 3.1 (iii) and 7.5 (iii)",
        says="mean of K^a, the kernel of the gates",
        implements="kernels.gate_path_sensitivity",
        value=lambda: (SIGMA**6 * (X @ X.T) * gate_path_sensitivity(GATING, X, BETA, EPS))[0, 0],
        estimate=lambda: Estimate(gate_over_signs(), 1e-8, f"all signs of the strengths, {DIFFERENCES}"),
        number="E[K^a(1, 1)]; two samples, d_in = w = 2, d = 3, beta = 4",
        right=r"\mathbb{E}[K^a] = \sigma^{2d}\,(x^\top x)\odot\delta",
        note="for a given gating network",
    ),
    "004-experiment3": holds_if(
        place="experiment 3",
        says="the gating weights of GaLU in experiment 3 are those of time t, as if they were trained",
        implements="kernels.ntk",
        value=lambda: ntk(STRENGTHS1, hard(GATING1), X1)[0, 1],
        estimate=lambda: by_differences(
            lambda both: paths.output(both[:3], hard(both[3:]), X1), [*STRENGTHS1, *GATING1], ", all weights of both networks"
        ),
        number="K(1, 2) by all weights of both networks; one input, w = 2, d = 3",
        note="they must be frozen, as table 3 has it; hard gates have no slope, so that K is that of the strengths alone",
    ),
    "004-experiment4": corrected(
        place="experiment 4",
        says="gating weights that are a copy of the weights satisfy assumption 2, independence",
        implements="kernels.ntk",
        value=partial(copied_mean, ntk),
        estimate=lambda: Estimate(copied_mean(paths.all_pairs), 1e-12, "all signs, all pairs of paths, d = 2"),
        printed=partial(copied_mean, decoupled),
        number="E[K(1, 2)] with copied gates; printed: as if they were independent of the weights; d_in = w = 2, d = 2",
        right=r"\mathbb{E}[K] \neq d\,\sigma^{2(d-1)}\,(x^\top x)\odot\mathbb{E}\,\lambda",
        note="assumption 1 is meant; a copy violates assumption 2",
    ),
    "004-experiment6": refuted(
        place="experiment 6",
        says="with beta = infinity and frozen strengths the gates are trained",
        implements="kernels.strength_and_gate_ntk",
        value=lambda: strength_and_gate_ntk(STRENGTHS1, GATING1, X1, 1e6, 0.0)[1][0, 1],
        estimate=lambda: Estimate(
            calculus.gram(lambda g: paths.output(STRENGTHS1, hard(g), X1), GATING1)[0, 1],
            1e-9,
            f"{DIFFERENCES} of the output behind hard gates",
        ),
        number="K^a(1, 2) at beta = 10^6; one input, w = 2, d = 3",
        right=r"K^a = 0\quad (\beta = \infty)",
        note="so nothing is learned; gates are trained at a finite beta",
    ),
    "004-active-sensitive": corrected(
        place="section 3.1, active and sensitive gates",
        says="the threshold tau_S above which no gate that is active, above tau_A, is sensitive",
        implements="measures.sensitivity_threshold",
        value=lambda: sensitivity_threshold(0.9, 4.0, 0.1, 2.0),
        estimate=lambda: Estimate(labels.steepest_active(0.9, 4.0, 0.1, 2.0), 1e-4, "slopes on a grid, by differences"),
        printed=lambda: labels.printed_threshold(0.9, 0.1),
        number="least tau_S for tau_A = 0.9, beta = 4, eps = 0.1 and slopes of sums up to 2",
        right=r"\tau_S > \beta\,\tau_A\left(1 - \frac{\tau_A}{1 + \varepsilon}\right)\max|\partial q/\partial\theta|",
        printed_equation=r"\tau_S > \left.\frac{d\chi_\varepsilon(v)}{dv}\right|_{v = \chi_\varepsilon^{-1}(\tau_A)}",
        note="the printed slope is negative, and beta and the largest |dq/dtheta| are missing; tau_A must be at least "
        "(1 + eps)/2",
    ),
    "004-role-of-beta": holds_if(
        place="section 3.1, role of beta",
        says="as beta grows the kernel of soft-ReLU networks becomes that of ReLU networks",
        implements="kernels.wide_soft_relu_ntk",
        value=lambda: wide_soft_relu_ntk(X, 4, 2, 1.0, 1e4, EPS)[0, 1],
        estimate=lambda: Estimate(
            (1 + EPS) ** 6 * wide.pair_kernel(X, 4, 2.0, own=True),
            1e-6,
            "ReLU networks by quadrature over the wedge where both gates are open, times a factor 1 + eps for each gate",
        ),
        printed=lambda: wide.pair_kernel(X, 4, 2.0, own=True),
        number="K(1, 2) of wide networks; two samples, w sigma^2 = 2, d = 4, beta = 10^4, eps = 0.1",
        right=r"\lim_{\beta\to\infty} K = (1 + \varepsilon)^{2(d-1)} K_\infty",
        printed_equation=r"\lim_{\beta\to\infty} K = K_\infty",
        note="for eps = 0; in soft-GaLU networks, where K^w does the same, the mean of K^a grows with beta",
    ),
}
