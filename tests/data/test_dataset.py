"""Data sets as tasks: batches, what is measured, trainings against plain gradient descent, and bad input."""

import io
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special
import xarray as xr

from gatefield import Committee, DeepGated, Interrupted, Task, UserError, train
from gatefield.data import Dataset, Gaussian
from gatefield.dynamics.train.losses import get_loss
from gatefield.lab import ZarrRecorder

KEY = jax.random.key(3)
RNG = np.random.default_rng(0)
X, VALUES = RNG.normal(size=(10, 3)), np.where(RNG.random(10) < 0.5, 1.0, -1.0)
CLASSES = RNG.integers(0, 3, 10)
NUMBERED = Dataset(np.arange(10.0)[:, None], np.arange(10.0))


def numbers(task, size, steps):
    """Which samples the batches hold, step after step, as a training takes them; the last one as `batch` makes it alone."""
    stream = task.stream(KEY, size)

    def take(memory, step):
        (x, y), memory = stream.take(step, memory)
        return memory, (x[:, 0], y)

    x, y = jax.lax.scan(take, stream.start(jnp.int32(0)), jnp.arange(steps))[1]
    np.testing.assert_array_equal(x, y)
    np.testing.assert_array_equal(task.batch(KEY, steps - 1, size)[1], y[-1])
    return np.ravel(y)


