"""`gatefield store`, as users meet it: what it lists, and what it removes only when told so."""

import fcntl
import io
import os
import pty
import shutil
from dataclasses import replace

import pytest

from gatefield import experiments
from gatefield.cli import main
from gatefield.lab import Store, resolve, run

pytestmark = pytest.mark.xdist_group("cli")
NAME = "fourier-basis"


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A store with two finished entries of one experiment."""
    store, experiment = Store(tmp_path_factory.mktemp("filled") / "store"), experiments.get(NAME)
    for n in (8, 9):
        run(experiment, resolve(experiment, "quick", [f"n={n}"]), store)
    return store.root


@pytest.fixture
def store(filled, tmp_path, monkeypatch):
    """A copy of it, where the command looks for one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GATEFIELD_STORE", raising=False)
    shutil.copytree(filled, "gatefield-store")
    return Store("gatefield-store")


@pytest.fixture
def names(store):
    """n -> the name of its entry."""
    return {entry.parameters["n"]: f"{NAME}-{entry.id}" for entry in store.entries()}


def test_a_line_for_each_entry(names, capsys):
    assert main(["store"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == sorted(names.values())
    (line,) = (line for line in lines if line.startswith(names[8]))
    _, state, size, time, preset, setting = line.replace(": ", ", ").split(", ")
    assert (state, preset, setting) == ("finished", "preset quick", "n = 8")
    assert size.endswith(" kB")
    assert len(time) == len("2024-01-01 00:00")


def test_an_entry_in_the_folder_of_another_experiment_says_whose_it_is(names, store, capsys):
    (store.root / NAME).rename(store.root / "elliptical")
    words = f"an entry of {NAME}: rename its folder 'elliptical' to '{NAME}'"
    assert main(["store"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("elliptical-") and line.endswith(words) for line in lines)
    assert main(["store", "elliptical"]) == 0
    assert capsys.readouterr().out.count(f"  {words}\n") == 2


def test_one_in_full(names, store, capsys):
    assert main(["store", names[8]]) == 0
    head, setting, folder, command = capsys.readouterr().out.splitlines()
    assert head.startswith(f"{names[8]}: finished, ")
    assert setting == "  preset quick, n = 8"
    assert folder == f"  folder: {store.entry(NAME, resolve(experiments.get(NAME), 'quick', ['n=8'])).path}"
    assert command.startswith(f"  command: gatefield run {NAME} --set ")
    assert " --set n=8 " in command


def test_an_entry_whose_experiment_is_not_at_hand_shows_its_parameters(store, names, capsys):
    own = replace(experiments.get(NAME), name="own", origin="my_study.py")
    run(own, resolve(own, "quick", ["n=8"]), store)
    assert main(["store", "own"]) == 0
    said = capsys.readouterr().out
    assert ", n = 8, " in said
    assert "  command: gatefield run my_study.py --set " in said


def test_an_empty_store_and_one_that_is_not_there(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["store", "--store", "none"]) == 2
    assert "gatefield: There is no store 'none': name another one by --store" in capsys.readouterr().err
    assert main(["store", "--store", "~nobody-here/store"]) == 2
    assert "gatefield: The path '~nobody-here/store' begins with a home folder that this machine does not know: " in (
        capsys.readouterr().err
    )
    (tmp_path / "empty").mkdir()
    assert main(["store", "--store", "empty"]) == 0
    assert capsys.readouterr().err == "gatefield: the store 'empty' holds no entries yet.\n"


def test_removing_is_told_and_done(names, store, capsys):
    assert main(["store", "remove", names[8], "--yes"]) == 0
    assert capsys.readouterr().out == f"removed: {names[8]}\n"
    assert [entry.parameters["n"] for entry in store.entries()] == [9]


def test_the_name_of_an_experiment_stands_for_all_of_its_entries(names, store, capsys):
    assert main(["store", "remove", NAME, names[8], "--yes"]) == 0
    assert sorted(capsys.readouterr().out.split()[1::2]) == sorted(names.values())
    assert store.entries() == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["store", "remove"], "Nothing is named to be removed: give names that `gatefield store` lists"),
        (["store", "--yes"], "The option --yes belongs to `gatefield store remove NAME-ID`"),
        (["store", "remove", NAME], "here nobody can be asked: add --yes to remove it."),
        (["store", "remove", "fourier-bases", "--yes"], "is called 'fourier-bases': did you mean 'fourier-basis"),
        (["store", "remove", NAME, "fourier", "--yes"], "is called 'fourier': did you mean 'fourier-basis' or 'fourier-basis-"),
        (["store", "remove", "x" * 5000, "--yes"], "...: `gatefield store` lists what there is."),
        (["store", "..", "--yes"], "--yes belongs to"),
        (["store", "remove", "..", "--yes"], "Nothing in the store 'gatefield-store' is called '..'"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_nothing_is_removed(names, store, capsys, monkeypatch, words, sentence):
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))  # no terminal
    assert main(words) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.startswith("gatefield: ")
    assert len(said.splitlines()) == 1
    assert len(said) < 600
    assert len(store.entries()) == 2


@pytest.mark.parametrize(("answer", "left"), [("y\n", 1), ("\n", 2), ("no\n", 2), ("\x04", 2)])
def test_a_terminal_is_asked(names, store, capsys, monkeypatch, answer, left):
    keyboard, terminal = pty.openpty()
    os.write(keyboard, answer.encode())
    with open(terminal) as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert main(["store", "remove", names[8]]) == 0
    os.close(keyboard)
    said = capsys.readouterr().out
    assert f"  {names[8]}, finished\nRemove 1 entry, " in said
    assert ("Nothing is removed." in said) is (left == 2)
    assert len(store.entries()) == left


def test_one_that_is_held_does_not_keep_the_others(names, store, capsys):
    id = names[8].removeprefix(f"{NAME}-")
    with open(f"gatefield-store/{NAME}/.{id}.lock", "a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert main(["store", "remove", NAME, "--yes"]) == 2
    streams = capsys.readouterr()
    assert streams.out == f"removed: {names[9]}\n"
    assert f"gatefield: Run {names[8]} is being computed by another process" in streams.err
