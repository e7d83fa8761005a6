"""MNIST with true labels, random labels and random pixels: networks with adapting and with frozen gates."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from pydantic import Field

from gatefield.core.intervals import mean_interval
from gatefield.data import Dataset, Images
from gatefield.experiments.deep.digits.images import WHOLE, DigitSettings, fit, images, measured
from gatefield.experiments.deep.digits.verdicts import generalises
from gatefield.experiments.starts import seed_keys
from gatefield.lab import Bench, Experiment, Verdict, exceeds
from gatefield.lab.kinds import Count
from gatefield.lab.needs import at_least, exactly, lacking, unjudged
from gatefield.nets import DeepGated, Gating
from gatefield.plot import COLOURS, WIDTH, end_labels, legend_below, letter, over_epochs, plain_log_scale, say_setting

NETS = {"galu": "GaLU, frozen gates", "relu": "ReLU"}
PAPER, WITHIN = {"galu": 96.5, "relu": 98.5}, 1.0
"""The paper's test accuracies in percent, "around", and the points by which ours may be off."""
TRAINED = 99.0
"""What counts as "close to 100 %"."""
WIDTHS, EPOCHS = (512, 512, 256, 256, 128, 64), 50
"""The paper's hidden layers; trainings of fewer epochs are not laid beside its numbers."""
SOURCE = "paper 004, figure 5 and the paragraph beside it"
EARLY = "early_accuracy"
LEAST = 0.01
"""Errors below, in percent, are drawn there."""
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
    wrong = 100 * (1 - true.test_accuracy.isel(step=-1).mean("seed"))
    noise = 100 * (1 - record.sel(task="labels").train_accuracy.isel(step=-1).mean("seed"))
    beyond = ", which fit all training data better" if all(_fits_better(record, task) for task in TASKS) else ""
    ends = f"({_errors(wrong.sel(net='relu'))}, not {_errors(wrong.sel(net='galu'))}){beyond}"
    left = f"(random labels: {_errors(noise.sel(net='galu'))}, ReLU {_errors(noise.sel(net='relu'))})"
    beside = [
        Verdict.each(
            "with true labels the test accuracies of GaLU and ReLU networks are the paper's",
            {name: _near(true.sel(net=net), net) for net, name in NETS.items()},
            kind="reproduction",
            source=SOURCE,
            note=f"the paper says around; {record.sizes['seed']} seeds",
        ),
        Verdict.each(
            "GaLU and ReLU networks come close to 100 % on the training set",
            {name: _fits(record, task) for task, name in TASKS.items()},
            kind="reproduction",
            source=SOURCE,
            note=f"after {float(record.epoch[-1]):.0f} epochs; training accuracy of the worst seed and network",
        ),
    ]
    return [
        generalises(
            "with true labels a ReLU network is right on more test digits than a GaLU network",
            true,
            "relu",
            "galu",
            NETS,
            source=SOURCE,
            found=f"ReLU has fewer test errors than frozen random gates {ends}",
            otherwise=f"ReLU has no fewer test errors than frozen random gates {ends}",
        ),
        Verdict.each(
            "a GaLU network trains faster than a ReLU network",
            {name: _faster(record, task) for task, name in TASKS.items()},
            kind="claim",
            source=SOURCE,
            note=f"training accuracy, mean over all records; one-sided 95 % intervals of {record.sizes['seed']} seeds",
            found=f"frozen gates train faster {left}",
            otherwise=f"frozen gates are not always faster {left}",
        ),
        _faster_at_first(record),
        *unjudged(_unlike_the_paper(record), *beside),
    ]


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(WIDTH, 5.4))
    body: Any = figure.subfigures()  # with a legend of its own, apart from the setting
    panels = body.subplots(2, 3)
    test, *training = panels.ravel()[:4]
    _error_panel(test, record.test_accuracy.sel(task="true"), "test errors (%)", PAPER)
    for axes, task in zip(training, TASKS, strict=True):
        _error_panel(axes, record.train_accuracy.sel(task=task), "training errors (%)")
    titles = [_test_words(record), *[_fit_words(record, task) for task in TASKS]]
    if EARLY in record:  # records of before have none
        _early_panels(panels[1, 1], panels[1, 2], record)
        letter(panels, [*titles, "first epochs,\ntrue labels", "training data:\nabove 0: GaLU ahead"])
    else:
        for axes in panels.ravel()[4:]:
            axes.remove()
        letter(panels.ravel()[:4], titles)
    legend_below(body, training[0], *panels.ravel()[5:])
    size = f"MNIST, {min(record.attrs['samples'], WHOLE):,} images", f"{float(record.epoch[-1]):.0f} epochs"
    bands = "bands: standard error, in (f) 95 % interval"
    say_setting(figure, *size, f"{record.sizes['seed']} seeds", "lines: mean", bands, _paper_words(record))
    return figure


