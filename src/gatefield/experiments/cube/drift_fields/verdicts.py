"""What the record of `drift-fields` says of each claim."""

import numpy as np
import xarray as xr
from scipy import stats

from gatefield.lab.verdict import Verdict
from gatefield.plot import gain_text

WORST = 4.5
"""The largest deviation in standard errors that chance is granted, over some thousands of comparisons."""
ROUNDING = 1e-6
ROOM = 0.005
"""How far the closure's error may be from the earlier table, whose noise is 0.001 to 0.0035."""
NAMED = {
    "site": ("site", 0),
    "bump 1.5": ("bump", 1.5),
    "bump 4": ("bump", 4),
    "Gabor 5": ("Gabor", 5),
    "cos 3": ("sinusoid", 3),
}
NAMED["flat"] = ("sinusoid", 0)
TABLE = {
    1.0: {
        "random": (0.019, 0.040, 0.080),
        "site": (0.009, 0.039, 0.038),
        "bump 1.5": (0.068, 0.076, 0.050),
        "bump 4": (0.029, 0.054, 0.076),
        "Gabor 5": (0.061, 0.125, 0.272),
        "cos 3": (0.011, 0.019, 0.020),
        "flat": (0.008, 0.015, 0.037),
    },
    3.0: {
        "random": (0.023, 0.047, 0.119),
        "site": (0.039, 0.031, 0.058),
        "bump 1.5": (0.101, 0.128, 0.083),
        "bump 4": (0.036, 0.069, 0.125),
        "Gabor 5": (0.086, 0.228, 0.467),
        "cos 3": (0.013, 0.022, 0.032),
        "flat": (0.009, 0.018, 0.044),
    },
    100.0: {
        "random": (0.026, 0.044, 0.124),
        "site": (0.059, 0.078, 0.080),
        "bump 1.5": (0.108, 0.128, 0.113),
        "bump 4": (0.037, 0.068, 0.136),
        "Gabor 5": (0.103, 0.278, 0.555),
        "cos 3": (0.013, 0.022, 0.039),
        "flat": (0.013, 0.019, 0.043),
    },
}
"""Earlier errors of the closure by gain and field for length scales 1, 2 and 5 on 40 sites, from 4 million samples each."""


def verdicts(record: xr.Dataset) -> list[Verdict]:
    out = [_site(record), _small(record), _gaussian(record)]
    if record.attrs["n"] == 40 and tuple(record.xi.values) == (1.0, 2.0, 5.0):
        out += [part for gain in TABLE if gain in record.gain.values for part in _table(record.sel(gain=gain))]
        out += [_worst(record.sel(gain=100.0))] if 100.0 in record.gain.values else []
    return [*out, _gabors(record), _passed(record)]


def named(record: xr.Dataset, name: str) -> xr.Dataset:
    """The one field of that name."""
    kind, value = NAMED[name]
    return record.isel(field=int(np.flatnonzero((record.kind == kind) & (record.value == value))[0]))


def bandwidth(n: int, xi: np.ndarray) -> np.ndarray:
    """The frequency k_c, in cycles per ring, of a spectrum exp(-k²/2k_c²): that of the correlation exp(-d²/xi²)."""
    return n / (np.sqrt(2) * np.pi * np.asarray(xi))


def _deviation(off: xr.DataArray, error: xr.DataArray) -> float:
    """The largest difference in standard errors, and in rounding errors where sampling makes none."""
    return float((abs(off) / np.maximum(error, ROUNDING)).max())


def _site(record: xr.Dataset) -> Verdict:
    one = record.isel(field=int(np.flatnonzero(record.kind == "site")[0]))
    z = _deviation(one.sampled - one.site_exact, one.error)
    note = f"{one.sampled.size} comparisons: all gains, length scales and sites; {record.attrs['samples']:,} samples"
    claim = "the gate of one site: the sampled drift is the closed form arcsin(√κ ρ)/(π Z)"
    return Verdict.judged(claim, 0.0, z, f"largest deviation below {WORST} standard errors", z < WORST, note)


def _small(record: xr.Dataset) -> Verdict:
    off = record.small_sampled - record.small_exact
    z = _deviation(off, record.small_sampling_error)
    errors = record.small_closure_error
    worst = record.small_kind.values[int(errors.max("xi").values.argmax())]
    note = (
        f"{off.size} comparisons; the closure is there off by {float(errors.median()):.3f} at the median and at most by "
        f"{float(errors.max()):.3f} ({worst})"
    )
    claim = f"signs on {record.sizes['small_position']} sites: the sampled drift is the sum over all corners of the cube"
    return Verdict.judged(claim, 0.0, z, f"largest deviation below {WORST} standard errors", z < WORST, note)


