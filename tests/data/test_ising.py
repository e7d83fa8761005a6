"""The Ising chain, against the sum over all states."""

import itertools

import jax
import numpy as np
import pytest

from gatefield.data import Ising


def enumerated(n, coupling, boundary):
    """All states and their probabilities."""
    states = np.array(list(itertools.product([-1.0, 1.0], repeat=n)))
    bonds = states[:, :-1] * states[:, 1:]
    if boundary == "ring":
        bonds = np.column_stack([bonds, states[:, -1] * states[:, 0]])
    energy = coupling * bonds.sum(axis=1)
    weights = np.exp(energy - energy.max())
    return states, weights / weights.sum()


@pytest.mark.parametrize("boundary", ["ring", "line"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
def test_covariance_is_the_sum_over_states(n, boundary):
    couplings = [-30.0, -1.2, -1e-3, 0.0, 0.4, 2.0, 30.0]
    matrices = Ising(n, couplings, boundary=boundary).covariance()
    for coupling, matrix in zip(couplings, matrices, strict=True):
        states, weights = enumerated(n, coupling, boundary)
        np.testing.assert_allclose(matrix, (states * weights[:, None]).T @ states, atol=1e-14)


@pytest.mark.costly
@pytest.mark.parametrize(
    ("n", "coupling", "boundary"), [(4, 0.5, "ring"), (5, -2.0, "ring"), (4, -0.8, "ring"), (5, 0.7, "line"), (2, 0.3, "ring")]
)
def test_states_have_their_probabilities(n, coupling, boundary):
    size = 200_000
    _, weights = enumerated(n, coupling, boundary)
    x = np.asarray(Ising(n, coupling, boundary=boundary).sample(jax.random.key(3), size))
    index = ((x + 1) / 2) @ 2 ** np.arange(n)[::-1]
    share = np.bincount(index.astype(int), minlength=2**n) / size
    assert np.all(np.abs(share - weights) < 5 * np.sqrt(weights * (1 - weights) / size) + 1e-9)


@pytest.mark.parametrize("n", [5, 6])
def test_strong_coupling(n):
    x = np.asarray(Ising(n, [30.0, 1000.0, -30.0, -1000.0]).sample(jax.random.key(0), 1000))
    bonds = (x * np.roll(x, 1, axis=2)).sum(axis=2)
    np.testing.assert_array_equal(bonds[:2], n)
    np.testing.assert_array_equal(bonds[2:], -n if n % 2 == 0 else 2 - n)  # one bond of an odd ring is frustrated


def test_small_coupling_keeps_relative_accuracy():
    assert Ising(40, 1e-6).covariance()[0, 3] == pytest.approx(np.tanh(1e-6) ** 3, rel=1e-12)


def test_frustrated_ring_in_single_precision():
    matrix = jax.jit(lambda source: source.covariance())(Ising(5, -30.0))
    np.testing.assert_allclose(matrix[0], [1.0, -0.6, 0.2, 0.2, -0.6], rtol=1e-6)


def test_errors():
    with pytest.raises(ValueError, match=r"coupling must be finite, but is inf; write for instance coupling=2\."):
        Ising(4, np.inf)
