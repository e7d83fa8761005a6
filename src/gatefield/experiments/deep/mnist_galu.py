"""MNIST with true labels, random labels and random pixels: networks with adapting and with frozen gates."""

from collections.abc import Sequence
from typing import Annotated, Any

import xarray as xr
from matplotlib.figure import Figure
from pydantic import Field

from gatefield.data import Images
from gatefield.experiments.deep.digits import verdicts as say
from gatefield.experiments.deep.digits.figure import accuracy_panel, over_epochs
from gatefield.experiments.deep.digits.images import WHOLE, DigitSettings, fit, images, measured, seed_keys
from gatefield.lab.bench import Bench
from gatefield.lab.experiment import Experiment
from gatefield.lab.kinds import Count
from gatefield.lab.verdict import Verdict
from gatefield.nets import DeepGated

NETS = {"galu": "GaLU, frozen gates", "relu": "ReLU"}
PAPER = {"galu": 96.5, "relu": 98.5}
"""Test accuracy in percent, "around"."""
WIDTHS = (512, 512, 256, 256, 128, 64)
TASKS = {"true": "true labels", "labels": "random labels", "pixels": "random pixels"}


class Settings(DigitSettings):
    """The `widths` of the hidden layers; the ten outputs make one layer more. Random labels and pixels are drawn once."""

    widths: Annotated[tuple[Count, ...], Field(min_length=1)] = WIDTHS
    records: Count = 50


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    by_task = [_one_task(p, bench, task, found) for task, found in _tasks(p).items()]
    return xr.concat(by_task, xr.Variable("task", list(TASKS))).assign_attrs(samples=p.samples, widths=list(p.widths))


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    test = record.test_accuracy.sel(task="true").isel(step=-1)
    galu, relu = test.sel(net="galu"), test.sel(net="relu")
    both = f"ReLU {say.spread(relu, 100)} %, GaLU {say.spread(galu, 100)} % (mean +- sd over seeds)"
    out = [
        say.exceeds(
            "true labels: ReLU generalises better than GaLU (percentage points)",
            relu,
            galu,
            scale=100,
            note=f"{both}; paper: around 98.5 and 96.5 %",
        ),
        *[_faster(record.sel(task=task), task) for task in TASKS],
    ]
    if _as_in_the_paper(record):
        out += [
            say.near(f"true labels: test accuracy of {name}", PAPER[net], test.sel(net=net), 1.0) for net, name in NETS.items()
        ]
        out += [_fits(record.sel(task=task), task) for task in TASKS]
    return out


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(10.0, 6.8))
    panels: Any = figure.subplots(2, 2).ravel()
    for axes, letter, (task, name) in zip(panels, "abc", TASKS.items(), strict=False):
        over_epochs(axes, 100 * record.train_accuracy.sel(task=task), NETS)
        axes.set(ylabel="training accuracy (%)", title=f"({letter}) {name}", ylim=(0, 103))
    panels[0].legend(loc="lower right")
    accuracy_panel(panels[3], record.test_accuracy.sel(task="true"), NETS, "(d) true labels, test set")
    _paper_lines(panels[3])
    return figure


def _tasks(p: Settings) -> dict[str, Images]:
    plain = images(p)
    return {"true": plain, "labels": plain.random_labels(seed=p.seed), "pixels": plain.random_pixels(seed=p.seed)}


def _one_task(p: Settings, bench: Bench, name: str, found: Images) -> xr.Dataset:
    task = found.dataset()
    parts: list[xr.Dataset] = []
    for gating in NETS:
        net = DeepGated(task.n, p.widths, gating=gating, outputs=10, init=p.init, key=seed_keys(p)[0])
        parts.append(measured(fit(bench, f"{name}-{gating}", net, task, p, loss="cross-entropy")[0]))
    return xr.concat(parts, xr.Variable("net", list(NETS)))


def _as_in_the_paper(record: xr.Dataset) -> bool:
    """Whether numbers may be laid beside the paper's: all of MNIST, its widths, and long enough."""
    here = record.attrs
    return bool(here["samples"] >= WHOLE and tuple(here["widths"]) == WIDTHS and record.epoch[-1] >= 50)


def _fits(one: xr.Dataset, task: str) -> Verdict:
    end = one.train_accuracy.isel(step=-1)
    worst = 100 * float(end.min())
    each = ", ".join(f"{name} {say.spread(end.sel(net=net), 100)} %" for net, name in NETS.items())
    return Verdict.judged(
        f"{TASKS[task]}: both networks come close to 100 % on the training set",
        100.0,
        worst,
        "at least 99 % in every seed",
        worst >= 99,
        f"after {float(one.epoch[-1]):.0f} epochs: {each}",
    )


def _faster(one: xr.Dataset, task: str) -> Verdict:
    mean = one.train_accuracy.mean("step")
    return say.exceeds(
        f"{TASKS[task]}: GaLU trains faster (training accuracy, mean over all looks, percentage points)",
        mean.sel(net="galu"),
        mean.sel(net="relu"),
        scale=100,
        note=f"GaLU {say.spread(mean.sel(net='galu'), 100)}, ReLU {say.spread(mean.sel(net='relu'), 100)}",
    )


def _paper_lines(axes: Any) -> None:
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, 96.2), max(high, 98.8))
    for at, net in enumerate(NETS):
        axes.axhline(PAPER[net], color=f"C{at}", linestyle=":", linewidth=1.2)
        axes.text(1.01, PAPER[net], "paper", transform=axes.get_yaxis_transform(), color=f"C{at}", va="center", fontsize=9)


experiment = Experiment(
    name="mnist-galu",
    title="MNIST: frozen gates fit as well as ReLU, and generalise worse",
    source="paper 004, figure 5 and the paragraph beside it",
    text="A ReLU network and a GaLU network, whose gates come from a second, random network that stays frozen, are trained on "
    "MNIST with its own labels, with labels drawn at random, and with pixels drawn at random. The paper reports that both "
    "come close to 100 % on the training set, GaLU a bit faster, while the ReLU network is right on about 98.5 % of the "
    "test images and GaLU on about 96.5 %. It does not name optimiser, rate, batch, epochs or initial weights; here they "
    "are, at full size, RMSprop, 1e-4, 128, 100, and normal weights with sigma = sqrt(2/fan-in); no biases, cross-entropy. "
    "Both networks of a seed start from the same weights and see the same batches. (a-c) accuracy on the training set, "
    "(d) on the test set after training with true labels: mean over seeds, and the range of seeds as a band; dotted, the "
    "paper's numbers, which belong to the full setting.",
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
        },
    },
    durations={"quick": "40 s", "full": "4 h, or minutes on a large GPU"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
