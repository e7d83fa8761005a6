"""What the record of `drift-fields` says of each claim."""

from typing import Any

import numpy as np
import xarray as xr
from scipy import stats

from gatefield.core.intervals import largest_by_chance
from gatefield.experiments.nearly_gaussian import GAUSSIAN
from gatefield.lab import Verdict
from gatefield.lab.needs import Need, exactly, holding, lacking
from gatefield.plot import gain_text

CHANCE = 0.01
"""How often chance alone may take the largest of many deviations beyond its bound."""
CLEAR = 0.1
"""A sampled drift tells of a formula if its noise is below this part of its length."""
TWICE = 2.0
"""Gabors of so many times the bandwidth are far above it."""
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
    return [_gabors(record), _passed(record), _site(record), _small(record), _gaussian(record), *_before(record)]


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


def _no_deviation(claim: str, off: Any, error: Any, note: str, **words: Any) -> Verdict:
    """The largest difference in standard errors, and in rounding errors where sampling makes none.

    Of m normal deviations the largest is beyond the bound with a chance of at most `CHANCE`, however they go together.
    """
    off, error = (np.ravel(part) for part in (off, error))
    worst = float((np.abs(off) / np.maximum(error, ROUNDING)).max())
    bound = largest_by_chance(off.size, CHANCE)
    note = f"{off.size} comparisons{note}; chance alone exceeds the bound in {100 * CHANCE:g} % of runs"
    return Verdict.below(claim, bound, worst, of="largest deviation in standard errors", note=note, **words)


def _site(record: xr.Dataset) -> Verdict:
    one, total = site(record), f"{record.attrs['samples']:,} samples"
    return _no_deviation(
        "the sampled drift of the gate of one site is the closed form arcsin(√κ ρ)/(π Z)",
        one.sampled - one.site_exact,
        one.error,
        f": all gains, length scales and sites; {total}",
        source="note 002, equation 74, corrected",
    )


def _small(record: xr.Dataset) -> Verdict:
    errors = record.small_closure_error
    worst = record.small_kind.values[int(errors.max("xi").values.argmax())]
    claim = f"the sampled drift of signs on {record.sizes['small_position']} sites is the sum over all corners of the cube"
    note = f"; the closure is off by {float(errors.median()):.3f} at the median, at most by {float(errors.max()):.3f} ({worst})"
    off = record.small_sampled - record.small_exact
    return _no_deviation(claim, off, record.small_sampling_error, note, kind="control")


def _gaussian(record: xr.Dataset) -> Verdict:
    """Of the fields whose drift can be told from the noise of sampling."""
    one, gains = record.isel(gain=0), record.gain.values.tolist()
    claim = f"on nearly Gaussian data (gain {gain_text(min(gains[0], LOWEST))}) the closure is the drift"
    if gains[0] > GAUSSIAN:
        need = Need(f"a gain up to {GAUSSIAN:g}", f"{gains[0]:g}", {"gains": [LOWEST, *gains]})
        return Verdict.not_judged(claim, lacking(need))
    clear = (one.noise < CLEAR).transpose("xi", "field").values
    if not clear.any():
        more = {"samples": 100 * record.attrs["samples"]}
        need = Need(f"a drift with noise below {CLEAR:g} of it", f"{float(one.noise.min()):.2g}", more)
        return Verdict.not_judged(claim, lacking(need))
    off, error = ((part.transpose("xi", "field", ...).values)[clear] for part in (one.sampled - one.closure, one.error))
    note = f" of the {clear.sum()} of {clear.size} drifts whose noise is below {CLEAR:g} of them"
    return _no_deviation(claim, off, error, note)


def _named(one: xr.Dataset) -> xr.Dataset:
    """The fields of the table, (field, xi), in its order."""
    at = [int(np.flatnonzero((one.kind == kind) & (one.value == value))[0]) for kind, value in NAMED.values()]
    return one.isel(field=at).transpose("field", "xi", ...)


def _before(record: xr.Dataset) -> list[Verdict]:
    """The earlier errors of the closure: of named fields each, of a random one within the spread of many."""
    named = {f"gain {gain_text(gain)}": _as_before(record, gain) for gain in TABLE}
    lone = {f"gain {gain_text(gain)}": _among(record, gain) for gain in TABLE}
    return [
        Verdict.each(
            "the closure's errors for one site, two bumps, a Gabor and two sinusoids are those found before",
            named,
            kind="regression",
            note=f"at each gain the cell furthest off; {ROOM} and twice the noise of sampling are granted",
        ),
        Verdict.each(
            "the closure's error for the random field tried before is among those of the random fields here",
            lone,
            kind="regression",
            note=f"up to {ROOM}",
        ),
    ]


