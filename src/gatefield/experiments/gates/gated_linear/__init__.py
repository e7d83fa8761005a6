"""Gated linear networks trained by SGD, beside their exact solution."""

from gatefield.experiments.gates.gated_linear.figure import draw, more
from gatefield.experiments.gates.gated_linear.simulate import Settings, simulate
from gatefield.experiments.gates.gated_linear.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="gated-linear",
    title="Do gated linear networks follow their exact solution?",
    source="note 000, sections 3 and 4, and note 002, section 7, with the missing factors 1/K",
    text="Behind gates that do not depend on the weights a network is linear in what it learns, and gradient flow can be "
    "solved exactly. Here SGD is laid beside that solution: for a single gate; for two gates that cross (general), exclude "
    "each other, or are the same (redundant), on Gaussian and on squashed data; and for gates that change in time: "
    "scheduled ones, solved piece by piece, and one that moves around the ring, solved as a flow. The printed solution "
    "lacks a factor 1/K.",
    caption="(a) Relative distance of the weights from the exact ones, for six kinds of gates: where SGD is furthest off, a "
    "mark for each seed; dashed, the end of the solution as printed where it is another one, the largest over seeds and "
    "gains; dotted, the bound of the verdict, which grows as the noise of smaller batches does. (b) and (c) The same over "
    "time for two gates that cross and for a gate and its opposite. (d) The loss of gates that are switched once, half way: "
    "the solution is exact piece by piece. Scheduled and moving gates are run on Gaussian data alone.",
    more=more,
    more_caption="(a) Loss over time, SGD as marks and the exact solution as black lines, for one gate on one site, two that "
    "cross, a gate and its opposite, the same gate twice, where A is singular, scheduled gates and one that moves once around "
    "the ring. The number in a panel is the largest difference over all seeds, gains and times, over the loss at the start. "
    "(b) Final weights of each unit, first seed, Gaussian data.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"steps": 1_000, "batch_size": 500, "seeds": 2, "samples": 200_000, "record_every": 25}},
    durations={"quick": "40 s", "full": "5 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
