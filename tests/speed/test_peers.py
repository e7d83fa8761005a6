"""Peers do the same work: they are run at tiny size and give what gatefield gives."""

import sys

import jax
import numpy as np
import pytest

from gatefield.speed import Contestant, Missing
from gatefield.speed.cases import exact, kernels, paths, training
from gatefield.speed.peers import one_factor, present, structured
from gatefield.speed.peers.gated_network import Size

STAND_IN = """
import jax, jax.numpy as jnp
class NtkImplementation:
    STRUCTURED_DERIVATIVES = 3
def empirical_ntk_fn(apply, implementation, vmap_axes):
    def kernel(inputs, other, weights):
        rows = jax.jacobian(lambda w: apply(w, inputs)[:, 0])(weights)
        flat = jnp.concatenate([row.reshape(len(row), -1) for row in rows], axis=1)
        return flat @ flat.T
    return kernel
"""


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
    assert {160, 40} <= steps <= {160, 40, 10}
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
    """784 x 2,000 weights of the first layer, four of 2,000^2, and 2,000: in float32, for 10,000 samples."""
    net = kernels.network(3, 2, 2, 2, np.dtype("float32"))
    absent = kernels._jacobians(Size(6, 2000, 10_000, 784), net)
    assert {peer.why for peer in absent if isinstance(peer, Missing)} == {"its Jacobian takes 702.8 GB"}
    assert len(absent) == 2


def test_neural_tangents_is_asked_elsewhere_and_may_be_missing(monkeypatch):
    for python in ("true", "no-such-python"):  # a program that says nothing
        monkeypatch.setenv(structured.PYTHON, python)
        server = structured.Structured()
        assert not server.ready
        server.close()


def test_neural_tangents_answers_from_a_process_of_its_own(tmp_path, monkeypatch):
    """A stand-in for it, which contracts a Jacobian: the server makes the same network, and its first row is right."""
    (tmp_path / "neural_tangents.py").write_text(STAND_IN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv(structured.PYTHON, sys.executable)
    server = structured.Structured()
    assert server.ready
    contest = kernels.contest(Size(3, 4, 5, 2), "float64", server)
    assert contest.error
    assert contest.error(here(contest)["neural-tangents, structured"].call()) < 1e-14
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
