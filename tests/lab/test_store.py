import hashlib
import math
import os
from pathlib import Path

import pytest
from lab_blocks import edit
from lab_toy import ToyParameters, toy

from gatefield.core.errors import StoreError
from gatefield.core.version import __version__
from gatefield.lab import Store, open_record, run
from gatefield.lab.store.format import RECORD_FORMAT
from gatefield.lab.store.store import run_id


def test_ids_are_the_hash_of_name_parameters_and_format():
    text = '{"experiment":"toy","format":1,"parameters":{"gain":"Infinity","seconds":0.0,"size":5}}'
    expected = hashlib.sha256(text.encode()).hexdigest()[:12]
    assert RECORD_FORMAT == 1
    assert run_id("toy", ToyParameters()) == expected == "2cdb05103b5a"
    assert run_id("toy", {"size": 5, "seconds": 0.0, "gain": math.inf}) == expected


def test_ids_differ_with_anything():
    ids = {
        run_id("toy", ToyParameters()),
        run_id("toys", ToyParameters()),
        run_id("toy", ToyParameters(size=6)),
        run_id("toy", ToyParameters(gain=0.1)),
    }
    assert len(ids) == 4


def test_a_store_is_shown_as_it_was_made(tmp_path):
    assert repr(Store(tmp_path)) == f"Store('{tmp_path}')"


def test_an_absent_entry(tmp_path):
    entry = Store(tmp_path / "not" / "there").entry("toy", ToyParameters())
    assert entry.status == "absent"
    assert entry.path == tmp_path / "not" / "there" / "toy" / entry.id
    assert entry.parameters == {"size": 5, "gain": "Infinity", "seconds": 0.0}
    assert Store(tmp_path / "not" / "there").entries() == []
    assert entry.verdicts() == []


def test_entries_are_all_runs_in_order(tmp_path):
    store = Store(tmp_path)
    outcomes = [run(toy(), ToyParameters(size=size), store) for size in (2, 3, 4)]
    entries = store.entries()
    assert [entry.path for entry in entries] == sorted(outcome.entry.path for outcome in outcomes)
    assert {entry.parameters["size"] for entry in entries} == {2, 3, 4}
    assert all(entry.status == "finished" and entry.problem is None and entry.name == "toy" for entry in entries)
    assert entries[0].record().attrs["experiment"] == "toy"


def break_marker(path):
    (path / "record" / "committed.json").write_text("")


def remove_marker(path):
    (path / "record" / "committed.json").unlink()


def foreign_format(path):
    edit(path / "about.json", format=7, gatefield="3.2.1")


@pytest.mark.parametrize(
    ("harm", "sentence"),
    [
        (break_marker, "committed.json cannot be read: `gatefield run toy --set "),
        (remove_marker, "committed.json is missing: `gatefield run toy --set "),
        (foreign_format, f"has format 7, but gatefield {__version__} reads format 1: open it with the version that made it"),
    ],
)
def test_a_broken_entry_is_listed_with_its_problem_and_its_parameters(tmp_path, harm, sentence):
    store = Store(tmp_path)
    broken, well = (run(toy(), ToyParameters(size=size), store).entry for size in (2, 3))
    harm(broken.path)
    found = {entry.id: entry for entry in store.entries()}
    assert found[well.id].problem is None
    assert sentence in str(found[broken.id].problem)
    assert found[broken.id].parameters == ({} if harm is foreign_format else broken.parameters)


def test_the_disk_is_asked_once_for_a_status(tmp_path, monkeypatch):
    store, asked = Store(tmp_path), []
    run(toy(), ToyParameters(), store)
    for name in ("listdir", "scandir", "stat"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *args, real=real, **kwargs: (asked.append(args), real(*args, **kwargs))[1])
    for size, status in ((5, "finished"), (6, "absent")):
        entry = store.entry("toy", ToyParameters(size=size))
        asked.clear()
        assert entry.status == status
        assert [Path(path) for (path,) in asked] == [entry.path]


def test_what_is_not_an_entry_is_passed_over(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "toy" / "figures").mkdir(parents=True)
    (tmp_path / "toy" / "0123456789ab").mkdir()  # a kill right after the folder was made
    assert Store(tmp_path).entries() == []


def test_a_store_that_is_a_file(tmp_path):
    (tmp_path / "store").write_text("")
    with pytest.raises(StoreError, match="store' is a file: give a folder"):
        Store(tmp_path / "store").entries()


def test_an_entry_opens_by_its_folder(tmp_path):
    outcome = run(toy(), ToyParameters(), Store(tmp_path))
    assert open_record(outcome.entry.path).identical(outcome.record)
    assert open_record(outcome.entry.path / "record").identical(outcome.record)
    with pytest.raises(StoreError, match=f"give one of those in it: toy/{outcome.entry.id}"):
        open_record(tmp_path)
