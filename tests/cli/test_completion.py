"""Completion as a shell does it: the script is sourced, and asked what it offers for words typed so far."""

import functools
import subprocess
import sys

import pytest

from gatefield import experiments
from gatefield.cli import main
from gatefield.cli.command_line import COMMANDS
from gatefield.cli.data import DATA_SETS
from gatefield.cli.words.parse import words_first
from gatefield.data.images import COLLECTIONS

pytestmark = pytest.mark.xdist_group("cli")
COMPLETE = """
source /dev/stdin
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
$(complete -p gatefield | grep -o '_[a-z_]*gatefield')
echo "${COMPREPLY[@]}"
"""
NAMES = " ".join(experiments.names())


@functools.cache
def script(shell: str) -> str:
    arguments = [sys.executable, "-m", "gatefield", "completion", shell]
    return subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=True).stdout


def offered(*words: str) -> str:
    arguments = ["bash", "-c", COMPLETE, "bash", "gatefield", *words]
    result = subprocess.run(arguments, input=script("bash"), capture_output=True, text=True, timeout=20)
    assert not result.stderr
    return result.stdout.strip()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("",), " ".join(COMMANDS)),
        (("r",), "run report"),
        (("run", "loc"), "localization"),
        (("run", "localization", "gaussian-n"), "gaussian-neuron"),
        (("run", ""), NAMES),
        (("run", "--preset", ""), "quick full reduced"),
        (("run", "--f"), "--fresh"),
        (("figure", "loc"), "localization"),
        (("figure", "--preset", ""), "quick full reduced"),
        (("figure", "--o"), "--output"),
        (("store", "rem"), "remove"),
        (("store", "remove", "loc"), "localization"),
        (("store", "--y"), "--yes"),
        (("list", "cube"), "cube-states"),
        (("bench", "g"), "growth"),
        (("data", ""), "mnist cifar10"),
        (("data", "--m"), "--mirror"),
        (("check", "--s"), "--source --store"),
        (("completion", ""), "bash zsh tcsh"),
        (("report", "loc"), ""),
    ],
)
def test_bash_offers_what_fits(words, expected):
    assert offered(*words) == expected


def test_files_are_completed_where_words_are_not_known(tmp_path, monkeypatch):
    """A word that no experiment begins with is left to bash, which offers files: `gatefield run my_st<TAB>`."""
    assert "complete -o bashdefault -F" in script("bash")
    (tmp_path / "my_store").mkdir()
    monkeypatch.chdir(tmp_path)
    assert offered("run", "--store", "my_") == "my_store"


@pytest.mark.parametrize("shell", ["zsh", "tcsh"])
def test_other_shells_know_the_same_words(shell):
    text = script(shell)
    assert f"({NAMES})" in text
    assert "(mnist cifar10)" in text
    assert "(quick full reduced)" in text


def test_data_sets_that_are_offered_are_those_that_there_are():
    assert list(DATA_SETS) == list(COLLECTIONS)


def test_making_the_script_leaves_the_parser_as_it_was(capsys):
    assert main(["completion", "bash"]) == 0
    assert main(["run", "localization", "--sett", "gain=3"]) == 2
    assert "Unknown option '--sett'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "ordered"),
    [
        ("run a --set gain=3 b", "run a b --set gain=3"),
        ("run --fresh a --set gain=3 xi=2 --store s b", "run a xi=2 b --fresh --set gain=3 --store s"),
        ("--store s run a", "run a --store s"),
        ("run a --store=s b --fresh", "run a b --store=s --fresh"),
        ("check --source 002 003 --json", "check --source 002 003 --json"),
        ("check --json --name a b", "check --json --name a b"),
        ("--store s check --name a b", "check --store s --name a b"),
        ("store remove --yes a", "store remove a --yes"),
        ("figure --output o a --set gain=3 xi=2", "figure a xi=2 --output o --set gain=3"),
        ("report a.py --output p b.py", "report a.py b.py --output p"),
        ("--help", "--help"),
        ("run --help", "run --help"),
        ("run --preset", "run --preset"),
        ("", ""),
    ],
)
def test_words_come_before_options(words, ordered):
    assert words_first(words.split(), COMMANDS) == ordered.split()
