"""Error-function units: expectations, loss, output bias, the linear stage, and the collapse of a single neuron."""

from collections.abc import Callable

import numpy as np
from scipy.special import erfinv

from gatefield.data import ring_correlation
from gatefield.ledger.formula import Estimate, sampled
from gatefield.ledger.notes.note_002.erf import COV0, COV1, COVS, DIFFERENCES, OUTWARD, PM1, ROOT2, SINGLE, B, W, by_quadrature
from gatefield.ledger.notes.unprinted import holds
from gatefield.ledger.routes import erf as routes
from gatefield.ledger.routes.calculus import derivative
from gatefield.ledger.routes.erf import slope, unit
from gatefield.ledger.routes.gaussian import bivariate_cdf, hermite_mean
from gatefield.theory import erf, nlgp

FLOW = "Runge-Kutta steps to time 400, averages by Gauss-Hermite quadrature"
MODE = (3.0, 1.4)
"""Variances of one Fourier mode in both classes."""


def pair_mean(function: Callable[..., np.ndarray], *more: np.ndarray) -> Estimate:
    """E function(h_1, h_2, ...) in class 1, where h_1 and h_2 carry their biases."""
    return by_quadrature(hermite_mean(lambda h, k, *x: function(h + B[0], k + B[1], *x), [W[0], W[1], *more], COV1))


def bivariate_by_units() -> float:
    """P(X < 0.7, Y < -0.3) at correlation -0.97, from the kernel and the means of two units that see one input."""
    power = 0.97 / (1 - 0.97)
    pair = [(sign * np.array([power**0.5]), b * (1 + power) ** 0.5) for sign, b in ((1, 0.7), (-1, -0.3))]
    one, (first, second) = np.eye(1), pair
    return float((1 + erf.mean(*first, one) + erf.mean(*second, one) + erf.kernel(*first, *second, one)) / 4)


def linear_rates() -> np.ndarray:
    return np.asarray(erf.linear_rates(B[:2], np.array([MODE[0]]), np.array([MODE[1]]), PM1)[0])


def own_rate() -> Estimate:
    """M_11 of a mode by the difference of slopes of the loss."""
    slope = derivative(lambda x: derivative(lambda e: routes.mode_loss((x + e, 0.0), B[:2], MODE, PM1), 3e-3, order=4), order=4)
    return by_quadrature(-slope, 1e-6, DIFFERENCES)


def pair_rate() -> Estimate:
    """M_12 of a mode by second differences of the loss in the amplitudes of both units."""
    slope = derivative(lambda x: derivative(lambda y: routes.mode_loss((x, y), B[:2], MODE, PM1), order=4), order=4)
    return by_quadrature(-slope, 1e-6, DIFFERENCES)


def squashed_rate() -> float:
    """The velocity of the first unit per amplitude where both units carry the same small wave."""
    lam1, lam0 = (np.fft.fft(nlgp.covariance(ring_correlation(8, xi), 3.0)).real[1:2] for xi in (2.0, 1.0))
    return float(erf.linear_rates(B[1:], lam1, lam0, PM1)[0, 0].sum())


