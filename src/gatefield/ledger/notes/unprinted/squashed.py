"""Squashed Gaussian data and rings: variance, covariance, kurtosis, eigenvalues; the conditional-Gaussian closure."""

import math

import jax
import numpy as np
from scipy.special import erf

from gatefield.data import NonlinearGP, ring_spectrum
from gatefield.ledger.formula import Estimate, sampled
from gatefield.ledger.notes.note_001.small_bump import GAIN, LINE, PLANE, RHO, gated_second_moment, one_gate
from gatefield.ledger.notes.note_002.small_bump import QUADRATURE
from gatefield.ledger.notes.note_003.drift import FIELD, POLAR, RING
from gatefield.ledger.notes.unprinted import holds, holds_if
from gatefield.ledger.routes import calculus, gaussian, rings, squashed
from gatefield.theory import closure, drift, nlgp

BUMP = np.exp(-(np.array([0.0, 1.0, 2.0, 3.0, 2.0, 1.0]) ** 2) / 4.5)


def extrapolated_lift() -> Estimate:
    """The coefficient of a^2 in the lift, from two sizes of a."""
    coarse, fine = (squashed.lift(a, GAIN) / a**2 for a in (0.1, 0.05))
    return Estimate((4 * fine - coarse) / 3, 1e-4, f"{QUADRATURE}, extrapolated to a = 0")


def stated_error() -> float:
    """Relative error of the closure for one bump, against the library's sampled drift."""
    source = NonlinearGP(6, 1.5, GAIN)
    near, value = (drift(source, BUMP, method=method, key=jax.random.key(0)) for method in ("closure", "sampled"))
    return float(np.linalg.norm(near - value) / np.linalg.norm(value))


def closure_asymmetry() -> float:
    """Of the derivatives of the library's closure, by central differences."""
    cov = NonlinearGP(6, 1.5, GAIN).covariance()
    return squashed.asymmetry(calculus.jacobian(lambda w: np.asarray(closure.drift(w, cov, GAIN)), FIELD, 1e-5))


def asymmetry_by_formula() -> Estimate:
    slopes = squashed.closure_slopes(FIELD, squashed.ring(6, 1.5, GAIN), GAIN)
    return Estimate(squashed.asymmetry(slopes), 1e-6, "phi'(a_i)(C_ij - a_i a_j)/|w|, with phi' by quadrature")


