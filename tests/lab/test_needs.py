"""What claims need of a record, and the sentence that says so."""

import numpy as np
import pytest
import xarray as xr

from gatefield.lab import Verdict
from gatefield.lab.needs import Need, at_least, exactly, holding, lacking, lasting, undecided, unjudged


def trained(time=(0.0, 50.0), **attrs):
    return xr.Dataset(coords={"time": ("step", list(time))}, attrs=attrs)


@pytest.mark.parametrize(
    ("need", "why"),
    [
        (exactly("n", 40, 40), ""),
        (exactly("n", 40, 12), "needs n = 40, has 12; run with --set n=40"),
        (exactly("galu", True, False), "needs galu = true, has false; run with --set galu=true"),
        (exactly("xis", (1.0, 2.0), (1.0, 2.0)), ""),
        (exactly("xis", (1.0, 2.0), (3.0,)), "needs xis = [1.0,2.0], has 3.0; run with --set 'xis=[1.0,2.0]'"),
        (at_least("seeds", 2, 2), ""),
        (at_least("seeds", 2, np.int64(1)), "needs seeds of at least 2, has 1; run with --set seeds=2"),
        (holding("gains", [3.0], np.array([0.01, 3.0])), ""),
        (
            holding("gains", [3.0, 0.01], np.array([0.5, np.inf])),
            "needs gains with 3.0 and 0.01, has 0.5 and inf; run with --set 'gains=[0.01,0.5,3.0,inf]'",
        ),
        (holding("plain", ["relu"], []), "needs plain with relu, has none; run with --set 'plain=[relu]'"),
        (lasting(trained(), 50.0), ""),
        (lasting(trained(steps=1000), 200.0), "needs a training of 200 tau, has 50; run with --set steps=4000"),
        (lasting(trained(steps=4000, learning_rate=[0.05]), 200.0), ""),
        (
            lasting(trained(steps=3999, learning_rate=0.05), 200.0),
            "needs a training of 200 tau, has 199.95; run with --set steps=4000",
        ),
        (lasting(trained(steps=6000, learning_rate=np.float32(0.1)), 600.0), ""),
        (
            Need("two laws", "one", {"laws": ["laplace", "student:3"]}),
            "needs two laws, has one; run with --set 'laws=[laplace,student:3]'",
        ),
    ],
)
def test_a_need_says_what_there_is_and_what_to_set(need, why):
    assert lacking(need) == why


def test_all_that_is_lacking_is_said_at_once():
    why = lacking(exactly("n", 40, 12), None, at_least("steps", 9, 3))
    assert why == "needs n = 40, has 12, and steps of at least 9, has 3; run with --set n=40 --set steps=9"


def test_a_reason_leaves_verdicts_undecided_or_not_judged():
    made = Verdict.below("c", 1.0, 0.5, kind="control", source="note 002", note="a note").and_above(0.0, 1.0)
    none = Verdict.not_judged("d", "needs n = 40, has 12; run with --set n=40")
    assert undecided("", made, none) == unjudged("", made, none) == [made, none]
    first, second = undecided("too short", made, none)
    assert (first.outcome, first.measured, first.note) == ("not decided", 0.5, "too short; a note")
    assert second == none
    (found,) = unjudged("elsewhere", made)
    assert (found.outcome, found.claim, found.kind, found.source, found.why) == (
        "not judged",
        "c",
        "control",
        "note 002",
        "elsewhere",
    )
