"""The same initial weights, gates frozen or free to adapt."""

from collections.abc import Sequence

import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.deep.digits.images import Law
from gatefield.experiments.deep.digits.pair import QUICK, SETTING, Digits, PairSettings, three_panels
from gatefield.experiments.deep.digits.verdicts import generalises, ridge_is_small, smaller_nu
from gatefield.lab import Bench, Experiment, Verdict

NETS = {"frozen": "gates frozen at the start", "relu": "gates adapt (ReLU)"}
SINGLE = 1e-5
"""Relative rounding error of a mean loss in float32, after a few layers."""


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
    start, nu = record.loss.isel(step=0), record.nu
    better = "gates that adapt generalise better than frozen ones"
    return [
        Verdict.below(
            "gates frozen or not, the network is the same at the start",
            SINGLE,
            abs(start.sel(net="relu") / start.sel(net="frozen") - 1).max(),
            predicted=0.0,
            or_equal=True,
            of="largest relative difference of losses over seeds",
            kind="control",
        ),
        generalises(better, record, "relu", "frozen", NETS, source="paper 004, experiment 4, figure 7 (right)"),
        smaller_nu("gates that adapt: nu is below that of frozen gates", nu.sel(net="relu"), nu.sel(net="frozen")),
        ridge_is_small(record),
    ]


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    return three_panels(record, NETS)


experiment = Experiment(
    name="frozen-or-adapting",
    title="One network, its gates frozen at the start or free to adapt",
    source="paper 004, experiment 4, figure 7 (right); its 'assumption 2' must be assumption 1",
    text="A ReLU network is trained twice from the same weights: as it is, and behind the gates that it had at the start, kept "
    "in a frozen copy of it. The paper reports better generalisation when gates adapt. " + SETTING + "K is the tangent kernel. "
    "Weights are +-sqrt(2/fan-in), which the paper's assumption 1 asks for; it cites assumption 2, independence of gates and "
    "weights, which a copy violates.",
    Parameters=Settings,
    presets={"full": {}, "quick": {**QUICK, "depth": 5}},
    durations={"quick": "30 s", "full": "4 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
