"""What is said of records whose runs diverged."""

import dataclasses
import math

import numpy as np
import pytest
import xarray as xr
from lab_toy import toy

from gatefield.core.errors import UserError
from gatefield.lab import Verdict, judge

LOST = "2 of 4 runs diverged, the first by step 9: lower learning_rate, here 50."


def verdicts(record):
    share = float((record.ipr > 0.5).mean())  # of NaN it is a number too
    return [
        Verdict.above("most localize", 0.5, share, note="a note"),
        Verdict.above("on average they do", 0.5, record.ipr.mean(skipna=False)),
    ]


def judged(**attrs):
    record = xr.Dataset({"ipr": ("run", [0.9, 0.8, math.nan, math.nan])}, attrs=attrs)
    return judge(dataclasses.replace(toy(), verdicts=verdicts), record)


def test_what_rests_on_no_number_says_that_runs_diverged():
    mean = judged(diverged=LOST, finite_runs=2)[1]
    assert (mean.outcome, mean.why.partition(", since ")[2]) == ("not judged", f"runs diverged: {LOST[:-1]}")


def of_share(bound, *, field=False, **attrs):
    """The verdict on a share above a bound: two runs of four localize, two are NaN."""

    def verdicts(record):
        ipr = (record.field**4).sum("position", skipna=False) / (record.field**2).sum("position", skipna=False) ** 2
        share = float(((ipr if field else record.ipr) > 0.5).mean())
        return [Verdict.above("so many localize", bound, share, note="a note")]

    nan = [math.nan] * 3
    variables = {
        "ipr": ("run", [0.9, 0.8, math.nan, math.nan]),
        "field": (("run", "position"), [[1, 0, 0], [0, 1, 0], nan, nan]),
    }
    return judge(dataclasses.replace(toy(), verdicts=verdicts), xr.Dataset(variables, attrs=attrs))[0]


@pytest.mark.parametrize("field", [False, True])
def test_a_share_is_not_judged_if_runs_that_diverged_decide_it(field):
    """Counted as misses they make it one half, as hits all."""
    lost = of_share(0.7, field=field, diverged=LOST, finite_runs=2)
    assert (lost.outcome, lost.note) == ("not judged", "")
    assert lost.why == f"it depends on numbers that are missing (NaN), since runs diverged: {LOST[:-1]}"
    assert of_share(0.7, field=field).outcome == "refuted"


@pytest.mark.parametrize("field", [False, True])
def test_a_share_that_they_cannot_change_says_that_they_are_not_counted_on(field):
    found = of_share(0.4, field=field, diverged=LOST, finite_runs=2)
    assert (found.outcome, found.measured) == ("confirmed", 0.5)
    assert found.note == f"a note; {LOST[:-1]}; with other numbers in their place the outcome is the same"
    assert of_share(0.4, field=field).note == "a note"


def test_what_does_not_rest_on_runs_that_diverged_stays_as_it_is():
    study = dataclasses.replace(toy(), verdicts=lambda record: [Verdict.above("kept", 0, record.kept)])
    record = xr.Dataset({"kept": 1.0, "lost": ("run", [1.0, math.nan])}, attrs={"diverged": LOST, "finite_runs": 1})
    (verdict,) = judge(study, record)
    assert (verdict.outcome, verdict.note) == ("confirmed", "")


def test_nothing_is_judged_where_no_run_is_left():
    for verdict in judged(diverged=LOST, finite_runs=0):
        assert (verdict.outcome, verdict.why, verdict.note) == ("not judged", f"all runs diverged: {LOST[:-1]}", "")


def test_without_divergence_verdicts_stay_as_they_are():
    share, mean = judged()
    assert (share.outcome, share.note) == ("refuted", "a note")
    assert "diverged" not in mean.why


def test_verdicts_that_cannot_be_computed_of_diverged_runs_are_one_sentence():
    study = dataclasses.replace(toy(), verdicts=lambda record: int(record.x))
    record = xr.Dataset({"x": np.nan})
    with pytest.raises(UserError, match=r"^toy cannot be judged \(cannot convert .*\), since runs diverged: 2 of 4 runs"):
        judge(study, record.assign_attrs(diverged=LOST))
    with pytest.raises(ValueError, match=r"^cannot convert"):
        judge(study, record)
