"""The ledger on its page, in the report and in a terminal, from findings made by hand."""

import base64
import hashlib
import io
import re
from collections import Counter

import pytest
from rich.console import Console
from show_fakes import FakeEntry, find
from test_report import Page

from gatefield.ledger import Finding, Ledger, read_ledger, write_ledger
from gatefield.show import write_ledger_page, write_report
from gatefield.show.ledger.terminal import show_ledger
from gatefield.show.ledger.view import summary, texts

pytestmark = pytest.mark.wrong_types  # entries and outcomes are stand-ins


def finding(name="002-eq25", **changes) -> Finding:
    usual = {
        "name": name,
        "source": "002",
        "place": "equation 25",
        "says": "the amplitude at rest",
        "status": "holds",
        "implements": "theory.relu.steady_amplitude",
        "value": 0.2825084,
        "estimate": 0.2825084,
        "error": 1e-8,
        "standard_errors": 1.0,
        "method": "the end of the flow",
        "result": "agrees",
        "seconds": 0.25,
    }
    return Finding(**usual | changes)


CORRECTED = finding(
    status="corrected", printed=0.38736, printed_disagrees=True, note="a norm where its square belongs", number="the flat mode"
)
WRONG = finding("000-eq5", source="000", value=0.7, result="disagrees", error_text="The library's value is off.")
FAILED = Finding(
    name="sheet-boom",
    source="sheet",
    place="equation 25",
    says="the amplitude at rest",
    status="holds",
    implements="theory.relu.steady_amplitude",
    result="fails",
    error_text="RuntimeError: boom",
    seconds=0.25,
)
GOOD = Ledger(findings=(CORRECTED, finding("002-eq14")), checked="2026-01-01T00:00:00+00:00", made={"device": "cpu (2 cores)"})
BAD = Ledger(findings=(WRONG, CORRECTED, FAILED))


def test_the_page_asks_for_nothing_from_outside_and_its_links_lead_somewhere(tmp_path):
    page = Page(write_ledger_page(BAD, tmp_path / "page.html"))
    addresses = [attrs[key] for _, attrs in page.tags for key in ("src", "href") if attrs.get(key)]
    assert addresses
    assert all(address and address.startswith(("#", "data:")) for address in addresses)
    assert not any(key.startswith("on") for _, attrs in page.tags for key in attrs)
    raw = (tmp_path / "page.html").read_text()
    assert "url(" not in raw
    assert "@import" not in raw
    names = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(names) == len(set(names))
    assert {f"#{name}" for name in names} >= {attrs["href"] for attrs in page.all("a")}


def test_the_policy_allows_the_script_of_the_page_and_nothing_else(tmp_path):
    raw = write_ledger_page(GOOD, tmp_path / "page.html").read_bytes().decode()
    (script,) = re.findall("<script>(.*?)</script>", raw, flags=re.DOTALL)
    (policy,) = re.findall('http-equiv="Content-Security-Policy" content="([^"]*)"', raw)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert rules == {
        "default-src": "'none'",
        "img-src": "data:",
        "style-src": "'unsafe-inline'",
        "script-src": f"'sha256-{digest}'",
    }


def test_every_button_finds_as_many_formulas_as_it_says(tmp_path):
    ledger = Ledger(findings=(*BAD.findings, finding("002-eq14", status="holds with a condition", note="if n is even")))
    page = Page(write_ledger_page(ledger, tmp_path / "page.html"))
    rows = [attrs for attrs in page.all("article") if "data-filter-row" in attrs]
    assert len(rows) == 4
    buttons = [attrs for attrs in page.all("button") if "data-filter-key" in attrs]
    said = re.findall(r"data-filter-count>(\d+)<", (tmp_path / "page.html").read_text())
    found = [sum(row[f"data-filter-{b['data-filter-key']}"] == b["data-filter-value"] for row in rows) for b in buttons]
    assert [int(number) for number in said] == found
    assert Counter(b["data-filter-key"] for b in buttons) == {"status": 3, "source": 3, "library": 1}
    assert "hidden" in next(attrs for attrs in page.all("form"))  # without a script there is nothing to press


