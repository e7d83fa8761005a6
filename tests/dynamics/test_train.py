"""Training: the update by hand, invariance to chunks and batching, divergence, interruption, compilations, bad input."""

import sys
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special
from traces import Traces

from gatefield import Committee, Diverged, Interrupted, Task, UserError, train
from gatefield.data import Gaussian, NonlinearGP
from gatefield.dynamics import MemoryRecorder, pace
from gatefield.theory import relu

KEY = jax.random.key(7)
N = 10


def task(gain=3.0, **kwargs):
    return Task(NonlinearGP(N, 2.0, gain), NonlinearGP(N, 1.0, gain), **kwargs)


def committee(key=KEY, **kwargs):
    return Committee(N, kwargs.pop("K", 2), key=key, **kwargs)


def run(net, data, **kwargs):
    settings = {"steps": 30, "batch_size": 20, "learning_rate": 0.05, "record_every": 5, "key": KEY, **kwargs}
    return train(net, data, **settings).record


def batch_of(record, step, size, data):
    """The training batch of a step, made again from the recorded key."""
    key = jax.random.wrap_key_data(jnp.asarray(record.train_key.values[0]))
    return [np.asarray(a, np.float64) for a in data.sample(jax.random.fold_in(key, step), size)]


def test_one_step_is_the_gradient_step():
    net, data = committee(), task()
    record = run(net, data, steps=1, record_every=1)
    x, y = batch_of(record, 0, 20, data)
    W = np.asarray(net.fields, np.float64)
    h = x @ W.T
    error = np.maximum(h, 0).mean(1) - y
    gradient = (error[:, None] * (h > 0) / 2).T @ x / len(x)
    np.testing.assert_allclose(record.fields.values[0, -1], W - 0.05 * gradient, rtol=1e-5, atol=1e-7)


def test_cross_entropy_step_is_the_gradient_step():
    net, data = committee(activation="linear", K=1), task()
    record = run(net, data, steps=1, record_every=1, loss="cross-entropy")
    x, y = batch_of(record, 0, 20, data)
    W = np.asarray(net.fields, np.float64)
    gradient = (scipy.special.expit(x @ W[0]) - y) @ x / len(x)
    np.testing.assert_allclose(record.fields.values[0, -1, 0], W[0] - 0.05 * gradient, rtol=1e-5, atol=1e-7)


def test_recorded_loss_is_the_population_loss():
    net, data = committee(key=jax.random.split(KEY, 8)), Task(Gaussian(N, 2.0), Gaussian(N, 1.0))
    record = run(net, data, steps=1, batch_size=20_000, record_every=1)
    expected = [relu.loss(w, Gaussian(N, 2.0).covariance(), Gaussian(N, 1.0).covariance()) for w in record.fields.values[:, 0]]
    error = 0.5 / np.sqrt(20_000)  # the loss of one sample has a standard deviation well below 0.5
    np.testing.assert_allclose(record.loss.values[:, 0], expected, atol=5 * error)


def test_chunks_do_not_change_a_bit():
    net, data = committee(key=jax.random.split(KEY, 5)), task()
    whole = run(net, data, steps=60)
    for chunk in (1, 2, 5, 13):
        part = run(net, data, steps=60, chunk=chunk)
        assert whole.identical(part.assign_attrs(whole.attrs)), chunk


@pytest.mark.costly
@pytest.mark.parametrize("seconds", [1e-9, 1e9])
def test_pieces_do_not_change_a_bit(monkeypatch, seconds):
    """Of one step, or of sixteen and then of many; in parts of records and over several of them."""
    whole = {every: run(committee(), task(), record_every=every, chunk=3) for every in (4, 30)}
    monkeypatch.setattr(pace, "SECONDS", seconds)
    monkeypatch.setattr(pace.Pace.__init__, "__defaults__", (1, 16))
    for every, record in whole.items():
        again = run(committee(), task(), record_every=every, chunk=3)
        for name in ("fields", "loss", "status"):
            np.testing.assert_array_equal(again[name], record[name])


def test_an_interrupt_leaves_nothing_on_the_device(monkeypatch):
    """Ctrl-C arrives while a piece is under way, before its results have a name, and is told when that is done."""
    pieces, sent, waited, block = sys.modules["gatefield.dynamics.train.pieces"], [], [], jax.block_until_ready
    send = pieces.advance

    def interrupted(*arguments):
        sent.append(send(*arguments))
        if len(sent) == 2:
            raise KeyboardInterrupt
        return sent[-1]

    monkeypatch.setattr(pieces, "advance", interrupted)
    monkeypatch.setattr(jax, "block_until_ready", lambda tree: waited.append(tree) or block(tree))
    with pytest.raises(Interrupted, match="last commit is at step 0 of 30"):
        run(committee(), task(), record_every=30)
    assert {id(array) for array in jax.tree.leaves(sent[-1])} <= {id(array) for array in jax.tree.leaves(waited)}


