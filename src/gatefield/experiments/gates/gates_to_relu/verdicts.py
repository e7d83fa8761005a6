"""What the record of `gates-to-relu` says of each claim."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from gatefield.lab import Verdict
from gatefield.lab.needs import holding, lacking, lasting, undecided, unjudged
from gatefield.plot import gain_text

KNOWN = 0.95
"""Gates know the answer once the limit behind them has this cosine with the final fields, or share of the loss, for good."""
ENOUGH, SQUASHED = 200.0, 1.0
"""Time in K² tau after which, and gain from which on, fields are in a steady state."""
UNLIKE = 0.5
"""Fields with a smaller cosine are other fields."""
EARLY = 2.0
"""How many times as early counts as before; gates are looked at by factors of about 1.7 in time."""
HALF = 0.5
"""The least share of the final localization that counts as localized."""
ZERO_LOSS = 0.25
"""The loss of a network that says nothing."""
STABLE = "note 002, section 5.2: gates stabilize early on"


def verdicts(record: xr.Dataset) -> list[Verdict]:
    """Six claims, each at every number of units and gain."""
    gains = record.gain.values.tolist()
    low = "" if gains[-1] >= SQUASHED else lacking(holding("gains", [3.0], gains))
    early, *others = unjudged(low, *(claim(record) for claim in (_early, _early_loss, _end, _local, _wrong)))
    return undecided(lacking(lasting(record, ENOUGH)), early, *others, _random(record))


def unit_name(K: int) -> str:
    return "one neuron" if K == 1 else f"{K} units"


def known_from(time: np.ndarray, match: np.ndarray) -> float:
    """The time from which on the cosine stays above the threshold, between two times by the logarithm; the last if it never is.

    >>> round(known_from(np.array([0.0, 1.0, 10.0, 100.0]), np.array([0.1, 0.9, 1.0, 1.0])), 2)
    3.16
    """
    below = np.flatnonzero(match < KNOWN)
    last = int(below[-1]) if len(below) else -1
    if last < 1 or last + 1 >= len(time):
        return float(time[min(last + 1, len(time) - 1)])
    part = (KNOWN - match[last]) / (match[last + 1] - match[last])
    return float(time[last] * (time[last + 1] / time[last]) ** part)


def known_times(one: xr.Dataset, values: xr.DataArray) -> xr.DataArray:
    """For each gain and seed; not before the first time after 0."""
    rows = values.transpose("gain", "seed", "step").values
    found = [[max(known_from(one.time.values, run), float(one.time[1])) for run in runs] for runs in rows]
    return xr.DataArray(found, {"gain": one.gain}, ("gain", "seed"))


def times_as_early(one: xr.Dataset) -> xr.DataArray:
    """How many times as early the gates of each gain and seed lead to the final fields as these are reached."""
    return known_times(one, one.own_match) / known_times(one, one.limit_match)


def loss_as_early(one: xr.Dataset) -> xr.DataArray:
    """How many times as early the gates of each gain and seed lead to the final loss as it is reached."""
    limit, own = shares_of_loss(one)
    return known_times(one, own) / known_times(one, limit)


def shares_of_loss(one: xr.Dataset) -> tuple[xr.DataArray, xr.DataArray]:
    """Which share of the loss that the ReLU network removes is removed behind its gates, and by itself."""
    limit, own = (_shares(loss, one) for loss in (one.limit_loss, one.own_loss))
    return limit, own


def _shares(loss: xr.DataArray, one: xr.Dataset) -> xr.DataArray:
    return (ZERO_LOSS - loss) / (ZERO_LOSS - one.own_loss.isel(step=-1))


def _each(record: xr.Dataset, row: Callable[[xr.Dataset], Verdict | None]) -> dict[str, Verdict]:
    """The rows of all numbers of units and gains at which there is one."""
    cells = [record.sel(units=[K]).isel(units=0).sel(gain=[g]) for K in record.units.values for g in record.gain.values]
    found = {f"{unit_name(int(cell.units))}, gain {gain_text(float(cell.gain[0]))}": row(cell) for cell in cells}
    return {at: verdict for at, verdict in found.items() if verdict}


def _squashed(cell: xr.Dataset) -> bool:
    """Whether fields reach a steady state within training at this gain."""
    return float(cell.gain[0]) >= SQUASHED


def _end(record: xr.Dataset) -> Verdict:
    def row(cell: xr.Dataset) -> Verdict:
        last = cell.isel(step=-1)
        explained = abs(float(_shares(last.limit_loss, cell).median()) - 1)
        off = Verdict.below("", 1 - KNOWN, explained, predicted=0.0, or_equal=True, of="explained loss, distance from ReLU's,")
        words = "median cosine with the final fields"
        return off.and_above(KNOWN, last.limit_match.median(), or_equal=True, of=words) if _squashed(cell) else off

    return Verdict.each(
        "the gated linear network behind the final gates of a ReLU network has its loss and, from gain 1 on, its fields",
        _each(record, row),
        source="note 002, section 5.2",
        note=f"a start from the field instead of zero changes the limit by {float(record.start_matters.max()):.1e} at most",
    )


def _random(record: xr.Dataset) -> Verdict:
    def row(cell: xr.Dataset) -> Verdict:
        return Verdict.below("", UNLIKE, cell.limit_match.isel(step=0).median(), of="median cosine with the final fields")

    return Verdict.each("the gates of the random start do not lead to the final fields", _each(record, row), kind="control")


def _early(record: xr.Dataset) -> Verdict:
    return _earlier(record, "fields", f"cosine of {KNOWN}", times_as_early)


def _early_loss(record: xr.Dataset) -> Verdict:
    return _earlier(record, "loss", f"share of {KNOWN} of the explained loss", loss_as_early)


def _earlier(record: xr.Dataset, what: str, words: str, ratio: Callable[[xr.Dataset], xr.DataArray]) -> Verdict:
    def row(cell: xr.Dataset) -> Verdict | None:
        times = float(ratio(cell).median())
        return Verdict.above("", EARLY, times, or_equal=True, of="times as early, median,") if _squashed(cell) else None

    rows = _each(record, row)
    return Verdict.each(
        f"frozen gates lead to the final {what} at least twice as early as the ReLU network itself gets there, from gain 1 on",
        rows,
        kind="claim",
        source=STABLE,
        note=f"from when on the {words} is reached for good; training ends at {float(record.time[-1]):g} K²τ",
        **_headline(what, rows),
    )


def _headline(what: str, rows: Mapping[str, Verdict]) -> dict[str, Any]:
    """That of the figure is about fields; that of the second one about the loss, by numbers of units."""
    if not rows:
        return {}
    if what == "fields":
        words = f"from gain {SQUASHED:g} on fields need in the median {_reach(rows)} as long to reach their end"
        words = f"{words} as gates need to fix it"
        words = f"{words} (claimed: {EARLY:g} or more)"
        return {"found": words, "otherwise": words}
    each = list(dict.fromkeys(name.partition(",")[0] for name in rows))
    each.sort(key=lambda units: -max(row.measured for name, row in rows.items() if name.startswith(f"{units},")))
    first, *others = [f"{_reach(rows, f'{units},')} {{}}with {units}" for units in each]
    parts = ", ".join([first.format("earlier than ReLU "), *(f"only {part}".format("") for part in others)])
    words = f"frozen gates know the final loss {parts} (gain ≥ {SQUASHED:g})"
    return {"more_found": words, "more_otherwise": words}


def _reach(rows: Mapping[str, Verdict], units: str = "") -> str:
    times = [row.measured for name, row in rows.items() if name.startswith(units)]
    return f"{min(times):.2g} to {max(times):.2g} times"


def _wrong(record: xr.Dataset) -> Verdict:
    def row(cell: xr.Dataset) -> Verdict | None:
        explained, match = _shares(cell.wrong_loss, cell).median(), cell.wrong_match.median()
        served = Verdict.above("", KNOWN, explained, predicted=1.0, or_equal=True, of="explained loss over ReLU's")
        return served.and_below(UNLIKE, match, of="median cosine with the final fields") if _squashed(cell) else None

    return Verdict.each(
        "from gain 1 on the trained gates of another seed serve as well for the loss, but lead to other fields",
        _each(record, row),
        kind="control",
    )


def _local(record: xr.Dataset) -> Verdict:
    """Localization in the limit behind the gates of a tenth of the training."""
    tenth = int(np.abs(record.time.values - record.time.values[-1] / 10).argmin())

    def row(cell: xr.Dataset) -> Verdict | None:
        ratio = cell.limit_ipr.isel(step=tenth).median() / cell.own_ipr.isel(step=-1).median()
        words = "IPR of the limit over the final one"
        return Verdict.above("", HALF, ratio, predicted=1.0, or_equal=True, of=words) if _squashed(cell) else None

    own = record.own_ipr.isel(step=tenth).median("seed") / record.own_ipr.isel(step=-1).median("seed")
    high = own.sel(gain=own.gain >= SQUASHED)
    least = float(high.min()) if high.size else 0.0
    return Verdict.each(
        "after a tenth of the training the gates ask for a field at least half as localized as the final one, from gain 1 on",
        _each(record, row),
        kind="claim",
        source=STABLE,
        note=f"at {float(record.time[tenth]):.3g} K²τ; ReLU fields themselves have {least:.2f} of the final IPR or more",
    )
