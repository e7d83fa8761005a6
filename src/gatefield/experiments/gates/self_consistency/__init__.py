"""Which gates lead to a field that has those very gates?"""

from gatefield.experiments.gates.self_consistency.figure import draw
from gatefield.experiments.gates.self_consistency.simulate import Settings, simulate
from gatefield.experiments.gates.self_consistency.verdicts import verdicts
from gatefield.lab.experiment import Experiment

experiment = Experiment(
    name="self-consistency",
    title="Gates that lead to themselves: the fixed points of gate, limit field, gate",
    source="notes 000 and 002: fields behind fixed gates, and note 003, equation 4, whose rests they are",
    text="Freeze the gate of a ReLU neuron and train the linear unit behind it: it ends at 2 (Σ0+Σ1)^-1 f(w), where w is the "
    "direction of the gate and f(w) the mean input of the positive class where the gate is open. Take that field's gate, "
    "and repeat. The fixed points are the rests of the ReLU neuron. The map lowers the loss at every step, because the "
    "loss is a parabola less a convex function; and a rest is stable under the map if and only if it is stable under the "
    "gradient flow. The map is iterated from random fields, single sites, bumps and sinusoids, for both orders of the "
    "length scales. On Gaussian data one mode remains, and each other mode k shrinks against it by D_min/D_k per "
    "iteration, D = 1 + λ0/λ1. Upper rows: end states, shifted to the middle and scaled to 1, from a random start and from "
    "one site, and those of stochastic gradient descent (SGD) from the same random start as dots. Below: the losses of all "
    "end states, and the contraction on Gaussian data. Other data are represented by one large sample; whether "
    "an end state is more than a trait of that sample is seen on another one, from a start pushed away by a tenth.",
    Parameters=Settings,
    presets={
        "full": {},
        "quick": {
            "starts": 12,
            "samples": 40_000,
            "iterations": 300,
            "batch_size": 250,
            "steps": 2_000,
            "seeds": 4,
        },
    },
    durations={"quick": "50 s", "full": "2 h, or 3 min on a large GPU"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
