"""Ledger of the data: squashed Gaussian fields, rings, and gates that look at one site. Note 001, section 5.2 of note 002."""

import math
from functools import partial

import numpy as np
from scipy.special import erf

from gatefield.data import line_correlation, ring_correlation, ring_spectrum
from gatefield.ledger.formula import Entry, Estimate
from gatefield.ledger.routes import closure_cases as cases
from gatefield.ledger.routes.closure_cases import PLANE, QUADRATURE, arctangent
from gatefield.theory import nlgp, relu

GAIN, RHO = 3.0, 0.6
LINE = np.exp(-(np.subtract.outer(np.arange(3), np.arange(3)) ** 2) / 4)
FIELD = np.array([0.9, -0.37, 0.21])


def mode_variances(n: int, xi: float, gain: float) -> np.ndarray:
    """Eigenvalues of the covariance of the squashed field on a ring, from the library's correlations."""
    return np.fft.fft(nlgp.covariance(ring_correlation(n, xi), gain)).real


def limit_field(n: int, gain: float) -> np.ndarray:
    """Direction of the limit 2 (C_0 + C_1)^-1 f_1 of a gated linear unit whose gate is one site, xi = (2, 1), by modes."""
    drive = np.fft.fft(nlgp.half_gate_mean(ring_correlation(n, 2.0), gain))
    return np.fft.ifft(2 * drive / (mode_variances(n, 2.0, gain) + mode_variances(n, 1.0, gain))).real


def limit_by_elimination(n: int, gain: float) -> np.ndarray:
    here = cases.mean(lambda z: (z > 0) * erf(gain * z), gain)
    drive = [here, *(cases.half_gate(float(rho), gain) for rho in cases.wrapped(n, 2.0)[1:])]
    both = cases.squashed_ring(n, 2.0, gain) + cases.squashed_ring(n, 1.0, gain)
    return np.linalg.solve(both, 2 * np.array(drive) / cases.deviation(gain))


def participation(w: np.ndarray) -> float:
    return float(np.sum(w**4) / np.sum(w**2) ** 2)


def inverse_row_by_elimination() -> Estimate:
    row = np.linalg.inv(cases.squashed_ring(12, 2.0, GAIN) + cases.squashed_ring(12, 1.0, GAIN))[0]
    return Estimate(float(row[2] / row[0]), 1e-8, "inverse of a covariance found by quadrature")


def inverse_row() -> float:
    row = np.fft.ifft(1 / (mode_variances(12, 2.0, GAIN) + mode_variances(12, 1.0, GAIN))).real
    return float(row[2] / row[0])


def both_gates() -> Estimate:
    x = cases.squashed_samples(LINE, GAIN, 100_000)
    both = (x[:, 0] >= 0) & (-x[:, 0] >= 0)
    return Estimate(float((both[:, None] * x**2).mean(0).max()), 1e-12, "100000 samples, not one of which opens both gates")


def gated_second_moment(w: np.ndarray, k: int, j: int, size: int = 400_000) -> Estimate:
    x = cases.squashed_samples(LINE, GAIN, size)
    return cases.sampled((x @ w > 0) * x[:, k] * x[:, j])


def bump_covariance() -> Estimate:
    x = cases.squashed_samples(LINE, GAIN, 400_000)
    return cases.sampled(0.5 * (x[:, 0] > 0) * x[:, 1])


def off_diagonal(matrix: np.ndarray) -> float:
    """Relative size of what is left off the diagonal in the Fourier basis."""
    modes = np.fft.ifft(np.fft.fft(matrix, axis=0), axis=1)
    return float(np.linalg.norm(modes - np.diag(np.diag(modes))) / np.linalg.norm(modes))


def slowest_by_eigenvalues() -> Estimate:
    both = (cases.squashed_ring(12, 2.0, GAIN) + cases.squashed_ring(12, 1.0, GAIN)) / 4
    return Estimate(float(np.linalg.eigvalsh(both)[0]), 1e-10, "eigenvalues of a covariance found by quadrature")


sheet, note1, note2, note3 = (partial(Entry, source=source) for source in ("sheet", "001", "002", "003"))

