"""Note 002, section 2, first half: K ReLU neurons on Gaussian data.

Flow (equations 2 to 5), means where gates are open (6 to 18), a single neuron (19, 20).
"""

import math

import numpy as np
from scipy.linalg import circulant

from gatefield.core.estimate import Estimate
from gatefield.ledger.notes.note_002 import corrected, holds, left_open
from gatefield.ledger.routes import calculus, cube, gaussian, neuron
from gatefield.theory import relu

COV1, COV0 = COVS = circulant([1.0, 0.5, 0.2, 0.5]), circulant([1.0, 0.2, 0.05, 0.2])
W = np.array([[0.5, -0.3, 0.8, 0.1], [-0.2, 0.9, 0.4, -0.6], [0.7, 0.2, -0.5, 0.3]])
OUTWARD = np.array([0.3, -0.2, 0.4, 0.7])
"""The direction along which vectors are compared."""
POINTS, LAW = cube.corners(4), cube.ring_law(4, 0.6)
PLANE = "Gauss-Legendre quadrature over the plane of both fields"
PAIR = r"\mathbb{E}[\mathbb{1}(\langle w, x\rangle > 0)\,\mathrm{relu}(\langle v, x\rangle)\,x]"


def descent(j: int, labels: tuple[float, float] = (1.0, 0.0), fields: np.ndarray = W, **options) -> Estimate:
    """The velocity of field j along a fixed direction: minus the change of the loss."""
    move = np.eye(len(fields))[j][:, None] * OUTWARD
    change = calculus.derivative(lambda e: gaussian.relu_loss(fields + e * move, COVS, labels, **options))
    return Estimate(-change, 1e-9, "central differences of a loss found by quadrature")


def first_coefficient(pair_mean: np.ndarray) -> float:
    """That of the gate's own field in E[1(w.x > 0) relu(v.x) x]."""
    return np.linalg.lstsq((W[:2] @ COV1).T, pair_mean)[0][0]


def equation_5(j: int) -> float:
    """Half the mean of class 1 where the gate is open, minus the mean output times input, without 1/K in front."""
    pairs = sum(gaussian.pair_mean(W[j], w, cov) for w in W for cov in COVS) / 2
    return float((gaussian.open_mean(W[j], COV1) / 2 - pairs / len(W)) @ OUTWARD)


def equation_18(w: np.ndarray, v: np.ndarray, cov: np.ndarray) -> float:
    """The coefficient of the first field, as printed."""
    r11, rkk, r1k = w @ cov @ w, v @ cov @ v, w @ cov @ v
    g = r1k / math.sqrt(r11 * rkk)
    first = (g**2 - rkk / r11) / (2 * math.pi * (1 - g**2)) * math.acos(g)
    second = (2 * rkk / r11 - g**2) / (4 * (1 - g**2))
    third = (1 / (g * r11) - 1 / math.sqrt(r11 * rkk)) / (2 * math.pi * math.sqrt(1 - g**2))
    return float(first + second + third)


def regressed(w: np.ndarray, cov: np.ndarray) -> np.ndarray:
    """Slopes of each input on <w, x>, from as many points as it takes to have that covariance."""
    points = np.linalg.cholesky(cov).T
    return np.linalg.lstsq((points @ w)[:, None], points)[0][0]