@pytest.mark.wrong_types
def test_a_piece_is_as_long_as_asked_for_however_unsteady_the_clock(monkeypatch):
    """A busy machine takes now half, now twice the time for a step: no piece is to be more than a few times too long."""
    times, lengths, clock = iter([0.5, 2.0] * 40), [], [0.0]
    pieces = sys.modules["gatefield.dynamics.train.pieces"]

    def advance(program, state, problem, marks, capacity, group, first, count):
        lengths.append(int(marks[first] - marks[first - 1]) * 1e-3)
        clock[0] += lengths[-1] * next(times)
        return state, {}

    monkeypatch.setattr(pieces, "advance", advance)
    monkeypatch.setattr(pieces.time, "perf_counter", lambda: clock[0])
    setup = SimpleNamespace(program=SimpleNamespace(every=None, stride=1), problem=None, group=1)
    for _ in pieces.pieces(setup, jnp.zeros(()), np.array([0, 30_000]), 1, 1, 1, pieces.Pace()):
        pass
    assert sum(lengths) == pytest.approx(30.0)
    assert max(lengths) <= 2.0


def test_what_a_record_shows_is_not_asked_for_between_records(monkeypatch):
    """It may take longer than the steps; counted on the device."""
    monkeypatch.setattr(pace, "SECONDS", 1e-9)
    asked = []

    def watched(net):
        jax.debug.callback(lambda: asked.append(1))
        return net.fields.sum()

    run(committee(), task(), steps=40, record_every=40, observe={"total": ((), watched)})
    jax.effects_barrier()
    assert len(asked) == 2


def test_recording_more_often_does_not_change_the_path():
    net, data = committee(), task()
    often, seldom = (run(net, data, record_every=every) for every in (1, 5))
    np.testing.assert_array_equal(often.fields.sel(step=seldom.step), seldom.fields)
    np.testing.assert_array_equal(often.loss.sel(step=seldom.step), seldom.loss)


def test_runs_side_by_side_agree_with_single_runs():
    keys, nets, gains = jax.random.split(KEY, 4), jax.random.split(KEY, 4), np.array([0.01, 1.0, 3.0, np.inf])
    together = run(committee(key=nets), task(gains), steps=500, batch_size=100, key=keys)
    for i in range(4):
        alone = run(committee(key=nets[i]), task(gains[i]), steps=500, batch_size=100, key=keys[i])
        distance = np.linalg.norm(together.fields[i, -1] - alone.fields[0, -1]) / np.linalg.norm(alone.fields[0, -1])
        assert distance < 1e-5