def _fits_better(record: xr.Dataset, task: str) -> bool:
    """Whether frozen gates end with fewer training errors."""
    end = record.train_accuracy.sel(task=task).isel(step=-1).mean("seed")
    return bool(end.sel(net="galu") > end.sel(net="relu"))


def _fit_words(record: xr.Dataset, task: str) -> str:
    """Which of both fits one kind of data better in the end."""
    return f"{TASKS[task]}: " + ("frozen\ngates fit better" if _fits_better(record, task) else "ReLU\nfits better")


def _test_words(record: xr.Dataset) -> str:
    """Which of both is right on more test images in the end."""
    end = record.test_accuracy.sel(task="true").isel(step=-1).mean("seed")
    first = float(end.sel(net="relu")) > float(end.sel(net="galu"))
    return "test set: ReLU\nhas fewer errors" if first else "test set: frozen\ngates have fewer errors"


def _errors(percent: Any) -> str:
    return f"{float(percent):.2g} %" if float(percent) > LEAST else f"<{LEAST:g} %"


def _error_panel(axes: Any, accuracy: xr.DataArray, name: str, paper: Mapping[str, float] | None = None) -> None:
    """What is wrong, in percent, on a logarithmic axis; what is less than one in ten thousand is drawn there."""
    wrong = (100 * (1 - accuracy.isel(step=slice(1, None)))).clip(LEAST)
    over_epochs(axes, wrong, NETS)
    plain_log_scale(axes)
    axes.set_ylabel(name)
    axes.set_xlim(left=0)
    if paper:
        _paper_lines(axes, paper)
    ends = wrong.isel(step=-1).mean("seed").sel(net=list(NETS)).values.tolist()
    words, printed = [_errors(end).removesuffix(" %") for end in ends], [100 - paper[net] for net in NETS] if paper else []
    words += [f"paper\u00a0{end:.2g}" for end in printed]
    end_labels(axes, [*ends, *printed], words, ["C0", "C1", "C0", "C1"][: len(words)])


def _tasks(p: Settings) -> dict[str, Images]:
    plain = images(p)
    return {"true": plain, "labels": plain.random_labels(seed=p.seed), "pixels": plain.random_pixels(seed=p.seed)}


def _one_task(p: Settings, bench: Bench, name: str, found: Images) -> xr.Dataset:
    task, no_test = found.dataset(), Dataset(found.x, found.y)  # early looks cost little without the test set
    first = p.model_copy(update={"epochs": min(p.early_epochs, p.epochs), "records": p.early_records})
    parts: list[xr.Dataset] = []
    for gating in NETS:
        net = DeepGated(task.n, p.widths, gating=cast(Gating, gating), outputs=10, init=p.init, key=seed_keys(p)[0])
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
    of = "GaLU less ReLU in percentage points"
    return exceeds("", mean.sel(net="galu"), mean.sel(net="relu"), scale=100, of=of, note="")


