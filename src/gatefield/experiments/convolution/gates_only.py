"""CIFAR-10 learned through the gates alone: the strengths stay as they were drawn."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from scipy import stats

from gatefield.experiments.convolution.colour_images import (
    ImageSettings,
    Sigma,
    as_in_the_paper,
    conv_net,
    fit,
    layout,
    layout_text,
    task_of,
)
from gatefield.experiments.deep.digits import verdicts as say
from gatefield.experiments.deep.digits.images import Law
from gatefield.lab.bench import Bench
from gatefield.lab.experiment import Experiment
from gatefield.lab.kinds import Count, Rate, Rates
from gatefield.lab.verdict import Verdict

PAPER, WITHIN, CHANCE = 56.0, 3.0, 10.0
"""Test accuracy in percent, the points by which ours may be off, and that of a guess among ten classes."""
FROZEN = "gates frozen, strengths trained"


class Settings(ImageSettings):
    """`betas`: steepness of the trained gates. `eps`: their excess over 1. `galu`: whether the counterpart is trained too."""

    betas: Rates = (1.0, 4.0, 8.0)
    eps: Rate = 0.1
    galu: bool = True
    init: Law = "gaussian"
    sigma: Sigma = "he"
    bias: bool = False
    epochs: Count = 40


def simulate(parameters: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    p, task = parameters, task_of(parameters)
    nets: dict[str, Any] = {f"beta={b:g}": conv_net(p, "gates-only", beta=b, eps=p.eps) for b in p.betas}
    nets |= {"galu": conv_net(p, "galu")} if p.galu else {}
    found = [fit(bench, name, net, task, p) for name, net in nets.items()]
    return xr.concat(found, xr.Variable("net", list(nets))).assign_attrs(layout(p))


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    test = 100 * record.test_accuracy
    trained = [str(n) for n in record.net.values if n != "galu"]
    out = [_learns(test.sel(net=n), n) for n in trained]
    if as_in_the_paper(record, 1):
        out += [_near(test.sel(net=n), n, layout_text(record)) for n in trained]
    if "galu" in record.net.values and record.sizes["seed"] > 1:
        end = test.isel(step=-1)
        out += [_which(end.sel(net="galu"), end.sel(net=n), n) for n in trained]
    return out


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(10.0, 4.2))
    panels: Any = figure.subplots(1, 2)
    for axes, letter, name, label in zip(panels, "ab", ("test_accuracy", "train_accuracy"), ("test", "training"), strict=True):
        for at, net in enumerate(record.net.values):
            one = 100 * record[name].sel(net=net)
            axes.plot(one.epoch, one.mean("seed"), f"{'osD^v'[at % 5]}-", color=f"C{at}", markersize=4, label=_name(str(net)))
            axes.fill_between(one.epoch, one.min("seed"), one.max("seed"), color=f"C{at}", alpha=0.2, linewidth=0)
        axes.set(xlabel="epoch", ylabel=f"{label} accuracy (%)", title=f"({letter}) {label} images", ylim=(0, None))
    if as_in_the_paper(record, 0):
        panels[0].axhline(PAPER, color="0.2", linestyle=":", linewidth=1.2, label="paper, gates trained")
    panels[0].legend(loc="lower right")
    return figure


def _name(net: str) -> str:
    return FROZEN if net == "galu" else f"gates trained, {net.replace('=', ' = ')}"


def _learns(test: xr.DataArray, net: str) -> Verdict:
    best = test.max("step")
    start, worst = test.isel(step=0), float(best.min())
    return Verdict.judged(
        f"{_name(net)}: a network learns through its gates alone",
        CHANCE,
        worst,
        "best test accuracy in %, in every seed, at least twice that of a guess",
        worst >= 2 * CHANCE,
        f"before training {say.spread(start)} %, best {say.spread(best)} %, final {say.spread(test.isel(step=-1))} %",
    )


def _which(strengths: xr.DataArray, gates: xr.DataArray, net: str) -> Verdict:
    """Which of both learns more, by the difference of each seed and its two-sided 95 % interval."""
    gap = (strengths - gates).values
    mean, half = float(gap.mean()), float(stats.t.ppf(0.975, len(gap) - 1) * gap.std(ddof=1) / np.sqrt(len(gap)))
    more = ("strengths learn more" if mean > 0 else "gates learn more") if abs(mean) > half else "neither is seen to learn more"
    return Verdict.judged(
        f"{_name(net)}, or strengths alone: which learns more is seen (final test accuracy, strengths less gates, points)",
        0.0,
        mean,
        "0 outside the 95 % interval of the mean difference over seeds, on either side",
        abs(mean) > half,
        f"{more}: strengths {say.spread(strengths)} %, gates {say.spread(gates)} %; difference {mean:.2f}, interval "
        f"{mean - half:.2f} to {mean + half:.2f}, {len(gap)} seeds",
    )


def _near(test: xr.DataArray, net: str, where: str) -> Verdict:
    best, end = test.max("step"), test.isel(step=-1)
    mean = float(best.mean("seed"))
    return Verdict.judged(
        f"{_name(net)}: test accuracy (%)",
        PAPER,
        mean,
        f"mean over seeds of the best within {WITHIN:g} points of the paper's",
        abs(mean - PAPER) <= WITHIN,
        f"best {say.spread(best)}, final {say.spread(end)}, {best.sizes['seed']} seeds, {np.size(test.step) - 1} epochs; "
        f"{where}",
    )


experiment = Experiment(
    name="gates-only",
    title="CIFAR-10: a network that learns through its gates alone",
    source="paper 004, experiment 6",
    text="Two convolutional networks of the same layers: one decides the gates, the other, whose weights are the "
    "strengths, makes the output behind them. Here the strengths stay as they were drawn, and only the weights that "
    "decide the gates are trained. The paper reports 56 % on the test images. It writes beta = infinity, but a hard "
    "gate has no gradient, so that nothing could be trained; here gates are (1 + eps) sigmoid(beta q), trained by "
    "Adam, 3e-4, with the layers and batches of soft-gates-table. Weights are normal with sigma = sqrt(2/fan-in), "
    "without biases: the strengths set the scale of the output for good, and the smaller Glorot weights leave it too "
    "small. Beside it the counterpart: hard gates of a random network, frozen, and strengths trained. (a) test "
    "accuracy over epochs, mean over seeds, the range of seeds as a band; dotted, the paper's number. (b) the same on"
    " training images.",
    Parameters=Settings,
    presets={
        "full": {},
        "quick": {
            "samples": 3_000,
            "tested": 2_000,
            "channels": (8, 8, 16, 16),
            "dense": (64, 64),
            "stride": (2, 1, 2, 1),
            "epochs": 6,
            "batch_size": 32,
            "learning_rate": 3e-3,
            "precision": "float32",
            "seeds": 2,
            "betas": (1.0, 8.0),
        },
    },
    durations={"quick": "1 min", "full": "days, or 10 minutes on a large GPU"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
