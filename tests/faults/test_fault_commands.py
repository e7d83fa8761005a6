"""Some hundred command lines, drawn as `benchmarks/faults/commands.py` draws them."""

import commands
import pytest
from harness import chance


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
