"""Note 001: two units behind the gates of one site. Their flow (equation 4) and its moments (5 to 13)."""

import math
from functools import partial

import numpy as np

from gatefield.data import ring_correlation
from gatefield.ledger.formula import Estimate, sampled
from gatefield.ledger.notes.note_000.flow import FACTOR, by_differences, velocity
from gatefield.ledger.notes.note_001 import corrected, holds_if, refuted
from gatefield.ledger.routes import gated, gaussian, rings, squashed
from gatefield.theory import nlgp, relu

GAIN, RHO = 3.0, 0.6
LINE = rings.line(3, 2.0)
PLANE = "Gauss-Legendre quadrature in the plane of both sites"
BUMP = r"\Sigma^{yx}_k = \frac{1}{2\pi Z(g)}\tan^{-1}\frac{\rho_{ik}}{\sqrt{\frac{1}{2g^2} + 1 - \rho_{ik}^2}}"


def mode_variances(n: int, xi: float, gain: float) -> np.ndarray:
    """Eigenvalues of the covariance of the squashed field on a ring, from the library's correlations."""
    return np.fft.fft(nlgp.covariance(ring_correlation(n, xi), gain)).real


def one_gate(rho: float = RHO) -> Estimate:
    """E[1(x_i > 0) Y x_k], labels (1, 0)."""
    return Estimate(squashed.half_gate(rho, GAIN) / squashed.deviation(GAIN) / 2, 1e-10, PLANE)


def gated_second_moment(w: np.ndarray, k: int, j: int, size: int = 400_000) -> Estimate:
    """E[1(w.x > 0) x_k x_j] on three squashed sites of a line."""
    x = squashed.samples(LINE, GAIN, size)
    return sampled(gaussian.sampled((x @ w > 0) * x[:, k] * x[:, j]), f"{size} samples")


def both_gates() -> Estimate:
    x = squashed.samples(LINE, GAIN, 100_000)
    both = (x[:, 0] >= 0) & (-x[:, 0] >= 0)
    return Estimate((both[:, None] * x**2).mean(0).max(), 1e-12, "100000 samples, not one of which opens both gates")


def slowest() -> Estimate:
    both = (squashed.ring(12, 2.0, GAIN) + squashed.ring(12, 1.0, GAIN)) / 4
    return Estimate(np.linalg.eigvalsh(both)[0], 1e-10, "eigenvalues of a covariance found by quadrature")


FORMULAS = {
    "001-eq4": corrected(
        place="equation 4",
        says="gradient flow of two units behind the opposite gates of one site",
        implements="theory.gated_linear.velocity",
        value=partial(velocity, "site"),
        estimate=partial(by_differences, "site"),
        printed=partial(gated.printed_velocity, "site"),
        number="velocity of the first weight; two units on three inputs",
        right=r"\tau\frac{dW_1}{dt} = \frac{1}{2}\left[\Sigma^{yx}(p_1) - \frac{1}{2}\sum_q W_q\,\Sigma^{xx}(p_1, p_q)\right]",
        printed_equation=r"\tau\frac{dW_1}{dt} = \frac{1}{2}\left[\Sigma^{yx}(p_1) - \sum_q W_q\,\Sigma^{xx}(p_1, p_q)\right]",
        note=FACTOR,
    ),
    "001-eq7": corrected(
        place="equation 7",
        says="input-output covariance E[g x_k y] behind the gate of one site",
        implements="theory.nlgp.half_gate_mean",
        value=lambda: nlgp.half_gate_mean(RHO, GAIN) / 2,
        estimate=one_gate,
        printed=lambda: abs(squashed.arctangent(GAIN, RHO)) / math.pi,
        number="covariance at a site of correlation rho = 0.6, gain 3, labels (1, 0)",
        right=BUMP,
        printed_equation=r"\Sigma^{yx}_k = \frac{1}{\pi}\tan^{-1}\sqrt{\frac{\rho_{ik}^2}{\frac{1}{2g^2} + 1 - \rho_{ik}^2}}",
        note="sites have unit variance and P(Y = 1) = 1/2, so that it is 1/(2 Z(g)) times as large; the square root of "
        "rho^2 loses its sign",
    ),
    "001-eq13": corrected(
        place="equations 8 to 13",
        says="input-input covariance E[1(x_i > 0) x_k x_l] behind the gate of one site",
        implements="theory.nlgp.covariance",
        value=lambda: nlgp.covariance(LINE[1, 2], GAIN) / 2,
        estimate=lambda: gated_second_moment(np.array([1.0, 0.0, 0.0]), 1, 2),
        printed=lambda: squashed.equation_8(GAIN, *LINE[[0, 0, 1], [1, 2, 2]]),
        number="covariance for (i, k, l) = (3, 4, 5) on a line, xi = 2, gain 3",
        right=r"\Sigma^{xx}(p_1, p_1) = \frac{1}{2} C",
        printed_equation=r"\Sigma^{xx}(p_1, p_1) = \frac{1}{\pi}\tan^{-1}\left(\sqrt{2}\,\frac{\rho_{ik} + a_i}"
        r"{\sqrt{1 + 2 a_k^2\sigma_1^2}}\right)",
        note="simply half the covariance, for this and every other half-space gate",
    ),
    "001-exclusive": holds_if(
        place="after equation 6",
        says="the gates of x_i >= 0 and of x_i <= 0 are never both open",
        implements="theory.relu.gate_second_moment",
        value=lambda: np.abs(relu.gate_second_moment(np.eye(3)[0], -np.eye(3)[0], LINE)).max(),
        estimate=both_gates,
        number="largest second moment E[g_1 g_2 x_k x_l]; three sites of a line",
        right=r"\Sigma^{xx}(p_1, p_2) = 0",
        note="if x_i = 0 has probability zero; both gates are open there",
    ),
    "001-decouple": refuted(
        place="after equation 13",
        says="the flow behind the gates of one site cannot be decoupled",
        implements="theory.nlgp.covariance",
        value=lambda: (mode_variances(12, 2.0, GAIN) + mode_variances(12, 1.0, GAIN)).min() / 4,
        estimate=slowest,
        number="slowest rate of the decoupled modes; ring of 12 sites, xi = (2, 1), gain 3",
        right=r"A_{11} = \frac{1}{4}(C_1 + C_0)",
        note="on a ring A_11 = (C_1 + C_0)/4 is circulant, and Fourier modes decouple",
    ),
}
