"""A folder that is moved or deleted while it is written to: noticed at the next commit, nothing lost, no piecemeal folder."""

import os
import shutil
from pathlib import Path

import jax
import numpy as np
import pytest
import xarray as xr
from lab_blocks import block_of, layout, record, start
from lab_toy import ToyParameters, square, toy

from gatefield import Committee, Task
from gatefield.core.errors import StoreError
from gatefield.data import Gaussian
from gatefield.lab import Store, ZarrRecorder, open_record, run
from gatefield.lab.store.lock import locked
from gatefield.lab.store.rescue import Finished


def begun(path, commits, total=10, block=3):
    """A recorder after some commits, and what the next one takes."""
    recorder, state = ZarrRecorder(path), start()
    recorder.create(layout(total, block))
    for number in range(commits):
        rows, state = block_of(state, block)
        recorder.commit(number * block, rows, state)
    return recorder, (commits * block, *block_of(state, min(block, total - commits * block)))


def resumed(path, commits):
    begun(path, commits)
    recorder = ZarrRecorder(path)
    found = recorder.find("abc", start())
    return recorder, (found.records, *block_of(found.state, min(3, 10 - found.records)))


MAKERS = {"begun": begun, "resumed": resumed}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return record(tmp_path_factory.mktemp("whole") / "run", 10, 3)


@pytest.mark.parametrize(("maker", "commits"), [("begun", 1), ("resumed", 3)])
def test_a_folder_that_was_moved(tmp_path, whole, maker, commits):
    recorder, following = MAKERS[maker](tmp_path / "store" / "run", commits)
    (tmp_path / "store").rename(tmp_path / "moved")
    with pytest.raises(StoreError) as error:
        recorder.commit(*following)
    records = min(10, 3 * commits + 3)
    assert str(error.value) == (
        f"'{tmp_path / 'store'}' was moved to '{tmp_path / 'moved'}' while this run went on: everything up to record {records} "
        f"of 10 (step {10 * records - 10}) is kept in '{tmp_path / 'moved'}'; move that to '{tmp_path / 'store'}' and run the "
        f"same command again."
    )
    assert os.listdir(tmp_path) == ["moved"]
    assert record(tmp_path / "moved" / "run", 10, 3).identical(whole)


@pytest.mark.parametrize(("maker", "commits", "made_again"), [("begun", 1, False), ("resumed", 2, True), ("begun", 3, True)])
def test_a_folder_that_was_deleted(tmp_path, whole, maker, commits, made_again):
    recorder, following = MAKERS[maker](tmp_path / "store" / "run", commits)
    shutil.rmtree(tmp_path / "store")
    if made_again:
        (tmp_path / "store" / "run").mkdir(parents=True)
    with pytest.raises(StoreError, match=r"store' was deleted while this run went on|/run' lost files") as error:
        recorder.commit(*following)
    (rescued,) = tmp_path.rglob("*.rescued-1")
    assert f"is kept in '{rescued}'; move that to '{str(rescued).removesuffix('.rescued-1')}' and run the" in str(error.value)
    assert not list((tmp_path / "store").rglob("*.json")) or not made_again
    (folder,) = {path.parent for path in rescued.rglob("committed.json")}
    assert open_record(folder).sizes["step"] == min(10, 3 * commits + 3)
    assert record(folder, 10, 3).identical(whole)


@pytest.mark.parametrize("file", ["committed.json", "data.zarr/loss/c/0/1", "data.zarr/time/zarr.json"])
def test_files_that_are_lost_on_the_way(tmp_path, whole, file):
    """Most are missed at the next commit, a chunk in the middle at the last one."""
    recorder, following = begun(tmp_path / "run", 3)
    (tmp_path / "run" / file).unlink()
    with pytest.raises(StoreError, match=r"run' lost files while this run went on: everything up to record 10 of 10"):
        recorder.commit(*following)
    assert record(tmp_path / "run.rescued-1", 10, 3).identical(whole)


@pytest.mark.parametrize("how", ["moved", "deleted"])
def test_a_folder_that_goes_while_it_is_written(tmp_path, monkeypatch, whole, how):
    """zarr makes the folders anew that are gone; they do not stay."""
    recorder, following = begun(tmp_path / "run", 2)
    real = ZarrRecorder._write_rows

    def write(self, *args):
        monkeypatch.undo()
        (tmp_path / "run").rename(tmp_path / "moved")
        if how == "deleted":
            shutil.rmtree(tmp_path / "moved")
        real(self, *args)

    monkeypatch.setattr(ZarrRecorder, "_write_rows", write)
    with pytest.raises(StoreError, match=f"was {how}.* up to record 9 of 10"):
        recorder.commit(*following)
    (left,) = tmp_path.iterdir()
    assert record(left, 10, 3).identical(whole)


