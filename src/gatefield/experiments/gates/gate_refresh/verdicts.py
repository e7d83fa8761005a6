"""What the record of `gate-refresh` says of each claim."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import xarray as xr

from gatefield.core.intervals import mean_interval
from gatefield.experiments.gates.gate_refresh.simulate import GIVEN, OWN
from gatefield.experiments.needs import Need, lacking, undecided
from gatefield.lab import Verdict
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
EVOLVING, FIXED = "note 000, section 2.3", "note 000, section 2, and note 002, section 4.1"


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """Each claim, judged by the number of units and the gain that speak least for it; all numbers are in its note."""
    ran = float(record.time[-1])
    short = None if ran >= ENOUGH else Need(f"time of at least {ENOUGH:g} K² tau", f"{ran:g}", {"time": ENOUGH})
    claims = [_frozen(record), _often(record, "distance", GIVEN), _often(record, "loss_distance", GIVEN)]
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


def _frozen(record: xr.Dataset) -> Verdict:
    end = record.distance.sel(gates=GIVEN).isel(dt=-1)
    b = record.b_start_path.isel(mark=-1)
    return Verdict.below(
        "a gated linear network behind the gates of the start, never refreshed, ends with the fields of ReLU",
        FOLLOWS,
        end.median("seed").max(),
        of="largest median over seeds of the relative distance of the final fields",
        kind="claim",
        source=FIXED,
        note=f"distance: {_words(end)}. Cosine of the b of the start's gates with b(t) = f(w(t))/2 at the end: {_words(b)}",
    )


def _often(record: xr.Dataset, name: str, gates: str) -> Verdict:
    found, what = critical_dt(record, name, gates), "ends with the fields" if name == "distance" else "has the loss"
    other = critical_dt(record, name, OWN if gates == GIVEN else GIVEN)
    finest, whole = float(record.dt[0]), float(record.dt[-1])
    return Verdict.above(
        f"a gated linear network that gets {gates} gates anew once in {OFTEN:g} K² tau {what} of ReLU",
        OFTEN,
        found.median("seed").min(),
        or_equal=True,
        of=f"smallest median over seeds of the dt at which it is {FOLLOWS:.0%} off, in K² tau,",
        source=EVOLVING,
        note=f"dt: {_words(found)}; with {OWN if gates == GIVEN else GIVEN} gates {_words(other)}. Tried: {finest:.3g} to "
        f"{whole:.4g}, each twice the one before; the last are the gates of the start",
    )


def _fresh(record: xr.Dataset) -> Verdict:
    off = record.path_distance.isel(dt=0)
    return Verdict.below(
        "a gated linear network whose gates are refreshed at the shortest dt has the fields of ReLU all the way",
        FOLLOWS,
        off.sel(gates=GIVEN).median("seed").max(),
        of="largest median over seeds of the largest distance on the way, over the length of the final fields,",
        kind="control",
        note=f"dt = {float(record.dt[0]):.3g}: {_words(off.sel(gates=GIVEN))}; with {OWN} gates {_words(off.sel(gates=OWN))}",
    )


def _b_first(record: xr.Dataset) -> Verdict:
    b, w = (settling_time(record, f"{name}_path") for name in ("b_end", "position"))
    first = float(record.time[1])
    lead = xr.apply_ufunc(np.log, w.clip(min=first) / b.clip(min=first))
    cells = lead.stack(cell=("units", "gain")).transpose("cell", "seed").values
    found = [mean_interval(row) for row in cells]
    least = min(found, key=lambda one: one.low)
    return Verdict.above(
        "b(t) = f(w(t))/2 settles before the field w(t) does",
        0.0,
        least.mean,
        error=_finite(least.mean - least.low),
        of="mean over seeds of the logarithm of the ratio of both times, least over units and gains,",
        source="note 002, section 5.2: gates stabilize early on",
        note=f"time from which on the cosine with the end is {KNOWN} or more, in K² tau: b {_words(b)}; w {_words(w)}",
    )


def _growth(record: xr.Dataset) -> Verdict:
    position, frequency = (uniformity(record, name) for name in ("position", "frequency"))
    raw = [record[f"{name}_path"].where(_growing(record)).mean("mark") for name in ("frequency", "position")]
    cells = (frequency - position).stack(cell=("units", "gain")).transpose("cell", "seed").values
    least = min((mean_interval(row) for row in cells), key=lambda one: one.low)
    return Verdict.above(
        "growth is more uniform in frequency space than in position space, beyond what the spectra of any two fields share",
        0.0,
        least.mean,
        error=_finite(least.mean - least.low),
        of="likeness of |FFT w(t)| with its end less that of w(t), both beyond chance, least over units and gains,",
        kind="claim",
        source="note 002, section 4.1",
        note=f"beyond chance, 0 as like as the end of another seed and 1 the same: frequency {_words(frequency)}; position "
        f"{_words(position)}. As it is, it is never less in frequency space, for |<w, v>| <= <|FFT w|, |FFT v|>/n: frequency "
        f"{_words(raw[0])}; position {_words(raw[1])}",
    )


def _trained(record: xr.Dataset) -> Verdict:
    return Verdict.below(
        "a gated linear network trained by SGD behind gates that are refreshed follows the exact solution",
        FOLLOWS,
        record.trained_distance.median("seed").max(),
        of="largest median over seeds of the relative distance of the final fields",
        kind="control",
        note=f"{record.attrs['pieces']} refreshments: {_words(record.trained_distance)}",
    )


def _words(values: xr.DataArray) -> str:
    """Median and quartiles over seeds for each number of units and gain."""
    out = []
    for K in values.units.values:
        for gain in values.gain.values:
            low, middle, high = np.quantile(values.sel(units=K, gain=gain).values, [0.25, 0.5, 0.75])
            out.append(f"K = {K}, gain {gain_text(float(gain))}: {middle:.3g} ({low:.3g} to {high:.3g})")
    return ", ".join(out)


def _finite(half: float) -> float:
    return float(half) if not math.isnan(half) else math.inf
