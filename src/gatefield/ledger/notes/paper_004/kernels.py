"""Ledger of kernels with fixed gates: paper 004, sections 1 and 2, and the proofs in its sections 7 and 8."""

import functools
import itertools
import math
from fractions import Fraction
from functools import partial

import numpy as np

from gatefield.kernels.moments import ntk_variance, random_gate_moments
from gatefield.kernels.paths import expected_ntk, path_kernel, path_overlap, paths_through_weight
from gatefield.kernels.tangent import ntk
from gatefield.ledger.formula import Entry, Estimate
from gatefield.ledger.routes import kernels as routes

DIMS, SIGMA, MU = (2, 2, 2, 1), 0.7, 0.5
SIGNS = "all signs of the weights"
PATHS = "list of all paths"
_RNG = np.random.default_rng(4)
WEIGHTS = [_RNG.normal(size=shape) for shape in itertools.pairwise(DIMS)]
GATES = [np.array([[1.0, 1.0], [1.0, 0.0]]), np.array([[0.0, 1.0], [1.0, 1.0]])]
X = np.array([[0.5, -1.0], [2.0, 0.3]])
ONE_PATH = [np.array([[1.0, 0.0], [0.0, 1.0]])] * 2
"""Two samples, each with one open path from each input."""


@functools.cache
def over_signs(one_path: bool = False) -> np.ndarray:
    """The kernel for every choice of signs, by differences of nothing: as a sum over pairs of paths."""
    gates, x = (ONE_PATH, np.array([[1.0, 0.0], [1.0, 0.0]])) if one_path else (GATES, X)
    features = routes.path_features(DIMS, gates, x)
    found = []
    for weights in routes.all_signs(DIMS, SIGMA):
        rows = features.T @ routes.path_gradients(weights)
        found.append(rows @ rows.T)
    return np.array(found)


def rate_of_step(step: float = 1e-6) -> Estimate:
    """(e_0 - e_1)/(alpha e_0) after one step on the sum of squared errors, one sample; its slope by differences."""
    gates, x, e = [g[:1] for g in GATES], X[:1], 1e-4

    def loss(weights: list[np.ndarray]) -> float:
        return ((routes.output(weights, gates, x) - target) ** 2).item()

    target = routes.output(WEIGHTS, gates, x) - 1.0
    moved = [w.copy() for w in WEIGHTS]
    for k, at in ((k, at) for k, w in enumerate(WEIGHTS) for at in np.ndindex(w.shape)):
        ends = []
        for sign in (1, -1):
            other = [w.copy() for w in WEIGHTS]
            other[k][at] += sign * e
            ends.append(loss(other))
        moved[k][at] -= step * (ends[0] - ends[1]) / (2 * e)
    error = (routes.output(moved, gates, x) - target).item()
    return Estimate((1.0 - error) / step, 1e-2, "one step on the loss, whose slope is found by differences")


def gate_moments(samples: int, power: int = 1) -> float:
    """Mean of lambda^power for d = 3, w = 2 over all gates, of one sample with itself or of two samples."""
    total = 0.0
    for bits in itertools.product((0.0, 1.0), repeat=4 * samples):
        first, second = np.reshape(bits, (samples, 2, 2))[[0, -1]]
        total += float(np.prod((first * second).sum(1))) ** power
    return total / 2 ** (4 * samples)


def pairs_through_middle() -> Estimate:
    """Pairs of paths that share the weight they use in layer 2; one input, w = 3, d = 4."""
    edges = [p[1:3] for p in routes.paths((1, 3, 3, 3, 1))]
    return Estimate(float(sum(a == b for a in edges for b in edges)), 1e-9, PATHS)


def linear_variance(depth: int, width: int) -> float:
    return random_gate_moments(depth, width, 1.0, width**-0.5).self_variance


def exact_variance(depth: int, width: int, mu: Fraction = Fraction(1), *, cross: bool = False) -> float:
    """Variance for random gates with sigma^2 = 1/(mu w), from plain second moments in fractions."""
    both, pairs, s2 = mu**2 if cross else mu, width * (width - 1), 1 / (mu * width)
    square = routes.plain_second_moment(width * both, pairs * both**2, pairs * mu**2, depth, s2**2)
    return float(square - (depth * (s2 * width * both) ** (depth - 1)) ** 2)


