"""What the record of `drift-fields` says of each claim."""

from typing import Any

import numpy as np
import xarray as xr
from scipy import stats

from gatefield.experiments.nearly_gaussian import GAUSSIAN
from gatefield.experiments.needs import Need, exactly, holding, lacking
from gatefield.lab import Verdict
from gatefield.plot import gain_text

WORST = 4.5
"""The largest deviation in standard errors that chance is granted, over some thousands of comparisons."""
ROUNDING = 1e-6
"""Drifts are sums in float32, some of which have no error of sampling."""
ROOM = 0.005
"""How far the closure's error may be from the earlier table, whose noise is 0.001 to 0.0035."""
NAMED = {
    "site": ("site", 0),
    "bump 1.5": ("bump", 1.5),
    "bump 4": ("bump", 4),
    "Gabor 5": ("Gabor", 5),
    "cos 3": ("sinusoid", 3),
    "flat": ("sinusoid", 0),
}
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
"""Earlier errors of the closure by gain and field for `SCALES` on `SITES` sites, from 4 million samples each."""
LOWEST = 0.01
"""A gain at which data are as good as Gaussian."""
SITES, SCALES = 40, (1.0, 2.0, 5.0)


def verdicts(record: xr.Dataset) -> list[Verdict]:
    tables = [part for gain in TABLE for part in _table(record, gain)]
    return [_site(record), _small(record), _gaussian(record), *tables, _worst(record), _gabors(record), _passed(record)]


def _untabled(record: xr.Dataset, gain: float) -> str:
    """Why there are no earlier errors at this gain, if there are none."""
    setting = exactly("n", SITES, record.attrs["n"]), exactly("xis", SCALES, tuple(record.xi.values.tolist()))
    return lacking(*setting, holding("gains", [gain], record.gain.values))


def bandwidth(n: int, xi: Any) -> Any:
    """The frequency k_c, in cycles per ring, of a spectrum exp(-k²/2k_c²): that of the correlation exp(-d²/xi²)."""
    return n / (np.sqrt(2) * np.pi * np.asarray(xi))


def site(record: xr.Dataset) -> xr.Dataset:
    """The field of one site."""
    return record.isel(field=int(np.flatnonzero(record.kind == "site")[0]))


def _no_deviation(claim: str, off: xr.DataArray, error: xr.DataArray, note: str, **words: Any) -> Verdict:
    """The largest difference in standard errors, and in rounding errors where sampling makes none."""
    worst = float((abs(off) / np.maximum(error, ROUNDING)).max())
    note = f"{off.size} comparisons{note}"
    return Verdict.below(claim, WORST, worst, predicted=0.0, of="largest deviation in standard errors", note=note, **words)


def _site(record: xr.Dataset) -> Verdict:
    one = site(record)
    claim = "the sampled drift of the gate of one site is the closed form arcsin(√κ ρ)/(π Z)"
    note = f": all gains, length scales and sites; {record.attrs['samples']:,} samples"
    return _no_deviation(claim, one.sampled - one.site_exact, one.error, note, source="note 002, equation 74, corrected")


def _small(record: xr.Dataset) -> Verdict:
    errors = record.small_closure_error
    worst = record.small_kind.values[int(errors.max("xi").values.argmax())]
    claim = f"signs on {record.sizes['small_position']} sites: the sampled drift is the sum over all corners of the cube"
    note = f"; the closure is off by {float(errors.median()):.3f} at the median, at most by {float(errors.max()):.3f} ({worst})"
    off = record.small_sampled - record.small_exact
    return _no_deviation(claim, off, record.small_sampling_error, note, kind="control")


def _gaussian(record: xr.Dataset) -> Verdict:
    one, gains = record.isel(gain=0), record.gain.values.tolist()
    claim = f"the closure is exact at gain {gain_text(min(gains[0], LOWEST))}"
    if gains[0] > GAUSSIAN:
        need = Need(f"a gain up to {GAUSSIAN:g}", f"{gains[0]:g}", {"gains": [LOWEST, *gains]})
        return Verdict.not_judged(claim, lacking(need))
    note = f"; relative error at most {float(one.closure_error.max()):.4f}, noise {float(one.noise.max()):.4f}"
    return _no_deviation(claim, one.sampled - one.closure, one.error, note)


def _named(one: xr.Dataset) -> xr.Dataset:
    """The fields of the table, (field, xi), in its order."""
    at = [int(np.flatnonzero((one.kind == kind) & (one.value == value))[0]) for kind, value in NAMED.values()]
    return one.isel(field=at).transpose("field", "xi", ...)