def _as_before(record: xr.Dataset, gain: float) -> Verdict:
    if why := _untabled(record, gain):
        return Verdict.not_judged("", why)
    found = _named(record.sel(gain=gain))
    before, error, noise = np.array([TABLE[gain][name] for name in NAMED]), found.closure_error.values, found.noise.values
    worst = np.unravel_index(np.argmax(np.abs(error - before) - 2 * noise), before.shape)
    cell = f"{list(NAMED)[worst[0]]} at ξ = {found.xi.values[worst[1]]:g}"
    return Verdict.within("", before[worst], error[worst], atol=ROOM + 2 * noise[worst], of=f"error for {cell},")


def _among(record: xr.Dataset, gain: float) -> Verdict:
    if why := _untabled(record, gain):
        return Verdict.not_judged("", why)
    many = record.sel(gain=gain).isel(field=record.kind.values == "random").closure_error
    low, high, lone = many.min("field").values, many.max("field").values, np.array(TABLE[gain]["random"])
    inside = (lone >= low - ROOM) & (lone <= high + ROOM)
    return Verdict.equals("", float(lone.size), float(inside.sum()), of="length scales at which it is:")


def _rank(a: xr.DataArray, b: xr.DataArray) -> float:
    """Spearman's rank correlation over all cells."""
    first, second = (stats.rankdata(v.transpose("xi", "field").values) for v in (a, b))
    return float(np.corrcoef(first, second)[0, 1])


def _gabors(record: xr.Dataset) -> Verdict:
    """Whether Gabors fare worse the further they lie above the bandwidth."""
    one = record.isel(gain=-1, field=record.kind.values == "Gabor")
    ratio = one.value / xr.DataArray(bandwidth(record.attrs["n"], one.xi.values), dims="xi")
    parts = {"below it": ratio <= 1, "above twice of it": ratio >= TWICE}
    errors = ", ".join(f"{float(one.closure_error.where(part).median()):.2f} {at}" for at, part in parts.items() if part.any())
    said = _said(record.isel(gain=-1))
    return Verdict.above(
        f"at gain {gain_text(float(one.gain))} the closure fails the more for a Gabor, the higher its frequency lies above the "
        "bandwidth of the data",
        0.8,
        _rank(ratio, one.closure_error),
        of="rank correlation of error and frequency/bandwidth",
        note=f"median error by frequency and bandwidth: {errors}",
        found=f"{said}: the more, the faster they are",
        otherwise=f"{said}; frequency alone does not decide",
        **_other_gains(record),
    )


def by_kind(one: xr.Dataset) -> dict[str, float]:
    """The median error of each kind of fields, over its fields and all length scales."""
    kinds = dict.fromkeys(one.kind.values.tolist())
    return {kind: float(one.closure_error.isel(field=one.kind.values == kind).median()) for kind in kinds}


def fast(one: xr.Dataset) -> xr.DataArray:
    """Which of the fields are Gabors that oscillate far faster than the data; of all length scales, or of one."""
    ratio = one.value / one.xi.copy(data=bandwidth(one.attrs["n"], one.xi.values))
    return (one.kind == "Gabor") & (ratio >= TWICE)


def _said(one: xr.Dataset) -> str:
    """By how much the closure is off: medians of each kind, and of the Gabors that oscillate far faster than the data."""
    errors = by_kind(one).values()
    span = f"{100 * min(errors):.0f} to {100 * max(errors):.0f} % (medians by kind)"
    text = f"at gain {gain_text(float(one.gain))} the closure errs by {span}"
    if not fast(one).any():
        return f"{text} of the drift"
    far = 100 * float(one.closure_error.where(fast(one)).median())
    return f"{text}, by {far:.0f} % for Gabors above twice the data's bandwidth"


def _other_gains(record: xr.Dataset) -> dict[str, Any]:
    """What the second figure shows: Gabors of the longest range by gain."""
    far, gains = record.isel(xi=-1), [gain for gain in record.gain.values.tolist() if gain > GAUSSIAN]
    if len(gains) < 2 or not fast(far).any():
        return {}
    low, high = (100 * float(far.closure_error.sel(gain=gain).where(fast(far)).median()) for gain in (gains[0], gains[-1]))
    said = f"for Gabors above twice the data's bandwidth the closure errs by {low:.2g} % at gain {gain_text(gains[0])}, "
    said += f"{high:.2g} % at gain {gain_text(gains[-1])} (medians at ξ = {float(far.xi):g})"
    return {"more_found": said, "more_otherwise": said}


def _passed(record: xr.Dataset) -> Verdict:
    """The same for fields of all kinds, by the power that the data leave of them."""
    one = record.isel(gain=-1)
    errors = ", ".join(f"{kind} {error:.3f}" for kind, error in by_kind(one).items())
    return Verdict.below(
        f"at gain {gain_text(float(one.gain))} the closure fails the more, the less power of a field the data leave",
        -0.5,
        _rank(one.passed, one.closure_error),
        of="rank correlation of error and w'Cw/(λ_max w'w)",
        note=f"all kinds and length scales; median errors: {errors}",
    )
