"""Ledger of nu, labels against kernels: paper 004, figures 6 and 8."""

from functools import partial

import numpy as np

from gatefield.kernels import trace_normalised
from gatefield.ledger.formula import Entry, Estimate
from gatefield.measures.label_alignment import label_alignment

N = 40
LABELS = np.where(np.arange(N) % 3, 1.0, -1.0)


def rows() -> np.ndarray:
    """Derivatives of N samples by 60 weights, of no network in particular."""
    return np.random.default_rng(12).normal(size=(N, 60))


def size_of_normalised() -> float:
    """nu of K with trace one over nu of K."""
    K = rows() @ rows().T
    return float(label_alignment(trace_normalised(K), LABELS, 0.0) / label_alignment(K, LABELS, 0.0))


def best_spectrum() -> np.ndarray:
    """The kernel of trace one with the eigenvectors of `rows` whose eigenvalues go as |<u_i, y>|."""
    vectors = np.linalg.eigh(rows() @ rows().T)[1]
    share = abs(vectors.T @ LABELS)
    return (vectors * share / share.sum()) @ vectors.T


def least_found() -> Estimate:
    """The least nu over eigenvalues of sum one, by steps that keep them positive: rho_i <- sqrt(rho_i |<u_i, y>|)."""
    along = np.linalg.eigh(rows() @ rows().T)[1].T @ LABELS
    rho = np.full(N, 1 / N)
    for _ in range(60):
        rho = np.sqrt(rho * abs(along))
        rho /= rho.sum()
    return Estimate(float(np.sum(along**2 / rho)), 1e-8, "a fixed point, from equal eigenvalues")


paper = partial(Entry, source="004")
sheet = partial(Entry, source="sheet")

ENTRIES = (
    paper(
        name="004-nu-least",
        place="section 3, figure 6",
        says="with trace one nu falls only if more of the trace goes to eigenvectors along the labels",
        status="holds",
        implements="measures.label_alignment",
        value=lambda: float(label_alignment(best_spectrum(), LABELS, 0.0)),
        estimate=least_found,
        note="it is least where rho_i goes as |<u_i, y>|, and is then the square of the sum of these",
    ),
    sheet(
        name="sheet-nu-identity",
        place="measures, label alignment",
        says="nu of I/n is n^2 for labels +-1",
        status="holds",
        implements="measures.label_alignment",
        value=lambda: float(label_alignment(np.eye(N) / N, LABELS, 0.0)),
        estimate=lambda: Estimate(float(N) ** 2, 1e-8, "each label counts n"),
        note="n = 40 here; 40000 for the 200 samples of the figures",
    ),
    paper(
        name="004-figure8",
        place="figure 8, panels (i) and (ii)",
        says="both show nu of K with trace one",
        status="corrected",
        implements="measures.label_alignment",
        value=size_of_normalised,
        estimate=lambda: Estimate(float((rows() ** 2).sum()), 1e-6, "sum of the squares of all derivatives"),
        printed=lambda: 1.0,
        note="the first is probably nu of K as it is, as (iii) is for K^a; they differ by the trace, the number here",
    ),
)
