"""What cannot be computed is refused with one sentence, instead of a number or an error from inside."""

import functools

import jax
import numpy as np
import pytest

from gatefield import theory
from gatefield.core.errors import UserError
from gatefield.data import Gaussian, Hypercube
from gatefield.theory import closure, elliptical, erf, neuron, nlgp, relu

W = np.array([1.0, 0.5, -0.3, 0.2])
COV = np.eye(4) + 0.2
SKEW = COV + np.diag([0.5], k=3)
NAN = np.nan
KEY = jax.random.key(0)


def flow(w, cov=COV, **how):
    return neuron.velocity(w, lambda w: relu.gate_mean(w, cov), cov, cov, **how)


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    "function",
    [
        lambda w, cov=COV: closure.drift(w, cov, 0.5),
        lambda w, cov=COV: elliptical.drift(w, cov, "laplace"),
        lambda w, cov=COV: elliptical.velocity(w, cov, cov, "laplace"),
        flow,
        lambda w, cov=COV: relu.gate_mean(w, cov),
    ],
    ids=["closure", "elliptical-drift", "elliptical-velocity", "single-neuron", "relu"],
)
def test_fields_and_covariances(function):
    for w, text in ((W * NAN, "must be finite, but is nan"), (0 * W, "w is zero: its gate has no direction")):
        with pytest.raises(UserError, match=text):
            function(w)
    with pytest.raises(UserError, match=r"shape \(3, 3\), but one has \(4, 4\)"):
        function(W[:3])
    for w in (W[None], 1.0, []):
        with pytest.raises(UserError, match="shape"):
            function(w)
    with pytest.raises(UserError, match=r"cov1? must have no negative eigenvalue, but has -1\.8"):
        function(W, -COV)
    with pytest.raises(UserError, match=r"cov1? must have no negative eigenvalue, but has -2"):
        function(W, np.eye(4) + 3 * (1 - np.eye(4)))
    with pytest.raises(UserError, match=r"cov1? must be symmetric, but two mirrored entries differ by 0\.5"):
        function(W, SKEW)
    with pytest.raises(UserError, match=r"cov1? must be finite"):
        function(W, COV * NAN)


@pytest.mark.wrong_types
@pytest.mark.parametrize("labels", [1.0, (1.0, 2.0, 3.0), (1.0, NAN), ([1.0, 2.0], 0.0)])
def test_labels(labels):
    calls = [
        lambda: relu.velocity([W], COV, COV, labels),
        lambda: relu.mode_velocity([1.0], [1.0], [1.0], labels),
        lambda: elliptical.velocity(W, COV, COV, "gaussian", labels),
        lambda: flow(W, labels=labels),
        lambda: erf.velocity([W], 0.0, 0.0, COV, COV, labels),
        lambda: erf.linear_rates([0.0], [1.0], [1.0], labels),
        lambda: erf.bias_velocity(0.0, 1.0, 1.0, labels),
    ]
    for call in calls:
        with pytest.raises(UserError, match=r"^(labels must be the pair \(y1, y0\)|each of the labels must be finite)"):
            call()


@pytest.mark.parametrize(
    "function",
    [
        lambda gain: nlgp.variance(gain),
        lambda gain: nlgp.excess_kurtosis(gain),
        lambda gain: nlgp.half_gate_mean(0.5, gain),
        lambda gain: nlgp.covariance(0.5, gain),
        lambda gain: nlgp.pair_drift([1.0, 0.5], 0.5, gain),
        lambda gain: closure.amplifier(0.5, gain),
        lambda gain: closure.drift(W, COV, gain),
    ],
)
@pytest.mark.parametrize("gain", [-3.0, NAN])
def test_gains(function, gain):
    with pytest.raises(UserError, match="gain must be zero or more"):
        function(gain)


@pytest.mark.parametrize("value", [1.5, -2.0, NAN, 1 + 1e-6])
def test_correlations(value):
    pair = functools.partial(nlgp.pair_drift, [1.0, 0.5])
    for call in (nlgp.half_gate_mean, nlgp.covariance, closure.amplifier, closure.expansion, pair):
        with pytest.raises(UserError, match="must be a correlation between -1 and 1"):
            call(value, 1.0)


