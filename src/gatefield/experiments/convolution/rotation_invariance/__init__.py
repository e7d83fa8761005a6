"""Circular convolutions with a mean over positions: invariant to rotations if the gates rotate too."""

from gatefield.experiments.convolution.rotation_invariance.figure import draw
from gatefield.experiments.convolution.rotation_invariance.ring import RingSettings
from gatefield.experiments.convolution.rotation_invariance.simulate import simulate
from gatefield.experiments.convolution.rotation_invariance.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="rotation-invariance",
    title="Convolutions and a mean over positions: when is a network invariant to rotations?",
    source="paper 004, section 4, lemma 4.1 and the remark after it; the paper shows no experiment, the task is ours",
    text="Circular convolutions behind gates on a ring, then the mean over positions. Gates come from a frozen ReLU network: "
    "they rotate with the input, or are kept in place. x is a ramp that rises, x' one that falls; y and y' are what they "
    "give. (a) E<y,y'> over random weights when x' is rotated, exact and over sampled networks. (b) Without the mean: the "
    "terms of the paper's remark, which calls each invariant. Turning x' first permutes them. (c) Their sum is the moment of "
    "(a). (d, e) Networks trained to tell rising from falling ramps, at one place or at any, then tested on rotated ones: "
    "means over seeds, bands their range. In (d) the first two networks are the same until they are tested. (g, h) Maxima in "
    "the place of the mean: the paper's footnote says that its arguments extend to them. Where the gating network has its "
    "largest sum, where the output itself is largest, and maxima of blocks of two as networks for images have them. "
    "(i, j) A network small enough to follow each path: the paths of one strength differ by a rotation.",
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
