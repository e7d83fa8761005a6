"""What of localization survives when the conditions of training change."""

from gatefield.experiments.fields.conditions.figure import figure
from gatefield.experiments.fields.conditions.moments import more
from gatefield.experiments.fields.conditions.simulate import Settings, simulate
from gatefield.experiments.fields.conditions.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="conditions",
    title="What of localization survives when the conditions of training change?",
    source="note 002, sections 1 and 2: loss, readout, basis initialization; note 003, section 2: a standard Gaussian start",
    text="One ReLU neuron on two classes of squashed fields, trained on a ring by plain SGD on the squared error, without a "
    "bias and with a fixed readout; and beside it the same neuron with one thing changed. Without a bias the output is zero "
    "for half of all inputs, so that the loss cannot be below 1/8, that of the constant output 1/2. A single site has the "
    "same law in both classes and tells nothing of the label, so that behind an output bias it has nothing to do.",
    caption="(a) The IPR of every final field under each condition, at each gain, and of the units of committees (median "
    "over units) from a random start and from basis vectors; at the side their median at gain 3 (strokes) and the median "
    "time until the IPR stays above 0.3, about half of the baseline's: localization survives (– where fewer than half of the "
    "seeds do; steps for Adam, which has no time of the flow). Other experiments count a field as localized from 0.15 on, "
    "the IPR of six or seven equal sites, and so do the claims here on the swapped order. Learning rates fall to a "
    "hundredth, so that the noise of batches does not spread the ends. (b) Fields of one seed, each over its maximum, on the "
    "ring shifted to the middle.",
    more_caption="(a) From a standard normal start: the size of the field, its IPR, and its cosine with the "
    "flow on Gaussian data of the same covariances, every seed. (b) Both terms of its "
    "velocity f/2 - (S₀ + S₁) w/4; dashed: when the first is half of the second. (c) On the open line: on how many fields "
    "each site is the peak (bars), and on how many it would be by even chances (dotted), or if fields were like the "
    "attracting mode of Gaussian data (black).",
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
    durations={"quick": "1 min", "full": "hours, or 10 min on a large GPU that others share"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
    more=more,
)
