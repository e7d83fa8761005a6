"""Peers do the same work: they are run at tiny size and give what gatefield gives."""

import jax
import numpy as np
import pytest

from gatefield.speed import Contestant, Missing
from gatefield.speed.cases import exact, kernels, paths, training
from gatefield.speed.peers import one_factor, present, structured
from gatefield.speed.peers.gated_network import Size


def here(contest):
    """Who takes part, by name."""
    return {one.name: one for one in (contest.ours, *contest.peers) if isinstance(one, Contestant)}


def weights(found):
    """What a training gave: weights (runs, units, n)."""
    return np.asarray(found.net.fields if hasattr(found, "net") else found)


@pytest.mark.parametrize("runs", [1, 3])
def test_trainings_end_in_the_same_weights_up_to_the_noise_of_their_batches(runs):
    """Each has samples of its own: differences are small beside the way that all of them went, and every run went its own."""
    contest = training.contest(training.Size(2, runs, 400, 160), sites=10)
    everyone = here(contest)
    start = weights(contest.ours.call.args[0].fields)  # pyright: ignore[reportFunctionMemberAccess]
    steps = {one.amount for one in everyone.values()}
    assert steps == {160, 40, 10}
    ends = {name: weights(one.call()).reshape(start.reshape(-1, 2, 10).shape) for name, one in everyone.items()}
    way = np.linalg.norm(ends["train"] - start)
    assert way > 0.1
    for name, one in everyone.items():
        same = weights(training.contest(training.Size(2, runs, 400, int(one.amount)), sites=10).ours.call())
        assert np.linalg.norm(ends[name] - same.reshape(start.shape)) < 0.15 * way, name
    if present.package("torch") is None:
        assert contest.peers[-1] == Missing("PyTorch loop", "not installed: torch")


@pytest.mark.parametrize(("kind", "rounding"), [("float32", 1e-6), ("float64", 1e-14)])
def test_kernels_agree_to_rounding(kind, rounding):
    contest = kernels.contest(Size(4, 5, 7, 3), kind)
    assert contest.error
    everyone = here(contest)
    assert {"ntk", "layer by layer, jitted", "Jacobian in JAX"} <= set(everyone)
    for name, one in everyone.items():
        assert contest.error(one.call()) < rounding, name
    assert contest.error(np.zeros((7, 7))) == 1.0


def test_a_jacobian_that_is_too_large_is_not_tried():
    absent = {peer.name: peer.why for peer in kernels._jacobians(Size(6, 2000, 10_000, 784), kernels.network(3, 2, 2, 2, "f4"))}  # pyright: ignore[reportAttributeAccessIssue]
    assert set(absent.values()) == {"its Jacobian takes 703.6 GB"}


def test_neural_tangents_is_asked_elsewhere_and_may_be_missing(monkeypatch):
    monkeypatch.setenv(structured.PYTHON, "true")  # a program that says nothing
    server = structured.Structured()
    assert not server.ready
    server.close()


def test_paths_agree_to_the_tolerance_of_the_solver():
    contest = paths.contest(6, 2, 10)
    errors = {name: contest.error(one.call()) for name, one in here(contest).items()}  # pyright: ignore[reportOptionalCall]
    exactly, tight, loose = errors.values()
    assert exactly < 1e-12
    assert tight < 1e-10
    assert loose < 1e-4


@pytest.mark.parametrize(("of", "n", "bounds"), [(exact.drifts, 3, (1e-12, 1e-3)), (exact.orthants, 4, (1e-9, 1e-3))])
def test_signs_agree_with_scipy(of, n, bounds):
    contest = of(n)
    for one, bound in zip(here(contest).values(), bounds, strict=True):
        found = one.call()
        assert contest.error(found) < bound
        assert not np.array_equal(one.call().loads, found.loads)  # what was seen costs nothing and would not count


def test_the_reference_for_signs_is_right_where_a_closed_form_is_known():
    """Correlations of one half: k of n positive has the probability 1/((n + 1) C(n, k))."""
    half = np.full(5, np.sqrt(0.5))
    np.testing.assert_allclose(one_factor.correlation(half), (1 + np.eye(5)) / 2)
    signs = np.array([1.0, 1.0, -1.0, 1.0, 1.0])
    np.testing.assert_allclose([one_factor.chance(half, s) for s in (np.ones(5), signs)], [1 / 6, 1 / 30], rtol=1e-13)
    assert jax.config.jax_enable_x64 is False  # pyright: ignore[reportAttributeAccessIssue] # contests leave it as it was
