"""The check: formulas evaluated anew, each against its independent estimate."""

import difflib
import math
import re
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from gatefield.core.errors import UserError, unknown_name
from gatefield.core.provenance import now, provenance
from gatefield.core.text.quoted import quoted
from gatefield.ledger import notes
from gatefield.ledger.file import Ledger
from gatefield.ledger.formula import Estimate, Finding, Formula, Result
from gatefield.ledger.share import Examine, examine_all

Progress = Callable[[str, int, int], object]
"""Called with a formula's name, the formulas done and the formulas in all."""


def check(
    formulas: Iterable[Formula] | None = None,
    sources: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    progress: Progress | None = None,
    helpers: Sequence[Examine] = (),
) -> Ledger:
    """Evaluate formulas of the ledger. One that raises an error is a finding like any other.

    **Arguments**

    - `formulas`: which ones; by default all that the library has.
    - `sources`: only those of these sources, such as `["002"]`.
    - `names`: only those with one of these texts in their name, place, implementing function, or in what they say.
    - `progress`: called before each formula with its name, the formulas done and the formulas in all, and once at the end.
    - `helpers`: what else gives the finding of a formula, such as `examine` in another process; each is called in a thread of
      its own, and of its formulas `progress` is not told the names.

    **Returns** a `Ledger` with a `Finding` for each formula, in order.

    >>> check(names=["002-eq44"]).findings[0].result
    'agrees'
    """
    chosen = _select(notes.formulas() if formulas is None else tuple(formulas), sources or (), names or ())
    report = progress or (lambda name, done, total: None)
    findings = examine_all(chosen, examine, lambda formula, done: report(formula.name, done, len(chosen)), helpers)
    report("", len(chosen), len(chosen))
    return Ledger(findings=findings, checked=now(), made=provenance())


def _select(formulas: Sequence[Formula], sources: Sequence[str], names: Sequence[str]) -> list[Formula]:
    for source in sources:
        _check_source(source, {formula.source for formula in formulas})
    for text in names:
        if not any(_has(formula, text) for formula in formulas):
            near = difflib.get_close_matches(text, [formula.name for formula in formulas], n=1, cutoff=0.5)
            hint = f"did you mean '{near[0]}'? " if near else ""
            raise UserError(
                f"No formula of the ledger has {quoted(text)} in its name, place, function or words: {hint}"
                f"Without --name all are checked and listed."
            )
    inside = [formula for formula in formulas if not sources or formula.source in sources]
    chosen = [formula for formula in inside if not names or any(_has(formula, text) for text in names)]
    if not chosen:
        raise UserError("No formula of the ledger is of these sources and has such a name: leave out --source or --name.")
    return chosen


def _has(formula: Formula, text: str) -> bool:
    """Whether a text is in the name of a formula, its place, the function that implements it, or what it says.

    Places are numbers: "equation 4" is not "equation 45".
    """
    words = f"{formula.name}\n{formula.implements}\n{formula.says}\n{formula.number}".casefold()
    return text.casefold() in words or re.search(re.escape(text) + r"(?!\d)", formula.place, re.IGNORECASE) is not None


def _check_source(source: str, known: Collection[str]) -> None:
    if source not in {*notes.SOURCES, *known}:
        raise unknown_name("source", source, {*notes.SOURCES, *known})
    if source not in known:
        raise UserError(f"The ledger has no formulas of source {source} yet; there are some of {', '.join(sorted(known))}.")


def examine(formula: Formula) -> Finding:
    """Evaluate one formula, its independent estimate, and what is printed."""
    start = time.monotonic()
    try:
        numbers: dict[str, Any] = _numbers(formula)
    except Exception as error:  # one broken formula must not hide the others
        numbers = {"result": "fails", "error_text": f"{type(error).__name__}: {' '.join(str(error).split())}"}
    names = ("name", "source", "place", "says", "status", "implements", "number", "right", "printed_equation", "note")
    words: dict[str, Any] = {name: getattr(formula, name) for name in names}
    return Finding(**words, **numbers, seconds=round(time.monotonic() - start, 3))


def _numbers(formula: Formula) -> dict[str, Any]:
    value, estimate = float(formula.value()), formula.estimate()
    printed = None if formula.printed is None else float(formula.printed())
    disagrees = None if printed is None else not estimate.agrees(printed)
    result, text = _judge(formula, value, estimate, disagrees)
    return {
        "value": value,
        "estimate": float(estimate.value),
        "error": float(estimate.error),
        "standard_errors": float(estimate.standard_errors),
        "method": estimate.method,
        "printed": printed,
        "printed_disagrees": disagrees,
        "result": result,
        "error_text": text,
    }


def _judge(formula: Formula, value: float, estimate: Estimate, printed_disagrees: bool | None) -> tuple[Result, str]:
    """Whether value and estimate agree, and what is wrong where they do not or where the status does not fit the numbers."""
    if not estimate.agrees(value):
        allowed, distance = estimate.standard_errors * estimate.error, abs(value - estimate.value)
        return "disagrees", f"The library's value is {distance:.3g} away from the estimate, and {allowed:.3g} is allowed."
    text = _inconsistency(formula.status, estimate, printed_disagrees)
    return ("inconsistent" if text else "agrees"), text


def _inconsistency(status: str, estimate: Estimate, printed_disagrees: bool | None) -> str:
    """Where the status does not fit the numbers: the ledger would lie."""
    if not (math.isfinite(estimate.error) and estimate.error >= 0):
        return f"The error of the estimate must be finite and not negative, but is {estimate.error:g}."
    if status == "corrected" and printed_disagrees is None:
        return "The status is 'corrected', but the formula does not evaluate the printed equation."
    if status in ("corrected", "refuted") and printed_disagrees is False:
        return f"The status is '{status}', but the printed equation agrees with the estimate."
    if status == "holds" and printed_disagrees:
        return "The status is 'holds', but the printed equation disagrees with the estimate."
    return ""
