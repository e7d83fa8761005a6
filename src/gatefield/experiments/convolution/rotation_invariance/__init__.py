"""Circular convolutions with a mean over positions: invariant to rotations if the gates rotate too."""

from gatefield.experiments.convolution.rotation_invariance.figure import draw, draw_more
from gatefield.experiments.convolution.rotation_invariance.ring import RingSettings
from gatefield.experiments.convolution.rotation_invariance.simulate import simulate
from gatefield.experiments.convolution.rotation_invariance.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="rotation-invariance",
    title="Convolutions and a mean over positions: when is a network invariant to rotations?",
    source="paper 004, section 4, lemma 4.1 and the remark after it; the paper shows no experiment, the task is ours",
    text="Circular convolutions behind gates on a ring, then the mean over positions. Gates come from a frozen ReLU network: "
    "they rotate with the input, or are kept in place. x is a ramp that rises, x' one that falls; y and y' are what they give. "
    "The paper's lemma says that E<y,y'> over random weights does not change when x' is rotated, its remark that each term of "
    "a sum over rotations does not, its footnote that maxima do as well. Networks are trained to tell rising from falling "
    "ramps, and tested on rotated ones.",
    caption="(a) The inputs, and the gates that are open on a rotated ramp (full marks) if they rotate with it, or are kept "
    "where they were. (b) Networks trained on ramps at one place, tested on rotated ones; dotted: a guess. The first two are "
    "the same until they are tested; the numbers are means where it is shaded, where no position of a ramp was one of "
    "training. (c) The same, trained on ramps at any place. (d) E<y,y'> when x' is rotated: black exact, marks over sampled "
    "networks. (e) The terms of the paper's sum over rotations, one for each rotation: turning x' first moves them, so that "
    "no single one is invariant; the arrow is the change of the first. (f) Maxima in the place of the mean; black: the "
    "lemma's sum over paths.",
    more=draw_more,
    more_caption="(a) The terms summed up to a rotation: all together are the moment of the first figure's (d), also if x' is "
    "turned first; small: the first term alone, with its change. (b) By how much, at most, a rotation of x' changes an output "
    "of any sampled network with maxima; no change at all is drawn at 1e-8. (c) A network small enough to follow each path, "
    "the paper's figure 9. (d) The paths of each of its strengths, which differ by a rotation; colour: where a path ends.",
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
