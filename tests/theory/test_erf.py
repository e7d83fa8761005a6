"""Error-function units: expectations against quadrature, the flow against derivatives of the loss, reference values."""

import itertools
import json
from fractions import Fraction
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.linalg import circulant

from gatefield.data import fourier_basis, ring_spectrum
from gatefield.ledger.routes import erf_printed as printed
from gatefield.ledger.routes.erf import slope, unit
from gatefield.ledger.routes.gaussian import hermite_mean
from gatefield.theory import erf

RNG = np.random.default_rng(5)
COV1, COV0 = circulant([1.0, 0.5, 0.2, 0.5]), circulant([1.0, 0.2, 0.05, 0.2])
W = RNG.normal(size=(3, 4)) / 2
B = np.array([0.4, -0.8, 0.25])
VALUES = json.loads((Path(__file__).parents[1] / "reference" / "values.json").read_text())["values"]
REFERENCES = [v for v in VALUES if v["name"].startswith(("erf_E_", "erf_flow_", "erf_single_"))]
PAIRS = {
    "general": (W[0], B[0], W[1], B[1]),
    "same": (W[0], B[0], W[0], B[0]),
    "opposite": (W[0], B[0], -W[0], 0.3),
    "parallel": (W[0], B[0], 0.5 * W[0], -0.2),
    "unbiased": (W[0], 0.0, W[1], 0.0),
    "no first field": (np.zeros(4), 0.7, W[1], -0.4),
    "no fields": (np.zeros(4), 0.7, np.zeros(4), -0.4),
}
STATES = {
    "general": (W, B),
    "unbiased": (W, np.zeros(3)),
    "identical": (W[[0, 0, 0]], np.full(3, 0.3)),
    "parallel": (W[[0, 0, 1]] * np.array([[1.0], [-2.0], [1.0]]), B),
    "no fields": (np.zeros((3, 4)), B),
    "nothing": (np.zeros((3, 4)), np.zeros(3)),
}


def input_average(function, fields, cov):
    """E function(h_1, h_2) x, one site at a time."""
    return [hermite_mean(lambda h, k, x: function(h, k) * x, [*fields, site], cov, 44) for site in np.eye(4)]


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_expectations_by_quadrature(pair):
    w_j, b_j, w_k, b_k = pair
    both = np.array([w_j, w_k])
    expected = [
        (erf.mean(w_j, b_j, COV1), hermite_mean(lambda h, k: unit(h + b_j), both, COV1)),
        (erf.slope_mean(w_j, b_j, COV1), hermite_mean(lambda h, k: slope(h + b_j), both, COV1)),
        (erf.product_slope_mean(*pair, COV1), hermite_mean(lambda h, k: slope(h + b_j) * unit(k + b_k), both, COV1)),
        (erf.kernel(*pair, COV1), hermite_mean(lambda h, k: unit(h + b_j) * unit(k + b_k), both, COV1)),
        (erf.slope_input_mean(w_j, b_j, COV1), input_average(lambda h, k: slope(h + b_j), both, COV1)),
        (
            erf.product_slope_input_mean(*pair, COV1),
            input_average(lambda h, k: slope(h + b_j) * unit(k + b_k), both, COV1),
        ),
    ]
    for value, estimate in expected:
        np.testing.assert_allclose(value, estimate, rtol=1e-10, atol=1e-11)


def test_kernel_without_biases_is_the_arcsine_kernel():
    s = W @ COV1 @ W.T
    r = s[0, 1] / np.sqrt((1 + s[0, 0]) * (1 + s[1, 1]))
    assert erf.kernel(W[0], 0.0, W[1], 0.0, COV1) == pytest.approx(2 / np.pi * np.arcsin(r), rel=1e-14)