FORMULAS = {
    "002-eq5": corrected(
        place="equations 4 and 5",
        says="gradient flow of one of K ReLU neurons",
        implements="theory.relu.velocity",
        value=lambda: relu.velocity(W, COV1, COV0)[0] @ OUTWARD,
        estimate=lambda: descent(0),
        printed=lambda: equation_5(0),
        number="velocity of the first of three fields along a fixed direction; Gaussian data on four sites",
        right=r"K\tau\frac{dw_1}{dt} = \frac{1}{2}\mathbb{E}_{1}[\mathbb{1}(\langle w_1, x\rangle > 0)\,x]"
        r" - \frac{1}{K}\sum_k \mathbb{E}[\mathbb{1}(\langle w_1, x\rangle > 0)\,\mathrm{relu}(\langle w_k, x\rangle)\,x]",
        printed_equation=r"\tau\frac{dw_1}{dt} = \frac{1}{2}\mathbb{E}_{1}[\mathbb{1}(\langle w_1, x\rangle > 0)\,x]"
        r" - \frac{1}{K}\sum_k \mathbb{E}[\mathbb{1}(\langle w_1, x\rangle > 0)\,\mathrm{relu}(\langle w_k, x\rangle)\,x]",
        note="a factor 1/K is missing: the left side must be K tau dw/dt",
    ),
    "002-eq12": holds(
        place="equations 6 and 10 to 12",
        says="mean Gaussian input where a gate is open",
        implements="theory.relu.gate_mean",
        value=lambda: relu.gate_mean(W[0], COV1) @ OUTWARD,
        estimate=lambda: Estimate(gaussian.open_mean(W[0], COV1) @ OUTWARD, 1e-10, PLANE),
        number="E[1(w.x > 0) x] along a fixed direction; four sites",
        right=r"\mathbb{E}[\mathbb{1}(\langle w, x\rangle > 0)\,x] = \frac{\Sigma w}{\sqrt{2\pi\,w^\top\Sigma w}}",
    ),
    "002-eq7": holds(
        place="equations 7 to 9",
        says="X = Sv + AX with v = Cw/(w'Cw) leaves a rest AX that is uncorrelated with S = <w, X>",
        implements="theory.relu.gate_mean",
        value=lambda: relu.gate_mean(W[0], COV1) @ OUTWARD * math.sqrt(2 * math.pi / (W[0] @ COV1 @ W[0])),
        estimate=lambda: Estimate(regressed(W[0], COV1) @ OUTWARD, 1e-12, "least squares on points of that covariance"),
        right=r"X = S v + A X,\quad v = \frac{\Sigma w}{w^\top\Sigma w},\quad \mathrm{Cov}(A X, S) = 0",
        note="the mean of Gaussian X where the gate is open is v E[S 1(S > 0)]",
        number="v along a fixed direction; Gaussian data on four sites",
    ),
    "002-eq13": corrected(
        place="equation 13",
        says="mean of output times input of one ReLU unit, by conditioning on its output",
        implements="theory.relu.pair_mean",
        value=lambda: relu.pair_mean(W[0], W[0], COV1) @ OUTWARD,
        estimate=lambda: Estimate(gaussian.open_mean(W[0], COV1, power=1) @ OUTWARD, 1e-10, PLANE),
        printed=lambda: OUTWARD @ COV1 @ W[0] / 4,
        number="E[relu(w.x) x] along a fixed direction; Gaussian data on four sites",
        right=r"\mathbb{E}_{S > 0}[S X] = \mathbb{E}[S^2 \mid S > 0]\,v\,\mathbb{P}(S > 0)",
        printed_equation=r"\mathbb{E}_{S > 0}[S X] = \mathbb{E}_{S > 0}[S\,\mathbb{E}[X \mid S]]\,\mathbb{P}(S > 0)",
        note="read literally, the middle expression has the factor P(S > 0) twice; the result, equation 14, is right",
    ),
    "002-eq14": holds(
        place="equation 14",
        says="mean of output times input of one ReLU unit, for every law symmetric about zero",
        implements="theory.relu.pair_mean",
        value=lambda: relu.pair_mean(W[0], W[0], cube.covariance(LAW, POINTS)) @ OUTWARD,
        estimate=lambda: Estimate(LAW @ (np.maximum(POINTS @ W[0], 0) * (POINTS @ OUTWARD)), 1e-12, "enumeration of a cube"),
        number="E[relu(w.x) x] along a fixed direction; an Ising ring of four sites",
        right=r"\mathbb{E}[\mathrm{relu}(\langle w, x\rangle)\,x] = \frac{1}{2} C w",
        note="more general than printed: neither Gaussian data nor a linear regression is needed",
    ),
    "002-eq18": corrected(
        place="equations 16 to 18",
        says="mean of one unit's gate times another ReLU unit's output times the input",
        implements="theory.relu.pair_mean",
        value=lambda: first_coefficient(np.asarray(relu.pair_mean(W[0], W[1], COV1))),
        estimate=lambda: Estimate(first_coefficient(gaussian.pair_mean(W[0], W[1], COV1)), 1e-10, PLANE),
        printed=lambda: equation_18(W[0], W[1], COV1),
        number="coefficient of Sigma w, of the gate's own field; Gaussian data on four sites",
        right=PAIR + r" = \frac{|v|\sin\theta}{2\pi|w|}\,\Sigma w + \frac{\pi - \theta}{2\pi}\,\Sigma v",
        printed_equation=PAIR + r" = \left[\frac{\gamma^2 - \frac{\rho_{kk}}{\rho_{11}}}{2\pi(1 - \gamma^2)}\cos^{-1}(\gamma)"
        r" + \frac{2\frac{\rho_{kk}}{\rho_{11}} - \gamma^2}{4(1 - \gamma^2)}"
        r" + \frac{\frac{1}{\gamma\rho_{11}} - \frac{1}{\sqrt{\rho_{11}\rho_{kk}}}}{2\pi\sqrt{1 - \gamma^2}}\right]\Sigma w",
        note="the coefficient of Sigma w is wrong, and the term along Sigma v is missing",
    ),
    "002-full-update": left_open(
        place="unnumbered, after equation 18",
        says="the full update of one of K ReLU neurons in closed form",
        implements="theory.relu.velocity",
        value=lambda: relu.velocity(W, COV1, COV0)[1] @ OUTWARD,
        estimate=lambda: descent(1),
        number="velocity of the second of three fields along a fixed direction; Gaussian data on four sites",
        note="the printed line breaks off after 1/2, so that there is nothing to compare with; the library has all of it",
    ),
    "002-eq20": holds(
        place="equations 19 and 20",
        says="gradient flow of a single ReLU neuron on Gaussian data, labels (1, 0)",
        implements="theory.relu.velocity",
        value=lambda: relu.velocity(W[:1], COV1, COV0)[0] @ OUTWARD,
        estimate=lambda: descent(0, fields=W[:1]),
        printed=lambda: neuron.velocity(W[0], COV1, COV0) @ OUTWARD,
        number="velocity along a fixed direction; four sites",
        right=r"\tau\dot w = -\frac{1}{4}\left(\Sigma_0 + \Sigma_1 - \sqrt{\frac{2/\pi}{w^\top\Sigma_1 w}}\,\Sigma_1\right)w",
    ),
}
