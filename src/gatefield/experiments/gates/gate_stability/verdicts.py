"""What the record of `gate-stability` says."""

import numpy as np
import xarray as xr
from scipy import stats

from gatefield.core.intervals import proportion, share, standard_error
from gatefield.experiments.gates.gate_stability.paths import SETTLED, halfway, halfway_time, localized, settling, settling_times
from gatefield.lab import Verdict
from gatefield.lab.needs import Need, command_line, lacking, unjudged
from gatefield.measures import cosine
from gatefield.plot import gain_text
from gatefield.theory import nlgp

NOTE = "note 002, section 4.1"
NOTES_RATE, LOWEST = 0.01, 0.01
"""The note's learning rate and its lowest gain."""
GAUSSIAN = 0.1
"""Up to this gain data are compared with Gaussian ones of the same covariances."""
SEEN = 10
"""Exact and sampled probabilities are compared where at least so many flips are expected in the sample."""
TWO_ERRORS, NEARLY = 0.954, 0.93
"""The share that lies within two standard errors by chance; a little less is allowed, for all intervals share one sample."""
RARE = 0.01
"""A very small fraction of the data is taken to mean one in a hundred."""
CONVERGED = 0.05
"""A training has converged if less than this share of the loss it can shed is left."""
ALIKE = 0.9
"""It must also have a median cosine of its fields with those of the longest training of at least this."""
ENOUGH, LEVEL = 10, 0.05
"""Localized units and the others are compared if there are at least so many of each, by a test at that level."""
MOST = 0.9
"""The least share of units that must do what is said of all."""
ERRORS = 2
"""Standard errors that a measured number may be off by chance."""


def verdicts(record: xr.Dataset) -> list[Verdict]:
    spread = _spread(record.isel(gain=-1, rate=-1))
    return [
        _exact(record),
        _rare(record),
        _fewer(record),
        _convergence(record),
        *unjudged(spread, _freezing(record)),
        _kinds(record),
        *unjudged(spread, _kurtosis(record)),
        _mixture(record),
    ]


def _gain(one: xr.Dataset) -> str:
    return f"gain {gain_text(float(one.gain))}"


def _place(rate: float, gain: float) -> str:
    return f"rate {rate:g}, gain {gain_text(gain)}"


def _exact(record: xr.Dataset) -> Verdict:
    """Sampled against exact stability where the data are nearly Gaussian."""
    claim = f"up to gain {GAUSSIAN:g} the sampled probability p(t) that a gate stays as it is agrees with the exact one"
    source = "note 002, equation 45"
    near = record.isel(gain=record.gain.values <= GAUSSIAN)
    exact, total = near.gaussian_stability.values, 2 * record.attrs["samples"]
    seen = total * (1 - exact) >= SEEN
    if why := _unseen(record, total * (1 - exact)):
        return Verdict.not_judged(claim, why, source=source)
    off = near.stability.values - exact
    z = off[seen] / np.sqrt((exact * (1 - exact))[seen] / total)
    return Verdict.above(
        claim,
        NEARLY,
        (np.abs(z) < 2).mean(),
        predicted=TWO_ERRORS,
        or_equal=True,
        of="share within two standard errors",
        source=source,
        note=f"over {seen.sum()} intervals and units with at least {SEEN} expected flips; exact on Gaussian data of the same "
        f"covariances; largest difference {np.abs(off).max():.2g}",
    )


def _unseen(record: xr.Dataset, flips: np.ndarray) -> str:
    """Why sampled and exact probabilities are not compared, if there is no place for it."""
    if record.gain[0] > GAUSSIAN:
        return _squashed(record)
    most, samples = float(flips.max()), record.attrs["samples"]
    more = {"samples": int(np.ceil(samples * SEEN / max(most, 1.0)))}
    words = f"{SEEN} flips to be expected in the sample, at one interval"
    return "" if most >= SEEN else lacking(Need(words, f"at most {most:.2g}", more))


def _squashed(record: xr.Dataset) -> str:
    """Why nothing is said of nearly Gaussian data, if there are none."""
    gains = record.gain.values.tolist()
    more = {"gains": [LOWEST, *gains]}
    return lacking(Need(f"a gain up to {GAUSSIAN:g}", f"{gains[0]:g}", more)) if gains[0] > GAUSSIAN else ""


def _spread(one: xr.Dataset) -> str:
    """Why nothing is said of localized units, if there is none."""
    settings = command_line(gains=[LOWEST, 3.0], learning_rates=[0.01, 0.12, 2.4], steps=5000)
    return "" if localized(one).any() else f"no unit is localized at the end; run with {settings}"