def test_learning_rates_can_be_a_run_axis():
    together = run(committee(), task(), learning_rate=[0.01, 0.1], key=jnp.stack([KEY, KEY]))
    assert together.learning_rate.values.tolist() == [0.01, 0.1]
    np.testing.assert_allclose(together.time, np.outer([0.01, 0.1], together.step))
    for i, rate in enumerate([0.01, 0.1]):
        alone = run(committee(), task(), learning_rate=rate)
        np.testing.assert_allclose(together.fields[i], alone.fields[0], rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(alone.time, alone.step * rate)


def test_one_key_for_many_runs_is_folded():
    together = run(committee(), task([3.0, 3.0]))
    alone = run(committee(), task(3.0), key=jax.random.fold_in(KEY, 1))
    np.testing.assert_allclose(together.fields[1], alone.fields[0], rtol=1e-5, atol=1e-7)


@pytest.mark.slow
def test_groups_of_runs_give_the_same(monkeypatch):
    net, data = committee(key=jax.random.split(KEY, 5)), task()
    whole = run(net, data, steps=60)
    monkeypatch.setattr(sys.modules["gatefield.dynamics.train.problem"], "runs_side_by_side", lambda *_, **__: 2)
    np.testing.assert_allclose(run(net, data, steps=60).fields, whole.fields, rtol=1e-5, atol=1e-7)


def test_a_diverged_run_is_a_status_and_leaves_the_others_alone():
    told = r"1 of 2 runs diverged, the first by step 5: fields or loss are not finite; lower learning_rate, here 1e\+20\."
    with pytest.warns(Diverged, match=told):
        record = run(committee(activation="linear"), task(), learning_rate=[0.05, 1e20], key=jnp.stack([KEY, KEY]))
    assert record.status.values[0].tolist() == [0] * record.sizes["step"]
    assert record.status.values[1].tolist() == [0] + [1] * (record.sizes["step"] - 1)
    beside = run(committee(activation="linear"), task(), learning_rate=[0.05, 0.05], key=jnp.stack([KEY, KEY]))
    np.testing.assert_array_equal(record.fields[0], beside.fields[0])


SLOWER = [pytest.param(name, marks=pytest.mark.slow) for name in ("sgd", "adamw", "rmsprop")]


@pytest.mark.costly
@pytest.mark.parametrize("optimizer", ["momentum", "adam", *SLOWER])
def test_optimisers_lower_the_loss(optimizer):
    record = run(committee(K=4), task(), steps=300, batch_size=200, learning_rate=0.02, optimizer=optimizer)
    assert record.loss.values[0, -5:].mean() < record.loss.values[0, 0]


def test_biases_and_readout_are_recorded_and_frozen_ones_stay():
    net = committee(bias="frozen", bias_init=0.3, output_bias=True, readout="learned", activation="erf")
    record = run(net, task(labels=(1.0, -1.0)))
    assert record.bias.dims == ("run", "step", "unit")
    assert np.all(record.bias.values == np.float32(0.3))
    assert np.all(record.readout.values[0, -1] != record.readout.values[0, 0])
    assert record.output_bias.values[0, -1] != record.output_bias.values[0, 0]


def test_further_quantities_are_recorded():
    record = run(committee(), task(), observe={"norm": (("unit",), lambda net: jnp.linalg.norm(net.fields, axis=-1))})
    np.testing.assert_allclose(record.norm, np.linalg.norm(record.fields, axis=-1), rtol=1e-5)


def test_steps_need_not_be_a_multiple_of_the_cadence():
    assert run(committee(), task(), steps=28, record_every=5).step.values.tolist() == [0, 5, 10, 15, 20, 25, 28]
    assert run(committee(), task(), steps=3, record_every=5).step.values.tolist() == [0, 3]


def test_the_same_training_compiles_once():
    traced = Traces()

    def watch(net):
        traced.append(1)
        return net.fields.sum()

    extra = {"total": ((), watch)}
    run(committee(), task(), observe=extra)
    first = len(traced)
    assert first > 0
    run(committee(key=jax.random.key(8)), task(0.5), observe=extra, key=jax.random.key(9), learning_rate=0.01)
    assert len(traced) == first


@pytest.mark.parametrize("rates", [0.05, [0.05, 0.02]])
def test_ctrl_c_keeps_what_was_committed(rates):
    def stop(done, total):
        if done >= 10:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        run(committee(), task(), progress=stop, chunk=1, learning_rate=rates)
    assert "step 10 of 30" in str(caught.value)
    whole = run(committee(), task(), learning_rate=rates)
    np.testing.assert_array_equal(caught.value.record.fields, whole.fields.sel(step=slice(0, 10)))
    np.testing.assert_array_equal(caught.value.record.time, whole.time.sel(step=slice(0, 10)))


def test_progress_tells_steps_done():
    seen = []
    run(committee(), task(), progress=lambda done, total: seen.append((done, total)), chunk=2)
    assert seen[0] == (0, 30)
    assert seen[-1] == (30, 30)
    assert seen == sorted(seen)


def test_a_record_says_how_it_was_made():
    attrs = run(committee(), task()).attrs
    assert attrs["batch_size"] == 20
    assert attrs["learning_rate"] == [0.05]
    assert attrs["optimizer"] == "sgd"
    assert {"gatefield_version", "jax_version", "device", "fingerprint"} <= set(attrs)


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"batch_size": 0}, "batch_size must be a whole number of at least 1, but is 0; write for instance batch_size=100."),
        ({"steps": -3}, "steps must be a whole number of at least 1, but is -3; write for instance steps=1000."),
        ({"learning_rate": float("nan")}, "learning_rate must be positive and finite, but is nan"),
        ({"optimizer": "sdg"}, "Unknown optimizer 'sdg': did you mean 'sgd'?"),
        ({"loss": "msee"}, "Unknown loss 'msee': did you mean 'mse'?"),
        (
            {"record_every": 0},
            "record_every must be a whole number of at least 1, but is 0; write for instance record_every=1.",
        ),
        ({"steps": 2**31}, "steps must be at most 2,147,483,647, but is 2147483648; write for instance steps=1000."),
        ({"steps": 10**30, "record_every": 10**30}, "steps must be at most 2,147,483,647, but is 1000000"),
        ({"record_every": 2**31}, "record_every must be at most 2,147,483,647, but is 2147483648"),
        ({"chunk": 10**30}, "chunk must be at most 2,147,483,647, but is 1000000"),
        ({"batch_size": 2**31}, "batch_size must be at most 2,147,483,647, but is 2147483648"),
        ({"steps": 2**31 - 1, "record_every": 1}, "make 2,147,483,648; write for instance record_every=2147484."),
        ({"key": "0"}, "key must be a JAX PRNG key"),
        ({"observe": {"loss": ((), lambda net: 0.0)}}, "observe must not use the name 'loss'"),
    ],
)
def test_bad_input_is_one_sentence(arguments, text):
    with pytest.raises(UserError) as caught:
        run(committee(), task(), **arguments)
    assert text in str(caught.value)


