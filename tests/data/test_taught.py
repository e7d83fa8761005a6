"""Tasks with a teacher: whose inputs, whose labels, how much noise, and bad input."""

import equinox as eqx
import jax
import numpy as np
import pytest

from gatefield import Committee, Task, train
from gatefield.core.runs import run_count
from gatefield.core.tracing.identity import fingerprint
from gatefield.data import Gaussian, NonlinearGP, Taught
from gatefield.dynamics.train.describe import describe

KEY = jax.random.key(0)
PAIR = Task(Gaussian(6, 2.0), Gaussian(6, 1.0))
TEACHER = Committee(6, 3, bias=True, bias_init=[0.1, -0.2, 0.3], key=jax.random.key(5))


def mean_relu(fields, x):
    return np.maximum(np.einsum("...kn,...sn->...ks", fields, x), 0).mean(-2)


@pytest.mark.parametrize("sources", [Gaussian(6, 2.0), PAIR], ids=["source", "task"])
def test_labels_are_the_teachers(sources):
    x, y = Taught(sources, Committee(6, 3, init=TEACHER.weights)).sample(KEY, 8)
    np.testing.assert_allclose(y, mean_relu(TEACHER.weights, x), rtol=1e-5)
    assert np.abs(x).max() > 0.5


def test_inputs_are_those_of_the_sources():
    """Half the samples of a task come from each source: their lag-one correlations are exp(-1/xi^2), summed over wraps."""
    x, _ = Taught(Task(Gaussian(40, 2.0), Gaussian(40, 1.0)), lambda x: x[:, 0]).sample(KEY, 4_000)
    for half, xi in zip(np.split(np.asarray(x), 2), (2.0, 1.0), strict=True):
        lagged = half * np.roll(half, 1, axis=1)
        assert abs(lagged.mean() - np.exp(-1 / xi**2)) < 5 * lagged.mean(1).std() / np.sqrt(len(half))


def test_noise_has_its_deviation():
    _, y = Taught(PAIR, lambda x: 0 * x[:, 0], noise=0.3).sample(KEY, 20_000)
    assert abs(np.std(y) - 0.3) < 5 * 0.3 / np.sqrt(2 * 20_000)
    assert abs(np.mean(y)) < 5 * 0.3 / np.sqrt(20_000)


def test_noise_knows_nothing_of_the_inputs():
    """Of independent sites, all of which are random numbers of the same kind as the noise."""
    x, y = Taught(Gaussian(1, 0.01), lambda x: 0 * x[:, 0], noise=1.0).sample(KEY, 20_000)
    assert abs(np.corrcoef(x[:, 0], y)[0, 1]) < 5 / np.sqrt(20_000)


def test_a_run_axis_in_teacher_source_and_noise():
    fields = np.random.default_rng(0).normal(size=(3, 2, 6))
    task = Taught(NonlinearGP(6, 2.0, [0.0, 1.0, np.inf]), Committee(6, 2, init=fields), noise=[0.0, 0.0, 0.5])
    assert run_count(task) == 3
    x, y = task.sample(KEY, 5)
    clean = mean_relu(fields, x)
    np.testing.assert_allclose(y[:2], clean[:2], rtol=1e-4, atol=1e-5)
    assert np.abs(y[2] - clean[2]).min() > 1e-4


def test_arrays_of_other_modules_are_not_taken_for_runs():
    mlp = eqx.nn.MLP(6, "scalar", 4, 1, key=KEY)

    class Many(eqx.Module):
        one: eqx.nn.MLP

        def __call__(self, x):
            return jax.vmap(self.one)(x)

    x, y = Taught(PAIR, Many(mlp)).sample(KEY, 5)
    np.testing.assert_allclose(y, [mlp(row) for row in x], rtol=1e-5)


def test_a_student_that_is_the_teacher_has_nothing_to_learn():
    task = Taught(PAIR, TEACHER)
    settings = {"steps": 4, "batch_size": 16, "learning_rate": 0.1, "record_every": 2, "key": KEY}
    record = train(TEACHER, task, **settings).record
    assert float(record.loss.max()) < 1e-10
    np.testing.assert_allclose(record.fields[0, -1], TEACHER.weights, atol=1e-5)
    assert '"class": "Taught"' in record.attrs["task"]


def test_words_and_fingerprint_tell_teachers_apart():
    other = eqx.tree_at(lambda net: net.weights, TEACHER, TEACHER.weights + 1e-3)
    assert '"teacher": {"class": "Committee"' in describe(Taught(PAIR, TEACHER))
    assert fingerprint(Taught(PAIR, TEACHER)) == fingerprint(Taught(PAIR, TEACHER))
    marks = [fingerprint(Taught(PAIR, t)) for t in (TEACHER, other, lambda x: x[:, 0], lambda x: x[:, 1])]
    modules = [eqx.nn.Linear(6, "scalar", key=jax.random.key(i)) for i in range(2)]
    marks += [fingerprint(Taught(PAIR, lambda x, m=m: jax.vmap(m)(x))) for m in modules]
    assert len(set(marks)) == 6


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"sources": 3}, r"sources must be a source or a Task of two, such as Gaussian\(40, xi=2\.0\), but is 3\."),
        ({"teacher": "relu"}, r"teacher must be a function of inputs, such as a Committee, but is 'relu'\."),
        (
            {"teacher": Committee(5, 2, key=KEY)},
            r"The teacher must take inputs of 6 sites, shape \(samples, 6\), but fails: .*\.",
        ),
        (
            {"teacher": lambda x: x},
            r"The teacher must give one label for each sample, but gives shape \(6,\) for 2 samples\.",
        ),
        ({"noise": -0.1}, r"noise must be zero or more and finite, but is -0\.1; write for instance noise=2\."),
    ],
)
def test_bad_input_is_one_sentence(change, text):
    arguments = {"sources": PAIR, "teacher": TEACHER, "noise": 0.0, **change}
    with pytest.raises(ValueError, match=f"^{text}$"):
        Taught(arguments["sources"], arguments["teacher"], noise=arguments["noise"])


def test_labels_are_any_numbers():
    assert Taught(PAIR, lambda x: x[:, 0]).labels is None
