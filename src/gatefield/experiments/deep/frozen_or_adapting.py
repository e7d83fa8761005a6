"""The same initial weights, gates frozen or free to adapt."""

from collections.abc import Sequence

import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.deep.digits.pair import QUICK, SETTING, Digits, PairSettings, three_panels
from gatefield.experiments.deep.digits.verdicts import generalises, mean_nu, points, smaller_nu
from gatefield.experiments.starts import Law
from gatefield.lab import Bench, Experiment, Verdict

NETS = {"frozen": "gates frozen at the start", "relu": "gates adapt (ReLU)"}


class Settings(PairSettings):
    init: Law = "bernoulli"


def simulate(parameters: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    digits = Digits(parameters)
    relu = digits.net("relu")
    frozen = digits.net("galu", gates_from=relu)  # it starts from the same weights
    return digits.gathered({name: digits.fit(bench, name, net)[1] for name, net in (("frozen", frozen), ("relu", relu))})


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    nu, gap = record.nu, points(record, "relu", "frozen")
    ends = f"ν {mean_nu(nu.sel(net='relu'))}, not {mean_nu(nu.sel(net='frozen'))}"
    return [
        generalises(
            "a network whose gates adapt is right on more test digits than the same network behind the gates of its start",
            record,
            "relu",
            "frozen",
            NETS,
            source="paper 004, experiment 4, figure 7 (right)",
            found=f"from one start, adapting gates beat frozen ones by {gap:.2f} points on test digits",
            otherwise=f"from one start, frozen gates beat adapting ones by {-gap:.2f} points on test digits",
        ),
        smaller_nu(
            "ν of the tangent kernel is smaller where gates adapt than behind the frozen gates of the same start",
            nu.sel(net="relu"),
            nu.sel(net="frozen"),
            found=f"K of adapting gates fits the labels better ({ends})",
            otherwise=f"K of adapting gates does not fit the labels better ({ends})",
        ),
    ]


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    return three_panels(
        record, NETS, ["training loss", f"adapting: {points(record, 'relu', 'frozen'):+.2f} points", "small ν: labels fit K"]
    )


experiment = Experiment(
    name="frozen-or-adapting",
    title="One network, its gates frozen at the start or free to adapt",
    source="paper 004, experiment 4, figure 7 (right); its 'assumption 2' must be assumption 1",
    text="A ReLU network is trained twice from the same weights: as it is, and behind the gates that it had at the start, kept "
    "in a frozen copy of it. Which generalises better? "
    + SETTING
    + "K is the tangent kernel. Weights are ±sqrt(2/fan-in), which "
    "the paper's assumption 1 asks for; it cites assumption 2, independence of gates and weights, which a copy violates.",
    caption="(a) Loss on the training set. (b) Test accuracy, with the numbers at the end. (c) ν of the tangent kernel, "
    "small where labels lie along its leading directions, with the numbers at the end. Lines are means over seeds, bands "
    "their standard errors.",
    Parameters=Settings,
    presets={"full": {}, "quick": {**QUICK, "depth": 5}},
    durations={"quick": "30 s", "full": "4 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
