"""Wide networks with gates of their own (future work of paper 004, section 1), of another network, and soft ones."""

import math

import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.kernels import (
    soft_overlap,
    soft_relu_ntk,
    soft_slope_overlap,
    wide_galu_ntk,
    wide_relu_ntk,
    wide_soft_galu_ntk,
)
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


COV, BETA, STEEP, ONE = np.array([[1.0, 0.3], [0.3, 0.5]]), 4.0, 1e4, np.ones((1, 1))
EDGE = "quadrature with panels dense at the edge of the gate"
PAIR = "quadrature over both sums"
LEADING = "closed form of the leading order"
ROOT = math.sqrt(2 * math.pi)


def distance(beta: float) -> float:
    """E[(G - 1(q > 0))^2] of a sum of variance 1."""
    one = np.eye(1)
    return float((soft_overlap(one, beta) - 2 * soft_overlap(one, beta, other=math.inf) + 0.5)[0, 0])


def soft_relu_gates(beta: float) -> float:
    """Mean of K^a over the weight of one soft-ReLU unit, strength and input 1: the library's kernel, by a trapezoid rule."""
    q = np.linspace(-40, 40, 801) / beta
    found = [soft_relu_ntk([weight * ONE, ONE], ONE, beta, 0.0).gate[0, 0] for weight in q]
    return float(np.sum(np.array(found) * np.exp(-(q**2) / 2)) * (q[1] - q[0]) / ROOT)


def slope(u: np.ndarray) -> np.ndarray:
    return wide.logistic(u) * wide.logistic(-u)


def networks(*, own: bool) -> Estimate:
    return sampled(mean(wide.sampled_kernels(X, DEPTH, WIDTH, own=own, runs=RUNS)), f"{RUNS} networks of width {WIDTH}")


