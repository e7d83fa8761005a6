"""Steady states of one ReLU neuron on the cube: localized and extended ones, their basins and losses."""

from gatefield.experiments.cube.cube_states.figure import draw
from gatefield.experiments.cube.cube_states.simulate import Settings, simulate
from gatefield.experiments.cube.cube_states.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="cube-states",
    title="Steady states on the cube: where does a localized one exist, and who gets there?",
    source="note 003, section 3: data on the corners of the cube; equation 4, corrected",
    text="On the cube f(w) is constant as long as no corner changes sides: on cells. So every stable steady state of a ReLU "
    "neuron is w* = 2 (C0+C1)^-1 f of a cell in which it lies. One site decides the gate of the localized state (C0+C1)^-1 C1 "
    "e_i, which exists if |w_i| exceeds the sum of all others; all others are called extended, those of three sites too "
    "(late-localization). The map shows where it "
    "exists. States are found by the flow from random starts: on the law itself for small n, else on a sample. They persist "
    "(full marks) if the search ends in the same field on another sample, where losses are measured. Crosses: SGD from the "
    "same starts. Bars: the closed form. (+): the positive class.",
    Parameters=Settings,
    presets={
        "full": {},
        "quick": {
            "sizes": (7, 16, 40),
            "exact_to": 8,
            "starts": 60,
            "samples": 12_000,
            "time": 60.0,
            "time_step": 0.5,
            "most_steps": 1_000,
            "batch_size": 250,
            "steps": 1_600,
            "seeds": 4,
            "grid": 121,
        },
    },
    durations={"quick": "50 s", "full": "1 h, or 4 min on a large GPU"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
