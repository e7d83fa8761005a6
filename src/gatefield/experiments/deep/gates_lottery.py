"""Are the winning tickets gates? Gates of a trained network, and random ones, under weights that start from scratch."""

from collections.abc import Sequence

import jax
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.deep.digits.images import Law, seed_keys
from gatefield.experiments.deep.digits.pair import QUICK, SETTING, Digits, PairSettings, three_panels
from gatefield.experiments.deep.digits.verdicts import exceeds, generalises, ridge_is_small, smaller_nu
from gatefield.lab import Bench, Experiment, Verdict

NETS = {"unlearned": "GaLU, random gates", "relu": "ReLU, which learns gates", "learned": "GaLU, learned gates"}
SCRATCH = 1
"""What is folded into a seed's key for weights that are independent of those of its ReLU network."""
SOURCE = "paper 004, experiment 5, figure 7 (third panel)"


class Settings(PairSettings):
    init: Law = "bernoulli"


def simulate(parameters: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    digits = Digits(parameters)
    trained, relu = digits.fit(bench, "relu", digits.net("relu"))
    scratch = jax.vmap(lambda key: jax.random.fold_in(key, SCRATCH))(seed_keys(parameters)[0])
    unlearned, learned = digits.net("galu", key=scratch), digits.net("galu", gates_from=trained, key=scratch)
    found = {name: digits.fit(bench, name, net)[1] for name, net in (("unlearned", unlearned), ("learned", learned))}
    return digits.gathered({**found, "relu": relu})


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    learned, unlearned = (record.nu.sel(net=net) for net in ("learned", "unlearned"))
    better = "learned gates generalise better than unlearned ones"
    return [
        generalises(better, record, "learned", "unlearned", NETS, source=SOURCE),
        smaller_nu("learned gates: nu is below that of unlearned gates", learned, unlearned),
        exceeds(
            "learned gates: nu is smaller than with unlearned gates before the weights have learned anything",
            np.log10(unlearned.isel(step=0)),
            np.log10(learned.isel(step=0)),
            of="log10 of their ratio, mean over seeds",
            note="at the start",
        ),
        ridge_is_small(record),
    ]


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    return three_panels(record, NETS)


experiment = Experiment(
    name="gates-lottery",
    title="Gates of a trained network, with weights from scratch, against random gates",
    source=SOURCE,
    text="A ReLU network is trained. Its gates are then frozen and handed to a network whose weights start from scratch: GaLU "
    "with learned gates. GaLU with unlearned gates has those of a random network and starts from the same weights. The paper "
    "reports that learned gates generalise better, and calls them the real lottery. " + SETTING + "K is the tangent kernel. "
    "Weights are +-sqrt(2/fan-in), which the paper's assumption 1 asks for.",
    Parameters=Settings,
    presets={"full": {}, "quick": {**QUICK, "depth": 5}},
    durations={"quick": "40 s", "full": "6 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
