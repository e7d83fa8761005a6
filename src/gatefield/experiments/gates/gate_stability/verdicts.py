"""What the record of `gate-stability` says."""

import numpy as np
import xarray as xr
from scipy import stats

from gatefield.core.intervals import share
from gatefield.experiments.gates.gate_stability.paths import SETTLED, localized, settling, settling_times
from gatefield.experiments.needs import Need, command_line, lacking, unjudged
from gatefield.lab import Verdict
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
    spread = _spread(record.isel(gain=-1, rate=-1))
    first = [verdict for part in (_exact, _flips, _convergence) for verdict in part(record)]
    return [
        *first,
        *unjudged(spread, *_freezing(record)),
        *_kinds(record),
        *unjudged(spread, *_kurtosis(record)),
        *_mixture(record),
    ]


def _gain(one: xr.Dataset) -> str:
    return f"gain {gain_text(float(one.gain))}"


def _exact(record: xr.Dataset) -> list[Verdict]:
    """Sampled against exact stability where the data are nearly Gaussian."""
    claim, source = "nearly Gaussian data: sampled and exact p(t) agree", "note 002, equation 45"
    near = record.isel(gain=record.gain.values <= GAUSSIAN)
    exact, total = near.gaussian_stability.values, 2 * record.attrs["samples"]
    seen = total * (1 - exact) >= SEEN
    if why := _unseen(record, total * (1 - exact)):
        return [Verdict.not_judged(claim, why, source=source)]
    off = near.stability.values - exact
    z = off[seen] / np.sqrt((exact * (1 - exact))[seen] / total)
    return [
        Verdict.above(
            claim,
            NEARLY,
            (np.abs(z) < 2).mean(),
            predicted=TWO_ERRORS,
            or_equal=True,
            of="share within two standard errors",
            source=source,
            note=f"over {seen.sum()} intervals and units in which at least {SEEN} flips are expected; exact on Gaussian data "
            f"of the same covariances. Largest difference {np.abs(off).max():.2g}",
        )
    ]


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
            of=f"at the rate {float(record.rate[0]):g}, least p(t) of all intervals",
            kind="claim",
            source=NOTE,
            note=f"but flips add up. {each}",
        ),
        Verdict.below(
            "flips become fewer as training progresses",
            1.0,
            ratio.isel(rate=0),
            of=f"at the rate {float(record.rate[0]):g}, flips in the last tenth over flips in the first tenth",
            kind="claim",
            source=NOTE,
            note=f"at the gain where they fall least. At the other rates: {others}",
        ),
    ]


def _convergence(record: xr.Dataset) -> list[Verdict]:
    """How much of the loss that the longest training sheds is left to the others, and how far their fields are off."""
    if record.sizes["rate"] < 2:
        rate = float(record.rate[0])
        why = lacking(Need("a longer training beside it", "none", {"learning_rates": [rate, 12 * rate, 240 * rate]}))
        return [Verdict.not_judged(_convergence_claim(record, 0), why)]
    loss, tail = record.loss.mean("seed"), slice(-max(1, record.sizes["step"] // 20), None)
    ends, fields = loss.isel(step=tail).mean("step"), record.final
    left = (ends - ends.isel(rate=-1)) / (loss.isel(step=0) - ends.isel(rate=-1))
    alike = cosine(fields, fields.isel(rate=-1)).median(("unit", "seed"))
    longest, rates = float(record.rate[-1]), range(record.sizes["rate"] - 1)
    return [_converged(left.isel(rate=r), alike.isel(rate=r), _convergence_claim(record, r), longest) for r in rates]


def _convergence_claim(record: xr.Dataset, r: int) -> str:
    rate = float(record.rate[r])
    names = {NOTES_RATE: "the note's learning rate", record.attrs["units"] * NOTES_RATE: "K times the note's rate"}
    return f"{names.get(rate, 'learning rate')}, {rate:g}: training has converged by the end"


def _converged(left: xr.DataArray, alike: xr.DataArray, claim: str, longest: float) -> Verdict:
    gains = "; ".join(
        f"gain {gain_text(g)}: {float(left.sel(gain=g)):.3f}, median cosine of fields {float(alike.sel(gain=g)):.2f}"
        for g in left.gain.values
    )
    return Verdict.below(
        claim,
        CONVERGED,
        left.max(),
        predicted=0.0,
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
    found = []
    for r in reversed(range(record.sizes["rate"])):
        one = record.isel(gain=-1, rate=r)
        flips, is_local = (1 - one.stability).sum("interval").values.ravel(), localized(one).values.ravel()
        local, other = flips[is_local], flips[~is_local]
        found.append((min(len(local), len(other)), f"{len(local)} and {len(other)} at the rate {float(one.rate):g}"))
        if min(len(local), len(other)) >= ENOUGH:
            chance = float(stats.mannwhitneyu(local, other).pvalue)
            return [
                Verdict.test(
                    _kinds_claim(record),
                    np.median(other),
                    np.median(local),
                    chance,
                    level=LEVEL,
                    by="Mann-Whitney test",
                    note=f"median flips per input over the training; expected: {len(other)} units that did not localize, "
                    f"measured: {len(local)} that did, at a rate of {float(one.rate):g}; p = {chance:.2g}",
                )
            ]
    few, has = max(found)
    more = {"seeds": record.sizes["seed"] * -(-ENOUGH // max(few, 1))}
    why = lacking(Need(f"{ENOUGH} localized units and {ENOUGH} others", has, more))
    return [Verdict.not_judged(_kinds_claim(record), why)]


def _kinds_claim(record: xr.Dataset) -> str:
    return f"{_gain(record.isel(gain=-1))}: localized units and the others flip equally often"


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
            predicted=1.0,
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
    claim = f"gain {gain_text(float(min(low.gain, LOWEST)))}: within a class preactivations stay Gaussian"
    if why := _squashed(record):
        return [Verdict.not_judged(claim, why, kind="control")]
    both = low.kurtosis.sel(inputs="both").isel(rate=-1, mark=-1)
    return [
        Verdict.below(
            claim,
            SMALL,
            abs(low.kurtosis.sel(inputs=["positive", "negative"])).mean(),
            predicted=0.0,
            of="mean size of the excess kurtosis",
            kind="control",
            note=f"over both classes together it is {float(both.median()):.2f} at the end of the longest training, for the "
            "classes differ in variance: the kurtosis of such a mixture says nothing of localization",
        )
    ]