def as_reference(record):
    """What the library gives for a reference value; units are counted from 0."""
    name, inputs = record["name"], record["inputs"]
    if name.startswith("erf_single"):
        labels = (1.0, -1.0) if "pm1" in name else (1.0, 0.0)
        return erf.bias_velocity(inputs.get("b", 0.0), inputs["s1"], inputs["s0"], labels)
    cov1, cov0 = circulant(inputs["Sigma1_first_row"]), circulant(inputs["Sigma0_first_row"])
    fields, biases = np.array(inputs["W"]), np.array(inputs["b"])
    if name.startswith("erf_flow"):
        velocities = erf.velocity(fields, biases, inputs["b2"], cov1, cov0, tuple(inputs["labels"]))
        return velocities[["-dL/dW", "-dL/db", "-dL/db2"].index(record["formula"])]
    j, k, cov = inputs["j"], inputs["k"], cov1 if inputs["class"] == 1 else cov0
    pair = (fields[j], biases[j], fields[k], biases[k], cov)
    return {
        "E[sigma'(h_1)x]": lambda: erf.slope_input_mean(fields[j], biases[j], cov),
        "E[sigma(h_2)sigma'(h_1)]": lambda: erf.product_slope_mean(*pair),
        "E[sigma(h_2)sigma'(h_1)x]": lambda: erf.product_slope_input_mean(*pair),
    }[record["formula"]]()


@pytest.mark.parametrize("record", REFERENCES, ids=lambda record: record["name"])
def test_reference_values(record):
    np.testing.assert_allclose(as_reference(record), record["expected"], rtol=record["rtol"])


@jax.jit
def minus_gradient(W, b, b2, labels, readout):
    gradients = jax.grad(erf.loss, argnums=(0, 1, 2))(W, b, b2, COV1, COV0, labels, readout=readout)
    return jax.tree.map(jnp.negative, gradients)


@pytest.mark.parametrize("labels", [(1.0, 0.0), (1.0, -1.0)], ids=["10", "pm1"])
@pytest.mark.parametrize("units", [1, 3])
@pytest.mark.parametrize("state", STATES.values(), ids=STATES)
def test_velocity_is_minus_the_gradient_of_the_loss(state, units, labels):
    fields, biases = state[0][:units], state[1][:units]
    readout = np.array([0.9, -0.4, 0.6])[:units]
    with jax.enable_x64(True):
        expected = minus_gradient(*map(jnp.asarray, (fields, biases, 0.1)), labels, jnp.asarray(readout))
    for value, gradient in zip(erf.velocity(fields, biases, 0.1, COV1, COV0, labels, readout=readout), expected, strict=True):
        np.testing.assert_allclose(value, gradient, rtol=1e-9, atol=1e-15)


def tilt_in_rationals(w_j, b_j, w_k, b_k, cov):
    """Mean and variance of h_k and its covariance with x, tilted by unit j, without rounding; s_jj and C w_j/(1 + s_jj)."""
    exact = np.vectorize(lambda x: Fraction(float(x)), otypes=[object])
    w_j, b_j, w_k, b_k, cov = map(exact, (w_j, b_j, w_k, b_k, cov))
    image_j, image_k = cov @ w_j, cov @ w_k
    s_jj = w_j @ image_j
    c = w_j @ image_k / (1 + s_jj)
    parts = (b_k - c * b_j, w_k @ (image_k - c * image_j), image_k - c * image_j, s_jj, image_j / (1 + s_jj))
    return [np.asarray(part).astype(float) for part in parts]


def velocity_in_rationals(W, b, covs, targets):
    """Velocities of fields and biases for readout 1/K, from tilts without rounding."""
    dW, db, units = np.zeros(W.shape), np.zeros(len(W)), len(W)
    for (cov, y), j in itertools.product(zip(covs, targets, strict=True), range(units)):
        tilts = [tilt_in_rationals(W[j], b[j], W[k], b[k], cov) for k in range(units)]
        error = y - sum(unit(m / np.sqrt(1 + v)) for m, v, *_ in tilts) / units
        pulled = sum(slope(m / np.sqrt(1 + v)) / np.sqrt(1 + v) * covariance for m, v, covariance, *_ in tilts) / units
        s, image = tilts[0][3:]
        rate = slope(b[j] / np.sqrt(1 + s)) / np.sqrt(1 + s) / (2 * units)
        dW[j] -= rate * (b[j] * error * image + pulled)
        db[j] += rate * error
    return dW, db


