"""All gates on listed points, against plain enumeration and least squares."""

import itertools

import numpy as np
import pytest

from gatefield import UserError
from gatefield.gates import half_spaces
from gatefield.theory.gated_linear import best_gates, explained_by_gates, listed_moments, posterior
from gatefield.theory.hypercube import corners, pattern_law

ALLOWED = {"any": lambda count: True, "exclusive": lambda count: count <= 1, "tiling": lambda count: count == 1}


def fitted(gates, points, chances, means):
    """What the best weights behind these gates explain of the mean square of the mean labels, by least squares."""
    gated, root = np.einsum("xk,xn->xkn", gates, points).reshape(len(points), -1), np.sqrt(chances)
    weights = np.linalg.lstsq(root[:, None] * gated, root * means, rcond=1e-10)[0]
    return chances @ means**2 - chances @ (gated @ weights - means) ** 2


def best_of_all(points, chances, means, K, overlap="any"):
    """By trying every way to be open at every point."""
    ways = [way for way in itertools.product((0, 1), repeat=K) if ALLOWED[overlap](sum(way))]
    return max(fitted(np.array(ways, float)[list(all_)], points, chances, means) for all_ in _ways(len(ways), len(points)))


def _ways(count, size):
    return itertools.product(range(count), repeat=size)


def problem(seed, size, n):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(size, n)), rng.dirichlet(np.ones(size)), rng.uniform(-0.3, 1.0, size)


@pytest.mark.parametrize(
    ("seed", "size", "n", "K", "overlap"),
    [
        (0, 8, 2, 1, "any"),
        (1, 8, 3, 1, "any"),
        (2, 5, 1, 2, "any"),
        (3, 5, 2, 2, "any"),
        (4, 6, 2, 2, "exclusive"),
        (5, 7, 1, 2, "tiling"),
        (6, 7, 2, 2, "tiling"),
        (7, 3, 1, 3, "any"),
    ],
)
def test_the_best_of_all_gates(seed, size, n, K, overlap):
    """On points anywhere, with labels of either sign."""
    points, chances, means = problem(seed, size, n)
    found = best_gates(points, chances, means, K, overlap=overlap)
    assert found.proven
    assert found.explained == pytest.approx(best_of_all(points, chances, means, K, overlap), abs=1e-11)
    assert found.explained == pytest.approx(fitted(found.gates, points, chances, means), abs=1e-11)
    assert found.gates.shape == (size, K)
    assert found.gates.T.tolist() == sorted(found.gates.T.tolist(), reverse=True)
    assert all(ALLOWED[overlap](count) for count in found.gates.sum(1))


def three_sites(xi1=1.5, xi0=0.7):
    """Signs of Gaussian fields on a ring of three sites, whose law is (1 + sum of s_i s_j c)/8."""
    laws = []
    for xi in (xi1, xi0):
        row = np.exp(-(((np.arange(3)[:, None] + 3 * np.arange(-9, 10)) / xi) ** 2)).sum(1)
        x, c = corners(3), 2 / np.pi * np.arcsin(row[1] / row[0])
        laws.append((1 + c * (x[:, 0] * x[:, 1] + x[:, 1] * x[:, 2] + x[:, 2] * x[:, 0])) / 8)
    return laws


def test_the_cube_of_three_sites():
    """Numbers of a separate computation; a stopped search says what no gates exceed."""
    data = posterior(*three_sites())
    found = {(K, way): best_gates(corners(3), *data, K, overlap=way) for K, way in [(1, "any"), (2, "any"), (2, "exclusive")]}
    assert [round(one.explained, 4) for one in found.values()] == [0.1400, 0.2835, 0.2799]
    assert round(data.explained, 4) == 0.2836
    assert all(one.proven for one in found.values())
    assert found[1, "any"].explained == pytest.approx(best_of_all(corners(3), *data, 1), abs=1e-12)
    assert (found[2, "any"].gates.sum(1) == 2).any()
    stopped = best_gates(corners(3), *data, 2, most=1)
    assert not stopped.proven
    assert found[2, "any"].explained <= stopped.upper <= data.explained + 1e-12


def test_points_without_chance_do_not_count():
    points, chances, means = problem(3, 5, 2)
    more = np.vstack([points[:2], [[9.0, -9.0]], points[2:]]), np.insert(chances, 2, 0.0), np.insert(means, 2, 7.0)
    one, two = best_gates(points, chances, means, 2), best_gates(*more, 2)
    assert two.explained == pytest.approx(one.explained, abs=1e-12)


