"""Which gates lead to a field that has those very gates?"""

from gatefield.experiments.gates.self_consistency.figure import draw
from gatefield.experiments.gates.self_consistency.simulate import Settings, simulate
from gatefield.experiments.gates.self_consistency.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="self-consistency",
    title="Gates that lead to themselves: the fixed points of gate, limit field, gate",
    source="notes 000 and 002: fields behind fixed gates, and note 003, equation 4, whose steady states they are",
    text="Freeze the gate of a ReLU neuron and train the linear unit behind it: it ends at 2 (Σ0+Σ1)^-1 f(w), with w the "
    "direction of the gate and f(w) the mean input of the positive class where it is open. Take that field's gate, and "
    "repeat. The fixed points are the steady states of the ReLU neuron; the map lowers the loss at every step. It is "
    "iterated from random fields, single sites, bumps and sinusoids, for both orders of the length scales. On Gaussian data "
    "one mode remains, and each other mode k shrinks against it by D_min/D_k per iteration, D = 1 + λ0/λ1. Other data are "
    "represented by one large sample; an end state is stable if it returns on another one, pushed away by a tenth. "
    "Training lasts 200 tau or so; which states it reaches much later is the question of late-localization.",
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
