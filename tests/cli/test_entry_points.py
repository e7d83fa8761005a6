"""Experiments that other installed packages offer, as their users meet them."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.xdist_group("cli")
STUDY = """
import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from gatefield.lab import Experiment, Parameters, Verdict


class Size(Parameters):
    n: int = 5


def made(name):
    return Experiment(
        name=name,
        title="Squares grow",
        Parameters=Size,
        simulate=lambda p, bench: xr.Dataset({"square": ("x", np.arange(p.n) ** 2.0)}),
        verdicts=lambda record: [Verdict.equals("the largest square is the last", record.square[-1], record.square.max())],
        figure=lambda record: Figure(),
    )


parabola, other_name, no_experiment = made("parabola"), made("else"), 3
"""
POINTS = {
    "parabola": "their_studies:parabola",
    "broken": "their_studies:gone",
    "absent": "no_such_module:experiment",
    "renamed": "their_studies:other_name",
    "a-number": "their_studies:no_experiment",
    "localization": "their_studies:parabola",
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder of packages with one that offers experiments."""
    folder = tmp_path_factory.mktemp("packages")
    (folder / "their_studies.py").write_text(STUDY)
    info = folder / "their_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-package\nVersion: 1.0\n")
    points = "\n".join(f"{name} = {value}" for name, value in POINTS.items())
    (info / "entry_points.txt").write_text(f"[gatefield.experiments]\n{points}\n")
    return folder


def command(installed, *words, **settings):
    paths = os.pathsep.join([str(installed), *filter(None, [os.environ.get("PYTHONPATH")])])
    arguments = [sys.executable, "-m", "gatefield", *words]
    environment = {**os.environ, "PYTHONPATH": paths}
    return subprocess.run(arguments, capture_output=True, text=True, env=environment, timeout=120, **settings)


def test_they_are_listed_last_with_the_name_of_their_package(installed):
    lines = command(installed, "list").stdout.splitlines()
    assert "parabola [their-package]" in lines
    assert lines.index("parabola [their-package]") > [line.partition(":")[0] for line in lines].index("soft-gates-table")
    assert sum(line.startswith("localization") for line in lines) == 1  # that of gatefield itself


def test_they_run_and_are_reported_like_any_other(installed, tmp_path):
    result = command(installed, "run", "parabola", "--set", "n=4", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "confirmed: the largest square is the last (predicted 9, measured 9" in result.stdout
    assert "already in the store" in command(installed, "run", "parabola", "n=4", cwd=tmp_path).stdout
    assert command(installed, "report", cwd=tmp_path).returncode == 0
    assert "Squares grow" in (tmp_path / "gatefield-report.html").read_text()
    assert "n = 5" in command(installed, "list", "parabola").stdout


@pytest.mark.slow
def test_what_was_run_is_still_reported_when_the_package_is_gone(installed, tmp_path):
    command(installed, "run", "parabola", cwd=tmp_path)
    assert command(tmp_path, "report", cwd=tmp_path).returncode == 0
    page = (tmp_path / "gatefield-report.html").read_text()
    assert "the largest square is the last" in page
    assert "Not shown" not in page


def test_those_that_are_broken_are_one_sentence_each(installed, tmp_path):
    sentences = [
        ("broken", "cannot be loaded (AttributeError: module 'their_studies' has no attribute 'gone'): update that package"),
        ("absent", "cannot be loaded (ModuleNotFoundError: No module named 'no_such_module'): update that package"),
        ("renamed", "must be an Experiment of that name, but is Experiment('else'): update that package"),
        ("a-number", "must be an Experiment of that name, but is 3: update that package, or uninstall it."),
    ]
    result = command(installed, "run", *[name for name, _ in sentences], cwd=tmp_path)
    assert result.returncode == 2
    for name, sentence in sentences:
        (said,) = [line for line in result.stderr.splitlines() if f"'{name}' of the package their-package" in line]
        assert sentence in said
    assert "Traceback" not in result.stderr
