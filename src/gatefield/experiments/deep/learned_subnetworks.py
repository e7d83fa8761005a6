"""Does a ReLU network learn which of its paths are open? Its path kernel against the labels, over training."""

from collections.abc import Sequence
from typing import Any

import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.deep.digits.kernels import paths
from gatefield.experiments.deep.digits.pair import (
    QUICK,
    SETTING,
    Digits,
    PairSettings,
    loss_panel,
    nu_panel,
    seeds_text,
)
from gatefield.experiments.deep.digits.verdicts import falls, generalises, ridge_is_small, smaller_nu
from gatefield.kernels import tangent_kernel
from gatefield.lab import Bench, Experiment, Verdict
from gatefield.lab.kinds import Depth
from gatefield.plot import accuracy_panel

NETS = {"galu": "GaLU, frozen gates", "relu": "ReLU"}


class Settings(PairSettings):
    depth: Depth = 5


def simulate(parameters: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    digits = Digits(parameters)
    kernels = {"paths": paths, "tangent": tangent_kernel}
    return digits.gathered({net: digits.fit(bench, net, digits.net(net), **kernels)[1] for net in NETS})


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    relu, galu = record.nu.sel(net="relu"), record.nu.sel(net="galu")
    better = "ReLU networks generalise better than networks with frozen gates"
    return [
        falls("ReLU: nu of the path kernel M falls over training", relu, kind="claim", source="paper 004, figure 6"),
        smaller_nu("ReLU: nu of M is below that of frozen gates", relu, galu),
        generalises(better, record, "relu", "galu", NETS, source="paper 004, evidence I"),
        ridge_is_small(record),
    ]


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(10.0, 6.8))
    panels: Any = figure.subplots(2, 2).ravel()
    loss_panel(panels[0], record, NETS, "(a) training")
    accuracy_panel(panels[1], record.test_accuracy, NETS, "(b) test set")
    nu_panel(panels[2], record.nu, NETS, "(c) labels against path kernel", "M")
    nu_panel(panels[3], record.nu_tangent, NETS, "(d) labels against tangent kernel")
    panels[0].legend(title=seeds_text(record))
    return figure


experiment = Experiment(
    name="learned-subnetworks",
    title="Do the open paths of a ReLU network come to agree with the labels?",
    source="paper 004, figure 6 and the paragraph beside it; optimiser, epochs and ridge are our choice",
    text="Paths of a network that are open for two images alike make these images similar: M(s, s') = <x, x'> times the number "
    "of paths that are open for both. In a ReLU network only this number changes during training. The paper reports that nu "
    "of M falls, so that the right sub-networks are learned. Added here: a GaLU network, whose gates and so whose M stay as "
    "they are, and nu of the tangent kernel. " + SETTING + "Here K is M.",
    Parameters=Settings,
    presets={"full": {}, "quick": {**QUICK}},
    durations={"quick": "30 s", "full": "4 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
