"""Sampled moments behind a gate, against plain sums; and what the gates look like."""

import numpy as np

from gatefield.experiments.fields.gate_shaped_solution import simulate as experiment


def test_moments_behind_gates():
    rng = np.random.default_rng(0)
    x, gates = rng.normal(size=(50, 3)), rng.choice([0.0, 0.5, 1.0], size=(2, 50))
    mean, mean_square, pair, pair_square = experiment._class_moments(x, gates)
    for g in range(2):
        outer = [gates[g, s] * np.outer(x[s], x[s]) for s in range(50)]
        np.testing.assert_allclose(mean[g], np.mean(gates[g][:, None] * x, axis=0), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(mean_square[g], np.mean((gates[g][:, None] * x) ** 2, axis=0), rtol=1e-4)
        np.testing.assert_allclose(pair[g], np.mean(outer, axis=0), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(pair_square[g], np.mean(np.square(outer), axis=0), rtol=1e-4)


def test_a_gate_is_half_open_at_zero():
    x = np.array([[1.0, -1.0], [1.0, 0.0], [-1.0, 0.0]])
    np.testing.assert_array_equal(experiment._open(x, np.ones(2)), [0.5, 1.0, 0.0])


def test_directions_lie_on_the_ring():
    bump, hat = experiment._directions(experiment.Settings(n=12, site=14))
    np.testing.assert_array_equal(bump, np.eye(12)[2])
    assert hat.argmax() == 2
    np.testing.assert_allclose(np.roll(hat, -2)[1:], np.roll(hat, -2)[:0:-1])