@pytest.mark.parametrize("size", [7])
def test_each_epoch_visits_every_sample_once(size):
    """Also if batches do not fit into an epoch."""
    epochs = numbers(NUMBERED, size, 30 // size + 1)[:30].reshape(3, 10)
    np.testing.assert_array_equal(np.sort(epochs), np.tile(np.arange(10.0), (3, 1)))
    assert len({tuple(epoch) for epoch in epochs}) == 3


@pytest.mark.parametrize("size", [None, 10])
def test_the_whole_set_comes_in_order(size):
    np.testing.assert_array_equal(numbers(NUMBERED, size, 2), np.tile(np.arange(10.0), 2))


def test_draws_with_replacement_are_uniform():
    y = np.asarray(Dataset(NUMBERED.x, NUMBERED.y, batches="replacement").batch(KEY, 5, 10_000)[1])
    counts = np.bincount(y.astype(int), minlength=10)
    assert np.abs(counts - 1000).max() < 5 * np.sqrt(900)


def descend(net, x, y, rate, steps, slope):
    """Gradient descent on a linear network of two layers, in float64; `slope(outputs, y)` is dL/d(outputs)."""
    first, second = (np.asarray(w, float) for w in net.weights)
    for _ in range(steps):
        s = slope(x @ first @ second, y)
        first, second = first - rate * x.T @ s @ second.T, second - rate * (x @ first).T @ s
    return x @ first @ second


def squares(outputs, y):
    return 0.5 * ((outputs - (y[:, None] if outputs.shape[1] == 1 else np.eye(3)[y])) ** 2).sum()


def logs(outputs, y):
    return -np.log(scipy.special.softmax(outputs, axis=1)[np.arange(len(y)), y]).mean()


CASES = {
    ("sse", 1): (0.02, squares, lambda o, y: o - y[:, None]),
    ("cross-entropy", 3): (0.2, logs, lambda o, y: (scipy.special.softmax(o, axis=1) - np.eye(3)[y]) / len(y)),
}


@pytest.mark.parametrize(("loss", "outputs"), CASES)
def test_full_batches_are_gradient_descent(loss, outputs):
    rate, value, slope = CASES[loss, outputs]
    y = VALUES if outputs == 1 else CLASSES
    net = DeepGated(3, [4], gating="linear", outputs=outputs, key=KEY)
    settings = {"steps": 5, "batch_size": "all", "learning_rate": rate, "loss": loss, "key": KEY, "record_every": 5}
    trained, record = train(net, Dataset(X, y), **settings)
    outcome = descend(net, X, y, rate, 5, slope)
    end = trained(jnp.asarray(X, jnp.float32))
    np.testing.assert_allclose(np.reshape(end, outcome.shape), outcome, rtol=1e-4, atol=1e-5)
    right = np.sign(outcome[:, 0]) == y if outputs == 1 else outcome.argmax(1) == y
    assert float(record.train_accuracy[0, -1]) == pytest.approx(right.mean())
    assert float(record.loss[0, -1]) == pytest.approx(value(outcome, y), rel=1e-4)
    assert record.attrs["batch_size"] == "all"


def test_squared_losses_are_sums_over_classes():
    outputs = RNG.normal(size=(10, 3))
    for y, o in [(CLASSES, outputs), (VALUES, outputs[:, :1])]:
        given = jnp.asarray(o if o.shape[1] > 1 else o[:, 0], jnp.float32)
        for name, count in [("mse", 10), ("sse", 1)]:
            found = get_loss(name, None, o.shape[1])(given, jnp.asarray(y))
            assert float(found) == pytest.approx(squares(o, y) / count, rel=1e-5)


@pytest.mark.parametrize("gating", ["free", "gates-only"])
def test_short_trainings_lower_the_loss_and_keep_what_is_frozen(gating):
    """Two seeds side by side, each with labels of its own."""
    extra = {"samples": 10} if gating == "free" else {}
    net = DeepGated(3, [16, 16], gating=gating, key=jax.random.split(KEY, 2), **extra)
    size = "all" if gating == "free" else 4
    task = Dataset(X, np.stack([VALUES, VALUES[::-1]]), test=None if gating == "free" else (X[:4], VALUES[:4]))
    record = train(
        net, task, steps=60, batch_size=size, learning_rate=0.01, optimizer="adam", loss="mse", key=KEY, record_every=20
    ).record
    assert (record.loss[:, -1] < record.loss[:, 0]).all()
    assert (record.status == 0).all()
    assert "fields" not in record
    assert ("test_accuracy" in record) == (gating != "free")
    moved = {name: bool((record[name][:, -1] != record[name][:, 0]).all()) for name in record if name.endswith("_norm")}
    expected = {"weight_norm": gating != "gates-only", "gating_norm": gating in ("soft-galu", "gates-only")}
    assert moved == {name: expected[name] for name in moved}


def test_chunks_and_stores_do_not_change_a_bit(tmp_path):
    """And the trained network comes again from a store in which the training is finished."""
    net = DeepGated(3, [4], gating="relu", key=KEY)
    settings = {"steps": 20, "batch_size": 4, "learning_rate": 0.1, "record_every": 2, "key": KEY}
    recorders = [None, None, ZarrRecorder(tmp_path / "run"), ZarrRecorder(tmp_path / "run")]
    whole, *others = (
        train(net, Dataset(X, CLASSES * 1.0), chunk=chunk, recorder=recorder, **settings)
        for chunk, recorder in zip([None, 3, 3, 3], recorders, strict=True)
    )
    for other in others:
        np.testing.assert_array_equal(whole.record.loss, other.record.loss)
        assert all(map(np.array_equal, jax.tree.leaves(whole.net), jax.tree.leaves(other.net)))
    assert "train_accuracy" not in whole.record
    settings |= {"keep_network": False, "chunk": 3}
    for _ in range(2):  # trained, then found finished
        small = train(net, Dataset(X, CLASSES * 1.0), recorder=ZarrRecorder(tmp_path / "small"), **settings)
        np.testing.assert_array_equal(whole.record.loss, small.record.loss)
        assert small.net is None
    with pytest.raises(UserError, match="The trained network is not in this record, which was made with keep_network=False"):
        train(net, Dataset(X, CLASSES * 1.0), recorder=ZarrRecorder(tmp_path / "small"), **settings | {"keep_network": True})


def test_a_training_whose_network_is_not_kept_goes_on_after_a_stop(tmp_path):
    """Its commits hold the state up to the last but one, or there would be nothing to go on from."""
    net = DeepGated(3, [4], gating="relu", key=KEY)
    settings = {
        "steps": 12,
        "batch_size": 4,
        "learning_rate": 0.1,
        "record_every": 2,
        "key": KEY,
        "keep_network": False,
        "chunk": 3,
    }

    def stop(step, steps):
        if step >= 4:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted):
        train(net, Dataset(X, VALUES), recorder=ZarrRecorder(tmp_path), progress=stop, **settings)
    again = train(net, Dataset(X, VALUES), recorder=ZarrRecorder(tmp_path), **settings).record
    np.testing.assert_array_equal(again.loss, train(net, Dataset(X, VALUES), **settings).record.loss)


