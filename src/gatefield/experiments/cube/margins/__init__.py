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
    text="On the cube a gate may be decided by a few of its weights: those whose signed sums all exceed the sum of the rest. "
    "The margin δ, the smallest size of a signed sum of all weights, says whether one can be left out. Random fields, fields "
    "whose sizes fall by a factor, and fields trained by SGD in both orders of the length scales are compared, on every corner "
    "of the cube and on inputs with the data's own law.",
    caption="(a) How many weights decide the gate: one mark for each field, for every corner of the cube and for most inputs; "
    "above, the median for 99 %; dotted: all weights. Averages are over the second half of training. (b) How often "
    "the gate of the largest k weights alone differs from that of all, on the data's own law: medians of families; "
    "families without any error are left out. (c) Margin of random weights: dots mean, band 5 to 95 % of draws, black "
    "line √(2πn)/2ⁿ. (d) Its law at the largest n, with the predicted exponential law as black line. (e) Share of "
    "random fields that can do without one weight, with standard errors; the black line is of first order in 2⁻ⁿ, and "
    "rough where that is not small.",
    Parameters=Settings,
    presets={"full": FULL, "quick": {**QUICK, "draws": 300}},
    durations={"quick": "30 s", "full": "5 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
