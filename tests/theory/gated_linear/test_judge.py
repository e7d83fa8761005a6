"""How sets of gates are judged: where the answer is known, and against samples."""

import jax
import numpy as np
import pytest

from gatefield.data import Gaussian, NonlinearGP, Task, fourier_basis, ring_spectrum
from gatefield.gates import half_spaces
from gatefield.theory import gated_linear, relu
from gatefield.theory.gated_linear import judge

KEY = jax.random.key(0)
TASK = Task(Gaussian(6, 1.5), Gaussian(6, 0.7))


def test_judging_a_network_in_its_steady_state():
    """One neuron on Gaussian data: the field lies along its gate, and explains as much."""
    l1, l0 = (float(ring_spectrum(6, xi)[0]) for xi in (1.5, 0.7))
    field = np.sqrt(2 / np.pi) * np.sqrt(l1) / (l0 + l1) * np.asarray(fourier_basis(6))[:, :1].T
    found = judge(field, TASK, key=KEY, samples=1)
    assert found.consistent == pytest.approx(1.0)
    assert found.relu == pytest.approx(found.explained.value) == pytest.approx(l1 / (l0 + l1) / (2 * np.pi))
    assert found.explained.error == 0.0
    np.testing.assert_allclose(found.fields, field, atol=1e-9)


@pytest.mark.slow
def test_a_relu_network_explains_what_its_loss_says():
    fields = np.random.default_rng(0).normal(size=(3, 6)) / 3
    found = judge(fields, TASK, key=KEY)
    assert found.relu == pytest.approx(0.5 - 2 * float(relu.loss(fields, TASK)), rel=1e-10)
    assert found.relu < found.explained.value


def test_a_tiling_has_one_gate_open():
    v = np.ones((1, 6))
    found = judge(np.concatenate([v, -v]), TASK, key=KEY, samples=1)
    assert found.one_open == pytest.approx([1.0, 1.0], abs=2e-3)  # some samples lie on the plane, up to rounding


def test_gates_at_right_angles_are_open_alone_half_of_the_time():
    """In the metric of each class: then both are open for a quarter of inputs, and none for another."""
    pair = np.asarray(fourier_basis(6)).T[[1, 2]]
    found = judge(pair, TASK, key=KEY)
    assert found.one_open == pytest.approx([0.5, 0.5], abs=4 * 0.5 / np.sqrt(4000))


@pytest.mark.slow
def test_the_error_of_a_sampled_judgement_covers_another_sample():
    task = Task(NonlinearGP(6, 1.5, 3.0), NonlinearGP(6, 0.7, 3.0))
    V = np.random.default_rng(1).normal(size=(2, 6))
    found = judge(V, task, key=KEY, samples=40_000)
    assert found.explained.method == "sampled"
    A, b, _ = gated_linear.statistics(half_spaces(V), task, key=jax.random.key(5), samples=400_000)
    x, y = (np.asarray(part) for part in task.sample(jax.random.key(6), 100_000))
    guess = ((x @ V.T > 0) * (x @ found.fields.T)).mean(1)
    error = np.std(2 * y * guess - guess**2) / np.sqrt(2 * 40_000)  # of a mean over both classes
    assert found.explained.error == pytest.approx(error, rel=0.1)
    assert found.explained.agrees(float(gated_linear.explained(A, b)))
