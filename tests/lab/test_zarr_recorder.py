import os
import time
import warnings

import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr
import zarr
from lab_blocks import block_of, edit, following, layout, record, start

from gatefield.core.errors import StoreError
from gatefield.dynamics import MemoryRecorder
from gatefield.lab import ZarrRecorder, open_record


def some_commits(path, commits, total=10, block=3):
    recorder = ZarrRecorder(path)
    assert recorder.find("abc", start()) is None
    recorder.create(layout(total, block))
    state = start()
    for number in range(commits):
        rows, state = block_of(state, min(block, total - number * block))
        recorder.commit(number * block, rows, state)
    return recorder, state


def in_memory(total=10, block=3):
    recorder, state = MemoryRecorder(), start()
    recorder.create(layout(total, block))
    for begin in range(0, total, block):
        rows, state = block_of(state, min(block, total - begin))
        recorder.commit(begin, rows, state)
    return recorder.dataset(), state


def test_a_recorded_run_is_what_memory_holds(tmp_path):
    expected, _ = in_memory()
    made = record(tmp_path / "run", 10, 3)
    xr.testing.assert_equal(made, expected)
    assert list(made) == list(expected)
    assert list(made.coords) == list(expected.coords)
    assert made.fields.dtype == np.float32
    assert made.name.dtype.kind == "U"


def test_attributes_are_plain(tmp_path):
    made = record(tmp_path / "run", 10, 3)
    assert made.attrs == {"gain": "Infinity", "labels": [1.0, 0.0], "bias": 0, "complete": 1}
    assert made.time.attrs == {"units": "tau"}
    assert made.status.attrs == {"flag_values": [0, 1]}


def test_find_gives_the_committed_records_and_their_state(tmp_path):
    _, state = some_commits(tmp_path, 2)
    found = ZarrRecorder(tmp_path).find("abc", start())
    assert found is not None
    assert (found.records, found.block) == (6, 3)
    np.testing.assert_array_equal(found.state["weights"], state["weights"])
    assert found.state["count"] == 6


def test_going_on_ends_in_the_same_numbers(tmp_path):
    some_commits(tmp_path / "cut", 2)
    assert record(tmp_path / "cut", 10, 3).identical(record(tmp_path / "whole", 10, 3))


def test_a_finished_run_is_found_whole(tmp_path):
    record(tmp_path, 10, 3)
    found = ZarrRecorder(tmp_path).find("abc", start())
    assert found is not None
    assert found.records == 10
    assert found.state["count"] == 10


def test_a_network_that_is_not_kept_leaves_its_records_and_no_checkpoint(tmp_path):
    recorder, state = some_commits(tmp_path, 2, total=8)
    rows, _ = block_of(state, 2)
    recorder.commit(6, rows, None)
    assert not list(tmp_path.glob("checkpoint*"))
    found = ZarrRecorder(tmp_path).find("abc", start())
    assert (found.records, found.state) == (8, None)
    assert open_record(tmp_path).sizes["step"] == 8


def test_an_unfinished_record_shows_only_what_was_committed(tmp_path):
    recorder, _ = some_commits(tmp_path, 2)
    for seen in (recorder.dataset(), open_record(tmp_path)):
        assert seen.sizes["step"] == 6
        assert seen.step.values.tolist() == [0, 10, 20, 30, 40, 50]
        assert seen.attrs["complete"] == 0


def test_nothing_committed_is_nothing_found(tmp_path):
    some_commits(tmp_path, 0)
    (tmp_path / "data.zarr" / "fields" / "left-over").write_text("from a killed run")
    assert ZarrRecorder(tmp_path).find("abc", start()) is None
    assert record(tmp_path, 10, 3).sizes["step"] == 10
    assert not (tmp_path / "data.zarr" / "fields" / "left-over").exists()


def test_before_anything_there_is_an_empty_dataset(tmp_path):
    assert not ZarrRecorder(tmp_path).dataset()


def test_only_the_last_checkpoint_stays(tmp_path):
    some_commits(tmp_path, 3)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["checkpoint-000000009.eqx", "committed.json", "data.zarr"]


def test_a_commit_leaves_earlier_chunks_alone(tmp_path):
    recorder, state = some_commits(tmp_path, 2)
    chunks = [path for path in (tmp_path / "data.zarr").rglob("*") if path.is_file()]
    before = {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in chunks}
    recorder.commit(6, block_of(state, 3)[0], state)
    assert before == {path: (path.stat().st_mtime_ns, path.stat().st_ino) for path in chunks}


