"""How many weights decide a gate on the cube: margins and heads of random, geometric and trained fields."""

from gatefield.experiments.cube.fields import FULL, QUICK
from gatefield.experiments.cube.margins.figure import draw
from gatefield.experiments.cube.margins.simulate import Settings, simulate
from gatefield.experiments.cube.margins.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="margins",
    title="How many weights decide a gate on the cube?",
    source="note 003, equation 13 and the questions after it",
    text="On the cube a gate may be decided by a few of its weights, the head: those whose signed sums all exceed the sum of "
    "the rest. The margin delta is the smallest size of such a signed sum. For Gaussian weights delta, in units of sqrt(2 pi) "
    "|w|/2^n, has the exponential law of mean 1, and no weight can be left out. Weights that fall by a factor of 2 or more "
    "are decided by the first. SGD is run in both orders of the length scales: near a localized state one weight decides, "
    "and minibatch noise eats into its lead; elsewhere nearly all weights are needed. "
    "Averages are over the second half of training. Inputs have the data's own law.",
    Parameters=Settings,
    presets={"full": FULL, "quick": {**QUICK, "draws": 300}},
    durations={"quick": "30 s", "full": "5 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
