"""What `train` gives beside the path: the network, the axes of runs, coordinates and units, status, progress."""

import re

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from gatefield import Committee, Diverged, GatedLinear, Grid, Task, UserError, train
from gatefield.data import Gaussian, NonlinearGP
from gatefield.dynamics.train.session import Session
from gatefield.gates import Open, Scheduled, Shut

KEY = jax.random.key(7)
N = 6


def task(gain=3.0):
    return Task(NonlinearGP(N, 2.0, gain), NonlinearGP(N, 1.0, gain))


def run(net, data, **changes):
    settings = {"steps": 4, "batch_size": 10, "learning_rate": 0.05, "record_every": 2, "key": KEY, **changes}
    return train(net, data, **settings)


def test_the_trained_network_is_that_of_the_last_record():
    net, record = run(Committee(N, 2, key=KEY, bias=True), task())
    assert isinstance(net, Committee)
    assert net.fields.shape == (2, N)
    np.testing.assert_array_equal(net.fields, record.fields.values[0, -1])
    np.testing.assert_array_equal(net.bias, record.bias.values[0, -1])
    assert np.isfinite(net(np.ones((3, N)))).all()


def test_several_networks_have_a_run_axis():
    net, record = run(Committee(N, 2, key=KEY), task([0.5, 1.0, 3.0]))
    assert net.fields.shape == (3, 2, N)
    np.testing.assert_array_equal(net.fields, record.fields.values[:, -1])
    assert run(Committee(N, 2, key=KEY), task(), key=KEY[None]).net.fields.shape == (1, 2, N)  # an axis that was given stays


def test_a_network_need_not_be_kept():
    net, record = run(Committee(N, 1, key=KEY), task(), keep_network=False)
    assert net is None
    assert record.sizes["step"] == 3


@pytest.mark.wrong_types
def test_a_foreign_network_is_refused():
    other = eqx.nn.MLP(N, "scalar", 4, 1, key=KEY)
    with pytest.raises(
        UserError, match=r"net must be a network of gatefield, .* but is MLP; to train one of your own, make it"
    ):
        run(other, task())


GRID = Grid(gain=[0.5, 3.0], seed=3)


def test_a_grid_names_the_axes_of_the_runs():
    nets = Committee(N, 1, key=jax.random.split(KEY, 3))
    keys = jax.random.split(jax.random.key(1), 3)
    given = GRID.share(nets, over="seed"), task(GRID.gain)
    flat = run(*given, key=GRID.share(keys, over="seed")).record
    net, record = run(*given, key=GRID.share(keys, over="seed"), runs=GRID)
    assert record.fields.dims == ("gain", "seed", "step", "unit", "position")
    assert record.loss.dims == ("gain", "seed", "step")
    assert record.gain.values.tolist() == [0.5, 3.0]
    assert record.seed.values.tolist() == [0, 1, 2]
    assert "run" not in record.dims
    number = GRID.index(gain=3.0, seed=1)
    np.testing.assert_array_equal(record.fields.sel(gain=3.0, seed=1), flat.fields[number])
    np.testing.assert_array_equal(flat.positive_gain, GRID.gain)
    np.testing.assert_array_equal(net.fields[number], record.fields.sel(gain=3.0, seed=1).isel(step=-1))


def test_learning_rates_can_be_an_axis():
    grid = Grid(learning_rate=[0.01, 0.1])
    record = run(Committee(N, 1, key=KEY), task(), learning_rate=grid.learning_rate, runs=grid).record
    assert record.time.dims == ("learning_rate", "step")
    np.testing.assert_allclose(record.time, np.outer([0.01, 0.1], [0, 2, 4]))
    assert record.learning_rate.values.tolist() == [0.01, 0.1]


@pytest.mark.parametrize(
    "name", ["loss", "status", "fields", "q", "g", "time", "train_key", "evaluation_key", "word", "learning_rate"]
)
def test_an_axis_with_a_name_of_the_record_is_refused_before_the_training(name, monkeypatch):
    monkeypatch.setattr(Session, "run", None)
    rates = {"learning_rate": lambda step: 0.1} if name == "learning_rate" else {"learning_rate": [0.1, 0.2]}
    words = f"^An axis of a grid cannot be called '{name}', which its record has for something else; choose another name.$"
    observe = {"q": (("g",), lambda net: net.fields[0])}
    with pytest.raises(UserError, match=words):
        run(Committee(N, 1, key=KEY), task([0.5, 3.0]), runs=Grid(**{name: [7, 8]}), observe=observe, **rates)


@pytest.mark.parametrize(("name", "trained"), [("learning_rate", "[0.1, 0.2]"), ("positive_gain", "[0.5, 3.0]")])
def test_an_axis_has_the_values_that_the_runs_are_trained_with(name, trained):
    words = (
        rf"The axis '{name}' of a grid must be what the runs .* {re.escape(trained)}, but is \[7, 8\]; train with grid.{name},"
    )
    with pytest.raises(UserError, match=words):
        run(Committee(N, 1, key=KEY), task([0.5, 3.0]), runs=Grid(**{name: [7, 8]}), learning_rate=[0.1, 0.2])


