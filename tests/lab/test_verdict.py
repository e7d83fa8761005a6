"""Verdicts: every constructor on both sides of its bound and at it, what is no number, errors, kinds, words, and JSON."""

import dataclasses
import json
import math
from typing import get_args

import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr
from lab_toy import ToyParameters, toy

from gatefield.core.errors import StoreError, UserError
from gatefield.lab import Kind, Store, Verdict, headline, run

INF, NAN = math.inf, math.nan
WAYS = {
    "within, atol": lambda m, **words: Verdict.within("c", 2.0, m, atol=0.5, **words),
    "within, rtol": lambda m, **words: Verdict.within("c", -2.0, m, rtol=0.25, **words),
    "between": lambda m, **words: Verdict.between("c", -1.0, 3.0, m, **words),
    "below": lambda m, **words: Verdict.below("c", 2.0, m, **words),
    "at most": lambda m, **words: Verdict.below("c", 2.0, m, or_equal=True, **words),
    "above": lambda m, **words: Verdict.above("c", 2.0, m, **words),
    "at least": lambda m, **words: Verdict.above("c", 2.0, m, or_equal=True, **words),
    "equals": lambda m, **words: Verdict.equals("c", 2.0, m, **words),
    "test": lambda m, **words: Verdict.test("c", 5.0, 5.1, m, level=0.05, by="a t test", **words),
}
HOLDS = {  # by hand: measured -> whether it holds
    "within, atol": {1.49: False, 1.5: True, 2.0: True, 2.5: True, 2.51: False, INF: False, -INF: False},
    "within, rtol": {-2.51: False, -2.5: True, -1.5: True, -1.49: False, 2.0: False},
    "between": {-1.01: False, -1.0: True, 3.0: True, 3.01: False, INF: False},
    "below": {1.99: True, 2.0: False, 2.01: False, INF: False, -INF: True},
    "at most": {1.99: True, 2.0: True, 2.01: False, INF: False, -INF: True},
    "above": {1.99: False, 2.0: False, 2.01: True, INF: True, -INF: False},
    "at least": {1.99: False, 2.0: True, 2.01: True, INF: True, -INF: False},
    "equals": {2.0: True, math.nextafter(2.0, 3.0): False, math.nextafter(2.0, 1.0): False, INF: False},
    "test": {0.0499: False, 0.05: True, 0.9: True},
}
CASES = [(way, measured, holds) for way, values in HOLDS.items() for measured, holds in values.items()]


@pytest.mark.parametrize(("way", "measured", "holds"), CASES)
def test_both_sides_of_the_bound_and_the_bound_itself(way, measured, holds):
    verdict = WAYS[way](measured)
    assert verdict.holds is holds
    assert verdict.outcome == ("confirmed" if holds else "refuted")


@pytest.mark.parametrize("way", WAYS)
def test_no_number_is_not_judged(way):
    verdict = WAYS[way](NAN, note="it is nan", kind="claim", source="note 002")
    assert (verdict.outcome, verdict.holds) == ("not judged", None)
    assert "undefined (NaN)" in verdict.why
    assert (verdict.claim, verdict.note, verdict.kind, verdict.source) == ("c", "", "claim", "note 002")


@pytest.mark.parametrize(
    "verdict",
    [Verdict.below("c", NAN, 1.0), Verdict.within("c", NAN, 1.0, atol=0.1), Verdict.above("c", 0.0, 1.0, error=NAN)],
)
def test_a_bound_or_an_error_that_is_no_number_is_not_judged(verdict):
    assert verdict.outcome == "not judged"


def test_a_further_condition_that_is_no_number_is_not_judged():
    assert Verdict.below("c", 1.0, 0.5).and_above(1.0, NAN).outcome == "not judged"
    assert Verdict.below("c", 1.0, 2.0).and_above(1.0, 3.0, error=NAN).outcome == "not judged"


def test_a_place_without_a_number_is_named_in_the_note():
    rows = {"gain 1": Verdict.below("", 1.0, 0.5), "gain 3": Verdict.below("", 1.0, NAN)}
    assert Verdict.each("c", rows).note.startswith("not judged at gain 3: ")
    assert Verdict.each("c", {"gain 3": rows["gain 3"]}).outcome == "not judged"


