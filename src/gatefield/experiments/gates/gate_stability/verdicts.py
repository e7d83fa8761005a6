"""What the record of `gate-stability` says."""

import numpy as np
import xarray as xr
from scipy import stats

from gatefield.core.intervals import share
from gatefield.experiments.gates.gate_stability.paths import SETTLED, localized, settling, settling_times
from gatefield.lab import Verdict
from gatefield.measures import cosine
from gatefield.plot import gain_text
from gatefield.theory import nlgp

NOTE = "note 002, section 4.1"
GAUSSIAN = 0.1
"""Up to this gain data are compared with Gaussian ones of the same covariances."""
SEEN = 10
"""Exact and sampled probabilities are compared where at least so many flips are expected in the sample."""
TWO_ERRORS, NEARLY = 0.954, 0.93
"""The share that lies within two standard errors by chance; a little less is allowed, for all intervals share one sample."""
RARE = 0.99
"""A very small fraction of the data is taken to mean one in a hundred."""
CONVERGED = 0.05
"""A training has converged if less than this share of the loss it can shed is left."""
ALIKE = 0.9
"""It must also have a median cosine of its fields with those of the longest training of at least this."""
ENOUGH, LEVEL = 10, 0.05
"""Localized units and the others are compared if there are at least so many of each, by a test at that level."""
MOST = 0.9
"""The least share of units that must do what is said of all."""
SMALL = 0.1
"""Excess kurtosis that counts as none; a sample of some thousand inputs gives a few hundredths by chance."""


def verdicts(record: xr.Dataset) -> list[Verdict]:
    parts = (_exact, _flips, _convergence, _freezing, _kinds, _kurtosis, _mixture)
    return [verdict for part in parts for verdict in part(record)]


def _gain(one: xr.Dataset) -> str:
    return f"gain {gain_text(float(one.gain))}"


def _exact(record: xr.Dataset) -> list[Verdict]:
    """Sampled against exact stability where the data are nearly Gaussian."""
    near = record.isel(gain=record.gain.values <= GAUSSIAN)
    exact, total = near.gaussian_stability.values, 2 * record.attrs["samples"]
    seen = total * (1 - exact) >= SEEN
    if not seen.any():
        return []
    off = near.stability.values - exact
    z = off[seen] / np.sqrt((exact * (1 - exact))[seen] / total)
    return [
        Verdict.above(
            "nearly Gaussian data: sampled and exact p(t) agree",
            NEARLY,
            (np.abs(z) < 2).mean(),
            expected=TWO_ERRORS,
            or_equal=True,
            of="share within two standard errors",
            source="note 002, equation 45",
            note=f"over {seen.sum()} intervals and units in which at least {SEEN} flips are expected; exact on Gaussian data "
            f"of the same covariances. Largest difference {np.abs(off).max():.2g}",
        )
    ]


