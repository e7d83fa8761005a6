"""Circular convolutions with a mean over positions: invariant to rotations if the gates rotate too."""

from gatefield.experiments.convolution.rotation_invariance.figure import draw
from gatefield.experiments.convolution.rotation_invariance.ring import RingSettings
from gatefield.experiments.convolution.rotation_invariance.simulate import simulate
from gatefield.experiments.convolution.rotation_invariance.verdicts import verdicts
from gatefield.lab.experiment import Experiment

experiment = Experiment(
    name="rotation-invariance",
    title="Convolutions and a mean over positions: invariant to rotations, if the gates rotate with the input",
    source="paper 004, section 4, lemma 4.1 and the remark after it; the paper shows no experiment, the task is ours",
    text="Circular convolutions behind gates on a ring, then the mean over positions. Gates come from a frozen convolutional "
    "ReLU network: given the input as it is (they rotate with it), or the input before it was rotated (they are kept in "
    "place). x is a ramp that rises, x' one that falls, both in noise; y and y' are what they give, a number for each "
    "channel. (a) E<y,y'> over random weights when x' is rotated, exact and over sampled networks: flat only if gates "
    "rotate. (b) Without the mean, E<z,z'> depends on the rotation; these are the terms of the paper's remark, which calls "
    "each invariant. Turning x' first permutes them. (c) Their sum over all rotations is the moment of (a). (d, e) "
    "Networks trained to tell rising from falling ramps and tested on rotated ones; lines are means over seeds, bands "
    "their range, 50 % is chance. Ramps of the training set are all at one place (d), or each at a random one (e). "
    "Networks: the mean over positions and a linear readout, gates rotating or kept in place, and a readout of all "
    "positions without a mean. (f) losses. In (d) the first two networks are the same until they are tested.",
    Parameters=RingSettings,
    presets={
        "full": {},
        "quick": {"draws": 20_000, "train_channels": 12, "samples": 300, "test_samples": 200, "steps": 200, "seeds": 4},
    },
    durations={"quick": "1 min", "full": "20 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