def test_an_error_that_is_not_known_is_said_in_words():
    assert Verdict.below("c", 1.0, 0.5, error=INF).tolerance == "below 1 (error unknown)"


def test_infinite_bounds():
    assert Verdict.below("c", INF, 1e300).holds
    assert not Verdict.below("c", INF, INF).holds
    assert Verdict.equals("c", INF, INF).holds


@pytest.mark.parametrize(
    ("measured", "outcome"),
    [
        (1.8, "confirmed"),
        (1.9, "not decided"),
        (2.0, "not decided"),
        (2.1, "not decided"),
        (2.2, "refuted"),
        (-INF, "confirmed"),
    ],
)
def test_nearer_to_the_bound_than_its_error_is_not_decided(measured, outcome):
    """By hand: the bound is 2 and the error 0.125, which is exact in binary, as 0.1 is not."""
    verdict = Verdict.below("c", 2.0, measured, error=0.125)
    assert verdict.outcome == outcome
    assert verdict.holds is (outcome == "confirmed")


def test_an_error_counts_at_both_ends():
    """An interval of 1 to 3: with an error of 0.5 only numbers between 1.5 and 2.5 are surely inside."""
    outcomes = [Verdict.between("c", 1.0, 3.0, m, error=0.5).outcome for m in (0.4, 1.25, 2.0, 2.75, 3.6)]
    assert outcomes == ["refuted", "not decided", "confirmed", "not decided", "refuted"]
    assert Verdict.within("c", 2.0, 2.0, atol=0.5, error=0.5).outcome == "not decided"  # the error is as large as the bound
    assert Verdict.above("c", 2.0, INF, error=INF).outcome == "not decided"


def test_a_distance_equal_to_the_error_is_not_decided():
    assert Verdict.above("c", 2.0, 2.5, error=0.5).outcome == "not decided"
    assert Verdict.above("c", 2.0, 2.5, error=0.25).outcome == "confirmed"


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [("claim", "refuted"), ("prediction", "refuted"), ("reproduction", "off"), ("control", "off"), ("regression", "off")],
)
def test_what_is_missed_is_a_finding_or_off_by_its_kind(kind, outcome):
    assert Verdict.below("c", 1.0, 2.0, kind=kind).outcome == outcome
    assert Verdict.below("c", 1.0, 0.5, kind=kind).outcome == "confirmed"
    assert Verdict.below("c", 1.0, 2.0, kind=kind, error=5.0).outcome == "not decided"


@pytest.mark.wrong_types
def test_an_unknown_kind_is_named():
    with pytest.raises(UserError, match="Unknown kind of verdict 'claims': did you mean 'claim'"):
        Verdict.below("c", 1.0, 2.0, kind="claims")


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (Verdict.within("c", 0.64, 0.65, atol=0.03, of="median IPR"), "median IPR within 0.03 of 0.64"),
        (Verdict.within("c", 10.0, 9.0, rtol=0.125), "within 12.5 % of 10"),
        (Verdict.between("c", 0.25, 4.0, 1.0, of="ratio"), "ratio from 0.25 to 4"),
        (Verdict.below("c", 1e-7, 0.0), "below 1e-07"),
        (Verdict.below("c", 1.0, 0.0, or_equal=True), "at most 1"),
        (Verdict.above("c", 1.0, 0.0, of="share"), "share above 1"),
        (Verdict.above("c", 1.0, 0.0, or_equal=True), "at least 1"),
        (Verdict.equals("c", 12, 12), "exactly 12"),
        (Verdict.test("c", 1.0, 1.1, 0.2, level=0.01, by="Student's t test"), "Student's t test, p at least 0.01"),
        (
            Verdict.below("c", 1.0, 0.0, of="mean").and_below(2.0, 0.5, of="maximum").and_above(0.25, 0.5, or_equal=True),
            "mean below 1, and maximum below 2, and at least 0.25",
        ),
        (Verdict.below("c", 1.0, 0.0).and_within(3.0, 3.1, atol=0.5, of="slope"), "below 1, and slope within 0.5 of 3"),
    ],
)
def test_the_words_follow_from_the_bound(verdict, words):
    assert verdict.tolerance == words


