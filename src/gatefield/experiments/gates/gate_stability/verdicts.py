"""What the record of `gate-stability` says."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from scipy import stats

from gatefield.core.intervals import share
from gatefield.experiments.gates.gate_stability.paths import SETTLED, settling
from gatefield.lab.verdict import Verdict
from gatefield.plot import gain_text
from gatefield.theory import nlgp

SEEN = 10
"""Exact and sampled probabilities are compared where at least so many flips are expected in the sample."""
CONVERGED = 0.05
"""A training has converged if less than this share of the loss it can shed is left."""
ALIKE = 0.9
"""It must also have a median cosine of its fields with those of the longest training of at least this."""
ENOUGH = 10
"""Localized units and the others are compared if there are at least so many of each."""


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """Each claim with its numbers."""
    parts = (_exact, _flips, _convergence, _freezing, _kinds, _kurtosis)
    return [verdict for part in parts for verdict in part(record)]


def _exact(record: xr.Dataset) -> list[Verdict]:
    """Sampled against exact stability where the data are nearly Gaussian."""
    near = record.isel(gain=record.gain.values <= 0.1)
    exact, total = near.gaussian_stability.values, 2 * record.attrs["samples"]
    seen = total * (1 - exact) >= SEEN
    if not seen.any():
        return []
    z = (near.stability.values - exact)[seen] / np.sqrt((exact * (1 - exact))[seen] / total)
    within = float((np.abs(z) < 2).mean())
    return [
        Verdict.judged(
            "nearly Gaussian data: sampled and exact p(t) agree",
            0.954,
            within,
            "share within two standard errors at least 0.93",
            within >= 0.93,
            f"over {seen.sum()} intervals and units in which at least {SEEN} flips are expected; exact on Gaussian data of the "
            f"same covariances. Largest difference {float(np.abs(near.stability.values - exact).max()):.2g}",
        )
    ]


def _flips(record: xr.Dataset) -> list[Verdict]:
    """What the note says of figure 3, at its learning rate; p as the mean over units and seeds."""
    p = record.stability.mean(("unit", "seed"))
    stated, parts = p.isel(rate=0), max(1, p.sizes["interval"] // 10)
    ratio = (1 - p.isel(interval=slice(-parts, None)).mean("interval")) / (1 - p.isel(interval=slice(parts)).mean("interval"))
    ratio = ratio.fillna(1.0)
    worst = float(ratio.isel(rate=0).max())
    total = (1 - record.stability).sum("interval").mean(("unit", "seed"))
    net = 1 - record.likeness.isel(mark=0).mean(("unit", "seed"))
    each = "; ".join(
        f"rate {float(rate):g}, gain {gain_text(float(gain))}: {float(total.sel(rate=rate, gain=gain)):.2f} flips per input in "
        f"all, for a net change of {float(net.sel(rate=rate, gain=gain)):.2f}"
        for rate in record.rate
        for gain in record.gain
    )
    return [
        Verdict.judged(
            "at any time gates flip for a very small fraction of the data",
            0.99,
            float(stated.min()),
            "at the note's rate, p(t) at least 0.99 in every interval",
            float(stated.min()) >= 0.99,
            f"but flips add up. {each}",
        ),
        Verdict.judged(
            "flips become fewer as training progresses",
            1.0,
            worst,
            "at the note's rate, flips in the last tenth over flips in the first tenth below 1",
            worst < 1,
            "at the gain where they fall least. At the other rates: "
            + ", ".join(
                f"{float(ratio.isel(rate=r).max()):.3f} at {float(record.rate[r]):g}" for r in range(1, len(record.rate))
            ),
        ),
    ]


def _convergence(record: xr.Dataset) -> list[Verdict]:
    """How much of the loss that the longest training sheds is left to the others, and how far their fields are off."""
    if record.sizes["rate"] < 2:
        return []
    loss, tail = record.loss.mean("seed"), slice(-max(1, record.sizes["step"] // 20), None)
    ends = loss.isel(step=tail).mean("step")
    left = (ends - ends.isel(rate=-1)) / (loss.isel(step=0) - ends.isel(rate=-1))
    unit = record.final / np.sqrt((record.final**2).sum("position"))
    cosine = (unit * unit.isel(rate=-1)).sum("position").median(("unit", "seed"))
    names = {0: "the note's learning rate", 1: "K times the note's rate"}
    out = []
    for r in range(record.sizes["rate"] - 1):
        worst, least = float(left.isel(rate=r).max()), float(cosine.isel(rate=r).min())
        gains = "; ".join(
            f"gain {gain_text(float(g))}: {float(left.isel(rate=r).sel(gain=g)):.3f}, median cosine of fields "
            f"{float(cosine.isel(rate=r).sel(gain=g)):.2f}"
            for g in record.gain
        )
        out.append(
            Verdict.judged(
                f"{names.get(r, 'this rate')}, {float(record.rate[r]):g}: training has converged by the end",
                0.0,
                worst,
                f"share of the loss that is yet to be shed below {CONVERGED:g}, and median cosine of fields with those of the "
                f"longest training at least {ALIKE:g}, at every gain",
                worst < CONVERGED and least >= ALIKE,
                f"against a rate of {float(record.rate[-1]):g}; fields may still move when the loss hardly does. {gains}",
            )
        )
    return out


def _localized(record: xr.Dataset) -> xr.DataArray:
    return record.ipr.isel(mark=-1) > 6 / record.attrs["n"]


def _freezing(record: xr.Dataset) -> list[Verdict]:
    """At the highest gain and rate: what comes first, the final gate or the final shape?"""
    one = record.isel(gain=-1, rate=-1)
    gate, shape = settling(one)
    counted = _localized(one)
    found = share(gate < shape, counted)
    when = [float(x.where(counted).median()) for x in (gate, shape)] if counted.any() else [0.0, 0.0]
    steps = [float(record.mark[min(int(w), record.sizes["mark"] - 1)]) * float(one.rate) for w in when]
    early = one.likeness.isel(mark=slice(0, None, max(1, one.sizes["mark"] // 4))).where(counted).median(("unit", "seed"))
    return [
        Verdict.judged(
            f"gain {gain_text(float(one.gain))}: the gate freezes before the field localizes",
            0.5,
            found.mean,
            f"share of localized units whose gate agrees with its final one on {SETTLED:g} of inputs, for good, before the "
            "inverse participation ratio is half-way up: above 0.5",
            found.mean > 0.5,
            f"{found}; {int(counted.sum())} of {counted.size} units localized. Medians: gate at {steps[0]:.4g} tau, field at "
            f"{steps[1]:.4g} tau. Likeness to the final gate at each quarter of the training: "
            + ", ".join(f"{x:.2f}" for x in np.nan_to_num(early.values)),
        )
    ]


def _kinds(record: xr.Dataset) -> list[Verdict]:
    """Do localized units flip more or less than the others? At the longest training that has enough of each."""
    top = record.isel(gain=-1)
    for r in reversed(range(record.sizes["rate"])):
        one = top.isel(rate=r)
        flips, is_local = (1 - one.stability).sum("interval").values.ravel(), _localized(one).values.ravel()
        if min(is_local.sum(), (~is_local).sum()) >= ENOUGH:
            local, other = flips[is_local], flips[~is_local]
            chance = float(stats.mannwhitneyu(local, other).pvalue)
            return [
                Verdict.judged(
                    f"gain {gain_text(float(one.gain))}: localized units and the others flip equally often",
                    float(np.median(other)),
                    float(np.median(local)),
                    "Mann-Whitney test not significant at 5 %",
                    chance >= 0.05,
                    f"median flips per input over the training; expected: {len(other)} units that did not localize, measured: "
                    f"{len(local)} that did, at a rate of {float(one.rate):g}; p = {chance:.2g}",
                )
            ]
    return []


def _kurtosis(record: xr.Dataset) -> list[Verdict]:
    top = record.isel(gain=-1, rate=-1)
    inside = top.kurtosis.sel(inputs="positive")
    counted = _localized(top)
    change = inside.isel(mark=-1) - inside.isel(mark=0)
    found = share(change < 0, counted)
    median = [float(inside.isel(mark=m).where(counted).median()) if counted.any() else 0.0 for m in (0, -1)]
    site = float(nlgp.excess_kurtosis(float(top.gain)))
    out = [
        Verdict.judged(
            f"gain {gain_text(float(top.gain))}: the kurtosis of preactivations falls as the field localizes",
            1.0,
            found.mean,
            "share of localized units in which it falls, within the positive class, at least 0.9",
            found.mean >= 0.9,
            f"median from {median[0]:.2f} to {median[1]:.2f}; a single site has {site:.2f}. The others: median change "
            f"{float(np.nan_to_num(change.where(~counted).median())):+.2f}",
        )
    ]
    low = record.isel(gain=0)
    if float(low.gain) <= 0.1:
        within = float(abs(low.kurtosis.sel(inputs=["positive", "negative"])).mean())
        both = low.kurtosis.sel(inputs="both").isel(rate=-1, mark=-1)
        out.append(
            Verdict.judged(
                f"gain {gain_text(float(low.gain))}: within a class preactivations stay Gaussian",
                0.0,
                within,
                "mean size of the excess kurtosis below 0.1",
                within < 0.1,
                f"over both classes together it is {float(both.median()):.2f} at the end of the longest training, for the "
                "classes differ in variance: the kurtosis of such a mixture says nothing of localization",
            )
        )
    return out