def test_rounding_puts_no_correlation_beyond_one():
    assert nlgp.covariance(1 + 1e-12, 1.0) == 1.0
    assert nlgp.covariance(np.float32(1 + 1e-7), 1.0) == 1.0
    assert closure.amplifier(-1 - 1e-12, 1.0) == closure.amplifier(-1.0, 1.0)
    np.testing.assert_array_equal(nlgp.pair_drift([1.0, 0.5], 1 + 1e-12, 1.0), nlgp.pair_drift([1.0, 0.5], 1.0, 1.0))


def test_two_sites():
    with pytest.raises(UserError, match="w is zero"):
        nlgp.pair_drift([0.0, 0.0], 0.5, 1.0)
    with pytest.raises(UserError, match=r"a field of two sites, but has shape \(3,\)"):
        nlgp.pair_drift([1.0, 0.0, 2.0], 0.5, 1.0)


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: erf.velocity([W, W], [0.0, 1.0, 2.0], 0.0, COV, COV), r"b must be one number, or one for each of the 2 units"),
        (lambda: erf.velocity([W, W], 0.0, 0.0, COV, COV, readout=[1.0] * 3), r"readout must be .* has shape \(3,\)"),
        (lambda: erf.velocity(W, 0.0, 0.0, COV, COV), r"W must have shape \(K, n\)"),
        (lambda: erf.velocity([W], 0.0, 0.0, np.eye(3), COV), r"shape \(4, 4\), but one has \(3, 3\)"),
        (lambda: erf.loss([W * NAN], 0.0, 0.0, COV, COV), "W must be finite"),
        (lambda: erf.loss([W], 0.0, [0.0, 1.0], COV, COV), r"output_bias must be one number, but has shape \(2,\)"),
        (lambda: erf.mean([W], 0.0, COV), r"w must be a field of shape \(n,\)"),
        (lambda: erf.kernel(W, 0.0, W, NAN, COV), "b_k must be finite"),
        (lambda: erf.linear_rates(0.0, [1.0], [1.0]), "b must hold one bias for each unit"),
        (lambda: erf.linear_rates([0.0], [1.0, 2.0], [1.0]), "one eigenvalue for each mode"),
        (lambda: erf.bias_velocity(0.0, -1.0, 1.0), "s1 must be zero or more: a power w'Cw, but is -1"),
        (lambda: elliptical.steady_amplitude(-1.0, 1.0, "gaussian", 4), "lam1 must be finite, and zero or more"),
        (lambda: elliptical.steady_amplitude([1.0, 2.0], [1.0] * 3, "gaussian", 4), r"one shape or broadcast, .* \(2,\) and"),
    ],
)
def test_other_arguments(call, text):
    with pytest.raises(UserError, match=text):
        call()


def test_not_a_number_stays_so_where_it_is_not_known_yet():
    assert np.isnan(jax.jit(closure.drift)(W * NAN, COV, 0.5)).all()
    assert np.isnan(jax.jit(lambda w: elliptical.drift(w, COV, "laplace"))(W * NAN)).all()


@pytest.mark.parametrize("mode", [jax.jacfwd, jax.jacrev])
def test_a_sampled_drift_has_no_derivative(mode):
    of_field = mode(lambda w: theory.drift(Hypercube(4, xi=1.0), w, method="sampled", key=KEY, samples=64))
    of_source = mode(lambda xi: theory.drift(Gaussian(4, xi=xi), W, method="sampled", key=KEY, samples=64))
    for call in (lambda: of_field(W), lambda: of_source(1.0)):
        with pytest.raises(UserError, match=r"sampled drift cannot be differentiated.*theory.drift_jacobian"):
            call()


def test_an_unknown_method_is_named_before_a_zero_field():
    with pytest.raises(UserError, match="Unknown method 'bogus'"):
        theory.drift(Hypercube(4, xi=1.0), np.zeros(4), method="bogus")
