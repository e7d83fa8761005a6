"""Note 002, 'Basis initialization' (equation 36) and section 5.2 (66 to 74): the gate of one site on squashed Gaussian data."""

import math

import numpy as np
from scipy.special import erf

from gatefield.data import ring_correlation
from gatefield.ledger.formula import Estimate, sampled
from gatefield.ledger.notes.note_001.small_bump import BUMP, GAIN, LINE, PLANE, RHO, mode_variances, one_gate
from gatefield.ledger.notes.note_002 import corrected, holds, refuted
from gatefield.ledger.routes import gaussian, rings, squashed
from gatefield.theory import nlgp

QUADRATURE = "Gauss-Legendre quadrature"
REST = math.sqrt(1 - RHO**2)
ARCTANGENT = r"\tan^{-1}\frac{r}{\sqrt{\frac{1}{2g^2} + 1 - r^2}}"


def limit_field(n: int, gain: float) -> np.ndarray:
    """Direction of the limit 2 (C_0 + C_1)^-1 f_1 of a gated linear unit whose gate is one site, xi = (2, 1), by modes."""
    drive = np.fft.fft(nlgp.half_gate_mean(ring_correlation(n, 2.0), gain))
    return np.fft.ifft(2 * drive / (mode_variances(n, 2.0, gain) + mode_variances(n, 1.0, gain))).real


def inverse_row() -> float:
    row = np.fft.ifft(1 / (mode_variances(12, 2.0, GAIN) + mode_variances(12, 1.0, GAIN))).real
    return row[2] / row[0]


def inverse_row_by_elimination() -> Estimate:
    row = np.linalg.inv(squashed.ring(12, 2.0, GAIN) + squashed.ring(12, 1.0, GAIN))[0]
    return Estimate(row[2] / row[0], 1e-8, "inverse of a covariance found by quadrature")


def bump_covariance() -> Estimate:
    x = squashed.samples(LINE, GAIN, 400_000)
    return sampled(gaussian.sampled(0.5 * (x[:, 0] > 0) * x[:, 1]), "400000 samples")


