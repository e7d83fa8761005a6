"""What the table says, row by row beside the paper's, and of its trend with beta."""

from itertools import pairwise

import numpy as np
import xarray as xr

from gatefield.core.intervals import mean_interval
from gatefield.experiments.by_seed import spread
from gatefield.experiments.convolution.colour_images import layout_text, unlike_the_paper
from gatefield.experiments.convolution.soft_gates_table.rows import PLAIN, best, final, paper, words
from gatefield.lab import Verdict, exceeds
from gatefield.lab.needs import Need, at_least, holding, lacking, undecided, unjudged

WITHIN = 2.0
"""Points that a row may be away from the paper's: its numbers are rounded to 1, and it does not name all settings."""
LIKE = 1.0
"""Points that networks that do as well as ReLU may be away from it: in the paper's table it is up to 1."""
TRAINED, STEEP, CLIMB = 99.0, 12.0, 8.0
"""What counts as all learned, in percent; the least beta that counts as high; the beta up to which accuracy should rise."""
EPOCHS = 15
"""Trainings of fewer epochs are not laid beside the paper's."""
SOURCE = "paper 004, experiment 7, table 4"


def verdicts(record: xr.Dataset) -> list[Verdict]:
    """The trend with beta; and, at the size of the paper, each row."""
    beside = unjudged(unlike_the_paper(record, EPOCHS), _table(record), _learned(record))
    return [_trend(record), _like_relu(record), _rising(record), *beside, _selection(record)]


def _soft(record: xr.Dataset) -> dict[float, xr.Dataset]:
    """The soft rows of each eps, by increasing beta."""
    soft = record.isel(row=np.flatnonzero(record.gating.values == "soft-relu"))
    return {float(e): soft.isel(row=np.flatnonzero(soft.eps.values == e)) for e in np.unique(soft.eps.values)}


def _trend(record: xr.Dataset) -> Verdict:
    claim = "on CIFAR-10 networks with steep gates generalise better than networks with flat ones"
    rows, said = {}, ""
    for eps, soft in _soft(record).items():
        test, beta = best(soft), soft.beta.values
        if len(beta) < 2:
            rows[f"eps = {eps:g}"] = Verdict.not_judged("", lacking(holding("betas", [1.0, 16.0], beta)))
            continue
        ends = f"beta = {beta[-1]:g} less beta = {beta[0]:g}"
        of = f"difference of the best test accuracy in points, {ends},"
        rows[f"eps = {eps:g}"] = exceeds("", test.isel(row=-1), test.isel(row=0), note="", of=of)
        if not said:
            low, high = (f"{float(test.isel(row=at).mean()):.0f}\u00a0%" for at in (0, -1))
            said = f"(ε = {eps:g}: {low} right at β = {beta[0]:g}, {high} at {beta[-1]:g})"
    return Verdict.each(
        claim,
        rows,
        kind="claim",
        source=SOURCE,
        note=f"errors: one-sided 95 % intervals of {record.sizes['seed']} seeds; how much better: see the rows of the table",
        found=f"steep gates beat flat ones on CIFAR-10 {said}",
        otherwise=f"steep gates do not beat flat ones on CIFAR-10 {said}",
    )


def _rising(record: xr.Dataset) -> Verdict:
    """Whether accuracy rises at each step; fewer than three values of beta show no course."""
    rows = {}
    for eps, soft in _soft(record).items():
        beta, test = soft.beta.values, best(soft)
        below = np.flatnonzero(beta <= CLIMB)
        if len(below) < 3:
            more = {"betas": sorted({1.0, 2.0, 4.0, 8.0, *beta.tolist()})}
            rows[f"eps = {eps:g}"] = Verdict.not_judged(
                "", lacking(Need(f"three betas up to {CLIMB:g}", str(len(below)), more))
            )
            continue
        for low, high in pairwise(below):
            at = f"eps = {eps:g}, beta {beta[low]:g} to {beta[high]:g}"
            of = "rise of the best test accuracy in points"
            rows[at] = exceeds("", test.isel(row=high), test.isel(row=low), note="", of=of)
    return Verdict.each(
        f"on CIFAR-10 the best test accuracy rises from each beta to the next, up to beta = {CLIMB:g}",
        rows,
        kind="claim",
        source=SOURCE,
        note=f"errors: one-sided 95 % intervals of {record.sizes['seed']} seeds",
    )


