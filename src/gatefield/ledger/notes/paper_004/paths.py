"""Ledger of counts of paths: paper 004, definitions, facts and proofs of its section 7, and the overlap of GaLU gates."""

from functools import partial

import numpy as np

from gatefield.kernels.paths import expected_ntk, path_overlap, paths_through_weight
from gatefield.ledger.formula import Entry, Estimate
from gatefield.ledger.notes.paper_004 import kernels as small
from gatefield.ledger.routes import kernels as routes

DIMS, WIDTHS = (2, 3, 3, 3, 1), [3, 3, 3]
"""Two inputs, w = 3, d = 4."""
PATHS = "list of all paths"
NETWORKS = (np.ones((2, 2)), np.array([[1.0, 0.0], [0.0, 1.0]]))
"""Gates of two equally likely gating networks for two samples, the same in both layers: d = 3, w = 2."""


def crossings(depth: int, width: int = 2) -> float:
    """Pairs of paths through a common weight of a middle layer, times the d^2 choices of m and m', over w^(2(d-2))."""
    through = [paths_through_weight(layer, [width] * (depth - 1), 1) for layer in range(2, depth)]
    return sum(width**2 * paths**2 * depth**2 for paths in through) / width ** (2 * (depth - 2))


def crossings_by_layers(depth: int, width: int = 2) -> float:
    """The same with the paths before and behind the layer counted by products of matrices of ones."""
    step = np.full((width, width), 1, dtype=object)
    ways = [np.full(width, 1, dtype=object)]
    for _ in range(depth - 3):
        ways.append(ways[-1] @ step)
    pairs = sum(int(((before[:, None] * after) ** 2).sum()) for before, after in zip(ways, ways[::-1], strict=True))
    return pairs * depth**2 / width ** (2 * (depth - 2))


def truncated_mean() -> float:
    """E[K(1,2)] with the product over layers up to d - 1, as printed: weights of the last layer count only for themselves."""
    lost = (2 * small.SIGMA**2 + small.SIGMA**4) / (3 * small.SIGMA**4)
    return lost * float(expected_ntk(small.GATES, small.X, small.SIGMA)[0, 1])


def mean_overlap() -> float:
    overlaps = np.mean([path_overlap([gate, gate]) for gate in NETWORKS], axis=0)
    return float(overlaps[0, 1] / overlaps[0, 0])


def mean_overlap_by_paths() -> Estimate:
    features = [routes.path_features((1, 2, 2, 1), [gate, gate], np.ones((2, 1))) for gate in NETWORKS]
    both = sum(float(f[:, 0] @ f[:, 1]) for f in features)
    return Estimate(both / sum(float(f[:, 0] @ f[:, 0]) for f in features), 1e-12, PATHS)


def mean_bound() -> float:
    """eta^(d-1) on average over the gating networks."""
    return float(np.mean([small.largest_overlap(gate, itself=False) ** 2 for gate in NETWORKS]))


paper = partial(Entry, source="004")

ENTRIES = (
    paper(
        name="004-definition7.1",
        place="definitions 7.1 and 7.2",
        says="a path is (p(0), ..., p(d-1)), and its strength the product of theta(l, p(l-1), p(l)) up to l = d",
        status="holds with a condition",
        implements="kernels.paths_through_weight",
        value=lambda: 3.0 * paths_through_weight(4, WIDTHS, 2),
        estimate=lambda: Estimate(float(len(routes.paths(DIMS))), 1e-9, PATHS),
        note="p(d) = 1 must be added, the one output, as section 1 has it; here all paths, over the weights of the last layer",
    ),
    paper(
        name="004-fact3",
        place="section 7, fact 3",
        says="of the paths through some weights, 1/w go through a given weight of the first layer too",
        status="corrected",
        implements="kernels.paths_through_weight",
        value=lambda: paths_through_weight(4, WIDTHS, 2) * paths_through_weight(1, WIDTHS, 2) / (2 * 3**3),
        estimate=lambda: Estimate(float(sum(p[:2] == (0, 0) and p[3] == 0 for p in routes.paths(DIMS))), 1e-9, PATHS),
        printed=lambda: paths_through_weight(4, WIDTHS, 2) / 3,
        note="1/(d_in w); here of those through a weight of the last layer, d_in = 2, w = 3, d = 4",
    ),
    paper(
        name="004-eq10",
        place="equations 10 to 12",
        says="the products of weights run to l = d - 1",
        status="corrected",
        implements="kernels.expected_ntk",
        value=lambda: float(expected_ntk(small.GATES, small.X, small.SIGMA)[0, 1]),
        estimate=lambda: Estimate(float(small.over_signs().mean(0)[0, 1]), 1e-12, small.SIGNS),
        printed=truncated_mean,
        note="they run to d; here E[K(1,2)] for d = 3, sigma = 0.7",
    ),
    paper(
        name="004-proof-lump",
        place="section 7, third lump (cases 2, 5, 8)",
        says="crossings in the middle layers add up to d^2 w^(2(d-2))",
        status="corrected",
        implements="kernels.paths_through_weight",
        value=lambda: crossings(40) / crossings(20),
        estimate=lambda: Estimate(crossings_by_layers(40) / crossings_by_layers(20), 1e-9, "products of matrices of ones"),
        printed=lambda: 4.0,
        note="d^3 w^(2(d-2)), as case 2 has it: there are d - 2 middle layers; growth of the first term from d = 20 to 40",
    ),
    paper(
        name="004-galu-bound",
        place="section 2, GaLU networks",
        says="the ratio of the mean overlaps of two samples and of one is at most eta^(d-1)",
        status="holds with a condition",
        implements="kernels.path_overlap",
        value=mean_overlap,
        estimate=mean_overlap_by_paths,
        printed=mean_bound,
        note="for each gating network by itself, not between means: networks that open more paths count for more. Here one "
        "opens all gates, another separates two samples; the printed number is the mean of eta^(d-1)",
    ),
)