FORMULAS = {
    "sheet-nlgp-deviation": holds(
        place="data, standard deviation",
        says="variance Z(g)^2 of erf(gZ), for a standard normal Z",
        implements="theory.nlgp.variance",
        value=lambda: nlgp.variance(GAIN) ** 0.5,
        estimate=lambda: Estimate(squashed.deviation(GAIN), 1e-11, QUADRATURE),
        number="Z(3)",
        right=r"Z(g)^2 = \frac{2}{\pi}\sin^{-1}\kappa,\quad \kappa = \frac{2g^2}{1 + 2g^2}",
    ),
    "sheet-nlgp-covariance": holds(
        place="data, covariance",
        says="correlation of squashed sites, from that of the latent field",
        implements="theory.nlgp.covariance",
        value=lambda: nlgp.covariance(RHO, GAIN),
        estimate=lambda: Estimate(squashed.covariance(RHO, GAIN), 1e-10, PLANE),
        number="correlation at rho = 0.6, gain 3",
        right=r"C(\rho) = \frac{\sin^{-1}(\kappa\rho)}{\sin^{-1}\kappa}",
    ),
    "sheet-half-line": holds(
        place="data, half-line integral",
        says="integral of the normal density times erf(az) over z > 0",
        implements="theory.nlgp.half_gate_mean",
        value=lambda: nlgp.half_gate_mean(1.0, 0.7) * nlgp.variance(0.7) ** 0.5,
        estimate=lambda: Estimate(squashed.mean(lambda z: (z > 0) * erf(0.7 * z), 0.7), 1e-12, QUADRATURE),
        number="the integral at a = 0.7",
        right=r"\int_0^\infty \varphi(z)\,\mathrm{erf}(az)\,dz = \frac{1}{\pi}\tan^{-1}(\sqrt{2}\,a)",
    ),
    "sheet-bump-covariance": holds(
        place="data, input-output covariance of a small bump",
        says="input-output covariance E[1(x_i > 0) Y x_j] of the gate of one site, by an arcsine, labels (1, 0)",
        implements="theory.nlgp.half_gate_mean",
        value=lambda: nlgp.half_gate_mean(-RHO, GAIN) / 2,
        estimate=lambda: one_gate(-RHO),
        number="covariance at rho = -0.6, gain 3",
        right=r"\mathbb{E}[\mathbb{1}(x_i > 0)\,Y x_j] = \frac{\sin^{-1}(\sqrt{\kappa}\,\rho)}{2\pi Z(g)}",
        note="it has the sign of rho",
    ),
    "sheet-half-second-moment": holds(
        place="data, symmetric laws",
        says="a half-space gate passes half of the covariance, for every law symmetric about zero",
        implements="theory.nlgp.covariance",
        value=lambda: nlgp.covariance(LINE[0, 1], GAIN) / 2,
        estimate=lambda: gated_second_moment(FIELD[:3], 0, 1),
        number="E[1(w.x > 0) x_1 x_2]; line of three sites, xi = 2, gain 3",
        right=r"\mathbb{E}[\mathbb{1}(\langle w, x\rangle > 0)\,x x^\top] = \frac{1}{2} C",
        note="if w.x = 0 has probability zero, or counts one half",
    ),
    **{
        f"sheet-kurtosis-{gain:g}": holds(
            place="data, table of excess kurtosis",
            says=f"excess kurtosis of a squashed site at gain {gain:g}",
            implements="theory.nlgp.excess_kurtosis",
            value=lambda gain=gain: nlgp.excess_kurtosis(gain),
            estimate=lambda gain=gain: Estimate(squashed.kurtosis(gain), 1e-10, QUADRATURE),
            number=f"excess kurtosis of erf({gain:g} Z), for a standard normal Z",
        )
        for gain in (0.3, 1.0, 3.0, 100.0)
    },
    "sheet-ring-spectrum": holds(
        place="ring covariance, eigenvalues",
        says="eigenvalues of the wrapped kernel on a ring, by the Poisson sum",
        implements="data.ring_spectrum",
        value=lambda: ring_spectrum(12, 2.5)[3],
        estimate=lambda: Estimate(
            rings.wrapped(12, 2.5) @ np.cos(2 * np.pi * 3 * np.arange(12) / 12), 1e-13, "cosine sum of the wrapped kernel"
        ),
        number="eigenvalue of frequency 3; 12 sites, xi = 2.5",
        right=r"\lambda_k = \frac{\sqrt{\pi}\,\xi}{c_0}\sum_q e^{-\pi^2\xi^2(k/n + q)^2}",
    ),
    "sheet-min-distance": holds(
        place="ring covariance, distance kernel",
        says="exp(-d^2/xi^2), with d the distance on the ring, is a covariance only up to some xi",
        implements="data.ring_correlation",
        value=lambda: 3.644288,
        estimate=lambda: Estimate(rings.psd_threshold(40), 2e-6, "bisection of the smallest eigenvalue, in extended precision"),
        number="the largest such xi on a ring of 40 sites",
        note="the library takes the wrapped kernel, which is a covariance for every xi",
    ),
    "sheet-closure-amplifier": holds(
        place="closure, amplifier",
        says="amplifier phi(a) of the conditional-Gaussian closure",
        implements="theory.closure.amplifier",
        value=lambda: closure.amplifier(0.8, GAIN),
        estimate=lambda: Estimate(squashed.amplifier(0.8, GAIN), 1e-11, "adaptive quadrature"),
        number="phi(0.8) at gain 3",
        right=r"\phi(a) = \mathbb{E}\left[X\,\Phi\left(\frac{aX}{\sqrt{1 - a^2}}\right)\right]",
    ),
    "sheet-closure-gaussian": holds(
        place="closure, Gaussian limit",
        says="the conditional-Gaussian closure is exact for Gaussian data",
        implements="theory.closure.drift",
        value=lambda: closure.drift(FIELD, RING, 0.0)[1],
        estimate=lambda: Estimate(gaussian.open_mean(FIELD, RING)[1], 1e-12, POLAR),
        number="f at the second site; ring of 6 sites, xi = 1.5",
    ),
    "sheet-closure-expansion": holds(
        place="closure, expansion",
        says="amplifier phi(a) of the closure for small a, by the excess kurtosis",
        implements="theory.closure.expansion",
        value=lambda: closure.expansion(1.0, nlgp.excess_kurtosis(GAIN)) * math.sqrt(2 * math.pi) - 1,
        estimate=extrapolated_lift,
        number="coefficient of a^2 in phi(a) sqrt(2 pi)/a, at gain 3",
        right=r"\phi(a) = \frac{1}{\sqrt{2\pi}}\left(a - \frac{\kappa_4}{6}a^3\right)",
        note="negative kurtosis lifts large correlations above small ones",
    ),
    "sheet-closure-error": holds_if(
        place="closure, table of errors",
        says="the conditional-Gaussian closure is off by about a tenth for a bump at gain 3",
        implements="theory.closure.drift",
        value=stated_error,
        estimate=lambda: sampled(squashed.closure_error(BUMP, 1.5, GAIN), "400000 samples"),
        number="relative error of the drift; bump of width 1.5 on a ring of 6 sites, xi = 1.5",
        note="for a bump; the error is larger for fields that oscillate fast",
    ),
    "sheet-closure-no-gradient": holds(
        place="closure, potential",
        says="the conditional-Gaussian closure is not the gradient of any function",
        implements="theory.closure.drift",
        value=closure_asymmetry,
        estimate=asymmetry_by_formula,
        number="asymmetry of its derivatives, relative to their size; ring of 6 sites, gain 3",
        note="the true drift has none",
    ),
}
