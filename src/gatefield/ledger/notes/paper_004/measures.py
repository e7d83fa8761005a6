"""Ledger of what is read off kernels and gates: paper 004."""

import math
from functools import partial

import numpy as np

from gatefield.kernels import expected_ntk, ntk
from gatefield.ledger.formula import Entry, Estimate
from gatefield.measures.gates_activity import sensitivity_threshold
from gatefield.measures.label_alignment import label_alignment
from gatefield.measures.spectrum import cumulative_spectrum

N, DEPTH, MU = 40, 4, 0.5


def ideal() -> np.ndarray:
    return np.full((N, N), MU ** (DEPTH - 1)) + (1 - MU ** (DEPTH - 1)) * np.eye(N)


def one_layer_of_gates() -> tuple[list[np.ndarray], list[np.ndarray], np.ndarray]:
    """Random gates on fewer units than samples, d = 2, inputs 1, weights +-sqrt(2/w)."""
    rng, width = np.random.default_rng(6), 10
    weights = [rng.choice([-1.0, 1.0], size=shape) * math.sqrt(2 / width) for shape in ((1, width), (width, 1))]
    return weights, [(rng.random((N, width)) < MU).astype(float)], np.ones((N, 1))


def least_eigenvalue() -> float:
    weights, gates, x = one_layer_of_gates()
    return float(cumulative_spectrum(ntk(weights, gates, x) / 2)[0])


def ideal_least() -> float:
    """What the mean over weights and gates has."""
    return 1 - MU


def alignment_by_elimination() -> Estimate:
    _, gates, x = one_layer_of_gates()
    K, y = np.asarray(expected_ntk(gates, x, 0.5)), np.cos(np.arange(N))
    ridge = 1e-3 * np.trace(K) / N
    return Estimate(float(y @ np.linalg.solve(K + ridge * np.eye(N), y)), 1e-7, "elimination")


def aligned() -> float:
    _, gates, x = one_layer_of_gates()
    return float(label_alignment(expected_ntk(gates, x, 0.5), np.cos(np.arange(N)), 1e-3))


def steepest_active(active: float, beta: float, eps: float, bound: float) -> Estimate:
    """The largest slope of all gates above the threshold, on a fine grid of sums, by differences."""
    q = np.linspace(-3, 3, 600_001)
    gate = (1 + eps) / (1 + np.exp(-beta * q))
    slope = np.gradient(gate, q) * bound
    return Estimate(float(slope[gate > active].max()), 1e-4, "slopes on a grid, by differences")


def printed_threshold(active: float, eps: float) -> float:
    """d chi/dv at chi = tau_A, where chi(v) = (1 + eps)/(1 + exp v)."""
    return -active * (1 - active / (1 + eps))


paper = partial(Entry, source="004")

ENTRIES = (
    paper(
        name="004-eq5-largest",
        place="equation 5",
        says="the largest eigenvalue of E[K]/d is 1 + (n-1) mu^(d-1)",
        status="holds",
        implements="measures.cumulative_spectrum",
        value=lambda: float(np.diff(cumulative_spectrum(ideal()))[-1]),
        estimate=lambda: Estimate(1 + (N - 1) * MU ** (DEPTH - 1), 1e-10, "the constant vector is an eigenvector"),
    ),
    paper(
        name="004-eq5-smallest",
        place="equation 5",
        says="the other n - 1 eigenvalues are 1 - mu^(d-1)",
        status="holds",
        implements="measures.cumulative_spectrum",
        value=lambda: float(cumulative_spectrum(ideal())[-2] / (N - 1)),
        estimate=lambda: Estimate((np.trace(ideal()) - ideal().sum() / N) / (N - 1), 1e-10, "trace less the largest"),
    ),
    paper(
        name="004-ecdf",
        place="section 2, figure 1",
        says="the e.c.d.f. is a cumulative distribution, which ends at 1",
        status="corrected",
        implements="measures.cumulative_spectrum",
        value=lambda: float(cumulative_spectrum(ideal())[-1]),
        estimate=lambda: Estimate(float(np.trace(ideal())), 1e-10, "the trace"),
        printed=lambda: 1.0,
        note="it is the sum of the ascending eigenvalues, which ends at the trace",
    ),
    paper(
        name="004-ideal-spectrum",
        place="section 2, depth phenomena",
        says="entries close to their means give the spectrum of the mean",
        status="holds with a condition",
        implements="kernels.ntk",
        value=least_eigenvalue,
        estimate=lambda: Estimate(
            0.0 if np.linalg.matrix_rank(one_layer_of_gates()[1][0]) < N else np.nan,
            1e-10,
            "K/2 has the rank of the gates, of which there are fewer than samples",
        ),
        printed=ideal_least,
        note="n times the variance off the diagonal must be small; smallest eigenvalue at d = 2, w = 10, n = 40",
    ),
    paper(
        name="004-nu",
        place="section 3, figure 6",
        says="nu = y'K^(-1)y is the sum of <u_i, y>^2/rho_i",
        status="holds with a condition",
        implements="measures.label_alignment",
        value=aligned,
        estimate=alignment_by_elimination,
        note="a singular kernel needs a ridge, here 1e-3 of the mean eigenvalue",
    ),
    paper(
        name="004-active-sensitive",
        place="section 3.1, active and sensitive gates",
        says="no gate above tau_A is sensitive at thresholds above the slope of chi at tau_A",
        status="corrected",
        implements="measures.sensitivity_threshold",
        value=lambda: sensitivity_threshold(0.9, 4.0, 0.1, 2.0),
        estimate=lambda: steepest_active(0.9, 4.0, 0.1, 2.0),
        printed=lambda: printed_threshold(0.9, 0.1),
        note="that slope is negative, and beta and the largest |dq/dtheta| are missing; tau_A must be at least (1 + eps)/2",
    ),
)
