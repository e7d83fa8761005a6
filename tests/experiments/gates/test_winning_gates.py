"""The sets that race in `winning-gates`, how they are judged, and the table they must reproduce."""

import jax
import numpy as np
import pytest

from gatefield.data import ring_spectrum
from gatefield.experiments.gates.winning_gates.sets import PAIRS, SETS, named_sets, race, task_of
from gatefield.experiments.gates.winning_gates.verdicts import TABLE
from gatefield.experiments.gates.winning_gates.winner import likeness
from gatefield.gates import are_exclusive, are_redundant, overlap

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
    assert abs(float(found["explained"]) - TABLE[name][0]) <= 5e-5
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
