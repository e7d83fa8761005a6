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
    share, mean = judged(diverged=LOST, finite_runs=2)
    assert share.outcome == "refuted"
    assert (mean.outcome, mean.why.partition(", since ")[2]) == ("not judged", f"runs diverged: {LOST[:-1]}")


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
