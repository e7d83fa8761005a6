"""Does a ReLU network learn which of its paths are open? Its path kernel against the labels, over training."""

from collections.abc import Sequence
from typing import Any

import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.deep.digits.kernels import paths
from gatefield.experiments.deep.digits.pair import QUICK, SETTING, Digits, PairSettings, finish, loss_panel, nu_panel
from gatefield.experiments.deep.digits.verdicts import falls, generalises, mean_nu, nu_text, points, smaller_nu
from gatefield.kernels import tangent_kernel
from gatefield.lab import Bench, Experiment, Verdict
from gatefield.lab.kinds import Depth
from gatefield.plot import WIDTH, accuracy_panel, letter

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
    ends = f"ν of M: {nu_text(float(relu.isel(step=0).mean()))} to {mean_nu(relu)}"
    gap = points(record, "relu", "galu")
    return [
        falls(
            "training a ReLU network aligns its path kernel M with the labels: ν of M falls",
            relu,
            kind="claim",
            source="paper 004, figure 6",
            found=f"training aligns open paths of ReLU with the labels ({ends})",
            otherwise=f"training does not align open paths of ReLU with the labels ({ends})",
        ),
        smaller_nu("ν of the path kernel M of a trained ReLU network is below that of frozen random gates", relu, galu),
        generalises(
            "a ReLU network is right on more test digits than a network with frozen random gates",
            record,
            "relu",
            "galu",
            NETS,
            source="paper 004, evidence I",
            found=f"ReLU beats frozen gates by {gap:.2f} points on test digits",
            otherwise=f"frozen gates beat ReLU by {-gap:.2f} points on test digits",
        ),
    ]


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(WIDTH, 5.4))
    body: Any = figure.subfigures()
    places = body.subplots(2, 2, height_ratios=(1.25, 1)).ravel()
    paths, accuracy, loss, tangent = places
    loss_panel(loss, record, NETS)
    accuracy_panel(accuracy, record.test_accuracy, NETS)
    nu_panel(paths, record.nu, NETS, "M")
    nu_panel(tangent, record.nu_tangent, NETS)
    start = float(record.nu.sel(net="relu").isel(step=0).mean())
    words: Any = {"textcoords": "offset points", "fontsize": 7.5, "color": "C1", "va": "top"}
    paths.annotate(nu_text(start), (float(record.epoch[0]), start), (6, -3), **words)
    finish(
        body,
        [loss, accuracy, paths, tangent],
        record,
        NETS,
        [],
        [record.nu, record.nu_tangent],
        "for M, the kernel of open paths, y'M⁻¹y",
    )
    ahead = f"test set: ReLU {points(record, 'relu', 'galu'):+.2f} points"
    letter(
        places, [_change(record), ahead, _against(record, "loss", "training loss"), _against(record, "nu_tangent", "ν of K")]
    )
    return figure


def _change(record: xr.Dataset) -> str:
    """What training does to ν of M of the ReLU network."""
    start, end = (float(record.nu.sel(net="relu").isel(step=at).mean()) for at in (0, -1))
    return f"open paths: ν of ReLU falls {start / end:.2g}-fold" if end < start else "open paths: ν of ReLU does not fall"


def _against(record: xr.Dataset, name: str, words: str) -> str:
    """A quantity of the ReLU network at the end, over that of frozen gates."""
    ends = record[name].isel(step=-1).mean("seed")
    return f"{words}: ReLU has {float(ends.sel(net='relu') / ends.sel(net='galu')):.2g} of frozen gates'"


experiment = Experiment(
    name="learned-subnetworks",
    title="Do the open paths of a ReLU network come to agree with the labels?",
    source="paper 004, figure 6 and the paragraph beside it; optimiser, epochs and ridge are our choice",
    text="Paths of a network that are open for two images alike make these images similar: M(s, s') = <x, x'> times the number "
    "of paths that are open for both. In a ReLU network only this number changes during training. Does it come to fit the "
    "labels? Beside it is a GaLU network, whose gates and so whose M stay as they are. " + SETTING,
    caption="(a) ν of the path kernel M, small where labels lie along its leading directions: constant behind frozen gates. "
    "(b) Test accuracy, with the numbers at the end. (c) Loss on the training set. (d) ν of the tangent kernel K. Numbers are "
    "those at the end, and of ReLU in (a) at the start. Lines are means over seeds, bands their standard errors.",
    Parameters=Settings,
    presets={"full": {}, "quick": {**QUICK}},
    durations={"quick": "30 s", "full": "4 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