LONG = {
    "one": (W[[0]], B[:1]),
    "same": (W[[0, 0, 1]], np.array([0.4, 0.4, -0.8])),
    "opposite": (W[[0, 0]] * np.array([[1.0], [-2.0]]), B[:2]),
    "parallel": (W[[0, 0]] * np.array([[1.0], [2.3]]), B[:2]),
    "nearly parallel": (W[[0, 0]] + np.array([[0.0], [1e-6]]) * W[1], B[:2]),
    "general": (W, B),
}


@pytest.mark.parametrize("state", LONG, ids=list(LONG))
def test_velocity_of_long_fields_in_rationals(state):
    fields, biases = LONG[state]
    for scale in (1e2, 1e4, 1e6, 1e8):
        error = 1e-8 if "parallel" in state and scale > 1e5 else 0.0
        values = erf.velocity(scale * fields, biases, 0.1, COV1, COV0, (1.0, 0.0))
        expected = velocity_in_rationals(scale * fields, biases, (COV1, COV0), (0.9, -0.1))
        for one, two in zip(values[:2], expected, strict=True):
            np.testing.assert_allclose(one, two, rtol=0, atol=(error + 1e-13) * abs(two).max())


@pytest.mark.parametrize("state", ["same", "general"])
def test_velocity_of_long_fields_in_single_precision(state):
    run = jax.jit(lambda W, b: erf.velocity(W, b, 0.0, COV1, COV0, (1.0, 0.0)))
    covs = [np.float32(cov) for cov in (COV1, COV0)]
    for scale in (1e2, 1e3, 1e6):
        fields, biases = np.float32(scale * LONG[state][0]), np.float32(LONG[state][1])
        expected = velocity_in_rationals(fields, biases, covs, (1.0, 0.0))
        for one, two in zip(run(fields, biases)[:2], expected, strict=True):
            np.testing.assert_allclose(one, two, rtol=0, atol=1e-5 * abs(two).max())


@pytest.mark.parametrize("factor", [1.0, -2.0, 2.3])
def test_expectations_of_long_fields_in_rationals(factor):
    pair = (1e5 * W[0], 0.7, factor * 1e5 * W[0], -0.3)
    m, v, covariance, s, image = tilt_in_rationals(*pair, COV1)
    rate, height = slope(0.7 / np.sqrt(1 + s)) / np.sqrt(1 + s), m / np.sqrt(1 + v)
    assert erf.product_slope_mean(*pair, COV1) == pytest.approx(rate * unit(height), rel=1e-13)
    expected = rate * (slope(height) / np.sqrt(1 + v) * covariance - 0.7 * unit(height) * image)
    np.testing.assert_allclose(erf.product_slope_input_mean(*pair, COV1), expected, rtol=0, atol=1e-12 * abs(expected).max())


def test_bias_of_a_long_neuron():
    for s in (1e4, 1e8, 1e16, 1e30):
        expected = slope(0.7 / np.sqrt(1 + s)) / np.sqrt(1 + s) * unit(0.7 / np.sqrt(1 + s) / np.sqrt(1 + 2 * s))
        assert erf.bias_velocity(0.7, s, s, (0.0, 0.0)) == pytest.approx(-expected, rel=1e-13)


