"""Some hundred command lines, drawn as `benchmarks/faults/commands.py` draws them."""

import contextlib
import io
import re

import commands
import pytest
from harness import chance

from gatefield.cli import command_line, main


@pytest.fixture(scope="module")
def drawn():
    return commands.Commands()


@pytest.fixture
def ran(monkeypatch, tmp_path):
    """A folder to work in, and the parameters that were run with, since nothing is really run."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("GATEFIELD_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    commands.prepare(tmp_path)
    found = []
    commands.replace_heavy_parts(found, monkeypatch.setattr)
    return found


@pytest.mark.wrong_types
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(2))
def test_command_lines_run_or_are_told_in_one_sentence(drawn, ran, seed):
    failed = {}
    for case in range(60):
        _, words = drawn(chance(seed, case))
        if wrong := commands.judged(words, 30.0, ran)[1]:
            failed[wrong] = words
    assert not failed


def test_all_commands_and_options_are_drawn(drawn):
    """What the help of each command says it takes, which is not what the options are drawn from."""
    words = {word for case in range(4000) for word in drawn._words(chance(7, case))}
    assert set(command_line.COMMANDS) <= words
    for name in command_line.COMMANDS:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            assert main([name, "--help"]) == 0
        assert set(re.findall(r"(?<![\w-])--\w+", said.getvalue())) <= words, name


HEAVY = {
    "run": ["run", "fourier-basis"],
    "show_outcome": ["run", "fourier-basis"],
    "run_sweep": ["sweep", "good.toml"],
    "run_on_cluster": ["sweep", "good.toml", "--cluster", "local:2"],
    "examine": ["check", "--name", "002-eq44"],
    "helping": ["check", "--source", "001"],
    "entries": ["bench", "training", "--repeats", "1"],
    "_fetch": ["data", "mnist"],
}
"""What is replaced, and a command that would otherwise do it."""


@pytest.mark.wrong_types
def test_what_is_heavy_is_replaced_and_asked_for(tmp_path, monkeypatch):
    """A part that has another name or place by now would be done in earnest, and nobody would know."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("GATEFIELD_DATA", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    commands.prepare(tmp_path)
    asked = set()

    def put(place, name, new):
        monkeypatch.setattr(place, name, lambda *args, **more: asked.add(name) or new(*args, **more))

    commands.replace_heavy_parts([], put)
    for name, words in HEAVY.items():
        assert name not in asked or name == "show_outcome"
        assert commands.called(words)[::2] == (0, ""), words
        assert name in asked
    assert asked == set(HEAVY)


def test_all_parameters_of_all_experiments_are_drawn(drawn):
    assert len(drawn.models) >= 38
    assert len(drawn.settings) > 400


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("localization: loading, preset quick\ngatefield: n must be 1 or more.\n", ""),
        ("gatefield: one.\ngatefield: two.\n", "more than one line"),
        ("usage: gatefield\n", "more than one line"),
        (f"gatefield: n is {'x' * 201}.\n", "repeats more than 200 characters of a word"),
        (f"gatefield: {'y' * 1500}.\n", "more than 1500 characters"),
    ],
)
def test_what_counts_as_a_bad_message(said, wrong):
    assert commands.wrong_message(["run", f"n={'x' * 300}"], said) == wrong
