"""Stores that cannot be written: no permission, files in the way, and disks that fill up at any write."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from lab_blocks import layout, record, start
from lab_toy import ToyParameters, toy
from zarr.storage import _local

from gatefield.core.errors import StoreError, UserError
from gatefield.lab import Store, ZarrRecorder, open_record, run, write_record


@contextlib.contextmanager
def mounted(folder, options):
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("mounting a small disk needs more rights than this user has")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


WRITERS = {
    "run": lambda path: run(toy(), ToyParameters(), Store(path)),
    "recorder": lambda path: ZarrRecorder(path).create(layout(10, 3)),
    "record": lambda path: write_record(path, xr.Dataset({"x": 1.0})),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_a_path_through_a_file(tmp_path, writer):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError) as error:
        WRITERS[writer](tmp_path / "file" / "store")
    assert str(error.value).startswith(f"Cannot write to '{tmp_path / 'file'}")
    assert str(error.value).endswith(
        ": nothing is written there, and what was there before is kept; choose a path that leads through folders only."
    )


@pytest.mark.parametrize("writer", ["run", "recorder"])
def test_a_store_that_is_a_file(tmp_path, writer):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(
        StoreError, match=r"\((file exists|not a directory)\): .*; choose a path that leads through folders only"
    ):
        WRITERS[writer](tmp_path / "file")


def forbid(path, mode, what):
    """Take rights away from this user, if that can be done."""
    path.chmod(mode)
    if os.access(path, what):
        pytest.skip("this user may read and write everything")


@pytest.mark.parametrize("writer", WRITERS)
def test_a_folder_that_may_not_be_written(tmp_path, writer):
    forbid(tmp_path, 0o500, os.W_OK)
    with pytest.raises(StoreError, match=r"\(permission denied\): .*; choose a folder that you may write to\.$"):
        WRITERS[writer](tmp_path / "store")


@pytest.mark.parametrize("file", ["committed.json", "data.zarr/zarr.json", "data.zarr/loss/zarr.json", "data.zarr/loss/c/0/0"])
def test_a_record_that_may_not_be_read(tmp_path, file):
    record(tmp_path, 10, 3)
    forbid(tmp_path / file, 0, os.R_OK)
    for read in (lambda: open_record(tmp_path), lambda: record(tmp_path, 10, 3)):
        with pytest.raises(StoreError, match=r"Cannot read '.*' \(permission denied\): give a path that you may read\."):
            read()


@pytest.mark.parametrize("writer", WRITERS)
def test_a_disk_that_may_not_be_written(tmp_path, writer):
    with (
        mounted(tmp_path / "disk", "ro,size=1m") as disk,
        pytest.raises(StoreError, match=r"\(read-only file system\): .*; choose a folder that you may write to\.$"),
    ):
        WRITERS[writer](disk / "store")


def test_a_finished_run_needs_no_writing(tmp_path):
    with mounted(tmp_path / "disk", "size=4m") as disk:
        run(toy(), ToyParameters(), Store(disk))
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        assert run(toy(), ToyParameters(), Store(disk)).reused


def test_a_full_disk_keeps_what_was_committed(tmp_path):
    whole = record(tmp_path / "whole", 200, 4)
    with mounted(tmp_path / "disk", "size=512k,nr_inodes=10k") as disk:
        with pytest.raises(StoreError) as error:
            record(disk / "run", 200, 4)
        kept = open_record(disk / "run").sizes["step"]
        assert 0 < kept < 200
        assert str(error.value) == (
            f"Cannot write to '{disk / 'run'}' (no space left on device): everything up to record {kept} of 200 "
            f"(step {10 * (kept - 1)}) is kept; free some space there and run the same command again."
        )
        xr.testing.assert_equal(open_record(disk / "run"), whole.isel(step=slice(kept)))
        subprocess.run(["mount", "-o", "remount,size=16m", str(disk)], check=True)
        assert record(disk / "run", 200, 4).identical(whole)


@pytest.mark.parametrize("room", range(4, 150, 12))
def test_a_disk_full_at_any_write_of_a_run(tmp_path, room):
    """However little room there is, the run ends in a sentence, and goes on when there is more."""
    with mounted(tmp_path / "disk", f"size={room}k") as disk:
        store = Store(disk / "store")
        try:
            run(toy(), ToyParameters(), store)
        except StoreError as error:
            assert "(no space left on device): " in str(error)  # noqa: PT017
            assert str(error).endswith(" kept; free some space there and run the same command again.")  # noqa: PT017
        subprocess.run(["mount", "-o", "remount,size=16m", str(disk)], check=True)
        assert run(toy(), ToyParameters(), store).record.sizes["x"] == 5


LIMITED = """
import resource, sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from lab_blocks import layout, start
import numpy as np
from gatefield.lab import ZarrRecorder
from gatefield.core.errors import StoreError

