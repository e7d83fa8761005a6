"""Tasks: who is drawn, in what order, with which label."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield.core.runs import run_count
from gatefield.data import Gaussian, NonlinearGP, Source, Task


class Constant(Source):
    """A source whose samples tell where they come from."""

    n: int = eqx.field(static=True)
    value: float = eqx.field(static=True)

    def sampler(self):
        return lambda key, size: jnp.full((size, self.n), self.value)

    def _covariance(self):
        return jnp.zeros((self.n, self.n))


POSITIVE, NEGATIVE = Constant(6, 1.0), Constant(6, -1.0)


def classes(x):
    return np.asarray(x)[..., 0] == 1


@pytest.mark.parametrize(
    ("size", "proportion", "share"), [(4, 0.5, 2), (10, 0.9, 9), (10, 0.1, 1), (10, 0.3, 3), (1000, 0.7, 700), (3, 1 / 3, 1)]
)
def test_stratified_shares_are_exact(size, proportion, share):
    x, y = Task(POSITIVE, NEGATIVE, proportion=proportion).sample(jax.random.key(0), size)
    assert (x.shape, y.shape, x.dtype, y.dtype) == ((size, 6), (size,), np.float32, np.float32)
    np.testing.assert_array_equal(y, np.arange(size) < share)
    np.testing.assert_array_equal(classes(x), np.arange(size) < share)


@pytest.mark.parametrize(("size", "proportion", "low"), [(5, 0.5, 2), (1, 0.5, 0), (10, 0.25, 2), (10, 0.77, 7)])
def test_the_class_of_a_sample_left_over_is_drawn(size, proportion, low):
    task, runs = Task(POSITIVE, NEGATIVE, labels=(2.0, -1.0), proportion=proportion), 2000
    x, y = jax.jit(jax.vmap(lambda key: task.sample(key, size)))(jax.random.split(jax.random.key(0), runs))
    positive = classes(x)
    np.testing.assert_array_equal(np.asarray(y), np.where(positive, 2.0, -1.0))
    counts = positive.sum(axis=1)
    assert set(counts) == {low, low + 1}
    np.testing.assert_array_equal(positive, np.arange(size) < counts[:, None])
    chance = proportion * size - low
    assert abs(counts.mean() - proportion * size) < 5 * np.sqrt(chance * (1 - chance) / runs)


@pytest.mark.parametrize("proportion", [0.5, 0.3])
def test_all_samples_of_a_batch_are_distinct(proportion):
    """Also where one is left over, whichever class it falls to."""
    task, heads = Task(Gaussian(6, 2.0), Gaussian(6, 1.0), proportion=proportion), set()
    for seed in range(12):
        x, y = task.sample(jax.random.key(seed), 9)
        assert len({tuple(row) for row in np.asarray(x)}) == 9
        heads.add(int(np.sum(y)))
    assert len(heads) == 2


def test_independent_classes():
    size = 20_000
    x, y = Task(POSITIVE, NEGATIVE, labels=(1.0, -1.0), proportion=0.3, stratified=False).sample(jax.random.key(0), size)
    np.testing.assert_array_equal(np.asarray(y) == 1, classes(x))
    assert abs(classes(x).mean() - 0.3) < 5 * np.sqrt(0.21 / size)
    assert np.asarray(y)[: size // 2].mean() == pytest.approx(-0.4, abs=0.05)


@pytest.mark.parametrize("stratified", [True, False])
def test_same_key_same_batch(stratified):
    task = Task(Gaussian(6, 2.0), Gaussian(6, 1.0), stratified=stratified)
    first, again = (task.sample(jax.random.key(3), 9) for _ in range(2))
    np.testing.assert_array_equal(first[0], again[0])
    np.testing.assert_array_equal(first[0], task.sampler()(jax.random.key(3), 9)[0])
    x, y = jax.jit(lambda t, key: t.sample(key, 9))(task, jax.random.key(3))
    np.testing.assert_allclose(x, first[0], rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(y, first[1])


def test_classes_are_drawn_independently():
    x, _ = Task(Gaussian(6, 2.0), Gaussian(6, 2.0)).sample(jax.random.key(0), 8)
    assert np.abs(x[:4] - x[4:]).min() > 0


def test_a_run_axis_in_sources_and_labels():
    task = Task(NonlinearGP(6, 2.0, [0.0, 1.0, np.inf]), Gaussian(6, 1.0), labels=(1.0, [0.0, -1.0, -2.0]))
    assert run_count(task) == 3
    x, y = task.sample(jax.random.key(0), 4)
    assert (x.shape, y.shape) == ((3, 4, 6), (3, 4))
    np.testing.assert_array_equal(y, [[1, 1, 0, 0], [1, 1, -1, -1], [1, 1, -2, -2]])


def test_labels_and_sites():
    task = Task(POSITIVE, NEGATIVE, labels=(1, -1))
    assert task.n == 6
    np.testing.assert_array_equal(task.labels, (1.0, -1.0))
    with jax.enable_x64(True):
        assert task.sample(jax.random.key(0), 2)[1].dtype == jnp.float64


@pytest.mark.parametrize("value", [0, 1, 1.5, float("nan")])
def test_error_of_the_proportion(value):
    with pytest.raises(
        ValueError, match=rf"proportion must be strictly between 0 and 1, but is {value:g}; write for instance proportion=0.5\."
    ):
        Task(POSITIVE, NEGATIVE, proportion=value)


@pytest.mark.wrong_types
def test_errors():
    wrong: Any = 3
    with pytest.raises(ValueError, match=r"must have the same number of sites, but have 6 and 5; give both the same n\."):
        Task(POSITIVE, Gaussian(5, 1.0))
    with pytest.raises(ValueError, match=r"negative must be a source, such as Gaussian\(40, xi=2\.0\), but is 3\."):
        Task(POSITIVE, wrong)
    with pytest.raises(ValueError, match=r"labels must be a pair \(y1, y0\), such as \(1\.0, 0\.0\), but is 3\."):
        Task(POSITIVE, NEGATIVE, labels=wrong)
    with pytest.raises(ValueError, match=r"each of the labels must be finite, but is inf; 2 would do\."):
        Task(POSITIVE, NEGATIVE, labels=(1.0, np.inf))
    with pytest.raises(
        ValueError, match=r"size must be a whole number of at least 1, but is -2; write for instance size=100\."
    ):
        Task(POSITIVE, NEGATIVE).sample(jax.random.key(0), -2)
