"""What the table says, row by row beside the paper's, and of its trend with beta."""

from itertools import pairwise

import numpy as np
import xarray as xr

from gatefield.experiments.convolution.colour_images import layout_text, unlike_the_paper
from gatefield.experiments.convolution.soft_gates_table.rows import PLAIN, best, final, paper, words
from gatefield.experiments.deep.digits.verdicts import exceeds, spread
from gatefield.experiments.needs import Need, holding, lacking, unjudged
from gatefield.lab import Verdict

WITHIN, LIKE = 2.0, 1.0
"""Points that a row may be away from the paper's, and means of the same law from each other."""
TRAINED, STEEP, CLIMB = 99.0, 12.0, 8.0
"""What counts as all learned, in percent; the least beta that counts as high; the beta up to which accuracy should rise."""
EPOCHS = 15
"""Trainings of fewer epochs are not laid beside the paper's."""
SOURCE = "paper 004, experiment 7, table 4"


def verdicts(record: xr.Dataset) -> list[Verdict]:
    """The trend with beta; and, at the size of the paper, each row."""
    trends = [part for eps, rows in _soft(record) for part in (*_trend(eps, rows), *_rising(eps, rows))]
    out = [*trends, *_like_relu(record), _selection(record)]
    known = {str(name): paper(str(name)) for name in record.row.values}
    rows = [_row(record.sel(row=name), name, *printed) for name, printed in known.items() if printed]
    return [*out, *unjudged(unlike_the_paper(record, EPOCHS), *rows, _learned(record))]


def _soft(record: xr.Dataset) -> list[tuple[float, xr.Dataset]]:
    """The soft rows of each eps, by increasing beta."""
    soft = record.isel(row=np.flatnonzero(record.gating.values == "soft-relu"))
    return [(e, soft.isel(row=np.flatnonzero(soft.eps.values == e))) for e in np.unique(soft.eps.values)]


def _trend(eps: float, rows: xr.Dataset) -> list[Verdict]:
    if rows.sizes["row"] < 2:
        why = lacking(holding("betas", [1.0, 16.0], rows.beta.values))
        return [Verdict.not_judged(f"eps = {eps:g}: steep gates generalise better", why, kind="claim", source=SOURCE)]
    test, beta = best(rows), rows.beta.values
    means = ", ".join(f"{b:g}: {spread(test.isel(row=i))}" for i, b in enumerate(beta))
    claim = (
        f"eps = {eps:g}: steep gates generalise better (best test accuracy, beta = {beta[-1]:g} against {beta[0]:g}, points)"
    )
    note = f"best test accuracy in % by beta: {means}"
    return [exceeds(claim, test.isel(row=-1), test.isel(row=0), note=note, kind="claim", source=SOURCE)]


def _rising(eps: float, rows: xr.Dataset) -> list[Verdict]:
    """Whether accuracy rises at each step; fewer than three values of beta show no course."""
    below = [b for b in rows.beta.values if b <= CLIMB]
    claim = f"eps = {eps:g}: best test accuracy rises from one beta to the next up to {CLIMB:g}"
    if len(below) < 3:
        more = {"betas": sorted({1.0, 2.0, 4.0, 8.0, *rows.beta.values.tolist()})}
        why = lacking(Need(f"three betas up to {CLIMB:g}", str(len(below)), more))
        return [Verdict.not_judged(claim, why, kind="claim", source=SOURCE)]
    drops = [float(a - b) for a, b in pairwise(best(rows).mean("seed").values[: len(below)])]
    values = ", ".join(f"{b:g}" for b in below)
    return [
        Verdict.below(
            f"{claim} ({values})",
            0.0,
            max(drops),
            of="largest drop of the mean, in points,",
            kind="claim",
            source=SOURCE,
            note="by " + ", ".join(f"{-d:.2f}" for d in drops) + " points",
        )
    ]


def _like_relu(record: xr.Dataset) -> list[Verdict]:
    steep = np.flatnonzero((record.gating == "soft-relu") & (record.beta >= STEEP))
    claim = f"networks with steep soft gates (beta at least {STEEP:g}) do as well as ReLU networks"
    soft = record.beta.values[record.gating.values == "soft-relu"]
    plain = [name for name in record.row.values if name in PLAIN]
    betas = None if len(steep) else holding("betas", [16.0], np.unique(soft))
    if why := lacking(holding("plain", ["relu"], plain), betas):
        return [Verdict.not_judged(claim, why, kind="claim", source=SOURCE)]
    relu = best(record).sel(row="relu")
    mean = (best(record).isel(row=steep) - relu).mean("seed")
    each = ", ".join(f"{words(str(r))}: {float(g):+.2f}" for r, g in zip(mean.row.values, mean.values, strict=True))
    return [
        Verdict.within(
            claim,
            0.0,
            float(mean[int(np.abs(mean.values).argmax())]),
            atol=LIKE,
            of="largest mean difference of the best test accuracy, in points,",
            kind="claim",
            source=SOURCE,
            note=f"ReLU {spread(relu)} %; differences {each}",
        )
    ]


def _selection(record: xr.Dataset) -> Verdict:
    gap = (best(record) - final(record)).mean("seed")
    return Verdict.below(
        "the best of a run, chosen on the test set, tells the same as its end",
        LIKE,
        float(gap.max()),
        predicted=0.0,
        or_equal=True,
        of="largest mean difference over rows, in points,",
        kind="control",
        note="; ".join(f"{words(str(r))} {float(g):.2f}" for r, g in zip(gap.row.values, gap.values, strict=True)),
    )


def _row(one: xr.Dataset, name: str, trained: float, tested: float) -> Verdict:
    """A row of the table beside the paper's training and test accuracy."""
    test, train = best(one), 100 * one.train_accuracy.max("step")
    return Verdict.within(
        f"{words(name)}: best test accuracy (%)",
        100 * tested,
        float(test.mean()),
        atol=WITHIN,
        of="mean over seeds",
        kind="reproduction",
        source=SOURCE,
        note=f"test best {spread(test)}, final {spread(final(one))} (paper, best: {100 * tested:.1f}); training best "
        f"{spread(train)}, final {spread(final(one, 'train_accuracy'))} (paper {100 * trained:.1f}); "
        f"{one.sizes['seed']} seeds; {layout_text(one)}",
    )


def _learned(record: xr.Dataset) -> Verdict:
    gated = record.isel(row=np.flatnonzero(record.gating.values != "linear"))
    train = 100 * gated.train_accuracy.max("step").mean("seed")
    worst = train[int(train.values.argmin())]
    return Verdict.above(
        "all networks with gates learn the training set",
        TRAINED,
        float(worst),
        or_equal=True,
        of="smallest mean over seeds of the best training accuracy, in %,",
        kind="reproduction",
        source=SOURCE,
        note=f"smallest for {words(str(worst.row.values))}, {record.attrs['epochs']} epochs",
    )
