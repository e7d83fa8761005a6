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
        says="the bias of a single erf neuron moves against the sign of w'(C_1 - C_0)w, labels (1, -1)",
        implements="theory.erf.bias_velocity",
        value=lambda: erf.bias_velocity(0.0, *SINGLE[1:], PM1),
        estimate=lambda: by_quadrature(routes.single_bias(0.0, *SINGLE[1:], labels=PM1)),
        number="tau db/dt at b = 0, s_1 = 0.8, s_0 = 0.35",
        right=r"\tau\frac{db}{dt} = \frac{1}{\sqrt{2\pi}}\left(\frac{1}{\sqrt{1 + s_1}} - \frac{1}{\sqrt{1 + "
        r"s_0}}\right),\quad s_c = w^\top\Sigma_c w",
    ),
    "erf-slope-input": holds(
        place="E[s'(h) x]",
        says="mean input weighted by the slope of an erf unit with a bias",
        implements="theory.erf.slope_input_mean",
        value=lambda: erf.slope_input_mean(W[0], B[0], COV1) @ OUTWARD,
        estimate=lambda: pair_mean(lambda h, k, x: slope(h) * x, OUTWARD),
        number="E[s'(h) x] along a fixed direction; Gaussian data on four sites",
        right=r"\mathbb{E}[s'(h)\,x] = -\frac{b\,H}{1 + w^\top\Sigma w}\,\Sigma w,\quad H = \mathbb{E}[s'(h)]",
    ),
    "erf-product-slope": holds(
        place="E[s(h_k) s'(h_j)]",
        says="mean output of one erf unit times the slope of another",
        implements="theory.erf.product_slope_mean",
        value=lambda: erf.product_slope_mean(W[0], B[0], W[1], B[1], COV1),
        estimate=lambda: pair_mean(lambda h, k: unit(k) * slope(h)),
        number="E[s(h_2) s'(h_1)]; Gaussian data on four sites",
        right=r"\mathbb{E}[s(h_k)\,s'(h_j)] = H_j\,\mathrm{erf}\frac{m}{\sqrt{2(1 + v)}},"
        r"\quad m = b_k - \frac{s_{jk}b_j}{1 + s_{jj}},\quad v = s_{kk} - \frac{s_{jk}^2}{1 + s_{jj}}",
    ),
    "erf-product-slope-input": holds(
        place="E[s(h_k) s'(h_j) x]",
        says="mean input weighted by the output of one erf unit and the slope of another",
        implements="theory.erf.product_slope_input_mean",
        value=lambda: erf.product_slope_input_mean(W[0], B[0], W[1], B[1], COV1) @ OUTWARD,
        estimate=lambda: pair_mean(lambda h, k, x: unit(k) * slope(h) * x, OUTWARD),
        number="E[s(h_2) s'(h_1) x] along a fixed direction; Gaussian data on four sites",
    ),
    "erf-kernel": holds(
        place="E[s(h_j) s(h_k)]",
        says="mean product of two erf units with biases, by the bivariate normal distribution function",
        implements="theory.erf.kernel",
        value=lambda: erf.kernel(W[0], B[0], W[1], B[1], COV1),
        estimate=lambda: pair_mean(lambda h, k: unit(h) * unit(k)),
        number="E[s(h_1) s(h_2)]; Gaussian data on four sites",
        right=r"\mathbb{E}[s(h_j)\,s(h_k)] = 4\Phi_2(a_j, a_k; r) - 2\Phi(a_j) - 2\Phi(a_k) + 1",
    ),
    "erf-kernel-arcsine": holds(
        place="E[s(h_j) s(h_k)] at b = 0",
        says="mean product of two erf units without biases",
        implements="theory.erf.kernel",
        value=lambda: erf.kernel(W[0], 0 * B[0], W[1], 0 * B[1], COV1),
        estimate=lambda: pair_mean(lambda h, k: unit(h - B[0]) * unit(k - B[1])),
        number="E[s(h_1) s(h_2)]; Gaussian data on four sites",
        right=r"\frac{2}{\pi}\sin^{-1} r,\quad r = \frac{s_{jk}}{\sqrt{(1 + s_{jj})(1 + s_{kk})}}",
    ),
    "erf-bivariate-normal": holds(
        place="P(X < a, Y < b)",
        says="bivariate normal distribution function, from two erf units",
        implements="theory.erf.kernel",
        value=bivariate_by_units,
        estimate=lambda: by_quadrature(bivariate_cdf(0.7, -0.3, -0.97), 1e-12, "adaptive quadrature over the first variable"),
        number="P(X < 0.7, Y < -0.3) at correlation -0.97",
        right=r"\mathbb{P}(X < a, Y < b) = \frac{1}{4}\left(1 + \mathbb{E} s_j + \mathbb{E} s_k + \mathbb{E}[s_j "
        r"s_k]\right)",
    ),
    "erf-loss": holds(
        place="loss of a committee with biases",
        says="loss of a committee of erf units with biases in closed form",
        implements="theory.erf.loss",
        value=lambda: erf.loss(W, B, 0.1, COV1, COV0, PM1),
        estimate=lambda: sampled(routes.sampled_loss(W, B, 0.1, COVS, PM1)),
        number="half the mean squared error; three neurons on four sites, labels (1, -1)",
    ),
    "erf-output-bias": holds(
        place="db2/dt",
        says="velocity of the output bias of a committee of erf units",
        implements="theory.erf.velocity",
        value=lambda: erf.velocity(W, B, 0.1, COV1, COV0, PM1)[2],
        estimate=lambda: by_quadrature(
            -derivative(lambda e: routes.loss(W, B, 0.1 + e, COVS, PM1), 3e-3, order=4), 1e-8, DIFFERENCES
        ),
        number="tau db_2/dt; three neurons on four sites, labels (1, -1)",
        right=r"\tau\frac{db_2}{dt} = \mathbb{E}[y - \hat y]",
    ),
    "erf-linear-own": holds(
        place="linear stage, M_11",
        says="rate at which a small field of an erf unit grows by itself, mode by mode",
        implements="theory.erf.linear_rates",
        value=lambda: linear_rates()[0, 0],
        estimate=own_rate,
        number="M_11 of a mode of variances 3 and 1.4; two units with biases",
    ),
    "erf-linear-pair": holds(
        place="linear stage, M_12",
        says="rate at which small fields of two erf units hold each other back, mode by mode",
        implements="theory.erf.linear_rates",
        value=lambda: linear_rates()[0, 1],
        estimate=pair_rate,
        number="M_12 of a mode of variances 3 and 1.4; two units with biases",
    ),
    "erf-linear-nlgp": holds(
        place="linear stage for data that are not Gaussian",
        says="the linear stage of erf units needs covariances only, also for data that are not Gaussian",
        implements="theory.erf.linear_rates",
        value=squashed_rate,
        estimate=lambda: sampled(routes.squashed_velocity(B[1:], 8, (2.0, 1.0), 3.0, 1)),
        number="rate of the first of two units that carry the same small wave; squashed ring of 8 sites, gain 3, frequency 1",
    ),
    "erf-collapse": holds(
        place="single neuron on Gaussian data, labels (1, 0)",
        says="the field of a single erf neuron dies on Gaussian data, labels (1, 0): the loss ends at that of the best "
        "constant",
        implements="theory.erf.loss",
        value=lambda: erf.loss(np.zeros((3, 4)), np.full(3, ROOT2 * erfinv(0.5)), 0.0, COV1, COV0, (1.0, 0.0)),
        estimate=lambda: by_quadrature(routes.collapse(8, (2.0, 1.0), (1.0, 0.0)), 1e-6, FLOW),
        number="loss in the end, 1/8; ring of 8 sites, xi = (2, 1), one Xavier start",
    ),
    "erf-collapse-pm1": holds(
        place="single neuron on Gaussian data, labels (1, -1)",
        says="the field of a single erf neuron dies on Gaussian data, labels (1, -1): the loss ends at that of the best "
        "constant",
        implements="theory.erf.loss",
        value=lambda: erf.loss(np.zeros((3, 4)), np.zeros(3), 0.0, COV1, COV0, PM1),
        estimate=lambda: by_quadrature(routes.collapse(8, (2.0, 1.0), PM1), 1e-6, FLOW),
        number="loss in the end, 1/2; ring of 8 sites, xi = (2, 1), one Xavier start",
    ),
}
