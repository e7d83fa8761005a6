"""The map from gate to limit field and its flow, against enumeration, closed forms and another integrator."""

import itertools

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from gatefield.data import NonlinearGP
from gatefield.theory import neuron, relu
from gatefield.theory.classes import EmpiricalClass, GaussianClass
from gatefield.theory.neuron import gate_flow, gate_map, iterate_gate_map

N = 5
COV1, COV0 = (np.asarray(NonlinearGP(N, xi, 0.0).covariance(), float) for xi in (1.0, 0.5))
TOTAL = COV1 + COV0


@pytest.fixture(scope="module")
def cube():
    """Independent signs: the whole cube, which is its own mirror image, is the sample."""
    return EmpiricalClass(np.array(list(itertools.product([-1.0, 1.0], repeat=N)), dtype=np.float32), np.eye(N))


def test_map_on_the_cube_is_the_mean_behind_the_gate(cube):
    fields = np.array([[3.0, 1, 1, 0.5, 0.2], [1, 1, 1, 0, 0], [1, -1, 0, 0, 0]])
    total = np.eye(N) + 0.5
    inputs = np.asarray(cube.x, float)
    gate = (inputs @ fields.T > 0) + 0.5 * (inputs @ fields.T == 0)
    expected = 2 * np.linalg.solve(total, (gate.T @ inputs / len(inputs)).T).T
    np.testing.assert_allclose(gate_map(cube, total, fields).limit, expected, atol=1e-6)


def test_loss_of_the_map_is_that_of_the_neuron():
    w = np.array([0.5, -0.2, 0.3, 0.1, 0.4])
    np.testing.assert_allclose(gate_map(GaussianClass(COV1), TOTAL, [w]).loss[0], relu.loss([w], COV1, COV0), rtol=1e-12)


def test_map_and_flow_share_steady_states_and_lower_the_loss(cube):
    starts = np.random.default_rng(0).standard_normal((3, N))
    total = np.eye(N) + 0.3
    path = iterate_gate_map(cube, total, starts, steps=40, tolerance=1e-9)
    assert np.diff(path.loss, axis=0).max() < 1e-6
    np.testing.assert_allclose(gate_map(cube, total, path.end).limit, path.end, atol=1e-6)
    np.testing.assert_allclose(gate_flow(cube, total, path.end, time=20.0, step=1.0).end, path.end, atol=1e-5)


def test_the_map_stops_where_it_is_told():
    """Steps are recorded one by one, until all are short enough or their number is reached."""
    starts = np.random.default_rng(1).standard_normal((2, N))
    path = iterate_gate_map(GaussianClass(COV1), TOTAL, starts, steps=500, tolerance=1e-3)
    assert path.moved[-1].max() <= 1e-3 < path.moved[-2].max()
    assert len(iterate_gate_map(GaussianClass(COV1), TOTAL, starts, steps=3, tolerance=0.0).loss) == 3
    one = gate_map(GaussianClass(COV1), TOTAL, starts).limit
    np.testing.assert_allclose(path.moved[0], np.linalg.norm(one - starts, axis=1) / np.linalg.norm(one, axis=1), rtol=1e-12)


def test_on_gaussian_data_each_mode_shrinks_by_its_own_factor():
    """Against the winning mode by D_min/D_k with D = 1 + l0/l1, for the generalised modes of both covariances."""
    D, modes = relu.generalised_modes(COV1, COV0)
    w = modes @ np.array([1.0, 0.5, -0.3, 0.7, 0.2])
    after = np.linalg.solve(modes, gate_map(GaussianClass(COV1), TOTAL, [w]).limit[0])
    np.testing.assert_allclose(after / after[0], np.array([1.0, 0.5, -0.3, 0.7, 0.2]) * D[0] / D, rtol=1e-10)


def test_flow_against_an_adaptive_solver():
    """On Gaussian data the gate turns all the time; steps of 0.01 follow it to their own order."""
    w = np.array([0.5, -0.2, 0.3, 0.1, 0.4])
    drift = lambda w: COV1 @ w / np.sqrt(2 * np.pi * (w @ COV1 @ w))  # noqa: E731
    path = solve_ivp(lambda _, w: drift(w) / 2 - TOTAL @ w / 4, (0.0, 3.0), w, rtol=1e-9, atol=1e-11)
    coarse, fine = (gate_flow(GaussianClass(COV1), TOTAL, [w], time=3.0, step=step).end[0] for step in (0.02, 0.01))
    errors = [np.abs(end - path.y[:, -1]).max() for end in (coarse, fine)]
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)


def test_flow_starts_along_the_velocity_of_the_neuron():
    w = np.array([0.5, -0.2, 0.3, 0.1, 0.4])
    moved = gate_flow(GaussianClass(COV1), TOTAL, [w], time=1e-5, step=1e-5).end[0] - w
    expected = neuron.velocity(w, lambda w: relu.gate_mean(w, COV1), COV1, COV0)
    np.testing.assert_allclose(moved / 1e-5, expected, rtol=1e-4, atol=1e-6)
