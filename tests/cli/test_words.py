"""Command lines at random, with the heavy parts replaced: whatever is typed ends in an exit code, never in a traceback."""

import random

import pytest

from gatefield import experiments
from gatefield.cli import main

pytestmark = [pytest.mark.xdist_group("cli"), pytest.mark.wrong_types]
PLAIN = """run list report figure store remove check data completion tour nope quick full 002 bash mnist fourier-basis a.py
--help -h --version --set --store --output --preset --fresh --json --source --name --folder --mirror --stroe --yes
- -- = -x --set=gain=3 --fresh=1 --store= --output=/ n=12 n=0 n=true n=1e400 xis=[1,2 xis=1,,2 =3 [red] ' {} %s"""
WORDS = [
    *PLAIN.split(),
    *("", "n=" + "9" * 400, "xis=" + "[" * 3000, "n=\n1", "x" * 300, "/", ".", "..", "/dev/zero/x", "~", "~nobody-has-this/x"),
    *("\\", "é", "\udcff", "\0", "\n", '"'),
]
COMMON = ("run", "list", "report", "figure", "store", "check", "data", "completion")


def command_lines(count: int, seed: int) -> list[list[str]]:
    """Mostly a command first, then up to five words."""
    draw = random.Random(seed)
    return [draw.choices(COMMON, k=draw.random() < 0.8) + draw.choices(WORDS, k=draw.randrange(6)) for _ in range(count)]


@pytest.fixture
def light(tmp_path, monkeypatch):
    """What takes long, fetches data or writes outside of the test is replaced; words go through all of the checks before."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GATEFIELD_STORE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    fourier = experiments.get("fourier-basis")
    monkeypatch.setattr(experiments, "get", lambda name: fourier)
    for name in (
        "lab.run",
        "show.show_outcome",
        "cli.tour.run_experiment",
        "cli.completion.print_script",
        "cli.check.Check._show",
    ):
        monkeypatch.setattr(f"gatefield.{name}", lambda *_, **__: None)
    ledger = __import__("gatefield.ledger").ledger
    monkeypatch.setattr(ledger, "check", lambda **_: ledger.Ledger(findings=()))
    monkeypatch.setattr(ledger, "write_ledger", lambda *_: None)
    monkeypatch.setattr("gatefield.cli.data.Data._one", lambda *_: 0)


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_typed_ends_in_a_sentence(light, capfd, seed):
    for words in command_lines(50, seed):
        code = main(words)
        said = capfd.readouterr().err
        assert code in (0, 2), words
        assert "Traceback" not in said
        assert all(len(line) < 1500 for line in said.splitlines()), words
        assert (code == 2) is ("gatefield: " in said and "holds no entries" not in said), (words, said)
