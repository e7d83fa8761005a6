"""Wide networks with gates of their own (future work of paper 004, section 1), of another network, and soft ones."""

import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.kernels import wide_galu_ntk, wide_relu_ntk
from gatefield.ledger.formula import sampled
from gatefield.ledger.notes.unprinted import holds
from gatefield.ledger.routes import wide
from gatefield.ledger.routes.gaussian import sampled as mean

X = np.array([[0.5, -1.0], [1.2, 0.3]])
CROSS = np.eye(2)
"""Two samples at a right angle."""
WIDTH, RUNS = 300, 80
"""The mean of K at this width differs from its limit by less than its standard error over so many networks."""
DEPTH, DEEP = 3, 10**4
QUADRATURE = "quadrature over the wedge where both gates are open, layer by layer"


def networks(*, own: bool) -> Estimate:
    return sampled(mean(wide.sampled_kernels(X, DEPTH, WIDTH, own=own, runs=RUNS)), f"{RUNS} networks of width {WIDTH}")


FORMULAS = {
    "sheet-wide-relu": holds(
        place="kernels, ReLU networks with their own gates",
        says="the tangent kernel of a wide ReLU network, by arc-cosine kernels",
        implements="kernels.wide_relu_ntk",
        value=lambda: wide_relu_ntk(X, 5, 7, 0.5)[0, 1],
        estimate=lambda: Estimate(wide.pair_kernel(X, 5, 7 * 0.5**2, own=True), 1e-12, QUADRATURE),
        right=r"K = \sum_{l=1}^{d} Z_{l-1}\prod_{m=l}^{d-1} w\sigma^2 P_m,\quad P_l = \frac{\pi - \theta_l}{2\pi}",
        note="future work in section 1 of paper 004; d = 5, w = 7, sigma = 0.5",
    ),
    "sheet-wide-relu-networks": holds(
        place="kernels, ReLU networks with their own gates",
        says="it is the mean over networks of large width",
        implements="kernels.wide_relu_ntk",
        value=lambda: wide_relu_ntk(X, DEPTH, WIDTH, (2 / WIDTH) ** 0.5)[0, 1],
        estimate=lambda: networks(own=True),
    ),
    "sheet-wide-galu": holds(
        place="kernels, GaLU networks",
        says="the mean tangent kernel with gates of another wide network",
        implements="kernels.wide_galu_ntk",
        value=lambda: wide_galu_ntk(X, 5, 7, 0.5)[0, 1],
        estimate=lambda: Estimate(wide.pair_kernel(X, 5, 7 * 0.5**2, own=False), 1e-12, QUADRATURE),
        right=r"\mathbb{E}[K] = d\,\sigma^{2(d-1)}\,(x^\top x)\odot\prod_{l<d} w\,\frac{\pi - \theta_l}{2\pi}",
        note="d = 5, w = 7, sigma = 0.5",
    ),
    "sheet-wide-galu-networks": holds(
        place="kernels, GaLU networks",
        says="it is the mean over networks and gates of large width",
        implements="kernels.wide_galu_ntk",
        value=lambda: wide_galu_ntk(X, DEPTH, WIDTH, (2 / WIDTH) ** 0.5)[0, 1],
        estimate=lambda: networks(own=False),
    ),
    "sheet-own-gates-deep": holds(
        place="kernels, ReLU networks with their own gates",
        says="with depth, samples that are not parallel have a quarter of the diagonal in common",
        implements="kernels.wide_relu_ntk",
        value=lambda: wide_relu_ntk(CROSS, DEEP, 2, 1.0)[0, 1] / DEEP,
        estimate=lambda: Estimate(1 / 4, 1e-3, "the integral of t^3, from angles that fall as 3 pi/l"),
        right=r"\frac{K(s, s')}{d\,|x||x'|} \to \int_0^1 t^3\,dt = \frac14",
        note="w sigma^2 = 2, d = 10^4. Of n samples of length 1, K/d has then one eigenvalue (n + 3)/4, and all others 3/4",
    ),
    "sheet-other-gates-deep": holds(
        place="kernels, GaLU networks",
        says="with depth, what two samples have in common falls as d^-3 beside the diagonal",
        implements="kernels.wide_galu_ntk",
        value=lambda: wide_galu_ntk(X, 2 * DEEP, 2, 1.0)[0, 1] / wide_galu_ntk(X, DEEP, 2, 1.0)[0, 1] / 2,
        estimate=lambda: Estimate(1 / 8, 1e-3, "the product of 1 - 3/l"),
        right=r"\frac{K(s, s')}{d\,|x||x'|} \sim d^{-3}",
        note="from d = 10^4 to 2 10^4: independent gates make the kernel ever more diagonal, own gates do not",
    ),
}
