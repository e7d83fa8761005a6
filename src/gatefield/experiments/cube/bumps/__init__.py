"""One, two and three bumps on the cube: which entry of a field does its drift pick?"""

from gatefield.experiments.cube.bumps.figure import draw
from gatefield.experiments.cube.bumps.simulate import Settings, simulate
from gatefield.experiments.cube.bumps.verdicts import verdicts
from gatefield.lab.experiment import Experiment

experiment = Experiment(
    name="bumps",
    title="On the cube f(w) picks the largest entry only if it exceeds the sum of the others",
    source="note 003, equations 8 to 12 and section 3.1, as printed and corrected",
    text="The inputs are corners of the cube, and the field has one, two or three bumps. The note finds that its drift f(w) "
    "extracts the largest entry. With C the covariance of the inputs, one bump has f = C e_i/2, and so has a field whose "
    "largest entry exceeds the sum of the others. Two equal bumps give C(e_i + e_j)/4. Three bumps none of which exceeds "
    "the sum of the others vote by majority, whatever their sizes. Then f is nearly the same at all three; far apart it is "
    "1/4 at each. The maps show where each case holds as the first two sizes vary, the third being 1: between the lines "
    "the largest entry is not picked, and its site need not even have the largest f. The gate sees three sites, so "
    "that f at a fourth follows exactly from the law of four signs; it is laid beside samples.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"n": 24, "xis": (0.5, 1.0, 1.5, 2.0, 3.0, 5.0), "grid": 40, "samples": 200_000}},
    durations={"quick": "20 s", "full": "1 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
