"""Files of a store that were edited, flipped, emptied or removed: noticed, told in one sentence, and no good record is lost."""

import json
import shutil

import pytest
from lab_blocks import block_of, edit, layout, record, start
from lab_toy import ToyParameters, toy

from gatefield.core.errors import StoreError
from gatefield.core.version import __version__
from gatefield.lab import Store, ZarrRecorder, open_record, run


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def cut(path):
    path.write_bytes(path.read_bytes()[:20])


def as_folder(path):
    path.unlink()
    path.mkdir()


def nested(path):
    path.write_text(100_000 * "[")


HARMS = {"flip": flip, "cut": cut, "remove": lambda path: path.unlink(), "folder": as_folder, "nested": nested}


@pytest.mark.parametrize("harm", [*HARMS, "parameters", "run"])
def test_about_is_made_anew_from_a_finished_record(tmp_path, harm):
    store, size = Store(tmp_path), 3
    entry = run(toy(), ToyParameters(size=size), store).entry
    about, file = entry.about(), entry.path / "about.json"
    if harm in HARMS:
        HARMS[harm](file)
    else:
        edit(file, seal=harm == "run", parameters={**entry.parameters, "size": 4})
    (found,) = store.entries()
    assert (found.problem, found.parameters, found.about().created) == (None, entry.parameters, about.created)
    outcome = run(toy(), ToyParameters(size=size), store)
    assert outcome.reused
    assert outcome.remarks == ("about.json was damaged, and is made anew from the record, which is whole.",)
    assert entry.read_about() == about
    assert not run(toy(), ToyParameters(size=size), store).remarks


def unfinished(store):
    study = toy(fails="simulate")
    with pytest.raises(RuntimeError):
        run(study, ToyParameters(), store)
    return study, store.entry("toy", ToyParameters())


@pytest.mark.parametrize("harm", HARMS)
def test_about_of_an_unfinished_run_is_made_anew_from_its_parameters(tmp_path, harm):
    store = Store(tmp_path)
    study, entry = unfinished(store)
    (entry.path / "parts").mkdir()
    HARMS[harm](entry.path / "about.json")
    (found,) = store.entries()
    assert found.problem.endswith(": all else is kept; run the command that began this run again, which writes it anew.")
    run(study, ToyParameters(), store)
    assert entry.about().parameters == entry.parameters


def test_an_unfinished_run_of_another_version_is_still_known_without_about(tmp_path):
    study, entry = unfinished(Store(tmp_path))
    record(entry.path / "parts" / "sgd", 6, 3)
    edit(entry.path / "parts" / "sgd" / "committed.json", gatefield="0.0.9")
    (entry.path / "about.json").unlink()
    with pytest.raises(StoreError, match=r"was begun by gatefield 0\.0\.9 and this is"):
        run(study, ToyParameters(), Store(tmp_path))


@pytest.mark.parametrize("harm", ["flip", "cut", "folder", "nested", "edited", "other", "[]"])
def test_verdicts_that_are_damaged_are_told_and_made_anew(tmp_path, harm):
    entry = run(toy(), ToyParameters(), Store(tmp_path)).entry
    kept, file = str(entry.verdicts()), entry.path / "verdicts.json"
    if harm in HARMS:
        HARMS[harm](file)
    elif harm == "[]":
        file.write_text("[]")
    else:
        edit(file, seal=harm == "other", **({"run": "0123456789ab"} if harm == "other" else {"verdicts": []}))
    with pytest.raises(StoreError, match=r"verdicts\.json .*: only the verdicts are lost, and `gatefield run .* writes"):
        entry.verdicts()
    outcome = run(toy(), ToyParameters(), Store(tmp_path))
    assert outcome.remarks == ("verdicts.json was damaged, and is made anew from the record, which is whole.",)
    assert str(entry.verdicts()) == kept


BLOCKERS = {"file": lambda path: path.write_text("mine"), "folder": lambda path: path.mkdir()}


@pytest.mark.parametrize("blocker", BLOCKERS)
def test_what_has_the_name_of_the_record_is_moved_aside_before_the_work(tmp_path, blocker):
    study, entry = unfinished(Store(tmp_path))
    BLOCKERS[blocker](entry.path / "record")
    assert not run(study, ToyParameters(), Store(tmp_path)).reused
    assert (entry.path / "record.old-1").exists()
    assert study.simulate.calls == 1


