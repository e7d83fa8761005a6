"""A source of a user's own, defined here by public names alone: it works everywhere, and gets what it says it is."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import Committee, Task, UserError, leaf, train
from gatefield.core import checks
from gatefield.data import Gaussian, GaussianClone, Source, Support, Taught
from gatefield.gates import half_spaces
from gatefield.measures import gate_stability
from gatefield.theory import drift, gated_linear

KEY = jax.random.key(0)
W = np.array([1.0, -0.6, 0.3])
POINTS = np.array([[1.0, 2.0, 0.0], [0.5, -1.0, 1.0], [-1.0, 0.5, 0.5]])


class Three(Source):
    """One of three points, turned round with probability one half: says nothing of itself."""

    n: int = eqx.field(static=True)
    points: np.ndarray = leaf(2)

    def __init__(self, points=POINTS):
        self.points = checks.finite("points", points)
        self.n = np.shape(points)[-1]

    def sampler(self):
        points = jnp.asarray(self.points, float)

        def draw(key, size):
            which, turn = jax.random.split(key)
            return points[jax.random.randint(which, (size,), 0, 3)] * jax.random.rademacher(turn, (size, 1), points.dtype)

        return draw

    def _covariance(self):
        points = jnp.asarray(self.points, float)
        return jnp.matmul(points.T, points, precision="highest") / 3


class SymmetricThree(Three):
    symmetric = True


class ListedThree(SymmetricThree):
    def _support(self):
        points = jnp.asarray(self.points, float)
        return Support(jnp.concatenate([points, -points]), jnp.full(6, 1 / 6))


class Line(Source):
    """A Gaussian about a mean of the user's choice."""

    n: int = eqx.field(static=True)
    centre: np.ndarray = leaf(1)
    gaussian = True

    def __init__(self, centre):
        self.centre = checks.finite("centre", centre)
        self.n = np.shape(centre)[-1]

    def sampler(self):
        return lambda key, size: jnp.asarray(self.centre, float) + jax.random.normal(key, (size, self.n))

    def _covariance(self):
        return jnp.eye(self.n)

    def _mean(self):
        return jnp.asarray(self.centre, float)


class CentredLine(Line):
    symmetric = True


def enumerated(w, points=POINTS):
    x = np.concatenate([points, -points])
    return ((x @ w > 0)[:, None] * x).mean(0)


def test_a_source_that_says_nothing_is_sampled():
    found = drift(Three(), W, key=KEY, samples=40_000, with_error=True)
    assert found.method == "sampled"
    assert found.agrees(enumerated(W)).all()
    with pytest.raises(UserError, match=r"The drift of this Three is sampled; give a key"):
        drift(Three(), W)
    with pytest.raises(UserError, match=r"'exact' does not apply to this Three of 3 sites and this w; use 'sampled'\."):
        drift(Three(), W, method="exact")
    with pytest.raises(UserError, match=r"The gates on Three inputs must be sampled"):
        gate_stability(W, W, Three())
    found = gate_stability(W, np.eye(3)[0], Three(), key=KEY, samples=40_000, with_error=True)
    same = np.mean((POINTS @ W > 0) == (POINTS[:, 0] > 0))
    assert abs(found.value - same) < 5 * found.error
    assert 0 < same < 1


def test_runs_of_a_users_parameter_come_first():
    many = Three(np.stack([POINTS, 2 * POINTS]))
    assert many.covariance().shape == (2, 3, 3)
    found = drift(many, W, key=KEY, samples=4096)
    np.testing.assert_allclose(found[1], 2 * found[0], rtol=1e-9)


