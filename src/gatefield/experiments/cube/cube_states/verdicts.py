"""What the record of `cube-states` says of each claim."""

import json
from typing import Any

import numpy as np
import xarray as xr
from scipy import stats

from gatefield.core.intervals import proportion
from gatefield.experiments.cube.cube_states.search import SAME
from gatefield.experiments.orders import listed
from gatefield.lab import Verdict
from gatefield.lab.needs import Need, command_line, holding, lacking, unjudged
from gatefield.theory.hypercube import levels

REFERENCE = (7, "0.8, 1.6")
FIELD = (0.557872, -0.093302, -0.009318, 0.003920)
LOSS = 0.183405
DIGITS = 1e-6
"""The field, from its peak on, and the loss of an earlier search are given to six digits."""
REACHED, OF = 39, 100
"""How many of how many starts ended in the one-site state in an earlier search."""
MOST = 0.9
"""The least share of states or runs that must do what is said of nearly all."""
ROUNDING = 1e-9
"""Of fields and losses in float64."""
SPREAD = 1 / 8
"""The largest standard deviation of |<w,x>|/4, the part of a loss that is sampled: a steady state has E|<w,x>| = s with
s = w'(C0+C1)w, so that it is at most sqrt(s - s²)/4."""
SOURCE = "note 003, section 3, which asks for conditions"


def verdicts(record: xr.Dataset) -> list[Verdict]:
    return [
        _wherever(record),
        _basins(record),
        _from_site(record),
        _lowest(record),
        _sgd_steady(record),
        _sgd_found(record),
        _alike(record),
        _existence(record),
        _settled(record),
        _persistence(record),
        _before(record),
    ]


def _scales(pair: Any) -> str:
    return f"ξ = ({pair})"


def _by_size(one: Any) -> list[tuple[int, Any]]:
    return [(int(n), one.sel(size=n)) for n in one["size"].values]


def _share(hits: Any, bound: float, of: str, or_equal: bool = True) -> Verdict:
    """A share above a bound, with its exact 95 % interval towards the bound."""
    found = np.ravel(hits)
    share, low, high = proportion(int(found.sum()), found.size, method="exact")
    error = share - low if share >= bound else high - share
    of = f"{of} ({int(found.sum())} of {found.size})"
    return Verdict.above("", bound, share, or_equal=or_equal, error=error, of=of)


def existing(record: xr.Dataset) -> tuple[float, float]:
    """The share of pairs that have the one-site state on the largest ring: of the longer range positive, of the shorter."""
    last = (record.lead_map > 0).isel(map_size=-1)
    sides = record.map_xi1 > record.map_xi0, record.map_xi1 < record.map_xi0
    above, below = (float(last.where(side).mean()) for side in sides)
    return above, below


def _wherever(record: xr.Dataset) -> Verdict:
    """Where the one-site state exists on the largest ring, on each side of the diagonal; exact, up to the grid."""
    last = (record.lead_map > 0).isel(map_size=-1)
    above, below = existing(record)
    n, longest = int(last.map_size), f"{float(record.map_xi1.max()):g}"
    return Verdict.above(
        f"on a ring of {n} sites the one-site state exists wherever the positive class has the longer range",
        1.0,
        above,
        or_equal=True,
        of="share of these pairs",
        source=SOURCE,
        note=f"length scales up to {longest}; where it has the shorter range: {below:.3f}. {_reach(last)}",
    )


def _reach(exists: xr.DataArray) -> str:
    """How far from the diagonal it exists, at a few length scales."""
    texts = []
    for xi in (1.0, 2.0, 4.0):
        if xi <= float(exists.map_xi0.max()):
            row = exists.sel(map_xi0=xi, method="nearest")
            inside = row.map_xi1.values[row.values]
            texts.append(f"ξ0 = {xi:g}: ξ1 from {inside.min():.2f} to {inside.max():.2f}")
    return "; ".join(texts)


