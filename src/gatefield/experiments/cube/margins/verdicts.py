"""What `margins` says of each claim."""

from typing import Any

import numpy as np
import xarray as xr
from scipy import stats

from gatefield.experiments.cube import fields as cube
from gatefield.lab import Verdict
from gatefield.lab.needs import Need, command_line, lacking, undecided

FEW = 5
"""Entries that count as few: a localized field's largest weight and two neighbours on each side."""
SIGMAS = 3.0
"""Standard errors granted to a mean, a slope or a count."""
NOTE = "note 003, equation 13"


def verdicts(record: xr.Dataset) -> list[Verdict]:
    return [*_trained(record), *_law(record), *_truncation(record), _geometric(record)]


def truncation_chance(n: Any) -> Any:
    """To first order the chance that one of n N(0, 1) weights is below the margin of the others: 2 n sqrt(n - 1)/2^(n-1).

    n times the density 2/sqrt(2 pi) of a size at 0, times the mean margin sqrt(2 pi (n - 1)) 2^(1-n) of the others.
    """
    return 2 * n * np.sqrt(n - 1) / 2.0 ** (n - 1)


def _law(record: xr.Dataset) -> list[Verdict]:
    sizes, draws, mean = record["size"].values, record.sizes["draw"], record.random_margin.mean("draw")
    last, p = record.random_margin.isel(size=-1), stats.kstest(record.scaled_margin.isel(size=-1).values, "expon").pvalue
    law = (mean * 2.0**sizes / np.sqrt(2 * np.pi * sizes)).values
    error = float(law[-1] * last.std(ddof=1) / last.mean() / np.sqrt(draws))
    slope = float(np.polyfit(sizes, np.log2(mean / np.sqrt(sizes)), 1)[0])
    spread = float(1 / np.log(2) / np.sqrt(draws * len(sizes)) / np.std(sizes))  # of delta as large as its mean
    return [
        Verdict.within(
            f"the mean margin of {sizes[-1]} weights from N(0, 1) is sqrt(2 pi n)/2^n",
            1.0,
            float(law[-1]),
            atol=SIGMAS * error,
            of="mean margin over the predicted one",
            note=f"{SIGMAS:g} standard errors of {draws} draws are granted",
        ),
        Verdict.within(
            "the mean margin of weights from N(0, 1) halves with each weight more",
            -1.0,
            slope,
            atol=0.05 + SIGMAS * spread,
            of="slope of log2(mean margin/sqrt n)",
            note=f"granted: {SIGMAS:g} standard errors, and 0.05 because the law is one of large n",
        ),
        Verdict.above(
            "margins of weights from N(0, 1) have an exponential law in units of sqrt(2 pi) |w|/2^n",
            0.01,
            float(p),
            or_equal=True,
            of="p of Kolmogorov and Smirnov's test",
            note=f"n = {sizes[-1]}, {draws} draws; a true law gives any p with the same chance",
        ),
    ]


def _truncation(record: xr.Dataset) -> list[Verdict]:
    sizes, draws = record["size"].values, record.sizes["draw"]
    shorter = (record.random_head < record["size"]).sum("draw").values
    expected = draws * truncation_chance(sizes)
    inner = expected < 0.2 * draws  # beyond, first order is too rough
    whole = Verdict.above(
        f"a gate of {sizes[-1]} weights from N(0, 1) needs all of them on some corner of the cube",
        0.99,
        1 - float(shorter[-1]) / draws,
        predicted=1 - float(truncation_chance(sizes[-1])),
        or_equal=True,
        of="share of draws that need all weights",
        kind="claim",
        source=NOTE,
        note=f"{int(shorter[-1])} of {draws} draws can do without one; {expected[-1]:.2g} are expected",
    )
    claim = "the chance that a gate of n weights from N(0, 1) can do without one is 2 n sqrt(n - 1)/2^(n-1)"
    if not inner.any():
        need = Need("a size of 10 or more", f"{sizes[-1]} at most", {"sizes": [*sizes.tolist(), 12]})
        return [whole, Verdict.not_judged(claim, lacking(need))]
    total = float(expected[inner].sum())
    chance = Verdict.within(
        claim,
        total,
        float(shorter[inner].sum()),
        atol=0.2 * total + SIGMAS * np.sqrt(total),
        of="draws that can do without one",
        note=f"first order in 2^-n: n = {sizes[inner][0]} and above; 20 % and {SIGMAS:g} standard errors are granted",
    )
    return [whole, chance]


