"""What has to be on the disk itself before a name says that it is there: a kill never shows this, a power cut does."""

import os
from pathlib import Path

import pytest
import xarray as xr
from lab_blocks import block_of, layout, start

from gatefield.lab import ZarrRecorder, write_record
from gatefield.lab.store.disk import replace_file


class Spy:
    """Remembers which files were synced, by inode and size, and what was on the disk when a name was given."""

    def __init__(self, monkeypatch):
        self.synced: set[tuple[int, int]] = set()
        self.named: dict[str, list[list[Path]]] = {}
        for name in ("replace", "rename"):
            monkeypatch.setattr(os, name, self.naming(getattr(os, name)))
        monkeypatch.setattr(os, "fsync", self.syncing(os.fsync))

    def syncing(self, real):
        def fsync(file):
            self.synced.add(_identity(os.fstat(file)))
            real(file)

        return fsync

    def naming(self, real):
        def name(source, target):
            folder = Path(source) if Path(source).is_dir() else Path(source).parent
            files = [path for path in folder.rglob("*") if path.is_file()] if self.looks_at(target) else []
            late = [path for path in files if _identity(path.stat()) not in self.synced]
            self.named.setdefault(Path(target).name, []).append(late)
            real(source, target)

        return name

    def looks_at(self, target):
        return "data.zarr" not in Path(target).parts  # the chunks themselves are synced after they have their names


def _identity(stat):
    return stat.st_ino, stat.st_size


@pytest.fixture
def spy(monkeypatch):
    return Spy(monkeypatch)


def test_a_file_is_on_the_disk_whole_before_it_replaces_the_old_one(tmp_path, spy):
    replace_file(tmp_path / "marker", b"old")
    replace_file(tmp_path / "marker", b"newer")
    assert spy.named == {"marker": [[], []]}
    assert (tmp_path / "marker").read_bytes() == b"newer"


def test_every_file_of_a_commit_is_on_the_disk_before_the_marker(tmp_path, spy):
    recorder, state = ZarrRecorder(tmp_path), start()
    recorder.create(layout(7, 3))
    for begin in (0, 3, 6):
        rows, state = block_of(state, min(3, 7 - begin))
        recorder.commit(begin, rows, state)
    assert spy.named["committed.json"] == [[], [], []]
    assert len(list((tmp_path / "data.zarr" / "fields" / "c").rglob("*"))) == 1 + 3 + 3  # the spy had chunks to look at


def test_every_file_of_a_record_is_on_the_disk_before_it_has_its_name(tmp_path, spy):
    write_record(tmp_path / "record", xr.Dataset({"loss": ("step", [0.5, 0.25])}, {"step": [0, 10]}))
    assert spy.named["record"] == [[]]
    assert len([path for path in (tmp_path / "record").rglob("*") if path.is_file()]) == 1 + 1 + 2 * 2