def test_a_batch_larger_than_the_memory_is_refused(monkeypatch):
    monkeypatch.setattr(sys.modules["gatefield.dynamics.train.engine"], "_memory", lambda: 10**9)
    with pytest.raises(UserError, match=r"A batch of 100,000,000 samples would take 4 GB .* are 1 GB; make batch_size sm"):
        run(committee(), task(), batch_size=10**8)


def test_the_memory_of_a_cpu_is_that_of_its_container(tmp_path, monkeypatch):
    (tmp_path / "memory.max").write_text("3000\n")
    monkeypatch.setattr("gatefield.core.machine._LIMIT", tmp_path / "memory.max")
    with pytest.raises(UserError, match=r"A batch of 100 samples would take 4 kB .* there are 3 kB; make batch_size smaller"):
        run(committee(), task(), batch_size=100)


@pytest.mark.wrong_types
def test_parts_must_fit():
    with pytest.raises(UserError, match=r"The network has 12 inputs and the task 10 sites; give both the same n\."):
        run(Committee(12, 1, key=KEY), task())
    with pytest.raises(UserError, match=r"task must be a task, such as Task\(positive, negative\), but is Gaussian"):
        run(committee(), Gaussian(N, 2.0))
    with pytest.raises(UserError, match="recorder must be a recorder, but is 'folder'"):
        run(committee(), task(), recorder="folder")


def test_a_record_tells_runs_apart():
    record = run(committee(), task([0.5, 3.0]), steps=2, record_every=2)
    np.testing.assert_array_equal(record.positive_gain, [0.5, 3.0])
    assert '"class": "NonlinearGP"' in record.attrs["task"]


class Asked(Exception):
    """What a recorder was asked for, before anything was compiled."""


class AskedRecorder(MemoryRecorder):
    def find(self, fingerprint, like):
        raise Asked(fingerprint)


def test_another_function_is_another_run():
    def fingerprint(scale):
        extra = {"total": ((), lambda net: scale * net.fields.sum())}
        with pytest.raises(Asked) as caught:
            run(committee(), task(), steps=2, record_every=2, observe=extra, recorder=AskedRecorder())
        return str(caught.value)

    assert fingerprint(1.0) == fingerprint(1.0)
    assert fingerprint(1.0) != fingerprint(2.0)


def test_a_record_holds_the_fingerprint_that_the_recorder_is_asked_for():
    with pytest.raises(Asked) as caught:
        run(committee(), task(), recorder=AskedRecorder())
    assert run(committee(), task()).attrs["fingerprint"] == str(caught.value)


def test_cross_entropy_needs_labels_that_are_probabilities():
    with pytest.raises(UserError, match=r"reads labels as probabilities.*labels=\(1, 0\)"):
        run(committee(), task(labels=(1.0, -1.0)), loss="cross-entropy")
    with pytest.raises(UserError, match=r"reads labels as probabilities, but they are \(2, 0\)"):
        run(committee(), task(labels=(2.0, 0.0)), loss="cross-entropy")


def test_run_axes_must_agree():
    with pytest.raises(UserError, match=r"same length, but there are lengths \[2, 3\]"):
        run(committee(key=jax.random.split(KEY, 3)), task([1.0, 2.0]))


@pytest.mark.parametrize(("runs", "batch_size", "n"), [(256, 1000, 40), (1, 10, 10), (7, 10**9, 1000), (1000, 1, 1)])
def test_groups_are_sensible(runs, batch_size, n):
    from gatefield.dynamics.train.engine import CACHE_BYTES, runs_side_by_side

    group = runs_side_by_side(runs, batch_size, n)
    assert 1 <= group <= runs
    assert group == 1 or group * batch_size * n * 4 <= CACHE_BYTES
    if runs == 256:
        assert runs % group == 0
