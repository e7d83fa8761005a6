"""What the record of `f-along-training` says of each claim."""

import dataclasses
from collections.abc import Callable

import numpy as np
import xarray as xr

from gatefield.core.intervals import median_error
from gatefield.experiments.cube.f_along_training.simulate import LOOSE
from gatefield.experiments.orders import listed
from gatefield.lab import Verdict
from gatefield.lab.needs import Need, holding, lacking, lasting, undecided, unjudged
from gatefield.plot import gain_text

ENOUGH = 120.0
"""Time in tau after which fields have their shape."""
NEAR = 0.1
"""A form counts as that of f if it is off by less than a tenth of |f|."""
FEW = 0.1
"""Up to this share of all entries counts as few."""
ORDERS = {"longer": (2.0, 1.0), "shorter": (1.0, 2.0)}
"""The range of the positive class, and a pair of length scales that has it."""


def verdicts(record: xr.Dataset) -> list[Verdict]:
    one_gain = "" if record.sizes["gain"] > 1 else lacking(holding("gains", [1.0, np.inf], record.gain.values))
    heads = _headed([_heads(record, order) for order in ORDERS], heads_said(record), "found", "otherwise")
    forms = _headed([_forms(record, order) for order in ORDERS], forms_said(record), "more_found", "more_otherwise")
    late = [*heads, *forms, *unjudged(one_gain, _gains(record))]
    return [*undecided(lacking(lasting(record, ENOUGH)), *late), _early(record)]


def _headed(both: list[Verdict], said: str, *names: str) -> list[Verdict]:
    """Both orders make one headline, of what was measured; the first that is decided carries it."""
    at = next((i for i, one in enumerate(both) if one.outcome in ("confirmed", "refuted")), 0)
    return [dataclasses.replace(one, **(dict.fromkeys(names, said) if i == at else {})) for i, one in enumerate(both)]


def takeover(one: xr.Dataset) -> xr.DataArray:
    """The first time from which on f stays nearer to the form of one site than to the Gaussian one; infinite if never."""
    ahead = (one.site_distance < one.gaussian_distance).transpose(..., "step")
    stays = np.flip(np.minimum.accumulate(np.flip(ahead.values, -1), -1), -1)
    first = np.where(stays.any(-1), one.time.values[stays.argmax(-1)], np.inf)
    return xr.DataArray(first, dims=ahead.dims[:-1], coords={dim: ahead[dim] for dim in ahead.dims[:-1]})


def balance(one: xr.Dataset) -> xr.DataArray:
    """Which form of f is nearer: (d_G - d_1)/(d_G + d_1), -1 if f has the Gaussian form and 1 if it has that of one site."""
    gaussian, site = one.gaussian_distance, one.site_distance
    total = gaussian + site
    return xr.where(total > 0, (gaussian - site) / total.where(total > 0, 1.0), 0.0)


def _early(record: xr.Dataset) -> Verdict:
    """At the gain at which it is furthest from it."""
    start, rows = record.isel(step=0), {}
    for pair in record.pair.values:
        off = start.gaussian_distance.sel(pair=pair)
        gain = float(off.median("seed").idxmax("gain"))
        of = f"median distance over |f| at gain {gain_text(gain)}, the largest,"
        off = off.sel(gain=gain)
        rows[f"ξ = ({pair})"] = Verdict.below("", NEAR, off.median(), error=median_error(off), of=of)
    return Verdict.each(
        "at the start of training, from random weights, f has the Gaussian form at every gain",
        rows,
        kind="claim",
        source="note 003, section 2",
        note=f"a tenth of |f| is granted; |f/2| is {float(start.pull.median()):.2f} of |(C0+C1)w/4| there; errors: of medians "
        f"over {record.sizes['seed']} seeds",
    )


def ended(record: xr.Dataset) -> str:
    """When and at which gain something is said of the end of training."""
    return f"after {float(record.time[-1]):g} τ at gain {gain_text(float(record.gain[-1]))}"


def _at_end(record: xr.Dataset, order: str, claim: str, source: str, row: Callable[[xr.Dataset], Verdict]) -> Verdict:
    """One claim for the pairs in which the positive class has the longer, or the shorter, range."""
    pairs = of_order(record, order)
    text = f"{ended(record)}, the {order} range being positive, {claim}"
    if not pairs:
        has = "; ".join(map(str, record.pair.values))
        have = list(zip(record.xi1.values.tolist(), record.xi0.values.tolist(), strict=True))
        need = Need(f"a pair with the {order} range positive", has, {"pairs": [list(pair) for pair in (*have, ORDERS[order])]})
        return Verdict.not_judged(text, lacking(need), kind="claim", source=source)
    rows = {f"ξ = ({pair})": row(record.sel(pair=pair).isel(gain=-1)) for pair in pairs}
    return Verdict.each(f"{text} for ξ = {listed(pairs)}", rows, kind="claim", source=source)


