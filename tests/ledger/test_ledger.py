"""The ledger: what a check makes of good, wrong and lying formulas, and how it is kept."""

import dataclasses
import json
import math
import threading
import time
from typing import Any

import pytest

from gatefield import UserError, ledger
from gatefield.core.estimate import Estimate
from gatefield.ledger import Finding, Formula


def formula(name="002-eq1", status="holds", value=1.0, estimate=1.0, error=1e-9, printed=None, **changes) -> Formula:
    usual: dict[str, Any] = {
        "status": status,
        "source": "002",
        "place": "equation 1",
        "says": "one is one",
        "implements": "theory.relu.kernel",
        "value": lambda: value,
        "estimate": lambda: Estimate(estimate, error, "counting"),
        "printed": None if printed is None else lambda: printed,
    }
    return Formula(name=name, **usual | changes)


def only(item: Formula) -> Finding:
    (finding,) = ledger.check([item]).findings
    return finding


@pytest.mark.parametrize(
    "item",
    [
        formula(),
        formula(value=1 + 5e-10),
        formula(status="corrected", printed=2.0),
        formula(status="corrected", printed=math.nan),
        formula(status="refuted"),
        formula(status="refuted", printed=0.5),
        formula(status="holds with a condition", printed=0.5),
        formula(status="open"),
        formula(printed=1.0),
        formula(error=0.0),
    ],
)
def test_a_formula_in_order(item):
    finding = only(item)
    assert (finding.result, finding.error_text, finding.in_order) == ("agrees", "", True)
    assert (finding.status, finding.place, finding.says) == (item.status, item.place, item.says)
    assert finding.printed_disagrees == (None if item.printed is None else item.status != "holds")


def test_sampling_is_allowed_several_standard_errors():
    def sampled(distance):
        estimate = Estimate(1.0, 0.1, "sampling", standard_errors=4.0)
        return dataclasses.replace(formula(value=1 + distance), estimate=lambda: estimate)

    assert only(sampled(0.39)).result == "agrees"
    assert only(sampled(0.41)).error_text == "The library's value is 0.41 away from the estimate, and 0.4 is allowed."


@pytest.mark.parametrize(
    ("item", "result", "text"),
    [
        (formula(value=2.0), "disagrees", "The library's value is 1 away from the estimate"),
        (formula(value=math.nan), "disagrees", "nan away from the estimate"),
        (formula(status="corrected"), "inconsistent", "does not evaluate the printed equation"),
        (formula(status="corrected", printed=1.0), "inconsistent", "'corrected', but the printed equation agrees"),
        (formula(status="refuted", printed=1.0), "inconsistent", "'refuted', but the printed equation agrees"),
        (formula(printed=2.0), "inconsistent", "'holds', but the printed equation disagrees"),
        (formula(error=math.inf), "inconsistent", "must be finite and not negative, but is inf"),
    ],
)
def test_a_formula_that_is_wrong_or_would_lie(item, result, text):
    finding = only(item)
    assert (finding.result, finding.in_order) == (result, False)
    assert text in finding.error_text


def broken() -> float:
    raise RuntimeError("no such\n  number")


@pytest.mark.parametrize("part", ["value", "estimate", "printed"])
def test_an_error_inside_a_formula_is_a_finding(part):
    item = dataclasses.replace(formula(status="corrected", printed=2.0), **{part: broken})
    checked = ledger.check([item, formula("002-eq2")])
    bad, good = checked.findings
    assert (bad.result, bad.error_text, bad.value) == ("fails", "RuntimeError: no such number", None)
    assert good.result == "agrees"
    assert checked.bad == ["002-eq1"]


FORMULAS = [formula("002-eq1"), formula("002-eq25"), formula("003-eq2", source="003"), formula("angle", source="sheet")]


def test_formulas_are_chosen_by_source_and_by_name():
    def names(**choice):
        return [finding.name for finding in ledger.check(FORMULAS, **choice).findings]

    assert names(sources=["003", "sheet"]) == ["003-eq2", "angle"]
    assert names(names=["eq2"]) == ["002-eq25", "003-eq2"]
    assert names(names=["eq2", "ang"], sources=["002", "sheet"]) == ["002-eq25", "angle"]


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        ({"sources": ["02"]}, "Unknown source '02': did you mean '002'? There are: 000, 001, 002, 003, 004, sheet."),
        ({"sources": ["004"]}, "The ledger has no formulas of source 004 yet; there are some of 002, 003, sheet."),
        ({"names": ["eq52"]}, "No formula of the ledger has 'eq52' in its name, place, function or words: "),
        ({"names": ["anlge"]}, "did you mean 'angle'? "),
        ({"names": ["angle"], "sources": ["002"]}, "has such a name: leave out --source or --name."),
    ],
)
def test_a_choice_of_nothing_is_one_sentence(choice, sentence):
    with pytest.raises(UserError) as caught:
        ledger.check(FORMULAS, **choice)
    assert sentence in str(caught.value)


