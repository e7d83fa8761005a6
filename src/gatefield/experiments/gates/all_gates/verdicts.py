"""What the record of `all-gates` says of each claim."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.experiments.needs import Need, at_least, holding, lacking
from gatefield.lab import Verdict

ROUNDING = 1e-11
"""Of sums over corners in float64, and what the search may miss."""
SAME = 1e-9
"""Two families of gates that explain the same up to this, of a label power of 1/2, are equally good."""
MOST_DIAGONAL = 0.01
"""The best gates are the most diagonal ones if at most this share of all sets has less off the diagonal."""
GOES_WITH = -0.5
"""Rank correlation from which on less off the diagonal goes with more explained."""
ASKED: Any = {"kind": "claim", "source": "note 000, section 3.3"}
"""Of what the note guesses, or asks."""
ENOUGH = 300_000
"""Sets to be listed for all pairs of half-spaces on five sites, turns and mirrors of the ring aside."""
PARTS = {"entries": "off its diagonal", "blocks": "in the blocks that couple different gates"}


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    proven = record.where(record.upper - record.best <= ROUNDING)
    out = [_listing(proven), _bound(record), *_one_gate(proven), _twice(proven), *_two_gates(proven)]
    return [*out, *(_judged for K in (1, 2) for _judged in _diagonal(proven, K))]


def _cells(values: xr.DataArray) -> str:
    """Every number that there is, with its pair of length scales and its size."""
    found = [
        f"{pair}, n = {n}: {round(float(values.sel(pair=pair, size=n)), 12) + 0.0:.4g}"  # no rounding, and no -0
        for pair in values.pair.values
        for n in values["size"].values
        if np.isfinite(values.sel(pair=pair, size=n))
    ]
    return "; ".join(found)


def _span(values: xr.DataArray, form: str) -> str:
    """From the least to the largest."""
    return f"{float(values.min()):{form}} to {float(values.max()):{form}}"


def _units(record: xr.Dataset, *wanted: int) -> Need | None:
    return holding("units", wanted, record.units.values)


def _searched(values: xr.DataArray, record: xr.Dataset) -> Need | None:
    """Some cell whose search came to its end."""
    if np.isfinite(values).any():
        return None
    return Need("a search that comes to its end", "none", {"most_nodes": 10 * int(record.attrs["most_nodes"])})


def _listing(record: xr.Dataset) -> Verdict:
    claim = "where all gates can be listed, branch and bound finds the best of the list"
    gap = abs(record.best - record.listed_best).where(record.every > 0)
    if not np.isfinite(gap).any():
        need = Need("a setting whose gates are all listed", "none", {"sizes": [3], "units": [1, 2], "most_listed": 40_000})
        return Verdict.not_judged(claim, lacking(need), kind="control")
    most = int(record.listed.where(record.every > 0).max())
    note = f"{int(np.isfinite(gap).sum())} of {gap.size} settings are listed, the largest with {most} sets"
    return Verdict.below(
        claim, ROUNDING, gap.max(), predicted=0.0, or_equal=True, of="largest difference", kind="control", note=note
    )


def _bound(record: xr.Dataset) -> Verdict:
    share = record.best / record.bayes
    each = "; ".join(f"K = {K}: {_span(share.sel(units=K), '.2%')}" for K in share.units.values)
    return Verdict.below(
        "no gates explain more than the mean label of each corner does",
        ROUNDING,
        (record.best - record.bayes).max(),
        predicted=0.0,
        or_equal=True,
        of="largest excess over the Bayes bound",
        kind="control",
        note=f"the best gates explain, of what the mean label does, {each}",
    )


def _one_gate(record: xr.Dataset) -> list[Verdict]:
    """A single gate: at most half, the rule of the best one, and whether half-spaces suffice."""
    claims = (
        "one gate explains at most half of what the mean label does",
        "the best single gate is open where its field has the right sign and overshoots the mean label less than twofold",
        "the best single gate of all is a half-space",
    )
    if why := lacking(_units(record, 1)) or lacking(_searched(record.best.sel(units=1), record)):
        return [Verdict.not_judged(claim, why) for claim in claims[:2]] + [Verdict.not_judged(claims[2], why, **ASKED)]
    one = record.sel(units=1)
    share, gap = one.best / one.bayes, one.best - one.half_spaces
    return [
        Verdict.below(
            claims[0],
            0.5 + ROUNDING,
            share.max(),
            predicted=0.5,
            or_equal=True,
            of="largest share of the Bayes bound",
            note="inputs x and -x are equally likely and have one mean label, but a field gives them opposite outputs",
        ),
        Verdict.equals(
            claims[1],
            0,
            one.against_rule.max(),
            of="corners against the rule 0 < <w, x> < 2 E[y|x], in the worst setting,",
            note="a corner outside of it is better shut: output 0 is then nearer to its mean label",
        ),
        Verdict.below(
            claims[2],
            SAME,
            gap.max(),
            predicted=0.0,
            or_equal=True,
            of="explained, best of all less best half-space, largest",
            **ASKED,
            note=f"half-spaces through 0 whose plane meets no corner; the difference is, by length scales: {_cells(gap)}",
        ),
    ]


def _twice(record: xr.Dataset) -> Verdict:
    """Exclusive gates add up, and the best single gate lies in a half-space: its opposite is as good and excludes it."""
    claim = "two exclusive gates explain twice what the best single gate does"
    if why := lacking(_units(record, 1, 2)):
        return Verdict.not_judged(claim, why)
    gap = abs(record.exclusive.sel(units=2) - 2 * record.best.sel(units=1))
    if why := lacking(_searched(gap, record)):
        return Verdict.not_judged(claim, why)
    return Verdict.below(
        claim,
        ROUNDING,
        gap.max(),
        predicted=0.0,
        or_equal=True,
        of="largest difference",
        note="a gate and its opposite reach it",
    )


def _two_gates(record: xr.Dataset) -> list[Verdict]:
    claims = (
        "two gates: the best of all tile the inputs without overlap",
        "two gates: the best of all are half-spaces",
    )
    if why := lacking(_units(record, 2)) or lacking(_searched(record.best.sel(units=2), record)):
        return [Verdict.not_judged(claim, why, **ASKED) for claim in claims]
    two = record.sel(units=2)
    gap, half = two.best - two.tiling, two.best - two.half_spaces
    above = [_span(two[f"above_{name}"], ".2%") for name in ("tiling", "half_spaces")]
    rest = (
        f"of the sets {above[0]} explain more than the best tiling, {above[1]} more than the best half-spaces; more than one "
    )
    rest += f"of the best is open with probability {_span(two.overlap, '.3f')}"
    tiles = Verdict.below(
        claims[0],
        SAME,
        gap.max(),
        predicted=0.0,
        or_equal=True,
        of="explained, best of all less best tiling, largest",
        note=f"the difference is, by length scales: {_cells(gap)}; {rest}",
        **ASKED,
    )
    if why := lacking(at_least("most_listed", ENOUGH, record.attrs["most_listed"]) if np.isnan(half).all() else None):
        return [tiles, Verdict.not_judged(claims[1], why, **ASKED)]
    of, note = "explained, best of all less best half-spaces, largest", f"the difference is, by length scales: {_cells(half)}"
    return [tiles, Verdict.below(claims[1], SAME, half.max(), predicted=0.0, or_equal=True, of=of, note=note, **ASKED)]


def _diagonal(record: xr.Dataset, K: int) -> list[Verdict]:
    """The note's guess about the precision matrix, for its entries and, with several gates, for its blocks."""
    out = []
    for part in ("entries",) if K == 1 else ("entries", "blocks"):
        where, name = PARTS[part], f"K = {K}"
        best = f"{name}: the best gates have the precision matrix with the least weight {where}"
        rank = f"{name}: the less weight the precision matrix has {where}, the more gates explain"
        if why := lacking(_units(record, K)) or lacking(_searched(record.best.sel(units=K), record)):
            out += [Verdict.not_judged(claim, why, **ASKED) for claim in (best, rank)]
            continue
        one = record.sel(units=K)
        out += [_most_diagonal(best, one, part), _goes_with(rank, one, part)]
    return out


def _most_diagonal(claim: str, one: xr.Dataset, part: str) -> Verdict:
    place, own, least = (one[f"{name}_{part}"] for name in ("place", "own", "least"))
    worth = one[f"least_{part}_explained"] / one.best
    return Verdict.below(
        claim,
        MOST_DIAGONAL,
        place.max(),
        predicted=0.0,
        or_equal=True,
        of="share of sets of gates with less, largest over settings",
        note=f"their weight is {_span(own, '.3f')}, the least of all is {_span(least, '.3f')}; the sets with the least explain "
        f"{_span(worth, '.0%')} of what the best do. Over sets whose A has an inverse; share with less: {_cells(place)}",
        **ASKED,
    )


def _goes_with(claim: str, one: xr.Dataset, part: str) -> Verdict:
    rank = one[f"rank_{part}"]
    drawn = one.listed.where(one.every == 0)
    error = f", standard error {float(drawn.min()) ** -0.5:.1g} where sets are drawn" if np.isfinite(drawn).any() else ""
    return Verdict.below(
        claim,
        GOES_WITH,
        rank.max(),
        or_equal=True,
        of="rank correlation over sets of gates, largest over settings",
        note=f"by length scales: {_cells(rank)}{error}",
        **ASKED,
    )
