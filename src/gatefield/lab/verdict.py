"""What a record says of one claim."""

import dataclasses
import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal, SupportsFloat, TypedDict, Unpack, get_args

from gatefield.core.errors import UserError, unknown_name
from gatefield.core.text.quoted import quoted
from gatefield.lab.bound import Bound

Kind = Literal["claim", "prediction", "reproduction", "control", "regression"]
"""A claim of a source; a prediction of theory; a published number made again; a control, which shows that the measurement can
tell; a regression, which shows that nothing has changed."""

Outcome = Literal["confirmed", "refuted", "not decided", "off", "not judged"]
"""`refuted` is a finding; `not decided`: the error is larger than the distance from the bound; `off`: a reproduction, control
or regression that missed; `not judged`: the record does not have what the claim is about, and `why` says what to set."""

UNDEFINED = "what it is judged by is undefined (NaN) in this record"
"""Why a claim is not judged whose numbers are none, as where runs diverged."""


Real = SupportsFloat
"""A number: a Python or NumPy one, or an array of one entry, as `record.loss.min()` is."""


class Said(TypedDict, total=False):
    """What may be said of any verdict, judged or not; see `Verdict`."""

    kind: Kind
    source: str
    note: str
    found: str
    otherwise: str
    more_found: str
    more_otherwise: str


class Words(Said, total=False):
    """What may be said of any number beside its bound; see `Verdict`."""

    of: str
    error: Real


