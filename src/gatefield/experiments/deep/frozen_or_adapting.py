"""The same initial weights, gates frozen or free to adapt."""

from collections.abc import Sequence

import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.deep.digits import verdicts as say
from gatefield.experiments.deep.digits.images import Law
from gatefield.experiments.deep.digits.pair import QUICK, SETTING, Digits, PairSettings, three_panels
from gatefield.lab.bench import Bench
from gatefield.lab.experiment import Experiment
from gatefield.lab.verdict import Verdict

NETS = {"frozen": "gates frozen at the start", "relu": "gates adapt (ReLU)"}


class Settings(PairSettings):
    init: Law = "bernoulli"


def simulate(parameters: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    digits = Digits(parameters)
    relu = digits.net("relu")
    frozen = digits.net("galu", gates_from=relu, init=relu.weights)
    return digits.gathered({name: digits.fit(bench, name, net)[0] for name, net in (("frozen", frozen), ("relu", relu))})


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    test = record.test_accuracy.isel(step=-1)
    start = record.loss.isel(step=0)
    apart = float(abs(start.sel(net="relu") / start.sel(net="frozen") - 1).max())
    each = ", ".join(f"{name} {say.spread(test.sel(net=net), 100)} %" for net, name in NETS.items())
    return [
        Verdict.judged(
            "both are the same network at the start (relative difference of losses)",
            0.0,
            apart,
            "at most 1e-5 in every seed",
            apart <= 1e-5,
        ),
        say.exceeds(
            "gates that adapt generalise better than frozen ones (percentage points)",
            test.sel(net="relu"),
            test.sel(net="frozen"),
            scale=100,
            note=f"{each}; the paper shows a curve, no numbers",
        ),
        say.smaller_nu("gates that adapt: nu below that of frozen gates", *_pair(record.nu)),
        say.ridge_is_small(record.least, record.attrs["ridge"]),
    ]


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    return three_panels(record, NETS)


def _pair(values: xr.DataArray) -> tuple[xr.DataArray, xr.DataArray]:
    return values.sel(net="relu"), values.sel(net="frozen")


experiment = Experiment(
    name="frozen-or-adapting",
    title="One network, its gates frozen at the start or free to adapt",
    source="paper 004, experiment 4, figure 7 (right); its 'assumption 2' must be assumption 1",
    text="A ReLU network of depth 6 and width 100 is trained twice from the same weights: once as it is, and once behind the "
    "gates that it had at the start, kept for good in a frozen copy of it. Both give the same output at the start. The "
    "paper reports better generalisation when gates adapt. " + SETTING + "Weights are +-sigma, which the paper's "
    "assumption 1 asks for; it cites assumption 2, independence of gates and weights, which a copy violates. K is the "
    "tangent kernel. (a) loss, (b) test accuracy, (c) nu of K; lines are means over seeds, bands the range of seeds.",
    Parameters=Settings,
    presets={"full": {}, "quick": {**QUICK, "depth": 5}},
    durations={"quick": "30 s", "full": "4 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