@pytest.mark.parametrize(
    ("verdict", "predicted", "measured"),
    [
        (Verdict.within("c", 2, 3, atol=1), 2.0, 3.0),
        (Verdict.between("c", 1.0, 2.0, 3.0), None, 3.0),
        (Verdict.between("c", 1.0, 2.0, 3.0, predicted=1.1), 1.1, 3.0),
        (Verdict.below("c", 1.0, 3.0), None, 3.0),
        (Verdict.below("c", 1.0, 3.0, predicted=0.0), 0.0, 3.0),
        (Verdict.above("c", 1.0, 3.0, predicted=2.0), 2.0, 3.0),
        (Verdict.test("c", 1.0, 3.0, 0.5, level=0.05, by="t"), 1.0, 3.0),
        (Verdict.below("c", 1.0, 3.0).and_above(5.0, 6.0), None, 3.0),
    ],
)
def test_what_is_predicted_and_what_is_measured(verdict, predicted, measured):
    """A bound alone predicts no number."""
    assert (verdict.predicted, verdict.measured) == (predicted, measured)


@pytest.mark.parametrize(
    "kind", [int, np.float32, np.int64, np.array, xr.DataArray, jnp.asarray], ids=lambda kind: kind.__name__
)
def test_numbers_of_any_library_will_do(kind):
    one, two, three = kind(1), kind(2), kind(3)
    made = [
        Verdict.within("c", two, three, atol=one),
        Verdict.within("c", two, three, rtol=one),
        Verdict.between("c", one, three, two),
        Verdict.below("c", three, two, predicted=one).and_above(one, two, error=kind(0)).and_within(two, two, atol=one),
        Verdict.above("c", one, three, error=one),
        Verdict.equals("c", two, two),
        Verdict.test("c", one, one, one, level=one, by="t"),
    ]
    assert all(verdict.holds for verdict in made)
    plain = {type(value) for verdict in made for bound in verdict.bounds for value in (bound.measured, bound.low, bound.high)}
    assert plain | {type(verdict.predicted) for verdict in made} == {float, type(None)}


def test_every_condition_must_hold():
    first = Verdict.below("c", 1.0, 0.5)
    assert first.and_above(1.0, 2.0).holds
    assert first.and_above(1.0, 0.5).outcome == "refuted"
    assert first.and_within(1.0, 2.0, rtol=0.5).outcome == "refuted"
    assert first.and_below(1.0, 0.9, error=0.5).outcome == "not decided"
    assert first.and_above(1.0, 1.1, error=0.5).outcome == "not decided"
    assert first.and_within(1.0, 1.4, atol=0.5, error=0.2).outcome == "not decided"
    assert Verdict.below("c", 1.0, 2.0, kind="control").and_below(1.0, 0.5).outcome == "off"


def test_one_condition_that_is_missed_settles_it_whatever_the_others():
    undecided = Verdict.below("c", 1.0, 0.9, error=0.5)
    assert undecided.and_below(1.0, 0.5).outcome == "not decided"
    assert undecided.and_below(1.0, 2.0).outcome == "refuted"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Verdict.within("c", 1.0, 1.0), "atol or rtol"),
        (lambda: Verdict.within("c", 1.0, 1.0, atol=0.1, rtol=0.1), "atol or rtol"),
        (lambda: Verdict.equals("c", 1.0, 1.0, error=0.1), r"within\(\.\.\., atol=error\)"),
        (lambda: Verdict.test("c", 1.0, 1.0, 0.5, level=0.1, by="t", error=0.1), "takes no error"),
        (lambda: Verdict.below("c", 1.0, 1.0, error=-0.1), "zero or more, but is -0.1"),
    ],
)
def test_what_makes_no_sense_is_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_a_word_that_no_verdict_has_is_refused():
    with pytest.raises(TypeError, match="sorce"):
        Verdict.below("c", 1.0, 1.0, sorce="note 002")


@pytest.mark.parametrize("kind", ["claim", "prediction", "reproduction", "control", "regression"])
def test_what_is_not_judged_neither_holds_nor_fails(kind):
    verdict = Verdict.not_judged("c", "needs n = 40, has 12; run with --set n=40", kind=kind, source="note 002")
    assert verdict.outcome == "not judged"
    assert verdict.holds is None
    assert (verdict.claim, verdict.kind, verdict.source, verdict.tolerance) == ("c", kind, "note 002", "")
    assert verdict.predicted is None
    assert math.isnan(verdict.measured)
    more = verdict.and_below(1.0, 2.0).and_above(1.0, 2.0).and_within(1.0, 1.0, atol=0.1)
    assert more.outcome == "not judged"


