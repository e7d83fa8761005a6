"""The ledger: what a check makes of good, wrong and lying entries, and every real entry of the library."""

import dataclasses
import json
import math
from collections import Counter
from functools import reduce

import pytest

import gatefield
from gatefield import UserError, ledger
from gatefield.ledger.formula import Entry, Estimate
from gatefield.ledger.notes import SOURCES


def entry(name="002-eq1", status="holds", value=1.0, estimate=1.0, error=1e-9, printed=None, **changes) -> Entry:
    usual = {
        "source": "002",
        "place": "equation 1",
        "says": "one is one",
        "implements": "theory.relu.kernel",
        "value": lambda: value,
        "estimate": lambda: Estimate(estimate, error, "counting"),
        "printed": None if printed is None else lambda: printed,
    }
    return Entry(name=name, status=status, **usual | changes)


def only(item: Entry) -> ledger.Finding:
    (finding,) = ledger.check([item])
    return finding


@pytest.mark.parametrize(
    "item",
    [
        entry(),
        entry(value=1 + 5e-10),
        entry(status="corrected", printed=2.0),
        entry(status="corrected", printed=math.nan),
        entry(status="refuted"),
        entry(status="refuted", printed=0.5),
        entry(status="holds with a condition", printed=0.5),
        entry(status="open"),
        entry(printed=1.0),
        entry(error=0.0),
    ],
)
def test_an_entry_in_order(item):
    finding = only(item)
    assert (finding.outcome, finding.agrees, finding.error_text) == ("agrees", True, "")
    assert finding.verdict == item.status
    assert finding.printed_disagrees == (None if item.printed is None else item.status != "holds")


def test_sampling_is_allowed_several_standard_errors():
    def sampled(distance):
        estimate = Estimate(1.0, 0.1, "sampling", standard_errors=4.0)
        return dataclasses.replace(entry(value=1 + distance), estimate=lambda: estimate)

    assert only(sampled(0.39)).outcome == "agrees"
    assert only(sampled(0.41)).error_text == "The library's value is 0.41 away from the estimate, and 0.4 is allowed."


@pytest.mark.parametrize(
    ("item", "outcome", "text"),
    [
        (entry(value=2.0), "disagrees", "The library's value is 1 away from the estimate"),
        (entry(value=math.nan), "disagrees", "nan away from the estimate"),
        (entry(status="corrected"), "inconsistent", "does not evaluate the printed equation"),
        (entry(status="corrected", printed=1.0), "inconsistent", "'corrected', but the printed equation agrees"),
        (entry(status="refuted", printed=1.0), "inconsistent", "'refuted', but the printed equation agrees"),
        (entry(printed=2.0), "inconsistent", "'holds', but the printed equation disagrees"),
        (entry(error=math.inf), "inconsistent", "must be finite and not negative, but is inf"),
    ],
)
def test_an_entry_that_is_wrong_or_would_lie(item, outcome, text):
    finding = only(item)
    assert finding.outcome == outcome
    assert text in finding.error_text


def broken() -> float:
    raise RuntimeError("no such\n  number")


@pytest.mark.parametrize("part", ["value", "estimate", "printed"])
def test_an_error_inside_an_entry_is_a_finding(part):
    item = dataclasses.replace(entry(status="corrected", printed=2.0), **{part: broken})
    bad, good = ledger.check([item, entry("002-eq2")])
    assert bad.outcome == "fails"
    assert bad.error_text == "RuntimeError: no such number"
    assert good.outcome == "agrees"


ENTRIES = [entry("002-eq1"), entry("002-eq25"), entry("003-eq2", source="003"), entry("angle", source="sheet")]


def test_entries_are_chosen_by_source_and_by_name():
    def names(**choice):
        return [finding.entry.name for finding in ledger.check(ENTRIES, **choice)]

    assert names(sources=["003", "sheet"]) == ["003-eq2", "angle"]
    assert names(names=["eq2"]) == ["002-eq25", "003-eq2"]
    assert names(names=["eq2", "ang"], sources=["002", "sheet"]) == ["002-eq25", "angle"]


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ({"sources": ["02"]}, "Unknown source '02': did you mean '002'? There are: 000, 001, 002, 003, 004, sheet."),
        ({"sources": ["004"]}, "The ledger has no entries of source 004 yet; there are some of 002, 003, sheet."),
        ({"names": ["eq52"]}, "No entry of the ledger has 'eq52' in its name: "),
        ({"names": ["anlge"]}, "did you mean 'angle'? "),
        ({"names": ["angle"], "sources": ["002"]}, "No entry of the ledger is of these sources and has such a name"),
    ],
)
def test_a_choice_of_nothing_is_one_sentence(choice, sentence):
    with pytest.raises(UserError) as caught:
        ledger.check(ENTRIES, **choice)
    assert sentence in str(caught.value)


def test_progress_names_each_entry_and_ends():
    calls = []
    ledger.check(ENTRIES[:2], progress=lambda *call: calls.append(call))
    assert calls == [("002-eq1", 0, 2), ("002-eq25", 1, 2), ("", 2, 2)]


def test_a_check_is_kept_and_read_back(tmp_path):
    failing = dataclasses.replace(entry("c"), value=broken)
    made = ledger.Ledger.of(ledger.check([entry("a", "corrected", printed=math.nan), entry("b", value=math.inf), failing]))
    assert ledger.read_ledger(tmp_path) is None
    path = ledger.write_ledger(tmp_path / "store", made)
    assert path == tmp_path / "store" / "ledger.json"
    assert [item.name for item in path.parent.iterdir()] == ["ledger.json"]
    found = ledger.read_ledger(tmp_path / "store")
    assert found is not None
    assert repr(found) == repr(made)  # NaN is not equal to itself
    rows = json.loads(made.json_rows())
    assert [row["outcome"] for row in rows] == ["agrees", "disagrees", "fails"]
    assert [row["verdict"] for row in rows] == ["corrected", "holds", "holds"]
    assert rows[0]["printed"] == "NaN"
    assert rows[1]["value"] == "Infinity"
    assert rows[2]["value"] is None


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 9}', '{"format": 2, "rows": [{}]}'])
def test_a_check_that_cannot_be_read_says_what_to_do(tmp_path, text):
    (tmp_path / "ledger.json").write_text(text)
    found = ledger.read_ledger(tmp_path)
    assert found is not None
    assert "cannot be read" in found.problem
    assert "run gatefield check again" in found.problem


# --- the real entries ---


def test_every_real_entry_is_known_by_one_name_and_a_source():
    entries = ledger.ledger()
    assert [name for name, number in Counter(item.name for item in entries).items() if number > 1] == []
    assert [item.name for item in entries if item.source not in SOURCES] == []
    assert [item.name for item in entries if not (item.place and item.says)] == []
    assert [item.name for item in entries if item.status in ("corrected", "holds with a condition") and not item.note] == []


def test_every_real_entry_names_a_function_of_the_library():
    wrong = []
    for item in ledger.ledger():
        try:
            reduce(getattr, item.implements.split("."), gatefield)
        except AttributeError:
            wrong.append((item.name, item.implements))
    assert wrong == []


def test_every_real_entry_agrees():
    """The ledger test of the whole project; `gatefield check` shows the same as a table."""
    findings = ledger.check()
    assert [f"{finding.entry.name}: {finding.error_text}" for finding in findings if finding.error_text] == []
