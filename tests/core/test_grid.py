"""Grids against plain loops over their axes."""

import copy
import itertools

import jax
import numpy as np
import pytest
import xarray as xr

from gatefield import Committee, Grid, UserError
from gatefield.core.grid import check_grid
from gatefield.data import NonlinearGP

ORDER, GAIN, SEEDS = ["up", "down"], [0.5, 1.0, 3.0], 4
GRID = Grid(order=ORDER, gain=GAIN, seed=SEEDS)
RUNS = list(itertools.product(ORDER, GAIN, range(SEEDS)))


def test_one_run_for_each_combination_the_last_axis_fastest():
    assert len(GRID) == len(RUNS) == 24
    assert list(zip(GRID.order, GRID.gain, GRID.seed, strict=True)) == RUNS
    assert GRID.shape == (2, 3, 4)
    assert repr(GRID) == "Grid(order=2, gain=3, seed=4), 24 runs"


def test_values_of_one_axis_are_shared_with_the_runs_that_have_it():
    scales = {gain: 10 * gain for gain in GAIN}
    assert GRID.share([scales[gain] for gain in GAIN], over="gain").tolist() == [scales[gain] for _, gain, _ in RUNS]
    fields = np.arange(8.0).reshape(4, 2)
    np.testing.assert_array_equal(GRID.share(fields, over="seed"), [fields[seed] for _, _, seed in RUNS])


@pytest.mark.parametrize("over", [("order", "seed"), ("seed", "order")])
def test_values_of_two_axes_in_either_order(over):
    sizes = {"order": 2, "seed": 4}
    table = np.arange(8).reshape([sizes[name] for name in over])
    at = [{"order": ORDER.index(order), "seed": seed} for order, _, seed in RUNS]
    assert GRID.share(table, over=over).tolist() == [table[tuple(one[name] for name in over)] for one in at]


def test_keys_and_networks_are_shared():
    keys = jax.random.split(jax.random.key(0), SEEDS)
    shared = GRID.share(keys, over="seed")
    assert (jax.random.key_data(shared) == jax.random.key_data(keys)[GRID.seed]).all()
    nets = Committee(5, 2, key=keys)
    np.testing.assert_array_equal(GRID.share(nets, over="seed").fields, nets.fields[GRID.seed])


def test_what_has_no_run_axis_stays_when_a_module_is_shared():
    source = NonlinearGP(6, xi=2.0, gain=GAIN)
    shared = GRID.share(source, over="gain")
    np.testing.assert_array_equal(shared.gain, GRID.gain)
    assert np.shape(shared.xi) == ()


def test_index_finds_the_run():
    for number, (order, gain, seed) in enumerate(RUNS):
        assert GRID.index(order=order, gain=gain, seed=seed) == number


def test_fold_and_unfold_put_each_run_at_its_place():
    values = np.array([[len(order), gain, seed] for order, gain, seed in RUNS])
    folded = GRID.fold(values)
    assert folded.shape == (2, 3, 4, 3)
    record = xr.Dataset(
        {"value": (("step", "run"), values.T), "shared": ("step", [1, 2, 3])},
        {"step": [0, 10, 20], "time": (("run", "step"), np.zeros((24, 3))), "key": ("run", np.arange(24))},
        {"note": "kept"},
    )
    unfolded = GRID.unfold(record)
    assert unfolded.value.dims == ("order", "gain", "seed", "step")
    for (order, gain, seed), expected in zip(RUNS, values, strict=True):
        assert unfolded.value.sel(order=order, gain=gain, seed=seed).values.tolist() == expected.tolist()
    assert unfolded.shared.dims == ("step",)
    assert unfolded.time.dims == ("order", "gain", "seed", "step")  # a learning rate may differ from run to run
    assert "key" not in unfolded.coords  # it can be drawn again from the seed
    assert unfolded.attrs == {"note": "kept"}


