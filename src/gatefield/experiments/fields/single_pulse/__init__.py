"""Single pulses: which of them localize a field, and why."""

from gatefield.experiments.fields.single_pulse.figure import figure
from gatefield.experiments.fields.single_pulse.simulate import Settings, simulate
from gatefield.experiments.fields.single_pulse.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="single-pulse",
    title="Does a single pulse localize a field?",
    source="notes 000 and 002, section 1: the single pulse, the second data set, which they name and do not define",
    text="Inputs are one pulse of ones on a ring of zeros: wide pulses in one class, narrow ones in the other, in both orders. "
    "Each pulse is taken as it is, or turned into its complement half of the time, or centred by the mean of its class, or "
    "both. With both it is symmetric about zero, with two values at each site. Stochastic gradient descent (SGD) of one ReLU "
    "neuron is laid beside descent by the exact gradient, a sum over all pulses, and beside SGD on Gaussian clones. A neuron "
    "whose size is free explains the share c²/(2D) of the labels: c² says how sharply its positive class answers, D how much "
    "the other class answers too. Training makes it as large as it can. So for each case the share is computed for a state "
    "around one site and for a wave: the larger one should tell whether the field localizes.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"seeds": 8, "batch_size": 250, "steps": 3_000, "record_every": 150}},
    durations={"quick": "1 min", "full": "5 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
