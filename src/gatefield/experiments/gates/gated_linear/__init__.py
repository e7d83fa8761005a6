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
    caption="Loss over time, SGD as dots and the exact solution as black lines, for six kinds of gates. (a) One gate on "
    "one site. (b) Two gates that cross. (c) A gate and its opposite. (d) The same gate twice, where A is singular. (e) "
    "Gates that are switched once, half way: the solution is exact piece by piece. (f) A gate that moves once around the "
    "ring: solved as a flow. Scheduled and moving gates are run on Gaussian data alone.",
    more=more,
    more_caption="Relative distance of the weights from the exact ones over time, a line for each seed, for (a) one gate, "
    "(b) two that cross, (c) opposites, (d) the same gate twice, (e) scheduled and (f) moving gates; dashed: the solution "
    "as printed, where it differs; dotted: the bound of the verdict, from the noise of the batches. (g) Final weights of "
    "each unit, first seed, Gaussian data.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"steps": 1_000, "batch_size": 500, "seeds": 2, "samples": 200_000, "record_every": 25}},
    durations={"quick": "40 s", "full": "5 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