def test_a_copy_is_as_good():
    assert copy.deepcopy(GRID).gain.tolist() == GRID.gain.tolist()


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Grid(), "A grid needs at least one axis; write for instance Grid(gain=[1.0, 3.0], seed=8)."),
        (lambda: Grid(run=3), "An axis of a grid cannot be called 'run', which means something else there"),
        (lambda: Grid(shape=[1, 2]), "An axis of a grid cannot be called 'shape'"),
        (lambda: Grid(_gain=[1, 2]), "An axis of a grid cannot be called '_gain'"),
        (lambda: Grid(gain=[1.0, 2.0, 1.0]), "The values along the axis 'gain' of a grid must differ from each other, but are"),
        (lambda: Grid(gain=[]), "The axis 'gain' of a grid must be a list of numbers or names, or a whole number, but is []."),
        (lambda: Grid(gain=0), "must be a list of numbers or names, or a whole number, but is 0."),
        (lambda: Grid(gain=2.5), "must be a list of numbers or names, or a whole number, but is 2.5."),
        (lambda: Grid(gain=True), "must be a list of numbers or names, or a whole number, but is True."),
        (lambda: Grid(gain=[[1.0], [2.0]]), "must be a list of numbers or names, or a whole number, but is [[1.0], [2.0]]."),
        (lambda: Grid(gain=[[1, 2], [3]]), "must be a list of numbers or names, or a whole number, but is [[1, 2], [3]]."),
        (lambda: Grid(**{"": [1, 2]}), "An axis of a grid must be named by letters and digits, but has the name ''; write for"),
        (
            lambda: Grid(loss=[1, 2]).unfold(xr.Dataset({"loss": ("run", np.ones(2))})),
            "An axis of a grid cannot be called 'loss', which its record has for something else; choose another name.",
        ),
        (lambda: GRID.share([1, 2], over="gian"), "Unknown axis 'gian': did you mean 'gain'?"),
        (
            lambda: GRID.share([1, 2], over="gain"),
            "There must be 3 values along gain of Grid(order=2, gain=3, seed=4)",
        ),
        (
            lambda: GRID.share(np.ones((3, 2)), over=("order", "gain")),
            "There must be 2 x 3 values along order and gain of",
        ),
        (lambda: GRID.share(NonlinearGP(6, 2.0, 3.0), over="gain"), "but there are 1; give one for each."),
        (
            lambda: GRID.index(gain=0.5, seed=1),
            "24 runs have {'gain': 0.5, 'seed': 1}; give one value",
        ),
        (lambda: GRID.index(order="up", gain=0.7, seed=1), "0 runs of Grid("),
        (lambda: GRID.index(gian=1), "Unknown axis 'gian': did you mean 'gain'?"),
        (
            lambda: GRID.fold(np.ones(23)),
            "There must be 24 values along run of Grid(order=2, gain=3, seed=4)",
        ),
        (lambda: GRID.unfold(xr.Dataset({"loss": ("run", np.ones(7))})), "but there are 7; give one for each."),
    ],
)
def test_what_does_not_fit_is_one_sentence(make, sentence):
    with pytest.raises(UserError) as error:
        make()
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_an_unknown_axis_is_named_with_the_nearest_one():
    with pytest.raises(AttributeError, match=r"This grid has no axis 'gian'; did you mean 'gain'\? It has order, gain, seed"):
        GRID.gian  # noqa: B018


@pytest.mark.parametrize("name", ["run", "step", "unit", "position"])
def test_axes_of_records_are_taken(name):
    with pytest.raises(UserError, match=f"An axis of a grid cannot be called '{name}'"):
        Grid(**{name: [1, 2]})


@pytest.mark.parametrize("seeds", [10**9, 10**30])
def test_more_runs_than_there_is_memory_for_are_refused_before_they_are_listed(seeds):
    with pytest.raises(UserError, match=r"^A grid of [0-9,]+ runs \(2 along gain x 1,000,.* choose fewer along seed\.$"):
        Grid(gain=[1.0, 3.0], seed=seeds)


@pytest.mark.wrong_types
def test_runs_are_a_grid():
    with pytest.raises(UserError, match=r"runs must be a Grid, but is 3; write for instance runs=Grid\(seed=3\)"):
        check_grid(3)
    assert check_grid(GRID) is GRID
