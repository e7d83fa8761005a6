"""From a record to what is said of it."""

import dataclasses
import math
from collections.abc import Sequence

import xarray as xr

from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted
from gatefield.lab.experiment import Experiment
from gatefield.lab.verdict import UNDEFINED, Verdict

DIVERGED = "diverged"
"""The attribute of a record that says which of its runs diverged, when, and what to lower; there if some did."""
FINITE = "finite_runs"
"""Beside it: how many runs of all trainings did not."""


def judge(experiment: Experiment, record: xr.Dataset) -> list[Verdict]:
    """The verdicts of a record. Those that have no numbers because runs diverged say that; if no run is left, all do, since a
    share or a rank makes a number even of NaN."""
    diverged = str(record.attrs.get(DIVERGED, "")).rstrip(".")
    verdicts = _verdicts(experiment, record, diverged)
    if diverged and not record.attrs.get(FINITE, 1):
        return [_not_judged(verdict, f"all runs diverged: {diverged}") for verdict in verdicts]
    why = f"{UNDEFINED}, since runs diverged: {diverged}"
    return [_not_judged(verdict, why) if diverged and verdict.why == UNDEFINED else verdict for verdict in verdicts]


def _verdicts(experiment: Experiment, record: xr.Dataset, diverged: str) -> Sequence[Verdict]:
    try:
        return experiment.verdicts(record)
    except Exception as error:
        if not diverged:
            raise
        raise UserError(
            f"{experiment.name} cannot be judged ({quoted(str(error))[1:-1]}), since runs diverged: {diverged}."
        ) from error


def _not_judged(verdict: Verdict, why: str) -> Verdict:
    return dataclasses.replace(verdict, measured=math.nan, bounds=(), note="", why=why)
