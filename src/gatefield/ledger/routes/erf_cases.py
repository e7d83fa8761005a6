"""What the ledger of the error-function units checks: the fields, biases and covariances, and the independent estimates."""

from collections.abc import Callable

import numpy as np
from scipy.integrate import quad
from scipy.special import ndtr

from gatefield.ledger.formula import Estimate
from gatefield.ledger.routes import erf_estimates as estimates
from gatefield.ledger.routes.erf_estimates import gaussian_mean, slope, unit
from gatefield.theory import erf

ROOT2 = np.sqrt(2.0)
COV1, COV0 = (np.array([np.roll(row, k) for k in range(4)]) for row in ([1.0, 0.5, 0.2, 0.5], [1.0, 0.2, 0.05, 0.2]))
COVS = (COV1, COV0)
W = np.array([[0.5, 0.3, 0.6, 0.1], [-0.2, 0.6, 0.4, -0.5], [0.4, 0.2, -0.5, 0.3]])
APART = np.array([[0.4, 0.4, 0.4, 0.4], [0.5, -0.5, 0.5, -0.5], [0.6, 0.0, -0.6, 0.0]])  # three Fourier modes: no overlap
B = np.array([0.4, -0.8, 0.25])
OUTWARD = np.array([0.3, -0.2, 0.4, 0.7])
SINGLE = (0.6, 0.8, 0.35)  # bias, power in class 1, in class 0
FIELD = np.sqrt(0.8) * np.eye(4)[0]  # power 0.8 under the unit covariance
PM1 = (1.0, -1.0)
FIRST = np.eye(3)[0]
HERMITE = "Gauss-Hermite quadrature"
FLOW = "Runge-Kutta steps to time 400, averages by Gauss-Hermite quadrature"
DIFFERENCES = "central differences of a loss found by Gauss-Hermite quadrature"


def by_quadrature(value: float, error: float = 1e-10, how: str = HERMITE) -> Estimate:
    return Estimate(float(value), error, how)


def committee_bias(W: np.ndarray, b: np.ndarray, factor: float = 3.0) -> Estimate:
    """K db_1/dt for labels (1, -1) and no output bias."""
    change = estimates.derivative(lambda e: estimates.loss(W, b + e * FIRST, 0.0, COVS, PM1))
    return by_quadrature(-factor * change, 1e-8, DIFFERENCES)


def expected_bias(W: np.ndarray, b: np.ndarray) -> float:
    """E[(y - yhat) s'(h_1)] for labels (1, -1), by quadrature: what the note prints for db_1/dt."""

    def pull(y: float) -> Callable[..., np.ndarray]:
        return lambda *h: (y - unit(np.array(h) + b[:, None]).mean(0)) * slope(h[0] + b[0])

    return sum(gaussian_mean(pull(y), list(W), cov) / 2 for y, cov in zip(PM1, COVS, strict=True))


def field_flow() -> Estimate:
    """The velocity of the first field along a fixed direction."""
    move = FIRST[:, None] * OUTWARD
    change = estimates.derivative(lambda e: estimates.loss(W + e * move, B, 0.1, COVS, PM1))
    return by_quadrature(-change, 1e-8, DIFFERENCES)


def label_term() -> float:
    """Along a direction, what the labels (1, -1) add to the velocity of a field without bias."""
    pulled, still = (erf.velocity(W, np.zeros(3), 0.0, COV1, COV0, labels)[0][0] for labels in (PM1, (0.0, 0.0)))
    return float((pulled - still) @ OUTWARD)


def label_term_by_quadrature() -> Estimate:
    pulls = [gaussian_mean(lambda h, x: slope(h) * x, [W[0], OUTWARD], cov) for cov in COVS]
    return by_quadrature((pulls[0] - pulls[1]) / 6)


def falling_share(bias_velocity: Callable[..., float]) -> float:
    """The share of 40 random fields without negative weights whose bias moves down at the start, labels (1, -1)."""
    fields = np.abs(np.random.default_rng(2).normal(size=(40, 4))) / 2
    return float(np.mean([bias_velocity(0.0, float(w @ COV1 @ w), float(w @ COV0 @ w), PM1) < 0 for w in fields]))


def bivariate_by_quad() -> Estimate:
    def density(x: float) -> float:
        return np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi) * ndtr((-0.3 + 0.97 * x) / np.sqrt(1 - 0.97**2))

    return by_quadrature(quad(density, -9, 0.7, epsabs=1e-14)[0], 1e-12, "adaptive quadrature over the first variable")


def pair_mean(function: Callable[..., np.ndarray], *more: np.ndarray) -> Estimate:
    """E function(h_1, h_2, ...) in class 1, where h_1 and h_2 carry their biases."""
    return by_quadrature(gaussian_mean(lambda h, k, *x: function(h + B[0], k + B[1], *x), [W[0], W[1], *more], COV1))


def linear_rate() -> Estimate:
    """M_12 of a mode by second differences of the loss in the amplitudes of both units."""
    change = estimates.mixed_derivative(lambda x, y: estimates.mode_loss((x, y), B[:2], (3.0, 1.4), PM1))
    return by_quadrature(-change, 1e-6, DIFFERENCES)


def own_linear_rate() -> Estimate:
    """M_11 of a mode by the difference of slopes of the loss."""

    def fall(x: float) -> float:
        return estimates.derivative(lambda e: estimates.mode_loss((x + e, 0.0), B[:2], (3.0, 1.4), PM1))

    return by_quadrature(-estimates.derivative(fall, 1e-2), 1e-6, DIFFERENCES)


def nlgp_rate() -> float:
    """The velocity of the first unit per amplitude where both units carry the same small wave."""
    lam1, lam0 = (estimates.nlgp_spectrum(8, xi, 3.0)[1:2] for xi in (2.0, 1.0))
    return float(erf.linear_rates(B[1:], lam1, lam0, PM1)[0, 0].sum())


def sampled(pair: tuple[float, float]) -> Estimate:
    return Estimate(pair[0], pair[1], "sampling", standard_errors=4.0)