def test_slopes_of_the_velocity_of_long_fields():
    """Against finite differences of velocities without rounding in their tilts."""
    fields, biases = LONG["same"][0] * 300, LONG["same"][1]
    with jax.enable_x64(True):
        run = jax.jit(jax.jacfwd(lambda W: erf.velocity(W, biases, 0.0, COV1, COV0, (1.0, 0.0))[:2]))
        slopes = run(fields)
    for j, i in ((0, 1), (2, 0)):
        step = 3e-4 * np.eye(3)[:, [j]] * np.eye(4)[i]
        high, low = (velocity_in_rationals(fields + h, biases, (COV1, COV0), (1.0, 0.0)) for h in (step, -step))
        for part, up, down in zip(slopes, high, low, strict=True):
            expected = (up - down) / 6e-4
            np.testing.assert_allclose(part[..., j, i], expected, rtol=0, atol=1e-5 * abs(expected).max())


def test_readout_is_the_mean_unless_given():
    for function in (erf.velocity, erf.loss):
        mean = function(W, B, 0.1, COV1, COV0, (1.0, 0.0))
        given = function(W, B, 0.1, COV1, COV0, (1.0, 0.0), readout=np.full(3, 1 / 3))
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-13), mean, given)


def test_one_bias_for_all_units():
    labels = (1.0, 0.0)
    one, each = (erf.velocity(W, b, 0.1, COV1, COV0, labels) for b in (0.3, np.full(3, 0.3)))
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-13), one, each)


@pytest.mark.parametrize("labels", [(1.0, 0.0), (1.0, -1.0)], ids=["10", "pm1"])
def test_loss_by_sampling(labels):
    rng, size, readout = np.random.default_rng(1), 200_000, np.array([0.9, -0.4, 0.6])
    losses = []
    for cov, y in zip((COV1, COV0), labels, strict=True):
        x = rng.multivariate_normal(np.zeros(4), cov, size=size)
        losses.append(0.5 * (unit(x @ W.T + B) @ readout + 0.1 - y) ** 2)
    error = np.sqrt(sum(part.var() / size for part in losses)) / 2
    assert abs(np.mean(losses) - erf.loss(W, B, 0.1, COV1, COV0, labels, readout=readout)) < 4 * error


def test_jacobian_of_the_velocity_is_minus_the_hessian_of_the_loss():
    fields, biases = (np.array(part) for part in zip(*STATES.values(), strict=True))

    @jax.jit
    @jax.vmap
    def second(W, b):
        jacobian = jax.jacfwd(erf.velocity, argnums=(0, 1))(W, b, 0.1, COV1, COV0)[:2]
        return jacobian, jax.hessian(erf.loss, argnums=(0, 1))(W, b, 0.1, COV1, COV0)

    with jax.enable_x64(True):
        jacobian, hessian = second(jnp.asarray(fields), jnp.asarray(biases))
    for one, two in zip(jax.tree.leaves(jacobian), jax.tree.leaves(hessian), strict=True):
        np.testing.assert_allclose(one, -np.asarray(two), rtol=1e-9, atol=1e-14)