def test_both_equations_are_typeset_and_what_the_number_is_stands_beside_it(tmp_path):
    both = {"right": r"u = \frac{1}{2},\quad v = 3", "printed_equation": r"u^2 = \lambda_1"}
    ledger = Ledger(findings=(CORRECTED.model_copy(update=both | {"number": "amplitude lambda_1 of the flat mode"}),))
    page = Page(write_ledger_page(ledger, tmp_path / "page.html"))
    symbols = (tmp_path / "page.html").read_text().split("<main", 1)[1]
    assert symbols.count("<math") == 3
    assert "<mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac>" in symbols
    text = " ".join(page.text.split())
    assert "as printed" in text
    assert "Amplitude λ1 of the flat mode" in text


def test_the_claim_and_the_check_of_the_library_are_two_things(tmp_path):
    refuted = finding(status="refuted", printed=1.0, printed_disagrees=True)
    text = " ".join(Page(write_ledger_page(Ledger(findings=(refuted,)), tmp_path / "page.html")).text.split())
    assert "source's claim: refuted" in text
    assert "library checked ✓ agrees" in text
    unprinted = finding("sheet-a", source="sheet")
    text = " ".join(Page(write_ledger_page(Ledger(findings=(unprinted,)), tmp_path / "page.html")).text.split())
    assert "no source prints it: holds" in text


def test_without_a_script_what_is_refuted_and_corrected_is_listed(tmp_path):
    page = Page(write_ledger_page(GOOD, tmp_path / "page.html"))
    assert "#list-corrected" in {attrs["href"] for attrs in page.all("a")}
    assert [attrs["href"] for attrs in page.all("a")].count("#formula-002-eq25") == 2  # in the list, and beside the formula


def test_the_page_shows_both_numbers_and_says_what_is_wrong(tmp_path):
    text = " ".join(Page(write_ledger_page(GOOD, tmp_path / "page.html")).text.split())
    for words in (
        "estimate0.2825 ± 1e−08",
        "as printed≠ 0.3874",
        "A norm where its square belongs",
        "theory.relu.steady_amplitude",
        "library checked ✓ agrees",
    ):
        assert words in text
    assert "2 formulas 1 holds 1 corrected library checked: ✓ all values agree" in text
    assert "Checked 2026-01-01T00:00:00+00:00" in text
    assert "Not in order" not in text


def test_the_page_names_what_is_not_in_order(tmp_path):
    text = " ".join(Page(write_ledger_page(BAD, tmp_path / "page.html")).text.split())
    assert "Not in order: 000-eq5, sheet-boom." in text
    assert "library checked ✗ differs" in text
    assert "library checked ✗ fails" in text
    assert "RuntimeError: boom" in text


def test_hostile_text_stays_text(tmp_path):
    words = {"says": "<script>", "note": "</td><img src=http://evil>", "method": "<b>", "number": "<b>^<b>_1"}
    words |= {"right": r"\text{<script>}", "printed_equation": "</math><img src=http://evil>", "source": '"><b>'}
    page = Page(write_ledger_page(Ledger(findings=(finding('"><script>', **words),)), tmp_path / "page.html"))
    assert len(page.all("script")) == 1  # its own
    assert not page.all("img")
    assert not page.all("b")
    assert "<img src=http://evil>" in page.text


def test_the_report_holds_the_last_check(tmp_path):
    write_ledger(tmp_path, GOOD)
    report = Page(write_report([FakeEntry()], tmp_path / "page.html", find=find, ledger=read_ledger(tmp_path)))
    names = [attrs["id"] for _, attrs in report.tags if "id" in attrs]
    assert len(names) == len(set(names))
    assert {f"#{name}" for name in names} >= {
        href for attrs in report.all("a") if (href := attrs.get("href") or "").startswith("#")
    }
    text = " ".join(report.text.split())
    assert "ledger of 2 formulas" in text
    assert "Note 002: 2 formulas" in text
    assert "0.3874" in text


def test_the_report_says_when_the_last_check_cannot_be_read(tmp_path):
    (tmp_path / "ledger.json").write_text("{")
    report = Page(write_report([FakeEntry()], tmp_path / "page.html", find=find, ledger=read_ledger(tmp_path)))
    assert "run gatefield check again" in report.text
    assert "12346" in report.text  # the experiment is shown all the same