def _rare(record: xr.Dataset) -> Verdict:
    """What the note says of figure 3, at its learning rate; p as the mean over units and seeds."""
    top, rate = record.isel(gain=-1, rate=-1), float(record.rate[0])
    most = float(1 - record.stability.isel(rate=0).mean(("unit", "seed")).min())
    total = float((1 - top.stability).sum("interval").mean())
    net = float(1 - top.likeness.isel(mark=0).mean())
    return Verdict.below(
        f"at the learning rate {rate:g} gates flip at any one time for a very small fraction of the data (one in a hundred)",
        RARE,
        most,
        or_equal=True,
        of="largest share of inputs whose gate flips from one record to the next",
        kind="claim",
        source=NOTE,
        note=f"flips add up: {total:.2f} per input in all for a net change of {net:.2f}, at "
        f"{_place(float(top.rate), float(top.gain))}",
    )


def _fewer(record: xr.Dataset) -> Verdict:
    p = record.stability.mean("unit")
    tenth = max(1, p.sizes["interval"] // 10)
    first, last = (1 - p.isel(interval=part).mean("interval") for part in (slice(tenth), slice(-tenth, None)))
    rows = {}
    for rate in record.rate.values:
        for gain in record.gain.values:
            before, after = (x.sel(rate=rate, gain=gain).values for x in (first, last))
            ratio = after.mean() / before.mean() if before.mean() > 0 else 1.0
            rows[_place(rate, gain)] = Verdict.below(
                "", 1.0, ratio, of="last tenth over first", error=_ratio_error(before, after)
            )
    return Verdict.each(
        "gates flip less often in the last tenth of a training than in its first tenth",
        rows,
        kind="claim",
        source=NOTE,
        note=f"error: {ERRORS} standard errors over seeds" if record.sizes["seed"] > 1 else "one seed: no error is known",
    )


def _ratio_error(before: np.ndarray, after: np.ndarray) -> float:
    """Of the ratio of two means over the same seeds, to first order."""
    if len(before) < 2 or before.mean() <= 0:
        return 0.0
    off = (after - before * after.mean() / before.mean()) / before.mean()
    return ERRORS * standard_error(off)


def _convergence(record: xr.Dataset) -> Verdict:
    """How much of the loss that the longest training sheds is left to the others, and how far their fields are off."""
    longest, steps = float(record.rate[-1]), int(record.step[-1])
    claim = (
        f"a committee trained for {steps} steps at a learning rate below {longest:g} ends with the loss and fields of that rate"
    )
    if record.sizes["rate"] < 2:
        more = {"learning_rates": [longest, 12 * longest, 240 * longest]}
        claim = f"{steps} steps at the learning rate {longest:g} end with the loss and the fields of a longer training"
        return Verdict.not_judged(claim, lacking(Need("a longer training beside it", "none", more)))
    loss, tail = record.loss.mean("seed"), slice(-max(1, record.sizes["step"] // 20), None)
    ends, fields = loss.isel(step=tail).mean("step"), record.final
    left = (ends - ends.isel(rate=-1)) / (loss.isel(step=0) - ends.isel(rate=-1))
    alike = cosine(fields, fields.isel(rate=-1)).median(("unit", "seed"))
    rows = {
        _place(rate, gain): Verdict.below(
            "", CONVERGED, left.sel(rate=rate, gain=gain), predicted=0.0, of="share of the loss yet to be shed"
        ).and_above(ALIKE, alike.sel(rate=rate, gain=gain), or_equal=True, of="median cosine of final fields")
        for rate in record.rate.values[:-1]
        for gain in record.gain.values
    }
    note = f"the note's rate is {NOTES_RATE:g}; fields may still move when the loss hardly does"
    return Verdict.each(claim, rows, note=note)


def _freezing(record: xr.Dataset) -> Verdict:
    """At the highest gain and rate: what comes first, the final gate or the final shape?"""
    one = record.isel(gain=-1, rate=-1)
    (gate, field), (gate_time, field_time), counted = settling(one), settling_times(one), localized(one)
    total, early = int(counted.sum()), int(((gate < field) & counted).sum())
    found = proportion(early, total)
    half = int(((halfway(one) < field) & counted).sum())
    words = (
        f"in {half} of {total} units that localize at {_gain(one)} the gate is half-way before its field; in {early or 'none'} "
    )
    words = f"{words}is it as at the end ({100 * SETTLED:g} % of inputs) by then"
    return Verdict.above(
        f"at {_gain(one)} the gate of a unit that localizes settles before its field does",
        0.5,
        found.mean,
        of="share of localized units whose gate settles first",
        error=found.high - found.mean if found.mean < 0.5 else found.mean - found.low,
        kind="claim",
        source="note 002, section 5.2: gates stabilize early on",
        note=f"{total} of {counted.size} units localize; gate: as at the end for {SETTLED:g} of inputs, field: IPR half-way "
        f"up, both for good; medians {gate_time:,.0f} and {field_time:,.0f} τ; half-way by both, medians "
        f"{halfway_time(one):.4g} and {field_time:.4g} τ; error: Wilson's 95 % interval over units",
        found=words,
        otherwise=words,
    )


def _kinds(record: xr.Dataset) -> Verdict:
    """Do localized units flip more or less than the others? At the longest training that has enough of each."""
    found, claim = [], f"at {_gain(record.isel(gain=-1))} units that localize and units that do not flip equally often"
    for r in reversed(range(record.sizes["rate"])):
        one = record.isel(gain=-1, rate=r)
        flips, is_local = (1 - one.stability).sum("interval").values.ravel(), localized(one).values.ravel()
        local, other = flips[is_local], flips[~is_local]
        found.append((min(len(local), len(other)), f"{len(local)} and {len(other)} at the rate {float(one.rate):g}"))
        if min(len(local), len(other)) >= ENOUGH:
            return Verdict.test(
                claim,
                np.median(other),
                np.median(local),
                float(stats.mannwhitneyu(local, other).pvalue),
                level=LEVEL,
                by="Mann-Whitney test",
                note=f"median flips per input over the training: predicted from {len(other)} units that did not localize, "
                f"measured on {len(local)} that did, at a rate of {float(one.rate):g}",
            )
    few, has = max(found)
    more = {"seeds": record.sizes["seed"] * -(-ENOUGH // max(few, 1))}
    return Verdict.not_judged(claim, lacking(Need(f"{ENOUGH} localized units and {ENOUGH} others", has, more)))


def _kurtosis(record: xr.Dataset) -> Verdict:
    """At the highest gain and rate, within the positive class."""
    top = record.isel(gain=-1, rate=-1)
    first, last = (top.kurtosis.sel(inputs="positive").isel(mark=mark) for mark in (0, -1))
    counted, change = localized(top), last - first
    before, after = (float(x.where(counted).median()) if counted.any() else 0.0 for x in (first, last))
    words = _kurtosis_ends(record, counted)
    return Verdict.above(
        f"at {_gain(top)} the excess kurtosis of preactivations, within the positive class, falls as the field localizes",
        MOST,
        share(change < 0, counted).mean,
        predicted=1.0,
        or_equal=True,
        of="share of localized units in which it falls",
        note=f"median from {before:.2f} to {after:.2f}; a single site has {float(nlgp.excess_kurtosis(float(top.gain))):.2f}; "
        f"units that do not localize: median change {float(np.nan_to_num(change.where(~counted).median())):+.2f}",
        more_found=words,
        more_otherwise=words,
    )


def signed(value: float) -> str:
    """A number with its sign, as it is read.

    >>> signed(-0.871)
    '−0.87'
    """
    return f"{value:+.2f}".replace("-", "−")


def _kurtosis_ends(record: xr.Dataset, counted: xr.DataArray) -> str:
    """Of the median unit within the positive class, at first and at last, for the highest gain and the lowest."""
    each = record.kurtosis.sel(inputs="positive").isel(rate=-1)
    low, top = (" to ".join(signed(float(each.isel(gain=g, mark=mark).median())) for mark in (0, -1)) for g in (0, -1))
    there = f"at {_gain(record.isel(gain=-1))}, where {int(counted.sum())} of {counted.size} units localize"
    words = f"{there}, excess kurtosis within a class goes from {top}"
    return words if record.sizes["gain"] == 1 else f"{words}; at {_gain(record.isel(gain=0))}, from {low}"


def _mixture(record: xr.Dataset) -> Verdict:
    """Preactivations on nearly Gaussian data, within a class and over both."""
    low = record.isel(gain=0)
    claim = f"at gain {gain_text(float(min(low.gain, LOWEST)))} the preactivations within a class stay Gaussian in training"
    if why := _squashed(record):
        return Verdict.not_judged(claim, why, kind="control")
    both = low.kurtosis.sel(inputs="both").isel(rate=-1, mark=-1)
    return Verdict.below(
        claim,
        ERRORS * (24 / record.attrs["samples"]) ** 0.5,
        abs(low.kurtosis.sel(inputs=["positive", "negative"])).mean(),
        predicted=0.0,
        of=f"mean size of the excess kurtosis, beside {ERRORS} standard errors √(24/samples),",
        kind="control",
        note=f"over both classes it is {float(both.median()):.2f} at the end of the longest training, because they differ in "
        "variance: that of a mixture says nothing of localization",
    )
