"""One ReLU neuron on symmetric laws, against enumeration of laws on the hypercube and against the Gaussian flow."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import Task, flow
from gatefield.core.errors import UserError
from gatefield.data import Gaussian, NonlinearGP
from gatefield.theory import neuron, relu

POINTS = np.array(list(itertools.product([-1.0, 1.0], repeat=4)))
W = np.array([0.7, -0.31, 0.52, 1.13])


def law(coupling):
    """A symmetric law on the cube: neighbours on a line attract or repel."""
    weights = np.exp(coupling * np.sum(POINTS[:, 1:] * POINTS[:, :-1], axis=1))
    return weights / weights.sum()


P1, P0 = law(0.8), law(-0.3)
COV1, COV0 = (POINTS.T @ (p[:, None] * POINTS) for p in (P1, P0))


def drift(p):
    return lambda w: ((jnp.asarray(POINTS) @ w > 0) * p) @ POINTS


def enumerated_loss(w, labels):
    output = np.maximum(POINTS @ w, 0)
    return 0.25 * (P1 @ (output - labels[0]) ** 2 + P0 @ (output - labels[1]) ** 2)


@pytest.mark.parametrize("labels", [(1.0, 0.0), (1.0, -1.0), (0.3, -2.0)])
def test_flow_and_loss_by_enumeration(labels):
    arguments = (drift(P1), COV1, COV0, labels, drift(P0))
    step = 1e-5 * np.eye(4)
    slope = [(enumerated_loss(W + e, labels) - enumerated_loss(W - e, labels)) / 2e-5 for e in step]
    assert neuron.loss(W, *arguments) == pytest.approx(enumerated_loss(W, labels), rel=1e-13)
    np.testing.assert_allclose(neuron.velocity(W, *arguments), -np.array(slope), atol=1e-10)


def test_the_negative_drift_is_not_needed_for_label_zero():
    with_both = neuron.velocity(W, drift(P1), COV1, COV0, (1.0, 0.0), drift(P0))
    np.testing.assert_array_equal(neuron.velocity(W, drift(P1), COV1, COV0), with_both)
    with pytest.raises(UserError, match=r"y0 = -1\.0 the negative class has a drift too; give it as drift0"):
        neuron.velocity(W, drift(P1), COV1, COV0, (1.0, -1.0))


def test_gaussian_drifts_give_the_gaussian_flow():
    drifts = [lambda w, cov=cov: relu.gate_mean(w, cov) for cov in (COV1, COV0)]
    arguments = (drifts[0], COV1, COV0, (0.3, -2.0), drifts[1])
    np.testing.assert_allclose(neuron.velocity(W, *arguments), relu.velocity([W], COV1, COV0, (0.3, -2.0))[0], rtol=1e-12)
    assert neuron.loss(W, *arguments) == pytest.approx(relu.loss([W], COV1, COV0, (0.3, -2.0)), rel=1e-12)


def test_transformations():
    fields = np.random.default_rng(0).normal(size=(5, 4))
    with jax.enable_x64(True):
        many = jax.jit(jax.vmap(lambda w: neuron.velocity(w, drift(P1), COV1, COV0)))(fields)
        gradient = jax.grad(lambda w: neuron.loss(w, drift(P1), COV1, COV0))(jnp.asarray(W))
    for w, one in zip(fields, many, strict=True):
        np.testing.assert_allclose(one, neuron.velocity(w, drift(P1), COV1, COV0), rtol=1e-13)
    np.testing.assert_allclose(gradient, -neuron.velocity(W, drift(P1), COV1, COV0), rtol=1e-12)


@pytest.mark.wrong_types
def test_fields_and_drifts_must_fit():
    with pytest.raises(UserError, match="must both have shape"):
        neuron.velocity(W, lambda w: w[:2], COV1, COV0)
    with pytest.raises(UserError, match=r"shape \(3, 3\), but one has \(4, 4\)"):
        neuron.velocity(W[:3], drift(P1), COV1, COV0)


@pytest.mark.slow
def test_the_closure_flow_is_the_gaussian_flow_at_small_gain():
    """From the same start: to the order of the squared gain at gain 0.001, and not at gain 3."""
    n, times = 8, [0.0, 5.0]
    start = np.random.default_rng(0).normal(size=(1, n))
    ends = []
    for gain in (1e-3, 3.0):
        task = Task(NonlinearGP(n, 2.0, gain), NonlinearGP(n, 1.0, gain))
        path = flow(lambda w, task=task: neuron.velocity(w[0], task, method="closure")[None], start, times, rtol=1e-6)
        ends.append(path.fields.values[0, -1, 0])
    exact = flow(lambda w: relu.velocity(w, Task(Gaussian(n, 2.0), Gaussian(n, 1.0))), start, times).fields.values[0, -1, 0]
    np.testing.assert_allclose(ends[0], exact, atol=1e-5)
    assert np.abs(ends[1] - exact).max() > 1e-3
