"""What a claim needs of a record to be judged, and the sentence that says so where the record lacks it."""

import dataclasses
import math
import shlex
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from gatefield.lab.parameters import written
from gatefield.lab.verdict import Verdict

ROUNDING = 1e-6
"""Of times that are steps times a rate, in float32."""


class Need(NamedTuple):
    """What is needed and what there is, in words; and the parameters to set, with their values."""

    words: str
    has: str
    settings: Mapping[str, Any]


def exactly(name: str, wanted: Any, has: Any) -> Need | None:
    """One value of a parameter."""
    return None if wanted == has else Need(f"{name} = {written(wanted)}", _text(has), {name: wanted})


def at_least(name: str, wanted: int, has: Any) -> Need | None:
    """A value of a parameter, or a larger one."""
    return None if has >= wanted else Need(f"{name} of at least {written(wanted)}", _text(has), {name: wanted})


def holding(name: str, wanted: Iterable[Any], has: Iterable[Any]) -> Need | None:
    """A list with these values in it."""
    there = [_plain(value) for value in has]
    missing = [value for value in wanted if value not in there]
    if not missing:
        return None
    return Need(f"{name} with {_text(missing)}", _text(there), {name: sorted({*there, *missing})})


def lasting(record: xr.Dataset, tau: float) -> Need | None:
    """A training of at least this time."""
    known = {"steps", "learning_rate"} <= record.attrs.keys()
    ran = float(record.attrs["steps"] * np.max(record.attrs["learning_rate"]) if known else record.time[-1])
    if ran >= tau * (1 - ROUNDING):
        return None
    enough = math.ceil(int(record.attrs["steps"]) * tau / ran * (1 - ROUNDING))
    return Need(f"a training of {tau:g} tau", f"{ran:g}", {"steps": enough})


def lacking(*needs: Need | None) -> str:
    """Why a claim is not judged: what it needs, what the record has, and what to set; empty if nothing is lacking.

    >>> lacking(exactly("n", 40, 12), exactly("xi", 2.0, 2.0), holding("gains", [3.0], [0.01, 0.5]))
    "needs n = 40, has 12, and gains with 3.0, has 0.01 and 0.5; run with --set n=40 --set 'gains=[0.01,0.5,3.0]'"
    """
    off = [need for need in needs if need]
    if not off:
        return ""
    words = ", and ".join(f"{need.words}, has {need.has}" for need in off)
    settings = {name: value for need in off for name, value in need.settings.items()}
    return f"needs {words}; run with {command_line(**settings)}"


def command_line(**settings: Any) -> str:
    """Parameters as they are set on the command line.

    >>> command_line(n=40, gains=[0.5, 3.0])
    "--set n=40 --set 'gains=[0.5,3.0]'"
    """
    return " ".join(f"--set {shlex.quote(f'{name}={written(value)}')}" for name, value in settings.items())


def unjudged(why: str, *verdicts: Verdict) -> list[Verdict]:
    """The verdicts as they are; or, where there is a reason why the record says nothing of their claims, not judged."""
    return [Verdict.not_judged(v.claim, why, kind=v.kind, source=v.source) if why else v for v in verdicts]


def undecided(why: str, *verdicts: Verdict) -> list[Verdict]:
    """The verdicts as they are; or, where there is a reason why the record cannot tell yet, with that note and not decided."""
    return [_open(verdict, why) if why and verdict.bounds else verdict for verdict in verdicts]


def _open(verdict: Verdict, why: str) -> Verdict:
    bounds = tuple(dataclasses.replace(bound, error=math.inf) for bound in verdict.bounds)
    return dataclasses.replace(verdict, bounds=bounds, note="; ".join(filter(None, (why, verdict.note))))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _text(value: Any) -> str:
    """A value, or the values of a list, as they are read in a sentence."""
    if isinstance(value, list | tuple | np.ndarray):
        return " and ".join(filter(None, (", ".join(map(_text, value[:-1])), *map(_text, value[-1:])))) or "none"
    return written(_plain(value))