FORMULAS = {
    "002-eq36": holds(
        place="equation 36",
        says="mean of erf(gZ_i) where its own gate Z_i > 0 is open",
        implements="theory.nlgp.half_gate_mean",
        value=lambda: nlgp.half_gate_mean(1.0, 1.0) * nlgp.variance(1.0) ** 0.5,
        estimate=lambda: Estimate(squashed.mean(lambda z: (z > 0) * erf(z), 1.0), 1e-12, QUADRATURE),
        number="E[1(Z > 0) erf(gZ)] at gain g = 1",
        right=r"\mathbb{E}[\mathbb{1}(Z_i > 0)\,\mathrm{erf}(g Z_i)] = \frac{1}{\pi}\tan^{-1}(\sqrt{2}\,g)",
        note="the right side is left out in the note; at other sites it is arcsin(sqrt(kappa) rho)/pi",
    ),
    "002-eq68": holds(
        place="equations 66 to 68",
        says="input-output covariance of the gate of one site, as P(Y = 1) times a mean of the positive class",
        implements="theory.nlgp.half_gate_mean",
        value=lambda: nlgp.half_gate_mean(LINE[0, 1], GAIN) / 2,
        estimate=bump_covariance,
        number="covariance at the next site; line of three sites, xi = 2, gain 3",
        right=r"\Sigma^{yx}(p_i) = \mathbb{E}_{1}[\mathbb{1}(x_i > 0)\,x]\,\mathbb{P}(Y = 1)",
    ),
    "002-eq70": holds(
        place="equations 69 and 70",
        says="mean of erf(gZ_j) given Z_i = z, for correlated Gaussian Z_i and Z_j",
        implements="theory.nlgp.half_gate_mean",
        value=lambda: erf(GAIN * RHO / math.sqrt(1 + 2 * GAIN**2 * (1 - RHO**2)) * 0.8),
        estimate=lambda: Estimate(squashed.mean(lambda z: erf(GAIN * (RHO * 0.8 + REST * z)), 1.0), 1e-10, QUADRATURE),
        number="mean at correlation r = 0.6, g = 3, z = 0.8",
        right=r"\mathbb{E}[\mathrm{erf}(g Z_j) \mid Z_i = z] = \mathrm{erf}\left(\frac{gr}{\sqrt{1 + 2g^2(1 - r^2)}}\,z\right)",
    ),
    "002-eq73": corrected(
        place="equations 71 to 73",
        says="mean of erf(gZ_j) where Z_i is positive, for correlated Gaussian Z_i and Z_j",
        implements="theory.nlgp.half_gate_mean",
        value=lambda: nlgp.half_gate_mean(RHO, GAIN) * nlgp.variance(GAIN) ** 0.5,
        estimate=lambda: Estimate(squashed.half_gate(RHO, GAIN), 1e-10, PLANE),
        printed=lambda: 2 / math.sqrt(math.pi) * squashed.arctangent(GAIN, RHO),
        number="mean at correlation r = 0.6, g = 3",
        right=r"\mathbb{E}[\mathbb{1}(Z_i > 0)\,\mathrm{erf}(g Z_j)] = \frac{1}{\pi}" + ARCTANGENT,
        printed_equation=r"\mathbb{E}[\mathbb{1}(Z_i > 0)\,\mathrm{erf}(g Z_j)] = \frac{2}{\sqrt{\pi}}" + ARCTANGENT,
        note="the prefactor is 1/pi, not 2/sqrt(pi)",
    ),
    "002-eq74": corrected(
        place="equation 74",
        says="input-output covariance of the gate of one site in closed form",
        implements="theory.nlgp.half_gate_mean",
        value=lambda: nlgp.half_gate_mean(RHO, GAIN) / 2,
        estimate=one_gate,
        printed=lambda: squashed.arctangent(GAIN, RHO) / (math.sqrt(math.pi) * squashed.deviation(GAIN)),
        number="covariance at a site of correlation rho = 0.6, gain 3, labels (1, 0)",
        right=BUMP,
        printed_equation=r"\Sigma^{yx}(p_i)_j = \frac{1}{\sqrt{\pi}\,Z(g)}" + ARCTANGENT,
        note="the prefactor is 1/(2 pi Z(g))",
    ),
    "002-differences": corrected(
        place="section 5.2, end",
        says="the inverse of the input covariance takes differences of adjacent sites",
        implements="theory.nlgp.covariance",
        value=inverse_row,
        estimate=inverse_row_by_elimination,
        printed=lambda: (np.eye(12)[0] - np.eye(12)[1])[2],  # of a difference of adjacent sites
        number="weight of the second neighbour in the inverse, relative to that of the site itself; ring of 12 sites, xi "
        "= (2, 1), gain 3",
        right=r"(C_0 + C_1)^{-1} = F\,(\Lambda_0 + \Lambda_1)^{-1} F^\top",
        note="it undoes a convolution: each mode is divided by lambda_0 + lambda_1. A difference of adjacent sites "
        "would have no weight on the second neighbour",
    ),
    "002-explains-localization": refuted(
        place="section 5.2, second paragraph",
        says="the gate of one site explains why fields localize on non-Gaussian data",
        implements="theory.nlgp.half_gate_mean",
        value=lambda: rings.participation(limit_field(12, 0.01)),
        estimate=lambda: Estimate(
            rings.participation(squashed.one_site_limit(12, 0.01)), 1e-6, "elimination, moments by quadrature"
        ),
        printed=lambda: rings.participation(rings.basis(12)[:, 1]),  # of a wave
        number="inverse participation ratio of the limit behind a one-site gate at gain 0.01, n = 12; printed: of a wave, "
        "1.5/n",
        right=r"w(\infty) \propto (C_0 + C_1)^{-1}\,\mathbb{E}_1[\mathbb{1}(x_i > 0)\,x]",
        note="that limit is localized for Gaussian data too, where trained fields stay spread. What differs is whether "
        "the gate keeps itself",
    ),
}
