"""One tie rule: no continuous input is called a tie, exact ties are one half, whoever asks and in whatever precision."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import leaf
from gatefield.core import ties
from gatefield.data import Source
from gatefield.gates import half_spaces
from gatefield.measures import gate_stability
from gatefield.theory import drift, hypercube
from gatefield.theory.classes import gate_signs

KEY = jax.random.key(0)
BLOCK = 4096  # samples that a drift draws at once


class Given(Source):
    """Points that are drawn in order, again and again."""

    n: int = eqx.field(static=True)
    x: np.ndarray = leaf(2)

    def sampler(self):
        return lambda key, size: jnp.resize(jnp.asarray(self.x, float), (size, self.n))

    def _covariance(self):
        x = jnp.asarray(self.x, float)
        return jnp.matmul(x.T, x, precision="highest") / len(x)


def by_gates(x, w):
    return half_spaces(w)(x)


def by_fixed_samples(x, w):
    return (1 + gate_signs(jnp.asarray(x), jnp.asarray(w))) / 2


def by_drift(x, w):
    """f = (g - 1/2) x for a source that stands for its mirror image too; g is read off the largest site."""
    value = jax.jit(lambda point, w: drift(Given(len(point), jnp.tile(point, (BLOCK, 1))), w, key=KEY, samples=BLOCK))
    sites = np.argmax(abs(x), axis=1)
    return [value(point, w)[:, site] / point[site] + 0.5 for point, site in zip(x, sites, strict=True)]


def by_stability(x, w):
    """How near the gate is to one that is open for sure: that of the direction of the input itself."""
    same = jax.jit(lambda point, w: gate_stability(w, point[None], Given(len(point), point[None]), key=KEY, samples=2))
    return [same(point, w) for point in x]


PATHS = {"gates": by_gates, "fixed samples": by_fixed_samples, "drift": by_drift, "stability": by_stability}
CORNERS = hypercube.corners(4)
CASES = {
    "equal weights": (CORNERS, [1.0, 1.0, 1.0, 1.0], (1 + np.sign(CORNERS.sum(1))) / 2),
    "rounded weights": ([[1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [-1.0, -1.0, -1.0]], [0.1, 0.2, -0.3], [0.5, 1.0, 0.5]),
    "rounded inputs": ([[0.1, 0.2, -0.3], [0.1, 0.2, -0.2]], [1.0, 1.0, 1.0], [0.5, 1.0]),
}


@pytest.mark.costly
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_exact_ties_are_one_half(path, case, kind):
    x, w, expected = CASES[case]
    with jax.enable_x64(kind is np.float64):
        found = np.asarray(PATHS[path](np.asarray(x, kind), np.asarray([w], kind)))
    assert found.dtype == kind
    np.testing.assert_allclose(found[:, 0], expected, atol=1e-3)  # a drift in float32 is off by 1e-5


@pytest.mark.parametrize("w", [np.ones(4), np.array([0.1, 0.2, -0.3])], ids=["equal", "rounded"])
@pytest.mark.parametrize("wide", [False, True], ids=["float32", "float64"])
def test_sums_over_the_cube_count_ties_one_half(w, wide):
    """By enumeration with sums rounded to five digits."""
    x = hypercube.corners(len(w))
    gate = (1 + np.sign(np.round(x @ w, 5))) / 2
    site = np.argmax(abs(w))
    with jax.enable_x64(wide):
        walsh, f, heads = jax.jit(
            lambda w: (hypercube.walsh(w), hypercube.drift(w, np.eye(len(w))), hypercube.head_errors(w, x))
        )(jnp.asarray(w))
    assert float(walsh[0]) == pytest.approx(gate.mean(), abs=1e-7)
    np.testing.assert_allclose(f, gate @ x / len(x), atol=1e-6)
    assert float(heads[0]) == pytest.approx(np.mean(abs(gate - (x[:, site] * w[site] > 0))), abs=1e-7)


def test_no_gaussian_input_is_called_a_tie():
    """On 80,000 inputs in float64 every path agrees with plain signs, none of which is zero."""
    rng = np.random.default_rng(0)
    x, W = rng.normal(size=(20 * BLOCK, 12)), rng.normal(size=(2, 12))
    signs = np.sign(x @ W.T)
    assert signs.all()
    with jax.enable_x64(True):
        np.testing.assert_array_equal(by_gates(x, W), (1 + signs) / 2)
        np.testing.assert_array_equal(by_fixed_samples(x, W), (1 + signs) / 2)
        np.testing.assert_array_equal(ties.side(jnp.asarray(x), jnp.asarray(W)), signs)
        order = np.argsort(-abs(W[0]))
        heads = np.sign(np.cumsum(x[:, order] * W[0][order], axis=1))
        np.testing.assert_allclose(hypercube.head_errors(W[0], x), np.mean(heads != heads[:, -1:], axis=0), atol=1e-12)
        for part, sign in zip(np.split(x, 20), np.split(signs, 20), strict=True):
            found = drift(Given(12, part), W, key=KEY, samples=BLOCK)
            np.testing.assert_allclose(found, 0.5 * sign.T @ part / BLOCK, atol=1e-9)
            share = gate_stability(W[0], W[1], Given(12, part), key=KEY, samples=BLOCK)
            assert float(share) == pytest.approx(np.mean(sign[:, 0] == sign[:, 1]), abs=1e-12)


def test_a_threshold_moves_the_edge_and_widens_it():
    x = jnp.array([[1e6, 1.0], [1e6, 1.5], [-1e6, 1.0]], jnp.float32)
    assert ties.opened(x, jnp.array([[1.0, 0.0]], jnp.float32), jnp.array([1e6], jnp.float32))[:, 0].tolist() == [0.5, 0.5, 0.0]
    near = jnp.array([[0.1 + 1e-9]], jnp.float32)
    assert ties.opened(near, jnp.ones((1, 1), jnp.float32), jnp.array([0.1], jnp.float32)).tolist() == [[0.5]]
