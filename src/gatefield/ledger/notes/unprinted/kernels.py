"""Kernels: their exact variance, gates that fit the hard pair, ranks, convolutions, nu of the identity."""

import math
from fractions import Fraction

import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.kernels import expected_conv_ntk, ntk, ntk_variance, random_gate_moments
from gatefield.ledger.notes.paper_004 import convolution
from gatefield.ledger.notes.paper_004.alignment import LABELS, N
from gatefield.ledger.notes.paper_004.gram_matrix import GATES, SIGMA, SIGNS, X, over_signs, unfitted
from gatefield.ledger.notes.unprinted import holds
from gatefield.ledger.routes import calculus, descent, paths
from gatefield.ledger.routes.convolution import conv_output, pooled
from gatefield.measures import label_alignment

PLANE = descent.plane(2, frozen=False, run=0, all_signs=True)


def conv_kernel(*, pool: bool) -> Estimate:
    """Tangent kernel of the two samples, summed over the outputs; derivatives by differences, over all signs."""
    seen, shapes = pooled if pool else conv_output, [(convolution.SIZE, 1, 1)] * convolution.LAYERS
    every = paths.all_signs(shapes, convolution.SIGMA)
    half = [k for k in every if k[0][0, 0, 0] > 0]  # the other half are these with all signs of a layer turned
    found = [calculus.gram(lambda k: seen(k, convolution.SOFT, convolution.X), kernels)[0, 1] for kernels in half]
    return Estimate(np.mean(found), 1e-7, "differences, " + convolution.SIGNS)


FORMULAS = {
    "sheet-ntk-variance": holds(
        place="kernels, exact variance",
        says="the variance of each entry of K, by a recursion over the layers",
        implements="kernels.ntk_variance",
        value=lambda: ntk_variance(GATES, X, SIGMA)[0, 1],
        estimate=lambda: Estimate(over_signs().var(0)[0, 1], 1e-12, SIGNS),
    ),
    "sheet-ntk-variance-linear": holds(
        place="kernels, variance of deep linear networks",
        says="w Var K tends to 2(d-1)(d-2)(2d-3)/3 for weights +-1/sqrt(w) and input 1",
        implements="kernels.ntk_variance",
        value=lambda: ntk_variance([np.ones((1, 10**6))] * 7, np.ones((1, 1)), 1e-3)[0, 0] * 10**6,
        estimate=lambda: Estimate(2 * 7 * 6 * 13 / 3, 1e-2, "closed form of the leading order"),
        right=r"w\,\mathrm{Var}\,K \to \frac{2}{3}(d - 1)(d - 2)(2d - 3)",
        note="d = 8 at w = 10^6",
    ),
    "sheet-ntk-variance-cross": holds(
        place="kernels, random gates",
        says="the spread of K/d between two samples falls with depth",
        implements="kernels.random_gate_moments",
        value=lambda: math.sqrt(random_gate_moments(8, 500, 0.5, 500**-0.5 * 2**0.5).cross_variance) / 8,
        estimate=lambda: Estimate(
            math.sqrt(paths.exact_variance(8, 500, Fraction(1, 2), cross=True)) / 8, 1e-10, "second moments in fractions"
        ),
        note="standard deviation at w = 500, mu = 1/2, d = 8; it is 0.0387 at d = 2",
    ),
    "sheet-hard-pair": holds(
        place="kernels, paths and labels",
        says="gates that differ between x and 2x let both be fitted",
        implements="kernels.path_kernel",
        value=lambda: unfitted(descent.OWN),
        estimate=lambda: Estimate(descent.trained_on_pair(own=True), 1e-9, "training of a network of width 3"),
    ),
    "sheet-sign-rank": holds(
        place="kernels, experiment 2 of paper 004",
        says="with weights +-sigma and two inputs the kernel of depth 2 has the rank 6, whatever the width",
        implements="kernels.ntk",
        value=lambda: descent.rank(np.asarray(ntk(*PLANE))),
        estimate=lambda: Estimate(descent.sign_rank(PLANE[2]), 0.0, "rank of the functions that the derivatives are"),
        note="there are only four different first-layer units; w = n = 50",
    ),
    "sheet-conv-ntk": holds(
        place="kernels, convolutions with pooling",
        says="E[K] = (c/sigma^2) E[y y']",
        implements="kernels.expected_conv_ntk",
        value=lambda: expected_conv_ntk(convolution.SOFT, convolution.X, *convolution.MOMENT)[0, 1],
        estimate=lambda: conv_kernel(pool=True),
        right=r"\mathbb{E}[K] = \frac{c}{\sigma^2}\,\mathbb{E}[y y']",
    ),
    "sheet-conv-ntk-no-pool": holds(
        place="kernels, convolutions without pooling",
        says="summed over the outputs, E[K] = (c/sigma^2) E<z, z'>",
        implements="kernels.expected_conv_ntk",
        value=lambda: expected_conv_ntk(convolution.SOFT, convolution.X, *convolution.MOMENT, pool=False)[0, 1],
        estimate=lambda: conv_kernel(pool=False),
        right=r"\mathbb{E}[K] = \frac{c}{\sigma^2}\,\mathbb{E}\langle z, z'\rangle",
    ),
    "sheet-nu-identity": holds(
        place="measures, label alignment",
        says="nu of I/n is n^2 for labels +-1",
        implements="measures.label_alignment",
        value=lambda: label_alignment(np.eye(N) / N, LABELS, 0.0),
        estimate=lambda: Estimate(N**2, 1e-8, "each label counts n"),
        right=r"\nu = n^2",
        note="n = 40 here; 40000 for the 200 samples of the figures",
    ),
}
