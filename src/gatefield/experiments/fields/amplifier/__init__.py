"""The closure amplifier: what it explains of localization, and where it is wrong."""

from gatefield.experiments.fields.amplifier.figure import figure
from gatefield.experiments.fields.amplifier.simulate import Settings, simulate
from gatefield.experiments.fields.amplifier.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="amplifier",
    title="Are large correlations amplified most? A closure for localization, and its limits",
    source="note 003, section 2: the missing form of f(w) for data that are not elliptical",
    text="A site correlates with the input of a neuron's gate by a. If the rest of that input is taken to be Gaussian, the "
    "site's mean behind the open gate is a function of a alone: the amplifier. On Gaussian data it is a straight line. On "
    "squashed data, whose excess kurtosis is negative, it bends upwards: the strongest sites are amplified most, and win. "
    "The flow with this closure is laid beside stochastic gradient descent (SGD). If the positive class has the longer "
    "range it says rightly whether the field localizes, and mostly where, at about half the inverse participation ratio "
    "(IPR). If it has the shorter range the closure is wrong at high gain: it localizes at once, SGD not within these times.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"gains": (0.01, 1.0, 3.0, float("inf")), "seeds": 4, "batch_size": 500}},
    durations={"quick": "40 s", "full": "10 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
