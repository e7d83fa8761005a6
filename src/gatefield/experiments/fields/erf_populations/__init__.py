"""Two populations of saturating units: which localize, which oscillate, and what decides."""

from gatefield.experiments.fields.erf_populations.figure import figure, more
from gatefield.experiments.fields.erf_populations.simulate import Settings, simulate
from gatefield.experiments.fields.erf_populations.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="erf-populations",
    title="Saturating units: which localize, which oscillate, and what decides?",
    source="note 002, section 3",
    text="A committee of units erf(h/√2) with trained biases learns labels 1 and -1. Note 002 reports two populations, "
    "localized and oscillating fields, told apart by the sign of the bias. Near zero fields the flow is linear and predicts "
    "which frequencies a unit amplifies, by the sign of its bias. On Gaussian data the whole flow is known. Both are laid "
    "beside stochastic gradient descent (SGD), from several starts of fields and biases.",
    caption="(a) Every unit by its final bias: inverse participation ratio (IPR) of its field, localized above the dotted "
    "line; blue: negative bias, orange: positive. (b) How fast each frequency grows from small fields, for a bias of −1 and "
    "of +1 (black: theory). Marks on the curves: where units of negative (blue) and positive bias (orange) have their peak "
    "after training, with an area that grows with their number. (c) Share of units that localize, by the start of fields and "
    "biases; bars: 95 % intervals over seeds. (d) For how many units their start tells the population that they join: from "
    "zero biases their field, by what pushes the bias, else the sign of the bias. (e) Two units of one committee on each kind "
    "of data: SGD (dots) and, on Gaussian data, the exact flow (black).",
    more=more,
    more_caption="On Gaussian data. (a) Final biases, SGD against the exact flow; crosses: units that end on the other side; "
    "the line is where both are equal. (b) For each share of units how alike the final fields of SGD and flow are. (c) and (d) "
    "The two populations of (a), enlarged.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"rate_per_unit": 0.05, "batch_size": 250, "steps": 4_000, "record_every": 200, "seeds": 3}},
    durations={"quick": "40 s", "full": "6 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