def gated_ties() -> list[np.ndarray]:
    """Gates of all bias-free ReLU networks with signs as weights, one input 1, w = 2, d = 3; strict inequality."""
    rows = []
    for first in itertools.product((-1, 1), repeat=2):
        for second in itertools.product((-1, 1), repeat=4):
            z = np.maximum(first, 0)
            rows.append((z > 0, z @ np.reshape(second, (2, 2)) > 0))
    return [np.array(layer, float) for layer in zip(*rows, strict=True)]


def tied_paths() -> Estimate:
    """Counted by hand: with k of 2 first gates open, a second sum is positive with probability 0, 1/2, 1/4."""
    mean = sum(math.comb(2, k) / 4 * k * 2 * chance for k, chance in ((0, 0.0), (1, 0.5), (2, 0.25)))
    return Estimate(mean, 1e-12, "probabilities of sums of signs")


def largest_overlap(layer: np.ndarray, *, itself: bool) -> float:
    pairs = itertools.product(range(len(layer)), repeat=2)
    return max(float(layer[s] @ layer[t] / layer[s].sum()) for s, t in pairs if itself or s != t)


OVERLAPS = np.array([[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 1.0]])


def overlap_ratio() -> float:
    overlap = path_overlap([OVERLAPS])
    return float((overlap / np.diag(overlap)[:, None] - 10 * np.eye(3)).max())


paper = partial(Entry, source="004")
sheet = partial(Entry, source="sheet")

