"""How many weights decide a gate on the cube: margins and heads of random, geometric and trained fields."""

from gatefield.experiments.cube.margins.figure import draw
from gatefield.experiments.cube.margins.simulate import Settings, simulate
from gatefield.experiments.cube.margins.verdicts import verdicts
from gatefield.lab.experiment import Experiment

experiment = Experiment(
    name="margins",
    title="How many weights decide a gate on the cube: all of a random field, one of a localized one",
    source="note 003, equation 13 and the questions after it",
    text="On the cube a gate may be decided by a few of its weights, the head: those whose signed sums all exceed the sum of "
    "the rest. The margin delta is the smallest size of such a signed sum. For Gaussian weights the sums crowd zero: "
    "delta, in units of sqrt(2 pi) |w|/2^n, has the exponential law of mean 1, and the smallest weight is almost never "
    "below the margin of the others, so that no weight can be left out. Weights that fall by a factor of 2 or more are "
    "decided by the first. And trained fields? Where the positive class has the longer range, SGD ends near the localized "
    "steady state, where one weight exceeds the sum of all others and decides alone; minibatch noise on the others eats "
    "into its lead. With the length scales swapped there is such a state too, but SGD does not go there, and nearly all "
    "weights are needed. Panel (d) shows how many weights decide every corner, and how many are enough for 99 and 95 "
    "percent of the inputs of the data's own law; panel (e) how often the largest k weights alone open another gate. "
    "The mean of a field over the second half of its training has less noise than its end.",
    Parameters=Settings,
    presets={
        "full": {"batch_size": 4_000, "samples": 200_000},
        "quick": {
            "n": 30,
            "draws": 300,
            "random_fields": 6,
            "samples": 10_000,
            "learning_rate": 0.1,
            "batch_size": 500,
            "steps": 2_000,
            "record_every": 20,
            "seeds": 4,
        },
    },
    durations={"quick": "30 s", "full": "5 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
