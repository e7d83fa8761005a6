"""Random gates: as they fall, their moments given the input, and what a gated linear network learns behind them."""

import itertools

import jax
import numpy as np
import pytest

from gatefield import GatedLinear, Task, UserError
from gatefield.data import Finite, Gaussian, Hypercube
from gatefield.gates import (
    Bernoulli,
    Constant,
    GateSet,
    HalfSpace,
    Open,
    Scheduled,
    are_exclusive,
    are_redundant,
    are_tiling,
    overlap,
)
from gatefield.theory import gated_linear

KEY = jax.random.key(0)
SOFT = [HalfSpace([1.0, -0.5, 0.2], width=0.7), HalfSpace([-0.3, 1.0, 0.4], 0.2, width=0.5)]
MIXED = GateSet([Bernoulli(SOFT[0]), Bernoulli(SOFT[1], coin="a"), SOFT[1], Bernoulli(Constant(0.3), coin="a")])
X = np.random.default_rng(0).normal(size=(5, 3))


def soft(x, gate):
    return 1 / (1 + np.exp(-(x @ gate.direction - gate.threshold) / gate.width))


def patterns(x):
    """All ways in which the mixed gates can fall at x, and their chances: the coin is cut at both probabilities."""
    p, q = (float(soft(x, gate)) for gate in SOFT)
    cuts = sorted([0.0, q, 0.3, 1.0])
    for first, (low, high) in itertools.product([0.0, 1.0], itertools.pairwise(cuts)):
        coin = (low + high) / 2
        yield np.array([first, coin < q, q, coin < 0.3], float), (p if first else 1 - p) * (high - low)


def test_moments_given_the_input_are_those_of_all_ways_to_fall():
    mean, cov = np.asarray(MIXED(X)), np.asarray(MIXED.covariance(X))
    for i, x in enumerate(X):
        ways, chances = map(np.array, zip(*patterns(x), strict=True))
        np.testing.assert_allclose(mean[i], chances @ ways, atol=1e-6)
        np.testing.assert_allclose(cov[i], np.cov(ways.T, aweights=chances, ddof=0), atol=1e-6)
    second = mean.T @ mean / 5 + cov.mean(0)
    np.testing.assert_allclose(overlap(MIXED, X), second, atol=1e-6)


def test_draws_have_these_moments():
    size = 40_000
    x = np.broadcast_to(X[1], (size, 3))
    fallen = np.asarray(MIXED.draw(KEY, x), float)
    assert set(np.unique(np.delete(fallen, 2, axis=1))) == {0.0, 1.0}
    np.testing.assert_allclose(fallen[:, 2], MIXED(X[1])[2], rtol=1e-6)
    np.testing.assert_allclose(fallen.mean(0), MIXED(X[1]), atol=5 * 0.5 / size**0.5)
    np.testing.assert_allclose(np.cov(fallen.T), MIXED.covariance(X[1]), atol=5 * 0.25 / size**0.5)


def test_what_a_network_learns_from_is_the_average_over_inputs_and_gates():
    """Every point, with every way in which the gates can fall, one after another."""
    points = [X, 2 * X[:2]]
    task = Task(*map(Finite, points), labels=(1.0, -0.5), proportion=0.3)
    found = gated_linear.statistics(MIXED, task, key=KEY, samples=40_000, with_error=True)
    A, b = np.zeros((12, 12)), np.zeros(12)
    for x, y, share in zip(points, (1.0, -0.5), (0.3, 0.7), strict=True):
        for one in x:
            for way, chance in patterns(one):
                gated = np.outer(way, one).ravel()
                A += share / len(x) * chance * np.outer(gated, gated)
                b += share / len(x) * chance * y * gated
    assert (abs(found.A.value - A) < 6 * found.A.error + 1e-9).all()
    assert (abs(found.b.value - b) < 6 * found.b.error + 1e-9).all()


def test_dropout_in_closed_form():
    """E[g x x'] = p C with itself, pq C with another, min(p, q) C with one of the same coin."""
    task = Task(Gaussian(3, 1.5), Gaussian(3, 0.7))
    gates = [Bernoulli(Constant(0.8), coin="a"), Bernoulli(Constant(0.5), coin="a"), Bernoulli(Constant(0.5)), Constant(0.5)]
    found = gated_linear.statistics([*gates, Bernoulli(HalfSpace([1.0, 0.0, 0.0]))], task, with_error=True)
    assert found.A.method == "closed"
    factors = [
        [0.8, 0.5, 0.4, 0.4, 0.4],
        [0.5, 0.5, 0.25, 0.25, 0.25],
        [0.4, 0.25, 0.5, 0.25, 0.25],
        [0.4, 0.25, 0.25, 0.25, 0.25],
        [0.4, 0.25, 0.25, 0.25, 0.5],
    ]
    cov = (Gaussian(3, 1.5).covariance() + Gaussian(3, 0.7).covariance()) / 2
    np.testing.assert_allclose(found.A.value, np.kron(factors, cov), atol=1e-12)
    assert abs(found.b.value[:12]).max() == 0


def test_random_half_spaces_with_b_sampled():
    task = Task(Hypercube(3, 1.5), Hypercube(3, 0.7))
    v = [1.0, 0.45, 0.3]
    found, hard = (gated_linear.statistics(gate, task, key=KEY) for gate in (Bernoulli(HalfSpace(v)), HalfSpace(v)))
    np.testing.assert_allclose(found.A, hard.A, atol=1e-12)
    np.testing.assert_allclose(found.b, hard.b, atol=1e-12)


def test_a_schedule_of_random_gates():
    gates = GateSet([Scheduled([0.0, 1.0], [Open(), Bernoulli(Constant(0.5))])])
    assert gates.random
    assert [float(gates.at(t).covariance(X[0]).item()) for t in (0.0, 1.0)] == [0.0, 0.25]
    pieces = gated_linear.pieces(gates, Task(Gaussian(1, 1.0), Gaussian(1, 1.0)))
    assert [A.item() for _, A, _ in pieces] == [1.0, 0.5]


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: Bernoulli(0.5), r"such as Constant\(0.5\), not 0.5"),
        (lambda: Bernoulli(Open(), coin=1), "coin must be a name, such as coin='a', but is 1"),
        (lambda: GatedLinear(3, MIXED, key=KEY), "some of these gates are random"),
        (lambda: are_exclusive(MIXED, X), "a matter of chance; overlap"),
        (lambda: are_redundant(MIXED, X), "a matter of chance"),
        (lambda: are_tiling(MIXED, X), "a matter of chance"),
    ],
)
def test_what_is_refused(call, text):
    with pytest.raises(UserError, match=text):
        call()