def _faster_at_first(record: xr.Dataset) -> Verdict:
    """By the mean over the first epochs, in which the curves part, if anywhere; the start, which is chance, does not count."""
    claim = "in the first epochs a GaLU network trains faster than a ReLU network"
    words: Any = {"kind": "claim", "source": SOURCE}
    if EARLY not in record:
        return Verdict.not_judged(claim, "the record has no looks within the first epochs; run it again", **words)
    early, rows = record[EARLY].isel(early_step=slice(1, None)), {}
    for task, name in TASKS.items():
        galu, relu = (early.sel(task=task, net=net) for net in ("galu", "relu"))
        of = f"GaLU less ReLU in percentage points (ahead in {float((galu > relu).mean()):.0%} of looks)"
        rows[name] = exceeds("", galu.mean("early_step"), relu.mean("early_step"), scale=100, of=of, note="")
    note = f"mean of {early.sizes['early_step']} looks within {float(early.early_epoch[-1]):.3g} epochs"
    return Verdict.each(claim, rows, note=f"{note}; one-sided 95 % intervals of {record.sizes['seed']} seeds", **words)


def _near(one: xr.Dataset, net: str) -> Verdict:
    test = 100 * one.test_accuracy.isel(step=-1)
    return Verdict.within("", PAPER[net], test.mean("seed"), atol=WITHIN, of="test accuracy in %")


def _fits(record: xr.Dataset, task: str) -> Verdict:
    worst = 100 * float(record.train_accuracy.sel(task=task).isel(step=-1).min())
    return Verdict.above("", TRAINED, worst, predicted=100.0, or_equal=True, of="training accuracy in %")


def _early_panels(curves: Any, gaps: Any, record: xr.Dataset) -> None:
    """The first epochs with true labels, and by how much GaLU is ahead in all tasks: mean over seeds and its interval."""
    early = 100 * record[EARLY].rename(early_step="step", early_epoch="epoch")
    over_epochs(curves, 100 - early.sel(task="true"), NETS)
    curves.set(ylabel="training errors (%)")
    ahead = early.sel(net="galu") - early.sel(net="relu")
    for (task, name), colour, mark in zip(TASKS.items(), COLOURS[2:5], "osD", strict=True):
        each = [mean_interval(ahead.sel(task=task, step=step).values) for step in ahead.step]
        mean, low, high = np.array(each).T
        every = max(1, len(mean) // 8)
        look: Any = {"color": colour, "markersize": 3.5, "markevery": every, "linewidth": 1.3, "label": f"(f) {name}"}
        gaps.plot(ahead.epoch, mean, mark + "-", **look)
        if record.sizes["seed"] > 1:
            gaps.fill_between(ahead.epoch, low, high, color=colour, alpha=0.2, linewidth=0)
    gaps.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
    gaps.set(xlabel="epoch", ylabel="GaLU less ReLU (points)")


def _paper_words(record: xr.Dataset) -> str:
    """Of what the paper's numbers are, if not of as many images."""
    fewer = record.attrs["samples"] < WHOLE
    return "dotted: the paper's numbers" + (f", from {WHOLE:,} images" if fewer else "")


def _paper_lines(axes: Any, paper: Mapping[str, float]) -> None:
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, 1.2), max(high, 4.5))
    for at, net in enumerate(NETS):
        axes.axhline(100 - paper[net], color=f"C{at}", linestyle=":", linewidth=1.2)


experiment = Experiment(
    name="mnist-galu",
    title="MNIST: do frozen gates fit, and generalise, as well as ReLU?",
    source=SOURCE,
    text="A ReLU network, and a GaLU network, whose gates come from a second, random network that stays frozen, are trained on "
    "MNIST: with its own labels, with random labels, and with random pixels. The paper names no optimiser, rate, batch, epochs "
    "or initial weights; at full size they are RMSprop, 1e-4, 128, 100, and normal weights with sigma = sqrt(2/fan-in), "
    "without biases. Both networks of a seed start from the same weights and see the same batches.",
    caption="(a) Errors on the test set with true labels; dotted: the paper's numbers, of its full setting. (b) to (d) Errors "
    "on the training set: (b) true labels, (c) random labels, (d) random pixels. (e) The first epochs with true labels. (f) By "
    "how much GaLU is ahead of ReLU on the training set in the first epochs, for all three tasks. Numbers beside lines are "
    "those at the end.",
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
