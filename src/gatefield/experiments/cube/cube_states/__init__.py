"""Steady states of one ReLU neuron on the cube: localized and extended ones, their basins and losses."""

from gatefield.experiments.cube.cube_states.figure import draw
from gatefield.experiments.cube.cube_states.simulate import Settings, simulate
from gatefield.experiments.cube.cube_states.verdicts import verdicts
from gatefield.lab.experiment import Experiment

experiment = Experiment(
    name="cube-states",
    title="Steady states on the cube: where does a localized one exist, and who gets there?",
    source="note 003, section 3: data on the corners of the cube; equation 4, corrected",
    text="On the corners of the cube f(w) does not change while no corner changes sides: it is constant on cells. So every "
    "stable steady state of a ReLU neuron is w* = 2 (C0+C1)^-1 f of some cell, and it is one if and only if it lies in "
    "that cell. The localized state is the one whose gate a single site decides: w* = (C0+C1)^-1 C1 e_i, which exists if "
    "and only if |w_i| exceeds the sum of all others; all other states are called extended here, even bumps. The map "
    "shows for which pairs of length scales it exists, at several sizes n of the ring. States are found by following the "
    "flow from random starts: on the law itself for small n, on one large sample for larger n, where losses are measured "
    "on another one and a state is said to persist if the search begun there on that other one ends in the same field. "
    "Upper right: the share of starts that end localized. Middle: losses of all states by size and pair, with those where "
    "stochastic gradient descent (SGD) ends from the same starts; the bar is the closed form, and hollow marks are states "
    "that do not persist. Below: the states themselves, on the largest ring, with one run of SGD. The positive class, "
    "whose length scale is ξ1, is marked (+).",
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
