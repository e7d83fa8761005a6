"""The reproduction map: its statuses follow from ledger and verdicts, its files are current, its page stands alone."""

import json
import re
from pathlib import Path

import pytest
from test_report import Page

from gatefield import experiments
from gatefield.cli import main
from gatefield.core.errors import UserError
from gatefield.ledger import Item, formulas, inventory
from gatefield.show import map_rows, map_view, write_map
from gatefield.show.map import rows as joining
from gatefield.show.map.markdown import markdown
from gatefield.show.map.quoted import QUOTED, Quote, quoted
from gatefield.show.map.rows import joined, parts, rows

ROOT = Path(__file__).parent.parent.parent
FULL = ROOT / "benchmarks/results/full"
KNOWN = {formula.name: formula for formula in formulas()}


def item(**words) -> Item:
    return Item(**{"name": "one", "source": "002", "place": "section 1", "kind": "claim", "says": "It is so."} | words)


def kept(monkeypatch, **outcomes):
    """Let `localization` have been judged so at full size."""
    quotes = tuple(Quote("localization", claim, outcome, 0.25) for claim, outcome in outcomes.items())
    monkeypatch.setattr(joining, "_kept", lambda: {"localization": quotes})


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ({"formulas": ("002-eq14",)}, "holds"),
        ({"formulas": ("002-eq25",)}, "corrected"),
        ({"formulas": ("002-eq14", "002-race")}, "holds with a condition"),
        ({"formulas": ("002-eq14",), "verdicts": {"localization": ("wrong",)}}, "holds"),
        ({"verdicts": {"localization": ("right",)}}, "holds"),
        ({"verdicts": {"localization": ("right", "wrong")}}, "holds with a condition"),
        ({"verdicts": {"localization": ("right",)}, "conditional": True, "remark": "At gain 3."}, "holds with a condition"),
        ({"verdicts": {"localization": ("wrong",)}, "conditional": True, "remark": "At gain 3."}, "refuted"),
        ({"verdicts": {"localization": ("wrong",)}}, "refuted"),
        ({"against": {"localization": ("wrong",)}}, "holds"),
        ({"against": {"localization": ("right",)}}, "refuted"),
        ({"verdicts": {"localization": ("missed",)}}, "not reproduced"),
        ({"verdicts": {"localization": ("unclear",)}}, "open"),
        ({"verdicts": {"localization": ("never judged",)}}, "open"),
        ({"kind": "question", "missing": "All of it."}, "open"),
        ({"kind": "question", "answer": "Yes, {0}.", "verdicts": {"localization": ("wrong",)}}, "answered"),
        ({"kind": "definition", "functions": ("nets.Committee",)}, "implemented"),
        ({"kind": "context", "missing": "Not looked at."}, "not reproduced"),
    ],
)
def test_the_status_follows_from_formulas_then_verdicts(words, status, monkeypatch):
    kept(monkeypatch, right="confirmed", wrong="refuted", missed="off", unclear="not decided")
    row = joined(item(**words), KNOWN)
    assert row.status == status
    assert row.answer == ("Yes, 0.25." if "answer" in words else "")


def test_a_claim_without_a_verdict_at_full_size_is_missing(monkeypatch):
    kept(monkeypatch, right="confirmed")
    row = joined(item(verdicts={"localization": ("right", "later")}, missing="A proof."), KNOWN)
    assert row.status == "holds"
    assert row.missing == "A proof. A verdict at full size of localization on “later”."


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"formulas": ("002-eq99",)}, "Unknown formula of 002, one '002-eq99'"),
        ({"experiments": ("localisation",)}, "Unknown experiment of 002, one 'localisation': did you mean 'localization'?"),
        ({"verdicts": {"no-such": ("x",)}}, "Unknown experiment of 002, one 'no-such'"),
    ],
)
def test_unknown_names_are_refused(words, sentence):
    with pytest.raises(UserError, match=re.escape(sentence)):
        joined(item(**words), KNOWN)


def test_files_are_current():
    results = json.loads((FULL / "verdicts.json").read_text())
    assert QUOTED.read_text() == quoted(results, inventory()), "say `make map`"
    assert (ROOT / "docs/reproduction.md").read_text() == markdown(), "say `make map`"


def test_experiments_lead_to_their_claims():
    text = markdown()
    links = set(re.findall(r"\[`([\w-]+)`\]\(\.\./(benchmarks/results/full/\w+\.md)#([\w-]+)\)", text))
    assert len(links) > 30
    assert [name for name, page, at in links if at != name or f"\n## {name}\n" not in (ROOT / page).read_text()] == []


