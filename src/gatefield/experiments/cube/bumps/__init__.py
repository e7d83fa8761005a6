"""One, two and three bumps on the cube: which entry of a field does its drift pick?"""

from gatefield.experiments.cube.bumps.figure import draw, draw_more
from gatefield.experiments.cube.bumps.simulate import Settings, simulate
from gatefield.experiments.cube.bumps.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="bumps",
    title="One, two, three bumps on the cube: when does f(w) pick the largest entry?",
    source="note 003, equations 8 to 12 and section 3.1, as printed and corrected",
    text="The inputs are corners of the cube, with covariance C. The note finds that the drift f(w) of a field with one, two "
    "or three bumps extracts the largest entry. Here the drift is computed exactly, from the law of four signs, and compared "
    "with the printed equations. It is C e_i/2 where the largest entry exceeds the sum of the others. Where none does, three "
    "bumps vote by majority, whatever their sizes.",
    caption="(a), (b), (c) Drift around the largest bump: dots exact, black line the corrected equation, dashed the printed "
    "one. (a) One bump. (b) Two equal bumps, three sites apart. (c) Three bumps, none of which exceeds the sum of the others. "
    "(d), (e), (f) What the drift follows, for bumps of sizes α, β and 1: blue where one exceeds the sum of the others, else "
    "the gate is the majority of the three signs; the black triangle holds the sizes α > β > 1 of the note, in which α is "
    "picked if the drift is largest there. (d) Three neighbours with α at an end. (e) Three neighbours with α between the "
    "others. (f) Bumps 3 and 2 sites apart; star: the sizes of (c).",
    more=draw_more,
    more_caption="(a) Drift at each of three bumps that vote, none above the sum of the others; numbers: at the longest length "
    "scale; dotted: 1/4, that of bumps far apart. (b) How far the drift at the largest of three bumps that vote is above the "
    "largest elsewhere, by the length scale of the data: below zero another site gains more; black: one bump alone. (c) Drift "
    "around the largest bump: dots for bumps 2 and 1, squares for 4, 2, 1; black line the corrected equation, dashed the "
    "printed one.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"n": 24, "xis": (0.5, 1.0, 1.5, 2.0, 3.0, 5.0), "grid": 40, "samples": 200_000}},
    durations={"quick": "20 s", "full": "1 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
