"""Experiments in files of users: the example of the repository, copied elsewhere, and files with something wrong in them."""

import dataclasses
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gatefield import open_record
from gatefield.cli import main

pytestmark = pytest.mark.xdist_group("cli")
EXAMPLE = Path(__file__).parents[2] / "examples" / "my_study.py"
SIZE = ["--set", "units=2", "--set", "steps=1500", "--set", "seeds=2"]
CLAIM = "SGD ends at the exact fields"


def command(folder, *words):
    return [sys.executable, "-m", "gatefield", *words], {
        "cwd": folder,
        "text": True,
        "env": {**os.environ, "MPLBACKEND": "Agg"},
    }


def called(folder, *words):
    arguments, settings = command(folder, *words)
    return subprocess.run(arguments, capture_output=True, timeout=300, **settings)


def copy_example(folder):
    """The example as it is, but for commits after every fourth record, so that a kill finds some of them done and some not."""
    text = EXAMPLE.read_text()
    assert text.count('"record_every": 50}') == 1
    (folder / "my_study.py").write_text(text.replace('"record_every": 50}', '"record_every": 50, "chunk": 4}'))


def record_of(folder):
    (entry,) = (folder / "gatefield-store" / "my-study").glob("[!.]*")
    return open_record(entry)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A folder with the copied example, run to its end in one go; and what was printed."""
    folder = tmp_path_factory.mktemp("undisturbed")
    copy_example(folder)
    return folder, called(folder, "run", "my_study.py", *SIZE)


def test_the_example_ends_in_its_verdicts(undisturbed):
    folder, result = undisturbed
    assert result.returncode == 0, result.stderr
    assert result.stderr.startswith("my_study.py: loading, preset quick\nmy-study: starting\n")
    assert f": {CLAIM} " in result.stdout
    assert "refuted" not in result.stdout
    assert "  confirmed: each field has most of its energy around its gate's window " in result.stdout
    assert (folder / result.stdout.splitlines()[-1].removeprefix("  figure: ")).is_file()
    attrs = record_of(folder).attrs
    assert attrs["experiment"] == "my-study"
    assert attrs["command"].startswith("gatefield run my_study.py --set units=2 ")


@pytest.mark.slow
def test_the_example_confirms_its_claims_at_its_quick_size(tmp_path):
    shutil.copy(EXAMPLE, tmp_path)
    assert called(tmp_path, "run", "my_study.py").stdout.count("  confirmed: ") == 2


@pytest.mark.slow
def test_a_kill_after_the_first_commit_costs_nothing(undisturbed, tmp_path):
    copy_example(tmp_path)
    arguments, settings = command(tmp_path, "run", "my_study.py", *SIZE)
    with subprocess.Popen(arguments, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **settings) as process:
        while not list(tmp_path.rglob("parts/training/committed.json")):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    (part,) = tmp_path.rglob("parts/training")
    committed = open_record(part)
    assert committed.attrs["complete"] == 0
    result = called(tmp_path, "run", "my_study.py", *SIZE)
    assert result.returncode == 0, result.stderr
    assert f"my-study: going on from record {committed.sizes['step']} of " in result.stderr
    assert "going on from where it had stopped" in result.stdout
    whole, resumed = record_of(undisturbed[0]), record_of(tmp_path)
    assert resumed.attrs["resumed"] == 1
    assert set(resumed.variables) == set(whole.variables) >= {"fields", "exact", "step"}
    for name, variable in whole.variables.items():
        assert resumed.variables[name].values.tobytes() == variable.values.tobytes(), name


@pytest.fixture
def folder(undisturbed, tmp_path, monkeypatch):
    """The undisturbed run and the file, in a folder of its own."""
    shutil.copytree(undisturbed[0], tmp_path / "there")
    monkeypatch.chdir(tmp_path / "there")
    monkeypatch.delenv("GATEFIELD_STORE", raising=False)
    return tmp_path / "there"


def page(folder):
    return (folder / "gatefield-report.html").read_text()


def test_it_stands_in_the_report_with_and_without_its_file(folder):
    for words in (["report"], ["report", "my_study.py"]):
        assert main(words) == 0
        text = page(folder)
        assert text.count("<article") == 1
        assert CLAIM in text
        assert "Fields stay where their gates look" in text
        assert "Not shown" not in text
        assert ("as they were when it was last run" in text) is (len(words) == 1)
    assert "preset quick, seeds = 2, steps = 1500, units = 2" in page(folder)


def test_it_stands_in_the_report_without_the_file_being_there(folder):
    (folder / "my_study.py").unlink()
    assert main(["report"]) == 0
    assert CLAIM in page(folder)


def test_changed_verdicts_are_those_of_the_file_now(folder, capsys):
    study = folder / "my_study.py"
    study.write_text(study.read_text().replace(CLAIM, "SGD goes where theory says"))
    assert main(["report"]) == 0
    assert CLAIM in page(folder)  # as it was last run
    assert main(["report", "my_study.py"]) == 0
    assert "SGD goes where theory says" in page(folder)
    assert main(["run", "my_study.py", *SIZE]) == 0
    text = capsys.readouterr().out
    assert "already in the store" in text
    assert "SGD goes where theory says" in text
    assert main(["report"]) == 0
    assert "SGD goes where theory says" in page(folder)


def test_it_is_listed_with_its_parameters(folder, capsys):
    assert main(["list", "my_study.py"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("my-study: Fields stay where their gates look [an example]\n")
    assert "    lengths = [8.0,2.0]\n" in text
    assert "  preset quick: these defaults (takes 20 s)\n" in text


SMALL = """
import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from gatefield import Experiment, Parameters, Verdict


