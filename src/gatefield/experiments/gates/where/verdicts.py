"""What the record of `where` says."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.intervals import Interval
from gatefield.experiments.gates.where.hits import (
    FEW,
    NEAR,
    OTHERS,
    again,
    gain_over_chosen,
    hits,
    localized,
    network,
    rate,
)
from gatefield.experiments.gates.where.predictors import CHOSEN, START, TOGETHER
from gatefield.lab import Verdict
from gatefield.lab.needs import Need, command_line, exactly, lacking, unjudged
from gatefield.measures import FLAT_FIELDS
from gatefield.plot import gain_text

NOISE = 0.05 / 1_000
"""Learning rate over batch size in the exploratory runs; with more noise, the place is harder to tell."""
EXPLORED = 0.94
"""Share of hits of the chosen predictor in 16 exploratory runs, gains 1 to 100, length scales 2 and 1."""
TABLE = {(2.0, 1.0, 1.0): 0.83, (2.0, 1.0, 3.0): 0.82, (2.0, 1.0, 100.0): 0.77, (3.0, 1.0, 3.0): 0.90}
"""The same in an exploratory study of the flow on 60 starts, for (xi1, xi0, gain)."""
TABLE_STARTS, ERRORS = 60, 2
"""The starts in each setting of that study, and the standard errors by which two shares may differ by chance."""
NORMAL = 1.96
"""Standard errors from the middle of a 95 % interval to its end."""
SIGNS = 0.8
"""The least share of right signs, of which half are right by chance."""
HITS = f"share of hits within {NEAR} site"
ASKED = "note 002, section 4.2"


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """Each claim with its numbers."""
    neuron, committee = (network(record, name) for name in ("neuron", "committee"))
    one, many = (_spread(part, name) for name, part in (("neuron", neuron), ("committee", committee)))
    return [
        *unjudged(one, _everywhere(neuron)),
        *_explored(neuron),
        *unjudged(one, _ceiling(neuron)),
        *unjudged(one, _best("neuron", neuron)),
        *unjudged(many, _best("committee", committee)),
        *unjudged(one or many, _alike(neuron, committee)),
        *unjudged(many, _others_matter(committee)),
        *unjudged(one, _sign(neuron)),
    ]


def _spread(part: xr.Dataset, name: str) -> str:
    """Why nothing can be said of places, if no unit localized."""
    settings = command_line(n=40, gains=[1.0, 3.0], steps=4000, batch_size=1000)
    return "" if localized(part).any() else f"no unit of a {name} is localized at the end; run with {settings}"


def _chosen(part: xr.Dataset) -> xr.DataArray:
    return hits(part).sel(predictor=CHOSEN)


def _counts(part: xr.Dataset) -> str:
    """How many units count, and how many were left out."""
    counted = localized(part)
    return f"{int(counted.sum())} of {counted.size} units localized (IPR above {FLAT_FIELDS}/n) and count"


def _everywhere(part: xr.Dataset) -> Verdict:
    """Setting by setting, where enough localize."""
    counted, hit = localized(part), _chosen(part)
    rows, few = {}, FEW if counted.sizes["seed"] >= FEW else 1
    for s, pair in enumerate(part.pair.values):
        for g, gain in enumerate(part.gain.values):
            if int(counted[s, g].sum()) >= few:
                found, at = rate(hit[s, g], counted[s, g]), f"length scales {pair}, gain {gain_text(gain)}"
                rows[at] = Verdict.above("", 0.5, found.mean, error=found.mean - found.low, of=HITS)
    overall, chance = rate(hit, counted), (2 * NEAR + 1) / part.attrs["n"]
    return Verdict.each(
        f"the largest |Σ1 w(0)| tells more often than not where one neuron localizes, wherever {few} or more do",
        rows,
        source=ASKED,
        note=f"all settings together {_interval(overall)}, by chance {chance:.3g}. {_counts(part)}",
    )


def _explored(part: xr.Dataset) -> list[Verdict]:
    """What exploratory runs gave, on the settings they share with this record."""
    counted, hit = localized(part), _chosen(part)
    cells = _cells(part, dict.fromkeys((2.0, 1.0, gain) for gain in part.gain.values if 1 <= gain <= 100))
    claim = "|Σ1 w(0)| hits as often as in 16 exploratory runs of one neuron (length scales 2 and 1, gains 1 to 100)"
    if why := _unexplored(part, cells):
        first = Verdict.not_judged(claim, why, kind="regression")
    else:
        found, expected = rate(_pick(hit, cells), _pick(counted, cells)), Interval(EXPLORED, EXPLORED, EXPLORED)
        first = _overlapping(claim, expected, found, kind="regression", note=_interval(found))
    cells = _cells(part, TABLE)
    claim = f"|Σ1 w(0)| hits as often as in a study of one neuron's flow on {TABLE_STARTS} starts"
    if why := _unexplored(part, cells):
        return [first, Verdict.not_judged(claim, why, kind="regression")]
    same = rate(_pick(hit, cells), _pick(counted, cells))
    expected = float(np.mean([share for *_, share in cells]))
    errors = expected * (1 - expected) / (TABLE_STARTS * len(cells)), ((same.high - same.low) / (2 * NORMAL)) ** 2
    words = f"{len(cells)} settings; bound: {ERRORS} standard errors of the difference"
    table = Verdict.within(claim, expected, same.mean, atol=ERRORS * sum(errors) ** 0.5, of=HITS, kind="regression", note=words)
    return [first, table]


def _unexplored(part: xr.Dataset, cells: list[Any]) -> str:
    """Why the record is not compared with exploratory runs, if it has other settings."""
    noise, usual = part.attrs["noise"], {"learning_rate": 0.05, "batch_size": 1000}
    quiet = Need(f"learning_rate/batch_size of at most {NOISE:g}", f"{noise:g}", usual) if noise > NOISE else None
    settings = {"pairs": [[2.0, 1.0], [3.0, 1.0]], "gains": [1.0, 3.0, 100.0]}
    shared = None if cells else Need("one of their pairs at one of their gains", "none", settings)
    return lacking(exactly("n", 40, part.attrs["n"]), quiet, shared)


def _cells(part: xr.Dataset, table: dict[tuple[float, float, float], Any]) -> list[tuple[int, int, Any]]:
    """Where the settings (xi1, xi0, gain) of a table stand in the record, with what the table says; others are left out."""
    places = {
        (xi1, xi0, gain): (s, g)
        for s, (xi1, xi0) in enumerate(zip(part.xi1.values, part.xi0.values, strict=True))
        for g, gain in enumerate(part.gain.values)
    }
    return [(*places[setting], value) for setting, value in table.items() if setting in places]


def _pick(values: xr.DataArray, cells: list[Any]) -> xr.DataArray:
    return xr.concat([values[s, g] for s, g, *_ in cells], dim="setting", join="override", coords="minimal", compat="override")


def _overlapping(claim: str, expected: Interval, seen: Interval, **words: Any) -> Verdict:
    """Whether two intervals overlap: the mean seen is from where its interval reaches the other's to where it leaves it."""
    low, high = expected.low - (seen.high - seen.mean), expected.high + (seen.mean - seen.low)
    return Verdict.between(
        claim, low, high, seen.mean, predicted=expected.mean, of=f"{HITS}, its 95 % interval given,", **words
    )


