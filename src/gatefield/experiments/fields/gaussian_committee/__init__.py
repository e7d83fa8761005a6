"""Committees of ReLU neurons on Gaussian data, beside their exact gradient flow."""

from gatefield.experiments.fields.gaussian_committee.figure import figure
from gatefield.experiments.fields.gaussian_committee.simulate import Settings, simulate
from gatefield.experiments.fields.gaussian_committee.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="gaussian-committee",
    title="Do committees on Gaussian data follow their exact gradient flow?",
    source="note 002, equations 4 to 18, with the factor 1/K and the terms between neurons corrected",
    text="Several ReLU neurons learn together, and each feels the others through the committee's mean output. The note "
    "leaves their joint flow unfinished; on Gaussian data it has a closed form. SGD is laid beside that flow from the same "
    "starts, for committees of several sizes. What separates the two is the noise of the batches, whose random walk is "
    "predicted. The flow as printed lacks a factor 1/K, and is K times too fast.",
    caption="Distances are |w − w_flow|, as parts of the way that the flow itself goes from start to end: committees of many "
    "units learn slowly and go less far. (a) At the largest batch: SGD from the flow (marks, median over seeds), the random "
    "walk that the noise of batches makes without a restoring force (line of the same colour), and SGD from the printed flow "
    "(dashed), with K at their ends; dotted: the distance in the title. (b) The largest distance in training, for every seed, "
    "by batch size, the exponent of their fall, and that random walk (line). (c) One unit of each size of committee, by how "
    "much it has moved from its start: SGD (marks) and flow (line).",
    Parameters=Settings,
    presets={"full": {}, "quick": {"batch_sizes": (100, 400), "seeds": 3, "record_every": 40}},
    durations={"quick": "40 s", "full": "3 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