class Size(Parameters):
    n: int = 5


def simulate(p, bench):
    return xr.Dataset({"square": ("x", np.arange(p.n) ** 2.0)})


def judge(record):
    return [Verdict.above("squares grow", 0.0, float(record.square.max()))]


experiment = Experiment(
    name="small",
    title="Squares",
    Parameters=Size,
    simulate=simulate,
    verdicts=judge,
    figure=lambda record: Figure(),
)
"""
WRONG = {
    "no file": (None, "There is no file 'study.py': give the path of a Python file with an Experiment in it."),
    "syntax": (
        "a = 1\nb = (\n",
        "The file 'study.py' cannot be loaded, line 2: SyntaxError: '(' was never closed; `python study.py`",
    ),
    "empty": ("", "The file 'study.py' has no Experiment: end it with experiment = gatefield.lab.Experiment(...)."),
    "import": (
        "a = 1\nimport no_such_module\n",
        "cannot be loaded, line 2: ModuleNotFoundError: No module named 'no_such_module'; ",
    ),
    "name error": (SMALL.replace("simulate=simulate", "simulate=simulat"), "NameError: name 'simulat' is not defined; "),
    "any error": (SMALL + "\n1 / 0\n", "ZeroDivisionError: division by zero; `python study.py` shows where it comes from."),
    "built-in name": (
        SMALL.replace('"small"', '"localization"'),
        "The experiment 'localization' in 'study.py' has the name of one that is installed; rename it.",
    ),
    "bad name": (SMALL.replace('"small"', '"My study"'), "with hyphens between them, such as my-study, but is 'My study'."),
    "no function": (
        SMALL.replace("simulate=simulate", "simulate=3"),
        "simulate of experiment small must be a function, but is 3.",
    ),
    "no parameters": (
        SMALL.replace("Parameters=Size", "Parameters=dict"),
        "must be a subclass of gatefield.lab.Parameters, but are",
    ),
    "no quick preset": (
        SMALL.replace('title="Squares"', 'title="Squares", presets={"slow": {}}'),
        "Experiment small needs a preset 'quick', which runs unless another is named.",
    ),
    "wrong preset": (
        SMALL.replace('title="Squares"', 'title="Squares", presets={"quick": {"m": 3}}'),
        "Unknown parameter in a preset of experiment small 'm': there are: n.",
    ),
    "missing part": (SMALL.replace("    verdicts=judge,\n", ""), "missing 1 required keyword-only argument: 'verdicts'; "),
    "only imported": (
        "from gatefield.experiments import get\nstudy = get('fourier-basis')\n",
        "The file 'study.py' has no Experiment of its own: run the one that it imports by its name.",
    ),
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GATEFIELD_STORE", raising=False)
    return tmp_path


@pytest.mark.wrong_types
@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("verb", ["run", "list", "report"])
def test_a_file_with_something_wrong_is_one_sentence(here, capsys, verb, wrong):
    text, sentence = WRONG[wrong]
    if text is not None:
        (here / "study.py").write_text(text)
    assert main([verb, "study.py"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said[:-1] == (["study.py: loading, preset quick"] if verb == "run" else [])
    assert said[-1].startswith("gatefield: ")
    assert sentence in said[-1]
    assert [path.name for path in here.iterdir() if path.suffix != ".py" and path.name != "__pycache__"] == []


def test_an_error_in_the_users_own_code_points_into_their_file(here):
    (here / "study.py").write_text(SMALL.replace("    return xr", "    made = [][p.n]\n    return xr"))
    with pytest.raises(IndexError) as caught:
        main(["run", "study.py"])
    last = caught.traceback[-1]
    assert (Path(last.path).name, last.name) == ("study.py", "simulate")
    assert str(last.statement).strip() == "made = [][p.n]"


@pytest.mark.slow
def test_the_shell_shows_the_users_own_traceback(here):
    (here / "study.py").write_text(SMALL.replace("    return [Verdict", "    broken\n    return [Verdict"))
    result = called(here, "run", "study.py")
    assert result.returncode == 1
    assert f'File "{here / "study.py"}", line ' in result.stderr
    assert result.stderr.splitlines()[-1] == "NameError: name 'broken' is not defined"


TWO = (
    SMALL
    + """