FORMULAS = {
    "erf-bias-sign": holds(
        place="bias of a single neuron at b = 0, labels (1, -1)",
        says="the bias moves against the sign of w'(C1 - C0)w",
        implements="theory.erf.bias_velocity",
        value=lambda: erf.bias_velocity(0.0, *SINGLE[1:], PM1),
        estimate=lambda: by_quadrature(routes.single_bias(0.0, *SINGLE[1:], labels=PM1)),
    ),
    "erf-slope-input": holds(
        place="E[s'(h) x]",
        says="mean input weighted by the slope of a unit",
        implements="theory.erf.slope_input_mean",
        value=lambda: erf.slope_input_mean(W[0], B[0], COV1) @ OUTWARD,
        estimate=lambda: pair_mean(lambda h, k, x: slope(h) * x, OUTWARD),
    ),
    "erf-product-slope": holds(
        place="E[s(h_k) s'(h_j)]",
        says="mean output of one unit times the slope of another",
        implements="theory.erf.product_slope_mean",
        value=lambda: erf.product_slope_mean(W[0], B[0], W[1], B[1], COV1),
        estimate=lambda: pair_mean(lambda h, k: unit(k) * slope(h)),
        right=r"\mathbb{E}[s(h_k)\,s'(h_j)] = H_j\,\mathrm{erf}\frac{m}{\sqrt{2(1 + v)}},"
        r"\quad m = b_k - \frac{s_{jk}b_j}{1 + s_{jj}},\quad v = s_{kk} - \frac{s_{jk}^2}{1 + s_{jj}}",
    ),
    "erf-product-slope-input": holds(
        place="E[s(h_k) s'(h_j) x]",
        says="mean input weighted by the output of one unit and the slope of another",
        implements="theory.erf.product_slope_input_mean",
        value=lambda: erf.product_slope_input_mean(W[0], B[0], W[1], B[1], COV1) @ OUTWARD,
        estimate=lambda: pair_mean(lambda h, k, x: unit(k) * slope(h) * x, OUTWARD),
    ),
    "erf-kernel": holds(
        place="E[s(h_j) s(h_k)]",
        says="mean product of two units with biases, by the bivariate normal distribution function",
        implements="theory.erf.kernel",
        value=lambda: erf.kernel(W[0], B[0], W[1], B[1], COV1),
        estimate=lambda: pair_mean(lambda h, k: unit(h) * unit(k)),
        right=r"\mathbb{E}[s(h_j)\,s(h_k)] = 4\Phi_2(a_j, a_k; r) - 2\Phi(a_j) - 2\Phi(a_k) + 1",
    ),
    "erf-kernel-arcsine": holds(
        place="E[s(h_j) s(h_k)] at b = 0",
        says="without biases the mean product is (2/pi) arcsin r",
        implements="theory.erf.kernel",
        value=lambda: erf.kernel(W[0], 0 * B[0], W[1], 0 * B[1], COV1),
        estimate=lambda: pair_mean(lambda h, k: unit(h - B[0]) * unit(k - B[1])),
        right=r"\frac{2}{\pi}\sin^{-1} r,\quad r = \frac{s_{jk}}{\sqrt{(1 + s_{jj})(1 + s_{kk})}}",
    ),
    "erf-bivariate-normal": holds(
        place="P(X < a, Y < b)",
        says="bivariate normal distribution function at correlation -0.97",
        implements="theory.erf.kernel",
        value=bivariate_by_units,
        estimate=lambda: by_quadrature(bivariate_cdf(0.7, -0.3, -0.97), 1e-12, "adaptive quadrature over the first variable"),
        note="from the kernel and the means of two units: P = (1 + E s_j + E s_k + E[s_j s_k])/4",
    ),
    "erf-loss": holds(
        place="loss of a committee with biases",
        says="half of the mean squared error in closed form",
        implements="theory.erf.loss",
        value=lambda: erf.loss(W, B, 0.1, COV1, COV0, PM1),
        estimate=lambda: sampled(routes.sampled_loss(W, B, 0.1, COVS, PM1)),
    ),
    "erf-output-bias": holds(
        place="db2/dt",
        says="velocity of the output bias",
        implements="theory.erf.velocity",
        value=lambda: erf.velocity(W, B, 0.1, COV1, COV0, PM1)[2],
        estimate=lambda: by_quadrature(
            -derivative(lambda e: routes.loss(W, B, 0.1 + e, COVS, PM1), 3e-3, order=4), 1e-8, DIFFERENCES
        ),
    ),
    "erf-linear-own": holds(
        place="linear stage, M_11",
        says="how a small field grows by itself, mode by mode",
        implements="theory.erf.linear_rates",
        value=lambda: linear_rates()[0, 0],
        estimate=own_rate,
    ),
    "erf-linear-pair": holds(
        place="linear stage, M_12",
        says="how small fields hold each other back, mode by mode",
        implements="theory.erf.linear_rates",
        value=lambda: linear_rates()[0, 1],
        estimate=pair_rate,
    ),
    "erf-linear-nlgp": holds(
        place="linear stage for data that are not Gaussian",
        says="the linear stage needs covariances only",
        implements="theory.erf.linear_rates",
        value=squashed_rate,
        estimate=lambda: sampled(routes.squashed_velocity(B[1:], 8, (2.0, 1.0), 3.0, 1)),
        note="nonlinear Gaussian process of gain 3 on a ring of 8 sites, frequency 1",
    ),
    "erf-collapse": holds(
        place="single neuron on Gaussian data, labels (1, 0)",
        says="the field dies: the loss ends at 1/8, that of the best constant",
        implements="theory.erf.loss",
        value=lambda: erf.loss(np.zeros((3, 4)), np.full(3, ROOT2 * erfinv(0.5)), 0.0, COV1, COV0, (1.0, 0.0)),
        estimate=lambda: by_quadrature(routes.collapse(8, (2.0, 1.0), (1.0, 0.0)), 1e-6, FLOW),
        note="ring of 8 sites, ranges 2 and 1, one Xavier start",
    ),
    "erf-collapse-pm1": holds(
        place="single neuron on Gaussian data, labels (1, -1)",
        says="the field dies: the loss ends at 1/2, that of the best constant",
        implements="theory.erf.loss",
        value=lambda: erf.loss(np.zeros((3, 4)), np.zeros(3), 0.0, COV1, COV0, PM1),
        estimate=lambda: by_quadrature(routes.collapse(8, (2.0, 1.0), PM1), 1e-6, FLOW),
        note="ring of 8 sites, ranges 2 and 1, one Xavier start",
    ),
}
