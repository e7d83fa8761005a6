"""ReLU expectations against quadrature, the flow against automatic differentiation of the loss, both against sampling."""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg

from gatefield.core.errors import UserError
from gatefield.ledger.routes.gaussian import Wedge, relu_loss
from gatefield.theory import relu

VALUES = json.loads((Path(__file__).parents[1] / "reference/values.json").read_text())["values"]
REFERENCE = {entry["name"]: entry for entry in VALUES}
RNG = np.random.default_rng(3)
ROOT = RNG.normal(size=(4, 4))
COV = ROOT @ ROOT.T / 4
COV0 = np.diag([1.0, 0.5, 2.0, 0.7])
W, V = RNG.normal(size=(2, 4))


def reference_problem(inputs):
    covs = [scipy.linalg.circulant(inputs[f"Sigma{c}_first_row"]) for c in (1, 0)]
    return np.array(inputs["W"]), covs


@pytest.mark.parametrize("name", [n for n in REFERENCE if n.startswith(("gate_xx_", "relu_kernel_", "relu_pair_"))])
def test_reference_expectations(name):
    entry = REFERENCE[name]
    fields, covs = reference_problem(entry["inputs"])
    function = {"gate": relu.gate_second_moment, "kern": relu.kernel, "pair": relu.pair_mean}
    chosen = function[name[:4] if name.startswith("gate") else name[5:9]]
    w, v = fields[entry["inputs"]["i"]], fields[entry["inputs"]["k"]]
    np.testing.assert_allclose(chosen(w, v, covs[1 - entry["inputs"]["class"]]), entry["expected"], rtol=entry["rtol"])


@pytest.mark.parametrize("name", [n for n in REFERENCE if n.startswith(("relu_loss_", "gate_agreement_"))])
def test_reference_losses_and_agreements(name):
    entry = REFERENCE[name]
    fields, covs = reference_problem(entry["inputs"])
    if name.startswith("relu_loss"):
        value = relu.loss(fields, *covs, entry["inputs"]["labels"])
    else:
        value = relu.gate_agreement(fields[0], fields[1], covs[1 - entry["inputs"]["class"]])
    assert value == pytest.approx(entry["expected"], rel=entry["rtol"])


@pytest.mark.parametrize("v", [V, -V, W + 0.01 * V, 0.01 * V - W], ids=["general", "reversed", "close", "nearly opposite"])
def test_expectations_by_quadrature(v):
    wedge = Wedge(W, v, np.linalg.cholesky(COV))
    assert relu.kernel(W, v, COV) == pytest.approx(wedge.kernel(), rel=1e-10)
    np.testing.assert_allclose(relu.pair_mean(W, v, COV), wedge.pair_mean(), rtol=1e-10)
    np.testing.assert_allclose(relu.gate_second_moment(W, v, COV), wedge.second_moment(), rtol=1e-10, atol=1e-14)
    assert relu.gate_agreement(W, v, COV) == pytest.approx(wedge.phi / np.pi, rel=1e-10)