def test_results_of_before_verdicts_had_outcomes_or_errors_are_read():
    verdicts = [
        {"claim": "so it is", "holds": True, "measured": 1.5},
        {"claim": "so it is not", "holds": False, "measured": 2},
        {"claim": "so it may be", "outcome": "not decided", "holds": False, "measured": 3},
        {"claim": "so it was", "outcome": "confirmed", "measured": 3, "tolerance": "share above 2 (error 0.25)"},
        {"claim": "so it is now", "outcome": "confirmed", "measured": 3, "tolerance": "", "error": 0.5},
        {
            "claim": "so it is for one seed",
            "outcome": "not decided",
            "measured": 3,
            "tolerance": "above 2",
            "error": "Infinity",
        },
        {"claim": "another", "holds": True, "measured": 4},
    ]
    text = quoted({"experiments": {"localization": {"verdicts": verdicts}}}, [item(verdicts={"localization": ("so it",)})])
    assert json.loads(text) == {
        "localization": [
            ["so it is", "confirmed", 1.5],
            ["so it is not", "refuted", 2],
            ["so it may be", "not decided", 3],
            ["so it was", "confirmed", 3, 0.25],
            ["so it is now", "confirmed", 3, 0.5],
            ["so it is for one seed", "not decided", 3],
        ]
    }


@pytest.mark.parametrize(
    ("measured", "error", "words"),
    [(0.64, 0.0, "0.64"), (0.2926, 0.0083, "0.293 ± 0.008"), (0.5, 0.0996, "0.5 ± 0.1"), (37.5, 12.0, "38 ± 12")],
)
def test_numbers_are_quoted_with_their_errors(measured, error, words):
    assert Quote("localization", "", "confirmed", measured, error).number == words


def test_every_claim_that_is_named_is_kept_or_in_the_code():
    lost = [(one.experiment, one.part) for row in rows() for one in row.unkept if one.part not in code(one.experiment)]
    assert lost == []
    assert [row.item.name for row in rows() if len(row.judged) != len(list(parts(row.item)))] == []


def code(name: str) -> str:
    """The texts in the files of an experiment, those over several lines put together."""
    subject = next(listed.subject for listed in experiments.listed() if listed.name == name)
    place = Path(experiments.__file__).parent / subject / name.replace("-", "_")
    files = sorted(place.rglob("*.py")) or [place.with_suffix(".py")]
    return re.sub(r'"\s*\n\s*f?"', "", "".join(file.read_text() for file in files))


def test_numbers_in_answers_and_remarks_are_measured_ones():
    """Those that are written out are in the results at full size or in the ledger."""
    notes = " ".join(formula.note + formula.says for formula in formulas())
    measured = (FULL / "verdicts.json").read_text() + (FULL / "README.md").read_text() + notes
    typed = {number for one in inventory() for number in re.findall(r"\d+\.\d+", one.answer + one.remark)}
    assert [number for number in sorted(typed) if number not in measured] == []
    assert len(typed) > 20


def test_the_page_stands_alone_and_has_every_row(tmp_path):
    page = Page(write_map(tmp_path / "map.html"))
    addresses = [attrs[key] for _, attrs in page.tags for key in ("src", "href") if attrs.get(key)]
    assert all(address and address.startswith(("#", "data:")) for address in addresses)
    assert not page.all("script")
    names = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(names) == len(set(names))
    assert {f"#{name}" for name in names} >= {attrs["href"] for attrs in page.all("a")}
    assert {row.anchor for row in rows()} <= set(names)
    words = " ".join(page.text.split())
    assert "equation 24 has the norm of u, not its square" in words
    assert "✓ a gated linear network trained by SGD follows its exact solution (confirmed, measured 0.009345)" in words


def test_a_page_with_formulas_and_experiments_is_linked():
    view = map_view({"002-eq25": "#formula-002-eq25", "steady-modes": "#steady-modes"})
    row = next(row for group in view["groups"] for row in group["rows"] if row["anchor"] == "map-002-amplitude")
    assert [one["link"] for one in row["formulas"] + row["experiments"]] == ["#formula-002-eq25", "#steady-modes"]
    assert sum(times for _, times, _ in view["counts"]) == view["total"] == len(rows())


def test_the_command_counts_and_says_what_is_missing(tmp_path, capsys):
    assert main(["map", "--output", str(tmp_path / "map.md")]) == 0
    out = capsys.readouterr().out
    assert (tmp_path / "map.md").read_text() == markdown()
    assert f"All: {len(rows())} items, " in out
    for row in rows():
        if row.missing:
            assert f"Missing: {row.missing}" in out


def test_the_command_gives_json_and_no_page(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["map", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(map_rows()))
    assert list(tmp_path.iterdir()) == []
