"""Which gates lead to a field that has those very gates?"""

from gatefield.experiments.gates.self_consistency.figure import draw, draw_more
from gatefield.experiments.gates.self_consistency.simulate import Settings, simulate
from gatefield.experiments.gates.self_consistency.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="self-consistency",
    title="Gates that lead to themselves: the fixed points of gate, limit field, gate",
    source="notes 000 and 002: fields behind fixed gates, and note 003, equation 4, whose steady states they are",
    text="Freeze the gate of a ReLU neuron and train the linear unit behind it: it ends at 2 (Σ0+Σ1)⁻¹ f(w), with w the "
    "direction of the gate and f(w) the mean input of the positive class where it is open. Take that field's gate, and "
    "repeat. The fixed points are the steady states of the ReLU neuron. The map is iterated from random fields, single "
    "sites, bumps and sinusoids, for both orders of the length scales. A training with the "
    "shorter range positive may localize much later: of the pair 1, 2 at gains of 5 and more, after 3,700 to 4,600 τ "
    "(late-localization).",
    caption="(a) End states of the map from all starts, different ones up to shift and sign (open), and those of them that "
    "return on another sample after a push of a tenth (filled), with their numbers. (b) By how much one iteration shrinks each "
    "mode against the winning one: dots the map, line D_min/D_k with D = 1 + λ0/λ1. (c) The share of random starts "
    "of the map that end in a stable state, which returns on another sample, and that of seeds of SGD that end in a "
    "fixed point of the map. (d) End states with the longer range positive at some gains, a row each: the "
    "map from a random start and from one site (lines), and SGD from the same random start (dots). (e) The same with the "
    "shorter range positive.",
    more=draw_more,
    more_caption="(a) Losses of all end states with the longer range positive, a dot for each start or seed; dash: the flat "
    "field. (b) The same with the shorter range positive. Titles: the end from one site and the median from random starts, at "
    "the highest gain, where an arrow says how far they miss it.",
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
