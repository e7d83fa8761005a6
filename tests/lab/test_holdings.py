"""What a store holds, and what is left of it when something is removed."""

import fcntl
import os
import shutil
import subprocess

import pytest
from lab_toy import ToyParameters, toy

from gatefield.core.errors import StoreError
from gatefield.lab import Store, holdings, remove, run


def stops(parameters, bench):
    raise KeyboardInterrupt


def entry(store, size=5, simulate=None, **settings):
    """A finished entry, or one that stopped; with `fresh`, the one before is moved aside."""
    parameters = ToyParameters(size=size)
    if simulate is not None:
        with pytest.raises(KeyboardInterrupt):
            run(toy(simulate), parameters, store, **settings)
        return store.entry("toy", parameters)
    return run(toy(), parameters, store, **settings).entry


def found(store):
    return {holding.name: holding for holding in holdings(store)}


def test_entries_are_held_with_their_state_and_time(tmp_path):
    store = Store(tmp_path)
    done, begun, broken = entry(store), entry(store, 6, stops), entry(store, 7)
    (broken.path / "record" / "committed.json").write_text("")
    held = found(store)
    assert {name: holding.state for name, holding in held.items()} == {
        f"toy-{done.id}": "finished",
        f"toy-{begun.id}": "unfinished",
        f"toy-{broken.id}": "problem",
    }
    assert list(held) == sorted(held)
    assert held[f"toy-{done.id}"].created == done.about().created != ""
    assert held[f"toy-{done.id}"].experiment == "toy"


def test_the_size_is_that_on_the_disk(tmp_path):
    store = Store(tmp_path)
    path = entry(store).path
    (path / "large").write_bytes(os.urandom(300_000))
    os.symlink(__file__, path / "link")
    (holding,) = holdings(store)
    said = subprocess.run(["du", "-s", "-k", str(path)], capture_output=True, text=True, check=True).stdout
    assert holding.size == pytest.approx(1024 * int(said.split()[0]), abs=1024)
    assert holding.size > 300_000


def test_what_was_moved_aside_is_held_too_and_is_no_entry(tmp_path):
    store = Store(tmp_path)
    first = entry(store)
    entry(store, fresh=True)
    (store.root / "toy" / f"{first.id}.rescued-1").mkdir()
    (store.root / "toy" / "notes").mkdir()
    held = found(store)
    assert {name: holding.state for name, holding in held.items()} == {
        f"toy-{first.id}": "finished",
        f"toy-{first.id}.old-1": "moved aside",
        f"toy-{first.id}.rescued-1": "rescued",
    }
    assert held[f"toy-{first.id}.old-1"].entry.parameters == first.parameters
    assert len(store.entries()) == 1


def test_removing_one_leaves_the_others_as_they_are(tmp_path):
    store = Store(tmp_path)
    gone, stays = entry(store), entry(store, 6)
    before = {path: path.read_bytes() for path in stays.path.rglob("*") if path.is_file()}
    remove(found(store)[f"toy-{gone.id}"])
    assert [one.id for one in store.entries()] == [stays.id]
    assert {path: path.read_bytes() for path in stays.path.rglob("*") if path.is_file()} == before
    assert not [path for path in (tmp_path / "toy").iterdir() if gone.id in path.name]
    assert run(toy(), ToyParameters(), store).reused is False


def test_the_last_one_takes_the_folder_of_its_experiment_with_it(tmp_path):
    store = Store(tmp_path / "store")
    entry(store)
    entry(store, fresh=True)
    for holding in holdings(store):
        remove(holding)
    assert list(store.root.iterdir()) == []


def test_a_run_that_goes_on_is_not_removed(tmp_path):
    store = Store(tmp_path)
    begun = entry(store, simulate=stops)
    with (tmp_path / "toy" / f".{begun.id}.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(StoreError, match=f"Run toy-{begun.id} is being computed by another process: .* and then remove it"):
            remove(found(store)[f"toy-{begun.id}"])
    assert store.entries()[0].status == "unfinished"
    remove(found(store)[f"toy-{begun.id}"])
    assert store.entries() == []


def test_a_run_that_was_finished_meanwhile_is_not_removed(tmp_path):
    store = Store(tmp_path)
    entry(store, simulate=stops)
    (holding,) = holdings(store)
    entry(store)
    with pytest.raises(StoreError, match="was finished by another process just now: look at it"):
        remove(holding)
    assert store.entries()[0].status == "finished"


@pytest.fixture
def outside(tmp_path):
    """A folder that is not of the store, with a file that must stay."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "mine").write_text("kept")
    return tmp_path / "outside"


def test_links_in_an_entry_are_removed_and_not_followed(tmp_path, outside):
    store = Store(tmp_path / "store")
    path = entry(store).path
    (path / "folder").symlink_to(outside)
    (path / "parts").mkdir(exist_ok=True)
    (path / "parts" / "file").symlink_to(outside / "mine")
    remove(holdings(store)[0])
    assert not os.path.lexists(path)
    assert (outside / "mine").read_text() == "kept"


def test_an_entry_that_is_a_link_loses_the_link_only(tmp_path, outside):
    store = Store(tmp_path / "store")
    path = entry(store).path
    path.rename(outside / "run")
    path.symlink_to(outside / "run")
    (holding,) = holdings(store)
    assert holding.state == "finished"
    remove(holding)
    assert not os.path.lexists(path)
    assert (outside / "run" / "record" / "committed.json").is_file()


def test_an_experiment_that_is_a_link_is_not_followed(tmp_path, outside):
    store = Store(tmp_path / "store")
    path = entry(store).path
    path.parent.rename(outside / "toy")
    path.parent.symlink_to(outside / "toy")
    with pytest.raises(StoreError, match=r"toy' is a link to '.*outside/toy', and links are not followed to remove something"):
        remove(holdings(store)[0])
    assert (outside / "toy" / path.name / "record" / "committed.json").is_file()


def test_a_removal_that_stops_leaves_no_half_entry(tmp_path, monkeypatch):
    store, rmtree = Store(tmp_path), shutil.rmtree
    id = entry(store).id

    def stopping(path):
        (path / "about.json").unlink()
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(shutil, "rmtree", stopping)
    with pytest.raises(StoreError, match=rf"\(permission denied\): what is left of it is called toy-{id}\.removed-1"):
        remove(holdings(store)[0])
    assert store.entries() == []
    monkeypatch.setattr(shutil, "rmtree", rmtree)
    (left,) = holdings(store)
    assert (left.name, left.state) == (f"toy-{id}.removed-1", "half removed")
    remove(left)
    assert holdings(store) == []


def test_a_folder_that_may_not_be_read_is_held_as_a_problem_and_stays(tmp_path, monkeypatch):
    store, listdir = Store(tmp_path), os.listdir
    path = entry(store).path

    def refusing(folder="."):
        if folder == path.parent:
            raise PermissionError(13, "Permission denied")
        return listdir(folder)

    monkeypatch.setattr(os, "listdir", refusing)
    (holding,) = holdings(store)
    assert (holding.name, holding.state) == ("toy-*", "problem")
    with pytest.raises(StoreError, match=r"Cannot read '.*toy' \(permission denied\)"):
        remove(holding)
    assert path.is_dir()