@pytest.mark.parametrize(
    ("item", "value", "estimate", "printed"),
    [
        (CORRECTED, "0.2825", "0.2825", "0.3874"),
        (finding(value=1.0, estimate=1.0, printed=1.00001, printed_disagrees=True), "1", "1", "1.00001"),
        (finding(value=-1e-18, estimate=1e-13, error=1e-12), "0", "0", ""),
        (finding(value=-0.5, estimate=-0.5, printed=float("nan"), printed_disagrees=True), "−0.5", "−0.5", "undefined"),
        (WRONG, "0.7", "0.2825", ""),
        (FAILED, "", "", ""),
    ],
)
def test_numbers_have_the_digits_in_which_they_differ(item, value, estimate, printed):
    shown = texts(item)
    assert (shown["value"], shown["estimate"], shown["printed"]) == (value, estimate, printed)


def test_the_error_is_what_is_allowed():
    sampled = texts(finding(error=0.001, standard_errors=4.0, method="1e6 samples"))
    assert (sampled["error"], sampled["method"]) == ("± 0.004", "1e6 samples, 4 standard errors")


def test_the_summary_counts_by_status():
    assert summary(GOOD.findings) == (
        "2 formulas, as printed: 1 holds, 1 corrected; every library value agrees with its independent estimate."
    )
    assert summary(BAD.findings) == "3 formulas, as printed: 2 hold, 1 corrected; not in order: 000-eq5, sheet-boom."


def printed(findings, terminal: bool, width: int = 140) -> str:
    file = io.StringIO()
    show_ledger(findings, Console(file=file, width=width, force_terminal=terminal, color_system=None))
    return file.getvalue()


PLAIN = [
    "Note 000",
    "  holds: 000-eq5, equation 25: the amplitude at rest",
    "    library differs: theory.relu.steady_amplitude 0.7, estimate 0.2825 ± 1e−08 by the end of the flow",
    "    The library's value is off.",
    "Note 002",
    "  corrected: 002-eq25, equation 25: the amplitude at rest",
    "    library agrees: theory.relu.steady_amplitude 0.2825, estimate 0.2825 ± 1e−08 by the end of the flow, printed 0.3874",
    "    number: the flat mode",
    "    a norm where its square belongs",
    "What no source prints",
    "  holds: sheet-boom, equation 25: the amplitude at rest",
    "    library fails: theory.relu.steady_amplitude: RuntimeError: boom",
]


def test_in_a_pipe_there_are_a_few_lines_for_each_formula():
    assert printed(BAD.findings, terminal=False, width=20).splitlines()[: len(PLAIN)] == PLAIN


def test_a_narrow_terminal_shows_the_same_and_keeps_words_whole():
    lines = printed(BAD.findings, terminal=True, width=80).splitlines()
    assert max(map(len, lines[:-2])) <= 80
    assert " ".join(" ".join(lines).split()).startswith(" ".join(" ".join(PLAIN).split()))


def test_in_a_terminal_there_is_a_table_for_each_source():
    lines = printed(BAD.findings, terminal=True).splitlines()
    assert lines[0].strip() == "Note 000"
    head = (
        "formula what it says, where, by which function, estimated how source's claim library estimate printed library checked"
    )
    assert " ".join(lines[1].split()) == head
    assert any("corrected" in text and "0.3874" in text and "✓ agrees" in text for text in lines)
    assert any("number: the flat mode" in text for text in lines)
    assert any("✗ fails" in text for text in lines)
    assert any("theory.relu.steady_amplitude" in text for text in lines)
    assert lines[-2].startswith("3 formulas, as printed: 2 hold, 1 corrected; not in order")
    assert lines[-1] == "Checked in less than 1 s; the longest: 000-eq5 0.2 s, 002-eq25 0.2 s, sheet-boom 0.2 s."


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize("status", ["holds with a condition", "corrected", "refuted", "open", "holds"])
def test_a_status_other_than_holds_is_shown_with_its_note(status, terminal):
    text = printed([finding(status=status, note="if n is even")], terminal)
    assert ("if n is even" in text) == (status != "holds")


def test_the_end_names_what_is_refuted():
    refuted = finding("000-wlog", source="000", status="refuted", says="labels (1, 0) are no loss of generality")
    lines = printed([refuted, *GOOD.findings], terminal=False).splitlines()
    assert lines[-4:-1] == [
        "Refuted claims of the sources, 1 of 3 formulas:",
        "  000-wlog, equation 25: labels (1, 0) are no loss of generality",
        "3 formulas, as printed: 1 holds, 1 corrected, 1 refuted; every library value agrees with its independent estimate.",
    ]