def test_moments_and_what_is_explained():
    """Sums over points one by one; sets of gates along leading axes; half-open gates too."""
    points, chances, means = problem(8, 6, 3)
    gates = np.random.default_rng(0).choice([0.0, 0.5, 1.0], size=(2, 4, 6, 2))
    A, b = listed_moments(gates, points, chances, means)
    worth = explained_by_gates(gates, points, chances, means)
    assert (A.shape, b.shape, worth.shape) == ((2, 4, 6, 6), (2, 4, 6), (2, 4))
    for at in np.ndindex(2, 4):
        gated = [np.kron(g, x) for g, x in zip(gates[at], points, strict=True)]
        np.testing.assert_allclose(A[at], sum(m * np.outer(x, x) for m, x in zip(chances, gated, strict=True)), atol=1e-14)
        np.testing.assert_allclose(b[at], sum(m * r * x for m, r, x in zip(chances, means, gated, strict=True)), atol=1e-14)
        assert worth[at] == pytest.approx(fitted(gates[at], points, chances, means), abs=1e-11)
    assert explained_by_gates(np.zeros((6, 2)), points, chances, means) == 0.0


def test_posterior():
    """By drawing the label of each point as often as it comes; labels and shares of the classes as given."""
    one, two = three_sites()
    found = posterior(one, two, labels=(2.0, -1.0), proportion=0.25)
    np.testing.assert_allclose(found.chances, 0.25 * one + 0.75 * two)
    np.testing.assert_allclose(found.means, (0.5 * one - 0.75 * two) / found.chances)
    np.testing.assert_array_equal(posterior([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]).means, [1.0, 0.0, 0.0])
    guess = np.linspace(-1, 1, 8)  # any other function has a larger error
    error = [0.25 * one @ (y - 2) ** 2 + 0.75 * two @ (y + 1) ** 2 for y in (found.means, found.means + 0.01 * guess)]
    assert error[0] < error[1]
    assert error[0] == pytest.approx(0.25 * 4 + 0.75 - found.explained)


def test_the_law_of_the_cube_is_that_of_the_signs():
    row = np.exp(-(((np.arange(3)[:, None] + 3 * np.arange(-9, 10)) / 1.5) ** 2)).sum(1)
    law = pattern_law(np.array([np.roll(row / row[0], k) for k in range(3)]))
    np.testing.assert_allclose(law, three_sites()[0], atol=1e-12)


def test_half_spaces_as_the_library_has_them():
    """Gates of the library on the same corners explain the same as by their own sums."""
    data = posterior(*three_sites())
    opened = np.asarray(half_spaces([[1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]])(corners(3)), float)
    assert explained_by_gates(opened, corners(3), *data) == pytest.approx(0.27994, abs=5e-6)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: posterior([0.5, 0.6], [0.5, 0.5]), "positive must add up to 1, but their sum is 1.1"),
        (lambda: posterior([0.5, 0.5], [1.0]), "positive has 2 and negative 1"),
        (lambda: posterior([1.5, -0.5], [0.5, 0.5]), "positive must be zero or more, but is -0.5"),
        (lambda: listed_moments([[2.0]], [[1.0]], [1.0], [1.0]), "gates must be from 0, shut, to 1, open, but is 2"),
        (lambda: listed_moments([1.0], [[1.0]], [1.0], [1.0]), r"gates must have shape \(..., points, K\)"),
        (lambda: listed_moments([[1.0]], [[1.0], [2.0]], [0.5, 0.5], [1.0, 1.0]), r"shape \(..., 2, K\) for 2 points"),
        (lambda: explained_by_gates([[1.0]], [[1.0]], [1.0], [1.0, 2.0]), "1 points, 1 chances and 2 means"),
        (lambda: best_gates([1.0], [1.0], [1.0], 1), r"points must have shape \(points, n\)"),
        (lambda: best_gates([[1.0]], [1.0], [1.0], 7), "K must be at most 6"),
        (lambda: best_gates([[1.0]], [1.0], [1.0], 1, overlap="tilling"), "did you mean 'tiling'"),
    ],
)
def test_wrong_arguments(call, words):
    with pytest.raises(UserError, match=words):
        call()