def test_what_is_not_judged_must_say_why():
    with pytest.raises(ValueError, match="says why"):
        Verdict.not_judged("c", "")


def made_up():
    """One verdict of each kind of number and outcome."""
    return [
        Verdict.within("near", 1.0, 1.0625, rtol=0.5, of="ratio", kind="reproduction", source="note 002, eq. 5", note="a note"),
        Verdict.below("no number", INF, NAN, kind="control"),
        Verdict.above("infinite", -INF, INF, error=0.5).and_below(0.1, 0.3, of="other").and_within(1.0, 1.0, atol=1e-300),
        Verdict.test("same law", 1.0, 1.1, 0.2, level=0.05, by="Student's t test", kind="regression"),
        Verdict.not_judged("elsewhere", "needs n = 40, has 12; run with --set n=40", kind="claim", source="note 002", note="n"),
    ]


def facts(verdict):
    """All of a verdict in texts, in which one NaN is like another."""
    return repr(dataclasses.asdict(verdict)), verdict.outcome, verdict.tolerance


def test_verdicts_come_back_from_the_store_as_they_were(tmp_path):
    study = dataclasses.replace(toy(), verdicts=lambda record: made_up())
    entry = run(study, ToyParameters(), Store(tmp_path)).entry
    assert [facts(verdict) for verdict in entry.verdicts()] == [facts(verdict) for verdict in made_up()]
    outcomes = [verdict.outcome for verdict in entry.verdicts()]
    assert outcomes == ["confirmed", "not judged", "refuted", "confirmed", "not judged"]


def test_verdicts_kept_before_there_was_a_why_can_be_read(tmp_path):
    judged = [verdict for verdict in made_up() if verdict.bounds]
    study = dataclasses.replace(toy(), verdicts=lambda record: judged)
    entry = run(study, ToyParameters(), Store(tmp_path)).entry
    kept = json.loads((entry.path / "verdicts.json").read_text())["verdicts"]
    (entry.path / "verdicts.json").write_text(json.dumps([{k: v for k, v in one.items() if k != "why"} for one in kept]))
    marker = json.loads((entry.path / "record" / "committed.json").read_text())
    for name in ("metadata", "checksum"):  # which earlier versions did not write
        marker.pop(name)
    (entry.path / "record" / "committed.json").write_text(json.dumps(marker))
    assert [facts(verdict) for verdict in entry.verdicts()] == [facts(verdict) for verdict in judged]


def test_kept_verdicts_that_cannot_be_read_are_named(tmp_path):
    entry = run(toy(), ToyParameters(), Store(tmp_path)).entry
    (entry.path / "verdicts.json").write_text('[{"claim": "half"}]')
    with pytest.raises(StoreError, match=r"verdicts\.json cannot be read: only the verdicts are lost, and `gatefield run"):
        entry.verdicts()


def test_the_error_is_told_with_the_bound():
    verdict = Verdict.below("c", 0.1, 0.058, of="IPR", error=0.063).and_above(0.2, 0.4)
    assert verdict.tolerance == "IPR below 0.1 (error 0.063), and above 0.2"


@pytest.mark.wrong_types
@pytest.mark.parametrize("wrong", ["x", None, [1.0, 2.0]])
def test_what_is_no_number_is_one_sentence(wrong):
    for made in (
        lambda: Verdict.below("c", 0.1, wrong),
        lambda: Verdict.above("c", wrong, 0.1),
        lambda: Verdict.within("c", wrong, 0.1, atol=0.1),
        lambda: Verdict.equals("c", 0.1, 0.1).and_below(0.1, wrong),
    ):
        with pytest.raises(UserError, match="A verdict is made of single numbers, but one is "):
            made()


ROWS = {
    "n = 8": Verdict.within("", 1.0, 1.05, atol=0.1, of="slope"),
    "n = 16": Verdict.within("", 2.0, 2.15, atol=0.2, error=0.1, of="slope"),
    "n = 40": Verdict.within("", 3.0, 3.5, atol=0.1, of="slope"),
}


