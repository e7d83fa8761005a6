"""What the record of `gate-refresh` says of each claim."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import xarray as xr

from gatefield.core.intervals import mean_interval
from gatefield.experiments.gates.gate_refresh.simulate import GIVEN, OWN
from gatefield.lab import Verdict
from gatefield.lab.needs import Need, lacking, undecided
from gatefield.plot import gain_text

FOLLOWS = 0.1
"""A network follows another if their fields, or their losses over what is explained, are not further apart than this."""
OFTEN = 1.0
"""The time in K² tau once in which gates are refreshed often enough, as was guessed before the first run."""
ENOUGH = 100.0
"""Time in K² tau after which fields are near their ends."""
KNOWN = 0.95
"""Something has settled once its cosine with its end is this, for good."""
EARLY, LATE = 1.0, 0.25
"""Growth is looked at from this time on, in K² tau, up to this share of the whole time."""
ALIKE = 0.05
"""Cosines that differ by less than this are called alike in a title."""
EVOLVING, FIXED = "note 000, section 2.3", "note 000, section 2, and note 002, section 4.1"


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """Each claim at every number of units and gain."""
    ran = float(record.time[-1])
    short = None if ran >= ENOUGH else Need(f"time of at least {ENOUGH:g} K² tau", f"{ran:g}", {"time": ENOUGH})
    claims = [_frozen(record), _often(record, "loss_distance", GIVEN), _often(record, "distance", GIVEN)]
    claims += [_often(record, "distance", OWN), _fresh(record), _b_first(record), _growth(record)]
    return [*undecided(lacking(short), *claims), _trained(record)]


def critical(dt: np.ndarray, distance: np.ndarray) -> float:
    """The dt at which the distance first is that of following, on a straight line between logarithms; the ends if beyond.

    >>> round(critical(np.array([1.0, 2.0, 4.0]), np.array([0.05, 0.2, 0.1])), 6)
    1.414214
    """
    above = np.flatnonzero(~(distance <= FOLLOWS))
    if not len(above):
        return float(dt[-1])
    at = int(above[0])
    if at == 0 or not np.isfinite(distance[at]):
        return float(dt[max(at - 1, 0)])
    low, high = (math.log(max(distance[i], 1e-300)) for i in (at - 1, at))
    part = (math.log(FOLLOWS) - low) / (high - low)
    return float(dt[at - 1] * (dt[at] / dt[at - 1]) ** part)


def settled(time: np.ndarray, cosines: np.ndarray) -> float:
    """The first time from which on the cosine with the end stays above the threshold.

    >>> settled(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.97, 0.9, 0.96, 1.0]))
    2.0
    """
    below = np.flatnonzero(~(cosines >= KNOWN))
    return float(time[min(below[-1] + 1, len(time) - 1)]) if len(below) else float(time[0])


def critical_dt(record: xr.Dataset, name: str, gates: str) -> xr.DataArray:
    """How long the dt may be, for each number of units, gain and seed."""
    return _each_path(record[name].sel(gates=gates), "dt", lambda path: critical(record.dt.values, path))


def settling_time(record: xr.Dataset, name: str) -> xr.DataArray:
    return _each_path(record[name], "mark", lambda path: settled(record.time.values, path))


def uniformity(record: xr.Dataset, name: str) -> xr.DataArray:
    """Likeness with the end beyond that with the end of another seed: 1 if growth is uniform, 0 if any field is as like.

    Mean over the marked times between EARLY and LATE; for each number of units, gain and seed.
    """
    like, chance = (record[f"{name}{kind}_path"].where(_growing(record)).mean("mark") for kind in ("", "_chance"))
    chance = chance.mean("seed")
    return (like - chance) / (1 - chance)


def _growing(record: xr.Dataset) -> xr.DataArray:
    """The marked times at which growth is looked at."""
    return (record.time >= EARLY) & (record.time <= LATE * float(record.time[-1]))


def _each_path(values: xr.DataArray, dim: str, of: Callable[[np.ndarray], float]) -> xr.DataArray:
    return xr.apply_ufunc(of, values, input_core_dims=[[dim]], vectorize=True)


def _rows(values: xr.DataArray, row: Callable[[np.ndarray], Verdict]) -> dict[str, Verdict]:
    """What the seeds of each number of units and gain say."""
    cells = [values.sel(units=K, gain=gain) for K in values.units.values for gain in values.gain.values]
    return {f"K = {int(one.units)}, gain {gain_text(float(one.gain))}": row(one.values) for one in cells}


def _near(of: str) -> Callable[[np.ndarray], Verdict]:
    """A median over seeds that must be below what counts as following."""
    return lambda seeds: Verdict.below("", FOLLOWS, np.median(seeds), of=f"median {of}")


def _lead(of: str) -> Callable[[np.ndarray], Verdict]:
    """A mean over seeds that must be above 0 by its interval."""

    def row(seeds: np.ndarray) -> Verdict:
        found = mean_interval(seeds)
        return Verdict.above("", 0.0, found.mean, error=_finite(found.mean - found.low), of=of)

    return row


def _frozen(record: xr.Dataset) -> Verdict:
    end = record.distance.sel(gates=GIVEN).isel(dt=-1)
    cosines = record.b_start_path.isel(mark=-1).median("seed")
    ends = end.median("seed")
    reach = f"{100 * float(ends.min()):.0f} to {100 * float(ends.max()):.0f} %"
    return Verdict.each(
        "a gated linear network behind the gates of the start, never refreshed, ends with the fields of ReLU",
        _rows(end, _near("relative distance of the final fields")),
        kind="claim",
        source=FIXED,
        note="median cosine of the b of the start's gates with b(t) = f(w(t))/2 at the end: "
        f"{float(cosines.min()):.2f} to {float(cosines.max()):.2f}",
        found=f"behind the gates of the start fields end {reach} off those of ReLU",
        otherwise=f"behind the gates of the start fields end {reach} off those of ReLU",
    )


def _often(record: xr.Dataset, name: str, gates: str) -> Verdict:
    found, what = critical_dt(record, name, gates), "ends with the fields" if name == "distance" else "has the loss"
    finest, whole, least = float(record.dt[0]), float(record.dt[-1]), float(found.median("seed").min())
    words = f"median dt at which it is {100 * FOLLOWS:g} % off, in K² tau,"
    lead = name == "loss_distance"
    return Verdict.each(
        f"a gated linear network that gets {gates} gates anew once in {OFTEN:g} K² tau {what} of ReLU",
        _rows(found, lambda seeds: Verdict.above("", OFTEN, np.median(seeds), or_equal=True, of=words)),
        source=EVOLVING,
        note=f"dt from {finest:.3g} to {whole:.4g}, each twice the one before; the last are the gates of the start",
        found=f"with ReLU's gates every {least:.2g} K²τ the loss stays within {100 * FOLLOWS:g} %" if lead else "",
        otherwise=f"even ReLU's gates every {OFTEN:g} K²τ do not keep the loss within {100 * FOLLOWS:g} %" if lead else "",
    )


def _fresh(record: xr.Dataset) -> Verdict:
    off = record.path_distance.isel(dt=0)
    own = float(off.sel(gates=OWN).median("seed").max())
    return Verdict.each(
        "a gated linear network whose gates are refreshed at the shortest dt has the fields of ReLU all the way",
        _rows(off.sel(gates=GIVEN), _near("largest distance on the way, over the length of the final fields,")),
        kind="control",
        note=f"dt = {float(record.dt[0]):.3g} K² tau; with {OWN} gates at most {own:.3g}",
    )


def _b_first(record: xr.Dataset) -> Verdict:
    b, w = (settling_time(record, f"{name}_path") for name in ("b_end", "position"))
    first = float(record.time[1])
    lead = xr.apply_ufunc(np.log, w.clip(min=first) / b.clip(min=first))
    return Verdict.each(
        "b(t) = f(w(t))/2, the mean input behind the gates, settles before the field w(t) does",
        _rows(lead, _lead("mean logarithm of the ratio of both times")),
        source="note 002, section 5.2: gates stabilize early on",
        note=f"settled: the cosine with the end is {KNOWN} or more for good; error: 95 % interval over seeds",
    )


def _growth(record: xr.Dataset) -> Verdict:
    position, frequency = (uniformity(record, name) for name in ("position", "frequency"))
    return Verdict.each(
        "growth is more uniform in frequency space than in position space, beyond what the spectra of any two fields share",
        _rows(frequency - position, _lead("likeness of |FFT w(t)| with its end less that of w(t), both beyond chance,")),
        kind="claim",
        source="note 002, section 4.1",
        note="beyond chance: 0 as like as the end of another seed, 1 the same; raw moduli are always more alike, as "
        "|<w, v>| ≤ <|FFT w|, |FFT v|>/n",
        more_found=start_words(record),
        more_otherwise=start_words(record),
    )


def near_three(record: xr.Dataset) -> float:
    """The gain nearest to 3."""
    gains = record.gain.values
    return float(gains[int(np.argmin(np.abs(np.minimum(gains, 100.0) - 3)))])


def start_likeness(record: xr.Dataset) -> tuple[float, float]:
    """The cosine of |FFT w| at the start with its end and with that of another seed, at the first K, the gain next to 3."""
    one = record.isel(units=0, mark=0).sel(gain=near_three(record))
    return float(one.frequency_path.median("seed")), float(one.frequency_chance_path.mean("seed"))


def start_words(record: xr.Dataset) -> str:
    """What the second figure finds."""
    own, other = start_likeness(record)
    gain = gain_text(near_three(record))
    if abs(own - other) < ALIKE:
        return f"at gain {gain} |FFT w| starts as near to another seed's end (cosine {other:.2f}) as to its own ({own:.2f})"
    which = "nearer to" if own > other else "further from"
    return f"at gain {gain} |FFT w| starts {which} its own end (cosine {own:.2f}) than another seed's ({other:.2f})"


def _trained(record: xr.Dataset) -> Verdict:
    return Verdict.each(
        "a gated linear network trained by SGD behind gates that are refreshed follows the exact solution",
        _rows(record.trained_distance, _near("relative distance of the final fields")),
        kind="control",
        note=f"{record.attrs['pieces']} refreshments",
    )


def _finite(half: float) -> float:
    return float(half) if not math.isnan(half) else math.inf
