"""The drift f(w) along training: how many entries of the field decide the gate, and when f leaves the Gaussian form."""

from gatefield.experiments.cube.f_along_training.figure import draw
from gatefield.experiments.cube.f_along_training.simulate import Settings, simulate
from gatefield.experiments.cube.f_along_training.verdicts import verdicts
from gatefield.lab.experiment import Experiment

experiment = Experiment(
    name="f-along-training",
    title="The drift along training: how many entries decide the gate, and when f stops being Gaussian",
    source="note 003, sections 2 and 3, which ask how f behaves and how small the head of w may be",
    text="While a ReLU neuron trains, its drift f(w) = E[1(<w,x> >= 0) x] over the positive class is sampled and compared with "
    "two forms. For Gaussian data it would be C1 w/sqrt(2π w'C1 w), all entries taking part. If the largest entry alone "
    "decided the gate, it would be that of one site, which on the cube is C1 e_max/2. The distance to each is relative to "
    "|f|, less what the noise of sampling adds to it. The head of w is the smallest number of its largest entries whose "
    "gate agrees with that of all entries but for 5 % (or 1 %) of inputs; all sizes are looked at, because errors need not "
    "fall with size. Rows: size of the head (thick 5 %, thin 1 %), distance from the Gaussian form, distance from the form "
    "of one site, all medians over seeds, with quartiles but for the thin lines, and the final field of the first seed at "
    "the lowest and the highest gain. Last row: f itself with both forms, for the first seed, the first pair and the "
    "highest gain, at the start, when the head has dropped half-way (in its logarithm) and at the end. Time runs linearly "
    "up to the first record after 0, then logarithmically.",
    Parameters=Settings,
    presets={
        "full": {},
        "quick": {"batch_size": 200, "steps": 2_400, "records": 240, "times": 14, "samples": 16_000, "seeds": 3},
    },
    durations={"quick": "50 s", "full": "2 h, or 3 min on a large GPU"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