def test_progress_names_each_formula_and_ends():
    calls = []
    ledger.check(FORMULAS[:2], progress=lambda *call: calls.append(call))
    assert calls == [("002-eq1", 0, 2), ("002-eq25", 1, 2), ("", 2, 2)]


def test_a_check_is_kept_and_read_back(tmp_path):
    failing = dataclasses.replace(formula("c"), value=broken)
    wrong = formula("a", "corrected", printed=math.nan, right=r"\frac{1}{2}", printed_equation="2")
    made = ledger.check([wrong, formula("b", value=math.inf), failing])
    assert made.checked
    assert made.made["device"]
    assert ledger.read_ledger(tmp_path) is None
    path = ledger.write_ledger(tmp_path / "store", made)
    assert path == tmp_path / "store" / "ledger.json"
    assert [item.name for item in path.parent.iterdir()] == ["ledger.json"]
    found = ledger.read_ledger(tmp_path / "store")
    assert found is not None
    assert repr(found) == repr(made)  # NaN is not equal to itself
    one, two, three = json.loads(made.to_json())
    assert [row["result"] for row in (one, two, three)] == ["agrees", "disagrees", "fails"]
    assert [row["status"] for row in (one, two, three)] == ["corrected", "holds", "holds"]
    assert (one["printed"], one["right"], one["printed_equation"]) == ("NaN", r"\frac{1}{2}", "2")
    assert two["value"] == "Infinity"
    assert three["value"] is None


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 9}', '{"format": 3, "findings": [{}]}'])
def test_a_check_that_cannot_be_read_says_what_to_do(tmp_path, text):
    (tmp_path / "ledger.json").write_text(text)
    found = ledger.read_ledger(tmp_path)
    assert found is not None
    assert "cannot be read" in found.problem
    assert "run gatefield check again" in found.problem


@pytest.mark.parametrize(
    "change",
    [
        lambda kept: kept["findings"][0].update(value=2.0),
        lambda kept: kept["made"].pop("device"),
        lambda kept: kept.pop("checksum"),
        lambda kept: kept.update(format=3),
    ],
)
def test_a_check_that_was_changed_is_not_believed(tmp_path, change):
    path = ledger.write_ledger(tmp_path, ledger.check([formula("a")]))
    kept = json.loads(path.read_text())
    change(kept)
    path.write_text(json.dumps(kept))
    found = ledger.read_ledger(tmp_path)
    assert found is not None
    assert found.findings == ()
    assert "run gatefield check again" in found.problem


def many(count: int) -> list[Formula]:
    return [formula(f"002-eq{number}", value=1.0) for number in range(count)]


def test_helpers_take_their_share_and_the_order_stays():
    helped, both = [], threading.Barrier(2, timeout=30)

    def helper(item: Formula) -> Finding:
        if not helped:
            both.wait()
        helped.append(item.name)
        return ledger.examine(item)

    def told(name: str, done: int, total: int) -> None:
        if done == 0 and name:
            both.wait()

    items = many(9)
    checked = ledger.check(items, progress=told, helpers=[helper])
    assert [finding.name for finding in checked.findings] == [item.name for item in items]
    assert helped[0] == "002-eq8"  # from the last back


def test_what_a_helper_cannot_answer_is_examined_without_it():
    def lost(item: Formula) -> Finding:
        raise EOFError

    checked = ledger.check(many(5), helpers=[lost, lost])
    assert [finding.result for finding in checked.findings] == 5 * ["agrees"]


def test_an_interruption_leaves_helpers_nothing_to_do():
    helped, stop = [], threading.Event()

    def helper(item: Formula) -> Finding:
        helped.append(item.name)
        stop.wait(30)
        return ledger.examine(item)

    def interrupted(name: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        ledger.check(many(5), progress=interrupted, helpers=[helper])
    stop.set()
    while threading.active_count() > before:
        time.sleep(0.01)
    assert len(helped) <= 1
