"""From a record to what is said of it."""

import dataclasses
import math
import warnings
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
import xarray as xr

from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted
from gatefield.lab.experiment import Experiment
from gatefield.lab.verdict import UNDEFINED, Verdict

DIVERGED = "diverged"
"""The attribute of a record that says which of its runs diverged, when, and what to lower; there if some did."""
FINITE = "finite_runs"
"""Beside it: how many runs of all trainings did not."""

Instead = Literal["large", "negative", "single"]
"""What a run that diverged might have given: large numbers of either sign, or fields at a single site."""
_LARGE = 1e6
"""How many times larger than all that is finite: beyond every bound."""


def judge(experiment: Experiment, record: xr.Dataset) -> list[Verdict]:
    """The verdicts of a record. Runs that diverged (NaN) decide none.

    A comparison makes a number even of NaN: a share counts it as a miss. Hence a claim is not judged if it would come out
    otherwise with other numbers in place of those that are missing; if only its numbers would, its note says so.
    """
    diverged = str(record.attrs.get(DIVERGED, "")).rstrip(".")
    verdicts = _verdicts(experiment, record, diverged)
    if not diverged:
        return list(verdicts)
    if not record.attrs.get(FINITE, 1):
        return [_not_judged(verdict, f"all runs diverged: {diverged}") for verdict in verdicts]
    others = [_with_instead(experiment, record, instead) for instead in get_args(Instead)]
    same = [other for other in others if len(other) == len(verdicts)]
    return [_beside(verdict, [other[at] for other in same], diverged) for at, verdict in enumerate(verdicts)]


def _beside(verdict: Verdict, others: Sequence[Verdict], diverged: str) -> Verdict:
    """A verdict, and what it would be with other numbers in place of NaN."""
    if verdict.why == UNDEFINED:
        return _not_judged(verdict, f"{UNDEFINED}, since runs diverged: {diverged}")
    if not verdict.bounds:
        return verdict
    if any(other.outcome != verdict.outcome for other in others):
        return _not_judged(verdict, f"it depends on numbers that are missing (NaN), since runs diverged: {diverged}")
    if any(_measured(other) != _measured(verdict) for other in others):
        said = f"{diverged}; with other numbers in their place the outcome is the same"
        return dataclasses.replace(verdict, note="; ".join(filter(None, (verdict.note, said))))
    return verdict


def _measured(verdict: Verdict) -> list[float]:
    return [bound.measured for bound in verdict.bounds]


def _verdicts(experiment: Experiment, record: xr.Dataset, diverged: str) -> Sequence[Verdict]:
    try:
        return experiment.verdicts(record)
    except Exception as error:
        if not diverged:
            raise
        raise UserError(
            f"{experiment.name} cannot be judged ({quoted(str(error))[1:-1]}), since runs diverged: {diverged}."
        ) from error


def _with_instead(experiment: Experiment, record: xr.Dataset, instead: Instead) -> Sequence[Verdict]:
    """The verdicts with other numbers in place of NaN; none if these make no sense to the experiment."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return experiment.verdicts(record.map(lambda values: _filled(values, instead), keep_attrs=True))
        except Exception:  # whatever a user's function raises on numbers that nothing has measured
            return ()


def _filled(values: xr.DataArray, instead: Instead) -> xr.DataArray:
    if not np.issubdtype(values.dtype, np.floating) or not values.isnull().any():
        return values
    known = np.abs(values.values[np.isfinite(values.values)])
    large = _LARGE * (1.0 + float(known.max(initial=0.0)))
    if instead == "single" and values.ndim:
        row = np.zeros(values.shape[-1])
        row[0] = large
        return values.fillna(xr.DataArray(row, dims=[values.dims[-1]]))
    return values.fillna(-large if instead == "negative" else large)


def _not_judged(verdict: Verdict, why: str) -> Verdict:
    return dataclasses.replace(verdict, measured=math.nan, bounds=(), note="", why=why)
