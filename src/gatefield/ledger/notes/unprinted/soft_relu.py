"""Wide soft-ReLU networks, whose soft gates are their own, and how they come to ReLU networks as gates get steep."""

import math

import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.kernels import wide_relu_ntk, wide_soft_relu_ntk
from gatefield.ledger.formula import sampled
from gatefield.ledger.notes.unprinted import holds
from gatefield.ledger.routes import wide
from gatefield.ledger.routes.gaussian import sampled as mean

X, ONE = np.array([[0.5, -1.0], [1.2, 0.3]]), np.ones((1, 1))
WIDTH, RUNS = 300, 80
"""The mean of K at this width differs from its limit by less than its standard error over so many networks."""
GATE_PART = math.pi**2 / 18 - 1 / 3
"""The integral of (u sigmoid'(u))^2."""


def beside_hard(x: np.ndarray, depth: int, beta: float) -> np.ndarray:
    """The kernel over its limit, with w sigma^2 = 2."""
    return np.asarray(wide_soft_relu_ntk(x, depth, 2, 1.0, beta, 0.0) / wide_relu_ntk(x, depth, 2, 1.0))


def pair_rate() -> float:
    """(s/s' + s'/s) cos 2 theta/sin theta, from the coordinates of both samples."""
    (a, b), (c, d) = X
    along, across, first, second = a * c + b * d, abs(a * d - b * c), math.hypot(a, b), math.hypot(c, d)
    return (first / second + second / first) * (along**2 - across**2) / (first * second * across)


FORMULAS = {
    "sheet-wide-soft-relu": holds(
        place="kernels, soft-ReLU networks with their own gates",
        says="tangent kernel of a wide soft-ReLU network with its own soft gates, for any steepness",
        implements="kernels.wide_soft_relu_ntk",
        value=lambda: wide_soft_relu_ntk(X, 4, 7, 0.5, 4.0, 0.1)[0, 1],
        estimate=lambda: Estimate(
            wide.soft_relu_kernel(X, 4, 7, 0.5, 4.0, 0.1), 1e-8, "quadrature over the sums of both samples, layer by layer"
        ),
        number="K(1, 2); d = 4, w = 7, sigma = 0.5, beta = 4, eps = 0.1",
        right=r"K = \sum_{l=1}^{d} Z_{l-1}\prod_{m=l}^{d-1} w\sigma^2\,\mathbb{E}[f'(q_m)f'(q'_m)],\quad "
        r"Z_l = w\,\mathbb{E}[f(q_l)f(q'_l)],\quad f(q) = q\,G(q)",
        note="strengths and gates together: the sum of all parts of soft_relu_ntk",
    ),
    "sheet-wide-soft-relu-networks": holds(
        place="kernels, soft-ReLU networks with their own gates",
        says="the kernel of the wide limit is the mean over wide soft-ReLU networks",
        implements="kernels.wide_soft_relu_ntk",
        value=lambda: wide_soft_relu_ntk(X, 3, WIDTH, (2 / WIDTH) ** 0.5, 40.0, 0.0)[0, 1],
        estimate=lambda: sampled(mean(wide.sampled_soft_relu(X, 3, WIDTH, 40.0, RUNS)), f"{RUNS} networks of width {WIDTH}"),
        number="K(1, 2); d = 3, w = 300, sigma^2 = 2/w, beta = 40, eps = 0",
    ),
    "sheet-soft-relu-kernel-self": holds(
        place="kernels, role of beta in section 3.1 of paper 004",
        says="the whole kernel of soft-ReLU networks tends to that of ReLU networks as 1/beta on the diagonal, from above",
        implements="kernels.wide_soft_relu_ntk",
        value=lambda: (beside_hard(ONE, 4, 1e4) - 1)[0, 0] * 1e4,
        estimate=lambda: Estimate(3 * GATE_PART / math.sqrt(2 * math.pi), 1e-4 * GATE_PART, "closed form of the leading order"),
        number="relative difference times beta; w sigma^2 = 2, all s_l = 1, d = 4, eps = 0, beta = 10^4",
        right=r"K(s, s) = K_\infty(s, s)\left(1 + \frac{\pi^2/9 - 2/3}{\sqrt{2\pi}\,\beta}\,\frac1d"
        r"\sum_{l<d}\frac{l}{s_l}\right) + O(\beta^{-2})",
        note="for one sigma, and sums of variance s_l^2. What soft gates take from the strengths, the cross terms give back; "
        "the part of the gates is left",
    ),
    "sheet-soft-relu-kernel-pair": holds(
        place="kernels, role of beta in section 3.1 of paper 004",
        says="between samples the whole kernel of soft-ReLU networks tends to that of ReLU networks as 1/beta^2",
        implements="kernels.wide_soft_relu_ntk",
        value=lambda: (wide_soft_relu_ntk(X, 2, 2, 1.0, 1e3, 0.0) - wide_relu_ntk(X, 2, 2, 1.0))[0, 1] * 1e6,
        estimate=lambda: Estimate(math.pi / 6 * pair_rate(), 1e-4, "closed form of the leading order"),
        number="the difference times beta^2; d = 2, w = 2, sigma = 1, eps = 0, beta = 1000",
        right=r"K = K_\infty + \frac{\pi w}{12\beta^2}\left(\frac{s}{s'} + \frac{s'}{s}\right)\frac{\cos 2\theta}{\sin\theta} "
        r"+ O(\beta^{-4})\quad (d = 2)",
        note="for samples that are not parallel: below the limit if theta is between 45 and 135 degrees, else above",
    ),
}