def test_a_folder_that_was_moved_and_emptied(tmp_path):
    recorder, following = begun(tmp_path / "run", 2)
    (tmp_path / "run").rename(tmp_path / "moved")
    shutil.rmtree(tmp_path / "moved" / "data.zarr")
    with pytest.raises(StoreError, match=r"run' was deleted while .* kept in '.*run\.rescued-1'"):
        recorder.commit(*following)
    assert open_record(tmp_path / "run.rescued-1").sizes["step"] == 9


def moving(store, target):
    """A simulation during which the store goes somewhere else, or nowhere."""

    def simulate(parameters, bench):
        Path(store).rename(target) if target else shutil.rmtree(store)
        return square(parameters, bench)

    return toy(simulate)


@pytest.mark.parametrize("target", ["moved", None])
def test_a_finished_record_outlives_its_store(tmp_path, target):
    store, new = tmp_path / "store", tmp_path / (target or "store.rescued-1")
    with pytest.raises(StoreError) as error:
        run(moving(store, target and new), ToyParameters(), Store(store))
    what = f"was moved to '{new}'" if target else "was deleted"
    assert str(error.value) == (
        f"'{store}' {what} while this run went on: the finished record is kept in '{new}'; move that to '{store}' and run the "
        f"same command again."
    )
    assert not store.exists()
    new.rename(store)
    assert run(toy(), ToyParameters(), Store(store)).reused


@pytest.mark.parametrize(("target", "sentence"), [("moved", "what was committed is kept in"), (None, "nothing of it is left")])
def test_no_part_is_begun_in_a_store_that_is_gone(tmp_path, target, sentence):
    def simulate(parameters, bench):
        Path(tmp_path / "store").rename(tmp_path / target) if target else shutil.rmtree(tmp_path / "store")
        return bench.train("sgd", None, None)

    with pytest.raises(StoreError, match=sentence):
        run(toy(simulate), ToyParameters(), Store(tmp_path / "store"))
    assert not (tmp_path / "store").exists()


def parts(parameters, bench):
    """Two that are finished soon, and one that is not."""
    kept = bench.keep("sums", lambda: xr.Dataset({"x": ("term", np.arange(5.0))}))
    task, net = Task(Gaussian(4, 2.0), Gaussian(4, 1.0)), Committee(4, 1, key=jax.random.key(0))
    settings = {"batch_size": 2, "learning_rate": 0.1, "record_every": 1, "chunk": 2, "key": jax.random.key(1)}
    bench.train("short", net, task, steps=2, **settings)
    fields = bench.train("long", net, task, steps=8, **settings).record.fields
    return xr.Dataset({"square": ("x", kept.x.values**2), "fields": (fields.dims, fields.values)})


@pytest.mark.parametrize(
    ("during", "kept"),
    [
        (("long", 0), "all of the finished parts sums, short is"),
        (("long", 3), "everything up to record 6 of 9 (step 5), and all of the finished parts sums, short, is"),
    ],
)
def test_finished_parts_outlive_their_store(tmp_path, during, kept):
    """Moved to where the store was, they are not computed again."""
    store, again = tmp_path / "store", []

    def delete(*said):
        if said[:2] == during:
            shutil.rmtree(store)

    with pytest.raises(StoreError) as error:
        run(toy(parts), ToyParameters(), Store(store), progress=delete)
    rescued = tmp_path / "store.rescued-1"
    assert f"'{store}' was deleted while this run went on: {kept} kept in '{rescued}'; move that to" in str(error.value)
    assert os.listdir(tmp_path) == ["store.rescued-1"]
    rescued.rename(store)
    outcome = run(toy(parts), ToyParameters(), Store(store), progress=lambda *said: again.append(said))
    whole = run(toy(parts), ToyParameters(), Store(tmp_path / "other"))
    assert outcome.resumed
    assert ("short", 0, 2) not in again
    assert outcome.record.drop_attrs().identical(whole.record.drop_attrs())


def test_parts_that_are_too_large_are_not_held(tmp_path, monkeypatch):
    monkeypatch.setattr("gatefield.lab.store.rescue.MOST", 10)
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "file").write_bytes(bytes(11))
    finished = Finished()
    finished.hold(tmp_path / "part")
    assert finished.write(tmp_path / "new") == []


def test_a_lock_that_was_removed_stops_the_run(tmp_path):
    def simulate(parameters, bench):
        next(tmp_path.rglob(".*.lock")).unlink()
        return bench.train("sgd", None, None)

    with pytest.raises(StoreError, match=r"lock' was removed while this run went on, .*: what was committed is kept; run"):
        run(toy(simulate), ToyParameters(), Store(tmp_path))


def test_a_lock_is_never_held_on_a_file_that_is_gone(tmp_path, monkeypatch):
    """Another process removes the file between its opening and its locking."""
    path, calls = tmp_path / "lock", []

    def flock(*_):
        calls.append(_)
        if len(calls) == 1:
            path.unlink()

    monkeypatch.setattr("fcntl.flock", flock)
    with locked(path, "Run x") as held:
        held()
    assert len(calls) == 2
