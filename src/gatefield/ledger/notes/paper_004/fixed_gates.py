"""Paper 004, section 2: networks whose gates are fixed. Equation 3, lemmas 2.1 (equation 4), 2.2 and 2.4, theorem 2.3, GaLU."""

import functools

import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.kernels import expected_ntk, ntk, path_overlap, path_strengths, random_gate_moments
from gatefield.ledger.notes.paper_004 import corrected, holds, holds_if
from gatefield.ledger.notes.paper_004.gram_matrix import DIMS, GATES, MU, PATHS, SIGMA, SIGNS, WEIGHTS, X, over_signs
from gatefield.ledger.routes import paths

ONE_PATH = [np.array([[1.0, 0.0], [0.0, 1.0]])] * 2
"""Two samples, each with one open path from each input."""
OVERLAPS = np.array([[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, 1.0, 1.0], [1.0, 0.0, 0.0, 1.0]])
NETWORKS = (np.ones((2, 2)), np.array([[1.0, 0.0], [0.0, 1.0]]))
"""Gates of two equally likely gating networks for two samples, the same in both layers: d = 3, w = 2."""
MARKS = np.arange(1.0, 1.0 + np.prod(DIMS))
"""A different factor for each path, so that one sum tells all of them."""
WIDE = 10**6
"""So wide that d^3/w is the leading term."""


@functools.cache
def over_signs_of_one_path() -> np.ndarray:
    return paths.kernels_over_signs(DIMS, ONE_PATH, np.array([[1.0, 0.0], [1.0, 0.0]]), SIGMA)


def linear_variance(depth: int, width: int) -> float:
    return random_gate_moments(depth, width, 1.0, width**-0.5).self_variance


def overlap_ratio() -> float:
    overlap = path_overlap([OVERLAPS])
    return float((overlap / np.diag(overlap)[:, None] - 10 * np.eye(3)).max())


def mean_overlap() -> float:
    overlaps = np.mean([path_overlap([gate, gate]) for gate in NETWORKS], axis=0)
    return overlaps[0, 1] / overlaps[0, 0]


def mean_overlap_by_paths() -> Estimate:
    features = [paths.activations([gate, gate]) for gate in NETWORKS]
    both, own = (sum(float(f[:, 0] @ f[:, s]) for f in features) for s in (1, 0))
    return Estimate(both / own, 1e-12, PATHS)


def tied_paths() -> Estimate:
    """Counted by hand: with k of 2 first gates open, a second sum is positive with probability 0, 1/2, 1/4."""
    mean = sum(ways / 4 * k * 2 * chance for k, ways, chance in ((0, 1, 0.0), (1, 2, 0.5), (2, 1, 0.25)))
    return Estimate(mean, 1e-12, "probabilities of sums of signs")


def strengths_with(weight: float) -> np.ndarray:
    """The strengths of all paths with another number for one weight of the middle layer."""
    first, middle, last = WEIGHTS
    return np.asarray(path_strengths([first, np.array([[middle[0, 0], weight], middle[1]]), last]))


def slopes_by_hand() -> Estimate:
    """The products of the other weights of each path through that weight."""
    slopes = paths.path_gradients(WEIGHTS)[:, WEIGHTS[0].size + 1]
    return Estimate(slopes @ MARKS, 1e-12, "products of the other weights, path by path")


