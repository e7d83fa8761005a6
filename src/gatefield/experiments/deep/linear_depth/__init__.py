"""Deep linear networks on one sample: the error's first step, the kernel's growth, and its spread at the start."""

from gatefield.experiments.deep.linear_depth.figure import draw
from gatefield.experiments.deep.linear_depth.simulate import Settings, simulate
from gatefield.experiments.deep.linear_depth.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="linear-depth",
    title="How does the error of a deep linear network fall, and does depth speed it up?",
    source="paper 004, experiment 8, figure 10",
    text="With one sample and a rate of 0.1/d the squared error should shrink by (1 - 0.1 K/d)² in a step, which is 0.81 where "
    "K/d is 1. So does the first step. Then the weights grow, and K with them. How does the error fall at each depth? Gradient "
    "descent is run from many random starts; the kernel before training, its mean and its spread over networks, is exactly "
    "known.",
    caption="(a) Squared error over training, mean over runs, for each depth (lines in shades); black: if K stayed as it "
    "is at the start; framed: after ten steps (dotted), at the least and the largest depth. (b) The kernel over its depth: it "
    "grows, the more the deeper; the short black line is the end at d = 2 that small steps lead to, by what they conserve. (c) "
    "K/d before training: sampled mean and standard deviation (dots), and the exact ones (black).",
    Parameters=Settings,
    presets={"full": {}, "quick": {"runs": 200}},
    durations={"quick": "5 s", "full": "15 s"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
