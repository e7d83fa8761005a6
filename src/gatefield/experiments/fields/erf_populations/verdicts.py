"""What a record of `erf-populations` says of each claim."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.intervals import Interval, share
from gatefield.lab import Verdict
from gatefield.lab.needs import command_line, lacking, lasting, undecided
from gatefield.measures import localized_ipr

ENOUGH = 200.0
"""Time in tau, for each unit of the committee, after which units have parted ways."""
SECTION = "note 002, section 3"


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    squashed, gaussian = record.isel(gain=1), record.isel(gain=0)
    why = lacking(lasting(record, ENOUGH * record.sizes["unit"]))
    populations, decisions = _populations(squashed, gaussian), [*_decisions(squashed), _sigmoid(squashed)]
    return [*undecided(why, *populations), *_theory(record, gaussian), *undecided(why, *decisions)]


def localized(ipr: xr.DataArray, n: int) -> xr.DataArray:
    """Which units are localized, by the IPR of their fields on n sites."""
    return ipr > localized_ipr(n)


def _populations(squashed: xr.Dataset, gaussian: xr.Dataset) -> list[Verdict]:
    n, bias = squashed.sizes["position"], squashed.bias.isel(step=-1)
    condensed, at = localized(squashed.ipr, n), f"at gain {float(squashed['gain']):g}"
    spread = share(~localized(gaussian.ipr, n))
    return [
        _among(
            f"erf units that end with a negative bias localize {at}",
            condensed,
            bias < 0,
            0.9,
            "has a negative bias",
            found=f"{at}, {{}} erf units with a negative bias localize",
            otherwise=f"{at}, only {{}} erf units with a negative bias localize",
        ),
        _among(
            f"erf units that end with a positive bias oscillate {at}",
            squashed.oscillates,
            bias > 0,
            0.9,
            "has a positive bias",
            found="{} units with a positive bias oscillate",
            otherwise="only {} units with a positive bias oscillate",
        ),
        _among(f"every localized erf unit has a negative bias {at}", bias < 0, condensed, 0.99, "is localized"),
        _share("no erf unit localizes on Gaussian data", spread, 0.95, "claim"),
    ]


def _theory(record: xr.Dataset, gaussian: xr.Dataset) -> list[Verdict]:
    same = np.sign(gaussian.flow_bias) == np.sign(gaussian.bias.isel(step=-1))
    named, cosine = share(record.named_share > 0.5), float(gaussian.flow_cosine.median())
    strays = f"{int((~same).sum())} of {same.size} biases end on its other side"
    return [
        _share("erf units end with the frequencies that grow from small fields, by the sign of their bias", named, 0.95),
        _share(
            "on Gaussian data the exact flow gives the sign of each unit's bias",
            share(same),
            0.95,
        ),
        Verdict.above(
            "on Gaussian data the exact flow gives each unit's field",
            0.95,
            cosine,
            predicted=1.0,
            or_equal=True,
            of="median cosine over units and starts",
            source=SECTION,
            more_found=f"on Gaussian data fields follow the exact flow (median cosine {cosine:.3f}), {strays}",
            more_otherwise=f"on Gaussian data fields do not follow the exact flow (median cosine {cosine:.3f}), {strays}",
        ),
    ]


def _decisions(squashed: xr.Dataset) -> list[Verdict]:
    n = squashed.sizes["position"]
    from_zero = localized(squashed.ipr, n).sel(biases="zero")
    plain, positive = (share(from_zero.sel(start=start)) for start in ("xavier", "positive"))
    balanced = share(localized(squashed.balanced_ipr, n).sel(start="positive"))
    by_field, by_bias = predicted_shares(squashed)
    return [
        Verdict.above(
            "fields that start mostly positive give mostly localized units",
            0.5,
            positive.mean,
            error=error(positive),
            of="share of localized units",
            kind="claim",
            source=SECTION,
            note=f"{positive}; from a Xavier start {plain}",
        ),
        Verdict.below(
            "without an output bias a mostly positive start gives fewer localized units, since they balance their mean",
            0.0,
            balanced.mean - positive.mean,
            error=float(np.hypot(error(balanced), error(positive))),
            of="share of localized units without an output bias less that with one",
            note=f"{balanced.mean:.3f} without, {positive.mean:.3f} with; the error is that of both 95 % intervals",
        ),
        _share(
            "from zero biases the initial field decides which population a unit joins",
            by_field,
            0.75,
            note="a bias moves against w'(C1 - C0)w; chance is 0.5; ",
        ),
        _share(
            "from given biases their signs decide which population a unit joins",
            by_bias,
            0.75,
            note="a unit keeps the sign of its bias; chance is 0.5; ",
        ),
    ]


def predicted_shares(squashed: xr.Dataset) -> tuple[Interval, Interval]:
    """The share of units whose population the initial field tells, from zero biases; and the sign of the bias, if given."""
    bias = squashed.bias.isel(step=-1)
    by_field = ((bias < 0) == (squashed.push > 0)).sel(biases="zero")
    return share(by_field), share((np.sign(bias) == np.sign(squashed.bias.isel(step=0))).sel(biases="given"))


def _sigmoid(squashed: xr.Dataset) -> Verdict:
    condensed = localized(squashed.sigmoid_ipr, squashed.sizes["position"])
    right = xr.where(squashed.sigmoid_bias < 0, condensed, squashed.sigmoid_oscillates & ~condensed)
    claim = "logistic units localize with a negative bias and oscillate with a positive one, as erf units do"
    return _share(claim, share(right), 0.9, "claim")


def error(found: Interval) -> float:
    """The longer side of the 95 % interval over seeds."""
    return round(max(found.mean - found.low, found.high - found.mean), 12)  # rounding is no error


def _among(claim: str, holds: xr.DataArray, units: xr.DataArray, least: float, words: str, **said: str) -> Verdict:
    """A claim on some of the units, if there are such."""
    if not units.any():
        why = f"no unit {words} at the end; run with more, and for longer: {command_line(units=20, seeds=8, steps=8000)}"
        return Verdict.not_judged(claim, why, kind="claim", source=SECTION)
    part = share(holds, units)
    many = "all" if part.mean == 1 else f"{100 * part.mean:.3g} % of"
    said = {name: text.format(many) for name, text in said.items()}
    return _share(claim, part, least, "claim", **said)


def _share(claim: str, part: Interval, least: float, kind: Any = "prediction", note: str = "", **said: str) -> Verdict:
    words: Any = {"of": "share of units", "kind": kind, "source": SECTION, "note": f"{note}{part}", **said}
    return Verdict.above(claim, least, part.mean, predicted=1.0, or_equal=True, error=error(part), **words)