def test_blocks_measure_the_whole_set():
    net = DeepGated(3, [4], gating="relu", outputs=3, key=KEY)
    blocks, whole = (Dataset(X, CLASSES, test=(X[:7], CLASSES[:7]), block=block).measures(net) for block in (3, 100))
    expected = np.mean(np.asarray(net(X.astype(np.float32))).argmax(1) == CLASSES)
    assert float(blocks["train_accuracy"]) == pytest.approx(expected)
    assert {k: float(v) for k, v in blocks.items()} == pytest.approx({k: float(v) for k, v in whole.items()})


def test_only_the_first_samples_are_evaluated_if_so_asked():
    net = DeepGated(3, [4], gating="linear", key=KEY)
    whole, some = (Dataset(X, VALUES, test=(X, VALUES), evaluated=n).measures(net, get_loss("mse", None)) for n in (None, 4))
    errors = 0.5 * (np.asarray(net(jnp.asarray(X, float))) - VALUES) ** 2
    np.testing.assert_allclose([whole["loss"], some["loss"]], [errors.mean(), errors[:4].mean()], rtol=1e-5)
    assert some["test_loss"] == whole["test_loss"]


@pytest.mark.parametrize(("loss", "threshold"), [("mse", 0.5), ("cross-entropy", 0.0)])
def test_a_single_output_decides_by_the_smaller_loss(loss, threshold):
    y = (VALUES > 0) * 1.0
    net = Committee(3, 1, activation="linear", init=[[1.0, 0.0, 0.0]])
    accuracy = Dataset(X, y).measures(net, get_loss(loss, (1.0, 0.0)))["train_accuracy"]
    assert float(accuracy) == pytest.approx(np.mean((X[:, 0] > threshold) == (y == 1)))


def test_an_output_half_way_between_both_labels_is_not_right():
    silent = Committee(X.shape[1], 1, init=np.zeros((1, X.shape[1])))
    both = np.tile([1.0, -1.0], len(X))[: len(X)]
    assert float(Dataset(X, both).measures(silent, get_loss("mse", (1.0, -1.0)))["train_accuracy"]) == 0.0