FORMULAS = {
    "sheet-wide-relu": holds(
        place="kernels, ReLU networks with their own gates",
        says="tangent kernel of a wide ReLU network with its own gates, by arc-cosine kernels",
        implements="kernels.wide_relu_ntk",
        value=lambda: wide_relu_ntk(X, 5, 7, 0.5)[0, 1],
        estimate=lambda: Estimate(wide.pair_kernel(X, 5, 7 * 0.5**2, own=True), 1e-12, QUADRATURE),
        number="K(1, 2); d = 5, w = 7, sigma = 0.5",
        right=r"K = \sum_{l=1}^{d} Z_{l-1}\prod_{m=l}^{d-1} w\sigma^2 P_m,\quad P_l = \frac{\pi - \theta_l}{2\pi}",
        note="future work in section 1 of paper 004",
    ),
    "sheet-wide-relu-networks": holds(
        place="kernels, ReLU networks with their own gates",
        says="the kernel of the wide limit is the mean over wide ReLU networks with their own gates",
        implements="kernels.wide_relu_ntk",
        value=lambda: wide_relu_ntk(X, DEPTH, WIDTH, (2 / WIDTH) ** 0.5)[0, 1],
        estimate=lambda: networks(own=True),
        number="K(1, 2); d = 3, w = 300",
        right=r"\mathbb{E}[K] \to \sum_{l=1}^{d} Z_{l-1}\prod_{m=l}^{d-1} w\sigma^2 P_m",
    ),
    "sheet-wide-galu": holds(
        place="kernels, GaLU networks",
        says="mean tangent kernel of a wide GaLU network, with gates of another network",
        implements="kernels.wide_galu_ntk",
        value=lambda: wide_galu_ntk(X, 5, 7, 0.5)[0, 1],
        estimate=lambda: Estimate(wide.pair_kernel(X, 5, 7 * 0.5**2, own=False), 1e-12, QUADRATURE),
        number="E[K(1, 2)]; d = 5, w = 7, sigma = 0.5",
        right=r"\mathbb{E}[K] = d\,\sigma^{2(d-1)}\,(x^\top x)\odot\prod_{l<d} w\,\frac{\pi - \theta_l}{2\pi}",
    ),
    "sheet-wide-galu-networks": holds(
        place="kernels, GaLU networks",
        says="the kernel of the wide limit is the mean over wide GaLU networks and their gates",
        implements="kernels.wide_galu_ntk",
        value=lambda: wide_galu_ntk(X, DEPTH, WIDTH, (2 / WIDTH) ** 0.5)[0, 1],
        estimate=lambda: networks(own=False),
        number="E[K(1, 2)]; d = 3, w = 300",
    ),
    "sheet-own-gates-deep": holds(
        place="kernels, ReLU networks with their own gates",
        says="in deep ReLU networks samples that are not parallel have a quarter of the kernel's diagonal in common",
        implements="kernels.wide_relu_ntk",
        value=lambda: wide_relu_ntk(CROSS, DEEP, 2, 1.0)[0, 1] / DEEP,
        estimate=lambda: Estimate(1 / 4, 1e-3, "the integral of t^3, from angles that fall as 3 pi/l"),
        number="K(1, 2)/d; two samples at a right angle, w sigma^2 = 2, d = 10^4",
        right=r"\frac{K(s, s')}{d\,|x||x'|} \to \int_0^1 t^3\,dt = \frac14",
        note="of n samples of length 1, K/d has then one eigenvalue (n + 3)/4, and all others 3/4",
    ),
    "sheet-other-gates-deep": holds(
        place="kernels, GaLU networks",
        says="in deep GaLU networks what two samples have in common falls as d^-3 beside the kernel's diagonal",
        implements="kernels.wide_galu_ntk",
        value=lambda: wide_galu_ntk(X, 2 * DEEP, 2, 1.0)[0, 1] / wide_galu_ntk(X, DEEP, 2, 1.0)[0, 1] / 2,
        estimate=lambda: Estimate(1 / 8, 1e-3, "the product of 1 - 3/l"),
        number="K(1, 2)/d at d = 2 10^4 over that at d = 10^4",
        right=r"\frac{K(s, s')}{d\,|x||x'|} \sim d^{-3}",
        note="independent gates make the kernel ever more diagonal, own gates do not",
    ),
    "sheet-soft-overlap": holds(
        place="kernels, soft gates of Gaussian sums",
        says="mean product of the soft gates of two samples, for any steepness",
        implements="kernels.soft_overlap",
        value=lambda: soft_overlap(COV, BETA)[0, 1],
        estimate=lambda: Estimate(wide.two_sums(wide.logistic, COV, BETA), 1e-9, PAIR),
        number="E[G G']; variances 1 and 0.5, covariance 0.3, beta = 4",
        right=r"\mathbb{E}[GG'] = \frac14 + \frac{1}{2\pi}\mathbb{E}\arcsin\frac{c}"
        r"{\sqrt{(s^2 + V/\beta^2)(s'^2 + V'/\beta^2)}}",
    ),
    "sheet-soft-distance": holds(
        place="kernels, role of beta in section 3.1 of paper 004",
        says="mean squared distance between a soft gate and a hard one, for any steepness",
        implements="kernels.soft_overlap",
        value=lambda: distance(BETA),
        estimate=lambda: Estimate(wide.one_sum(lambda u: wide.logistic(-np.abs(u)) ** 2, 1.0, BETA), 1e-10, EDGE),
        number="the distance at variance 1, beta = 4",
    ),
    "sheet-soft-distance-rate": holds(
        place="kernels, role of beta in section 3.1 of paper 004",
        says="how the mean squared distance between a soft gate and a hard one falls with steepness",
        implements="kernels.soft_overlap",
        value=lambda: distance(STEEP) * STEEP * ROOT,
        estimate=lambda: Estimate(2 * math.log(2) - 1, 1e-6, LEADING),
        number="the distance times sqrt(2 pi) beta; eps = 0, s = 1, beta = 10^4",
        right=r"\mathbb{E}[(G - 1_{q>0})^2] = \frac{2\log 2 - 1}{\sqrt{2\pi}\,\beta s} + O(\beta^{-3})",
    ),
    "sheet-soft-overlap-self": holds(
        place="kernels, role of beta in section 3.1 of paper 004",
        says="soft gates: what a sample has in common with itself tends to that of hard gates as 1/beta",
        implements="kernels.soft_overlap",
        value=lambda: (0.5 - soft_overlap(COV, STEEP)[1, 1]) * STEEP * ROOT,
        estimate=lambda: Estimate(1 / math.sqrt(COV[1, 1]), 1e-6, LEADING),
        number="the difference times sqrt(2 pi) beta; variance 0.5, beta = 10^4",
        right=r"\mathbb{E}[G^2] = \frac12 - \frac{1}{\sqrt{2\pi}\,\beta s} + O(\beta^{-3})",
        note="times (1 + eps)^2 for eps > 0",
    ),
    "sheet-soft-overlap-pair": holds(
        place="kernels, role of beta in section 3.1 of paper 004",
        says="soft gates: what two samples have in common tends to that of hard gates as 1/beta^2",
        implements="kernels.soft_overlap",
        value=lambda: (soft_overlap(COV, math.inf) - soft_overlap(COV, 1e3))[0, 1] * 1e6,
        estimate=lambda: Estimate(math.pi / 12 * 0.3 / math.sqrt(0.5 - 0.09) * (1 + 1 / 0.5), 1e-4, LEADING),
        number="the difference times beta^2; variances 1 and 0.5, covariance 0.3, beta = 1000",
        right=r"\mathbb{E}[GG'] = \frac{\pi - \theta}{2\pi} - \frac{\pi\rho}{12\beta^2\sqrt{1 - \rho^2}}"
        r"\left(\frac{1}{s^2} + \frac{1}{s'^2}\right) + O(\beta^{-4})",
        note="times (1 + eps)^2 for eps > 0",
    ),
    "sheet-soft-kernel-rate": holds(
        place="kernels, role of beta in section 3.1 of paper 004",
        says="the kernel K^w of deep soft-GaLU networks tends to that of hard gates as 1/beta on the diagonal",
        implements="kernels.wide_soft_galu_ntk",
        value=lambda: (1 - wide_soft_galu_ntk(ONE, 4, 2, 1.0, STEEP, 0.0) / wide_galu_ntk(ONE, 4, 2, 1.0))[0, 0] * STEEP,
        estimate=lambda: Estimate(3 * 2 / ROOT, 1e-3, LEADING),
        number="relative difference times beta; w sigma^2 = 2, d = 4, eps = 0, beta = 10^4",
        right=r"\mathbb{E}[K^w(s, s)] = K_\infty(s, s)\left(1 - \sum_{l<d}\frac{2}{\sqrt{2\pi}\,\beta s_l}\right) "
        r"+ O(\beta^{-2})",
        note="for sums of variance s_l^2; between samples the rate is 1/beta^2",
    ),
    "sheet-soft-kernel-eps": holds(
        place="kernels, role of beta in section 3.1 of paper 004",
        says="eps > 0 leaves a factor between K^w of steep soft-GaLU networks and the kernel of GaLU networks with hard gates",
        implements="kernels.wide_soft_galu_ntk",
        value=lambda: (wide_soft_galu_ntk(X, 4, 2, 1.0, 1e5, 0.1) / wide_galu_ntk(X, 4, 2, 1.0))[0, 1],
        estimate=lambda: Estimate(1.1**6, 1e-6, "a factor 1 + eps for each gate of two samples"),
        number="that factor; d = 4, eps = 0.1",
        right=r"\lim_{\beta\to\infty} K^w = (1 + \varepsilon)^{2(d-1)} K_\infty",
    ),
    "sheet-soft-slopes": holds(
        place="kernels, soft gates of Gaussian sums",
        says="mean product of the slopes of two samples' soft gates, for any steepness",
        implements="kernels.soft_slope_overlap",
        value=lambda: soft_slope_overlap(COV, BETA)[0, 1],
        estimate=lambda: Estimate(BETA**2 * wide.two_sums(slope, COV, BETA), 1e-9, PAIR),
        number="E[dG dG']; variances 1 and 0.5, covariance 0.3, beta = 4",
    ),
    "sheet-soft-gate-part-self": holds(
        place="kernels, role of beta in section 3.1 of paper 004",
        says="the mean of K^a of soft-GaLU does not vanish as gates get steep: on the diagonal it grows as beta",
        implements="kernels.soft_slope_overlap",
        value=lambda: soft_slope_overlap(COV, STEEP)[1, 1] / STEEP,
        estimate=lambda: Estimate(STEEP * wide.one_sum(lambda u: slope(u) ** 2, math.sqrt(0.5), STEEP), 1e-9, EDGE),
        number="E[(dG/dq)^2]/beta; variance 0.5, beta = 10^4",
        right=r"\mathbb{E}[(\partial G/\partial q)^2] = \frac{\beta}{6\sqrt{2\pi}\,s} + O(\beta^{-1})",
        note="at depth 2 E[K^a] is w sigma^4 (x'x)^2 times this mean. In almost every network K^a itself vanishes: one "
        "unit in beta is near its edge, and counts beta^2",
    ),
    "sheet-soft-gate-part-pair": holds(
        place="kernels, role of beta in section 3.1 of paper 004",
        says="the mean of K^a of soft-GaLU between two samples tends to the density of both sums at the edge",
        implements="kernels.soft_slope_overlap",
        value=lambda: soft_slope_overlap(COV, STEEP)[0, 1],
        estimate=lambda: Estimate(1 / (2 * math.pi * math.sqrt(np.linalg.det(COV))), 1e-6, "normal density at zero"),
        number="E[dG dG']; variances 1 and 0.5, covariance 0.3, beta = 10^4",
        right=r"\mathbb{E}[\partial G\,\partial G'] \to \frac{1}{2\pi s s'\sqrt{1 - \rho^2}}",
    ),
    "sheet-soft-relu-gate-part": holds(
        place="kernels, role of beta in section 3.1 of paper 004",
        says="the mean of K^a of soft-ReLU, whose sums are small where its gates are steep, vanishes as 1/beta",
        implements="kernels.soft_relu_ntk",
        value=lambda: soft_relu_gates(100.0) * 100 * ROOT,
        estimate=lambda: Estimate(math.pi**2 / 18 - 1 / 3, 1e-3, LEADING),
        number="E[K^a] sqrt(2 pi) beta; one unit, d = 2, input and strength 1, beta = 100",
        right=r"\mathbb{E}[(q\,\partial G/\partial q)^2] = \frac{\pi^2/18 - 1/3}{\sqrt{2\pi}\,\beta s} + O(\beta^{-3})",
    ),
}