ENTRIES = (
    sheet(
        name="sheet-nlgp-deviation",
        place="data, standard deviation",
        says="Z(g)^2 = (2/pi) arcsin(2g^2/(1 + 2g^2)) is the variance of erf(gZ)",
        status="holds",
        implements="theory.nlgp.variance",
        value=lambda: float(nlgp.variance(GAIN)) ** 0.5,
        estimate=lambda: Estimate(cases.deviation(GAIN), 1e-11, QUADRATURE),
    ),
    sheet(
        name="sheet-nlgp-covariance",
        place="data, covariance",
        says="squashed sites correlate by arcsin(kappa rho)/arcsin(kappa)",
        status="holds",
        implements="theory.nlgp.covariance",
        value=lambda: float(nlgp.covariance(RHO, GAIN)),
        estimate=lambda: Estimate(cases.covariance(RHO, GAIN), 1e-10, PLANE),
    ),
    sheet(
        name="sheet-half-line",
        place="data, half-line integral",
        says="the integral of the normal density times erf(az) over z > 0 is arctan(sqrt(2) a)/pi",
        status="holds",
        implements="theory.nlgp.half_gate_mean",
        value=lambda: float(nlgp.half_gate_mean(1.0, 0.7) * nlgp.variance(0.7) ** 0.5),
        estimate=lambda: Estimate(cases.mean(lambda z: (z > 0) * erf(0.7 * z), 0.7), 1e-12, QUADRATURE),
    ),
    sheet(
        name="sheet-bump-covariance",
        place="data, input-output covariance of a small bump",
        says="E[1(x_i > 0) Y x_j] = arcsin(sqrt(kappa) rho)/(2 pi Z), labels (1, 0)",
        status="holds",
        implements="theory.nlgp.half_gate_mean",
        value=lambda: float(nlgp.half_gate_mean(-RHO, GAIN)) / 2,
        estimate=lambda: Estimate(cases.half_gate(-RHO, GAIN) / cases.deviation(GAIN) / 2, 1e-10, PLANE),
        note="with the sign of rho",
    ),
    sheet(
        name="sheet-half-second-moment",
        place="data, symmetric laws",
        says="for a law symmetric about zero, E[1(w.x > 0) x x'] = C/2 for every w",
        status="holds",
        implements="theory.nlgp.covariance",
        value=lambda: float(nlgp.covariance(LINE[0, 1], GAIN)) / 2,
        estimate=lambda: gated_second_moment(FIELD, 0, 1),
        note="if w.x = 0 has probability zero, or counts one half",
    ),
    *(
        sheet(
            name=f"sheet-kurtosis-{gain:g}",
            place="data, table of excess kurtosis",
            says=f"excess kurtosis of a site at gain {gain:g}",
            status="holds",
            implements="theory.nlgp.excess_kurtosis",
            value=lambda gain=gain: float(nlgp.excess_kurtosis(gain)),
            estimate=lambda gain=gain: cases.kurtosis(gain),
        )
        for gain in (0.3, 1.0, 3.0, 100.0)
    ),
    sheet(
        name="sheet-ring-spectrum",
        place="ring covariance, eigenvalues",
        says="eigenvalues of the wrapped kernel by the Poisson sum",
        status="holds",
        implements="data.ring_spectrum",
        value=lambda: float(ring_spectrum(12, 2.5)[3]),
        estimate=lambda: Estimate(
            float(cases.wrapped(12, 2.5) @ np.cos(2 * np.pi * 3 * np.arange(12) / 12)),
            1e-13,
            "cosine sum of the wrapped kernel",
        ),
    ),
    sheet(
        name="sheet-min-distance",
        place="ring covariance, distance kernel",
        says="exp(-d^2/xi^2) with d the distance on a ring of 40 sites is a covariance up to xi = 3.644288 only",
        status="holds",
        implements="data.ring_correlation",
        value=lambda: 3.644288,
        estimate=lambda: cases.psd_threshold(40),
        note="the library takes the wrapped kernel, which is a covariance for every xi",
    ),
    note1(
        name="001-eq7",
        place="equation 7",
        says="input-output covariance of the gate of one site",
        status="corrected",
        implements="theory.nlgp.half_gate_mean",
        value=lambda: float(nlgp.half_gate_mean(RHO, GAIN)) / 2,
        estimate=lambda: Estimate(cases.half_gate(RHO, GAIN) / cases.deviation(GAIN) / 2, 1e-10, PLANE),
        printed=lambda: abs(arctangent(GAIN, RHO)) / math.pi,
        note="1/(2 Z(g)) times as large: sites have unit variance and P(Y = 1) = 1/2; the square root of rho^2 loses its sign",
    ),
    note1(
        name="001-eq13",
        place="equations 8 to 13",
        says="input-input covariance of the gate of one site, E[1(x_i > 0) x_k x_l]",
        status="corrected",
        implements="theory.nlgp.covariance",
        value=lambda: float(nlgp.covariance(LINE[1, 2], GAIN)) / 2,
        estimate=lambda: gated_second_moment(np.array([1.0, 0.0, 0.0]), 1, 2),
        printed=lambda: cases.equation_8(GAIN, *LINE[[0, 0, 1], [1, 2, 2]]),
        note="simply half the covariance, for this and every other half-space gate; (i, k, l) = (3, 4, 5), xi = 2, g = 3",
    ),
    note1(
        name="001-exclusive",
        place="after equation 6",
        says="the two gates are never both open: S(p1, p2) = 0",
        status="holds with a condition",
        implements="theory.relu.gate_second_moment",
        value=lambda: float(np.abs(relu.gate_second_moment(np.eye(3)[0], -np.eye(3)[0], LINE)).max()),
        estimate=both_gates,
        note="if x_i = 0 has probability zero; both gates are open there",
    ),
    note1(
        name="001-decouple",
        place="after equation 13",
        says="the equations of this gate cannot be decoupled",
        status="refuted",
        implements="theory.nlgp.covariance",
        value=lambda: float((mode_variances(12, 2.0, GAIN) + mode_variances(12, 1.0, GAIN)).min()) / 4,
        estimate=slowest_by_eigenvalues,
        note="on a ring A11 = (C1 + C0)/4 is circulant, and Fourier modes decouple; the number is the slowest rate, n = 12",
    ),
    note2(
        name="002-eq36",
        place="equation 36",
        says="mean of erf(gZ_i) where it is positive (the right side is left out)",
        status="holds",
        implements="theory.nlgp.half_gate_mean",
        value=lambda: float(nlgp.half_gate_mean(1.0, 1.0) * nlgp.variance(1.0) ** 0.5),
        estimate=lambda: Estimate(cases.mean(lambda z: (z > 0) * erf(z), 1.0), 1e-12, QUADRATURE),
        note="arctan(sqrt(2) g)/pi; at other sites arcsin(sqrt(kappa) rho)/pi",
    ),
    note2(
        name="002-eq68",
        place="equations 66 to 68",
        says="the input-output covariance is P(Y = 1) times the mean of x where x_i > 0",
        status="holds",
        implements="theory.nlgp.half_gate_mean",
        value=lambda: float(nlgp.half_gate_mean(LINE[0, 1], GAIN)) / 2,
        estimate=bump_covariance,
    ),
    note2(
        name="002-eq70",
        place="equations 69 and 70",
        says="mean of erf(gZ_j) given Z_i = z",
        status="holds",
        implements="theory.nlgp.half_gate_mean",
        value=lambda: float(erf(GAIN * RHO / math.sqrt(1 + 2 * GAIN**2 * (1 - RHO**2)) * 0.8)),
        estimate=lambda: Estimate(
            float(cases.normal(1.0)[1] @ erf(GAIN * (RHO * 0.8 + math.sqrt(1 - RHO**2) * cases.normal(1.0)[0]))),
            1e-10,
            QUADRATURE,
        ),
        note="r = 0.6, g = 3, z = 0.8",
    ),
    note2(
        name="002-eq73",
        place="equations 71 to 73",
        says="mean of erf(gZ_j) where Z_i is positive",
        status="corrected",
        implements="theory.nlgp.half_gate_mean",
        value=lambda: float(nlgp.half_gate_mean(RHO, GAIN) * nlgp.variance(GAIN) ** 0.5),
        estimate=lambda: Estimate(cases.half_gate(RHO, GAIN), 1e-10, PLANE),
        printed=lambda: 2 / math.sqrt(math.pi) * arctangent(GAIN, RHO),
        note="the prefactor is 1/pi, not 2/sqrt(pi)",
    ),
    note2(
        name="002-eq74",
        place="equation 74",
        says="input-output covariance of the gate of one site",
        status="corrected",
        implements="theory.nlgp.half_gate_mean",
        value=lambda: float(nlgp.half_gate_mean(RHO, GAIN)) / 2,
        estimate=lambda: Estimate(cases.half_gate(RHO, GAIN) / cases.deviation(GAIN) / 2, 1e-10, PLANE),
        printed=lambda: arctangent(GAIN, RHO) / (math.sqrt(math.pi) * float(nlgp.variance(GAIN)) ** 0.5),
        note="the prefactor is 1/(2 pi Z(g))",
    ),
    note2(
        name="002-differences",
        place="section 5.2, end",
        says="the inverse input covariance takes differences of adjacent sites",
        status="corrected",
        implements="theory.nlgp.covariance",
        value=inverse_row,
        estimate=inverse_row_by_elimination,
        printed=lambda: 0.0,
        note="it undoes a convolution: each mode is divided by lambda_0 + lambda_1. The number is the weight of the second "
        "neighbour relative to that of the site itself, which a difference of adjacent sites would not have",
    ),
    note2(
        name="002-explains-localization",
        place="section 5.2, second paragraph",
        says="the gate of one site explains why fields localize on non-Gaussian data",
        status="refuted",
        implements="theory.nlgp.half_gate_mean",
        value=lambda: participation(limit_field(12, 0.01)),
        estimate=lambda: Estimate(participation(limit_by_elimination(12, 0.01)), 1e-6, "elimination, moments by quadrature"),
        printed=lambda: 1.5 / 12,
        note="its limit is localized for Gaussian data too, where trained fields stay spread: the number is the limit's "
        "participation ratio at gain 0.01, to be compared with 1.5/n of a wave. What differs is whether the gate keeps itself",
    ),
    note3(
        name="003-eq2-kernel",
        place="equation 2",
        says="the kernel exp(-(i-j)^2/xi^2) goes with circular shifts and a Fourier basis",
        status="corrected",
        implements="data.line_correlation",
        value=lambda: off_diagonal(np.asarray(line_correlation(40, 2.0))),
        estimate=lambda: Estimate(
            cases.distance_to_circulant(np.exp(-(np.subtract.outer(np.arange(40), np.arange(40)) ** 2) / 4)),
            1e-12,
            "distance to the nearest circulant matrix",
        ),
        printed=lambda: 0.0,
        note="it is Toeplitz; the wrapped kernel is circulant. The number is what is off the diagonal in the Fourier basis",
    ),
    note3(
        name="003-eq7",
        place="equation 7",
        says="erf(gZ)/sqrt(Z(g)) has unit variance",
        status="holds",
        implements="theory.nlgp.variance",
        value=lambda: float(nlgp.variance(10.0)),
        estimate=lambda: Estimate(cases.deviation(10.0) ** 2, 1e-11, QUADRATURE),
        note="with Z(g) = (2/pi) arcsin(2g^2/(1 + 2g^2)); it is the latent Z that is N(0, Sigma), not X",
    ),
    note3(
        name="003-covariance-close",
        place="after equation 7",
        says="the covariance of X is close to that of the latent field",
        status="refuted",
        implements="theory.nlgp.covariance",
        value=lambda: math.sqrt(1 - 4 / math.pi**2) - float(nlgp.covariance(math.sqrt(1 - 4 / math.pi**2), math.inf)),
        estimate=lambda: Estimate(
            math.sqrt(1 - 4 / math.pi**2)
            - cases.mean(lambda z: np.sign(z) * erf(math.sqrt(1 - 4 / math.pi**2) * z / math.sqrt(8 / math.pi**2)), 1.0),
            1e-10,
            QUADRATURE,
        ),
        note="the largest gap is 0.036 at gain 1, 0.118 at gain 3 and 0.2105 at gain infinity, the number here",
    ),
)