def of_order(record: xr.Dataset, order: str) -> list[str]:
    """The pairs in which the positive class has the longer, or the shorter, range."""
    there = record.xi1 > record.xi0 if order == "longer" else record.xi1 < record.xi0
    return record.pair.values[there.values].tolist()


def _heads(record: xr.Dataset, order: str) -> Verdict:
    """How many entries decide the gate at the end, on signs or at the highest gain."""
    n, heads = record.sizes["position"], record.head_size.sel(share=LOOSE).isel(gain=-1, step=0).median("seed")

    def row(one: xr.Dataset) -> Verdict:
        last = one.head_size.isel(step=-1).sel(share=LOOSE)
        of = "median number of entries that decide,"
        return Verdict.below("", FEW * n, last.median(), or_equal=True, error=median_error(last), of=of)

    found = _at_end(record, order, "a tenth of the entries or fewer decide the gate", "note 003, section 3", row)
    if not found.bounds:
        return found
    inputs, start = f"on {100 * (1 - LOOSE):g} % of inputs", span(heads.sel(pair=of_order(record, order)).values)
    note = f"of {n} entries, {inputs}; {start} at the start; errors: of medians over {record.sizes['seed']} seeds"
    return dataclasses.replace(found, note=note)


def heads_said(record: xr.Dataset) -> str:
    """How many entries decide at the end, at the highest gain, in pairs of each order."""
    last = record.head_size.sel(share=LOOSE).isel(gain=-1, step=-1).median("seed")
    pairs = [there for order in ORDERS if (there := of_order(record, order))]
    if not pairs:
        return ""
    many = [f"{span(last.sel(pair=there).values)} of {record.sizes['position']}" for there in pairs]
    decide = "decides" if many[0].startswith("1 of") else "decide"
    rest = "".join(f", {some} for {listed(there)}" for some, there in zip(many[1:], pairs[1:], strict=True))
    inputs = f"on {100 * (1 - LOOSE):g} % of inputs"
    return f"{ended(record)} {many[0]} entries {decide} a gate {inputs} for ξ = {listed(pairs[0])}{rest}"


def forms_said(record: xr.Dataset) -> str:
    """Which form f is nearer to at the end, at the highest gain."""
    last = balance(record.isel(gain=-1, step=-1)).median("seed")
    names, near = record.pair.values, (last > 0).values
    forms = {"to that of one site": names[near].tolist(), "to that of Gaussian data": names[~near].tolist()}
    parts = [f"{form} for ξ = {listed(pairs)}" for form, pairs in forms.items() if pairs]
    return f"{ended(record)} the drift f is nearer {', '.join(parts)}"


def _forms(record: xr.Dataset, order: str) -> Verdict:
    """Whether and when the form of one site is the better one."""

    def row(one: xr.Dataset) -> Verdict:
        last, first = balance(one.isel(step=-1)), takeover(one).values
        done = np.isfinite(first)
        when = f", from {np.median(first[done]):.3g} τ on" if done.any() else ""
        of = f"median balance of the two distances (nearer in {done.sum()} of {done.size} seeds{when})"
        return Verdict.above("", 0.0, last.median(), error=median_error(last), of=of)

    claim = "f is nearer to the form of one site than to the Gaussian one"
    found = _at_end(record, order, claim, "note 003, section 3.1", row)
    words = "-1: f has the Gaussian form, 1: it has that of one site; errors: of medians over seeds"
    return dataclasses.replace(found, note=words) if found.bounds else found


def _gains(record: xr.Dataset) -> Verdict:
    """Whether heads are smaller at higher gain, seed by seed."""
    sizes = record.head_size.isel(step=-1).sel(share=LOOSE)
    low, high = (gain_text(float(record.gain[at])) for at in (0, -1))
    rows = {}
    for pair in record.pair.values:
        less = (sizes.isel(gain=-1) - sizes.isel(gain=0)).sel(pair=pair)
        medians = ", ".join(f"{value:g}" for value in sizes.sel(pair=pair).median("seed").values)
        of = f"median difference (medians by gain {medians})"
        rows[f"ξ = ({pair})"] = Verdict.below("", 0.0, less.median(), error=median_error(less), of=of)
    return Verdict.each(
        f"after {float(record.time[-1]):g} τ fewer entries decide the gate at gain {high} than at gain {low}",
        rows,
        note=f"gains {', '.join(gain_text(float(gain)) for gain in record.gain.values)}; seed by seed, with errors of medians",
    )


def span(values: np.ndarray) -> str:
    """One number, or the least and the largest.

    >>> span(np.array([1.0, 1.0])), span(np.array([27.5, 19.0]))
    ('1', '19 to 27.5')
    """
    return " to ".join(f"{value:g}" for value in dict.fromkeys((values.min(), values.max())))