recorder = ZarrRecorder(Path(sys.argv[1]))
recorder.create(layout(8, 4))
rows = {"fields": np.zeros((3, 4, 5), "f4"), "loss": np.zeros((3, 4)), "status": np.zeros((3, 4), "i1")}
recorder.commit(0, rows, start())
for limit in (20, 200):  # stops the chunk, then the checkpoint
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        recorder.commit(4, rows, start())
    except StoreError as error:
        sys.stdout.write(f"{error}\\n")
"""


@pytest.mark.slow
def test_a_limit_on_file_sizes(tmp_path):
    command = [sys.executable, "-c", LIMITED, str(tmp_path / "run"), str(Path(__file__).parent)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == 2 * [
        f"Cannot write to '{tmp_path / 'run'}' (file too large): everything up to record 4 of 8 (step 30) is kept; "
        f"raise the limit on file sizes (ulimit -f) and run the same command again."
    ]
    assert open_record(tmp_path / "run").sizes["step"] == 4
    assert ZarrRecorder(tmp_path / "run").find("abc", start()) is not None


@pytest.mark.parametrize(
    "read", [lambda path: Store(path).entries(), WRITERS["run"], open_record], ids=["entries", "run", "open"]
)
def test_a_path_that_is_too_long(tmp_path, read):
    with pytest.raises(StoreError, match=r"\(file name too long\): .*choose a shorter path\.$") as error:
        read(tmp_path / (300 * "a"))
    assert len(str(error.value)) < 400


def test_a_folder_that_may_not_be_read_is_told(tmp_path, monkeypatch):
    entry = run(toy(), ToyParameters(), Store(tmp_path)).entry
    closed, listdir = entry.path.parent, os.listdir

    def forbidden(path):
        if Path(path).is_relative_to(closed):
            raise PermissionError(13, "Permission denied", str(path))
        return listdir(path)

    monkeypatch.setattr("os.listdir", forbidden)
    (found,) = Store(tmp_path).entries()
    assert (found.name, found.problem) == ("toy", f"Cannot read '{closed}' (permission denied): give a path that you may read.")
    with pytest.raises(StoreError, match=r"Cannot read '.*' \(permission denied\)"):
        run(toy(), ToyParameters(), Store(tmp_path))


def test_nothing_is_written_any_more_once_a_record_has_failed(tmp_path, monkeypatch, capfd):
    """Files of a record are written side by side: when one fails, another may still be at work."""
    real = _local._put

    def put(path, *args, **kwargs):
        if str(path).endswith("/a/zarr.json"):
            raise OSError(28, "No space left on device")
        time.sleep(0.1)
        return real(path, *args, **kwargs)

    monkeypatch.setattr(_local, "_put", put)
    dataset = xr.Dataset({name: ("i", np.arange(4.0)) for name in "abcd"})
    with pytest.raises(StoreError, match=r"\(no space left on device\): nothing of it is written; free some space"):
        write_record(tmp_path / "record", dataset)
    time.sleep(0.3)
    assert os.listdir(tmp_path) == []
    assert capfd.readouterr().err == ""


def test_a_full_disk_at_the_record_says_what_is_kept(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("gatefield.lab.store.records.write_arrays", full)
    with pytest.raises(StoreError, match=r"\(no space left on device\): nothing of it is kept; free some space there and run"):
        run(toy(), ToyParameters(), Store(tmp_path))
    record(Store(tmp_path).entry("toy", ToyParameters()).path / "parts" / "sgd", 6, 3)
    with pytest.raises(StoreError, match=r"\(no space left on device\): record 6 of 6 of sgd is kept; free some space there"):
        run(toy(), ToyParameters(), Store(tmp_path))


@pytest.mark.wrong_types
@pytest.mark.parametrize("value", [None, 3, b"run", "", "a\0b", ["run"]], ids=repr)
@pytest.mark.parametrize("reader", [Store, open_record, ZarrRecorder, lambda path: write_record(path, xr.Dataset())])
def test_what_is_no_path_is_one_sentence(reader, value):
    with pytest.raises(UserError, match=r"^(path|root) must be the path of a folder, but is .*; write for instance "):
        reader(value)