def test_sets_are_data_and_not_part_of_the_program():
    """The same program serves another set of the same size."""
    traced, net = io.StringIO(), DeepGated(3, [4], gating="relu", key=KEY)  # a list would be data that the function holds
    observed = {"seen": ((), lambda net: (traced.write("1"), net.weights[0].sum())[1])}
    settings = {"steps": 4, "batch_size": 4, "learning_rate": 0.1, "record_every": 2, "key": KEY, "observe": observed}
    train(net, Dataset(X, VALUES), **settings)
    first = len(traced.getvalue())
    train(net, Dataset(X + 1, VALUES), **settings)
    assert 0 < len(traced.getvalue()) == first


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Dataset(X, VALUES[:9]), "There are 10 inputs, but 9 labels"),
        (lambda: Dataset(X, VALUES, test=(X[:4], VALUES[:3])), "There are 4 test inputs, but 3 labels"),
        (lambda: Dataset(X, VALUES, test=(X[:4, :2], VALUES[:4])), "as many inputs and the same kind"),
        (lambda: Dataset(X[0], VALUES), r"x must have shape \(samples, n\)"),
        (lambda: Dataset(X * np.nan, VALUES), "x must be finite, but is nan"),
        (lambda: Dataset(X, CLASSES - 5), "classes from 0 on, at most 1000, but they reach from -5"),
        (lambda: Dataset(X, CLASSES + 2**32), "classes from 0 on, at most 1000, but they reach from 4294967296 to"),
        (
            lambda: Dataset(X, CLASSES.astype(np.uint64) + 2**63),
            "classes from 0 on, at most 1000, but they reach from 92233720",
        ),
        (lambda: Dataset(X, VALUES, test=(X, CLASSES - 2**33)), "classes from 0 on"),
        (lambda: Dataset(X + 1j, VALUES), "x must be numbers, but is array.*, which is not a number"),
        (lambda: Dataset(X, VALUES * 1j), "y must be numbers, but is array"),
        (lambda: Dataset(X * 1e300, VALUES), "x must be at most 3.4028235e.38 in size, .* infinite in float32, but reaches"),
        (lambda: Dataset(X, VALUES * 1e39), "y must be at most 3.4028235e.38"),
        (lambda: Dataset(np.full((10, 3), 2**24 + 1), VALUES), "x must be at most 16777216 .* not kept exactly in float32"),
        (lambda: Dataset(np.ones((10, 4, 4)), VALUES), r"10 runs of 4 samples; .* images, write x.reshape\(10, -1\)"),
        (lambda: Dataset(np.ones((10, 4, 4, 3)), VALUES), r"but has \(10, 4, 4, 3\); write x.reshape\(10, -1\)"),
        (lambda: Dataset("X.npy", "y.npy"), r"x must be numbers, but is 'X.npy'; .* load it, as in x=np.load\('X.npy'\)"),
        (lambda: Dataset(X, Path("y.npy")), r"as in y=np.load\('y.npy'\)"),
        (lambda: Dataset(X, VALUES.astype("datetime64[s]")), "y must be numbers"),
        (lambda: Dataset([[1.0, 2.0], [3.0]], [0, 1]), "x must be numbers"),
        (lambda: Dataset(np.ones((0, 4)), []), r"x must have at least one sample and one input, but its shape is \(0, 4\)"),
        (lambda: Dataset(np.ma.masked_less(X, 0.0), VALUES), "x must be numbers, but .* are masked; fill them"),
        (lambda: Dataset(xr.DataArray(X.T, dims=["position", "sample"]), VALUES), "x must have the dimension position last"),
        (lambda: Dataset(xr.DataArray(X.T, dims=["input", "sample"]), VALUES), "x must have the samples first, but has"),
        (lambda: Dataset(X, xr.DataArray(VALUES[:, None], dims=["sample", "run"])), "y must have the dimension sample last"),
        (lambda: Dataset(X, []), r"y must have shape \(samples,\)"),
        (lambda: Dataset(X, VALUES, batches="shufled"), "did you mean 'shuffled'"),
        (lambda: Dataset(X, VALUES).batch(KEY, 0, 11), "has 11 samples of 10"),
    ],
)
def test_bad_sets_get_one_sentence(make, words):
    with pytest.raises(UserError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_whole_numbers_are_kept_exactly():
    pixels = np.array([[0, 255], [2**24, -(2**24)]])
    for given in (pixels, pixels.tolist(), np.asarray(pixels, np.float32)):
        np.testing.assert_array_equal(np.asarray(Dataset(given, [True, False]).x, int), pixels)
    with jax.enable_x64(True):
        np.testing.assert_array_equal(Dataset(pixels + 1, VALUES[:2] * 1e200).x, pixels + 1)


@pytest.mark.parametrize(
    ("net", "task", "size", "words"),
    [
        ({"outputs": 3}, Dataset(X, VALUES), 4, "has 3 outputs, but the task's labels are single numbers"),
        ({}, Dataset(X, CLASSES), 4, "labels are 3 classes, but the network has 1 outputs; give it outputs=3"),
        ({}, Task(Gaussian(3, 1.0), Gaussian(3, 0.5)), "all", "no whole training set; give batch_size as a number"),
        ({"gating": "free", "samples": 10}, Dataset(X, VALUES), 4, "takes them all at once, but batch_size is 4 of 10"),
        ({"gating": "free", "samples": 9}, Dataset(X, VALUES), "all", "gates for 9 samples"),
        ({}, Dataset(X, VALUES), 0, "batch_size must be a whole number"),
        ({"n": 2}, Dataset(X, VALUES), 4, "network has 2 inputs and the task 3"),
    ],
)
def test_parts_must_fit(net, task, size, words):
    settings = {"gating": "relu", "n": 3, **net}
    with pytest.raises(UserError, match=words):
        train(DeepGated(widths=[4], key=KEY, **settings), task, steps=2, batch_size=size, learning_rate=0.1, key=KEY)
