"""Batches of pairs x, -x: the pairs, the law of what is even, the mean of gradients, and what is refused."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import Committee, Task, train
from gatefield.core.errors import UserError
from gatefield.data import Gaussian, GaussianClone, Hypercube, NonlinearGP, SinglePulse, Taught

KEY = jax.random.key(3)
N = 6


def task(**options):
    return Task(NonlinearGP(N, 2.0, 3.0), NonlinearGP(N, 1.0, 3.0), **({"antithetic": True} | options))


def test_samples_of_a_class_come_in_pairs():
    x, y = task().sample(KEY, 40)
    np.testing.assert_array_equal(y, np.repeat([1.0, 0.0], 20))
    for part in (x[:20], x[20:]):
        np.testing.assert_array_equal(part[10:], -part[:10])
        assert len(np.unique(np.abs(part), axis=0)) == 10
    assert not np.array_equal(x[:10], x[20:30])


def test_odd_moments_are_exactly_zero():
    x, _ = task(proportion=0.25).sample(KEY, 80)
    for part in np.split(np.asarray(x, float), [20]):
        first, second = np.split(part, 2)
        for power in (1, 3, 5):
            here, there = (np.prod([half] * power, axis=0) for half in (first, second))  # NumPy's ** may round each its own way
            assert (np.sum(here + there, axis=0) == 0).all()


@pytest.mark.parametrize(("size", "share", "alone"), [(7, 0.5, 2), (6, 0.5, 2), (9, 0.3, 3), (1, 0.5, 1)])
def test_odd_shares_leave_few_without_partner(size, share, alone):
    x, y = task(proportion=share).sample(KEY, size)
    assert (x.shape, y.shape) == ((size, N), (size,))
    partners = [any((row == -other).all() for other in x[y == label]) for row, label in zip(x, y, strict=True)]
    assert size - sum(partners) <= alone


def test_even_moments_are_those_of_the_source():
    """The covariance of many pairs, within five standard errors of half as many samples."""
    x = np.asarray(task().sample(KEY, 200_000)[0][:100_000], float)
    products = x[:50_000, :, None] * x[:50_000, None, :]
    error = products.std(0) / np.sqrt(50_000)
    assert (np.abs(products.mean(0) - NonlinearGP(N, 2.0, 3.0).covariance()) <= 5 * error + 1e-6).all()
    np.testing.assert_allclose(x.T @ x / len(x), products.mean(0), atol=1e-12)


def test_gradients_have_the_right_mean():
    r"""That of one open unit on Gaussian data, $Cw/2 - y\,Cw/\sqrt{2\pi w'Cw}$ for each class."""
    sources, labels = (Gaussian(N, 2.0), Gaussian(N, 1.0)), (1.0, -0.5)
    w = np.linspace(-1, 1, N) + 0.3
    expected = np.zeros(N)
    for source, label in zip(sources, labels, strict=True):
        product = source.covariance() @ w
        expected += 0.5 * (product / 2 - label * product / np.sqrt(2 * np.pi * w @ product))
    draw = Task(*sources, labels, antithetic=True).sampler()

    def loss(w, x, y):
        return 0.5 * jnp.mean((jax.nn.relu(x @ w) - y) ** 2)

    keys = jax.random.split(KEY, 4000)
    found = np.asarray(jax.vmap(lambda key: jax.grad(loss)(jnp.asarray(w, jnp.float32), *draw(key, 64)))(keys), float)
    assert (np.abs(found.mean(0) - expected) < 5 * found.std(0) / np.sqrt(len(keys))).all()
    assert (found.std(0) / np.sqrt(len(keys)) < 0.01 * np.abs(expected).max()).all()


def test_trainings_say_so():
    options = {"steps": 4, "batch_size": 20, "learning_rate": 0.05, "key": KEY}
    net = Committee(N, 2, key=KEY)
    plain, pairs = (train(net, task(antithetic=choice), **options).record for choice in (False, True))
    assert '"antithetic": true' in pairs.task
    assert '"antithetic": false' in plain.task
    assert plain.fingerprint != pairs.fingerprint
    assert not np.array_equal(plain.fields[0, -1], pairs.fields[0, -1])


def test_teachers_and_other_symmetric_sources():
    both = Task(Hypercube(N, 2.0), GaussianClone(NonlinearGP(N, 1.0, 3.0)), antithetic=True)
    x, _ = Taught(both, Committee(N, 2, key=KEY)).sample(KEY, 8)
    np.testing.assert_array_equal(x[2:4], -x[:2])
    np.testing.assert_array_equal(x[6:], -x[4:6])


def test_what_is_refused():
    with pytest.raises(
        UserError, match=r"symmetric sources, of which x and -x have one law, but SinglePulse\(.*leave antithetic out"
    ):
        Task(SinglePulse(N, (1, 2)), Gaussian(N, 1.0), antithetic=True)
    with pytest.raises(UserError, match="needs stratified=True"):
        task(stratified=False)
