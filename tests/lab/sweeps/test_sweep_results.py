"""What a sweep has found, as one dataset: lazily, while it runs, over points of unequal size; and of experiments."""

import numpy as np
import pytest
from sweep_small import definition, training

from gatefield import experiments
from gatefield.core.errors import UserError
from gatefield.lab import Store, do_block, open_sweep, planned, read_sweep, resolve, run, run_sweep, state_of, sweep
from gatefield.lab.sweeps import results

AXES = {"network.K": [1, 2], "seed": 2}


@pytest.fixture(scope="module")
def half(tmp_path_factory):
    """A sweep of two blocks, of which one is done."""
    store, small = Store(tmp_path_factory.mktemp("half")), read_sweep(definition(AXES, keep=["fields", "history"]))
    planned(store, small)
    assert do_block(store, small, 1).state == "done"
    return store, small


def test_what_is_not_there_yet_is_nan(half):
    store, small = half
    found = open_sweep(small.name, store.root)
    assert dict(found.sizes) == {"network.K": 2, "seed": 2, "unit": 2, "position": 6, "step": 7}
    assert np.isnan(found.loss.values).tolist() == [[True, True], [False, False]]
    assert np.isnan(found.fields.sel({"network.K": 1})).all()
    assert np.isfinite(found.fields.sel({"network.K": 2})).all()
    state = state_of(store, planned(store, small)[0])
    assert (state.done, state.left) == (2, 2)
    assert state.seconds_left > 0


def test_names_of_axes_and_results_are_kept_apart(tmp_path):
    """Results that are known when a training is done only give way to an axis, and parameters of rows give way to results."""
    pair = {"rows": [["mse", 0.1], ["sse", 0.2]], "sets": ["loss", "learning_rate"]}
    axes = {"pair": pair, "output_bias": {"values": [1.0], "sets": ["positive.xi"]}}
    biased = training(network={"kind": "Committee", "K": 1, "output_bias": True})
    store, small = Store(tmp_path), read_sweep(definition(axes, training=biased))
    planned(store, small)
    assert do_block(store, small, 0).state == "done"
    found = open_sweep(small, store)
    assert found.output_bias.values.tolist() == [1.0]
    assert found.record_output_bias.dims == found.loss.dims == ("pair", "output_bias")
    assert found.set_loss.values.tolist() == ["mse", "sse"]
    assert np.isfinite(found.record_output_bias).any()


def test_measures_of_ones_own_are_refused_as_axes():
    axes = {"width": {"values": [1.0], "sets": ["positive.xi"]}}
    with pytest.raises(UserError, match="An axis of a grid cannot be called 'width', which its record has"):
        sweep(training(), axes, measures={"width": lambda w: w.sum("position")})


def test_a_dataset_that_is_open_sees_what_is_done_later(tmp_path):
    store, small = Store(tmp_path), read_sweep(definition({"seed": 2}))
    planned(store, small)
    found = open_sweep(small, store)
    assert list(found.data_vars) == ["loss", "status", "seconds"]
    run_sweep(small, store)
    assert np.isfinite(found.loss.values).all()
    assert (found.seconds.values > 0).all()


def test_values_are_read_when_they_are_used(half, monkeypatch):
    store, small = half
    read = []
    monkeypatch.setattr(
        results,
        "open_variables",
        lambda path, names, real=results.open_variables: read.append((path.name, names)) or real(path, names),
    )
    found = open_sweep(small, store)
    read.clear()
    assert np.isfinite(float(found.loss.isel({"network.K": 1, "seed": 0})))
    assert [names for _, names in read] == [("loss",)]


def test_selections_are_those_of_the_whole(half):
    store, small = half
    whole = open_sweep(small, store).fields.load()
    lazy = open_sweep(small, store).fields
    for key in [
        {"network.K": 1},
        {"seed": [1, 0], "position": slice(1, 5, 2)},
        {"network.K": [1], "unit": 1, "position": [3, 0]},
        {"network.K": 1, "seed": 1, "unit": 0, "position": 2},
        {"position": slice(None, None, -1)},
    ]:
        np.testing.assert_array_equal(lazy.isel(key), whole.isel(key))
    assert lazy.isel({"seed": 0}).sel({"network.K": 2}).mean("position").dims == ("unit",)


def test_points_of_unequal_size_are_filled_up_with_nan(tmp_path):
    found = sweep(definition()["training"], AXES, store=tmp_path, keep=["fields"], progress=False)
    assert np.isnan(found.fields.sel({"network.K": 1}).isel(unit=1)).all()
    assert np.isfinite(found.fields.sel({"network.K": 1}).isel(unit=0)).all()
    assert np.isfinite(found.ipr.sel({"network.K": 2})).all()
    assert found.unit.values.tolist() == [0, 1]


def test_a_sweep_that_was_not_begun_is_one_sentence(tmp_path):
    with pytest.raises(UserError, match=r"is not in the store .* run it by"):
        open_sweep(read_sweep(definition()), tmp_path)
    with pytest.raises(UserError, match="is named by its TOML file"):
        open_sweep("../../etc/passwd", tmp_path)


def test_points_of_an_experiment_are_entries_like_any_other(tmp_path):
    study, store = experiments.get("fourier-basis"), Store(tmp_path)
    alone = run(study, resolve(study, overrides={"n": 12, "seed": 1}), store)
    found = sweep(study, n=[8, 12], seed=2, store=store, progress=False)
    assert len(store.entries()) == 4
    assert found.off_diagonal.dims == ("n", "seed", "transform", "boundary", "xi")
    np.testing.assert_array_equal(found.off_diagonal.sel(n=12, seed=1), alone.record.off_diagonal)
    assert found.boundary.values.tolist() == ["ring", "line"]
    assert "basis" not in found  # it has as many positions as n
    assert run(study, resolve(study, overrides={"n": 8, "seed": 0}), store).reused


def test_experiments_that_fail_are_told_and_do_not_stop_the_others(tmp_path):
    study = experiments.get("fourier-basis")
    found = sweep(study, n=[8, -3], store=tmp_path, progress=False)
    assert np.isfinite(found.seconds.values).tolist() == [True, False]
    small = read_sweep({"name": "fourier-basis", "experiment": "fourier-basis", "axes": {"n": [8, -3]}}, experiments.get)
    state = state_of(Store(tmp_path), planned(Store(tmp_path), small)[0])
    assert (state.done, state.failed) == (1, 1)
    assert "n must be" in next(iter(state.errors))
