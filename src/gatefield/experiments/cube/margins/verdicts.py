"""What `margins` says of each claim."""

import numpy as np
import xarray as xr
from scipy import stats

from gatefield.experiments.cube import fields as cube
from gatefield.lab.verdict import Verdict

FEW = 5
"""Entries that count as few: a localized field's largest weight and two neighbours on each side."""


def verdicts(record: xr.Dataset) -> list[Verdict]:
    return [*_law(record), *_truncation(record), *_geometric(record), *_trained(record)]


def truncation_chance(n: np.ndarray) -> np.ndarray:
    """To first order the chance that one of n N(0, 1) weights is below the margin of the others: 2 n sqrt(n - 1)/2^(n-1).

    n times the density 2/sqrt(2 pi) of a size at 0, times the mean margin sqrt(2 pi (n - 1)) 2^(1-n) of the others.
    """
    return 2 * n * np.sqrt(n - 1) / 2.0 ** (n - 1)


def _law(record: xr.Dataset) -> list[Verdict]:
    sizes, scaled = record["size"].values, record.scaled_margin
    law = record.random_margin.mean("draw") * 2.0**sizes / np.sqrt(2 * np.pi * sizes)
    last = record.random_margin.isel(size=-1)
    error = float(law[-1] * last.std(ddof=1) / last.mean() / np.sqrt(record.sizes["draw"]))
    slope = float(np.polyfit(sizes, np.log2(record.random_margin.mean("draw") / np.sqrt(sizes)), 1)[0])
    spread = float(1 / np.log(2) / np.sqrt(record.sizes["draw"] * len(sizes)) / np.std(sizes))
    chance = float(stats.kstest(scaled.isel(size=-1).values, "expon").pvalue)
    each = ", ".join(f"{n}: {value:.3f}" for n, value in zip(sizes, law.values, strict=True))
    return [
        Verdict.judged(
            f"N(0, 1) weights: the mean of delta is sqrt(2 pi n)/2^n at n = {sizes[-1]}",
            1.0,
            float(law[-1]),
            "ratio within 3 standard errors",
            abs(float(law[-1]) - 1) < 3 * error,
            f"standard error {error:.3f}; ratio at each n: {each}",
        ),
        Verdict.judged(
            "N(0, 1) weights: with each weight more delta halves",
            -1.0,
            slope,
            "slope of log2(mean delta/sqrt n) within 0.05 and 3 standard errors",
            abs(slope + 1) < 0.05 + 3 * spread,
        ),
        Verdict.judged(
            "N(0, 1) weights: delta is exponential in units of sqrt(2 pi) |w|/2^n",
            0.5,
            chance,
            "Kolmogorov-Smirnov p above 0.01",
            chance > 0.01,
            f"n = {sizes[-1]}, {record.sizes['draw']} draws; the expected p is the mean one of a true law",
        ),
    ]


def _truncation(record: xr.Dataset) -> list[Verdict]:
    sizes, draws = record["size"].values, record.sizes["draw"]
    shorter = (record.random_head < record["size"]).sum("draw").values
    expected = draws * truncation_chance(sizes)
    inner = expected < 0.2 * draws
    note = "draws with a shorter head, found and expected: " + ", ".join(
        f"n = {n}: {k} and {e:.2g}" for n, k, e in zip(sizes, shorter, expected, strict=True)
    )
    out = [
        Verdict.judged(
            f"a generic Gaussian field cannot be truncated (n = {sizes[-1]})",
            1.0,
            1 - float(shorter[-1]) / draws,
            "all weights needed in 99 % of draws",
            bool(shorter[-1] <= 0.01 * draws),
            note,
        )
    ]
    if inner.any():
        found, total = int(shorter[inner].sum()), float(expected[inner].sum())
        out.append(
            Verdict.judged(
                "the chance of a shorter head is 2 n sqrt(n - 1)/2^(n-1)",
                total,
                float(found),
                "counts within 20 % and 3 sqrt(expected)",
                bool(abs(found - total) < 0.2 * total + 3 * np.sqrt(total)),
                f"to first order; counts over n = {sizes[inner][0]} and above",
            )
        )
    return out


def _geometric(record: xr.Dataset) -> list[Verdict]:
    out = []
    for name in cube.families(record):
        if not name.startswith("geometric"):
            continue
        one, ratio = cube.family(record, name), float(name.split()[1])
        head, n = int(one["head"][0]), record.sizes["position"]
        probable = ", ".join(
            f"{int(k)} but for {100 * s:g} %" for s, k in zip(one.share.values, one.probable.values[0], strict=True)
        )
        note = f"weights that decide inputs of the data's law: {probable}"
        if ratio <= 0.5:
            claim = f"weights falling by {ratio:g} are decided by the first"
            out.append(Verdict.judged(claim, 1.0, float(head), "head of 1", head == 1, note))
        else:
            claim = f"weights falling by {ratio:g}, more than 1/2, are decided by few"
            out.append(Verdict.judged(claim, float(FEW), float(head), f"head of at most {FEW}", head <= FEW, f"of {n}; {note}"))
    return out


def _trained(record: xr.Dataset) -> list[Verdict]:
    out = []
    for order in cube.ORDERS:
        noisy, mean = (cube.family(record, names[order]) for names in (cube.TRAINED, cube.SETTLED))
        steady = float(record.steady_lead.sel(order=order))
        alone = float((mean["head"] == 1).mean())
        where = f"{order}er range positive"
        exact, rare = float(noisy["head"].median()), float(noisy.probable.isel(share=0).median())
        about = f"median over {noisy.sizes['field']} seeds, of n = {record.sizes['position']}"
        out += [
            Verdict.judged(
                f"{where}: {FEW} weights or fewer decide the trained gate on every corner",
                float(FEW),
                exact,
                f"median head of at most {FEW}",
                exact <= FEW,
                f"{about}; the largest weight less all others is {float(noisy.lead.median()):.2f} of it, "
                f"{float(mean.lead.median()):.2f} averaged over the second half, in the localized state {steady:.2f}",
            ),
            Verdict.judged(
                f"{where}: {FEW} weights or fewer decide the trained gate for 99 % of inputs",
                float(FEW),
                rare,
                f"median head of at most {FEW}",
                rare <= FEW,
                f"{about}; for 95 % {float(noisy.probable.isel(share=1).median()):g}; the largest weight alone errs on "
                f"{100 * float(noisy.errors.isel(kept=0).median()):.2g} % of inputs",
            ),
            Verdict.judged(
                f"{where}: averaged over the second half of training, one weight decides",
                1.0,
                alone,
                "head of 1 in every run",
                alone == 1.0,
                "share of runs whose average has a head of 1; it has less minibatch noise",
            ),
        ]
    return out
