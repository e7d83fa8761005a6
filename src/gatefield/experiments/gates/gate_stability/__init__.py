"""Do the gates of a committee flip while it learns, or do they freeze?"""

from gatefield.experiments.gates.gate_stability.figure import draw, more
from gatefield.experiments.gates.gate_stability.simulate import Settings, simulate
from gatefield.experiments.gates.gate_stability.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="gate-stability",
    title="How often do gates flip in training, and do they settle before the field does?",
    source="note 002, section 4.1, equation 45 and figure 3",
    text="A ReLU unit is a linear unit behind a gate, which is open where its preactivation is positive. If gates soon "
    "froze, a gated linear network could stand in for the ReLU network. With what probability p(t) is a gate the same at "
    "one record of the training and the next? On Gaussian data it follows from the angle between both fields; else it is "
    "sampled. Rare flips add up: so the likeness to the final gate is followed too.",
    caption="(a) p(t), as in figure 3 of the note: inputs whose gate is the same at one record and the next, mean over units "
    "and seeds, at the lowest learning rate: dots sampled, line exact on Gaussian data. (b) Flips, 1 - p, per unit of time, at "
    "all rates (colours) and gains (markers). (c) The loss, mean over seeds. (d) At the highest gain and rate, a dot for each "
    "localized unit: when the inverse participation ratio (IPR) of its field is half-way up, and when its gate is half-way "
    "from its first state to its last (filled), or as at the end for 95 % of inputs (open); line: both at once. (e) The most "
    "localized unit of the first seed: its final field after each training. (f) Excess kurtosis of preactivations within the "
    "positive class, median and quartiles over units and seeds.",
    more=more,
    more_caption="Units of the first seed at the lowest gain and at the highest. (a) and (b) Final field of the first units, "
    "over its largest entry, by learning rate (colours). (c) and (e) Flips per input and unit of time, a line for each unit. "
    "(d) and (f) The excess kurtosis of preactivations on both classes together (lines), which also rises because the classes "
    "differ in variance, and within the positive class (dotted); the titles have the medians over all seeds at the end.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"batch_size": 600, "seeds": 1, "samples": 4_000, "record_every": 50}},
    durations={"quick": "30 s", "full": "20 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