def flow_time(record: xr.Dataset) -> str:
    """How long the flow is followed, which is among the parameters of a record that was kept."""
    known = json.loads(record.attrs.get("parameters", "{}"))
    return f"{known['time']:g} τ" if "time" in known else ""


def _basins(record: xr.Dataset) -> Verdict:
    """How often random starts end in the one-site state of the largest ring, for pairs that have it there."""
    last, time = record.isel(size=-1), flow_time(record)
    n, pairs = int(last["size"]), [pair for pair in last.pair.values if last.site_lead.sel(pair=pair) > 0]
    flow = f"after a flow of {time} on a ring" if time else "on a ring"
    claim = f"{flow} of {n} sites most random starts end in the one-site state where it exists"
    if not pairs:
        others = command_line(pairs=[[2.0, 1.0], [1.0, 2.0]])
        return Verdict.not_judged(claim, f"no pair here has a one-site state; run with others, such as {others}")
    rows = {_scales(pair): _share(last.localized.sel(pair=pair), 0.5, "share of starts", False) for pair in pairs}
    reached = _who_ends(last.sel(pair=pairs), time)
    return Verdict.each(
        f"{claim}, for ξ = {listed(pairs)}",
        rows,
        note=f"errors: exact 95 % intervals of {record.sizes['start']} starts; SGD may reach it later: see late-localization",
        found=reached,
        otherwise=reached,
    )


def _who_ends(last: xr.Dataset, time: str) -> str:
    """From which part of the starts the one-site state is reached; first pairs whose positive class has the shorter range."""
    share, shorter = last.localized.mean("start").values, (last.xi1 < last.xi0).values
    parts = [(_portion(share[part]), listed(last.pair.values[part].tolist())) for part in (shorter, ~shorter) if part.any()]
    (first, pairs), rest = parts[0], "".join(f", from {part} for {pairs}" for part, pairs in parts[1:])
    within = f" within {time}" * bool(time)
    starts = f"{first} of {last.sizes['start']} random starts for ξ = {pairs}"
    return f"on {int(last['size'])} sites an existing one-site state is reached{within} from {starts}{rest}"


def _portion(share: np.ndarray) -> str:
    """What part of the starts it is: one, or the least and the largest.

    >>> _portion(np.array([0.0])), _portion(np.array([1.0, 1.0])), _portion(np.array([0.0, 0.25]))
    ('none', 'all', '0 to 25 %')
    """
    ends = {(0.0, 0.0): "none", (1.0, 1.0): "all"}
    return ends.get((share.min(), share.max()), f"{_span(100 * share)} %")


def _span(values: np.ndarray, digits: int = 3) -> str:
    """One number, or the least and the largest.

    >>> _span(np.array([100.0])), _span(np.array([0.25, 0.75]))
    ('100', '0.25 to 0.75')
    """
    return " to ".join(dict.fromkeys(f"{value:.{digits}g}" for value in (values.min(), values.max())))


def _from_site(record: xr.Dataset) -> Verdict:
    exists = (record.site_lead > 0).values
    right = (record.from_site.values > 0.5) == exists
    near = record.site_cosine.values[exists]
    note = f"it does in {exists.sum()} of {exists.size} cases"
    return Verdict.equals(
        "the flow from one site stays there if and only if that site's weight exceeds the sum of all others, by size, in the "
        "limit field behind its gate",
        float(exists.size),
        float(right.sum()),
        of="pairs and sizes at which both or none hold:",
        source=SOURCE,
        note=note + (f", where the least cosine with the closed form is {near.min():.4f}" if len(near) else ""),
    )


def gaps(record: xr.Dataset) -> xr.DataArray:
    """The lowest loss of other states less that of the one-site state, where that exists and others were found; else NaN."""
    return (record.loss.where(~record.localized).min("start") - record.site_loss).where(record.site_lead > 0)


