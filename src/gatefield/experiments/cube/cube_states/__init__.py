"""Steady states of one ReLU neuron on the cube: those of one site and others, their basins and losses."""

from gatefield.experiments.cube.cube_states.figure import draw, draw_more
from gatefield.experiments.cube.cube_states.simulate import Settings, simulate
from gatefield.experiments.cube.cube_states.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="cube-states",
    title="Steady states on the cube: where does a one-site state exist, and who gets there?",
    source="note 003, section 3: data on the corners of the cube; equation 4, corrected",
    text="On the cube f(w) is constant as long as no corner changes sides. So every stable steady state of a ReLU neuron is "
    "the limit field w* = 2 (C0+C1)^-1 f behind its own gate. The one-site state, whose gate one site decides, is "
    "(C0+C1)^-1 C1 e_i, and exists if |w_i| exceeds the sum of all others; others may be localized too, on three sites or "
    "more. States are found by the flow from random starts: on the law itself for small n, else on a sample. With the shorter "
    "range positive SGD reaches the one-site state of some pairs after hundreds to thousands of tau (late-localization); here "
    "it stops earlier.",
    caption="(a) Where the one-site state exists (purple): the lead of its peak, (|w_i| less the sum of all others)/|w_i|, "
    "for a ring of the largest size; black: where it ceases to, for all sizes; marks: the pairs of length scales in (b). (b) "
    "Share of random starts that end in the one-site state; bars: exact 95 % intervals; numbers: at the largest size. (c) The "
    "same of runs of SGD. ξ: the positive class, then the negative; full marks: the positive one has the longer range.",
    more=draw_more,
    more_caption="(a), (b), (c), (d) Losses of all states found, by the size of the ring, for each pair of length scales; "
    "above, by how much the lowest other state lies above that of one site, over sizes; "
    "hollow: states that the search does not find again on another sample, on which losses are measured; black lines: the "
    "one-site state in closed form, where it exists. (e) Fields of the largest ring, peaks in the middle: the limit field of "
    "one site's gate in closed form (black), the other state of lowest loss (blue), and a run of SGD (crosses).",
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
