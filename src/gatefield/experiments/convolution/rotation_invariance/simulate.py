"""Circular convolutions with a mean over positions: invariant to rotations if the gates rotate too."""

from collections.abc import Sequence
from typing import ClassVar

import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.convolution.rotation_invariance.figure import draw
from gatefield.experiments.convolution.rotation_invariance.moments import moments
from gatefield.experiments.convolution.rotation_invariance.ring import RingSettings
from gatefield.experiments.convolution.rotation_invariance.training import trainings
from gatefield.experiments.convolution.rotation_invariance.verdicts import verdicts
from gatefield.lab.experiment import Bench, Experiment, Verdict


class RotationInvariance(Experiment):
    name = "rotation-invariance"
    title = "Convolutions and a mean over positions: invariant to rotations, if the gates rotate with the input"
    source = "paper 004, section 4, lemma 4.1 and the remark after it; the paper shows no experiment, the task is ours"
    text = (
        "Circular convolutions behind gates on a ring, then the mean over positions. Gates come from a frozen convolutional "
        "ReLU network: given the input as it is (they rotate with it), or the input before it was rotated (they are kept in "
        "place). x is a ramp that rises, x' one that falls, both in noise; y and y' are what they give, a number for each "
        "channel. (a) E<y,y'> over random weights when x' is rotated, exact and over sampled networks: flat only if gates "
        "rotate. (b) Without the mean, E<z,z'> depends on the rotation; these are the terms of the paper's remark, which calls "
        "each invariant. Turning x' first permutes them. (c) Their sum over all rotations is the moment of (a). (d, e) "
        "Networks trained to tell rising from falling ramps and tested on rotated ones; lines are means over seeds, bands "
        "their range, 50 % is chance. Ramps of the training set are all at one place (d), or each at a random one (e). "
        "Networks: the mean over positions and a linear readout, gates rotating or kept in place, and a readout of all "
        "positions without a mean. (f) losses. In (d) the first two networks are the same until they are tested."
    )
    Parameters = RingSettings
    presets: ClassVar = {
        "full": {},
        "quick": {"draws": 20_000, "train_channels": 12, "samples": 300, "test_samples": 200, "steps": 200, "seeds": 4},
        "tiny": {
            "positions": 8,
            "length": 3,
            "layers": 2,
            "channels": 2,
            "draws": 1000,
            "train_channels": 4,
            "samples": 16,
            "test_samples": 16,
            "steps": 20,
            "seeds": 2,
        },
    }
    durations: ClassVar = {"quick": "1 min", "full": "20 min"}

    def simulate(self, parameters: RingSettings, bench: Bench) -> xr.Dataset:
        p = parameters
        found = xr.merge([moments(p, p.draws), trainings(p, bench)], join="exact", combine_attrs="drop_conflicts")
        return found.assign_attrs(draws=p.draws, length=p.length)

    def verdicts(self, record: xr.Dataset) -> Sequence[Verdict]:
        return verdicts(record)

    def figure(self, record: xr.Dataset) -> Figure:
        return draw(record)
