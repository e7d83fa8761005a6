"""Paper 004, section 1: error dynamics, the Gram matrix, path features, the hard dataset, whitening. Equations 1 and 2."""

import functools
import itertools

import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.kernels import ntk, path_features, path_kernel, path_strengths, random_gate_moments
from gatefield.ledger.notes.paper_004 import corrected, holds
from gatefield.ledger.routes import calculus, descent, paths

DIMS, SIGMA, MU = (2, 2, 2, 1), 0.7, 0.5
_RNG = np.random.default_rng(4)
WEIGHTS = [_RNG.normal(size=shape) for shape in itertools.pairwise(DIMS)]
GATES = [np.array([[1.0, 1.0], [1.0, 0.0]]), np.array([[0.0, 1.0], [1.0, 1.0]])]
X = np.array([[0.5, -1.0], [2.0, 0.3]])
ONE = WEIGHTS, [g[:1] for g in GATES], X[:1]
"""The first sample alone."""
PATHS = "list of all paths"
SIGNS = "all signs of the weights"


@functools.cache
def over_signs() -> np.ndarray:
    """The kernel for every choice of signs of the weights."""
    return paths.kernels_over_signs(DIMS, GATES, X, SIGMA)


def unfitted(gates: list[np.ndarray]) -> float:
    """Least sum of squared errors over all strengths of the paths: what of the labels lies outside the range of M."""
    M, y = np.asarray(path_kernel(gates, descent.HARD_X)), descent.HARD_Y
    return float(y @ (y - M @ np.linalg.pinv(M, rcond=1e-10) @ y))


FORMULAS = {
    "004-eq1": corrected(
        place="equation 1",
        says="one step of gradient descent on the sum of squared errors e multiplies them by a matrix made of K",
        implements="kernels.ntk",
        value=lambda: 2 * ntk(WEIGHTS, GATES, X)[0, 0],
        estimate=lambda: Estimate(paths.rate_of_step(*ONE), 1e-2, "one step on the loss, whose slope is found by differences"),
        printed=lambda: paths.all_pairs(WEIGHTS, GATES, X)[0, 0],
        number="rate of one step for one sample; d_in = w = 2, d = 3",
        right=r"e_{t+1} = e_t - 2\alpha_t K_t e_t",
        printed_equation=r"e_{t+1} = e_t - \alpha_t K_t e_t",
        note="a factor 2 is missing; the loss with one half would give alpha K. To first order in alpha",
    ),
    "004-kernel": holds(
        place="section 1, Gram matrix",
        says="the tangent kernel K is the Gram matrix of the derivatives of the outputs",
        implements="kernels.ntk",
        value=lambda: ntk(WEIGHTS, GATES, X)[0, 1],
        estimate=lambda: Estimate(
            calculus.gram(lambda w: paths.output(w, GATES, X), WEIGHTS)[0, 1], 1e-7, "derivatives by differences"
        ),
        number="K(1, 2); two samples, d_in = w = 2, d = 3",
        right=r"K = \Psi^\top\Psi,\quad \Psi(m, s) = \frac{\partial\hat y(x_s)}{\partial\theta(m)}",
        note="the library sums it layer by layer",
    ),
    "004-eq2": holds(
        place="table 1, equation 2",
        says="the output of a gated network is a sum over paths of hidden features times strengths",
        implements="kernels.path_features",
        value=lambda: (path_features(GATES, X) @ path_strengths(WEIGHTS))[0],
        estimate=lambda: Estimate(paths.output(WEIGHTS, GATES, X)[0, 0], 1e-12, "layer by layer"),
        number="output of the first sample; two samples, d_in = w = 2, d = 3",
        right=r"\hat y(x_s) = \phi_{x_s}^\top w = \sum_p x_s(p(0))\,A(x_s, p)\,w(p)",
    ),
    "004-path-kernel": holds(
        place="section 1, similarity metric",
        says="Gram matrix of the path features: inputs times path overlaps",
        implements="kernels.path_kernel",
        value=lambda: path_kernel(GATES, X)[0, 1],
        estimate=lambda: Estimate(np.prod(paths.path_features(DIMS, GATES, X), axis=1).sum(), 1e-12, PATHS),
        number="M(1, 2); two samples, d_in = w = 2, d = 3",
        right=r"M = \Phi^\top\Phi = (x^\top x)\odot\lambda",
    ),
    "004-hard-pair": holds(
        place="section 1, a hard dataset",
        says="no ReLU network without biases fits (x, 1) and (2x, -1)",
        implements="kernels.path_kernel",
        value=lambda: unfitted(descent.hard_gates(descent.normals(np.random.default_rng(11), (2, 3, 1)), descent.HARD_X)),
        estimate=lambda: Estimate(descent.trained_on_pair(own=False), 1e-9, "training of a network of width 3"),
        number="least sum of squared errors over all strengths of paths, 9/5; width 3",
        right=r"\min \sum_s e_s^2 = \frac{9}{5}",
        note="with -1/5 at x; the same for GaLU whose gating network has no biases",
    ),
    "004-whitening": corrected(
        place="section 1, depth phenomena I",
        says="how the path overlap of two samples, relative to one's own, decays with depth",
        implements="kernels.random_gate_moments",
        value=lambda: random_gate_moments(3, 2, MU, 1.0).cross_mean / random_gate_moments(3, 2, MU, 1.0).self_mean,
        estimate=lambda: Estimate(paths.moments_of_gates(2) / paths.moments_of_gates(1), 1e-12, "all gates, d = 3, w = 2"),
        printed=lambda: MU**3,
        number="ratio of the mean overlaps; d = 3, w = 2, mu = 1/2",
        right=r"\frac{\mathbb{E}\,\lambda(s, s')}{\mathbb{E}\,\lambda(s, s)} = \mu^{d-1}",
        printed_equation=r"\frac{\lambda(s, s')}{\lambda(s, s)} \leq \mu^d",
        note="there are d - 1 gated layers, not d",
    ),
}
