"""What a record of `erf-populations` says of each claim."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.intervals import Interval, share
from gatefield.experiments.needs import command_line, lacking, lasting, undecided
from gatefield.lab import Verdict

ENOUGH = 200.0
"""Time in tau, for each unit of the committee, after which units have parted ways."""
LOCALIZED = 6.0
"""A unit is localized if its IPR is above 6/n, twice that of a random field."""
SECTION = "note 002, section 3"


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    squashed, gaussian = record.isel(gain=1), record.isel(gain=0)
    why = lacking(lasting(record, ENOUGH * record.sizes["unit"]))
    populations, decisions = _populations(squashed, gaussian), [*_decisions(squashed), _sigmoid(squashed)]
    return [*undecided(why, *populations), *_theory(record, gaussian), *undecided(why, *decisions)]


def localized(ipr: xr.DataArray, n: int) -> xr.DataArray:
    """Which units are localized, by the IPR of their fields on n sites."""
    return ipr > LOCALIZED / n


def _populations(squashed: xr.Dataset, gaussian: xr.Dataset) -> list[Verdict]:
    n, bias = squashed.sizes["position"], squashed.bias.isel(step=-1)
    condensed, at = localized(squashed.ipr, n), f"gain {float(squashed['gain']):g}"
    return [
        _among(f"units of negative bias localize ({at})", condensed, bias < 0, 0.9, "has a negative bias"),
        _among(f"units of positive bias oscillate ({at})", squashed.oscillates, bias > 0, 0.9, "has a positive bias"),
        _among(f"every localized unit has a negative bias ({at})", bias < 0, condensed, 0.99, "is localized"),
        _share("no unit localizes on Gaussian data", share(~localized(gaussian.ipr, n)), 0.95, "claim"),
    ]


def _theory(record: xr.Dataset, gaussian: xr.Dataset) -> list[Verdict]:
    same = np.sign(gaussian.flow_bias) == np.sign(gaussian.bias.isel(step=-1))
    return [
        _share("the linear stage names the frequencies each unit ends with", share(record.named_share > 0.5), 0.95),
        _share("Gaussian data: the flow gives the sign of each unit's bias", share(same), 0.95),
        Verdict.above(
            "Gaussian data: the flow gives each unit's field",
            0.95,
            float(gaussian.flow_cosine.median()),
            predicted=1.0,
            or_equal=True,
            of="median cosine over units and starts",
            kind="prediction",
            source=SECTION,
        ),
    ]


def _decisions(squashed: xr.Dataset) -> list[Verdict]:
    n, bias = squashed.sizes["position"], squashed.bias.isel(step=-1)
    from_zero = localized(squashed.ipr, n).sel(biases="zero")
    plain, positive = (share(from_zero.sel(start=start)) for start in ("xavier", "positive"))
    balanced = share(localized(squashed.balanced_ipr, n).sel(start="positive"))
    by_field = share(((bias < 0) == (squashed.push > 0)).sel(biases="zero"))
    by_bias = share((np.sign(bias) == np.sign(squashed.bias.isel(step=0))).sel(biases="given"))
    return [
        Verdict.above(
            "a mostly positive start gives mostly localized units",
            0.5,
            positive.mean,
            error=positive.mean - positive.low,
            of="share of localized units",
            kind="claim",
            source=SECTION,
            note=f"{positive}; from a Xavier start {plain}",
        ),
        Verdict.below(
            "without an output bias a mostly positive start gives fewer localized units, which have to balance their mean",
            positive.mean - 0.15,
            balanced.mean,
            or_equal=True,
            of="share of localized units",
            kind="prediction",
            note=f"{balanced}; with an output bias it is {positive.mean:.3f}, and a share lower by 0.15 is asked for",
        ),
        _share("from zero biases the initial field decides", by_field, 0.75, note="a bias moves against w'(C1 - C0)w; "),
        _share("from given biases their signs decide", by_bias, 0.75, note="a unit keeps the sign of its bias; "),
    ]


def _sigmoid(squashed: xr.Dataset) -> Verdict:
    condensed = localized(squashed.sigmoid_ipr, squashed.sizes["position"])
    right = xr.where(squashed.sigmoid_bias < 0, condensed, squashed.sigmoid_oscillates & ~condensed)
    note = "localized or oscillating by sign of bias; "
    return _share("logistic units split as erf units do", share(right), 0.9, "claim", note)


def _among(claim: str, holds: xr.DataArray, units: xr.DataArray, least: float, words: str) -> Verdict:
    """A claim on some of the units, if there are such."""
    if not units.any():
        why = f"no unit {words} at the end; run with more, and for longer: {command_line(units=20, seeds=8, steps=8000)}"
        return Verdict.not_judged(claim, why, kind="claim", source=SECTION)
    return _share(claim, share(holds, units), least, "claim")


def _share(claim: str, found: Interval, least: float, kind: Any = "prediction", note: str = "") -> Verdict:
    words: Any = {"of": "share of units", "kind": kind, "source": SECTION, "note": f"{note}{found}"}
    return Verdict.above(claim, least, found.mean, predicted=1.0, or_equal=True, **words)
