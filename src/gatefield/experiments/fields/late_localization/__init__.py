"""All pairs, all times: which fields localize if one waits, and in what."""

from gatefield.experiments.fields.late_localization.figure import figure
from gatefield.experiments.fields.late_localization.simulate import Settings, simulate
from gatefield.experiments.fields.late_localization.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="late-localization",
    title="Which fields localize if one waits long enough?",
    source="notes 000 and 002, introductions: fields localize if the positive class has the longer range, and not otherwise",
    text="One ReLU neuron on two classes of squashed fields, for many pairs of length scales and gains, trained 200 times "
    "as long as fields take to localize where that is known. With the best scale of the field the loss is 1/4 - c²/(8 D): "
    "c² = (E|h|)²/E[h²] of h = ⟨w,x⟩ in the positive class is largest if h has two values, and waves make D = 1 + "
    "w'S0w/w'S1w small. On the hypercube a gate that few sites decide can keep itself: such states are exact and stable.",
    caption="(a) The median IPR of trained fields for each pair of length scales (rows) and gain (columns), and the median "
    "time until it reached that of a localized field; a dash where fewer than half of the seeds have, no bracket where they "
    "had at the first record after the start. (b) The IPR over time at the largest gain, median over seeds, in colour where "
    "the positive class has the shorter range; open marks: the ends, as in (a), without the noise of batches; dotted: from "
    "here on fields count as localized. (c) Ends of single runs at the largest gain (dots) and the exact steady states of the "
    "hypercube (lines) that they are: a gate that one site decides, or a majority of three or more of alternating sign.",
    Parameters=Settings,
    presets={
        "full": {},
        "quick": {
            "pairs": ((2.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.4, 0.7)),
            "gains": (1.0, float("inf")),
            "batch_size": 200,
            "steps": 16_000,
            "record_every": 160,
            "most_sites": 5,
            "seeds": 4,
        },
    },
    durations={"quick": "1 min", "full": "hours, or 10 min on a large GPU that others share"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