def test_moments_of_gates_on_a_users_source():
    """Sampled as they come; of a symmetric source with both signs of each sample, so that opposite gates see the same."""
    gates = half_spaces([W, -W])
    task = Task(Three(), Three(POINTS[::-1]))
    found = gated_linear.statistics(gates, task, key=KEY, samples=20_000)
    expected = np.zeros((6, 6))
    expected[:3, :3] = expected[3:, 3:] = Three().covariance() / 2
    np.testing.assert_allclose(found[0], expected, atol=0.03)
    assert np.abs(found[0][:3, :3] - found[0][3:, 3:]).max() > 1e-4
    mirrored = gated_linear.statistics(gates, Task(SymmetricThree(), SymmetricThree()), key=KEY, samples=20_000)[0]
    np.testing.assert_allclose(mirrored[:3, :3], mirrored[3:, 3:], atol=1e-12)
    np.testing.assert_allclose(mirrored, expected, atol=0.03)
    with pytest.raises(UserError, match="Three data are not known to be symmetric about 0"):
        gated_linear.statistics(gates, task, method="closed")


def test_the_search_for_gates_takes_what_is_symmetric():
    how = {"key": KEY, "starts": 1, "steps": 5, "tries": 1, "samples": 200}
    with pytest.raises(UserError, match="data symmetric about 0, which Three data are not known to be"):
        gated_linear.best_half_spaces(Task(Three(), Three()), 1, **how)
    task = Task(SymmetricThree(), SymmetricThree(0.5 * POINTS))
    assert gated_linear.best_half_spaces(task, 1, **how).explained > 0


def test_a_finite_law_is_summed():
    found = drift(ListedThree(), np.stack([W, -W, np.eye(3)[0]]), with_error=True)
    assert found.method == "exact"
    np.testing.assert_allclose(found.value, [enumerated(W), enumerated(-W), enumerated(np.eye(3)[0])], atol=1e-15)
    runs = drift(ListedThree(np.stack([POINTS, 3 * POINTS])), W)
    np.testing.assert_allclose(runs, [enumerated(W), 3 * enumerated(W)], atol=1e-14)


def test_a_gaussian_law_has_closed_forms():
    centre = np.array([0.3, 0.0, -1.0])
    found = drift(Line(centre), W, with_error=True)
    assert found.method == "closed"
    x = centre + np.random.default_rng(0).normal(size=(400_000, 3))
    opened = (x @ W > 0)[:, None] * x
    assert (abs(found.value - opened.mean(0)) < 5 * opened.std(0) / np.sqrt(len(x))).all()
    centred = CentredLine(np.zeros(3))
    np.testing.assert_allclose(drift(centred, W), W / np.sqrt(2 * np.pi) / np.linalg.norm(W), rtol=1e-12)
    v = np.array([0.2, 1.0, -0.5])
    angle = np.arccos(W @ v / np.linalg.norm(W) / np.linalg.norm(v))
    assert float(gate_stability(W, v, centred)) == pytest.approx(1 - angle / np.pi, abs=1e-12)
    A, b, _ = gated_linear.statistics(half_spaces([W, v]), Task(centred, centred), method="closed")
    np.testing.assert_allclose(A[:3, :3], np.eye(3) / 2, atol=1e-12)
    np.testing.assert_allclose(b[:3], drift(centred, W) / 2, atol=1e-12)


def test_tasks_clones_and_training_take_it():
    clone = GaussianClone(Three())
    np.testing.assert_allclose(clone.covariance(), Three().covariance(), atol=1e-15)
    task = Task(Three(), Gaussian(3, 1.0))
    start = Committee(3, 2, init_scale=4.0, key=KEY)  # so bad that the loss falls by far more than its noise on a batch
    net, record = train(start, task, steps=30, batch_size=500, learning_rate=0.1, key=KEY)
    assert float(record.loss[0, -1]) < 0.7 * float(record.loss[0, 0])
    x, y = Taught(Three(), net).sample(KEY, 5)
    assert (x.shape, y.shape) == ((5, 3), (5,))


def test_it_is_shown_by_its_parameters():
    assert repr(Line(np.zeros(3))) == "Line(centre=[0.0, 0.0, 0.0])"
    assert repr(Task(Line([0.0]), Line([1.0]))) == "Task(positive=Line(centre=[0.0]), negative=Line(centre=[1.0]))"
