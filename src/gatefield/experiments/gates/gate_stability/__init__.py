"""Do the gates of a committee flip while it learns, or do they freeze?"""

from gatefield.experiments.gates.gate_stability.figure import draw
from gatefield.experiments.gates.gate_stability.simulate import Settings, simulate
from gatefield.experiments.gates.gate_stability.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="gate-stability",
    title="How often do gates flip in training, and do they settle before the field does?",
    source="note 002, section 4.1, equation 45 and figure 3",
    text="A ReLU unit is a linear unit behind a gate, which is open where its preactivation is positive. If the gates soon "
    "froze, a gated linear network could stand in for the ReLU network. So: with what probability p(t) is the gate the same "
    "at one record of the training and the next? On Gaussian data it is known in closed form, from the angle between both "
    "fields; else it is sampled. Rare flips add up: hence also the likeness, the probability that a gate is already as at "
    "the end. The note's learning rate leaves the training far from its end: K times that rate is shown beside it, and one "
    "that lets fields reach their final shape.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"batch_size": 600, "seeds": 1, "samples": 4_000, "record_every": 50}},
    durations={"quick": "30 s", "full": "20 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
