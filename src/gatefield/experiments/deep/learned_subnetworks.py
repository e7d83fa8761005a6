"""Does a ReLU network learn which of its paths are open? Its path kernel against the labels, over training."""

from collections.abc import Sequence
from typing import Any

import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.deep.digits import verdicts as say
from gatefield.experiments.deep.digits.figure import accuracy_panel
from gatefield.experiments.deep.digits.kernels import paths, tangent
from gatefield.experiments.deep.digits.pair import QUICK, SETTING, Digits, PairSettings, loss_panel, nu_panel
from gatefield.lab.bench import Bench
from gatefield.lab.experiment import Experiment
from gatefield.lab.verdict import Verdict
from gatefield.lab.whole_numbers import Depth

NETS = {"galu": "GaLU, frozen gates", "relu": "ReLU"}


class Settings(PairSettings):
    depth: Depth = 5


def simulate(parameters: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    digits = Digits(parameters)
    kernels = {"paths": paths, "tangent": tangent}
    return digits.gathered({net: digits.fit(bench, net, digits.net(net), kernels)[0] for net in NETS})


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    relu, galu = record.nu.sel(net="relu"), record.nu.sel(net="galu")
    test = record.test_accuracy.isel(step=-1)
    return [
        say.falls("ReLU: nu of the path kernel M falls over training", relu),
        say.smaller_nu("ReLU: nu of M below that of frozen gates", relu, galu),
        say.exceeds(
            "ReLU generalises better than frozen gates (percentage points)",
            test.sel(net="relu"),
            test.sel(net="galu"),
            scale=100,
            note=f"ReLU {say.spread(test.sel(net='relu'), 100)} %, GaLU {say.spread(test.sel(net='galu'), 100)} %",
        ),
        say.ridge_is_small(record.least, record.attrs["ridge"]),
    ]


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(10.0, 6.8))
    panels: Any = figure.subplots(2, 2).ravel()
    loss_panel(panels[0], record, NETS, "(a) training")
    accuracy_panel(panels[1], record.test_accuracy, NETS, "(b) test set")
    nu_panel(panels[2], record.nu, NETS, "(c) labels against path kernel", "M")
    nu_panel(panels[3], record.nu_tangent, NETS, "(d) labels against tangent kernel")
    panels[0].legend()
    return figure


experiment = Experiment(
    name="learned-subnetworks",
    title="The open paths of a ReLU network come to agree with the labels",
    source="paper 004, figure 6 and the paragraph beside it; optimiser, epochs and ridge are our choice",
    text="Paths of a network that are open for two images alike make these images similar: M(s, s') = <x, x'> times the number "
    "of paths that are open for both. In a ReLU network of depth 5 and width 100 only this number changes during "
    "training. The paper reports that nu of M falls, so that the right sub-networks are learned. " + SETTING + "Here K is "
    "M. Added to the paper: a GaLU network, whose gates and so whose M stay as they are, as the level without learning; "
    "and nu of the tangent kernel. (a) loss, (b) test accuracy, (c) nu of M, (d) nu of the tangent kernel; lines are "
    "means over seeds, bands the range of seeds.",
    Parameters=Settings,
    presets={"full": {}, "quick": {**QUICK}},
    durations={"quick": "30 s", "full": "4 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