def test_a_record_without_its_marker_is_refused_before_the_work(tmp_path):
    study, store = toy(), Store(tmp_path)
    entry = run(study, ToyParameters(), store).entry
    (entry.path / "record" / "committed.json").unlink()
    with pytest.raises(StoreError, match=r"committed\.json is missing: `gatefield run .* --fresh` makes it anew, and moves"):
        run(study, ToyParameters(), store)
    with pytest.raises(StoreError, match=r"committed\.json is missing: move '.*record' away and run the same command again"):
        open_record(entry.path)
    assert study.simulate.calls == 1
    assert not run(study, ToyParameters(), store, fresh=True).reused
    assert entry.path.with_name(f"{entry.id}.old-1").exists()


@pytest.mark.parametrize("file", ["zarr.json", "square/zarr.json"])
def test_attributes_that_were_changed_are_noticed(tmp_path, file):
    entry = run(toy(), ToyParameters(), Store(tmp_path)).entry
    path = entry.path / "record" / "data.zarr" / file
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "attributes": {**content["attributes"], "size": 7}}))
    with pytest.raises(StoreError, match=f"corrupted, since data.zarr/{file} does not match its checksum"):
        open_record(entry.path)


def as_before(path):
    """Take the checksums out of a store, as earlier versions wrote it."""
    for file in [*path.rglob("committed.json"), *path.rglob("about.json")]:
        content = json.loads(file.read_text())
        file.write_text(json.dumps({name: value for name, value in content.items() if name not in ("checksum", "metadata")}))
    for file in path.rglob("verdicts.json"):
        file.write_text(json.dumps(json.loads(file.read_text())["verdicts"]))


def test_stores_of_earlier_versions_have_no_checksums(tmp_path):
    store = Store(tmp_path)
    entry = run(toy(), ToyParameters(), store).entry
    expected, kept = entry.record(), str(entry.verdicts())
    as_before(tmp_path)
    assert [found.problem for found in store.entries()] == [None]
    assert str(entry.verdicts()) == kept
    outcome = run(toy(), ToyParameters(), store)
    assert (outcome.reused, outcome.remarks) == (True, ())
    assert outcome.record.identical(expected)


def test_a_record_of_an_earlier_version_is_held_against_its_run(tmp_path):
    entry = run(toy(), ToyParameters(), Store(tmp_path)).entry
    as_before(tmp_path)
    path = entry.path / "record" / "data.zarr" / "zarr.json"
    path.write_text(path.read_text().replace('\\"size\\":5', '\\"size\\":6'))
    with pytest.raises(StoreError, match=r"data\.zarr/zarr\.json does not belong to this run"):
        entry.record()


def cut_short(path):
    recorder, state = ZarrRecorder(path), start()
    recorder.create(layout(10, 3))
    for begin in (0, 3):
        rows, state = block_of(state, 3)
        recorder.commit(begin, rows, state)
    return path


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    return cut_short(tmp_path_factory.mktemp("begun") / "run")


WRONG = [
    {"records": 3},
    {"records": -5},
    {"records": 11},
    {"checkpoint": None},
    {"checkpoint": "checkpoint-000000003.eqx"},
    {"axis": "x"},
    {"axis": "unit"},
    {"axis": None},
    {"block": 0},
    {"block": 2},
    {"total": 9},
    {"total": 6, "complete": True},
    {"complete": True},
]


@pytest.mark.parametrize("change", WRONG, ids=str)
def test_a_marker_that_was_edited_is_one_sentence(tmp_path, begun, change):
    """With its old checksum, which tells; and with none or a new one, by its numbers, which do not fit."""
    for seal in (False, True):
        path = shutil.copytree(begun, tmp_path / str(seal))
        edit(path / "committed.json", seal=seal, **change)
        what = "contradicts itself|does not fit the arrays" if seal else "does not match its checksum"
        for read in (lambda path=path: open_record(path), lambda path=path: ZarrRecorder(path).find("abc", start())):
            with pytest.raises(StoreError, match=rf"corrupted, since committed\.json ({what}): move '.*' away and run"):
                read()


def test_messages_of_a_recorder_are_for_python_too(tmp_path, begun):
    edit(shutil.copytree(begun, tmp_path / "run") / "committed.json", format=7)
    for fingerprint, path in (("xyz", begun), ("abc", tmp_path / "run")):
        with pytest.raises(StoreError) as error:
            ZarrRecorder(path).find(fingerprint, start())
        assert "--" not in str(error.value)
        assert __version__ in str(error.value) or "record into another folder" in str(error.value)