def _like_relu(record: xr.Dataset) -> Verdict:
    steep = np.flatnonzero((record.gating == "soft-relu") & (record.beta >= STEEP))
    claim = f"networks with steep soft gates (beta at least {STEEP:g}) do as well as ReLU networks"
    soft = record.beta.values[record.gating.values == "soft-relu"]
    plain = [name for name in record.row.values if name in PLAIN]
    betas = None if len(steep) else holding("betas", [16.0], np.unique(soft))
    if why := lacking(holding("plain", ["relu"], plain), betas):
        return Verdict.not_judged(claim, why, kind="claim", source=SOURCE)
    relu, rows = best(record).sel(row="relu"), {}
    gaps = best(record).isel(row=steep) - relu
    for name, gap in zip(gaps.row.values, gaps.transpose("row", "seed").values, strict=True):
        rows[words(str(name))] = _near(0.0, gap, LIKE, "difference of the best test accuracy in points")
    means = gaps.mean("seed").values
    ends = f"{means.min():+.1f} to {means.max():+.1f} points".replace("-", "−")
    return Verdict.each(
        claim,
        rows,
        kind="claim",
        source=SOURCE,
        note=f"ReLU {spread(relu)} %; in the paper up to {LIKE:g} point apart; errors: 95 % intervals of {relu.size} seeds",
        found=f"gates with β ≥ {STEEP:g} are as good as ReLU ({ends})",
        otherwise=f"gates with β ≥ {STEEP:g} differ from ReLU ({ends})",
    )


def _near(predicted: float, values: np.ndarray, granted: float, of: str) -> Verdict:
    """A mean over seeds near to a number, with its 95 % interval as error; one seed decides nothing."""
    mean, low, high = mean_interval(values)
    if few := lacking(at_least("seeds", 2, values.size)):
        return undecided(few, Verdict.within("", predicted, mean, atol=granted, of=of))[0]
    return Verdict.within("", predicted, mean, atol=granted, error=(high - low) / 2, of=of)


def _selection(record: xr.Dataset) -> Verdict:
    """The paper reports the best epoch of each run, which it chooses on the test set."""
    gap = (best(record) - final(record)).transpose("row", "seed").values
    return Verdict.each(
        f"to choose the best epoch of a run on the test set adds at most {LIKE:g} point to its last epoch",
        {words(str(name)): _below(one) for name, one in zip(record.row.values, gap, strict=True)},
        kind="control",
        note=f"errors: one-sided 95 % intervals of {record.sizes['seed']} seeds",
    )


def _below(gap: np.ndarray) -> Verdict:
    mean, of = float(gap.mean()), "best less last test accuracy in points"
    if few := lacking(at_least("seeds", 2, gap.size)):
        return undecided(few, Verdict.below("", LIKE, mean, or_equal=True, of=of))[0]
    error = mean_interval(gap, one_sided=True).high - mean
    return Verdict.below("", LIKE, mean, or_equal=True, error=error, of=of)


def _table(record: xr.Dataset) -> Verdict:
    """Rows of the table beside the paper's test accuracies."""
    rows, test, last = {}, *(one.transpose("row", "seed").values for one in (best(record), final(record)))
    for name, tested, ended in zip(record.row.values, test, last, strict=True):
        if printed := paper(str(name)):
            of = f"mean over seeds of the best, in % (last {ended.mean():.2f}),"
            rows[words(str(name))] = _near(100 * printed[1], tested, WITHIN, of)
    if not rows:
        why = lacking(Need("a beta and an eps of the paper", "others", {"betas": [1.0, 16.0], "epsilons": [0.1]}))
        rows = {"": Verdict.not_judged("", why)}
    return Verdict.each(
        f"table 4: best test accuracy (%) of every network on CIFAR-10 is the paper's, within {WITHIN:g} points",
        rows,
        kind="reproduction",
        source=SOURCE,
        note=f"{record.sizes['seed']} seeds; {layout_text(record)}; errors: 95 % intervals",
    )


def _learned(record: xr.Dataset) -> Verdict:
    gated = record.isel(row=np.flatnonzero(record.gating.values != "linear"))
    train = 100 * gated.train_accuracy.max("step").mean("seed").values
    of = "mean over seeds of the best training accuracy, in %,"
    return Verdict.each(
        "all networks with gates learn the training set of CIFAR-10",
        {
            words(str(name)): Verdict.above("", TRAINED, one, or_equal=True, of=of)
            for name, one in zip(gated.row.values, train, strict=True)
        },
        kind="reproduction",
        source=SOURCE,
        note=f"{record.attrs['epochs']} epochs; the paper gives {TRAINED:g} % for each",
    )
