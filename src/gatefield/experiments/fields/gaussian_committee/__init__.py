"""Committees of ReLU neurons on Gaussian data, beside their exact gradient flow."""

from gatefield.experiments.fields.gaussian_committee.figure import figure
from gatefield.experiments.fields.gaussian_committee.simulate import Settings, simulate
from gatefield.experiments.fields.gaussian_committee.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="gaussian-committee",
    title="Do committees on Gaussian data follow their exact gradient flow?",
    source="note 002, equations 4 to 18, with the factor 1/K and the terms between neurons corrected",
    text="Several ReLU neurons learn together, and each feels the others through the committee's mean output. The note leaves "
    "their joint flow unfinished; on Gaussian data it has a closed form. SGD is laid beside that flow from the same "
    "starts, for committees of several sizes. What separates the two is minibatch noise. It falls as one over the square "
    "root of the batch size, and is no larger than the random walk that the gradient's noise makes without a restoring "
    "force. The same steps along the exact gradient give a far smaller error. As a control serves the flow as printed, "
    "without the factor 1/K on the left, which is K times too fast.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"batch_sizes": (100, 400), "seeds": 3, "record_every": 40}},
    durations={"quick": "40 s", "full": "3 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
