"""What the record of `all-gates` says of each claim."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.lab import Verdict
from gatefield.lab.needs import Need, at_least, holding, lacking

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
    out = [*_two_gates(proven), _half_space(proven), *(_judged for K in (1, 2) for _judged in _diagonal(proven, K))]
    return [*out, _rule(proven), _half(proven), _listing(proven)]


def _rows(values: xr.DataArray, bound: float, predicted: float | None, of: str) -> dict[str, Verdict]:
    """Every number that there is, at most the bound, by its pair of length scales and its size."""
    found = {
        f"length scales {pair}, n = {n}": round(float(values.sel(pair=pair, size=n)), 12) + 0.0  # no rounding, and no -0
        for pair in values.pair.values
        for n in values["size"].values
        if np.isfinite(values.sel(pair=pair, size=n))
    }
    return {at: Verdict.below("", bound, x, predicted=predicted, or_equal=True, of=of) for at, x in found.items()}


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


def _why(record: xr.Dataset, K: int) -> str:
    """Why nothing is said of the best sets of K gates, if the record has none."""
    return lacking(_units(record, K)) or lacking(_searched(record.best.sel(units=K), record))


def _two_gates(record: xr.Dataset) -> list[Verdict]:
    claims = (
        "the best two of all gates tile the inputs without overlap",
        "the best two of all gates are half-spaces",
    )
    if why := _why(record, 2):
        return [Verdict.not_judged(claim, why, **ASKED) for claim in claims]
    two = record.sel(units=2)
    gap, half = two.best - two.tiling, two.best - two.half_spaces
    more = f"up to {100 * float((gap / two.best).max()):.2g} % of what they explain"
    tiles = Verdict.each(
        claims[0],
        _rows(gap, SAME, 0.0, "explained, best of all less best tiling"),
        note=f"both are open with probability {_span(two.overlap, '.3f')}; {_span(two.above_tiling, '.2%')} of all sets "
        "explain more than the best tiling",
        found="the best two gates tile the inputs: none that overlap explain more",
        otherwise=f"the best two gates overlap: a tiling loses {more}",
        **ASKED,
    )
    if why := lacking(at_least("most_listed", ENOUGH, record.attrs["most_listed"]) if np.isnan(half).all() else None):
        return [tiles, Verdict.not_judged(claims[1], why, **ASKED)]
    more = f"half-spaces lose up to {100 * float((half / two.best).max()):.2g} %"
    return [
        tiles,
        Verdict.each(
            claims[1],
            _rows(half, SAME, 0.0, "explained, best of all less best half-spaces"),
            note=f"{_span(two.above_half_spaces, '.2%')} of all sets explain more than the best half-spaces",
            found="the best two gates are half-spaces",
            otherwise=more,
            **ASKED,
        ),
    ]


def _half_space(record: xr.Dataset) -> Verdict:
    claim = "the best single gate of all is a half-space"
    if why := _why(record, 1):
        return Verdict.not_judged(claim, why, **ASKED)
    one = record.sel(units=1)
    rows = _rows(one.best - one.half_spaces, SAME, 0.0, "explained, best of all less best half-space")
    return Verdict.each(claim, rows, note="half-spaces through 0 whose plane meets no corner", **ASKED)


def _half(record: xr.Dataset) -> Verdict:
    claim = "one gate explains at most half of what the mean label of each corner does"
    if why := _why(record, 1):
        return Verdict.not_judged(claim, why)
    one = record.sel(units=1)
    return Verdict.below(
        claim,
        0.5 + ROUNDING,
        (one.best / one.bayes).max(),
        predicted=0.5,
        or_equal=True,
        of="largest share of the Bayes bound",
        note="inputs x and -x are equally likely and have one mean label, but a field gives them opposite outputs",
    )


def _rule(record: xr.Dataset) -> Verdict:
    claim = "the best single gate is open where its field has the right sign and overshoots the mean label less than twofold"
    if why := _why(record, 1):
        return Verdict.not_judged(claim, why)
    return Verdict.equals(
        claim,
        0,
        record.sel(units=1).against_rule.max(),
        of="corners against the rule 0 < <w, x> < 2 E[y|x], in the worst setting,",
        note="a corner outside of it is better shut: output 0 is then nearer to its mean label",
    )


def _listing(record: xr.Dataset) -> Verdict:
    claim = "branch and bound finds the best of the list where all sets of gates can be listed"
    gap = abs(record.best - record.listed_best).where(record.every > 0)
    if not np.isfinite(gap).any():
        need = Need("a setting whose gates are all listed", "none", {"sizes": [3], "units": [1, 2], "most_listed": 40_000})
        return Verdict.not_judged(claim, lacking(need), kind="control")
    most = int(record.listed.where(record.every > 0).max())
    note = f"{int(np.isfinite(gap).sum())} of {gap.size} settings are listed, the largest with {most} sets"
    return Verdict.below(
        claim, ROUNDING, gap.max(), predicted=0.0, or_equal=True, of="largest difference", kind="control", note=note
    )


def _diagonal(record: xr.Dataset, K: int) -> list[Verdict]:
    """The note's guess about the precision matrix, for its entries and, with several gates, for its blocks."""
    out = []
    for part in ("entries",) if K == 1 else ("entries", "blocks"):
        where, name = PARTS[part], ("of one gate", "of two gates")[K - 1]
        best = f"the best sets {name} have the precision matrix with the least weight {where}"
        rank = f"sets {name} explain the more, the less weight their precision matrix has {where}"
        if why := _why(record, K):
            out += [Verdict.not_judged(claim, why, **ASKED) for claim in (best, rank)]
            continue
        one = record.sel(units=K)
        out += [_most_diagonal(best, one, part), _goes_with(rank, one, part, **_ranks(one, part))]
    return out


def _most_diagonal(claim: str, one: xr.Dataset, part: str) -> Verdict:
    place, own, least = (one[f"{name}_{part}"] for name in ("place", "own", "least"))
    worth = one[f"least_{part}_explained"] / one.best
    return Verdict.each(
        claim,
        _rows(place, MOST_DIAGONAL, 0.0, "share of sets with less weight"),
        note=f"weight of the best {_span(own, '.3f')}, least of all {_span(least, '.3f')}; sets with the least explain "
        f"{_span(worth, '.0%')} of what the best do; over sets whose A has an inverse",
        **ASKED,
    )


def _goes_with(claim: str, one: xr.Dataset, part: str, **headline: Any) -> Verdict:
    drawn = one.listed.where(one.every == 0)
    error = f"standard error {float(drawn.min()) ** -0.5:.1g} where sets are drawn" if np.isfinite(drawn).any() else ""
    rows = _rows(one[f"rank_{part}"], GOES_WITH, None, "rank correlation over sets of gates")
    return Verdict.each(claim, rows, note=error, **ASKED, **headline)


def _ranks(one: xr.Dataset, part: str) -> dict[str, str]:
    """The headline of the second figure: of one gate, then of two."""
    if part != "entries":
        return {}
    span = _span(one[f"rank_{part}"], "+.2f").replace("-", "−")
    if int(one.units) == 1:
        words = "with a more diagonal A⁺"
        return {
            "more_found": f"single gates {words} explain more (rank correlation {span})",
            "more_otherwise": f"single gates {words} explain no more (rank correlation {span})",
        }
    return {"more_found": f"pairs do ({span})", "more_otherwise": f"nor do pairs ({span})"}