def _gaussian(record: xr.Dataset) -> Verdict:
    one = record.isel(gain=0)
    z = _deviation(one.sampled - one.closure, one.error)
    far, noise = float(one.closure_error.max()), float(one.noise.max())
    note = f"{one.sampled.size} comparisons; relative error at most {far:.4f}, noise {noise:.4f}"
    claim = f"gain {gain_text(float(one.gain))}: the closure is exact"
    return Verdict.judged(claim, 0.0, z, f"largest deviation below {WORST} standard errors", z < WORST, note)


def _table(one: xr.Dataset) -> list[Verdict]:
    """The earlier errors of the closure: of named fields each, of a random one within the spread of many."""
    expected = {name: np.array(row) for name, row in TABLE[float(one.gain)].items()}
    found = {name: named(one, name) for name in NAMED}
    off = {name: abs(found[name].closure_error.values - expected[name]) - 2 * found[name].noise.values for name in NAMED}
    worst = max(off, key=lambda name: off[name].max())
    at = int(off[worst].argmax())
    many = one.isel(field=one.kind.values == "random").closure_error
    low, high = many.min("field").values - ROOM, many.max("field").values + ROOM
    inside = int(((expected["random"] >= low) & (expected["random"] <= high)).sum())
    where = f"gain {gain_text(float(one.gain))}"
    room = f"within {ROOM} and twice the noise of sampling"
    note = f"worst of 18 cells: {worst}, ξ = {one.xi.values[at]:g}. Random fields: medians " + ", ".join(
        f"{v:.3f}" for v in many.median("field").values
    )
    return [
        Verdict.judged(
            f"{where}: the closure's errors for named fields are those found before",
            float(expected[worst][at]),
            float(found[worst].closure_error[at]),
            f"all 18 {room}; the one furthest off is shown",
            float(off[worst].max()) <= ROOM,
            note,
        ),
        Verdict.judged(
            f"{where}: the earlier random field is among the spread of random fields",
            3.0,
            float(inside),
            f"at all three length scales, up to {ROOM}",
            inside == 3,
            f"{many.sizes['field']} random fields; from {many.min('field').values.round(3).tolist()} to "
            f"{many.max('field').values.round(3).tolist()}, before {expected['random'].tolist()}",
        ),
    ]


def _worst(one: xr.Dataset) -> Verdict:
    cells = {name: named(one, name).closure_error.values for name in NAMED}
    value = float(cells["Gabor 5"][-1])
    largest = value >= max(float(row.max()) for row in cells.values())
    return Verdict.judged(
        "gain 100: the worst of the named fields is the Gabor of 5 cycles at ξ = 5",
        0.555,
        value,
        "the largest of all, within 0.01",
        largest and abs(value - 0.555) < 0.01,
        f"of all {one.sizes['field']} fields here the largest error is {float(one.closure_error.max()):.3f}",
    )


def _rank(a: xr.DataArray, b: xr.DataArray) -> float:
    """Spearman's rank correlation over all cells."""
    first, second = (stats.rankdata(v.transpose("xi", "field").values) for v in (a, b))
    return float(np.corrcoef(first, second)[0, 1])


def _gabors(record: xr.Dataset) -> Verdict:
    """Whether Gabors fare worse the further they lie above the bandwidth."""
    one = record.isel(gain=-1, field=record.kind.values == "Gabor")
    ratio = one.value / xr.DataArray(bandwidth(record.attrs["n"], one.xi.values), dims="xi")
    rank = _rank(ratio, one.closure_error)
    low, high = (float(one.closure_error.where(part).median()) for part in (ratio <= 1, ratio >= 2))
    note = f"median error below the bandwidth {low:.3f}, above twice the bandwidth {high:.3f}"
    claim = f"gain {gain_text(float(one.gain))}: Gabors fare worse the further they lie above the bandwidth of the data"
    return Verdict.judged(claim, 1.0, rank, "rank correlation of error and frequency/bandwidth above 0.8", rank > 0.8, note)


def _passed(record: xr.Dataset) -> Verdict:
    """The same for fields of all kinds, by the power that the data leave of them."""
    one = record.isel(gain=-1)
    rank = _rank(one.passed, one.closure_error)
    by_kind = ", ".join(
        f"{kind} {float(one.closure_error.isel(field=one.kind.values == kind).median()):.3f}"
        for kind in dict.fromkeys(one.kind.values)
    )
    claim = (
        f"gain {gain_text(float(one.gain))}: over all fields, the less power the data leave of a field, the worse the closure"
    )
    note = f"w'Cw/(λ_max w'w), all kinds and length scales; median errors: {by_kind}"
    return Verdict.judged(claim, -1.0, rank, "rank correlation below -0.5", rank < -0.5, note)
