"""What a training may be told beside the usual: antithetic pairs, other precision, one stream for all points."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sweep_small import definition, training

from gatefield import Committee, Task, sweep, train
from gatefield.core.errors import UserError
from gatefield.data import NonlinearGP
from gatefield.lab import Store, read_sweep, run_sweep
from gatefield.lab.store.store import run_id
from gatefield.lab.sweeps import planner
from gatefield.lab.sweeps.trainings.groups import Size, grouped, size_of

GAINS = {"values": [0.5, 3.0], "sets": ["positive.gain", "negative.gain"]}
AXES = {"gain": GAINS, "seed": 3}
BEFORE = ["aa571aea23a2", "c38d55f8af84"]
"""The first ids of the small sweep before there were these options."""


def key(seed, use):
    return jax.random.fold_in(jax.random.key(seed), use)


def by_hand(keys, **how):
    """All points of the small sweep in one call of `train`."""
    gains, shared = np.repeat([0.5, 3.0], 3), how.pop("shared_stream", False)
    net = Committee(6, 1, key=jnp.stack([key(seed, 0) for _ in range(2) for seed in range(3)]))
    task = Task(NonlinearGP(6, 2.0, gains), NonlinearGP(6, 1.0, gains), **how)
    settings = {"steps": 6, "batch_size": 8, "learning_rate": 0.05, "record_every": 6}
    record = train(net, task, key=keys, shared_stream=shared, **settings).record.isel(step=-1)
    return record.fields.values.reshape(2, 3, 1, 6), record.loss.values.reshape(2, 3)


def swept(folder, axes=AXES, **options):
    return sweep(training(**options), axes, keep=["fields"], store=folder)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return swept(tmp_path_factory.mktemp("shared"), shared_stream=True, stream_seed=7)


def test_points_of_a_shared_stream_are_those_of_train_bit_for_bit(shared):
    fields, loss = by_hand(key(7, 1), shared_stream=True)
    np.testing.assert_array_equal(shared.fields, fields)
    np.testing.assert_array_equal(shared.loss, loss)


def test_a_point_of_a_shared_stream_is_a_training_alone_with_the_key_of_the_stream(shared, tmp_path):
    task = Task(NonlinearGP(6, 2.0, 3.0), NonlinearGP(6, 1.0, 3.0))
    alone = train(Committee(6, 1, key=key(2, 0)), task, steps=6, batch_size=8, learning_rate=0.05, key=key(7, 1))
    np.testing.assert_allclose(shared.fields[1, 2], alone.net.fields, atol=1e-6)
    apart = swept(tmp_path / "apart")
    assert np.abs(apart.fields[1, 2] - alone.net.fields).max() > 1e-4


def test_how_blocks_are_cut_is_nothing_to_a_shared_stream(shared, tmp_path, monkeypatch):
    monkeypatch.setattr(planner, "size_of", lambda *_: Size(4, 4))
    cut = swept(tmp_path, shared_stream=True, stream_seed=7)
    assert len(list((tmp_path / "sweeps" / "blocks").glob("[!.]*"))) == 2
    np.testing.assert_allclose(cut.fields, shared.fields, atol=1e-6)


def test_antithetic_pairs_are_those_of_the_task(tmp_path):
    found = swept(tmp_path, antithetic=True)
    fields, loss = by_hand(jnp.stack([key(seed, 1) for _ in range(2) for seed in range(3)]), antithetic=True)
    np.testing.assert_array_equal(found.fields, fields)
    np.testing.assert_array_equal(found.loss, loss)


def test_each_stream_has_a_program_of_its_own():
    options = {"stream_seed": [0, 4], "seed": 2}
    of_streams = read_sweep(definition(options, training=training(shared_stream=True)))
    assert grouped(of_streams.work, of_streams.points).tolist() == [0, 0, 1, 1]
    pieces = of_streams.work.pieces(of_streams.points.columns(range(4)))
    words = [jax.random.key_data(stack.settings["key"]).tolist() for stack in pieces.stacked()]
    assert words == [jax.random.key_data(key(stream, 1)).tolist() for stream in (0, 4)]


def test_blocks_of_a_shared_stream_are_wider():
    sizes = []
    for shared in (False, True):
        table = training(shared_stream=shared, steps=10**5, batch_size=10**2)
        one = read_sweep(definition({"seed": 10**4}, training=table))
        sizes.append(size_of(one.work, one.points, 0, 10**4).runs)
    assert sizes[1] >= 4 * sizes[0]


def test_points_that_use_no_option_have_the_ids_that_they_had():
    assert read_sweep(definition()).ids[:2].tolist() == BEFORE
    said = training(antithetic=False, precision="float32", shared_stream=False, stream_seed=0)
    assert read_sweep(definition(training=said)).ids[:2].tolist() == BEFORE


def test_ids_along_axes_of_options_are_those_of_the_points_alone():
    usual = {"antithetic": False, "precision": "float32", "shared_stream": False, "stream_seed": 0}
    others = {"antithetic": True, "precision": "tf32", "shared_stream": True, "stream_seed": 5}
    along = read_sweep(definition({name: [usual[name], others[name]] for name in usual} | {"seed": 1}))
    for number in range(16):
        point = {**along.points.at(number)}
        chosen = {name: point.pop(name) for name in usual}
        whole = {**{name: value for name, value in along.work._complete.items() if name not in usual}, "seed": 0.0}
        whole |= {name: value for name, value in chosen.items() if value != usual[name]}
        number_id = run_id("training", {k: float(v) if type(v) is int else v for k, v in _floats(whole).items()})
        assert along.ids[number] == number_id


def _floats(value):
    if isinstance(value, dict):
        return {name: _floats(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_floats(one) for one in value]
    return float(value) if type(value) is int else value


def test_options_are_kept_with_the_results(shared):
    assert '"shared_stream": true, "stream_seed": 7' in shared.attrs["swept"]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"precision": "tf16"}, "precision must be 'float32', 'tf32' or 'tf32x2', but is 'tf16'"),
        ({"shared_stream": 1}, "shared_stream must be true or false, but is 1"),
        ({"stream_seed": 2}, "stream_seed = 2 chooses the stream of shared_stream = true: write that too"),
        ({"shared_stream": True, "precision": "tf32"}, "does not go with shared_stream = true: leave one of them out"),
        ({"antithetic": True, "stratified": False}, "antithetic=True needs stratified=True"),
    ],
)
def test_wrong_options_are_one_sentence(tmp_path, options, text):
    with pytest.raises(UserError, match=text):
        run_sweep(read_sweep(definition(training=training(**options))), Store(tmp_path))


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="a GPU takes it")
def test_a_precision_that_the_machine_does_not_have_is_told_for_its_points(tmp_path):
    result = run_sweep(read_sweep(definition({"seed": 2}, training=training(precision="tf32"))), Store(tmp_path))
    assert list(result.errors[0]) == [0, 1]
    assert "is for NVIDIA GPUs, but this is cpu; leave precision out" in result.errors[0][0]


def test_recipes_with_one_key_share_their_stream(tmp_path):
    def neuron(seed):
        task, settings = Task(NonlinearGP(6, 2.0, 1.0), NonlinearGP(6, 1.0, 1.0)), {"steps": 6, "batch_size": 8}
        return Committee(6, 1, key=key(seed, 0)), task, {**settings, "learning_rate": 0.05, "key": key(9, 1), **SHARED}

    found = sweep(neuron, seed=3, keep=["fields"], store=tmp_path)
    table = training(shared_stream=True, stream_seed=9)
    np.testing.assert_array_equal(found.fields, sweep(table, {"seed": 3}, keep=["fields"], store=tmp_path).fields)


SHARED = {"shared_stream": True}
