"""The sets that race in `winning-gates`, how they are judged, and the table they must reproduce."""

import jax
import numpy as np
import pytest

from gatefield.data import ring_spectrum
from gatefield.experiments.gates.winning_gates import experiment
from gatefield.experiments.gates.winning_gates.sets import PAIRS, SETS, learned_by_mode, named_sets, race, task_of
from gatefield.experiments.gates.winning_gates.verdicts import TABLE
from gatefield.experiments.gates.winning_gates.winner import likeness, variance_by_frequency
from gatefield.gates import are_exclusive, are_redundant, learned, overlap
from gatefield.lab import MemoryBench
from gatefield.nets import Committee
from gatefield.theory import gated_linear

KEY = jax.random.key(0)


def test_named_sets_are_what_they_are_called():
    sets = named_sets(8, 4, KEY)
    assert {*sets, "learned", "searched"} == set(SETS)
    assert all(gates.K == 4 for gates in sets.values())
    assert are_redundant(sets["redundant flat"])
    x = np.random.default_rng(0).normal(size=(200, 8))
    for name in PAIRS:
        together = np.asarray(overlap(sets[name], x))
        assert together[0, 1] == together[2, 3] == 0.0
        assert are_exclusive(named_sets(8, 2, KEY)[name])


@pytest.mark.parametrize("name", ["± flat", "± Nyquist", "redundant flat"])
def test_race_of_one_mode_by_hand(name):
    """Gaussian data, one mode: its eigenvalue of (S0 + S1)/4, twice that for two copies, and b by hand."""
    n, k = 40, 20 if name == "± Nyquist" else 0
    l1, l0 = (float(ring_spectrum(n, xi)[k]) for xi in (2.0, 1.0))
    rate = (2 if name.startswith("redundant") else 1) * (l0 + l1) / 4
    pull = 2 * l1 / (8 * np.pi)  # two gates, each |S1 v|^2/(4 * 2 pi v'S1 v)
    found = race(named_sets(n, 2, KEY)[name], task_of(n, 2.0, 1.0, 0.0), np.array([0.0, 3.0]), key=KEY, samples=1)
    explained = pull / rate
    np.testing.assert_allclose(found["pull"], pull, rtol=1e-9)
    np.testing.assert_allclose(found["explained"], explained, rtol=1e-9)
    np.testing.assert_allclose(found["half_time"], np.log(2) * 4 / (2 * rate), rtol=1e-9)
    loss = 0.25 - explained / 2 * (1 - np.exp(-2 * rate * np.array([0.0, 3.0]) / 4))
    np.testing.assert_allclose(found["loss"], loss, rtol=1e-9)
    assert abs(float(found["explained"]) - float(TABLE[name][0])) <= 5e-5
    slope = (loss[0] - (0.25 - explained / 2 * (1 - np.exp(-2 * rate * 1e-6 / 4)))) / 1e-6  # of that curve, from its start
    assert found["rate"] == pytest.approx(slope, rel=1e-5)


def test_pairs_share_one_spectrum_on_the_same_samples():
    sets = named_sets(6, 2, KEY)
    found = [race(sets[name], task_of(6, 1.5, 0.7, 3.0), np.zeros(1), key=KEY, samples=200) for name in ("± flat", "± delta")]
    np.testing.assert_allclose(found[0]["spectrum"], found[1]["spectrum"], atol=1e-12)
    assert found[0]["half_time"] != pytest.approx(found[1]["half_time"], rel=1e-3)


def test_likeness_sees_through_symmetries_only():
    rng = np.random.default_rng(1)
    V, cov = rng.normal(size=(3, 8)), np.eye(8)
    assert likeness(V, 2 * np.roll(-V[[2, 0, 1], ::-1], 3, axis=1), cov) == pytest.approx(1.0)
    assert likeness(V, np.concatenate([V[:2], -V[2:]]), cov) < 0.99
    assert likeness(V, rng.normal(size=(3, 8)), cov) < 0.95


def test_variance_by_frequency_is_that_of_the_projections():
    """By hand: v is taken apart into cosines and sines of each frequency."""
    rng, task = np.random.default_rng(2), task_of(6, 1.5, 0.7, 0.0)
    V = rng.normal(size=(2, 6))
    found = variance_by_frequency(V, task)
    angles = 2 * np.pi * np.subtract.outer(np.arange(6), np.arange(6)) / 6
    for c, source in enumerate((task.positive, task.negative)):
        cov = np.asarray(source.covariance())
        for k, v in enumerate(V):
            parts = [(1 if f in (0, 3) else 2) / 6 * np.cos(f * angles) @ v for f in range(4)]
            variances = np.array([part @ cov @ part for part in parts])
            np.testing.assert_allclose(found[c, k], variances / (v @ cov @ v), rtol=1e-5)


def explained(directions, task):
    A, b, _ = gated_linear.statistics(learned(directions), task, method="closed")
    return float(b @ np.linalg.pinv(A) @ b)


@pytest.mark.slow
def test_record_says_what_its_gates_explain():
    """Gaussian data, in closed form; committees that stay where they start, as they are trained at a vanishing rate."""
    sizes = {"n": 6, "xi1": 1.5, "xi0": 0.7, "gains": (0.0,), "race_units": (2,), "units": (2,), "seeds": 3}
    search = {"starts": 2, "climb": 20, "tries": 5, "learning_rate": 1e-12, "steps": 1, "batch_size": 4}
    record = experiment.simulate(experiment.Parameters(**sizes, **search), MemoryBench())
    task, train_key = task_of(6, 1.5, 0.7, 0.0), jax.random.split(KEY, 5)[0]
    one, cov = record.isel(units=0, gain=0), np.asarray(task.positive.covariance() + task.negative.covariance())
    net_key, _ = jax.random.split(jax.random.fold_in(train_key, 2))
    fields = np.asarray(Committee(6, 2, key=jax.random.split(net_key, 3)).fields, float)
    each, winner = [explained(rows, task) for rows in fields], one.winner_directions.values
    np.testing.assert_allclose(one.trained, each, rtol=1e-5)
    np.testing.assert_allclose(one.trained_fields, fields[np.argmax(each)], rtol=1e-6)
    assert float(one.winner) == pytest.approx(explained(winner, task), rel=1e-6)
    np.testing.assert_allclose(one.alike, [likeness(winner, rows, cov) for rows in fields], rtol=1e-4)
    assert abs(one.chance - one.alike).min() > 1e-4
    assert float(record.tiling[0]) == pytest.approx(2 * float(record.one_gate[0]), rel=1e-6)
    raced = record.explained.isel(race_units=0, gain=0)
    assert float(raced.sel(set="learned")) == pytest.approx(explained(fields[0], task), rel=1e-5)
    assert float(raced.sel(set="searched")) == pytest.approx(float(one.winner), rel=1e-6)
    assert float(raced.sel(set="± flat")) == pytest.approx(explained([[1.0] * 6, [-1.0] * 6], task), rel=1e-6)
    assert float(record.small_tiling) == pytest.approx(explained([[1.0] * 6, [-1.0] * 6], task), rel=1e-5)
    rates, parts = learned_by_mode(named_sets(6, 2, KEY)["± delta"], task)
    np.testing.assert_allclose(record.mode_learned[np.argsort(record.mode_rate.values)], parts[np.argsort(rates)], rtol=1e-6)
    start = record.loss.isel(race_units=0, gain=0, time=0)
    np.testing.assert_allclose(start, 0.25)
