"""What the record says of the claim that fields localize in one order only."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.intervals import median_error
from gatefield.lab import Verdict
from gatefield.lab.needs import Need, holding, lacking, lasting, undecided
from gatefield.measures import LOCALIZED
from gatefield.plot import gain_text

EARLY, LATE = 200.0, 20_000.0
"""Until when earlier trainings looked; and for how long one looks before a field counts as one that stays spread."""
CLOSE = 0.01
"""How far the IPR of a trained field may be from that of its exact state."""


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    return [*_one_order_only(record), _exact(record), *_every_pair(record), _identical(record), _short(record), *_waves(record)]


def _one_order_only(record: xr.Dataset) -> list[Verdict]:
    claim = "however long one waits, no field localizes if the positive class has the shorter range"
    words: Any = {"kind": "claim", "source": "note 002, introduction; note 000, section 1"}
    wrong = record.xi1.values < record.xi0.values
    if why := lacking(_pairs(record, "the shorter range positive", wrong, (1.0, 3.0))):
        return [Verdict.not_judged(claim, why, **words)]
    medians = record.end_ipr.isel(pair=wrong).median("seed")
    most = medians.stack(setting=("pair", "gain")).isel(setting=int(medians.values.argmax()))
    where = f"length scales {most.pair.item()} and gain {gain_text(float(most.gain))}"
    time = f"{float(record.time[-1]):,.0f} τ"
    words |= {
        "error": median_error(record.end_ipr.sel(pair=most.pair.item(), gain=most.gain)),
        "found": f"in {time} no field localizes with the shorter range positive (IPR at most {float(most):.2f})",
        "otherwise": f"fields localize with the shorter range positive too, {_last(record.isel(pair=wrong))}",
        "note": f"at {where}, after {time}",
    }
    found = Verdict.below(claim, LOCALIZED, float(most), of="largest median IPR over pairs and gains", **words)
    return [found] if most >= LOCALIZED else undecided(lacking(lasting(record, LATE)), found)


def time_to_localize(record: xr.Dataset) -> xr.DataArray:
    """The median time of those seeds that localized, for each setting; NaN if fewer than half did, or if they did not stay."""
    stays = record.end_ipr.median("seed") >= LOCALIZED
    return record.localized_at.median("seed").where(stays & (record.localized_at.notnull().mean("seed") >= 0.5))


def _last(record: xr.Dataset) -> str:
    """In how many settings fields localize, and when the last of them do."""
    times = time_to_localize(record)
    if not times.notnull().any():
        return f"at least some of {record.sizes['seed']} seeds"
    return f"in {int(times.notnull().sum())} of {times.size} settings, the last at {float(times.max()):,.0f} τ"


def _exact(record: xr.Dataset) -> Verdict:
    """Each end at gain infinity that is one of the states, against that state."""
    claim = "on the hypercube, trained fields that end in a state of a few sites have its IPR"
    if why := lacking(_cube(record)):
        return Verdict.not_judged(claim, why, kind="prediction")
    cube = record.sel(gain=np.inf)
    of_state = cube.end_ipr.where(cube.reached == cube.sites).median("seed")
    apart = np.abs(of_state - cube.state_ipr)
    if not apart.notnull().any():
        why = lacking(lasting(record, LATE)) or "no field has reached one of these states"
        return Verdict.not_judged(claim, why, kind="prediction")
    return Verdict.below(
        claim,
        CLOSE,
        float(apart.max()),
        of="largest distance of a median IPR from that of its state",
        kind="prediction",
        note=f"{int((cube.reached > 0).sum())} of {cube.reached.size} ends are such a state, by their shape; batches spread a "
        "field a little",
    )


def _every_pair(record: xr.Dataset) -> list[Verdict]:
    scales = [*record.xi1.values, *record.xi0.values]
    span = f"{record.sizes['pair']} pairs of length scales, from {min(scales):g} to {max(scales):g} sites"
    claim = f"on the hypercube fields localize for all of {span}"
    if why := lacking(_cube(record)):
        return [Verdict.not_judged(claim, why, kind="prediction")]
    medians = record.end_ipr.sel(gain=np.inf).median("seed")
    least = medians.isel(pair=int(medians.values.argmin()))
    time = f"{float(record.time[-1]):,.0f} τ"
    words: Any = {
        "kind": "prediction",
        "error": median_error(record.end_ipr.sel(gain=np.inf, pair=least.pair.item())),
        "found": f"on the hypercube all {medians.size} pairs localize",
        "otherwise": f"on the hypercube not all {medians.size} pairs localize within {time}",
        "note": f"at length scales {least.pair.item()}, after {time}",
    }
    found = Verdict.above(claim, LOCALIZED, float(least), of="smallest median IPR over pairs", **words)
    return [found] if least > LOCALIZED else undecided(lacking(lasting(record, LATE)), found)


def _identical(record: xr.Dataset) -> Verdict:
    claim = "at every gain two identical classes localize more than any two different ones"
    same = record.xi1.values == record.xi0.values
    alike = _pairs(record, "two identical length scales", same, (1.0, 1.0))
    if why := lacking(alike, _pairs(record, "two different length scales", ~same, (2.0, 1.0))):
        return Verdict.not_judged(claim, why, kind="prediction")
    rows = {f"length scales {pair}": _lead(record, pair, ~same) for pair in record.pair.values[same]}
    note = "identical classes tell nothing of labels: only shape decides"
    return Verdict.each(claim, rows, kind="prediction", note=note)


def _lead(record: xr.Dataset, pair: str, others: np.ndarray) -> Verdict:
    """By how much the fields of a pair are ahead of the best of the others, at the gain at which that is least."""
    medians = record.end_ipr.median("seed")
    ahead = medians.sel(pair=pair) - medians.isel(pair=others).max("pair")
    ends = record.end_ipr.isel(gain=int(ahead.argmin("gain")))
    rival = ends.isel(pair=others).isel(pair=int(medians.isel(pair=others).sel(gain=ends.gain).argmax("pair")))
    error = math.hypot(median_error(ends.sel(pair=pair)), median_error(rival))
    note = f"gain {gain_text(float(ends.gain))}, against {rival.pair.item()}"
    return Verdict.above("", 0.0, float(ahead.min()), of="smallest lead in median IPR over gains", error=error, note=note)


def _short(record: xr.Dataset) -> Verdict:
    claim = f"with both length scales below one site fields localize within {EARLY:g} τ in either order"
    which = (record.xi1.values < record.xi0.values) & (record.xi0.values < 1)
    at = int(np.abs(record.time.values - EARLY).argmin())
    below = _pairs(record, "the shorter range positive, both below one site", which, (0.4, 0.7))
    if why := lacking(below, _seen(record, at)):
        return Verdict.not_judged(claim, why, kind="prediction")
    early = record.ipr.isel(pair=which, step=at, gain=-1).median("seed")
    least = record.ipr.isel(pair=which, step=at, gain=-1).isel(pair=int(early.values.argmin()))
    words: Any = {"error": median_error(least), "note": f"at gain {gain_text(float(early.gain))}", "kind": "prediction"}
    return Verdict.above(claim, LOCALIZED, early.min(), of="smallest median IPR with the shorter range positive", **words)


def _waves(record: xr.Dataset) -> list[Verdict]:
    """The frequency of fields that have not localized, at the lowest gain."""
    claim = "with the shorter range positive, fields that stay spread oscillate over short distances"
    words: Any = {"kind": "claim", "source": "note 002, introduction"}
    wrong = record.xi1.values < record.xi0.values
    if why := lacking(_pairs(record, "the shorter range positive", wrong, (1.0, 3.0))):
        return [Verdict.not_judged(claim, why, **words)]
    low = record.isel(pair=wrong, gain=0)
    part = low.peak_frequency.where(low.end_ipr < LOCALIZED) / (record.sizes["position"] // 2)
    if not part.notnull().any():
        gains = record.gain.values.tolist()
        more = {"gains": [min(0.1, gains[0] / 4), *gains]} if gains[0] else {"seeds": 2 * record.sizes["seed"]}
        why = lacking(Need("a field that stays spread at the lowest gain", "none", more))
        return [Verdict.not_judged(claim, why, **words)]
    words |= {"note": f"of {int(part.notnull().sum())} fields at gain {gain_text(float(low.gain))}"}
    words |= {"error": median_error(part.values[part.notnull().values])}
    found = Verdict.above(claim, 0.5, part.median(), of="median peak frequency over the highest one", **words)
    return undecided(lacking(lasting(record, LATE)), found)


def _pairs(record: xr.Dataset, words: str, which: np.ndarray, example: tuple[float, float]) -> Need | None:
    """Pairs of a kind, one of which is to be set beside those that are there."""
    if which.any():
        return None
    there = np.stack([record.xi1.values, record.xi0.values], axis=1).tolist()
    return Need(f"pairs with {words}", "none", {"pairs": [*there, list(example)]})


def _cube(record: xr.Dataset) -> Need | None:
    return holding("gains", [float("inf")], record.gain.values)


def _seen(record: xr.Dataset, at: int) -> Need | None:
    """A record near the time until which earlier trainings looked."""
    found = float(record.time[at])
    every = max(1, round(EARLY / float(np.max(record.attrs["learning_rate"]))))
    return (
        None if abs(found - EARLY) < 0.1 * EARLY else Need(f"a record at {EARLY:g} tau", f"{found:g}", {"record_every": every})
    )
