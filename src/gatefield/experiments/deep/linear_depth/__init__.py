"""Deep linear networks on one sample: the error's first step, the kernel's growth, and its spread at the start."""

from gatefield.experiments.deep.linear_depth.simulate import Settings, figure, simulate
from gatefield.experiments.deep.linear_depth.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="linear-depth",
    title="How does the error of a deep linear network fall, and does depth speed it up?",
    source="paper 004, experiment 8, figure 10",
    text="With one sample and a rate of 0.1/d the squared error should shrink by (1 - 0.1 K/d)^2 in a step, which is 0.81 "
    "where K/d is 1. So does the first step. Then the weights grow, and K with them: the error falls faster than 0.81, and, "
    "against the paper's words, clearly faster in deeper networks. At the start K/d has the mean 1 at every depth; its "
    "spread over networks is exactly known.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"runs": 200}},
    durations={"quick": "5 s", "full": "15 s"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
