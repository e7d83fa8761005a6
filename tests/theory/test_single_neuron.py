"""One ReLU neuron on symmetric laws, against enumeration of laws on the hypercube and against the Gaussian flow."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield.core.errors import UserError
from gatefield.ledger.routes import cube
from gatefield.ledger.routes.calculus import jacobian
from gatefield.theory import neuron as single_neuron
from gatefield.theory import relu

POINTS = cube.corners(4)
W = np.array([0.7, -0.31, 0.52, 1.13])


def law(coupling):
    """A symmetric law on the cube: neighbours on a line attract or repel."""
    weights = np.exp(coupling * np.sum(POINTS[:, 1:] * POINTS[:, :-1], axis=1))
    return weights / weights.sum()


P1, P0 = law(0.8), law(-0.3)
COV1, COV0 = cube.covariance(P1, POINTS), cube.covariance(P0, POINTS)


def drift(p):
    return lambda w: ((jnp.asarray(POINTS) @ w > 0) * p) @ POINTS


@pytest.mark.parametrize("labels", [(1.0, 0.0), (1.0, -1.0), (0.3, -2.0)])
def test_flow_and_loss_by_enumeration(labels):
    arguments = (drift(P1), COV1, COV0, labels, drift(P0))
    slope = jacobian(lambda w: cube.loss(w, (P1, P0), POINTS, labels), W, 1e-5)
    assert single_neuron.loss(W, *arguments) == pytest.approx(cube.loss(W, (P1, P0), POINTS, labels), rel=1e-13)
    np.testing.assert_allclose(single_neuron.velocity(W, *arguments), -slope, atol=1e-10)


def test_the_negative_drift_is_not_needed_for_label_zero():
    with_both = single_neuron.velocity(W, drift(P1), COV1, COV0, (1.0, 0.0), drift(P0))
    np.testing.assert_array_equal(single_neuron.velocity(W, drift(P1), COV1, COV0), with_both)
    with pytest.raises(UserError, match=r"y0 = -1\.0 the negative class has a drift too; give it as drift0"):
        single_neuron.velocity(W, drift(P1), COV1, COV0, (1.0, -1.0))


def test_gaussian_drifts_give_the_gaussian_flow():
    drifts = [lambda w, cov=cov: relu.gate_mean(w, cov) for cov in (COV1, COV0)]
    arguments = (drifts[0], COV1, COV0, (0.3, -2.0), drifts[1])
    np.testing.assert_allclose(
        single_neuron.velocity(W, *arguments), relu.velocity([W], COV1, COV0, (0.3, -2.0))[0], rtol=1e-12
    )
    assert single_neuron.loss(W, *arguments) == pytest.approx(relu.loss([W], COV1, COV0, (0.3, -2.0)), rel=1e-12)


def test_transformations():
    fields = np.random.default_rng(0).normal(size=(5, 4))
    with jax.enable_x64(True):
        many = jax.jit(jax.vmap(lambda w: single_neuron.velocity(w, drift(P1), COV1, COV0)))(fields)
        gradient = jax.grad(lambda w: single_neuron.loss(w, drift(P1), COV1, COV0))(jnp.asarray(W))
    for w, one in zip(fields, many, strict=True):
        np.testing.assert_allclose(one, single_neuron.velocity(w, drift(P1), COV1, COV0), rtol=1e-13)
    np.testing.assert_allclose(gradient, -single_neuron.velocity(W, drift(P1), COV1, COV0), rtol=1e-12)


def test_fields_and_drifts_must_fit():
    with pytest.raises(UserError, match="must both have shape"):
        single_neuron.velocity(W, lambda w: w[:2], COV1, COV0)
    with pytest.raises(UserError, match=r"shape \(3, 3\), but one has \(4, 4\)"):
        single_neuron.velocity(W[:3], drift(P1), COV1, COV0)
