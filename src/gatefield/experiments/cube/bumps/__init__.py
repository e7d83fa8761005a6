"""One, two and three bumps on the cube: which entry of a field does its drift pick?"""

from gatefield.experiments.cube.bumps.figure import draw
from gatefield.experiments.cube.bumps.simulate import Settings, simulate
from gatefield.experiments.cube.bumps.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="bumps",
    title="One, two, three bumps on the cube: when does f(w) pick the largest entry?",
    source="note 003, equations 8 to 12 and section 3.1, as printed and corrected",
    text="The inputs are corners of the cube, with covariance C. The note finds that the drift f(w) of a field with one, two "
    "or three bumps extracts the largest entry. It does if the largest entry exceeds the sum of the others: then f = C e_i/2. "
    "Two equal bumps give C(e_i + e_j)/4. Three bumps none of which exceeds the sum of the others vote by majority, whatever "
    "their sizes, and f is nearly the same at all three. Upper row: f as printed, corrected and exact, from the law of four "
    "signs. Maps: each case as the first two sizes vary, the third being 1. Between the dashed lines the largest entry is not "
    "picked.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"n": 24, "xis": (0.5, 1.0, 1.5, 2.0, 3.0, 5.0), "grid": 40, "samples": 200_000}},
    durations={"quick": "20 s", "full": "1 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
