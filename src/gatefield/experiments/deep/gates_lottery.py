"""Are the winning tickets gates? Gates of a trained network, and random ones, under weights that start from scratch."""

from collections.abc import Sequence

import jax
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.deep.digits import verdicts as say
from gatefield.experiments.deep.digits.images import Law, seed_keys
from gatefield.experiments.deep.digits.pair import QUICK, SETTING, Digits, PairSettings, three_panels
from gatefield.lab.bench import Bench
from gatefield.lab.experiment import Experiment
from gatefield.lab.verdict import Verdict

NETS = {"unlearned": "GaLU, random gates", "relu": "ReLU, which learns gates", "learned": "GaLU, learned gates"}


class Settings(PairSettings):
    init: Law = "bernoulli"


def simulate(parameters: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    digits = Digits(parameters)
    relu, trained = digits.fit(bench, "relu", digits.net("relu"))
    scratch = jax.vmap(lambda key: jax.random.fold_in(key, 1))(seed_keys(parameters)[0])
    fresh = digits.net("galu", key=scratch)
    ticket = digits.net("galu", gates_from=trained, key=scratch)
    unlearned, learned = (digits.fit(bench, name, net)[0] for name, net in (("unlearned", fresh), ("learned", ticket)))
    return digits.gathered({"unlearned": unlearned, "learned": learned, "relu": relu})


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    test = record.test_accuracy.isel(step=-1)
    each = ", ".join(f"{name} {say.spread(test.sel(net=net), 100)} %" for net, name in NETS.items())
    learned, unlearned = (record.nu.sel(net=net) for net in ("learned", "unlearned"))
    return [
        say.exceeds(
            "learned gates generalise better than unlearned ones (percentage points)",
            test.sel(net="learned"),
            test.sel(net="unlearned"),
            scale=100,
            note=f"{each}; the paper shows a curve, no numbers",
        ),
        say.smaller_nu("learned gates: nu below that of unlearned gates", learned, unlearned),
        say.exceeds(
            "learned gates: nu is smaller before the weights have learned anything (log10)",
            _log(unlearned.isel(step=0)),
            _log(learned.isel(step=0)),
            note="difference of log10 nu at the start",
        ),
        say.ridge_is_small(record.least, record.attrs["ridge"]),
    ]


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    return three_panels(record, NETS)


def _log(values: xr.DataArray) -> xr.DataArray:
    return xr.apply_ufunc(np.log10, values)


experiment = Experiment(
    name="gates-lottery",
    title="Gates of a trained network, with weights from scratch, against random gates",
    source="paper 004, experiment 5, figure 7 (third panel)",
    text="A ReLU network of depth 6 and width 100 is trained. Its gates are then frozen and handed to a network whose weights "
    "start from scratch, drawn independently: GaLU with learned gates. GaLU with unlearned gates has those of a random "
    "network and starts from the same weights. The paper reports that learned gates generalise better, and calls them the "
    "real lottery. " + SETTING + "Weights are +-sigma, which the paper's assumption 1 asks for; K is the tangent kernel. "
    "(a) loss, (b) test accuracy, (c) nu of K; lines are means over seeds, bands the range of seeds.",
    Parameters=Settings,
    presets={"full": {}, "quick": {**QUICK, "depth": 5}},
    durations={"quick": "40 s", "full": "6 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