@pytest.mark.parametrize("small", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("opposite", [False, True])
def test_nearly_parallel_and_nearly_opposite_fields(small, opposite):
    w = np.array([2.0, 0.0, 0.0, 0.0])
    v = 3 * np.array([np.cos(small), np.sin(small), 0.0, 0.0]) * (-1 if opposite else 1)
    wedge = Wedge(w, v, np.eye(4), phi=small if opposite else np.pi - small)
    wedge.plane = np.array([[1.0, 0, 0, 0], [0, -1.0 if opposite else 1.0, 0, 0]])
    assert relu.kernel(w, v, np.eye(4)) == pytest.approx(wedge.kernel(), rel=1e-12)
    assert relu.gate_agreement(w, v, np.eye(4)) == pytest.approx(wedge.phi / np.pi, rel=1e-12)
    np.testing.assert_allclose(relu.pair_mean(w, v, np.eye(4)), wedge.pair_mean(), rtol=1e-12, atol=1e-15 * (not opposite))
    np.testing.assert_allclose(relu.gate_second_moment(w, v, np.eye(4)), wedge.second_moment(), rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("small", [1e-3, 1e-6, 1e-9])
def test_small_angles_in_a_general_metric(small):
    root = np.linalg.cholesky(COV)
    w, v = np.linalg.solve(root.T, np.array([[1.0, 0, 0, 0], [np.cos(small), np.sin(small), 0, 0]]).T).T
    assert relu.gate_agreement(w, -v, COV) == pytest.approx(small / np.pi, abs=2e-15)
    assert 1 - relu.gate_agreement(w, v, COV) == pytest.approx(small / np.pi, abs=2e-15)
    np.testing.assert_allclose(relu.pair_mean(w, v, COV), Wedge(w, v, root, np.pi - small).pair_mean(), atol=1e-14)


def test_exactly_parallel_and_opposite_fields():
    np.testing.assert_allclose(relu.pair_mean(W, 3 * W, COV), 1.5 * COV @ W, rtol=1e-14)
    np.testing.assert_allclose(relu.pair_mean(W, -3 * W, COV), 0, atol=1e-15)
    np.testing.assert_allclose(relu.gate_second_moment(W, W, COV), COV / 2, rtol=1e-14)
    np.testing.assert_allclose(relu.gate_second_moment(W, -W, COV), 0, atol=1e-15)
    assert relu.kernel(W, W, COV) == pytest.approx(W @ COV @ W / 2, rel=1e-14)
    assert relu.kernel(W, -W, COV) == pytest.approx(0, abs=1e-15)


def test_pair_mean_is_the_gradient_of_the_kernel_and_the_second_moment_that_of_the_pair_mean():
    with jax.enable_x64(True):
        w, v = jnp.asarray(W), jnp.asarray(V)
        gradient = jax.jit(jax.grad(relu.kernel))(w, v, COV)
        hessian = jax.jit(jax.jacfwd(relu.pair_mean, argnums=1))(w, v, COV)
    np.testing.assert_allclose(relu.pair_mean(W, V, COV), gradient, rtol=1e-10)
    np.testing.assert_allclose(relu.gate_second_moment(W, V, COV), hessian, rtol=1e-10, atol=1e-14)


def test_expectations_by_sampling():
    x = np.random.default_rng(0).multivariate_normal(np.zeros(4), COV, size=200_000)
    opened = (x @ W > 0)[:, None] * x
    pair = opened * np.maximum(x @ V, 0)[:, None]
    both = (opened * (x @ V > 0)[:, None])[:, :, None] * x[:, None]
    agree = ((x @ W > 0) == (x @ V > 0)).astype(float)
    exact = [
        relu.gate_mean(W, COV),
        relu.pair_mean(W, V, COV),
        relu.gate_second_moment(W, V, COV),
        relu.gate_agreement(W, V, COV),
    ]
    for estimate, expected in zip([opened, pair, both, agree], exact, strict=True):
        error = estimate.std(0) / np.sqrt(len(x))
        assert np.all(abs(estimate.mean(0) - expected) < 5 * error)


@pytest.mark.parametrize("labels", [(1.0, 0.0), (1.0, -1.0), (0.3, -2.0)])
@pytest.mark.parametrize("K", [1, 2, 3, 5])
def test_velocity_is_minus_the_gradient_of_the_loss(K, labels):
    fields, mean = RNG.normal(size=(K, 4)), np.full(K, 1 / K)
    for options in ({}, {"readout": RNG.normal(size=K), "output_bias": 0.7}):
        readout, bias = options.get("readout", mean), options.get("output_bias", 0.0)
        with jax.enable_x64(True):
            gradient = _gradient(jnp.asarray(fields), labels, readout, bias)
        np.testing.assert_allclose(relu.velocity(fields, COV, COV0, labels, **options), -gradient, rtol=1e-9, atol=1e-12)
        expected = relu_loss(fields, (COV, COV0), labels, readout, bias)
        assert relu.loss(fields, COV, COV0, labels, **options) == pytest.approx(expected, rel=1e-10)


@jax.jit
def _gradient(fields, labels, readout, bias):
    return jax.grad(relu.loss)(fields, COV, COV0, labels, readout=readout, output_bias=bias)


def test_loss_by_sampling():
    rng, fields, readout = np.random.default_rng(1), RNG.normal(size=(3, 4)), np.array([0.5, -1.0, 2.0])
    losses = []
    for cov, y in [(COV, 1.0), (COV0, -1.0)]:
        x = rng.multivariate_normal(np.zeros(4), cov, size=200_000)
        losses.append(0.5 * (np.maximum(x @ fields.T, 0) @ readout + 0.2 - y) ** 2)
    error = np.sqrt(sum(part.var() / len(part) for part in losses)) / 2
    expected = relu.loss(fields, COV, COV0, (1.0, -1.0), readout=readout, output_bias=0.2)
    assert abs(np.mean([part.mean() for part in losses]) - expected) < 5 * error


def test_jacobian_of_parallel_opposite_and_identical_fields():
    """The velocity has a derivative there: moved apart a little, it changes by the Jacobian to first order."""
    fields, step = np.stack([W, W, -W, 2 * W, V]), 1e-6
    with jax.enable_x64(True):
        jacobian = np.asarray(jax.jit(jax.jacfwd(relu.velocity))(jnp.asarray(fields), COV, COV0, (1.0, -1.0)))
        hessian = np.asarray(jax.jit(jax.hessian(relu.loss))(jnp.asarray(fields), COV, COV0, (1.0, -1.0)))
    np.testing.assert_allclose(hessian, -jacobian, atol=1e-12)
    move = step * RNG.normal(size=fields.shape)
    change = relu.velocity(fields + move, COV, COV0, (1.0, -1.0)) - relu.velocity(fields - move, COV, COV0, (1.0, -1.0))
    np.testing.assert_allclose(np.einsum("jikm,km->ji", jacobian, move), change / 2, atol=20 * step**2)


def test_transformations():
    fields = RNG.normal(size=(6, 3, 4))
    with jax.enable_x64(True):
        batch = jnp.asarray(fields)
        many = jax.jit(jax.vmap(lambda w, y: relu.velocity(w, COV, COV0, (1.0, y)), in_axes=(0, 0)))(
            batch, jnp.linspace(-1, 1, 6)
        )
        moments = jax.jit(jax.vmap(lambda w: relu.gate_second_moment(w[0], w[1], COV)))(batch)
        slope = jax.jit(jax.grad(lambda y: relu.loss(batch[0], COV, COV0, (y, 0.0))))(0.3)
    for w, y, one, moment in zip(fields, np.linspace(-1, 1, 6), many, moments, strict=True):
        np.testing.assert_allclose(one, relu.velocity(w, COV, COV0, (1.0, y)), rtol=1e-12)
        np.testing.assert_allclose(moment, relu.gate_second_moment(w[0], w[1], COV), rtol=1e-12)
    higher, lower = (relu.loss(fields[0], COV, COV0, (0.3 + d, 0.0)) for d in (0.5, -0.5))
    assert slope == pytest.approx(higher - lower, rel=1e-10)


def test_scale_of_the_fields_does_not_matter():
    np.testing.assert_allclose(relu.gate_mean(1e-200 * W, COV), relu.gate_mean(W, COV), rtol=1e-14)
    np.testing.assert_allclose(
        relu.gate_second_moment(1e-200 * W, 1e200 * V, COV), relu.gate_second_moment(W, V, COV), rtol=1e-12
    )
    assert relu.kernel(1e-200 * W, 1e200 * V, COV) == pytest.approx(relu.kernel(W, V, COV), rel=1e-13)


def test_a_singular_covariance_is_fine_where_the_field_is_seen():
    root = np.array([[1.0, 0], [2.0, 0], [0, 1.0], [0, 3.0]])
    cov = root @ root.T
    w, v = np.array([1.0, 0.0, 1.0, 0.0]), np.array([0.5, 0.5, -2.0, 1.0])
    np.testing.assert_allclose(relu.pair_mean(w, v, cov), Wedge(w, v, root).pair_mean(), rtol=1e-12)
    np.testing.assert_allclose(relu.gate_second_moment(w, v, cov), Wedge(w, v, root).second_moment(), rtol=1e-12, atol=1e-15)


def test_a_zero_field_has_no_gate():
    fields = np.array([W, V, 0 * W])
    with pytest.raises(UserError, match="field 2 is zero: its gate has no direction"):
        relu.velocity(fields, COV, COV0)
    with pytest.raises(UserError, match="w is zero: its gate has no direction"):
        relu.gate_mean(0 * W, COV)
    with pytest.raises(UserError, match="v is zero"):
        relu.gate_agreement(W, 0 * W, COV)
    with pytest.raises(UserError, match="v is zero"):
        relu.gate_second_moment(W, 0 * W, COV)
    with pytest.raises(UserError, match=r"field 0 is zero in the metric of cov0 \(w'Cw = 0\)"):
        relu.velocity([[1.0, -1.0]], np.eye(2), np.ones((2, 2)))


def test_what_is_no_covariance_gives_nan_under_jit():
    cov = np.diag([1.0, -0.5, 1.0, 1.0])
    unseen = np.eye(4)[1]
    assert np.isnan(jax.jit(relu.kernel)(unseen, W, cov))
    assert jax.jit(relu.kernel)(unseen, W, np.diag([1.0, -1e-9, 1.0, 1.0])) == 0  # rounding, as in the check of covariances


def test_a_zero_field_is_a_silent_unit_elsewhere():
    fields = np.array([W, V, 0 * W])
    expected = relu_loss(fields[:2], (COV, COV0), (1.0, 0.0), np.full(2, 1 / 3))
    assert relu.loss(fields, COV, COV0) == pytest.approx(expected, rel=1e-12)
    assert relu.kernel(W, 0 * W, COV) == 0
    assert np.all(relu.pair_mean(W, 0 * W, COV) == 0)
    traced = jax.jit(relu.velocity)(fields, COV, COV0)
    assert np.isnan(traced[2]).all()
    assert np.isfinite(traced[:2]).all()
    assert np.isfinite(jax.jit(jax.grad(relu.loss))(fields, COV, COV0)).all()


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: relu.velocity(W, COV, COV0), r"W must have shape \(K, n\)"),
        (lambda: relu.velocity([W], np.eye(3), COV0), r"shape \(4, 4\), but one has \(3, 3\)"),
        (lambda: relu.velocity([W], COV, COV0, readout=[1.0, 2.0]), "one output weight for each of the 1 fields"),
        (lambda: relu.velocity([W * np.nan], COV, COV0), "must be finite"),
        (lambda: relu.kernel(W, V[:3], COV), r"v must be a field of shape \(n,\)"),
    ],
)
def test_wrong_arguments(call, text):
    with pytest.raises(UserError, match=text):
        call()


def test_large_committees_are_fast_to_trace():
    """All pairs at once: the number of traced operations does not grow with K."""

    def operations(K):
        fields, cov = jax.ShapeDtypeStruct((K, 6), float), np.eye(6)
        return len(str(jax.make_jaxpr(lambda w: relu.velocity(w, cov, cov))(fields)).splitlines())

    assert operations(40) == operations(12)
