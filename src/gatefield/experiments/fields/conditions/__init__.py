"""What of localization survives when the conditions of training change."""

from gatefield.experiments.fields.conditions.figure import figure
from gatefield.experiments.fields.conditions.simulate import Settings, simulate
from gatefield.experiments.fields.conditions.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="conditions",
    title="What of localization survives when the conditions of training change?",
    source="note 002, sections 1 and 2: loss, readout, basis initialization; note 003, section 2: a standard Gaussian start",
    text="One ReLU neuron on two classes of squashed fields, trained on a ring by plain SGD on the squared error, without a "
    "bias and with a fixed readout; and beside it the same neuron with one thing changed: an open line, another start, a "
    "learned readout, momentum, Adam, an output bias, cross-entropy. The learning rate falls to a hundredth, "
    "so that the noise of the batches does not spread the ends; rates differ, as each condition allows. Without a bias the "
    "output is zero for half of all inputs, so that the loss cannot be below 1/8, that of the constant output 1/2. A single "
    "site has the same law in both classes and tells nothing of the label, so that behind an output bias it has nothing to do. "
    "Committees begin with random fields or with basis vectors. "
    "From a standard normal start both terms of the velocity f/2 - (S0 + S1) w/4 are read along the first moments.",
    Parameters=Settings,
    presets={
        "full": {},
        "quick": {
            "pairs": ((2.0, 1.0),),
            "gains": (0.01, 3.0),
            "batch_size": 200,
            "steps": 4_000,
            "record_every": 40,
            "early_steps": 500,
            "samples": 10_000,
            "seeds": 3,
        },
    },
    durations={"quick": "1 min", "full": "3 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
