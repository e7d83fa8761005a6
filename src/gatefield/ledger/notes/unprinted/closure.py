"""Ledger of the conditional-Gaussian closure, which no note prints."""

import functools
import math
from functools import partial

import jax
import numpy as np

from gatefield.data import NonlinearGP
from gatefield.ledger.formula import Entry, Estimate
from gatefield.ledger.routes import closure_cases as cases
from gatefield.ledger.routes.closure_cases import QUADRATURE
from gatefield.ledger.routes.drift_cases import FIELD, polar_drift
from gatefield.theory import closure, drift, nlgp

N, XI, GAIN = 6, 1.5, 3.0
BUMP = np.exp(-(np.array([0.0, 1.0, 2.0, 3.0, 2.0, 1.0]) ** 2) / 4.5)


def extrapolated_lift() -> Estimate:
    """The coefficient of a^2 in the lift, from two sizes of a."""
    coarse, fine = (cases.lift(a, GAIN) / a**2 for a in (0.1, 0.05))
    return Estimate((4 * fine - coarse) / 3, 1e-4, f"{QUADRATURE}, extrapolated to a = 0")


def stated_error() -> float:
    """Relative error of the closure for one bump, against the library's sampled drift."""
    source = NonlinearGP(N, XI, GAIN)
    near, value = (drift(source, BUMP, method=method, key=jax.random.key(0)) for method in ("closure", "sampled"))
    return float(np.linalg.norm(near - value) / np.linalg.norm(value))


@functools.cache
def sampled_error(size: int = 400_000) -> Estimate:
    """The same with both sides found without the library; the error is the length of the noise, relative to the drift."""
    x = cases.squashed_samples(cases.circulant(cases.wrapped(N, XI)), GAIN, size)
    half = 0.5 * x * np.sign(x @ BUMP)[:, None]
    cov = cases.squashed_ring(N, XI, GAIN)
    near = np.array([cases.amplifier(float(a), GAIN) for a in cov @ BUMP / math.sqrt(BUMP @ cov @ BUMP)])
    value = half.mean(0)
    noise = float(np.linalg.norm(half.std(0)) / math.sqrt(size) / np.linalg.norm(value))
    return Estimate(float(np.linalg.norm(near - value) / np.linalg.norm(value)), noise, f"{size} samples", standard_errors=4.0)


def slopes_by_differences() -> float:
    """Asymmetry of the derivatives of the closure, by central differences."""
    cov, step = NonlinearGP(N, XI, GAIN).covariance(), 1e-5
    columns = [closure.drift(FIELD + step * e, cov, GAIN) - closure.drift(FIELD - step * e, cov, GAIN) for e in np.eye(N)]
    return cases.asymmetry(np.array(columns).T)


def slopes_by_formula() -> Estimate:
    slopes = cases.closure_slopes(FIELD, cases.squashed_ring(N, XI, GAIN), GAIN)
    return Estimate(cases.asymmetry(slopes), 1e-6, "phi'(a_i)(C_ij - a_i a_j)/|w|, with phi' by quadrature")


sheet = partial(Entry, source="sheet")

ENTRIES = (
    sheet(
        name="sheet-closure-amplifier",
        place="closure, amplifier",
        says="phi(a) = E[X Phi(aX/sqrt(1 - a^2))]",
        status="holds",
        implements="theory.closure.amplifier",
        value=lambda: float(closure.amplifier(0.8, GAIN)),
        estimate=lambda: Estimate(cases.amplifier(0.8, GAIN), 1e-11, QUADRATURE),
    ),
    sheet(
        name="sheet-closure-gaussian",
        place="closure, Gaussian limit",
        says="the closure is exact for Gaussian data",
        status="holds",
        implements="theory.closure.drift",
        value=lambda: float(closure.drift(FIELD, cases.circulant(cases.wrapped(N, XI)), 0.0)[1]),
        estimate=lambda: Estimate(
            polar_drift(FIELD, cases.circulant(cases.wrapped(N, XI)))[1],
            1e-12,
            "quadrature over the plane of a site and the field",
        ),
    ),
    sheet(
        name="sheet-closure-expansion",
        place="closure, expansion",
        says="phi(a) = (a - kappa a^3/6)/sqrt(2 pi) for small a, kappa the excess kurtosis",
        status="holds",
        implements="theory.closure.expansion",
        value=lambda: float(closure.expansion(1.0, nlgp.excess_kurtosis(GAIN))) * math.sqrt(2 * math.pi) - 1,
        estimate=extrapolated_lift,
        note="negative kurtosis lifts large correlations above small ones; the number is the coefficient of a^2 in the lift",
    ),
    sheet(
        name="sheet-closure-error",
        place="closure, table of errors",
        says="the closure is off by about a tenth for a bump at gain 3",
        status="holds with a condition",
        implements="theory.closure.drift",
        value=stated_error,
        estimate=sampled_error,
        note="relative error for a bump of width 1.5 on 6 sites, xi = 1.5; it is larger for fields that oscillate fast",
    ),
    sheet(
        name="sheet-closure-no-gradient",
        place="closure, potential",
        says="the closure is not the gradient of any function",
        status="holds",
        implements="theory.closure.drift",
        value=slopes_by_differences,
        estimate=slopes_by_formula,
        note="the number is the asymmetry of its derivatives, relative to their size; the true drift has none",
    ),
)
