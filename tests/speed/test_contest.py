"""Contests: who is called how often, what ratios are of, and what stands for a peer that is not there."""

import time

import numpy as np
import pytest
from findings_by_hand import contest

from gatefield.speed import Contest, Contestant, Missing, hold
from gatefield.speed import contest as module
from gatefield.speed.rounds import Rounds, rounds


def test_every_round_has_everyone_once_in_an_order_drawn_anew():
    called = []
    calls = {name: lambda name=name: called.append(name) or time.sleep(0.06) for name in "abc"}
    rounds(calls, 5, np.random.default_rng(3), lambda name, result: None)
    first, later = called[:6], [called[i : i + 3] for i in range(6, len(called), 3)]
    assert first == ["a", "a", "b", "b", "c", "c"]  # to compile, and to see how long it takes
    assert len(later) == 5
    assert all(sorted(one) == ["a", "b", "c"] for one in later)
    assert len({tuple(one) for one in later}) > 1


def test_what_is_short_is_called_in_a_row_after_an_untimed_call():
    called = []
    rounds({"a": lambda: called.append(1) or time.sleep(0.01)}, 1, np.random.default_rng(0), lambda name, result: None)
    assert 2 + 1 + 2 <= len(called) <= 2 + 1 + 5  # five fit into the least time, fewer on a busy machine


def test_times_are_those_of_one_call():
    found = rounds({"a": lambda: time.sleep(0.02)}, 3, np.random.default_rng(0), lambda name, result: None)
    assert found.wall["a"].min() >= 0.02
    assert found.computed["a"].max() < found.wall["a"].max()  # sleeping computes nothing


def by_hand(monkeypatch, wall, **options):
    """The standing of a contest of two whose times are given."""
    monkeypatch.setattr(module, "rounds", lambda calls, repeats, rng, seen: Rounds(wall, wall))
    two = Contest("two", "step", Contestant("ours", lambda: 0, 10), [Contestant("theirs", lambda: 0, 5)], **options)
    return hold(two, 2, np.random.default_rng(0))


def test_a_ratio_is_of_times_per_unit_within_a_round(monkeypatch):
    found = by_hand(monkeypatch, {"ours": np.array([1.0, 4.0, 1.0]), "theirs": np.array([1.0, 6.0, 2.0])})
    (theirs,) = found.peers
    assert theirs.ratio is not None
    assert (theirs.ratio.median, theirs.ratio.least, theirs.ratio.most) == (3.0, 2.0, 4.0)
    assert found.ours.ms is not None
    assert theirs.ms is not None
    assert (found.ours.ms.median, found.ours.ms.most, theirs.ms.median) == (100.0, 400.0, 400.0)
    assert found.ours.ratio is None


def test_errors_are_the_root_mean_square_of_what_was_given():
    given = iter([0.0, 0.0, *[3.0, 4.0] * 50])  # two calls come before what is timed
    slow = Contestant("ours", lambda: time.sleep(0.06) or next(given))
    found = hold(Contest("one", "step", slow, [], error=float), 2, np.random.default_rng(0))
    assert found.ours.error == pytest.approx(np.sqrt(12.5), rel=1e-3)
    assert hold(contest(), 1, np.random.default_rng(0)).ours.error is None


def test_a_peer_that_is_missing_keeps_its_place():
    found = hold(contest(torch="not installed: torch", scan=lambda: 0), 1, np.random.default_rng(0))
    assert [(peer.name, peer.missing) for peer in found.peers] == [("torch", "not installed: torch"), ("scan", "")]
    assert isinstance(contest(torch="no").peers[0], Missing)
