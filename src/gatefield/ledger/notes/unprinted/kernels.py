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
        says="variance of each entry of the tangent kernel, by a recursion over the layers",
        implements="kernels.ntk_variance",
        value=lambda: ntk_variance(GATES, X, SIGMA)[0, 1],
        estimate=lambda: Estimate(over_signs().var(0)[0, 1], 1e-12, SIGNS),
        number="Var K(1, 2); two samples, d_in = w = 2, d = 3, sigma = 0.7",
    ),
    "sheet-ntk-variance-linear": holds(
        place="kernels, variance of deep linear networks",
        says="leading variance of the tangent kernel of a wide deep linear network, weights +-1/sqrt(w), input 1",
        implements="kernels.ntk_variance",
        value=lambda: ntk_variance([np.ones((1, 10**6))] * 7, np.ones((1, 1)), 1e-3)[0, 0] * 10**6,
        estimate=lambda: Estimate(2 * 7 * 6 * 13 / 3, 1e-2, "closed form of the leading order"),
        number="w Var K; d = 8, w = 10^6",
        right=r"w\,\mathrm{Var}\,K \to \frac{2}{3}(d - 1)(d - 2)(2d - 3)",
    ),
    "sheet-ntk-variance-cross": holds(
        place="kernels, random gates",
        says="behind random gates the spread of K/d between two samples falls with depth",
        implements="kernels.random_gate_moments",
        value=lambda: math.sqrt(random_gate_moments(8, 500, 0.5, 500**-0.5 * 2**0.5).cross_variance) / 8,
        estimate=lambda: Estimate(
            math.sqrt(paths.exact_variance(8, 500, Fraction(1, 2), cross=True)) / 8, 1e-10, "second moments in fractions"
        ),
        number="standard deviation of K/d at d = 8; w = 500, mu = 1/2",
        note="it is 0.0387 at d = 2",
    ),
    "sheet-hard-pair": holds(
        place="kernels, paths and labels",
        says="gates that differ between x and 2x let a network fit (x, 1) and (2x, -1)",
        implements="kernels.path_kernel",
        value=lambda: unfitted(descent.OWN),
        estimate=lambda: Estimate(descent.trained_on_pair(own=True), 1e-9, "training of a network of width 3"),
        number="least sum of squared errors over all strengths of paths",
    ),
    "sheet-sign-rank": holds(
        place="kernels, experiment 2 of paper 004",
        says="with weights +-sigma and two inputs the tangent kernel of depth 2 has rank 6, whatever the width",
        implements="kernels.ntk",
        value=lambda: descent.rank(np.asarray(ntk(*PLANE))),
        estimate=lambda: Estimate(descent.sign_rank(PLANE[2]), 0.0, "rank of the functions that the derivatives are"),
        number="rank of K; w = n = 50",
        note="there are only four different first-layer units",
    ),
    "sheet-conv-ntk": holds(
        place="kernels, convolutions with pooling",
        says="mean tangent kernel of c convolutions with pooling, from the mean product of outputs",
        implements="kernels.expected_conv_ntk",
        value=lambda: expected_conv_ntk(convolution.SOFT, convolution.X, *convolution.MOMENT)[0, 1],
        estimate=lambda: conv_kernel(pool=True),
        number="E[K(1, 2)]; two inputs of 3 sites, 3 convolutions of width 2, sigma = 0.8",
        right=r"\mathbb{E}[K] = \frac{c}{\sigma^2}\,\mathbb{E}[y y']",
    ),
    "sheet-conv-ntk-no-pool": holds(
        place="kernels, convolutions without pooling",
        says="mean tangent kernel of c convolutions without pooling, summed over the outputs",
        implements="kernels.expected_conv_ntk",
        value=lambda: expected_conv_ntk(convolution.SOFT, convolution.X, *convolution.MOMENT, pool=False)[0, 1],
        estimate=lambda: conv_kernel(pool=False),
        number="E[K(1, 2)]; two inputs of 3 sites, 3 convolutions of width 2, sigma = 0.8",
        right=r"\mathbb{E}[K] = \frac{c}{\sigma^2}\,\mathbb{E}\langle z, z'\rangle",
    ),
    "sheet-nu-identity": holds(
        place="measures, label alignment",
        says="label alignment nu of the kernel I/n, for labels +-1",
        implements="measures.label_alignment",
        value=lambda: label_alignment(np.eye(N) / N, LABELS, 0.0),
        estimate=lambda: Estimate(N**2, 1e-8, "each label counts n"),
        number="nu; n = 40",
        right=r"\nu = n^2",
        note="40000 for the 200 samples of the figures",
    ),
}