def _best(name: str, part: xr.Dataset) -> Verdict:
    """Whether any other predictor hits more often on the same units, by more than its interval."""
    rows, words = {}, "share of hits less that of |Σ1 w(0)|, beside the half-width of its interval,"
    for other in OTHERS:
        more = gain_over_chosen(part, other)
        rows[other] = Verdict.below("", more.mean - more.low, more.mean, predicted=0.0, or_equal=True, of=words)
    unit = "one neuron" if name == "neuron" else "the units of a committee"
    return Verdict.each(
        f"no other predictor tells more often than |Σ1 w(0)| where {unit} will localize",
        rows,
        note=f"on the same units; the intervals leave 5 % for all together. {_counts(part)}",
    )


def _alike(neuron: xr.Dataset, committee: xr.Dataset) -> Verdict:
    one, many = (rate(_chosen(part), localized(part)) for part in (neuron, committee))
    together = rate(hits(committee).sel(predictor=TOGETHER), localized(committee))
    told = f"in committees in {100 * many.mean:.0f} % (joint flow: {100 * together.mean:.0f} %)"
    return _overlapping(
        "|Σ1 w(0)| tells the place of a unit in a committee as often as that of one neuron",
        one,
        many,
        note=f"committee {_interval(many)}, neuron {_interval(one)}; two trainings of a committee agree in "
        f"{rate(*again(committee)).mean:.3f} of units",
        found=told,
        otherwise=told,
    )


def _others_matter(part: xr.Dataset) -> Verdict:
    more = gain_over_chosen(part, TOGETHER)
    found = rate(hits(part).sel(predictor=TOGETHER), localized(part))
    return Verdict.above(
        "the flow of all units of a committee tells their places better than their own starts do",
        0.0,
        more.mean,
        error=more.mean - more.low,
        of="share of hits less that of |Σ1 w(0)|",
        note=f"the flow on Gaussian data hits {_interval(found)}",
    )


def _ceiling(part: xr.Dataset) -> Verdict:
    found, limit = rate(_chosen(part), localized(part)), rate(*again(part))
    told = f"the start filtered by Σ₁ tells where one neuron localizes in {100 * found.mean:.0f} % of runs"
    agree = f"two trainings agree in {100 * limit.mean:.0f} %"
    return Verdict.above(
        "|Σ1 w(0)| tells the place of one neuron as often as minibatch noise allows",
        limit.low - (found.high - found.mean),
        found.mean,
        predicted=limit.mean,
        or_equal=True,
        of=f"{HITS}, its 95 % interval given,",
        note=f"predicted: how often two trainings from the same start agree, {_interval(limit)}; measured {_interval(found)}",
        found=f"{told} (two trainings agree: {100 * limit.mean:.0f} %)",
        otherwise=f"{told} ({agree})",
    )


def _sign(part: xr.Dataset) -> Verdict:
    counted = localized(part)
    right = rate(part.sign_right.sel(predictor=CHOSEN), counted)
    near = rate(part.sign_right.sel(predictor=CHOSEN), counted & _chosen(part))
    alone = rate(part.sign_right.sel(predictor=START), counted)
    told = f"Σ₁w(0) tells the sign of one neuron's peak in {100 * right.mean:.0f} % of runs"
    told = f"{told}, the start w(0) itself in {100 * alone.mean:.0f} %"
    return Verdict.above(
        "Σ1 w(0) tells the sign of the peak of one neuron",
        SIGNS,
        right.mean,
        or_equal=True,
        of="share of right signs",
        note=f"{_interval(right)}, and {near.mean:.3f} where the place is right; by chance 0.5",
        more_found=told,
        more_otherwise=told,
    )


def _interval(found: Interval) -> str:
    return f"{found.mean:.3f} (95 % interval {found.low:.3f} to {found.high:.3f})"