@pytest.mark.parametrize(
    ("places", "kind", "outcome"),
    [
        (["n = 8"], "prediction", "confirmed"),
        (["n = 8", "n = 16"], "prediction", "not decided"),
        (["n = 8", "n = 16", "n = 40"], "prediction", "refuted"),
        (["n = 8", "n = 40"], "reproduction", "off"),
    ],
)
def test_one_claim_at_several_places(places, kind, outcome):
    verdict = Verdict.each("c", {at: ROWS[at] for at in places}, kind=kind, source="note 002")
    assert (verdict.outcome, verdict.kind, verdict.source) == (outcome, kind, "note 002")
    assert [bound.at for bound in verdict.table] == places
    assert verdict.predicted is None
    assert verdict.tolerance == f"at each of {len(places)} places"


def test_the_number_of_a_table_is_that_of_its_worst_place():
    verdict = Verdict.each("c", ROWS)
    assert verdict.measured == 3.5
    assert verdict.margin == pytest.approx(-4.0)
    assert [bound.predicted for bound in verdict.table] == [1.0, 2.0, 3.0]
    assert [bound.outcome for bound in verdict.table] == ["holds", "not decided", "missed"]


def test_places_that_cannot_be_judged_are_named():
    short = Verdict.not_judged("", "needs n = 80, has 40; run with --set n=80")
    verdict = Verdict.each("c", {"n = 8": ROWS["n = 8"], "n = 80": short}, note="by least squares")
    assert verdict.outcome == "confirmed"
    assert verdict.note == "by least squares; not judged at n = 80: needs n = 80, has 40; run with --set n=80"
    alone = Verdict.each("c", {"n = 80": short}, found="f", otherwise="o")
    assert (alone.outcome, alone.why, alone.found, alone.otherwise) == ("not judged", short.why, "f", "o")
    assert Verdict.each("c", {}).outcome == "not judged"


@pytest.mark.parametrize(
    ("verdict", "margin"),
    [
        (Verdict.above("c", 2.0, 3.0), 0.5),
        (Verdict.above("c", -2.0, -3.0), -0.5),
        (Verdict.below("c", 0.0, -3.0), 3.0),
        (Verdict.between("c", 1.0, 3.0, 2.0), 1.0),
        (Verdict.equals("c", 2.0, 2.0), 1.0),
        (Verdict.equals("c", 2.0, 3.0), -math.inf),
        (Verdict.below("c", 1.0, 0.5).and_above(1.0, 1.25), 0.25),
    ],
)
def test_a_margin_is_positive_inside_the_bound(verdict, margin):
    assert verdict.margin == pytest.approx(margin)


def test_the_headline_follows_from_what_became_of_the_claims():
    said = {"found": "fields localize.", "otherwise": "no field localizes"}
    first, second = Verdict.above("c", 1.0, 2.0, **said), Verdict.above("c", 1.0, 0.0, **said)
    plain, open_ = Verdict.above("d", 1.0, 2.0), Verdict.above("c", 1.0, 1.1, error=0.5, **said)
    assert headline("Q?", [plain, first]) == "Fields localize"
    assert headline("Q?", [plain, second, first, first]) == "No field localizes; fields localize"
    assert headline("Q?", [plain, open_]) == "Q?"
    assert open_.sentence == "not decided: c"
    assert Verdict.above("c", 1.0, 0.0, kind="control").sentence == "not so: c"


def test_the_second_figure_has_a_headline_of_its_own():
    said = {"more_found": "signs agree", "more_otherwise": "signs do not"}
    one = Verdict.below("signs agree", 1.0, 0.5, found="fields localize", **said)
    other = Verdict.each("signs agree", {"n = 8": Verdict.below("", 1.0, 2.0)}, **said)
    assert headline("Q?", [one], more=True) == "Signs agree"
    assert headline("Q?", [other], more=True) == "Signs do not"
    assert headline("Q?", [one, other]) == "Fields localize"
    assert headline("Q?", [Verdict.below("c", 1.0, 0.5, found="fields localize")], more=True) == "Q?"


def test_the_docstring_tells_every_kind():
    assert all(f'- "{kind}": ' in str(Verdict.__doc__) for kind in get_args(Kind))
