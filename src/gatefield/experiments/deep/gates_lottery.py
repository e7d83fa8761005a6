"""Are the winning tickets gates? Gates of a trained network, and random ones, under weights that start from scratch."""

from collections.abc import Sequence

import jax
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.deep.digits.pair import QUICK, SETTING, Digits, PairSettings, three_panels
from gatefield.experiments.deep.digits.verdicts import generalises, mean_nu, points, smaller_nu
from gatefield.experiments.starts import Law, seed_keys
from gatefield.lab import Bench, Experiment, Verdict, exceeds

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
    gap, ends = points(record, "learned", "unlearned"), f"ν {mean_nu(learned)}, not {mean_nu(unlearned)}"
    return [
        generalises(
            "with weights from scratch, gates of a trained network are right on more test digits than random gates",
            record,
            "learned",
            "unlearned",
            NETS,
            source=SOURCE,
            found=f"with new weights, learned gates beat random ones by {gap:.2f} points on test digits",
            otherwise=f"with new weights, random gates beat learned ones by {-gap:.2f} points on test digits",
        ),
        smaller_nu(
            "ν of the tangent kernel is smaller behind gates of a trained network than behind random gates",
            learned,
            unlearned,
            found=f"K of learned gates fits the labels better ({ends})",
            otherwise=f"K of learned gates does not fit the labels better ({ends})",
        ),
        exceeds(
            "ν is smaller behind gates of a trained network even before the new weights have learned anything",
            np.log10(unlearned.isel(step=0)),
            np.log10(learned.isel(step=0)),
            of="log10 of the ratio of both ν at the start, mean over seeds",
            note="",
        ),
    ]


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    return three_panels(
        record,
        NETS,
        ["training loss", f"learned: {points(record, 'learned', 'unlearned'):+.2f} points", "small ν: labels fit K"],
    )


experiment = Experiment(
    name="gates-lottery",
    title="Gates of a trained network, with weights from scratch, against random gates",
    source=SOURCE,
    text="A ReLU network is trained. Its gates are then frozen and handed to a network whose weights start from scratch: GaLU "
    "with learned gates. GaLU with random gates has those of a random network and starts from the same weights. The paper "
    "calls learned gates the real lottery: do they generalise better? " + SETTING + "K is the tangent kernel; weights are "
    "±sqrt(2/fan-in).",
    caption="(a) Loss on the training set. (b) Test accuracy, with the numbers at the end. (c) ν of the tangent kernel, "
    "small where labels lie along its leading directions: learned gates are ahead from the start; numbers at the end. Lines "
    "are means over seeds, bands their standard errors.",
    Parameters=Settings,
    presets={"full": {}, "quick": {**QUICK, "depth": 5}},
    durations={"quick": "40 s", "full": "6 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
