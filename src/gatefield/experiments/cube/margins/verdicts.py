"""What `margins` says of each claim."""

from typing import Any

import numpy as np
import xarray as xr
from scipy import stats

from gatefield.experiments.cube import fields as cube
from gatefield.experiments.needs import Need, lacking, undecided
from gatefield.lab import Verdict

FEW = 5
"""Entries that count as few: a localized field's largest weight and two neighbours on each side."""
SIGMAS = 3.0
"""Standard errors granted to a mean, a slope or a count."""
NOTE = "note 003, equation 13"


def verdicts(record: xr.Dataset) -> list[Verdict]:
    geometric = [name for name in cube.families(record) if name.startswith("geometric")]
    trained = undecided(cube.too_short(record), *(part for order in cube.ORDERS for part in _trained(record, order)))
    return [*_law(record), *_truncation(record), *(_geometric(cube.family(record, name)) for name in geometric), *trained]


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
    each = ", ".join(f"{n}: {value:.3f}" for n, value in zip(sizes, law, strict=True))
    return [
        Verdict.within(
            f"the mean of delta of N(0, 1) weights is sqrt(2 pi n)/2^n at n = {sizes[-1]}",
            1.0,
            float(law[-1]),
            atol=SIGMAS * error,
            of="ratio of both",
            note=f"{SIGMAS:g} standard errors are granted; ratio at each n: {each}",
        ),
        Verdict.within(
            "delta of N(0, 1) weights halves with each weight more",
            -1.0,
            slope,
            atol=0.05 + SIGMAS * spread,
            of="slope of log2(mean delta/sqrt n)",
            note=f"0.05 and {SIGMAS:g} standard errors are granted",
        ),
        Verdict.test(
            "delta of N(0, 1) weights is exponential in units of sqrt(2 pi) |w|/2^n",
            0.5,
            float(p),
            float(p),
            level=0.01,
            by="Kolmogorov-Smirnov",
            note=f"n = {sizes[-1]}, {draws} draws; what is shown is p, and 0.5 is its mean for a true law",
        ),
    ]


def _truncation(record: xr.Dataset) -> list[Verdict]:
    sizes, draws = record["size"].values, record.sizes["draw"]
    shorter = (record.random_head < record["size"]).sum("draw").values
    expected = draws * truncation_chance(sizes)
    inner = expected < 0.2 * draws  # beyond, first order is too rough
    counts = ", ".join(f"n = {n}: {k} and {e:.2g}" for n, k, e in zip(sizes, shorter, expected, strict=True))
    whole = Verdict.above(
        f"a generic Gaussian field cannot be truncated (n = {sizes[-1]})",
        0.99,
        1 - float(shorter[-1]) / draws,
        predicted=1.0,
        or_equal=True,
        of="share of draws that need all weights",
        note=f"draws with a shorter head, found and expected: {counts}",
    )
    claim = "the chance of a shorter head is 2 n sqrt(n - 1)/2^(n-1)"
    if not inner.any():
        need = Need("a size of 10 or more", f"{sizes[-1]} at most", {"sizes": [*sizes.tolist(), 12]})
        return [whole, Verdict.not_judged(claim, lacking(need))]
    total = float(expected[inner].sum())
    chance = Verdict.within(
        claim,
        total,
        float(shorter[inner].sum()),
        atol=0.2 * total + SIGMAS * np.sqrt(total),
        of="count of draws",
        note=f"to first order; counts over n = {sizes[inner][0]} and above, granted 20 % and {SIGMAS:g} sqrt(expected)",
    )
    return [whole, chance]


def _geometric(one: xr.Dataset) -> Verdict:
    """One field whose sizes fall by a factor."""
    ratio, head = float(str(one.family.values[0]).split()[1]), float(one["head"][0])
    probable = zip(one.share.values, one.probable.values[0], strict=True)
    note = "for inputs of the data's law " + ", ".join(f"{int(k)} but for {100 * s:g} %" for s, k in probable)
    if ratio <= 0.5:
        return Verdict.equals(f"weights falling by {ratio:g} are decided by the first", 1.0, head, of="head", note=note)
    claim = f"weights falling by {ratio:g}, more than 1/2, are decided by few"
    note = f"of {one.sizes['position']} weights; {note}"
    return Verdict.below(claim, FEW, head, or_equal=True, of="head", kind="claim", source=NOTE, note=note)


def _trained(record: xr.Dataset, order: str) -> list[Verdict]:
    """Fields trained with the longer or the shorter range positive, at the end and averaged."""
    noisy, mean = (cube.family(record, names[order]) for names in (cube.TRAINED, cube.SETTLED))
    where, about = f"{order}er range positive", f"{noisy.sizes['field']} seeds, n = {record.sizes['position']}"
    leads = [float(noisy.lead.median()), float(mean.lead.median()), float(record.steady_lead.sel(order=order))]
    wrong = 100 * float(noisy.errors.isel(kept=0).median())
    return [
        Verdict.below(
            f"{where}: {FEW} weights or fewer decide the trained gate on every corner",
            FEW,
            float(noisy["head"].median()),
            or_equal=True,
            of="median head",
            kind="claim",
            source=NOTE,
            note=f"{about}; the largest weight less all others is {leads[0]:.2f} of it, {leads[1]:.2f} averaged, "
            f"{leads[2]:.2f} in the localized state",
        ),
        Verdict.below(
            f"{where}: {FEW} weights or fewer decide the trained gate for 99 % of inputs",
            FEW,
            float(noisy.probable.isel(share=0).median()),
            or_equal=True,
            of="median head",
            kind="claim",
            source=NOTE,
            note=f"{about}; for 95 % {float(noisy.probable.isel(share=1).median()):g}; the largest weight alone errs on "
            f"{wrong:.2g} % of inputs",
        ),
        Verdict.equals(
            f"{where}: averaged over the second half of training, one weight decides",
            1.0,
            float((mean["head"] == 1).mean()),
            of="share of runs whose average has a head of 1",
        ),
    ]
