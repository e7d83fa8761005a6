"""MNIST with true labels, random labels and random pixels: networks with adapting and with frozen gates."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from pydantic import Field

from gatefield.core.intervals import mean_interval
from gatefield.data import Dataset, Images
from gatefield.experiments.deep.digits.images import WHOLE, DigitSettings, fit, images, measured, seed_keys
from gatefield.experiments.deep.digits.pair import seeds_text
from gatefield.experiments.deep.digits.verdicts import exceeds, generalises, spread
from gatefield.experiments.needs import at_least, exactly, lacking, unjudged
from gatefield.lab import Bench, Experiment, Verdict
from gatefield.lab.kinds import Count
from gatefield.nets import DeepGated
from gatefield.plot import accuracy_panel, over_epochs

NETS = {"galu": "GaLU, frozen gates", "relu": "ReLU"}
PAPER, WITHIN = {"galu": 96.5, "relu": 98.5}, 1.0
"""The paper's test accuracies in percent, "around", and the points by which ours may be off."""
TRAINED = 99.0
"""What counts as "close to 100 %"."""
WIDTHS, EPOCHS = (512, 512, 256, 256, 128, 64), 50
"""The paper's hidden layers; trainings of fewer epochs are not laid beside its numbers."""
SOURCE = "paper 004, figure 5 and the paragraph beside it"
EARLY = "early_accuracy"
TASKS = {"true": "true labels", "labels": "random labels", "pixels": "random pixels"}


class Settings(DigitSettings):
    """The `widths` of the hidden layers; the ten outputs make one layer more. Random labels and pixels are drawn once.

    The first `early_epochs` are looked at `early_records` times: a second training with the same numbers, which ends there.
    """

    widths: Annotated[tuple[Count, ...], Field(min_length=1)] = WIDTHS
    records: Count = 50
    early_epochs: Count = 2
    early_records: Count = 40


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    by_task = [_one_task(p, bench, task, found) for task, found in _tasks(p).items()]
    return xr.concat(by_task, xr.Variable("task", list(TASKS))).assign_attrs(samples=p.samples, widths=list(p.widths))


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    true = record.sel(task="true")
    claim = "true labels: a ReLU network generalises better than a GaLU network"
    out = [generalises(claim, true, "relu", "galu", NETS, source=SOURCE), *(_faster(record, task) for task in TASKS)]
    out += [_faster_at_first(record, task) for task in TASKS]
    beside = [*(_near(true.sel(net=net), net) for net in NETS), *(_fits(record, task) for task in TASKS)]
    return [*out, *unjudged(_unlike_the_paper(record), *beside)]


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(13.0, 6.8))
    panels: Any = figure.subplots(2, 3).ravel()
    for axes, letter, (task, name) in zip(panels, "abc", TASKS.items(), strict=False):
        over_epochs(axes, 100 * record.train_accuracy.sel(task=task), NETS)
        axes.set(ylabel="training accuracy (%)", title=f"({letter}) {name}", ylim=(0, 103))
    panels[0].legend(loc="lower right", title=seeds_text(record))
    accuracy_panel(panels[3], record.test_accuracy.sel(task="true"), NETS, "(d) true labels, test set")
    _paper_lines(panels[3])
    if EARLY in record:  # records of before have none
        _early_panels(panels[4], panels[5], record)
    else:
        panels[4].remove()
        panels[5].remove()
    return figure


def _tasks(p: Settings) -> dict[str, Images]:
    plain = images(p)
    return {"true": plain, "labels": plain.random_labels(seed=p.seed), "pixels": plain.random_pixels(seed=p.seed)}


def _one_task(p: Settings, bench: Bench, name: str, found: Images) -> xr.Dataset:
    task, no_test = found.dataset(), Dataset(found.x, found.y)  # early looks cost little without the test set
    first = p.model_copy(update={"epochs": min(p.early_epochs, p.epochs), "records": p.early_records})
    parts: list[xr.Dataset] = []
    for gating in NETS:
        net = DeepGated(task.n, p.widths, gating=gating, outputs=10, init=p.init, key=seed_keys(p)[0])
        kept = measured(fit(bench, f"{name}-{gating}", net, task, p, loss="cross-entropy")[1])
        early = fit(bench, f"{name}-{gating}-early", net, no_test, first, loss="cross-entropy")[1]
        parts.append(kept.merge(_early(early)))
    return xr.concat(parts, xr.Variable("net", list(NETS)))


def _early(record: xr.Dataset) -> xr.Dataset:
    """The training accuracies of the first epochs, on an axis of their own."""
    early = record.train_accuracy.rename(EARLY, step="early_step", epoch="early_epoch")
    return early.assign_attrs(long_name="training accuracy in the first epochs").to_dataset()


def _unlike_the_paper(record: xr.Dataset) -> str:
    """Why numbers are not laid beside the paper's, unless it is all of MNIST, its widths, and long enough."""
    here, epochs = record.attrs, round(float(record.epoch[-1]), 1)
    widths = exactly("widths", WIDTHS, tuple(here["widths"]))
    return lacking(at_least("samples", WHOLE, here["samples"]), widths, at_least("epochs", EPOCHS, epochs))


def _faster(record: xr.Dataset, task: str) -> Verdict:
    mean = record.train_accuracy.sel(task=task).mean("step")
    galu, relu = mean.sel(net="galu"), mean.sel(net="relu")
    return exceeds(
        f"{TASKS[task]}: a GaLU network trains faster than a ReLU network",
        galu,
        relu,
        scale=100,
        of="difference of training accuracies, means over all records, in percentage points",
        kind="claim",
        source=SOURCE,
        note=f"GaLU {spread(galu, 100)}, ReLU {spread(relu, 100)}",
    )


