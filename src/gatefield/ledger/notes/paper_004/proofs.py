"""Paper 004, sections 7 and 8: paths and counts, the proof of theorem 2.3 (equations 10 to 12), linear networks (13 to 16)."""

import math

import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.kernels import (
    all_paths,
    effective_weights,
    expected_ntk,
    path_features,
    path_overlap,
    path_strengths,
    paths_through_weight,
)
from gatefield.ledger.notes.paper_004 import corrected, holds, holds_if
from gatefield.ledger.notes.paper_004.gram_matrix import DIMS as FEW
from gatefield.ledger.notes.paper_004.gram_matrix import GATES, PATHS, SIGMA, SIGNS, WEIGHTS, X, over_signs
from gatefield.ledger.routes import paths

DIMS, WIDTHS = (2, 3, 3, 3, 1), [3, 3, 3]
"""Two inputs, w = 3, d = 4."""
ALL = paths.paths(DIMS)
OPEN, ONE = [np.ones((1, 2))] * 2, np.ones((1, 1))
MARKS = np.arange(1.0, 1.0 + math.prod(FEW))
"""A different factor for each path, so that one sum tells all of them and their order."""


def pairs_through_middle() -> Estimate:
    """Pairs of paths that share the weight they use in layer 2; one input, w = 3, d = 4."""
    edges = [p[1:3] for p in paths.paths((1, 3, 3, 3, 1))]
    return Estimate(sum(a == b for a in edges for b in edges), 1e-9, PATHS)


def crossings(depth: int, width: int = 2) -> float:
    """Pairs of paths through a common weight of a middle layer, times the d^2 choices of m and m', over w^(2(d-2))."""
    through = [paths_through_weight(layer, [width] * (depth - 1), 1) for layer in range(2, depth)]
    return sum(width**2 * number**2 * depth**2 for number in through) / width ** (2 * (depth - 2))


def truncated_mean() -> float:
    """E[K(1,2)] with the product over layers up to d - 1, as printed: weights of the last layer count only for themselves."""
    lost = (2 * SIGMA**2 + SIGMA**4) / (3 * SIGMA**4)
    return lost * over_signs().mean(0)[0, 1]