@dataclasses.dataclass(frozen=True)
class Verdict:
    """One claim, what was predicted, what was measured, and what became of it.

    Made by `within`, `between`, `below`, `above`, `equals` or `test`; by `each` for one claim at several places; or by
    `not_judged`. They take

    - `claim`: a sentence that stands alone;
    - `predicted`, `measured`: numbers; and the bound, typed once, from which `holds` and the words of `tolerance` follow.
      Where nothing but a bound is known, nothing is predicted;
    - `of`: what is measured, in a few words, such as "median IPR";
    - `kind`: whose claim it is, a `Kind`; if nothing is said, "prediction", also where only a bound is known:
        - "claim": one of a source;
        - "prediction": of theory, or of whoever wrote the experiment;
        - "reproduction": a published number, made again;
        - "control": shows that the measurement can tell;
        - "regression": shows that nothing has changed;
    - `source`: where the claim stands, such as "note 002, section 4";
    - `error`: of what is measured, such as the half-width of its interval: nearer to the bound than that is `not decided`;
    - `note`: what a reader should know beside the numbers;
    - `found`, `otherwise`: for the few that make the headline of the experiment: what was found if the claim is confirmed, and
      what if it is refuted, each a sentence that stands alone, with its numbers; see `headline`. `more_found`, `more_otherwise`
      are those of the second figure.

    `verdict.and_below(...)`, `and_above`, `and_within` add a further condition, which must hold too. `verdict.holds` is None
    where nothing was judged. Where a number is none (NaN), as where runs diverged, nothing is.

    >>> verdict = Verdict.within("the field localizes at gain 3", 0.64, 0.655, atol=0.03, of="median IPR", kind="reproduction")
    >>> verdict.holds, verdict.outcome, verdict.tolerance
    (True, 'confirmed', 'median IPR within 0.03 of 0.64')
    >>> Verdict.above("more than half are found", 0.5, 0.55, error=0.1).outcome
    'not decided'
    """

    claim: str
    measured: float
    bounds: tuple[Bound, ...]
    kind: Kind = "prediction"
    source: str = ""
    note: str = ""
    why: str = ""
    """Why it is not judged; empty if it is."""
    found: str = ""
    otherwise: str = ""
    more_found: str = ""
    more_otherwise: str = ""

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise unknown_name("kind of verdict", self.kind, get_args(Kind))

    @property
    def outcome(self) -> Outcome:
        if not self.bounds:
            return "not judged"
        if any(bound.decided and not bound.holds for bound in self.bounds):  # one that is missed settles it
            return "refuted" if self.kind in ("claim", "prediction") else "off"
        return "confirmed" if all(bound.decided for bound in self.bounds) else "not decided"

    @property
    def holds(self) -> bool | None:
        """Whether it is confirmed; None if it is not judged."""
        return self.outcome == "confirmed" if self.bounds else None

    @property
    def predicted(self) -> float | None:
        """The predicted number; None where there is only a bound, and in a table, whose rows have their own."""
        return self.bounds[0].predicted if self.bounds and not self.table else None

    @property
    def table(self) -> tuple[Bound, ...]:
        """The places at which one claim was looked at, if there are several; see `each`."""
        return tuple(bound for bound in self.bounds if bound.at)

    @property
    def margin(self) -> float:
        """The least margin of its bounds; NaN if it is not judged."""
        return min((bound.margin for bound in self.bounds), default=math.nan)

    @property
    def tolerance(self) -> str:
        """How far apart predicted and measured may be, in words, and the error of what is measured, if it has one."""
        if self.table:
            return f"at each of {len(self.table)} places"
        return ", and ".join(bound.rule + _within_error(bound) for bound in self.bounds)

    @property
    def sentence(self) -> str:
        """What became of the claim, as a sentence that stands alone."""
        if self.outcome == "confirmed":
            return self.found or self.claim
        if self.outcome in ("refuted", "off"):
            return self.otherwise or f"not so: {self.claim}"
        return f"{self.outcome}: {self.claim}"

    @classmethod
    def within(
        cls,
        claim: str,
        predicted: Real,
        measured: Real,
        *,
        atol: Real | None = None,
        rtol: Real | None = None,
        **words: Unpack[Words],
    ) -> "Verdict":
        """At most `atol` away from what is predicted, or at most the part `rtol` of it."""
        return cls._made(claim, predicted, _near(predicted, measured, atol, rtol, words), words)

    @classmethod
    def between(
        cls, claim: str, low: Real, high: Real, measured: Real, *, predicted: Real | None = None, **words: Unpack[Words]
    ) -> "Verdict":
        """From `low` to `high`, the ends with it."""
        bound = _bound(measured, low, high, f"from {number(low)} to {number(high)}", True, words)
        return cls._made(claim, predicted, bound, words)

    @classmethod
    def below(
        cls,
        claim: str,
        bound: Real,
        measured: Real,
        *,
        predicted: Real | None = None,
        or_equal: bool = False,
        **words: Unpack[Words],
    ) -> "Verdict":
        """Below a bound."""
        return cls._made(claim, predicted, _below(bound, measured, or_equal, words), words)

    @classmethod
    def above(
        cls,
        claim: str,
        bound: Real,
        measured: Real,
        *,
        predicted: Real | None = None,
        or_equal: bool = False,
        **words: Unpack[Words],
    ) -> "Verdict":
        """Above a bound."""
        return cls._made(claim, predicted, _above(bound, measured, or_equal, words), words)

    @classmethod
    def equals(cls, claim: str, predicted: Real, measured: Real, **words: Unpack[Words]) -> "Verdict":
        """Exactly what is predicted."""
        if "error" in words:  # nothing is equal to within an error
            raise ValueError("A verdict `equals` takes no error; write Verdict.within(..., atol=error).")
        bound = _bound(measured, predicted, predicted, f"exactly {number(predicted)}", True, words)
        return cls._made(claim, predicted, bound, words)

    @classmethod
    def test(
        cls, claim: str, predicted: Real, measured: Real, p: Real, *, level: Real, by: str, **words: Unpack[Words]
    ) -> "Verdict":
        """No difference is seen between predicted and measured: the test named by `by` gives a p-value of at least `level`."""
        if "error" in words or "of" in words:
            raise ValueError("A verdict by a `test` takes no error and no `of`: its p-value has none, and `by` names it.")
        made = cls._made(claim, predicted, _above(level, p, True, {"of": f"{by}, p"}), words)
        return dataclasses.replace(made, measured=_float(measured)) if made.bounds else made

    @classmethod
    def not_judged(cls, claim: str, why: str, **said: Unpack[Said]) -> "Verdict":
        """A claim that this record cannot tell of; `why` says what it needs, what it has, and what to set to have it judged.

        >>> verdict = Verdict.not_judged("the field localizes", "needs gains with 3, has 0.5; run with --set gains=0.5,3")
        >>> verdict.outcome, verdict.holds
        ('not judged', None)
        """
        if not why:
            raise ValueError("A verdict that is not judged says why: what it needs, what it has, and what to set.")
        return cls(claim, math.nan, (), why=why, **said)

    @classmethod
    def each(cls, claim: str, rows: Mapping[str, "Verdict"], **said: Unpack[Said]) -> "Verdict":
        """One claim looked at in several places: it holds if it does at each, and one place where it is missed refutes it.

        **Arguments**

        - `rows`: where -> what was found there, such as "n = 40" -> Verdict.within(...); the claims and kinds of the
          rows are left out, their notes stay with the bounds. A place at which nothing can be judged is named in the note,
          unless there is no other.

        >>> rows = {f"n = {n}": Verdict.within("", 1 / n, x, rtol=0.1, of="IPR") for n, x in [(8, 0.126), (40, 0.03)]}
        >>> flat = Verdict.each("the field is flat", rows)
        >>> flat.outcome, [(bound.at, bound.outcome) for bound in flat.table]
        ('refuted', [('n = 8', 'holds'), ('n = 40', 'missed')])
        """
        judged = {at: row for at, row in rows.items() if row.bounds}
        if not judged:
            why = next((row.why for row in rows.values()), "needs a place to look at, has none")
            return cls.not_judged(claim, why, **said)
        bounds = tuple(dataclasses.replace(bound, at=at, note=row.note) for at, row in judged.items() for bound in row.bounds)
        left = "; ".join(f"not judged at {at}: {row.why}" for at, row in rows.items() if not row.bounds)
        worst = min(bounds, key=lambda bound: math.inf if math.isnan(bound.margin) else bound.margin)
        said["note"] = "; ".join(filter(None, (said.get("note", ""), left)))
        return cls(claim, worst.measured, bounds, **said)

    @classmethod
    def _made(cls, claim: str, predicted: Real | None, bound: Bound, words: Words) -> "Verdict":
        others: dict[str, Any] = {name: value for name, value in words.items() if name not in ("of", "error")}
        bound = dataclasses.replace(bound, predicted=None if predicted is None else _float(predicted))
        if not bound.defined:
            others["note"] = ""  # which would tell the same numbers
            return cls.not_judged(claim, UNDEFINED, **others)
        return cls(claim, bound.measured, (bound,), **others)

    def and_below(self, bound: Real, measured: Real, *, or_equal: bool = False, of: str = "", error: Real = 0.0) -> "Verdict":
        """The same, and another number below its bound."""
        return self._and(_below(bound, measured, or_equal, {"of": of, "error": error}))

    def and_above(self, bound: Real, measured: Real, *, or_equal: bool = False, of: str = "", error: Real = 0.0) -> "Verdict":
        """The same, and another number above its bound."""
        return self._and(_above(bound, measured, or_equal, {"of": of, "error": error}))

    def and_within(
        self,
        predicted: Real,
        measured: Real,
        *,
        atol: Real | None = None,
        rtol: Real | None = None,
        of: str = "",
        error: Real = 0.0,
    ) -> "Verdict":
        """The same, and another number near to what is predicted for it."""
        return self._and(_near(predicted, measured, atol, rtol, {"of": of, "error": error}))

    def _and(self, bound: Bound) -> "Verdict":
        if not self.bounds:  # what is not judged stays so
            return self
        if not bound.defined:
            return dataclasses.replace(self, measured=math.nan, bounds=(), note="", why=UNDEFINED)
        return dataclasses.replace(self, bounds=(*self.bounds, bound))