FORMULAS = {
    "004-eq3": holds(
        place="equation 3",
        says="the derivative of a path's strength by a weight on it is the product of its other weights, by any other weight 0",
        implements="kernels.path_strengths",
        value=lambda: (strengths_with(1.0) - strengths_with(0.0)) @ MARKS,
        estimate=slopes_by_hand,
        right=r"\varphi_p(m) = \prod_{l \neq l(m)}\Theta(l, p(l-1), p(l))\ \mathrm{if}\ p \ni m,\ \mathrm{else}\ 0",
        note="strengths are linear in each weight",
        number="sum of the derivatives of all paths by one weight, the k-th multiplied by k",
    ),
    "004-lemma2.1": corrected(
        place="lemma 2.1, equations 4 and 9",
        says="the kernel K(s, s') as a sum over inputs, each with its own pairs of paths",
        implements="kernels.ntk",
        value=lambda: ntk(WEIGHTS, GATES, X)[0, 1],
        estimate=lambda: Estimate(paths.all_pairs(WEIGHTS, GATES, X)[0, 1], 1e-12, "all pairs of paths"),
        printed=lambda: paths.all_pairs(WEIGHTS, GATES, X, same_input=True)[0, 1],
        number="K(1, 2); two samples, d_in = w = 2, d = 3",
        right=r"K(s, s') = \sum_{i, j} x(i, s)\,x(j, s')\,\kappa(s, s', i, j)",
        printed_equation=r"K(s, s') = \sum_i x(i, s)\,x(i, s')\,\kappa(s, s', i)",
        note="paths from different inputs share weights from layer 2 on; only for one input, or in the mean, is it so",
    ),
    "004-lemma2.2-different": holds(
        place="lemma 2.2 (i)",
        says="the gradients of two different paths have mean product 0",
        implements="kernels.expected_ntk",
        value=lambda: expected_ntk(ONE_PATH, np.ones((2, 1)), SIGMA)[0, 1],
        estimate=lambda: Estimate(over_signs_of_one_path().mean(0)[0, 1], 1e-12, SIGNS),
        number="mean product for two paths that share no gate; w = 2, d = 3, sigma = 0.7",
        right=r"\mathbb{E}\langle\varphi_{p_1}, \varphi_{p_2}\rangle = 0",
        note="for any independent weights of mean zero",
    ),
    "004-lemma2.2-same": holds(
        place="lemma 2.2 (ii)",
        says="squared length of the gradient of one path",
        implements="kernels.expected_ntk",
        value=lambda: expected_ntk(ONE_PATH, np.ones((2, 1)), SIGMA)[0, 0],
        estimate=lambda: Estimate(over_signs_of_one_path().mean(0)[0, 0], 1e-12, SIGNS),
        number="squared length; w = 2, d = 3, sigma = 0.7",
        right=r"\langle\varphi_p, \varphi_p\rangle = d\,\sigma^{2(d-1)}",
        note="always for weights +-sigma, in the mean for others",
    ),
    "004-theorem2.3-mean": holds(
        place="theorem 2.3",
        says="mean of the tangent kernel behind fixed gates",
        implements="kernels.expected_ntk",
        value=lambda: expected_ntk(GATES, X, SIGMA)[0, 1],
        estimate=lambda: Estimate(over_signs().mean(0)[0, 1], 1e-12, SIGNS),
        number="E[K(1, 2)]; two samples, d_in = w = 2, d = 3, sigma = 0.7",
        right=r"\mathbb{E}[K] = d\,\sigma^{2(d-1)}\,(x^\top x)\odot\lambda",
    ),
    "004-theorem2.3-variance": corrected(
        place="theorem 2.3 and section 1, depth phenomena II",
        says="how the variance of the tangent kernel grows with depth d and falls with width w",
        implements="kernels.ntk_variance",
        value=lambda: linear_variance(40, WIDE) / linear_variance(20, WIDE),
        estimate=lambda: Estimate(
            paths.exact_variance(40, WIDE) / paths.exact_variance(20, WIDE), 1e-9, "second moments in fractions"
        ),
        printed=lambda: max(40**2 / WIDE, 40**3 / WIDE**2) / max(20**2 / WIDE, 20**3 / WIDE**2),
        number="variance at d = 40 over that at d = 20; deep linear networks of width 10^6",
        right=r"\mathrm{Var}\,K(s, s) \sim \frac{4}{3}\frac{d^3}{w}",
        printed_equation=r"\mathrm{Var}\,K \leq O\left(\max\left\{\frac{d^2}{w}, \frac{d^3}{w^2}\right\}\right)",
        note="the diagonal grows like d^3/w, because paths that meet at a node can be spliced",
    ),
    "004-lemma2.4-self": holds(
        place="lemma 2.4 (i)",
        says="mean number of open paths of one sample behind random gates",
        implements="kernels.random_gate_moments",
        value=lambda: random_gate_moments(3, 2, MU, 1.0).self_mean / 3,
        estimate=lambda: Estimate(paths.moments_of_gates(1), 1e-12, "all gates, d = 3, w = 2"),
        number="E lambda(s, s); d = 3, w = 2, mu = 1/2",
        right=r"\mathbb{E}\,\lambda(s, s) = (\mu w)^{d-1}",
    ),
    "004-lemma2.4-cross": holds_if(
        place="lemma 2.4 (ii)",
        says="mean number of paths that two samples both open behind random gates",
        implements="kernels.random_gate_moments",
        value=lambda: random_gate_moments(3, 2, MU, 1.0).cross_mean / 3,
        estimate=lambda: Estimate(paths.moments_of_gates(2), 1e-12, "all gates, d = 3, w = 2"),
        number="E lambda(s, s'); d = 3, w = 2, mu = 1/2",
        right=r"\mathbb{E}\,\lambda(s, s') = (\mu^2 w)^{d-1}",
        note="for two different samples; the paper says for all",
    ),
    "004-galu-overlap": corrected(
        place="section 2, GaLU networks",
        says="eta, the largest share of a sample's gates that another sample opens too",
        implements="kernels.path_overlap",
        value=overlap_ratio,
        estimate=lambda: Estimate(paths.largest_overlap(OVERLAPS, itself=False), 1e-12, "all pairs of samples"),
        printed=lambda: paths.largest_overlap(OVERLAPS, itself=True),
        number="eta of three samples and four gates",
        right=r"\eta = \max_{s' \neq s,\, l} \frac{\tau(s, s', l)}{\tau(s, s, l)}",
        printed_equation=r"\eta = \max_s\left(\max_{s', l} \frac{\tau(s, s', l)}{\tau(s, s, l)}\right)",
        note="s' = s must be left out, or eta is 1",
    ),
    "004-galu-paths": holds_if(
        place="section 2, GaLU networks",
        says="a GaLU network opens about (w/2)^(d-1) paths from each input",
        implements="kernels.path_overlap",
        value=lambda: np.diag(path_overlap(paths.tied_gates(2))).mean(),
        estimate=tied_paths,
        printed=lambda: (2 / 2) ** (3 - 1),
        number="mean number of open paths for gating weights +-1; d_in = 1, w = 2, d = 3",
        right=r"\mathbb{E}\,\lambda(s, s) = \left(\frac{w}{2}\right)^{d-1}",
        printed_equation=r"\mathbb{E}\,\lambda(s, s) \approx \left(\frac{w}{2}\right)^{d-1}",
        note="exact for continuous gating weights; those that are signs tie, and a tied gate is shut",
    ),
    "004-galu-bound": holds_if(
        place="section 2, GaLU networks",
        says="the ratio of the mean path overlaps of two samples and of one is at most eta^(d-1)",
        implements="kernels.path_overlap",
        value=mean_overlap,
        estimate=mean_overlap_by_paths,
        printed=lambda: np.mean([paths.largest_overlap(gate, itself=False) ** 2 for gate in NETWORKS]),
        number="that ratio of means over two gating networks; printed: the mean of eta^(d-1); d = 3, w = 2",
        right=r"\frac{\lambda(s, s')}{\lambda(s, s)} \leq \eta^{d-1}",
        printed_equation=r"\max_{s, s'} \frac{\bar\lambda_{cross}(s, s')}{\bar\lambda_{self}(s)} \leq \eta^{d-1}",
        note="for each gating network by itself, not between means: networks that open more paths count for more. Here "
        "one opens all gates, another separates two samples",
    ),
}