def _lowest(record: xr.Dataset) -> Verdict:
    """Whether no other state found has a lower loss than the one-site state, where it exists and others were found."""
    claim = "no other state found has a lower loss than the one-site state"
    gap = gaps(record)
    error = 2 * SPREAD / np.sqrt(record.attrs["samples"])
    rows = {}
    for pair in record.pair.values:
        for n, one in _by_size(gap.sel(pair=pair)):
            if np.isfinite(one):
                of = "lowest other loss less that of the closed form"
                words: Any = {"of": of, "error": 0.0 if one.exact else error}
                rows[f"{_scales(pair)}, n = {n}"] = Verdict.above("", 0.0, float(one), or_equal=True, **words)
    if not rows:
        more = command_line(starts=10 * record.sizes["start"], pairs=[[2.0, 1.0], [1.0, 2.0]])
        return Verdict.not_judged(
            claim, f"no pair and size has a one-site state and a start that ends elsewhere; run with {more}"
        )
    found = np.array([row.measured for row in rows.values()])
    return Verdict.each(
        claim,
        rows,
        note=f"errors: two standard errors of a loss on {record.attrs['samples']:,} inputs, at most",
        more_found="no state found has a lower loss than the one-site state: where that exists, the lowest others lie "
        f"{_span(found, 2)} above it",
        more_otherwise=f"a state with a loss lower by {-found.min():.2g} than that of the one-site state was found",
    )


def _sgd_steady(record: xr.Dataset) -> Verdict:
    """Whether the limit behind the gate where SGD ends is that very field."""
    of = f"share of runs with a cosine of {SAME} or more"
    rows = {_scales(pair): _share(record.sgd_limit.sel(pair=pair) >= SAME, MOST, of) for pair in record.pair.values}
    note = f"median cosine {float(record.sgd_limit.median()):.4f}; errors: exact 95 % intervals"
    return Verdict.each("SGD ends in a steady state: its field is the limit field behind its own gate", rows, note=note)


def _sgd_found(record: xr.Dataset) -> Verdict:
    """Whether it is one of those that the flow found."""
    of = f"share of runs with a cosine of {SAME} or more up to shift and sign"
    rows = {_scales(pair): _share(record.sgd_nearest.sel(pair=pair) >= SAME, MOST, of) for pair in record.pair.values}
    same = float((record.sgd_same_start >= SAME).mean())
    note = f"in the state from the same start: {same:.2f} of all runs. Where states are many, few of them are found"
    return Verdict.each("SGD ends in one of the states that the flow found from random starts", rows, note=note)


def _alike(record: xr.Dataset) -> Verdict:
    """Up to the grid: a border that moves by a step of it takes one pair of each row with it."""
    exists, sizes = record.lead_map > 0, record.map_size.values
    last, before = exists.isel(map_size=-1), exists.isel(map_size=max(0, len(sizes) - 2))
    short = (record.map_xi1 <= 2) & (record.map_xi0 <= 2)
    step = 1 / int((record.map_xi1 <= 2).sum())
    alike = Verdict.below(
        f"for length scales up to 2 the one-site state exists on rings of {int(before.map_size)} and of {sizes[-1]} alike",
        step,
        float((before != last).where(short).mean()),
        of="share of pairs where they differ",
        note="granted: that the border moves by less than a step of the grid",
    )
    few = "" if len(sizes) > 1 else lacking(Need("two map_sizes", "one", {"map_sizes": sorted({*sizes.tolist(), 16, 40})}))
    return unjudged(few, alike)[0]


def _existence(record: xr.Dataset) -> Verdict:
    """No gate of one site may occur where the closed form does not exist."""
    elsewhere = record.localized & ~(record.site_lead > 0)
    parts = {"exact law": record.exact, "samples": ~record.exact}
    rows = {
        at: Verdict.equals("", 0.0, int(elsewhere.where(part, False).sum()), of="starts that do:")
        for at, part in parts.items()
        if part.any()
    }
    where = [pair for pair in record.pair.values if not (record.site_lead > 0).sel(pair=pair).all()]
    note = (
        f"at some size it does not exist for ξ = {' and '.join(f'({pair})' for pair in where)}"
        if where
        else "it exists for all"
    )
    return Verdict.each(
        "no start ends with a gate of one site where the one-site state does not exist", rows, kind="control", note=note
    )


