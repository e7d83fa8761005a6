"""Blocks: trained together as alone, done once, busy, failed, tried again."""

import subprocess
import sys
import time
from pathlib import Path

import jax
import numpy as np
import pytest
import xarray as xr
from sweep_small import definition, training

from gatefield import Committee, Diverged, Task, train
from gatefield.core.errors import StoreError, UserError
from gatefield.data import NonlinearGP
from gatefield.lab import Store, do_block, foreseen, open_sweep, planned, read_sweep, run_sweep, state_of, sweep
from gatefield.lab.store.lock import locked
from gatefield.measures import ipr


def single(gain, seed, rate=0.05):
    """A point by hand: one training with the keys that the documentation of `Training` names."""
    key = jax.random.key(seed)
    task = Task(NonlinearGP(6, 2.0, gain), NonlinearGP(6, 1.0, gain))
    net = Committee(6, 1, key=jax.random.fold_in(key, 0))
    return train(net, task, steps=6, batch_size=8, learning_rate=rate, key=jax.random.fold_in(key, 1), progress=False).record


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A sweep that is done: two gains, three seeds, with all that can be kept."""
    store = Store(tmp_path_factory.mktemp("done"))
    small = read_sweep(definition(keep=["history", "fields"], measures=["ipr", "entropies", "peak_position"]))
    run_sweep(small, store)
    return store, small, open_sweep(small, store)


@pytest.mark.parametrize(("gain", "seed"), [(0.5, 0), (3.0, 2)])
def test_a_point_is_the_training_that_it_describes(done, gain, seed):
    record = single(gain, seed).isel(run=0)
    point = done[2].sel(gain=gain, seed=seed)
    np.testing.assert_allclose(point.fields, record.fields.isel(step=-1), rtol=1e-5)
    np.testing.assert_allclose(point.loss, record.loss[-1], rtol=1e-5)
    np.testing.assert_allclose(point.loss_history, record.loss, rtol=1e-5)
    np.testing.assert_allclose(point.ipr, ipr(record.fields.isel(step=-1)), rtol=1e-5)
    assert float(point.status) == 0
    assert int(point.peak_position[0]) == int(np.argmax(np.abs(record.fields.isel(step=-1).values)))
    assert point.position_entropy.attrs["units"] == "nat"


def test_what_is_kept_is_foreseen(done):
    _, small, found = done
    beside = {name: {dim: found.sizes[dim] for dim in one.dims if dim not in small.points.axes} for name, one in found.items()}
    beside.pop("loss_history")
    expected = foreseen(small)
    assert list(expected.pop("loss_history")) == ["step"]  # how many steps, only the training knows
    assert expected == beside


def test_a_sweep_that_is_stopped_says_how_many_points_are_done(tmp_path, monkeypatch):
    import gatefield.lab.sweeps.drive as module

    do_block, calls = module.do_block, []

    def interrupted(*args, **kwargs):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt("Stopped; the last commit is at step 0 of 6.")
        return do_block(*args, **kwargs)

    monkeypatch.setattr(module, "do_block", interrupted)
    two = read_sweep(definition({"positive.n": {"values": [6, 7], "sets": ["positive.n", "negative.n"]}, "seed": 2}))
    with pytest.raises(KeyboardInterrupt, match=r"^Stopped; 2 of 4 points are done\.$"):
        run_sweep(two, Store(tmp_path))


def test_a_padded_block_gives_its_points_and_nothing_else(tmp_path, monkeypatch, done):
    import gatefield.lab.sweeps.planner as module
    from gatefield.lab.sweeps.trainings.groups import Size

    monkeypatch.setattr(module, "size_of", lambda *_: Size(4, 4))
    small = read_sweep(definition())
    plan, _ = planned(Store(tmp_path), small)
    assert plan.runs == (4, 4)
    run_sweep(small, Store(tmp_path))
    np.testing.assert_allclose(open_sweep(small, tmp_path).loss, done[2].loss, rtol=1e-5)


def test_a_block_is_done_once(done):
    store, small, _ = done
    before = sorted((path, path.stat().st_mtime_ns) for path in Path(store.root).rglob("*") if path.is_file())
    outcome = do_block(store, small, 0)
    assert (outcome.state, outcome.points) == ("found", 6)
    assert do_block(store, small.name, 0).state == "found"  # by its name in the store, as a worker has it
    assert do_block(str(store.root), small.name, 0).state == "found"
    after = sorted((path, path.stat().st_mtime_ns) for path in Path(store.root).rglob("*") if path.is_file())
    assert before == after
    assert not list(Path(store.root).rglob("parts/*"))


def test_a_block_of_another_process_is_busy(tmp_path):
    small, store = read_sweep(definition()), Store(tmp_path)
    plan, _ = planned(store, small)
    with locked(tmp_path / "sweeps" / "blocks" / f".{plan.blocks[0]}.lock", "Run"):
        assert do_block(store, small, 0).state == "busy"
        state = state_of(store, plan)
        assert (state.done, state.running, state.left) == (0, 6, 0)
    state = state_of(store, plan)
    assert (state.running, state.left, state.seconds_left) == (0, 6, None)


def test_points_that_cannot_be_made_do_not_stop_the_others(tmp_path):
    """A wrong value along one axis, found when the sweep is planned; and one that is wrong in one combination only."""
    axes = {
        "positive.gain": [1.0, -1.0],
        "width": {"rows": [[6, 6], [6, 7]], "sets": ["positive.n", "negative.n"]},
    }
    small, store = read_sweep(definition(axes)), Store(tmp_path)
    swept = run_sweep(small, store)
    found = open_sweep(small, store)
    assert found.status.values.tolist() == [[0.0, 2.0], [2.0, 2.0]]
    assert np.isfinite(found.loss.values).tolist() == [[True, False], [False, False]]
    state = state_of(store, swept.plan)
    assert (state.done, state.failed, state.left) == (1, 3, 0)
    assert sum(state.errors.values()) == 3
    assert any("gain must be zero or more" in text for text in state.errors)
    assert any("same number of sites" in text for text in state.errors)
    again = run_sweep(small, store)
    assert again.computed == 0
    assert sum(len(errors) for errors in again.errors.values()) == 3  # told again


def recipe_with(wrong):
    def recipe(gain, seed):
        if gain == wrong:
            raise RuntimeError(f"no sources at gain {gain}")
        key = jax.random.key(seed)
        task = Task(NonlinearGP(6, 2.0, gain), NonlinearGP(6, 1.0, gain))
        settings = {"steps": 6, "batch_size": 8, "learning_rate": 0.05, "key": jax.random.fold_in(key, 1)}
        return Committee(6, 1, key=jax.random.fold_in(key, 0)), task, settings

    return recipe


def test_a_recipe_is_swept_like_a_table(tmp_path, done):
    found = sweep(recipe_with(None), gain=[0.5, 3.0], seed=3, store=tmp_path, measures={"top": largest}, progress=False)
    np.testing.assert_allclose(found.loss, done[2].loss, rtol=1e-5)
    np.testing.assert_allclose(found.top, abs(done[2].fields).max("position"), rtol=1e-5)


def largest(fields: xr.DataArray) -> xr.DataArray:
    return abs(fields).max("position")


def test_a_failure_of_a_recipe_is_kept_and_tried_again(tmp_path):
    """In a block with points that can be made; and after the world has changed, as seen by the same function."""
    flag = tmp_path / "flag"

    def recipe(gain, seed):
        if seed == 1 and not flag.exists():
            raise OSError("no flag")
        return recipe_with(None)(gain, seed)

    settings = {"gain": {"from": 0.5, "to": 3.0, "count": 2}, "seed": {"values": list(range(70))}, "store": tmp_path / "store"}
    first = sweep(recipe, **settings, progress=False)
    assert int((first.status == 2).sum()) == 2
    flag.touch()
    second = sweep(recipe, **settings, progress=False)
    assert int((second.status == 0).sum()) == 140
    np.testing.assert_array_equal(first.loss.isel(seed=0), second.loss.isel(seed=0))


def test_a_point_that_diverges_is_a_status(tmp_path):
    small = read_sweep(definition({"learning_rate": [0.05, 1e30]}, measures=["ipr", "peak_position"]))
    run_sweep(small, Store(tmp_path))
    found = open_sweep(small, tmp_path)
    assert found.status.values.tolist() == [0.0, 1.0]
    assert np.isfinite(found.ipr.values[:, 0]).tolist() == [True, False]
    assert np.isfinite(found.peak_position.values[:, 0]).tolist() == [True, False]
    with pytest.warns(Diverged):
        single(1.0, 0, rate=1e30)


@pytest.mark.parametrize(
    ("recipe", "text"),
    [
        (lambda gain: 3, "must return (network, task, settings for train), but returned 3"),
        (lambda gain: (1, 2, {"step": 3}), "Unknown setting of a training 'step': did you mean 'steps'?"),
    ],
)
def test_a_wrong_recipe_is_one_sentence(tmp_path, recipe, text):
    with pytest.raises(UserError) as error:
        sweep(recipe, gain=[1.0], name="wrong", store=tmp_path, progress=False)
    assert text in str(error.value)


def test_a_damaged_block_is_told_by_its_file(tmp_path):
    small, store = read_sweep(definition()), Store(tmp_path)
    run_sweep(small, store)
    chunk = next(path for path in tmp_path.rglob("record/data.zarr/ipr/c/**/*") if path.is_file())
    chunk.write_bytes(chunk.read_bytes()[:-1] + b"\x00")
    found = open_sweep(small, store)
    with pytest.raises(StoreError, match="does not match its checksum"):
        found.ipr.load()
    assert np.isfinite(found.loss.values).all()


@pytest.mark.parametrize("moved", [".", "record"])
def test_a_block_in_the_place_of_another_is_not_taken_for_it(tmp_path, moved):
    """Two sweeps of the same shape: the numbers of one are wrong in the other."""
    one, other = read_sweep(definition()), read_sweep(definition(training=training(learning_rate=0.2)))
    store = Store(tmp_path)
    first, second = (run_sweep(sweep, store).plan.blocks[0] for sweep in (one, other))
    folder = tmp_path / "sweeps" / "blocks"
    found = open_sweep(one, store)
    (folder / first / moved).resolve().rename(tmp_path / "aside")
    (folder / second / moved).resolve().rename((folder / first / moved).resolve())
    sentence = rf"{first}/record' is corrupted, since data.zarr/zarr.json does not belong to this run: move"
    with pytest.raises(StoreError, match=sentence):
        open_sweep(one, store).load()
    for name in ("ipr", "seconds"):
        with pytest.raises(StoreError, match=sentence):
            found[name].load()


def test_a_block_that_was_damaged_on_the_way_begins_anew(tmp_path, monkeypatch, done):
    """An interruption after the first commit, then a chunk that is not as it was written."""
    from gatefield.dynamics.train import session

    small, store, calls = read_sweep(definition(training=training(record_every=1))), Store(tmp_path), []

    def stop(done_steps, total):
        calls.append(done_steps)
        if done_steps:
            raise KeyboardInterrupt

    monkeypatch.setattr(session, "SECONDS_PER_COMMIT", 0.0)  # commits of two records
    with pytest.raises(KeyboardInterrupt):
        do_block(store, small, 0, progress=lambda part, steps, total: stop(steps, total))
    chunk = next(path for path in tmp_path.rglob("parts/trained/data.zarr/loss/c/**/*") if path.is_file())
    chunk.write_bytes(b"\x00" + chunk.read_bytes()[1:])
    assert do_block(store, small, 0).state == "done"
    np.testing.assert_allclose(open_sweep(small, store).loss, done[2].loss, rtol=1e-5)
    assert len(list(tmp_path.rglob("*.old-1"))) == 1


def command(store, steps):
    script = Path(__file__).with_name("sweep_small.py")
    return subprocess.Popen([sys.executable, "-W", "ignore", str(script), str(store), str(steps)])


def content(store, steps):
    long = read_sweep(definition(training=training(steps=steps, batch_size=200)))
    return open_sweep(long, store).drop_vars("seconds").load()


def test_a_kill_costs_nothing_and_changes_no_bit(tmp_path):
    """A process is killed between commits of a block; another one goes on, beside a second one that waits for it."""
    steps = 4_000
    with command(tmp_path / "killed", steps) as process:
        patience = time.monotonic() + 100
        while not list((tmp_path / "killed").rglob("parts/trained/committed.json")) and time.monotonic() < patience:
            time.sleep(0.01)
        process.kill()
    assert process.wait() == -9
    killed = tmp_path / "killed" / "sweeps" / "blocks"
    assert list(killed.rglob("parts/trained/committed.json"))
    assert not list(killed.rglob("record"))
    with command(tmp_path / "killed", steps) as one, command(tmp_path / "killed", steps) as two:
        assert one.wait() == two.wait() == 0
    run_sweep(read_sweep(definition(training=training(steps=steps, batch_size=200))), Store(tmp_path / "whole"))
    xr.testing.assert_identical(
        content(tmp_path / "killed", steps).drop_attrs(deep=False), content(tmp_path / "whole", steps).drop_attrs(deep=False)
    )
    records = [xr.open_zarr(next((tmp_path / name).rglob("record/data.zarr"))) for name in ("killed", "whole")]
    assert [record.attrs["resumed"] for record in records] == [1, 0]


def test_a_sweep_with_functions_is_not_made_again_from_the_store(tmp_path):
    sweep(training(), {"seed": 2}, name="own", measures={"top": largest}, store=tmp_path, progress=False)
    name = next((tmp_path / "sweeps").glob("own-*.json")).stem
    with pytest.raises(UserError, match="pass the sweep itself"):
        do_block(Store(tmp_path), name, 0)
    with pytest.raises(UserError, match="There is no sweep 'none-000000000000'"):
        do_block(Store(tmp_path), "none-000000000000", 0)