def _geometric(record: xr.Dataset) -> Verdict:
    """Fields whose sizes fall by a factor; by 1/2 or less the first decides, whatever the others are."""
    names = [name for name in cube.families(record) if name.startswith("geometric")]
    slow = {name.split()[1]: cube.family(record, name) for name in names if float(name.split()[1]) > 0.5}
    claim = f"{FEW} weights or fewer decide the gate of a field whose sizes fall by a factor above 1/2"
    if not slow:
        why = f"no field here falls so slowly; run with {command_line(ratios=[0.5, 0.6, 0.9])}"
        return Verdict.not_judged(claim, why, kind="claim", source=NOTE)
    rows = {
        f"factor {ratio}, {where}": Verdict.below("", FEW, head, or_equal=True, of="weights that decide")
        for ratio, one in slow.items()
        for where, head in (("every corner", one["head"][0]), ("99 % of inputs", one.probable[0, 0]))
    }
    note = f"of {record.sizes['position']} weights; by a factor of 1/2 or less the first decides"
    return Verdict.each(claim, rows, kind="claim", source=NOTE, note=note)


def _trained(record: xr.Dataset) -> list[Verdict]:
    """Gates of trained neurons, at the end of training and averaged over its second half."""
    why = cube.too_short(record)
    long, short = (cube.family(record, cube.TRAINED[order]) for order in ("long", "short"))
    mean = cube.family(record, cube.SETTLED["long"])
    n, seeds = record.sizes["position"], f"{long.sizes['field']} seeds"
    wrong = 100 * float(long.errors.isel(kept=0).median())
    leads = [float(one.lead.median()) for one in (long, mean)]
    steady = float(record.steady_lead.sel(order="long"))
    decide = {one: {"every corner": decisive(fields), "99 % of inputs": decisive(fields, 0)} for one, fields in
              (("long", long), ("short", short))}  # fmt: skip
    few, time = "median number of weights that decide", cube.trained_for(record)
    return undecided(
        why,
        Verdict.each(
            f"{FEW} weights or fewer decide the gate of a trained neuron that localizes within {time}, "
            "the longer range being positive",
            {at: Verdict.below("", FEW, value, or_equal=True, of=few) for at, value in decide["long"].items()},
            kind="claim",
            source=NOTE,
            note=f"{seeds}, n = {n}; the largest weight alone errs on {wrong:.2g} % of inputs",
            found=f"{_of(decide['long']['every corner'], n)} the gate after {time} if the longer range is positive",
            otherwise=f"{_of(decide['long']['every corner'], n)} the gate after {time} if the longer range is positive, "
            f"{decide['long']['99 % of inputs']:g} for 99 % of inputs",
        ),
        Verdict.each(
            f"more than {FEW} weights decide the gate of a trained neuron that does not localize within {time}, "
            "the shorter being positive",
            {at: Verdict.above("", FEW, value, of=few) for at, value in decide["short"].items()},
            kind="control",
            note=f"{seeds}, n = {n}",
            found=f"if the shorter one is, it takes {decide['short']['99 % of inputs']:g} (median) for 99 % of inputs",
            otherwise=f"if the shorter one is, {decide['short']['99 % of inputs']:g} for 99 % of inputs, too",
        ),
        Verdict.equals(
            "one weight decides the gate of a localized neuron's mean over the second half of training",
            1.0,
            float((mean["head"] == 1).mean()),
            of="share of runs",
            note=f"largest weight less all others, over the largest: {leads[0]:.2f} at the end, {leads[1]:.2f} in the mean, "
            f"{steady:.2f} in the steady state",
        ),
    )


def _of(many: float, n: int) -> str:
    """How many weights decide, with its verb.

    >>> _of(1.0, 40), _of(3.0, 40)
    ('one of 40 weights decides', '3 of 40 weights decide')
    """
    return f"one of {n} weights decides" if many == 1 else f"{many:g} of {n} weights decide"


def decisive(fields: xr.Dataset, share: int | None = None) -> float:
    """The median number of weights that decide every corner, or all inputs but for one of the shares."""
    return float((fields["head"] if share is None else fields.probable.isel(share=share)).median())