def test_eager_calls_are_double_and_traced_ones_agree():
    fields, biases = (jnp.array(part) for part in zip(*STATES.values(), strict=True))
    traced = jax.jit(jax.vmap(lambda W, b: (*erf.velocity(W, b, 0.1, COV1, COV0), erf.loss(W, b, 0.1, COV1, COV0))))(
        fields, biases
    )
    for row, (W_, b_) in enumerate(STATES.values()):
        eager = (*erf.velocity(W_, b_, 0.1, COV1, COV0, (1.0, 0.0)), erf.loss(W_, b_, 0.1, COV1, COV0, (1.0, 0.0)))
        for one, many in zip(eager, traced, strict=True):
            assert one.dtype == np.float64
            np.testing.assert_allclose(many[row], one, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("labels", [(1.0, 0.0), (1.0, -1.0)], ids=["10", "pm1"])
def test_linear_rates_are_the_jacobian_at_zero_fields(labels):
    basis, readout = fourier_basis(4), np.array([0.9, -0.4, 0.6])
    lams = [np.diagonal(basis.T @ cov @ basis) for cov in (COV1, COV0)]
    rates = erf.linear_rates(B, *lams, labels, output_bias=0.1, readout=readout)
    step = 1e-5
    for mode, unit_ in np.ndindex(4, 3):
        field = step * np.eye(3)[unit_][:, None] * basis[:, mode]
        change = erf.velocity(field, B, 0.1, COV1, COV0, labels, readout=readout)[0] @ basis / step
        np.testing.assert_allclose(change[:, mode], rates[mode, :, unit_], rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(np.delete(change, mode, axis=1), 0, atol=1e-9)


def test_units_of_negative_bias_take_the_modes_of_the_positive_class():
    biases = np.array([-0.8, -0.2, 0.1, 0.9])
    rates = erf.linear_rates(biases, ring_spectrum(40, 2.0), ring_spectrum(40, 1.0), (1.0, -1.0))
    for mode, winner in [(0, -0.8), (5, -0.8), (20, 0.9)]:
        values, vectors = np.linalg.eig(rates[mode])
        assert biases[np.argmax(abs(vectors[:, np.argmax(values.real)]))] == winner


@pytest.mark.parametrize("labels", [(1.0, 0.0), (1.0, -1.0)], ids=["10", "pm1"])
def test_bias_of_a_single_neuron(labels):
    s1, s0 = W[0] @ COV1 @ W[0], W[0] @ COV0 @ W[0]
    for bias in (0.0, 0.6, -1.2):
        general = erf.velocity(W[:1], [bias], 0.2, COV1, COV0, labels)[1][0]
        assert erf.bias_velocity(bias, s1, s0, labels, output_bias=0.2) == pytest.approx(general, rel=1e-13)


def test_bias_at_the_start_depends_on_the_labels():
    for s1, s0 in RNG.uniform(0, 3, size=(20, 2)):
        assert erf.bias_velocity(0.0, s1, s0) == pytest.approx(1 / np.sqrt(2 * np.pi * (1 + s1)), rel=1e-14)
        assert np.sign(erf.bias_velocity(0.0, s1, s0, (1.0, -1.0))) == -np.sign(s1 - s0)


def test_without_biases_labels_do_not_move_the_fields():
    pulled = [erf.velocity(W, np.zeros(3), 0.0, COV1, COV0, labels)[0] for labels in [(1.0, 0.0), (1.0, -1.0), (0.0, 0.0)]]
    np.testing.assert_array_equal(pulled[0], pulled[2])
    np.testing.assert_array_equal(pulled[1], pulled[2])
    assert np.sum(W * pulled[0]) < 0


def test_printed_single_neuron_is_right_for_the_plain_error_function():
    b, s1, s0, root = 0.6, 0.8, 0.35, np.sqrt(2)
    w = root * np.sqrt(s1) * np.eye(4)[0]
    one = (w, root * b)
    assert printed.equation_39(b, s1) == pytest.approx(root * erf.slope_mean(*one, np.eye(4)), rel=1e-12)
    assert printed.equation_41(b, s1) == pytest.approx(root * erf.product_slope_mean(*one, *one, np.eye(4)), rel=1e-12)
    assert printed.equation_42(b, s1, s0) == pytest.approx(root * erf.bias_velocity(root * b, 2 * s1, 2 * s0), rel=1e-12)
    assert printed.equation_43(s1) == pytest.approx(root * erf.bias_velocity(0.0, 2 * s1, 2 * s0), rel=1e-12)


def test_printed_committee_bias_is_right_but_for_three_slips():
    """With unit power of the first field the extra 1/s_11 is 1; what is left are the factors of two terms."""
    fields, covs = W.copy(), (COV1, COV1)
    fields[0] /= np.sqrt(W[0] @ COV1 @ W[0])
    gram = fields @ COV1 @ fields.T
    slips = printed.committee_bias(B, gram, gram) - 3 * erf.velocity(fields, B, 0.0, *covs, (1.0, -1.0))[1][0]
    own = erf.product_slope_mean(fields[0], B[0], fields[0], B[0], COV1) / 3
    assert slips == pytest.approx(own * (1 - np.sqrt(np.pi / 2)), rel=1e-10)
