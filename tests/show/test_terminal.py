import dataclasses
import io
from types import SimpleNamespace

import pydantic
import pytest
from rich.console import Console
from show_fakes import BUMP, FakeEntry, bump_record

from gatefield.cli.tour import story
from gatefield.experiments import Listed
from gatefield.lab import Entry, Parameters, Verdict
from gatefield.lab.store.marker import Marker, checkpoint_name, write_marker
from gatefield.show import describe_experiment, show_experiments, show_outcome
from gatefield.show.terminal import show_verdicts

pytestmark = pytest.mark.wrong_types  # entries and outcomes are stand-ins

LISTED = [Listed("bump", "fields", BUMP.title, dict(BUMP.durations)), Listed("other", "their-package")]
SUBJECTS = {"fields": "Receptive fields"}


def printed(show, *args, terminal: bool = False, width: int = 80) -> str:
    file = io.StringIO()
    show(*args, Console(file=file, width=width, force_terminal=terminal, color_system=None))
    return file.getvalue()


def verdicts():
    return BUMP.verdicts(bump_record())


def test_verdicts_in_a_pipe_are_a_line_each():
    lines = printed(show_verdicts, verdicts(), width=20).splitlines()
    assert lines[0] == "  confirmed: The field's peak is one (predicted 1, measured 0.9974, within 5 % of 1; prediction)"
    assert lines[1].startswith("  refuted: The field is as wide as a quarter of the ring (predicted 10, measured 12346")
    assert lines[2:] == ["    It is narrower."]


def test_verdicts_in_a_terminal_are_a_table():
    text = printed(show_verdicts, verdicts(), terminal=True, width=120)
    assert "✓ confirmed" in text
    assert "✗ refuted" in text
    assert "It is narrower." in text
    assert [line.strip() for line in text.splitlines() if line.strip() in ("prediction", "claim, Fig. 2")] == [
        "prediction",
        "claim, Fig. 2",
    ]


@pytest.mark.parametrize("terminal", [True, False])
def test_each_outcome_has_its_word(terminal):
    off = Verdict.equals("the printed number is made again", 1, 2, kind="reproduction")
    open_ = Verdict.below("the effect is larger than its error", 1.0, 0.9, error=0.5)
    none = Verdict.not_judged("the field localizes", "needs gains with 3, has 0.5; run with --set gains=0.5,3")
    text = printed(show_verdicts, [*verdicts(), off, open_, none], terminal=terminal, width=200)
    for words in ("confirmed", "refuted", "not decided", "off", "not judged", none.why):
        assert words in text
    assert "undefined" not in text


def test_what_is_not_judged_says_why_in_its_line():
    none = Verdict.not_judged("the field localizes", "needs gains with 3, has 0.5; run with --set gains=0.5,3", kind="claim")
    line = "  not judged: the field localizes: needs gains with 3, has 0.5; run with --set gains=0.5,3 (claim)"
    assert printed(show_verdicts, [none]).splitlines() == [line]


def test_one_experiment_is_described_with_presets_and_parameters():
    class Bare(Parameters):
        size: int
        words: tuple[str, ...] = pydantic.Field(default_factory=lambda: ("a", "b"))

    bare = dataclasses.replace(BUMP, Parameters=Bare, presets={"quick": {"size": 3}}, source="")
    lines = printed(describe_experiment, bare).splitlines()
    assert lines == [
        "bump: A field condenses on a ring",
        "  A neuron is trained on two kinds of signal. Turn `gain` up and its field condenses.",
        "  The line is theory; the dots are the trained field. <b>Not markup</b> & safe.",
        "  parameters, for --set name=value:",
        "    size = (no default)",
        "    words = [a,b]",
        "  preset quick: size=3 (takes about 5 s)",
    ]


def test_experiments_in_a_pipe_are_a_line_each():
    lines = printed(show_experiments, LISTED, SUBJECTS, width=20).splitlines()
    assert lines[0] == "bump: A field condenses on a ring [fields; quick: about 5 s; full: about 10 min]"
    assert lines[1] == "other [their-package]"


def test_experiments_in_a_terminal_are_a_table_by_subject():
    lines = printed(show_experiments, LISTED, SUBJECTS, terminal=True, width=120).splitlines()
    text = [" ".join(line.split()) for line in lines if line.strip()]
    assert text[1:4] == [
        "Receptive fields",
        "bump A field condenses on a ring quick about 5 s, full about 10 min",
        "from the package their-package",
    ]


def outcome(path, **changes):
    usual = {"entry": FakeEntry(path=path), "record": bump_record(), "verdicts": verdicts(), "reused": False, "resumed": False}
    return SimpleNamespace(**usual | {"seconds": 12.3, "remarks": ()} | changes)


def test_a_finished_run_names_its_record_and_figure(tmp_path):
    lines = printed(show_outcome, BUMP, outcome(tmp_path)).splitlines()
    assert lines[0] == "bump: finished in 12 s"
    assert lines[-2:] == [f"  record: {tmp_path}", f"  figure: {tmp_path / 'figure.svg'}"]
    assert (tmp_path / "figure.svg").read_text().startswith("<?xml")


def test_an_interrupted_run_says_how_far_it_came(tmp_path):
    entry = Entry(tmp_path, "0123", "bump", {})
    assert entry.committed == ""
    (tmp_path / "parts" / "flow").mkdir(parents=True)
    sizes = {"axis": "step", "records": 40, "total": 100, "block": 10, "checkpoint": checkpoint_name(40)}
    write_marker(tmp_path / "parts" / "flow", Marker(coords=(), variables=(), complete=False, **sizes))
    assert entry.committed == "record 40 of 100 of flow"


def test_a_reused_run_says_so_and_a_foreign_figure_is_drawn_anew(tmp_path):
    (tmp_path / "figure.svg").write_text("as it was")
    assert printed(show_outcome, BUMP, outcome(tmp_path, reused=True)).startswith(f"bump: already in the store: {tmp_path}")
    assert (tmp_path / "figure.svg").read_text() != "as it was"


def test_a_figure_that_cannot_be_kept_does_not_make_a_run_fail(tmp_path):
    (tmp_path / "figure.svg").mkdir()
    last = printed(show_outcome, BUMP, outcome(tmp_path, reused=True), width=200).splitlines()[-1]
    assert last.startswith("  figure: not kept, since nothing can be written there")


def test_remarks_of_a_run_are_its_last_lines(tmp_path):
    said = printed(show_outcome, BUMP, outcome(tmp_path, reused=True, remarks=["my_study.py has changed since this run."]))
    assert said.splitlines()[-1] == "  remark: my_study.py has changed since this run."


def test_a_story_is_the_title_and_the_first_paragraph():
    assert story(BUMP).splitlines() == [
        "A field condenses on a ring",
        "  A neuron is trained on two kinds of signal. Turn `gain` up and its field condenses.",
    ]