def _settled(record: xr.Dataset) -> Verdict:
    return Verdict.above(
        "99 % of all searches or more end in a field that is the steady state behind its own gate",
        0.99,
        float(record.settled.mean()),
        or_equal=True,
        of=f"share of {record.settled.size} searches",
        kind="control",
    )


def _persistence(record: xr.Dataset) -> Verdict:
    """Whether states found on a sample are also states of another."""
    claim = f"{100 * MOST:g} % of the states found on a sample or more are found again, from there, on another sample"
    sampled = record.isel(size=np.flatnonzero(~record.exact.values))
    if not sampled.sizes["size"]:
        largest = int(record["size"][-1])
        need = Need("a size at which the law is sampled", f"{largest} at most", {"exact_to": max(2, largest - 1)})
        return Verdict.not_judged(claim, lacking(need), kind="control")
    rows = {
        f"{_scales(pair)}, n = {n}": _share(part.lasting, MOST, f"share of starts with a cosine of {SAME} or more")
        for pair in record.pair.values
        for n, part in _by_size(sampled.sel(pair=pair))
    }
    note = f"{record.attrs['samples']:,} inputs in each sample; errors: exact 95 % intervals"
    return Verdict.each(claim, rows, kind="control", note=note)


def _before(record: xr.Dataset) -> Verdict:
    """What an earlier search found, at its size and length scales; losses and basins where the law is summed exactly."""
    (n, pair), sizes, pairs = REFERENCE, record["size"].values, record.pair.values
    claim = f"at n = {n} and ξ = ({pair}) the one-site state, its loss and its basin are those found before"
    scales = [[float(xi) for xi in name.split(",")] for name in (*pairs, pair)]
    missing = None if pair in pairs else Need(f"pairs with {pair}", "others", {"pairs": scales})
    if why := lacking(holding("sizes", [n], sizes), missing):
        return Verdict.not_judged(claim, why, kind="regression")
    one = record.sel(size=n, pair=pair)
    exact = "" if one.exact else lacking(Need(f"the exact law at n = {n}", "a sample", {"exact_to": n}))
    rows = {"weights": _field(one)}
    rows |= dict(zip(("loss", "lowest loss", "basin"), unjudged(exact, *_losses(one), _reached(one)), strict=True))
    found, counts = levels(one.loss.values)
    lowest = f"{found.min():.6f} (reached by {counts[0]} of {counts.sum()} starts)"
    note = f"{len(found)} levels of loss, from {lowest} to {found.max():.6f}"
    return Verdict.each(claim, rows, kind="regression", note=note)


def _field(one: xr.Dataset) -> Verdict:
    field = one.site_state.values[: REFERENCE[0]]
    turned = np.roll(field, -int(field.argmax()))[: len(FIELD)]
    of = f"largest difference from {', '.join(f'{w:.6f}' for w in FIELD)}"
    return Verdict.below("", DIGITS, float(abs(turned - FIELD).max()), of=of)


def _losses(one: xr.Dataset) -> list[Verdict]:
    value, lowest = float(one.site_loss), float(one.loss.min())
    return [
        Verdict.within("", LOSS, value, atol=DIGITS, of="loss of the one-site state"),
        Verdict.above("", value - ROUNDING, lowest, of="lowest loss of all starts"),
    ]


def _reached(one: xr.Dataset) -> Verdict:
    """The earlier starts may have had another length, and the flow another step."""
    hits, of = int(one.localized.sum()), one.sizes["start"]
    test: Any = stats.fisher_exact([[hits, of - hits], [REACHED, OF - REACHED]])
    return Verdict.above(
        "", 0.01, float(test.pvalue), or_equal=True, of=f"p of Fisher's exact test, {hits} of {of} beside {REACHED} of {OF},"
    )
