"""Do receptive fields tile the ring, or does each unit choose its place by itself?"""

from gatefield.experiments.fields.tiling.figure import draw, more
from gatefield.experiments.fields.tiling.simulate import Settings, simulate
from gatefield.experiments.fields.tiling.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="tiling",
    title="Do the fields of a committee tile the ring, or does each unit choose its place by itself?",
    source="note 003, section 1: symmetry breaking and tiling of fields",
    text="ReLU committees of K units are trained on squashed fields, and every unit is also trained alone: the same start "
    "and the same inputs without the other units. Where do peaks go? Their gaps around the ring are compared with those of "
    "places drawn at random, whose law is exact. If units keep away from each other, peaks are more evenly spread than "
    "chance; if each chooses by itself, its start tells where. Time is in K² tau, in which a committee of K learns like one "
    "neuron.",
    caption="(a) Final fields of a small committee, (b) of a large one, and (c) of the same units, each trained alone; fields "
    "whose largest weight is positive blue, others orange and dashed, peaks marked. (d) How evenly peaks are spread: sum of "
    "squared gaps around the ring, over that of random places (1, dotted); the bar is that of equal gaps. (e) How "
    "often two peaks of the large committee are so far apart, over chance; band: 95 % of as many pairs of random places. "
    "(f) Share of units that, alone, go to the same place within one site and with the same sign; dotted: that of random "
    "places and signs, and half, which would make it most.",
    more=more,
    more_caption="Mean cosine between units that start nearly alike, and its least possible value -1/(K - 1) (dashed).",
    Parameters=Settings,
    presets={
        "full": {},
        "quick": {
            "pairs": ((2.0, 1.0),),
            "gains": (1.0, 3.0),
            "units": (2, 8),
            "learning_rate": 0.1,
            "batch_size": 250,
            "steps": 2_000,
            "seeds": 6,
        },
    },
    durations={"quick": "1 min", "full": "hours, or 10 min on a large GPU"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