FORMULAS = {
    "004-definition7.1": holds_if(
        place="definitions 7.1 and 7.2",
        says="a path is a sequence of nodes, and there are d_in w^(d-1) of them",
        implements="kernels.all_paths",
        value=lambda: len(all_paths(WIDTHS, 2)),
        estimate=lambda: Estimate(len(ALL), 1e-9, PATHS),
        number="number of paths; d_in = 2, w = 3, d = 4",
        right=r"p = (p(0), \ldots, p(d)),\quad P = d_{in} w^{d-1}",
        note="p(d) = 1, the one output, must be added, as section 1 has it; printed is p(0) to p(d-1)",
    ),
    "004-definition7.2": holds(
        place="definition 7.2, section 1",
        says="the strength of a path is the product of its weights in all d layers",
        implements="kernels.path_strengths",
        value=lambda: MARKS @ path_strengths(WEIGHTS),
        estimate=lambda: Estimate(
            sum(mark * paths.alone(WEIGHTS, p) for mark, p in zip(MARKS, paths.paths(FEW), strict=True)),
            1e-12,
            "outputs of the network with one path open",
        ),
        number="sum of all strengths, the k-th of which is multiplied by k; d_in = w = 2, d = 3",
        right=r"w(p) = \prod_{l=1}^d \Theta(l, p(l-1), p(l))",
    ),
    "004-definition7.3": corrected(
        place="definition 7.3",
        says="the activation of a path is the product of its gates in all layers",
        implements="kernels.path_overlap",
        value=lambda: path_overlap(GATES)[0, 1],
        estimate=lambda: Estimate(np.prod(paths.activations(GATES), axis=1).sum(), 1e-12, PATHS),
        printed=lambda: math.nan,  # the gate of layer d, which is not there, makes the product undefined
        number="number of paths that two samples both open; d_in = w = 2, d = 3",
        right=r"A(s, p) = \prod_{l=1}^{d-1} G(s, p(l), l)",
        printed_equation=r"A(s, p) = \prod_{l=1}^{d} G(s, p(l), l)",
        note="layer d has no gate: the product ends at d - 1",
    ),
    "004-eq8": holds(
        place="definition 7.4, equation 8",
        says="the hidden feature of a path is the input at its beginning times its activation",
        implements="kernels.path_features",
        value=lambda: (path_features(GATES, X) @ MARKS).sum(),
        estimate=lambda: Estimate((MARKS @ paths.path_features(FEW, GATES, X)).sum(), 1e-12, PATHS),
        number="sum over two samples of all features, the k-th of which is multiplied by k; d_in = w = 2, d = 3",
        right=r"\phi_{x_s}(p) = x(p(0), s)\,A(x_s, p)",
    ),
    "004-fact2": corrected(
        place="section 7, facts 2 and 3",
        says="number of paths that use a given weight of the first layer",
        implements="kernels.paths_through_weight",
        value=lambda: paths_through_weight(1, WIDTHS, 2),
        estimate=lambda: Estimate(sum(p[:2] == (0, 0) for p in ALL), 1e-9, PATHS),
        printed=lambda: 2 * 3.0**2,
        number="number of paths; d_in = 2, w = 3, d = 4",
        right=r"w^{d-2}",
        printed_equation=r"d_{in}\,w^{d-2}",
        note="a weight of the first layer fixes the input",
    ),
    "004-fact3": corrected(
        place="section 7, fact 3",
        says="share of the paths through given weights that use a given weight of the first layer too",
        implements="kernels.paths_through_weight",
        value=lambda: paths_through_weight(4, WIDTHS, 2) * paths_through_weight(1, WIDTHS, 2) / (2 * 3**3),
        estimate=lambda: Estimate(sum(p[:2] == (0, 0) and p[3] == 0 for p in ALL), 1e-9, PATHS),
        printed=lambda: sum(p[3] == 0 for p in ALL) / 3,
        number="number of such paths, of those through a weight of the last layer; d_in = 2, w = 3, d = 4",
        right=r"\frac{1}{d_{in} w}",
        printed_equation=r"\frac{1}{w}",
        note="a weight of the first layer fixes the input too",
    ),
    "004-eq10": corrected(
        place="equations 10 to 12",
        says="products of the weights of a path in the proof of theorem 2.3",
        implements="kernels.expected_ntk",
        value=lambda: expected_ntk(GATES, X, SIGMA)[0, 1],
        estimate=lambda: Estimate(over_signs().mean(0)[0, 1], 1e-12, SIGNS),
        printed=truncated_mean,
        number="E[K(1, 2)]; d_in = w = 2, d = 3, sigma = 0.7",
        right=r"\prod_{l=1}^{d} \Theta(l, p(l-1), p(l))",
        printed_equation=r"\prod_{l=1}^{d-1} \Theta(l, p(l-1), p(l))",
        note="they run to layer d, not d - 1",
    ),
    "004-proof-case2": corrected(
        place="section 7, case 2",
        says="number of pairs of paths that cross in one middle layer",
        implements="kernels.paths_through_weight",
        value=lambda: 9.0 * paths_through_weight(2, WIDTHS, 1) ** 2,
        estimate=pairs_through_middle,
        printed=lambda: 3.0 ** (2 * (4 - 3)),
        number="number of pairs; d_in = 1, w = 3, d = 4",
        right=r"w^2\,w^{2(d-3)} = w^{2(d-2)}",
        printed_equation=r"w^{2(d-3)}",
        note="a factor w^2 was dropped",
    ),
    "004-proof-lump": corrected(
        place="section 7, third lump (cases 2, 5, 8)",
        says="how the number of crossings in all middle layers grows with depth",
        implements="kernels.paths_through_weight",
        value=lambda: crossings(40) / crossings(20),
        estimate=lambda: Estimate(paths.crossings(40) / paths.crossings(20), 1e-9, "products of matrices of ones"),
        printed=lambda: 40**2 / 20**2,
        number="the number at d = 40 over that at d = 20, without its powers of w",
        right=r"d^3\,w^{2(d-2)}",
        printed_equation=r"d^2\,w^{2(d-2)}",
        note="there are d - 2 middle layers, each with the d^2 w^(2(d-2)) of case 2",
    ),
    "004-eq13": holds(
        place="equation 13",
        says="the effective weight of an input is the sum of the strengths of the paths that begin there",
        implements="kernels.effective_weights",
        value=lambda: effective_weights(WEIGHTS)[0],
        estimate=lambda: Estimate(sum(paths.strength(WEIGHTS, p) for p in paths.paths(FEW) if p[0] == 0), 1e-12, PATHS),
        number="eta(1); d_in = 2, w = 2, d = 3",
        right=r"\eta(i) = \sum_{p:\,p(0)=i} w(p) = (\Theta_1\cdots\Theta_d)(i)",
    ),
    "004-eq15": holds(
        place="equations 14 and 15",
        says="a deep linear network multiplies its inputs by the effective weights",
        implements="kernels.effective_weights",
        value=lambda: (X @ effective_weights(WEIGHTS))[0],
        estimate=lambda: Estimate(paths.output(WEIGHTS, [1.0, 1.0], X)[0, 0], 1e-12, "layer by layer, all gates open"),
        number="output of the first sample; d_in = w = 2, d = 3",
        right=r"\hat y = \Phi_{x,1}^\top w = x^\top\eta",
    ),
    "004-linear-paths": holds(
        place="section 8, behind equation 15",
        says="number of paths from an input of a deep linear network",
        implements="kernels.path_overlap",
        value=lambda: path_overlap([np.ones((1, 3))] * 3)[0, 0],
        estimate=lambda: Estimate(len(paths.paths((1, 3, 3, 3, 1))), 1e-12, PATHS),
        number="path overlap lambda; w = 3, d = 4",
        right=r"\lambda = w^{d-1}",
    ),
    "004-corollary8.1": holds_if(
        place="corollary 8.1, equation 16",
        says="mean tangent kernel of a deep linear network with one input 1",
        implements="kernels.expected_ntk",
        value=lambda: expected_ntk(OPEN, ONE, SIGMA)[0, 0],
        estimate=lambda: Estimate(paths.kernels_over_signs((1, 2, 2, 1), OPEN, ONE, SIGMA).mean(), 1e-12, SIGNS),
        number="E[K]; w = 2, d = 3, sigma = 0.7",
        right=r"\mathbb{E}[K] = d\,(w\sigma^2)^{d-1}",
        note="it needs assumption 1, weights of mean zero, not assumption 2",
    ),
}
