"""Gated linear networks trained by SGD, beside their exact solution."""

from gatefield.experiments.gates.gated_linear.figure import draw
from gatefield.experiments.gates.gated_linear.simulate import Settings, simulate
from gatefield.experiments.gates.gated_linear.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="gated-linear",
    title="Do gated linear networks follow their exact solution?",
    source="note 000, sections 3 and 4, and note 002, section 7, with the missing factors 1/K",
    text="Behind gates that do not depend on the weights a network is linear in what it learns, and gradient flow can be "
    "solved exactly. Here SGD is laid beside that solution: for a single gate; for two gates that cross (the general case), "
    "exclude each other, or are the same (the redundant case), on Gaussian and on squashed data; and for gates that change "
    "in time: scheduled ones, solved piece by piece, and one that moves around the ring, solved as a flow. With redundant "
    "gates A is singular, and the difference of the two units never changes. The printed solution, without the factor 1/K "
    "before A, is laid beside it as a control.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"steps": 1_000, "batch_size": 500, "seeds": 2, "samples": 200_000, "record_every": 25}},
    durations={"quick": "40 s", "full": "5 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
