"""How far gates have moved, by counting gates and listing paths."""

import itertools

import numpy as np
import pytest

from gatefield import UserError, kernels, measures

WIDTHS = (3, 2, 4)


def drawn(seed, *lead, soft=False):
    rng = np.random.default_rng(seed)
    return [rng.random((*lead, 5, w)) if soft else rng.integers(0, 2, (*lead, 5, w)) for w in WIDTHS]


@pytest.mark.parametrize("threshold", [0.5, 0.7])
def test_flips_and_changes_by_counting_gates(threshold):
    before, after = drawn(0, soft=True), drawn(1, soft=True)
    flips, change = measures.flipped_gates(before, after, threshold), measures.gate_change(before, after)
    for at, (one, two) in enumerate(zip(before, after, strict=True)):
        gates = list(zip(one.ravel(), two.ravel(), strict=True))
        assert flips[at] == pytest.approx(sum((a > threshold) is not (b > threshold) for a, b in gates) / len(gates))
        assert change[at] == pytest.approx(sum(max(a, b) - min(a, b) for a, b in gates) / len(gates))
    assert len(set(np.round([*flips, *change], 6))) > 3


def test_a_gate_at_the_threshold_is_closed_and_hard_gates_change_by_one():
    at, above = [np.full((2, 3), 0.5)], [np.full((2, 3), 0.6)]
    np.testing.assert_array_equal(measures.flipped_gates(at, [np.zeros((2, 3))]), [0.0])
    np.testing.assert_array_equal(measures.flipped_gates(at, above), [1.0])
    before, after = drawn(2), drawn(3)
    np.testing.assert_allclose(measures.gate_change(before, after), measures.flipped_gates(before, after))


@pytest.mark.parametrize("soft", [False, True])
def test_overlap_by_listing_paths(soft):
    """The cosine of both times' vectors of path activities."""
    before, after = drawn(4, soft=soft), drawn(5, soft=soft)
    for layer in (*before, *after):
        layer[:, 0] = 1  # so that some path is open
    found = measures.subnetwork_overlap(before, after)
    for s in range(5):
        paths = [np.array([np.prod(p) for p in itertools.product(*(g[s] for g in gates))], float) for gates in (before, after)]
        assert found[s] == pytest.approx(paths[0] @ paths[1] / np.sqrt((paths[0] @ paths[0]) * (paths[1] @ paths[1])))
    assert found.min() < 0.9


def test_overlap_is_the_path_overlap_of_both_times_as_samples():
    before, after = drawn(6, soft=True), drawn(7, soft=True)
    both = kernels.path_overlap([np.concatenate(pair) for pair in zip(before, after, strict=True)])
    size = np.sqrt(np.diag(both))
    np.testing.assert_allclose(measures.subnetwork_overlap(before, after), np.diag(both / np.outer(size, size), k=5))


def test_unrelated_half_open_gates_share_few_paths():
    rng = np.random.default_rng(8)
    one, two = ([rng.integers(0, 2, (50, 400)) for _ in range(4)] for _ in range(2))
    np.testing.assert_allclose(measures.subnetwork_overlap(one, two), 2.0**-4, rtol=0.3)
    np.testing.assert_allclose(measures.subnetwork_overlap(one, one), 1.0)


def test_no_open_path_has_no_overlap():
    shut = [np.array([[0.0, 0.0], [1.0, 0.0]])]
    np.testing.assert_allclose(measures.subnetwork_overlap(shut, [np.ones((2, 2))]), [np.nan, np.sqrt(0.5)])


def test_axes_in_front_are_times_and_seeds():
    start, path = drawn(9, 2, 1), drawn(10, 2, 3)
    for measure in (measures.flipped_gates, measures.gate_change, measures.subnetwork_overlap):
        found = measure(start, path)
        assert found.shape[:2] == (2, 3)
        for seed, time in itertools.product(range(2), range(3)):
            alone = measure([g[seed, 0] for g in start], [g[seed, time] for g in path])
            np.testing.assert_allclose(found[seed, time], alone)


def test_gates_of_two_networks_are_refused():
    gates = drawn(0)
    with pytest.raises(UserError, match="must have as many layers, but have 3 and 2; take both from one network"):
        measures.flipped_gates(gates, gates[:2])
    with pytest.raises(UserError, match=r"those of layer 2 have shapes \(5, 2\) and \(5, 1\); take both"):
        measures.gate_change(gates, [gates[0], gates[1][:, :1], gates[2]])
    with pytest.raises(UserError, match=r"those of layer 1 have shapes \(2, 5, 3\) and \(3, 5, 3\)"):
        measures.subnetwork_overlap(drawn(0, 2), drawn(0, 3))
    with pytest.raises(UserError, match=r"before of layer 1 must have the shape \(\.\.\., samples, width\), but has \(3,\)"):
        measures.gate_change([np.ones(3)], [np.ones(3)])
