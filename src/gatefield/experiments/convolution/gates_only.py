"""CIFAR-10 learned through the gates alone: the strengths stay as they were drawn."""

from typing import Any

import xarray as xr
from matplotlib.figure import Figure

from gatefield.core.intervals import mean_interval
from gatefield.experiments.by_seed import spread
from gatefield.experiments.convolution.colour_images import (
    ImageSettings,
    Sigma,
    conv_net,
    fit,
    layout,
    layout_text,
    task_of,
    unlike_the_paper,
)
from gatefield.experiments.starts import Law
from gatefield.lab import Bench, Experiment, Verdict
from gatefield.lab.kinds import Count, Rate, Rates
from gatefield.lab.needs import at_least, exactly, lacking, undecided
from gatefield.plot import COLOURS, WIDTH, end_labels, letter, say_setting, shades

PAPER, WITHIN, CHANCE = 56.0, 3.0, 10.0
"""Test accuracy in percent, the points by which ours may be off, and that of a guess among ten classes."""
ENOUGH = 6
"""Epochs after which a network that learns has begun to; of fewer, nothing is decided."""
FROZEN = "gates frozen, strengths trained"
SOURCE = "paper 004, experiment 6"


class Settings(ImageSettings):
    """`betas`: steepness of the trained gates. `eps`: their excess over 1. `galu`: whether the counterpart is trained too."""

    betas: Rates = (1.0, 4.0, 8.0)
    eps: Rate = 0.1
    galu: bool = True
    init: Law = "gaussian"
    sigma: Sigma = "he"
    bias: bool = False
    epochs: Count = 40


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    task = task_of(p)
    nets: dict[str, Any] = {f"beta={b:g}": conv_net(p, "gates-only", beta=b, eps=p.eps) for b in p.betas}
    nets |= {"galu": conv_net(p, "galu")} if p.galu else {}
    found = [fit(bench, name, net, task, p) for name, net in nets.items()]
    return xr.concat(found, xr.Variable("net", list(nets))).assign_attrs(layout(p))