def headline(title: str, verdicts: Iterable[Verdict], *, more: bool = False) -> str:
    """The finding of an experiment in a sentence or two: it follows from the verdicts, so that it cannot contradict them.

    It is made of those that have `found`, at most two, as far as they are decided; if none is, the title, which asks, stays.
    That of the second figure (`more`) is made of those that have `more_found` in the same way.

    >>> tall = Verdict.above("trees are tall", 2, 9, found="trees reach 9 m", otherwise="trees stay below 2 m")
    >>> headline("How tall are trees?", [tall])
    'Trees reach 9 m'
    >>> headline("How tall are trees?", [dataclasses.replace(tall, bounds=())])
    'How tall are trees?'
    """
    if more:
        verdicts = [dataclasses.replace(one, found=one.more_found, otherwise=one.more_otherwise) for one in verdicts]
    decided = [one.sentence for one in verdicts if one.found and one.outcome in ("confirmed", "refuted", "off")]
    words = "; ".join(sentence.rstrip(".") for sentence in decided[:2])
    return words[:1].upper() + words[1:] if words else title


def number(value: Real) -> str:
    """A bound as it is read: up to six digits, whole numbers plain."""
    return f"{_float(value):.6g}"


def _within_error(bound: Bound) -> str:
    """The error in words; it is infinite where it is not known, as of one seed."""
    return f" (error {'unknown' if math.isinf(bound.error) else number(bound.error)})" if bound.error else ""


def _float(value: Real) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise UserError(f"A verdict is made of single numbers, but one is {quoted(value)}; write float(...).") from None


def _near(predicted: Real, measured: Real, atol: Real | None, rtol: Real | None, words: Words) -> Bound:
    if (atol is None) == (rtol is None):
        raise ValueError("A verdict `within` takes atol or rtol, one of the two.")
    middle = _float(predicted)
    slack = _float(atol) if atol is not None else abs(middle) * _float(rtol or 0.0)
    away = number(slack) if rtol is None else f"{100 * _float(rtol):.4g} %"
    bound = _bound(measured, middle - slack, middle + slack, f"within {away} of {number(middle)}", True, words)
    return dataclasses.replace(bound, predicted=middle)


def _below(bound: Real, measured: Real, or_equal: bool, words: Words) -> Bound:
    return _bound(measured, None, bound, f"{'at most' if or_equal else 'below'} {number(bound)}", or_equal, words)


def _above(bound: Real, measured: Real, or_equal: bool, words: Words) -> Bound:
    return _bound(measured, bound, None, f"{'at least' if or_equal else 'above'} {number(bound)}", or_equal, words)


def _bound(measured: Real, low: Real | None, high: Real | None, rule: str, ends: bool, words: Words) -> Bound:
    of, error = words.get("of", ""), _float(words.get("error", 0.0))
    if error < 0:
        raise ValueError(f"The error of what is measured must be zero or more, but is {error:g}.")
    low, high = (None if end is None else _float(end) for end in (low, high))
    return Bound(_float(measured), low, high, f"{of} {rule}" if of else rule, ends, error)
