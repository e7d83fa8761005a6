"""`gatefield sweep` as users meet it."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from gatefield.cli import main
from gatefield.lab import open_sweep

EXAMPLE = Path(__file__).parents[2] / "examples" / "gain_and_range.toml"
pytestmark = pytest.mark.xdist_group("cli")


def tiny(**changes: str) -> str:
    """The example, small: every number that it has, replaced."""
    text = EXAMPLE.read_text()
    sizes = {"steps = 1000": "steps = 6", "batch_size = 200": "batch_size = 8", "n = 40": "n = 8", "seed = 4": "seed = 2"}
    sizes |= {"0.01, 0.5, 1.0, 2.0, 5.0, inf": "0.5, inf", "count = 5": "count = 3"}
    for old, new in (sizes | changes).items():
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GATEFIELD_STORE", raising=False)
    (tmp_path / "a.toml").write_text(tiny())
    return tmp_path


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """A folder with the example in small, run and drawn; and what was printed."""
    folder = tmp_path_factory.mktemp("swept")
    (folder / "a.toml").write_text(tiny())
    words = ["sweep", "a.toml", "--plot", "ipr", "gain", "range", "--output", "map.svg", "--store", "store"]
    here = os.getcwd()
    os.chdir(folder)
    try:
        code = main(words)
    finally:
        os.chdir(here)
    return folder, code


def test_the_example_runs_and_is_drawn(swept):
    folder, code = swept
    assert code == 0
    assert (folder / "map.svg").read_text().startswith("<?xml")
    name = next((folder / "store" / "sweeps").glob("*.json")).stem
    found = open_sweep(name, folder / "store")
    assert dict(found.ipr.sizes) == {"gain": 2, "range": 3, "seed": 2, "unit": 1}
    assert np.isfinite(found.ipr.values).all()
    assert {"position_entropy", "frequency_entropy", "fields", "loss", "status", "seconds"} <= set(found.data_vars)


def test_the_same_command_again_computes_nothing(swept, monkeypatch, capsys):
    monkeypatch.chdir(swept[0])
    assert main(["sweep", "a.toml", "--store", "store"]) == 0
    out = capsys.readouterr().out
    assert "12 points (gain 2 x range 3 x seed 2), 12 done, 0 running, 0 failed, 0 left" in out
    assert "0 points were computed now" in out
    assert re.search(r'open_sweep\("gain-and-range-[0-9a-f]{12}", "store"\)', out)


def test_status_computes_nothing(swept, folder, monkeypatch, capsys):
    monkeypatch.chdir(swept[0])
    assert main(["sweep", "status", "a.toml", "--store", "store", "--plot", "loss", "seed", "--output", "line.png"]) == 0
    assert "12 done" in capsys.readouterr().out
    assert (swept[0] / "line.png").read_bytes().startswith(b"\x89PNG")
    monkeypatch.chdir(folder)
    assert main(["sweep", "status", "a.toml", "--store", str(folder / "none")]) == 2
    err = capsys.readouterr().err
    assert f"There is no store '{folder}/none'" in err
    assert f"make this one by `gatefield sweep a.toml --store {folder}/none`." in err
    assert not (folder / "none").exists()
    (folder / "none").mkdir()
    assert main(["sweep", "status", "a.toml", "--store", str(folder / "none")]) == 2
    assert (
        f"is not in the store '{folder}/none': run it by `gatefield sweep a.toml --store {folder}/none`."
        in capsys.readouterr().err
    )


def test_status_of_a_sweep_whose_plan_is_damaged_says_so(swept, folder, monkeypatch, capsys):
    monkeypatch.chdir(swept[0])
    (plan,) = (swept[0] / "store" / "sweeps").glob("*.json")
    (folder / "cut" / "sweeps").mkdir(parents=True)
    (folder / "cut" / "sweeps" / plan.name).write_bytes(plan.read_bytes()[:300])
    assert main(["sweep", "status", "a.toml", "--store", str(folder / "cut")]) == 2
    assert f"is corrupted, since {plan.name} cannot be read: blocks are not lost with it: run the" in capsys.readouterr().err


def test_a_store_shows_its_sweeps_and_not_their_blocks(swept, monkeypatch, capsys):
    monkeypatch.chdir(swept[0])
    assert main(["store", "--store", "store"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1
    assert re.fullmatch(r"gain-and-range-\w{12}: sweep, \d+ kB, 12 points .*12 done.*", lines[0])
    assert main(["store", lines[0].partition(":")[0], "--store", "store"]) == 0
    assert "1 blocks of its own" in capsys.readouterr().out


def test_the_report_shows_sweeps(swept, monkeypatch, capsys):
    monkeypatch.chdir(swept[0])
    assert main(["report", "--store", "store", "--output", "page.html"]) == 0
    page = (swept[0] / "page.html").read_text()
    assert "12 points (gain 2 x range 3 x seed 2), 12 done" in page
    assert page.count('id="gain-and-range-') == 1
    assert "data:image/svg+xml" in page
    assert "blocks" not in re.sub(r"<style>.*?</style>", "", page, flags=re.S)
    assert "Nothing to show yet" not in page


def test_shards_make_the_whole(folder, capsys, monkeypatch):
    import gatefield.lab.sweeps.planner as module
    from gatefield.lab.sweeps.trainings.groups import Size

    monkeypatch.setattr(module, "size_of", lambda *_: Size(4, 4))
    assert main(["sweep", "a.toml", "--shard", "1/2"]) == 0
    assert "8 done, 0 running, 0 failed, 4 left" in capsys.readouterr().out
    assert main(["sweep", "a.toml", "--shard=2/2"]) == 0
    assert "12 done" in capsys.readouterr().out


def test_failed_points_are_told_and_the_exit_code_is_2(folder, capsys):
    (folder / "a.toml").write_text(tiny().replace("[0.5, inf]", "[0.5, -1.0]"))
    assert main(["sweep", "a.toml"]) == 2
    out = capsys.readouterr().out
    assert "6 done, 0 running, 6 failed, 0 left" in out
    assert "6 points failed: positive must be a NonlinearGP that can be made, but fails: gain must be zero or more" in out


def test_a_sweep_can_be_removed(folder, capsys):
    assert main(["sweep", "a.toml"]) == 0
    name = next((folder / "gatefield-store" / "sweeps").glob("*.json")).stem
    capsys.readouterr()
    assert main(["store", "remove", name, "--yes"]) == 0
    assert f"removed: {name}" in capsys.readouterr().out
    assert not [path for path in (folder / "gatefield-store").rglob("*") if path.is_file() and not path.name.endswith(".lock")]
    assert main(["store", name]) == 2


WRONG = {
    "no file": ([], "described by one file that ends in .toml, but the words are none"),
    "two files": (["a.toml", "b.toml"], "the words are 'a.toml', 'b.toml'"),
    "another ending": (["a.json"], "the words are 'a.json'"),
    "a file that is not there": (["b.toml"], "There is no file 'b.toml'"),
    "an axis without a plot": (["a.toml", "gain"], "names no axis of --plot"),
    "a plot without axes": (["a.toml", "--plot", "ipr"], "one axis or two"),
    "a plot over three": (
        ["a.toml", "--plot", "ipr", "gain", "range", "seed"],
        "the axes are 'gain', 'range' and 'seed': leave one out",
    ),
    "a plot over an axis twice": (["a.toml", "--plot", "ipr", "gain", "gain"], "one axis or two different ones"),
    "a plot of no measure": (["a.toml", "--plot", "iprr", "gain"], "Unknown measure of the sweep 'iprr': did you mean 'ipr'?"),
    "a plot of whole fields": (
        ["a.toml", "--plot", "fields", "gain"],
        "fields has the dimensions unit and position beside the axes; draw a measure of it, such as ipr.",
    ),
    "status misspelt": (["statsu", "a.toml"], "names no axis of --plot: did you mean 'status'?"),
    "a plot over no axis": (
        ["a.toml", "--plot", "ipr", "gian", "range"],
        "Unknown axis of the sweep 'gian': did you mean 'gain'?",
    ),
    "a picture of another kind": (
        ["a.toml", "--plot", "ipr", "gain", "--output", "a.gif"],
        "Unknown figure ending 'gif': there are: pdf, png, svg.",
    ),
    "a file without a plot": (["a.toml", "--output", "a.svg"], "belongs to --plot"),
    "a shard that is none": (["a.toml", "--shard", "3/2"], "--shard takes I/N with I from 1 to N"),
    "a shard in words": (["a.toml", "--shard", "first"], "--shard takes I/N"),
}


@pytest.mark.parametrize(("words", "text"), WRONG.values(), ids=WRONG)
def test_wrong_words_are_one_sentence(folder, capsys, words, text):
    assert main(["sweep", *words]) == 2
    err = capsys.readouterr().err.splitlines()
    assert text in err[-1]
    assert not (folder / "gatefield-store").exists()


def test_an_unknown_measure_is_told_with_those_that_there_are(swept, monkeypatch, capsys):
    monkeypatch.chdir(swept[0])
    assert main(["sweep", "status", "a.toml", "--store", "store", "--plot", "irp", "gain", "range"]) == 2
    assert "Unknown measure of the sweep 'irp': did you mean 'ipr'?" in capsys.readouterr().err


@pytest.mark.slow
def test_sigterm_keeps_what_is_committed_and_says_how_to_go_on(folder):
    (folder / "a.toml").write_text(tiny(**{"steps = 1000": "steps = 200000", "batch_size = 200": "batch_size = 20"}))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-m", "gatefield", "sweep", "a.toml", "--store", "store"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        patience = time.monotonic() + 300
        while not list((folder / "store").rglob("parts/trained/committed.json")) and time.monotonic() < patience:
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 143
    assert "What was committed is kept, and the same command goes on from there." in err
    assert list((folder / "store").rglob("parts/trained/committed.json"))