def test_any_reader_opens_the_group(tmp_path):
    record(tmp_path, 10, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain = xr.open_zarr(tmp_path / "data.zarr")
    np.testing.assert_array_equal(plain.fields, in_memory()[0].fields)
    assert set(plain.coords) == {"step", "time", "name", "unit"}
    array = zarr.open_array(tmp_path / "data.zarr" / "fields", mode="r")
    assert array.chunks == (3, 3, 5)
    assert "crc32c" in (tmp_path / "data.zarr" / "fields" / "zarr.json").read_text()


def test_records_to_come_read_as_nan(tmp_path):
    some_commits(tmp_path, 1)
    plain = xr.open_zarr(tmp_path / "data.zarr")
    assert plain.sizes["step"] == 10
    assert np.isnan(plain.loss[:, 3:]).all()


def test_chunks_of_fill_values_are_written_too(tmp_path):
    record(tmp_path, 10, 3)  # status is all zero, the fill value
    assert len(list((tmp_path / "data.zarr" / "status" / "c").rglob("*"))) == 1 + 4


def test_jax_states_come_back(tmp_path):
    recorder = ZarrRecorder(tmp_path)
    recorder.create(layout(4, 2))
    state = {"w": jnp.arange(3.0), "n": jnp.int32(7)}
    recorder.commit(0, block_of(start(), 2)[0], state)
    found = ZarrRecorder(tmp_path).find("abc", {"w": jnp.zeros(3), "n": jnp.int32(0)})
    assert found is not None
    assert found.state["w"].tolist() == [0.0, 1.0, 2.0]
    assert found.state["n"] == 7


def test_a_block_larger_than_the_record(tmp_path):
    assert record(tmp_path, 4, 100).identical(record(tmp_path / "b", 4, 4))


def test_a_block_out_of_place_is_refused(tmp_path):
    recorder, state = some_commits(tmp_path, 1)
    rows, state = block_of(state, 3)
    with pytest.raises(ValueError, match="next commit starts at 3"):
        recorder.commit(6, rows, state)
    with pytest.raises(ValueError, match="with shapes"):
        recorder.commit(3, {"loss": rows["loss"]}, state)
    with pytest.raises(RuntimeError, match="`find` or `create`"):
        ZarrRecorder(tmp_path).commit(0, rows, state)


def test_another_run_is_refused(tmp_path):
    some_commits(tmp_path, 1)
    with pytest.raises(
        StoreError,
        match=r"holds another run \(fingerprint abc, this one has xyz\): move it away, or record into another folder",
    ):
        ZarrRecorder(tmp_path).find("xyz", start())
    with pytest.raises(StoreError, match="holds a record already: move it away"):
        ZarrRecorder(tmp_path).create(layout(10, 3))


def test_only_the_version_that_began_a_run_continues_it(tmp_path):
    some_commits(tmp_path, 1)
    edit(tmp_path / "committed.json", gatefield="0.0.9")
    with pytest.raises(StoreError, match=r"begun by gatefield 0\.0\.9 and this is .*finish it with that version"):
        ZarrRecorder(tmp_path).find("abc", start())
    assert open_record(tmp_path).sizes["step"] == 3


class Crash(Exception):
    """Stands for a kill."""


@pytest.mark.slow
def test_a_crash_at_any_file_leaves_a_whole_number_of_commits(tmp_path, monkeypatch):
    """Each run is stopped one file later than the one before, until one is stopped no more."""
    whole, _ = in_memory(5)
    survived = 0
    for survived in range(1000):
        path, left = tmp_path / str(survived), survived

        def replace(*paths, real=os.replace):
            nonlocal left
            left -= 1
            if left < 0:
                raise Crash
            real(*paths)

        with monkeypatch.context() as patch:
            patch.setattr("os.replace", replace)
            try:
                record(path, 5, 3)
            except Crash:
                time.sleep(0.1)  # a kill ends zarr's other threads at once; here they must be given time to end
            else:
                break
        _check_whole_commits(path, whole)
    assert survived > 2 * 5  # two commits of three chunks, a checkpoint and a marker each


def _check_whole_commits(path, whole):
    found = ZarrRecorder(path).find("abc", start())
    records = found.records if found else 0
    assert records in (0, 3, 5)
    if found:
        xr.testing.assert_equal(open_record(path), whole.isel(step=slice(records)))
        state = start()
        for _ in range(records):
            state = following(state)
        np.testing.assert_array_equal(found.state["weights"], state["weights"])
    xr.testing.assert_equal(record(path, 5, 3), whole)