ENTRIES = (
    paper(
        name="004-eq1",
        place="equation 1",
        says="the loss sum of e^2 gives e - alpha K e",
        status="corrected",
        implements="kernels.ntk",
        value=lambda: 2 * float(ntk(WEIGHTS, GATES, X)[0, 0]),
        estimate=rate_of_step,
        printed=lambda: float(ntk(WEIGHTS, GATES, X)[0, 0]),
        note="it gives e - 2 alpha K e, to first order in alpha; the loss with one half gives alpha K",
    ),
    paper(
        name="004-kernel",
        place="section 1, Gram matrix",
        says="K is the Gram matrix of the derivatives, which the library sums layer by layer",
        status="holds",
        implements="kernels.ntk",
        value=lambda: float(ntk(WEIGHTS, GATES, X)[0, 1]),
        estimate=lambda: Estimate(
            routes.differences_kernel(lambda w: routes.output(w, GATES, X), WEIGHTS)[0, 1], 1e-7, "derivatives by differences"
        ),
    ),
    paper(
        name="004-path-kernel",
        place="table 1, equation 2, similarity metric",
        says="path features have the Gram matrix M = (x'x) o lambda",
        status="holds",
        implements="kernels.path_kernel",
        value=lambda: float(path_kernel(GATES, X)[0, 1]),
        estimate=lambda: Estimate(float(np.prod(routes.path_features(DIMS, GATES, X), axis=1).sum()), 1e-12, PATHS),
    ),
    paper(
        name="004-whitening",
        place="section 1, depth phenomena I",
        says="the overlap of two samples, relative to one's own, decays like mu^d",
        status="corrected",
        implements="kernels.random_gate_moments",
        value=lambda: _ratio(random_gate_moments(3, 2, MU, 1.0)),
        estimate=lambda: Estimate(gate_moments(2) / gate_moments(1), 1e-12, "all gates, d = 3, w = 2"),
        printed=lambda: MU**3,
        note="there are d - 1 gated layers, so that the ratio of the means is mu^(d-1)",
    ),
    paper(
        name="004-lemma2.1",
        place="lemma 2.1, equations 4 and 9",
        says="K(s,s') is a sum over inputs of x_i(s) x_i(s') kappa_i(s,s')",
        status="corrected",
        implements="kernels.ntk",
        value=lambda: float(ntk(WEIGHTS, GATES, X)[0, 1]),
        estimate=lambda: Estimate(float(routes.all_pairs(WEIGHTS, GATES, X)[0, 1]), 1e-12, "all pairs of paths"),
        printed=lambda: float(routes.all_pairs(WEIGHTS, GATES, X, same_input=True)[0, 1]),
        note="paths from different inputs share weights from layer 2 on; only for one input, or in the mean, is it so",
    ),
    paper(
        name="004-lemma2.2-different",
        place="lemma 2.2 (i)",
        says="the gradients of two different paths have mean product 0",
        status="holds",
        implements="kernels.expected_ntk",
        value=lambda: float(expected_ntk(ONE_PATH, np.ones((2, 1)), SIGMA)[0, 1]),
        estimate=lambda: Estimate(float(over_signs(True).mean(0)[0, 1]), 1e-12, SIGNS),
        note="for any independent weights of mean zero",
    ),
    paper(
        name="004-lemma2.2-same",
        place="lemma 2.2 (ii)",
        says="the gradient of a path has the squared length d sigma^(2(d-1))",
        status="holds",
        implements="kernels.expected_ntk",
        value=lambda: float(expected_ntk(ONE_PATH, np.ones((2, 1)), SIGMA)[0, 0]),
        estimate=lambda: Estimate(float(over_signs(True).mean(0)[0, 0]), 1e-12, SIGNS),
        note="always for weights +-sigma, in the mean for others",
    ),
    paper(
        name="004-theorem2.3-mean",
        place="theorem 2.3",
        says="E[K] = d sigma^(2(d-1)) (x'x) o lambda",
        status="holds",
        implements="kernels.expected_ntk",
        value=lambda: float(expected_ntk(GATES, X, SIGMA)[0, 1]),
        estimate=lambda: Estimate(float(over_signs().mean(0)[0, 1]), 1e-12, SIGNS),
    ),
    paper(
        name="004-theorem2.3-variance",
        place="theorem 2.3 and section 1, depth phenomena II",
        says="Var K <= O(max(d^2/w, d^3/w^2)) for sigma^2 = O(1/w)",
        status="corrected",
        implements="kernels.ntk_variance",
        value=lambda: linear_variance(40, 10**6) / linear_variance(20, 10**6),
        estimate=lambda: Estimate(exact_variance(40, 10**6) / exact_variance(20, 10**6), 1e-9, "second moments in fractions"),
        printed=lambda: 4.0,
        note="deep linear, twice the depth at w = 10^6: the diagonal grows like (4/3) d^3/w, because paths that meet at a node "
        "can be spliced",
    ),
    sheet(
        name="sheet-ntk-variance",
        place="kernels, exact variance",
        says="the variance of each entry of K, by a recursion over the layers",
        status="holds",
        implements="kernels.ntk_variance",
        value=lambda: float(ntk_variance(GATES, X, SIGMA)[0, 1]),
        estimate=lambda: Estimate(float(over_signs().var(0)[0, 1]), 1e-12, SIGNS),
    ),
    sheet(
        name="sheet-ntk-variance-linear",
        place="kernels, variance of deep linear networks",
        says="w Var K tends to 2(d-1)(d-2)(2d-3)/3 for weights +-1/sqrt(w) and input 1",
        status="holds",
        implements="kernels.ntk_variance",
        value=lambda: float(ntk_variance([np.ones((1, 10**6))] * 7, np.ones((1, 1)), 1e-3)[0, 0]) * 10**6,
        estimate=lambda: Estimate(2 * 7 * 6 * 13 / 3, 1e-2, "closed form of the leading order"),
        note="d = 8 at w = 10^6",
    ),
    sheet(
        name="sheet-ntk-variance-cross",
        place="kernels, random gates",
        says="the spread of K/d between two samples falls with depth",
        status="holds",
        implements="kernels.random_gate_moments",
        value=lambda: math.sqrt(random_gate_moments(8, 500, 0.5, 500**-0.5 * 2**0.5).cross_variance) / 8,
        estimate=lambda: Estimate(
            math.sqrt(exact_variance(8, 500, Fraction(1, 2), cross=True)) / 8, 1e-10, "second moments in fractions"
        ),
        note="standard deviation at w = 500, mu = 1/2, d = 8; it is 0.0387 at d = 2",
    ),
    paper(
        name="004-fact2",
        place="section 7, facts 2 and 3",
        says="d_in w^(d-2) paths use a given weight of the first layer",
        status="corrected",
        implements="kernels.paths_through_weight",
        value=lambda: float(paths_through_weight(1, [3, 3, 3], 2)),
        estimate=lambda: Estimate(float(sum(p[:2] == (0, 0) for p in routes.paths((2, 3, 3, 3, 1)))), 1e-9, PATHS),
        printed=lambda: 2 * 3.0**2,
        note="a weight of the first layer fixes the input: w^(d-2); here d_in = 2, w = 3, d = 4",
    ),
    paper(
        name="004-proof-case2",
        place="section 7, case 2",
        says="crossings in a middle layer count w^(2(d-3))",
        status="corrected",
        implements="kernels.paths_through_weight",
        value=lambda: 9.0 * paths_through_weight(2, [3, 3, 3], 1) ** 2,
        estimate=pairs_through_middle,
        printed=lambda: 3.0 ** (2 * (4 - 3)),
        note="w^2 w^(2(d-3)) = w^(2(d-2)): the w^2 was dropped; pairs for one middle layer, d_in = 1, w = 3, d = 4",
    ),
    paper(
        name="004-lemma2.4-self",
        place="lemma 2.4 (i)",
        says="E lambda(s,s) = (mu w)^(d-1)",
        status="holds",
        implements="kernels.random_gate_moments",
        value=lambda: random_gate_moments(3, 2, MU, 1.0).self_mean / 3,
        estimate=lambda: Estimate(gate_moments(1), 1e-12, "all gates, d = 3, w = 2"),
    ),
    paper(
        name="004-lemma2.4-cross",
        place="lemma 2.4 (ii)",
        says="E lambda(s,s') = (mu^2 w)^(d-1)",
        status="holds with a condition",
        implements="kernels.random_gate_moments",
        value=lambda: random_gate_moments(3, 2, MU, 1.0).cross_mean / 3,
        estimate=lambda: Estimate(gate_moments(2), 1e-12, "all gates, d = 3, w = 2"),
        note="for two different samples; the paper says for all",
    ),
    paper(
        name="004-galu-overlap",
        place="section 2, GaLU networks",
        says="eta is the largest share of a sample's gates that any sample s' opens too",
        status="corrected",
        implements="kernels.path_overlap",
        value=overlap_ratio,
        estimate=lambda: Estimate(largest_overlap(OVERLAPS, itself=False), 1e-12, "all pairs of samples"),
        printed=lambda: largest_overlap(OVERLAPS, itself=True),
        note="s' = s must be left out, or eta is 1; three samples and four gates",
    ),
    paper(
        name="004-galu-paths",
        place="section 2, GaLU networks",
        says="a GaLU network opens about (w/2)^(d-1) paths from each input",
        status="holds with a condition",
        implements="kernels.path_overlap",
        value=lambda: float(np.diag(path_overlap(gated_ties())).mean()),
        estimate=tied_paths,
        printed=lambda: 1.0,
        note="exact for continuous gating weights; signs tie, and a tied gate is shut: d_in = 1, w = 2, d = 3",
    ),
    paper(
        name="004-eq13",
        place="equations 13 to 15",
        says="in a deep linear network lambda = w^(d-1)",
        status="holds",
        implements="kernels.path_overlap",
        value=lambda: float(path_overlap([np.ones((1, 3))] * 3)[0, 0]),
        estimate=lambda: Estimate(float(len(routes.paths((1, 3, 3, 3, 1)))), 1e-12, PATHS),
    ),
    paper(
        name="004-definition7.3",
        place="definition 7.3",
        says="the activation of a path is the product of its gates in layers 1 to d",
        status="corrected",
        implements="kernels.path_overlap",
        value=lambda: float(path_overlap(GATES)[0, 1]),
        estimate=lambda: Estimate(
            float(np.prod(routes.path_features((1, 2, 2, 1), GATES, np.ones((2, 1))), axis=1).sum()), 1e-12, PATHS
        ),
        printed=lambda: math.nan,
        note="layer d has no gate: the product ends at d - 1",
    ),
    paper(
        name="004-corollary8.1",
        place="corollary 8.1, equation 16",
        says="E[K] = d (w sigma^2)^(d-1) for a deep linear network with one input 1",
        status="holds with a condition",
        implements="kernels.expected_ntk",
        value=lambda: float(expected_ntk([np.ones((1, 2))] * 2, np.ones((1, 1)), SIGMA)[0, 0]),
        estimate=lambda: Estimate(
            float(
                np.mean(
                    [routes.all_pairs(w, [np.ones((1, 2))] * 2, np.ones((1, 1))) for w in routes.all_signs((1, 2, 2, 1), SIGMA)]
                )
            ),
            1e-12,
            SIGNS,
        ),
        note="it needs assumption 1, weights of mean zero, not assumption 2",
    ),
)


def _ratio(moments) -> float:
    return moments.cross_mean / moments.self_mean
