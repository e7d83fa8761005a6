"""`gatefield bench` as users meet it, with contests that take no time."""

import json

import pytest

from gatefield.cli import main
from gatefield.speed import Contest, Contestant, Missing, entries

pytestmark = pytest.mark.xdist_group("cli")


@pytest.fixture
def ratio(tmp_path, monkeypatch):
    """Work in an empty folder; what is given sets how many times as long the peer takes."""
    monkeypatch.chdir(tmp_path)
    amount = [1.0]

    def fake(case, quick):
        peers = [Contestant("scan", lambda: sum(range(20_000)), amount[0]), Missing("torch", "not installed: torch")]
        yield Contest("small", "step", Contestant("train", lambda: sum(range(20_000))), peers)

    monkeypatch.setattr(entries, "entries", fake)
    return lambda times: amount.__setitem__(0, 1 / times)


def test_ratios_come_first_and_are_kept(ratio, tmp_path, capsys):
    ratio(100.0)
    assert main(["bench", "training", "--repeats", "2", "--output", "kept.json"]) == 0
    streams = capsys.readouterr()
    head, first, missing, ours = streams.out.splitlines()
    assert head.startswith("training, small, ms per step, load ")
    assert " times (" in first
    assert first.partition(" times")[2].partition("against ")[2].startswith("scan: ")
    assert missing == "  torch: not installed: torch"
    assert ours.startswith("  train: ")
    assert streams.err == "training: small\n"
    kept = json.loads((tmp_path / "kept.json").read_text())
    assert (kept["repeats"], kept["quick"]) == (2, False)
    assert 10 < kept["cases"]["training"][0]["peers"][0]["ratio"]["median"] < 1000


def test_a_ratio_that_fell_ends_with_code_one_and_a_sentence(ratio, capsys):
    ratio(1000.0)
    assert main(["bench", "training", "--quick", "--output", "kept.json"]) == 0
    assert main(["bench", "training", "--quick", "--baseline", "kept.json"]) in (0, 1)  # as the machine likes
    capsys.readouterr()
    ratio(1.0)
    assert main(["bench", "training", "--quick", "--baseline", "kept.json"]) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith(
        "gatefield bench: 1 of 1 ratios fell by more than 25% below kept.json: training, small, against scan: "
    )
    ratio(1e6)
    assert main(["bench", "training", "--quick", "--baseline", "kept.json"]) == 0
    assert capsys.readouterr().err.endswith("none of 1 ratios fell by more than 25% below kept.json.\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["trainin"], "Unknown case 'trainin': did you mean 'training'? There are: "),
        (["--repeats", "0"], "The option --repeats takes a whole number from 1 to 1000, but has 0."),
        (["--repeats", "99999999999999999999"], "The option --repeats takes a whole number from 1 to 1000, but has 9999"),
        (["--repeats", "many"], "These words cannot be understood"),
        (["--baseline", "nowhere.json"], "Cannot read 'nowhere.json' (no such file or directory)"),
        (["--baseline", "mine.json"], "The file 'mine.json' is no result of gatefield bench: give one that --output wrote."),
        (["--output", "mine.json"], "Cannot write to 'mine.json', since the file that is there is not a result of gatefield"),
        (["--output", "/dev/full"], "Cannot write to '/dev/full', which is a device"),
        (["--output", "mine.json/new.json"], "Cannot write to 'mine.json/new.json' (not a directory)"),
    ],
)
def test_what_a_user_can_put_right_is_one_sentence_before_anything_is_measured(ratio, tmp_path, capsys, words, sentence):
    (tmp_path / "mine.json").write_text("{}")
    assert main(["bench", *words]) == 2
    streams = capsys.readouterr()
    assert f"gatefield: {sentence}" in streams.err
    assert streams.out == ""
    assert (tmp_path / "mine.json").read_text() == "{}"