def test_an_axis_may_say_what_the_record_says_and_number_the_seeds_otherwise():
    grid = Grid(positive_gain=[0.1, 3.0], seed=[5, 7])
    record = run(Committee(N, 1, key=KEY), task(jnp.float32(grid.positive_gain)), runs=grid).record
    assert record.positive_gain.values.tolist() == [0.1, 3.0]
    assert record.seed.values.tolist() == [5, 7]


def test_a_grid_of_another_size_is_refused():
    with pytest.raises(
        UserError,
        match=r"runs is Grid\(gain=2, seed=3\), 6 runs, but net, task, learning_rate and key are for 2; give one value",
    ):
        run(Committee(N, 1, key=KEY), task([0.5, 3.0]), runs=GRID)


def test_coordinates_and_their_units():
    record = run(Committee(N, 2, key=KEY), task([0.5, 3.0]), learning_rate=0.5).record
    np.testing.assert_allclose(record.time, [0.0, 1.0, 2.0])
    np.testing.assert_allclose(record.learning_rate, [0.5, 0.5])
    assert record.seed.values.tolist() == [0, 1]
    assert record.position.values.tolist() == list(range(N))
    units = {name: coord.attrs["units"] for name, coord in record.coords.items() if "units" in coord.attrs}
    assert units == {"time": "tau", "position": "site", "learning_rate": "tau"}


def test_batches_of_training_and_evaluation_are_drawn_with_keys_of_their_own():
    record = run(Committee(N, 1, key=KEY), task([0.5, 3.0])).record
    keys = np.concatenate([record.train_key.values, record.evaluation_key.values])
    assert len(np.unique(keys, axis=0)) == 4


def test_a_loss_that_overflows_is_a_diverged_run():
    """One step of size 1e20: weights of about 1e20 are numbers of float32, their squares are not."""
    net = Committee(N, 1, activation="linear", key=KEY)
    with pytest.warns(Diverged, match=r"The training diverged by step 1: .*; lower learning_rate, here 1e\+20\."):
        record = run(net, task(), steps=1, learning_rate=1e20).record
    for way, words in [
        ({"learning_rate": lambda step: 1e20 + 0 * step}, "lower learning_rate, here a schedule"),
        ({"learning_rate": None, "optimizer": optax.sgd(1e20)}, "lower the learning rate of the optimizer"),
    ]:
        with pytest.warns(Diverged, match=words):
            run(net, task(), steps=1, **way)
    assert np.isfinite(record.fields).all()
    assert not np.isfinite(record.loss[0, -1])
    assert record.status.values.tolist() == [[0, 1]]
    assert record.status.attrs["flag_meanings"] == "ok diverged"


def test_a_schedule_that_stops_being_a_number_is_told_as_such():
    net = Committee(N, 1, activation="linear", key=KEY)
    with pytest.warns(Diverged, match="by step 4: the schedule gives a rate of nan at step 2; let it stay finite"):
        run(net, task(), steps=4, record_every=4, learning_rate=lambda step: jnp.where(step < 2, 0.01, jnp.nan))


def test_the_recorded_loss_is_that_behind_the_gates_of_its_time():
    """Shut up to time 0.035, open after: the exact loss of a linear unit on both sides, at a learning rate of 0.01."""
    sources = Gaussian(N, 2.0), Gaussian(N, 1.0)
    net = GatedLinear(N, [Scheduled([0.0, 0.035], [Shut(), Open()])], key=KEY)
    record = run(net, Task(*sources), steps=6, batch_size=40_000, learning_rate=0.01, record_every=1).record
    w = record.fields.values[0, :, 0].astype(float)
    power = np.mean([np.einsum("ti,ij,tj->t", w, np.asarray(s.covariance()), w) for s in sources], axis=0)
    shut, opened = 0.25, 0.25 + power / 2  # E y^2 = 1/2, and inputs have mean zero in either class
    expected = np.where(record.time.values < 0.035, shut, opened)
    error = np.sqrt((power**2 + power) / 2 / 40_000).max()  # of (h - y)^2/2 for a Gaussian h of variance `power`, roughly
    assert np.abs(opened - shut).min() > 50 * error
    np.testing.assert_allclose(record.loss[0], expected, atol=5 * error)


def test_no_progress_is_shown_where_nobody_looks(capsys):
    run(Committee(N, 1, key=KEY), task())
    run(Committee(N, 1, key=KEY), task(), progress=False)
    shown = capsys.readouterr()
    assert shown.out == shown.err == ""


def test_a_bar_is_shown_where_one_is_asked_for(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich then treats the captured stream as a terminal
    run(Committee(N, 1, key=KEY), task(), progress=True, chunk=1)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "4 of 4 steps" in shown.err


def test_a_terminal_gets_a_bar_unasked(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    run(Committee(N, 1, key=KEY), task(), chunk=1)
    assert "4 of 4 steps" in capsys.readouterr().err


def test_keys_as_numbers_of_the_old_kind_are_taken():
    old, new = jax.random.PRNGKey(7), jax.random.key(7)
    records = [run(Committee(N, 1, key=KEY), task(), key=key).record for key in (old, new)]
    np.testing.assert_array_equal(records[0].fields, records[1].fields)
    assert jnp.all(records[0].train_key.values == records[1].train_key.values)
