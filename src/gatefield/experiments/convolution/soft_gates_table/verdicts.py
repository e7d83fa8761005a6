"""What the table says, row by row beside the paper's, and of its trend with beta."""

from itertools import pairwise

import numpy as np
import xarray as xr

from gatefield.experiments.convolution.colour_images import as_in_the_paper, layout_text
from gatefield.experiments.convolution.soft_gates_table.rows import best, final, paper, words
from gatefield.experiments.deep.digits import verdicts as say
from gatefield.lab.verdict import Verdict

WITHIN, TRAINED, STEEP, CLIMB = 2.0, 99.0, 12.0, 8.0
"""Points that a row may be away from the paper's; what counts as all learned; the least beta that counts as high; the beta up
to which accuracy should rise."""


def judge(record: xr.Dataset) -> list[Verdict]:
    """The trend with beta; and, at the size of the paper, each row."""
    out = [*_trends(record), *_like_relu(record), _selection(record)]
    if as_in_the_paper(record, 15):
        out += [*_rows(record), *_learned(record)]
    return out


def _soft(record: xr.Dataset) -> list[tuple[float, xr.Dataset]]:
    """The soft rows of each eps, by increasing beta."""
    soft = record.isel(row=np.flatnonzero(record.gating.values == "soft-relu"))
    return [(e, soft.isel(row=np.flatnonzero(soft.eps.values == e))) for e in np.unique(soft.eps.values)]


def _trends(record: xr.Dataset) -> list[Verdict]:
    out = []
    for eps, rows in _soft(record):
        test = best(rows)
        if rows.sizes["row"] < 2:
            continue
        means = ", ".join(f"{b:g}: {say.spread(test.isel(row=i))}" for i, b in enumerate(rows.beta.values))
        low, high = test.isel(row=0), test.isel(row=-1)
        out.append(
            say.exceeds(
                f"eps = {eps:g}: steep gates generalise better (best test accuracy, beta = {float(rows.beta[-1]):g} against "
                f"{float(rows.beta[0]):g}, percentage points)",
                high,
                low,
                note=f"best test accuracy in % by beta: {means}",
            )
        )
        out += _rising(eps, rows, test)
    return out


def _rising(eps: float, rows: xr.Dataset, test: xr.DataArray) -> list[Verdict]:
    """Whether accuracy rises at each step; fewer than three values of beta show no course."""
    means = test.mean("seed").values
    below = [b for b in rows.beta.values if b <= CLIMB]
    if len(below) < 3:
        return []
    drops = [float(a - b) for a, b in pairwise(means[: len(below)])]
    return [
        Verdict.judged(
            f"eps = {eps:g}: best test accuracy rises from one beta to the next up to {CLIMB:g} "
            f"({', '.join(f'{b:g}' for b in below)})",
            0.0,
            max(drops),
            "the largest drop of the mean from one beta to the next, in points, below 0",
            max(drops) < 0,
            "by " + ", ".join(f"{-d:.2f}" for d in drops) + " points",
        )
    ]


def _like_relu(record: xr.Dataset) -> list[Verdict]:
    if "relu" not in record.row.values:
        return []
    relu, steep = best(record).sel(row="relu"), np.flatnonzero((record.gating == "soft-relu") & (record.beta >= STEEP))
    if not len(steep):
        return []
    gaps = best(record).isel(row=steep) - relu
    mean = gaps.mean("seed")
    worst = float(mean[int(np.abs(mean.values).argmax())])
    return [
        Verdict.judged(
            f"networks with steep soft gates (beta at least {STEEP:g}) do as well as ReLU networks",
            0.0,
            worst,
            "largest mean difference of the best test accuracy, in points, within 1",
            abs(worst) <= 1,
            f"ReLU {say.spread(relu)} %; differences "
            + ", ".join(f"{words(str(r))}: {float(g):+.2f}" for r, g in zip(mean.row.values, mean.values, strict=True)),
        )
    ]


def _selection(record: xr.Dataset) -> Verdict:
    gap = (best(record) - final(record)).mean("seed")
    worst = int(np.argmax(gap.values))
    return Verdict.judged(
        "the best of a run, chosen on the test set, tells the same as its end",
        0.0,
        float(gap[worst]),
        "largest mean difference over rows, in points, within 1",
        bool(gap[worst] <= 1),
        "; ".join(f"{words(str(r))} {float(g):.2f}" for r, g in zip(gap.row.values, gap.values, strict=True)),
    )


def _rows(record: xr.Dataset) -> list[Verdict]:
    out = []
    for name in record.row.values:
        known, one = paper(str(name)), record.sel(row=name)
        if known is None:
            continue
        test, train = best(one), 100 * one.train_accuracy.max("step")
        out.append(
            Verdict.judged(
                f"{words(str(name))}: best test accuracy (%)",
                100 * known[1],
                float(test.mean()),
                f"mean within {WITHIN:g} points of the paper's",
                abs(float(test.mean()) - 100 * known[1]) <= WITHIN,
                f"test best {say.spread(test)}, final {say.spread(final(one))} (paper, best: {100 * known[1]:.1f}); training "
                f"best {say.spread(train)}, final {say.spread(final(one, 'train_accuracy'))} (paper {100 * known[0]:.1f}); "
                f"{one.sizes['seed']} seeds; {layout_text(record)}",
            )
        )
    return out


def _learned(record: xr.Dataset) -> list[Verdict]:
    gated = record.isel(row=np.flatnonzero(record.gating.values != "linear"))
    train = 100 * gated.train_accuracy.max("step").mean("seed")
    worst = int(train.values.argmin())
    return [
        Verdict.judged(
            "all networks with gates learn the training set",
            TRAINED,
            float(train[worst]),
            "smallest mean over seeds of the best training accuracy, in %, at least that",
            bool(train[worst] >= TRAINED),
            f"smallest for {words(str(train.row.values[worst]))}, {record.attrs['epochs']} epochs",
        )
    ]