def verdicts(record: xr.Dataset) -> list[Verdict]:
    """What the record says of each claim, for each steepness of the gates."""
    test = 100 * record.test_accuracy
    gates = {_name(str(n)): test.sel(net=n) for n in record.net.values if n != "galu"}
    return [_learn(record, gates), _differ(record, test, gates), _near(record, gates)]


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(WIDTH, 4.0))
    body: Any = figure.subfigures()  # with a legend of its own, apart from the setting
    panels = body.subplots(1, 2, sharey=True)
    for axes, name, label in zip(panels, ("test_accuracy", "train_accuracy"), ("test", "training"), strict=True):
        for net, look in _looks(record).items():
            one = 100 * record[name].sel(net=net)
            every = max(1, one.sizes["step"] // 8)
            axes.plot(one.epoch, one.mean("seed"), **look, markersize=3.5, markevery=every, linewidth=1.2, label=_name(net))
            axes.fill_between(one.epoch, one.min("seed"), one.max("seed"), color=look["color"], alpha=0.2, linewidth=0)
        axes.axhline(CHANCE, color="0.5", linestyle=":", linewidth=1.0, zorder=0)
        axes.set(xlabel="epoch", ylabel=f"right on {label} images (%)", ylim=(0, 100))
        axes.tick_params(labelleft=True)
    panels[0].text(float(record.epoch[-1]), CHANCE - 2, "a guess", fontsize=8, color="0.3", ha="right", va="top")
    _best(panels[0], record)
    _ends(panels[1], record)
    handles = panels[0].get_legend_handles_labels()[0]
    if not unlike_the_paper(record, 0):
        handles.append(panels[0].axhline(PAPER, color="k", linestyle="--", linewidth=1.0, label="paper, gates trained"))
    body.legend(handles=handles, loc="outside lower center", ncols=2)
    letter(panels, ["test: ★ the best of a run", "training: where runs end"])
    a = record.attrs
    bands = "lines: means, bands: least to largest seed"
    seeds, network = f"{a['epochs']} epochs, {record.sizes['seed']} seeds", f"channels {', '.join(map(str, a['channels']))}"
    say_setting(figure, f"{a['samples']:,} images", network, seeds, bands, "beta: steepness of trained gates")
    return figure


def _looks(record: xr.Dataset) -> dict[str, dict[str, str]]:
    """Of each network: shades by the steepness of trained gates, and another colour and dash for frozen ones."""
    gates = [str(net) for net in record.net.values if net != "galu"]
    looks = {
        net: {"color": color, "marker": marker, "linestyle": "-"}
        for net, color, marker in zip(gates, shades(len(gates), between=(0.0, 0.8)), 9 * "osD", strict=False)
    }
    return looks | ({"galu": {"color": COLOURS[1], "marker": "^", "linestyle": "--"}} if "galu" in record.net.values else {})


def _best(axes: Any, record: xr.Dataset) -> None:
    """A star for each network: the mean over seeds of the best of a run, at the mean of the epochs at which it is reached."""
    looks, bests = _looks(record), []
    for net, look in looks.items():
        one = 100 * record.test_accuracy.sel(net=net)
        place = one.epoch.values[one.argmax("step").values].mean()
        bests.append(float(one.max("step").mean("seed")))
        axes.plot(place, bests[-1], "*", color=look["color"], markersize=11, markeredgecolor="k", zorder=5)
    end_labels(axes, bests, [f"★ {best:.0f} %" for best in bests], [look["color"] for look in looks.values()])
    axes.plot([], [], "*", color="w", markeredgecolor="k", markersize=9, label="best of a run, mean over seeds")


def _ends(axes: Any, record: xr.Dataset) -> None:
    """What is reached on training images in the end, beside the lines."""
    looks = _looks(record)
    last = [100 * float(record.train_accuracy.sel(net=net).isel(step=-1).mean("seed")) for net in looks]
    end_labels(axes, last, [f"{value:.0f} %" for value in last], [look["color"] for look in looks.values()])


def _name(net: str) -> str:
    return FROZEN if net == "galu" else f"gates trained, {net.replace('=', ' = ')}"


def _learn(record: xr.Dataset, gates: dict[str, xr.DataArray]) -> Verdict:
    why = lacking(at_least("epochs", ENOUGH, record.attrs["epochs"]))
    worst = {name: float(test.max("step").min()) for name, test in gates.items()}
    rows = {
        name: Verdict.above("", 2 * CHANCE, best, or_equal=True, of="best test accuracy of the worst seed, in %,")
        for name, best in worst.items()
    }
    rows = {name: undecided(why, row)[0] for name, row in rows.items()}
    best = ", ".join(f"{float(test.max('step').mean('seed')):.0f}" for test in gates.values())
    best = " and ".join(best.rsplit(", ", 1))
    betas = ", ".join(name.rpartition(" ")[2] for name in gates)
    reached = f"{best} % right at best (beta = {betas}; a guess {CHANCE:g} %)"
    return Verdict.each(
        "a network learns CIFAR-10 through its gates alone, to at least twice the accuracy of a guess",
        rows,
        kind="claim",
        source=SOURCE,
        note=why or "; ".join(f"{name}: final {spread(test.isel(step=-1))} %" for name, test in gates.items()),
        found=f"a network learns CIFAR-10 through its gates alone: {reached}",
        otherwise=f"through its gates alone a network hardly learns CIFAR-10: {reached}",
    )


def _differ(record: xr.Dataset, test: xr.DataArray, gates: dict[str, xr.DataArray]) -> Verdict:
    """The difference of each seed at the end, and its two-sided 95 % interval."""
    claim = "on CIFAR-10 a network whose strengths alone are trained ends above one whose gates alone are trained"
    counterpart = exactly("galu", True, "galu" in record.net.values)
    if why := lacking(counterpart, at_least("seeds", 2, record.sizes["seed"])):
        return Verdict.not_judged(claim, why)
    strengths, rows = test.sel(net="galu").isel(step=-1), {}
    for name, one in gates.items():
        mean, low, high = mean_interval((strengths - one.isel(step=-1)).values)
        rows[name] = Verdict.above("", 0.0, mean, error=(high - low) / 2, of="strengths less gates, in points,")
    note = f"strengths end at {spread(strengths)} %; errors: 95 % intervals of {strengths.size} seeds"
    return Verdict.each(claim, rows, note=note)


def _near(record: xr.Dataset, gates: dict[str, xr.DataArray]) -> Verdict:
    claim = f"a network whose gates alone are trained has the paper's test accuracy on CIFAR-10, {PAPER:g} %"
    if why := unlike_the_paper(record, 1):
        return Verdict.not_judged(claim, why, kind="reproduction", source=SOURCE)
    best = {name: test.max("step").mean("seed") for name, test in gates.items()}
    rows = {
        name: Verdict.within("", PAPER, value, atol=WITHIN, of="mean over seeds of the best, in %,")
        for name, value in best.items()
    }
    seeds, epochs = record.sizes["seed"], record.sizes["step"] - 1
    note = f"{seeds} seeds, {epochs} epochs; {layout_text(record)}"
    return Verdict.each(claim, rows, kind="reproduction", source=SOURCE, note=note)


experiment = Experiment(
    name="gates-only",
    title="CIFAR-10: can a network learn through its gates alone?",
    source=SOURCE,
    text="Two convolutional networks of the same layers: one decides the gates, the other, whose weights are the strengths, "
    "makes the output behind them. The strengths stay as they were drawn; only the weights that decide the gates are trained. "
    "The paper reports 56 % on the test images. It writes beta = infinity, but a hard gate has no gradient; here gates are "
    "(1 + eps) sigmoid(beta q). The counterpart has frozen hard gates of a random network, and its strengths are trained.",
    caption="(a) Test accuracy over epochs, by the steepness of the trained gates, and of the counterpart whose strengths "
    "are trained; stars and numbers: the best epoch of each run, which is what the paper reports (dashed, at its size). (b) "
    "The same on training images.",
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