import dataclasses
from gatefield.experiments import get

localization = get("localization")  # one that is only imported does not count
second = dataclasses.replace(experiment, name="second", title="Squares again")
"""
)


def test_one_of_several_experiments_is_named_after_a_colon(here, capsys):
    (here / "study.py").write_text(TWO)
    assert main(["list", "study.py"]) == 0
    titles = [line for line in capsys.readouterr().out.splitlines() if not line.startswith(" ")]
    assert titles == ["small: Squares", "second: Squares again"]
    assert main(["run", "study.py:second", "n=3"]) == 0
    assert "second: finished" in capsys.readouterr().out
    (entry,) = (here / "gatefield-store").glob("*/[!.]*")
    assert open_record(entry).attrs["command"] == "gatefield run study.py:second --set n=3"
    assert main(["run", "study.py:secnd"]) == 2
    assert "Unknown experiment in 'study.py' 'secnd': did you mean 'second'?" in capsys.readouterr().err


def test_files_beside_the_study_can_be_imported_also_while_it_runs(here, capsys):
    (here / "beside_at_start.py").write_text("SCALE = 2.0\n")
    (here / "beside_later.py").write_text("SHIFT = 1.0\n")
    study = SMALL.replace("class Size", "from beside_at_start import SCALE\n\n\nclass Size")
    study = study.replace("    return xr", "    from beside_later import SHIFT\n\n    assert SCALE + SHIFT == 3\n    return xr")
    (here / "study.py").write_text(study)
    assert main(["run", str(here / "study.py")]) == 0
    assert "small: finished" in capsys.readouterr().out


def test_a_study_works_from_python(here):
    from gatefield.lab import MemoryBench, Store, load_study, run

    (here / "study.py").write_text(SMALL)
    (study,) = load_study("study.py")
    assert study.origin == "study.py"
    assert study.simulate(study.Parameters(n=3), MemoryBench()).square.values.tolist() == [0, 1, 4]
    outcome = run(dataclasses.replace(study, title="Another title"), study.Parameters(), Store("store"))
    assert outcome.entry.about().origin == "study.py"
