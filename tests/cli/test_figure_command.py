"""`gatefield figure`: which entry it draws, and where to."""

import os
import re
import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from gatefield import experiments
from gatefield.cli import main
from gatefield.lab import Store, resolve, run

pytestmark = pytest.mark.xdist_group("cli")
NAME = "fourier-basis"
STUDY = """
from gatefield.lab import Experiment, Parameters
from matplotlib.figure import Figure
import xarray as xr
parts = dict(Parameters=Parameters, simulate=lambda p, bench: xr.Dataset(), verdicts=lambda r: [], figure=lambda r: Figure())
first = Experiment(name="first", title="t", **parts)
second = Experiment(name="second", title="t", **parts)
"""


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A store with one finished entry, n = 8, and its name."""
    store, experiment = Store(tmp_path_factory.mktemp("filled") / "store"), experiments.get(NAME)
    entry = run(experiment, resolve(experiment, "quick", ["n=8"]), store).entry
    return str(store.root), f"{NAME}-{entry.id}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GATEFIELD_STORE", raising=False)
    return tmp_path


def test_the_figure_goes_to_the_name_of_its_experiment(filled, folder, capsys):
    assert main(["figure", NAME, "--set", "n=8", "--store", filled[0]]) == 0
    streams = capsys.readouterr()
    assert streams.out == f"The figure of {filled[1]}: {folder / NAME}.svg\n"
    assert streams.err == f"{NAME}: loading, preset quick\n"
    assert (folder / f"{NAME}.svg").read_bytes().startswith(b"<?xml")
    assert [path.name for path in folder.iterdir()] == [f"{NAME}.svg"]


def test_an_entry_by_its_own_name(filled, folder):
    assert main(["figure", filled[1], "--store", filled[0]]) == 0
    assert [path.name for path in folder.iterdir()] == [f"{filled[1]}.svg"]


@pytest.mark.costly
@pytest.mark.parametrize(("ending", "begins"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("PDF", b"%PDF-")])
def test_the_ending_says_what_it_is(filled, folder, ending, begins):
    for _ in range(2):
        assert main(["figure", NAME, "n=8", "--output", f"new/a.{ending}", "--store", filled[0]]) == 0
    assert (folder / "new" / f"a.{ending}").read_bytes().startswith(begins)


def test_it_goes_where_a_link_leads(filled, folder):
    (folder / "link.svg").symlink_to("below.svg")
    assert main(["figure", NAME, "n=8", "--output", "link.svg", "--store", filled[0]]) == 0
    assert (folder / "link.svg").is_symlink()
    assert (folder / "below.svg").read_bytes().startswith(b"<?xml")


def test_a_file_of_its_own_name_that_is_no_picture_stays(filled, folder, capsys):
    (folder / f"{NAME}.svg").write_text("my notes")
    assert main(["figure", NAME, "n=8", "--store", filled[0]]) == 2
    assert "is not an SVG picture" in capsys.readouterr().err
    assert (folder / f"{NAME}.svg").read_text() == "my notes"


@pytest.mark.parametrize("damage", ["missing", "broken"])
def test_a_damaged_record_is_made_anew_by_the_command_that_is_told(filled, folder, capsys, damage):
    """The whole of it, with its store: it is typed as it stands, from anywhere."""
    copied = shutil.copytree(filled[0], folder / "my store")
    marker = copied / NAME / filled[1].removeprefix(f"{NAME}-") / "record" / "committed.json"
    marker.unlink() if damage == "missing" else marker.write_text("{")
    asked = ["figure", NAME, "n=8", "--store", "my store"]
    for words in (asked, ["figure", filled[1], *asked[3:]], ["report", *asked[3:]]):
        main(words)
        told = re.search(r": `(gatefield run .* --store 'my store' --fresh)` makes it anew, and moves", capsys.readouterr().err)
        assert told, words
    assert main(shlex.split(told[1])[1:]) == 0
    assert main(asked) == 0


def test_commands_in_sentences_name_the_store_that_was_given(filled, folder, capsys):
    words = ["figure", NAME, "n=7", "--store", filled[0]]
    assert main(words) == 2
    said = capsys.readouterr().err
    assert f"run it by `gatefield run {NAME} n=7 --store {filled[0]}`" in said
    assert f"`gatefield store {NAME} --store {filled[0]}` lists others" in said
    assert main(["store", "nothing", "--store", filled[0]]) == 2
    assert f"`gatefield store --store {filled[0]}` lists what there is" in capsys.readouterr().err
    assert main(["report", "--store", "new"]) == 2
    assert "make this one by `gatefield tour --store new`." in capsys.readouterr().err
    for word in (NAME, f"{NAME}-0123456789ab"):
        assert main(["figure", word, "n=7", "--store", "new"]) == 2
        assert f"make this one by `gatefield run {NAME} n=7 --store new`." in capsys.readouterr().err
    assert main(["figure", "nothing", "--store", "new"]) == 2
    assert "make this one by `gatefield tour --store new`." in capsys.readouterr().err


@pytest.mark.parametrize("file", ["figure.svg", "about.json", "record/committed.json", "new.svg", "record/new.svg"])
def test_nothing_is_written_into_an_entry(filled, folder, capsys, file):
    entry = Path(filled[0]) / NAME / filled[1].removeprefix(f"{NAME}-")
    (folder / "link.svg").symlink_to(entry / file)
    before = {path: path.read_bytes() for path in entry.rglob("*") if path.is_file()}
    for words in (["figure", NAME, "n=8", "--output", "link.svg"], ["report", "--output", str(entry / file)]):
        assert main([*words, "--store", filled[0]]) == 2
        assert "which lies in an entry of a store: choose another name." in capsys.readouterr().err
    assert {path: path.read_bytes() for path in entry.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["figure"], "gatefield: No figure is named: give experiments, or names of entries"),
        (["figure", "fourier-bases"], "gatefield: Unknown experiment 'fourier-bases': did you mean 'fourier-basis'?"),
        (["figure", NAME], f"{NAME} with these parameters is not in the store"),
        (["figure", NAME, "n=7"], f"run it by `gatefield run {NAME} n=7 --store "),
        (["figure", NAME, "--preset", "full"], f"run it by `gatefield run {NAME} --preset full --store "),
        (["figure", NAME, "m=7"], "gatefield: Unknown parameter 'm'"),
        (["figure", f"{NAME}-0123456789ab"], f"is called '{NAME}-0123456789ab': did you mean '{NAME}"),
        (["figure", NAME, "n=8", "--output", "a.sgv"], "gatefield: Unknown figure ending 'sgv': did you mean 'svg'?"),
        (["figure", NAME, "n=8", "--output", "a"], "gatefield: Unknown figure ending ''"),
        (["figure", NAME, "n=8", "--output", "folder.svg"], "Cannot write to 'folder.svg', which is a folder"),
        (["figure", NAME, "n=8", "--output", "."], "Cannot write to '.', which is a folder"),
        (["figure", NAME, "n=8", "--output", "text.pdf"], "since the file that is there is not a PDF, and would be lost"),
        (["figure", NAME, "n=8", "--output", "fifo.png"], "Cannot write to 'fifo.png', which is a FIFO"),
        (["figure", NAME, "n=8", "tiling", "--output", "a.svg"], "gatefield: A file takes one figure, but more are asked for"),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(filled, folder, capsys, words, sentence):
    (folder / "folder.svg").mkdir()
    os.mkfifo(folder / "fifo.png")
    (folder / "text.pdf").write_text("not a picture")
    assert main([*words, "--store", filled[0]]) == 2
    assert sentence in capsys.readouterr().err
    assert sorted(path.name for path in folder.iterdir()) == ["fifo.png", "folder.svg", "text.pdf"]


def test_settings_beside_an_entry_that_is_named_are_refused(filled, folder, capsys):
    assert main(["figure", filled[1], "n=8", "--store", filled[0]]) == 2
    assert f"gatefield: '{filled[1]}' names one entry, which has its parameters: leave 'n=8' out." in capsys.readouterr().err


def test_a_store_that_is_not_there(folder, capsys):
    assert main(["figure", NAME]) == 2
    assert "gatefield: There is no store 'gatefield-store'" in capsys.readouterr().err


def test_an_entry_that_is_not_finished_has_no_figure(folder, capsys):
    def stops(parameters, bench):
        raise KeyboardInterrupt

    experiment = replace(experiments.get(NAME), simulate=stops)
    with pytest.raises(KeyboardInterrupt):
        run(experiment, resolve(experiment, "quick", ["n=8"]), Store("gatefield-store"))
    (id,) = (entry.id for entry in Store("gatefield-store").entries())
    for words in (["figure", NAME, "n=8"], ["figure", f"{NAME}-{id}"]):
        assert main(words) == 2
        assert f"gatefield: {NAME}-{id} is not finished, so that it has no figure: go on with it by" in capsys.readouterr().err


def test_figures_of_a_file_with_two_experiments(folder, capsys):
    Path("study.py").write_text(STUDY)
    assert main(["run", "study.py"]) == 0
    assert main(["figure", "study.py", "--output", "a.svg"]) == 2
    assert main(["figure", "study.py"]) == 0
    assert {"first.svg", "second.svg"} <= {path.name for path in folder.iterdir()}
    assert not (folder / "a.svg").exists()
    capsys.readouterr()
    (entry,) = (entry for entry in Store("gatefield-store").entries() if entry.name == "first")
    assert main(["figure", f"first-{entry.id}"]) == 2
    assert "is in a file: write `gatefield figure study.py:first`" in capsys.readouterr().err
    for command in ("figure", "list"):
        assert main([command, "first"]) == 2
        assert f"The experiment 'first' is in a file: write `gatefield {command} study.py:first`." in capsys.readouterr().err