def _table(record: xr.Dataset, gain: float) -> list[Verdict]:
    """The earlier errors of the closure: of named fields each, of a random one within the spread of many."""
    where = f"gain {gain_text(gain)}"
    claims = (
        f"{where}: the closure's errors for named fields are those found before",
        f"{where}: the earlier random field is among the spread of random fields",
    )
    if why := _untabled(record, gain):
        return [Verdict.not_judged(claim, why, kind="regression") for claim in claims]
    one = record.sel(gain=gain)
    rows, found = TABLE[gain], _named(one)
    before, error, noise = np.array([rows[name] for name in NAMED]), found.closure_error.values, found.noise.values
    worst = np.unravel_index(np.argmax(np.abs(error - before) - 2 * noise), before.shape)
    many = one.isel(field=one.kind.values == "random").closure_error
    low, high, lone = many.min("field").values, many.max("field").values, np.array(rows["random"])
    medians = ", ".join(f"{value:.3f}" for value in many.median("field").values)
    return [
        Verdict.within(
            claims[0],
            before[worst],
            error[worst],
            atol=ROOM + 2 * noise[worst],
            of=f"of {before.size} cells the one furthest off, {list(NAMED)[worst[0]]} at ξ = {one.xi.values[worst[1]]:g},",
            kind="regression",
            note=f"{ROOM} and twice the noise of sampling are granted. Random fields: medians {medians}",
        ),
        Verdict.equals(
            claims[1],
            float(lone.size),
            float(((lone >= low - ROOM) & (lone <= high + ROOM)).sum()),
            of=f"length scales at which it is, up to {ROOM},",
            kind="regression",
            note=f"{many.sizes['field']} random fields, from {low.round(3).tolist()} to {high.round(3).tolist()}, before "
            f"{lone.tolist()}",
        ),
    ]


def _worst(record: xr.Dataset) -> Verdict:
    claim = "gain 100: the worst of the named fields is the Gabor of 5 cycles at ξ = 5, with an error of 0.555"
    if why := _untabled(record, 100.0):
        return Verdict.not_judged(claim, why, kind="regression")
    one = record.sel(gain=100.0)
    cells = _named(one).closure_error.values
    value = float(cells[list(NAMED).index("Gabor 5"), -1])
    return Verdict.within(
        claim,
        0.555,
        value,
        atol=0.01,
        kind="regression",
        note=f"of all {one.sizes['field']} fields here the largest error is {float(one.closure_error.max()):.3f}",
    ).and_above(float(cells.max()), value, or_equal=True, of="the largest of all named ones:")


def _rank(a: xr.DataArray, b: xr.DataArray) -> float:
    """Spearman's rank correlation over all cells."""
    first, second = (stats.rankdata(v.transpose("xi", "field").values) for v in (a, b))
    return float(np.corrcoef(first, second)[0, 1])


def _gabors(record: xr.Dataset) -> Verdict:
    """Whether Gabors fare worse the further they lie above the bandwidth."""
    one = record.isel(gain=-1, field=record.kind.values == "Gabor")
    ratio = one.value / xr.DataArray(bandwidth(record.attrs["n"], one.xi.values), dims="xi")
    low, high = (float(one.closure_error.where(part).median()) for part in (ratio <= 1, ratio >= 2))
    return Verdict.above(
        f"gain {gain_text(float(one.gain))}: the closure fails the more for Gabors, the further they lie above the bandwidth",
        0.8,
        _rank(ratio, one.closure_error),
        predicted=1.0,
        of="rank correlation of error and frequency/bandwidth",
        note=f"median error below the bandwidth {low:.3f}, above twice the bandwidth {high:.3f}",
    )


def _passed(record: xr.Dataset) -> Verdict:
    """The same for fields of all kinds, by the power that the data leave of them."""
    one = record.isel(gain=-1)
    by_kind = ", ".join(
        f"{kind} {float(one.closure_error.isel(field=one.kind.values == kind).median()):.3f}"
        for kind in dict.fromkeys(one.kind.values)
    )
    return Verdict.below(
        f"gain {gain_text(float(one.gain))}: the less power the data leave of a field, the worse the closure",
        -0.5,
        _rank(one.passed, one.closure_error),
        predicted=-1.0,
        of="rank correlation of error and w'Cw/(λ_max w'w)",
        note=f"all kinds and length scales; median errors: {by_kind}",
    )