def _flips(record: xr.Dataset) -> list[Verdict]:
    """What the note says of figure 3, at its learning rate; p as the mean over units and seeds."""
    p = record.stability.mean(("unit", "seed"))
    tenth = max(1, p.sizes["interval"] // 10)
    first, last = (1 - p.isel(interval=part).mean("interval") for part in (slice(tenth), slice(-tenth, None)))
    ratio = (last / first).fillna(1.0).max("gain")
    total = (1 - record.stability).sum("interval").mean(("unit", "seed"))
    net = 1 - record.likeness.isel(mark=0).mean(("unit", "seed"))
    each = "; ".join(
        f"rate {rate:g}, gain {gain_text(gain)}: {float(total.sel(rate=rate, gain=gain)):.2f} flips per input in "
        f"all, for a net change of {float(net.sel(rate=rate, gain=gain)):.2f}"
        for rate in record.rate.values
        for gain in record.gain.values
    )
    others = ", ".join(f"{float(ratio.sel(rate=rate)):.3f} at {rate:g}" for rate in record.rate.values[1:])
    return [
        Verdict.above(
            "at any time gates flip for a very small fraction of the data",
            RARE,
            p.isel(rate=0).min(),
            or_equal=True,
            of="at the note's rate, least p(t) of all intervals",
            kind="claim",
            source=NOTE,
            note=f"but flips add up. {each}",
        ),
        Verdict.below(
            "flips become fewer as training progresses",
            1.0,
            ratio.isel(rate=0),
            of="at the note's rate, flips in the last tenth over flips in the first tenth",
            kind="claim",
            source=NOTE,
            note=f"at the gain where they fall least. At the other rates: {others}",
        ),
    ]


def _convergence(record: xr.Dataset) -> list[Verdict]:
    """How much of the loss that the longest training sheds is left to the others, and how far their fields are off."""
    loss, tail = record.loss.mean("seed"), slice(-max(1, record.sizes["step"] // 20), None)
    ends, fields = loss.isel(step=tail).mean("step"), record.final
    left = (ends - ends.isel(rate=-1)) / (loss.isel(step=0) - ends.isel(rate=-1))
    alike = cosine(fields, fields.isel(rate=-1)).median(("unit", "seed"))
    return [_converged(left.isel(rate=r), alike.isel(rate=r), r, float(record.rate[-1])) for r in range(len(record.rate) - 1)]


def _converged(left: xr.DataArray, alike: xr.DataArray, r: int, longest: float) -> Verdict:
    name = {0: "the note's learning rate", 1: "K times the note's rate"}.get(r, "this rate")
    gains = "; ".join(
        f"gain {gain_text(g)}: {float(left.sel(gain=g)):.3f}, median cosine of fields {float(alike.sel(gain=g)):.2f}"
        for g in left.gain.values
    )
    return Verdict.below(
        f"{name}, {float(left.rate):g}: training has converged by the end",
        CONVERGED,
        left.max(),
        expected=0.0,
        of="share of the loss that is yet to be shed, at any gain,",
        note=f"against a rate of {longest:g}; fields may still move when the loss hardly does. {gains}",
    ).and_above(ALIKE, alike.min(), or_equal=True, of="median cosine of fields with those of the longest training")


def _freezing(record: xr.Dataset) -> list[Verdict]:
    """At the highest gain and rate: what comes first, the final gate or the final shape?"""
    one = record.isel(gain=-1, rate=-1)
    (gate, field), (gate_time, field_time), counted = settling(one), settling_times(one), localized(one)
    found = share(gate < field, counted)
    early = one.likeness.isel(mark=slice(0, None, max(1, one.sizes["mark"] // 4))).where(counted).median(("unit", "seed"))
    return [
        Verdict.above(
            f"{_gain(one)}: the gate freezes before the field localizes",
            0.5,
            found.mean,
            of=f"share of localized units whose gate agrees with its final one on {SETTLED:g} of inputs, for good, before the "
            "inverse participation ratio is half-way up:",
            kind="claim",
            source="note 002, section 5.2: gates stabilize early on",
            note=f"{found}; {int(counted.sum())} of {counted.size} units localized. Medians: gate at {gate_time:.4g} tau, "
            f"field at {field_time:.4g} tau. Likeness to the final gate at each quarter of the training: "
            + ", ".join(f"{x:.2f}" for x in np.nan_to_num(early.values)),
        )
    ]


def _kinds(record: xr.Dataset) -> list[Verdict]:
    """Do localized units flip more or less than the others? At the longest training that has enough of each."""
    for r in reversed(range(record.sizes["rate"])):
        one = record.isel(gain=-1, rate=r)
        flips, is_local = (1 - one.stability).sum("interval").values.ravel(), localized(one).values.ravel()
        local, other = flips[is_local], flips[~is_local]
        if min(len(local), len(other)) >= ENOUGH:
            chance = float(stats.mannwhitneyu(local, other).pvalue)
            return [
                Verdict.test(
                    f"{_gain(one)}: localized units and the others flip equally often",
                    np.median(other),
                    np.median(local),
                    chance,
                    level=LEVEL,
                    by="Mann-Whitney test",
                    note=f"median flips per input over the training; expected: {len(other)} units that did not localize, "
                    f"measured: {len(local)} that did, at a rate of {float(one.rate):g}; p = {chance:.2g}",
                )
            ]
    return []


def _kurtosis(record: xr.Dataset) -> list[Verdict]:
    """At the highest gain and rate, within the positive class."""
    top = record.isel(gain=-1, rate=-1)
    first, last = (top.kurtosis.sel(inputs="positive").isel(mark=mark) for mark in (0, -1))
    counted, change = localized(top), last - first
    before, after = (float(x.where(counted).median()) if counted.any() else 0.0 for x in (first, last))
    return [
        Verdict.above(
            f"{_gain(top)}: the kurtosis of preactivations falls as the field localizes",
            MOST,
            share(change < 0, counted).mean,
            expected=1.0,
            or_equal=True,
            of="share of localized units in which it falls, within the positive class,",
            note=f"median from {before:.2f} to {after:.2f}; a single site has "
            f"{float(nlgp.excess_kurtosis(float(top.gain))):.2f}. The others: median change "
            f"{float(np.nan_to_num(change.where(~counted).median())):+.2f}",
        )
    ]


def _mixture(record: xr.Dataset) -> list[Verdict]:
    """Preactivations on nearly Gaussian data, within a class and over both."""
    low = record.isel(gain=0)
    if low.gain > GAUSSIAN:
        return []
    both = low.kurtosis.sel(inputs="both").isel(rate=-1, mark=-1)
    return [
        Verdict.below(
            f"{_gain(low)}: within a class preactivations stay Gaussian",
            SMALL,
            abs(low.kurtosis.sel(inputs=["positive", "negative"])).mean(),
            expected=0.0,
            of="mean size of the excess kurtosis",
            kind="control",
            note=f"over both classes together it is {float(both.median()):.2f} at the end of the longest training, for the "
            "classes differ in variance: the kurtosis of such a mixture says nothing of localization",
        )
    ]
