"""Paper 004, section 3, figures 6 and 8: labels against kernels, nu = y'K^-1 y."""

import numpy as np

from gatefield.core.estimate import Estimate
from gatefield.kernels import expected_ntk, trace_normalised
from gatefield.ledger.notes.paper_004 import corrected, holds, holds_if
from gatefield.ledger.notes.paper_004.depth import one_layer_of_gates
from gatefield.ledger.routes import labels, paths
from gatefield.measures import label_alignment

N = 40
LABELS = np.where(np.arange(N) % 3, 1.0, -1.0)
ROWS = np.random.default_rng(12).normal(size=(N, 60))
"""Derivatives of N samples by 60 weights, of no network in particular."""
KERNEL = ROWS @ ROWS.T
UNIT = KERNEL / np.trace(KERNEL)
VECTORS = np.linalg.eigh(KERNEL)[1]


def aligned() -> float:
    _, gates, x = one_layer_of_gates()
    return float(label_alignment(expected_ntk(gates, x, 0.5), np.cos(np.arange(N)), 1e-3))


def aligned_by_elimination() -> Estimate:
    features = paths.activations(one_layer_of_gates()[1])
    return Estimate(labels.nu(2 * 0.5**2 * features.T @ features, np.cos(np.arange(N)), 1e-3), 1e-7, "elimination")


def best_spectrum() -> np.ndarray:
    """The kernel of trace one with the eigenvectors of `KERNEL` whose eigenvalues go as |<u_i, y>|."""
    share = abs(VECTORS.T @ LABELS)
    return (VECTORS * share / share.sum()) @ VECTORS.T


FORMULAS = {
    "004-nu": holds_if(
        place="section 3, figure 6",
        says="label alignment nu = y'K^(-1)y as a sum over eigenvectors of the kernel",
        implements="measures.label_alignment",
        value=aligned,
        estimate=aligned_by_elimination,
        number="nu of the mean kernel of a gated network, 40 samples, d = 2, w = 10",
        right=r"\nu = y^\top K^{-1} y = \sum_i \frac{\langle u_i, y\rangle^2}{\rho_i}",
        note="a singular kernel needs a ridge, here 1e-3 of the mean eigenvalue",
    ),
    "004-nu-least": holds(
        place="section 3, figure 6",
        says="for a kernel of trace one nu falls only if more of the trace goes to eigenvectors along the labels",
        implements="measures.label_alignment",
        value=lambda: label_alignment(best_spectrum(), LABELS, 0.0),
        estimate=lambda: Estimate(labels.least_nu(VECTORS.T @ LABELS), 1e-8, "a fixed point, from equal eigenvalues"),
        number="least nu over all spectra of trace one, for given eigenvectors and labels; 40 samples",
        right=r"\min_\rho \nu = \left(\sum_i |\langle u_i, y\rangle|\right)^2",
        note="it is least where rho_i goes as |<u_i, y>|",
    ),
    "004-figure8": corrected(
        place="figure 8, panels (i) and (ii)",
        says="both panels (i) and (ii) of figure 8 show nu of a kernel of trace one",
        implements="measures.label_alignment",
        value=lambda: label_alignment(trace_normalised(KERNEL), LABELS, 0.0) / label_alignment(KERNEL, LABELS, 0.0),
        estimate=lambda: Estimate((ROWS**2).sum(), 1e-6, "sum of the squares of all derivatives"),
        printed=lambda: labels.nu(UNIT, LABELS) / labels.nu(UNIT, LABELS),  # if both panels show trace one
        number="nu of K/trace over nu of K; 40 samples, 60 weights",
        right=r"\nu\left(\frac{K}{\mathrm{tr}\,K}\right) = \nu(K)\,\mathrm{tr}\,K",
        note="panel (i) is probably nu of K as it is, as (iii) is for K^a; the two differ by the trace",
    ),
}