def _faster_at_first(record: xr.Dataset, task: str) -> Verdict:
    """By the mean over the first epochs, in which the curves part, if anywhere; the start, which is chance, does not count."""
    claim = f"{TASKS[task]}: in the first epochs a GaLU network trains faster than a ReLU network"
    if EARLY not in record:
        return Verdict.not_judged(
            claim, "the record has no looks within the first epochs; run it again", kind="claim", source=SOURCE
        )
    early = record[EARLY].sel(task=task).isel(early_step=slice(1, None))
    galu, relu = (early.sel(net=net).mean("early_step") for net in ("galu", "relu"))
    gap, ahead = 100 * (galu - relu), (early.sel(net="galu") > early.sel(net="relu")).mean()
    both = mean_interval(gap.values)
    return exceeds(
        claim,
        galu,
        relu,
        scale=100,
        of=f"difference of training accuracies, means over {float(early.early_epoch[-1]):.3g} epochs, in percentage points",
        kind="claim",
        source=SOURCE,
        note=f"{early.sizes['early_step']} looks; GaLU {spread(galu, 100)}, ReLU {spread(relu, 100)}; two-sided 95 % interval "
        f"of the difference {both.low:.3g} to {both.high:.3g}; GaLU is ahead in {float(ahead):.0%} of looks and seeds",
    )


def _near(one: xr.Dataset, net: str) -> Verdict:
    test = one.test_accuracy.isel(step=-1)
    return Verdict.within(
        f"{NETS[net]}, true labels: the test accuracy is the paper's, around {PAPER[net]:g} %",
        PAPER[net],
        100 * float(test.mean("seed")),
        atol=WITHIN,
        of="mean over seeds, in %,",
        kind="reproduction",
        source=SOURCE,
        note=f"{spread(test, 100)} % over {test.sizes['seed']} seeds",
    )


def _fits(record: xr.Dataset, task: str) -> Verdict:
    end = record.train_accuracy.sel(task=task).isel(step=-1)
    each = ", ".join(f"{name} {spread(end.sel(net=net), 100)} %" for net, name in NETS.items())
    return Verdict.above(
        f"{TASKS[task]}: both networks come close to 100 % on the training set",
        TRAINED,
        100 * float(end.min()),
        predicted=100.0,
        or_equal=True,
        of="training accuracy of the worst seed and network, in %,",
        kind="reproduction",
        source=SOURCE,
        note=f"after {float(record.epoch[-1]):.0f} epochs: {each}",
    )


def _early_panels(curves: Any, gaps: Any, record: xr.Dataset) -> None:
    """The first epochs with true labels, and by how much GaLU is ahead in all tasks: mean over seeds and its interval."""
    early = 100 * record[EARLY].rename(early_step="step", early_epoch="epoch")
    over_epochs(curves, early.sel(task="true"), NETS)
    curves.set(ylabel="training accuracy (%)", title="(e) true labels, first epochs")
    ahead = early.sel(net="galu") - early.sel(net="relu")
    for at, (task, name) in enumerate(TASKS.items(), 2):
        each = [mean_interval(ahead.sel(task=task, step=step).values) for step in ahead.step]
        mean, low, high = np.array(each).T
        gaps.plot(ahead.epoch, mean, "osD"[at - 2] + "-", color=f"C{at}", markersize=3.5, linewidth=1.4, label=name)
        if record.sizes["seed"] > 1:
            gaps.fill_between(ahead.epoch, low, high, color=f"C{at}", alpha=0.2, linewidth=0)
    gaps.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
    gaps.set(xlabel="epoch", ylabel="GaLU less ReLU (points)", title="(f) training accuracy, difference")
    low, high = gaps.get_ylim()
    gaps.set_ylim(low, high + 0.45 * (high - low))  # room for the legend
    gaps.legend(title=f"mean of {record.sizes['seed']} seeds, 95 % interval", loc="upper right")


def _paper_lines(axes: Any) -> None:
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, 96.2), max(high, 98.8))
    for at, net in enumerate(NETS):
        axes.axhline(PAPER[net], color=f"C{at}", linestyle=":", linewidth=1.2)
        axes.text(1.01, PAPER[net], "paper", transform=axes.get_yaxis_transform(), color=f"C{at}", va="center", fontsize=9)


experiment = Experiment(
    name="mnist-galu",
    title="MNIST: do frozen gates fit, and generalise, as well as ReLU?",
    source=SOURCE,
    text="A ReLU network, and a GaLU network, whose gates come from a second, random network that stays frozen, are trained on "
    "MNIST: with its own labels, with random labels, and with random pixels. The paper reports that both come close to 100 % "
    "on the training set, GaLU a bit faster, but that on test images ReLU is right more often. It does not name optimiser, "
    "rate, batch, epochs or initial weights; at full size they are RMSprop, 1e-4, 128, 100, and normal weights with "
    "sigma = sqrt(2/fan-in), without biases; the loss is the cross-entropy. Both networks of a seed start from the same "
    "weights and see the same batches. With true labels both are near their end after few epochs, so that the first ones are "
    "also looked at many times. The paper's numbers belong to the full setting.",
    Parameters=Settings,
    presets={
        "full": {},
        "quick": {
            "samples": 4_000,
            "widths": (96, 96, 64, 32),
            "epochs": 12,
            "learning_rate": 1e-3,
            "seeds": 3,
            "records": 12,
            "early_records": 20,
        },
    },
    durations={"quick": "50 s", "full": "4 h, or minutes on a large GPU"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
