"""Two populations of saturating units: which localize, which oscillate, and what decides."""

from gatefield.experiments.fields.erf_populations import figure as drawing
from gatefield.experiments.fields.erf_populations.simulate import Settings, simulate, verdicts
from gatefield.lab.experiment import Experiment

experiment = Experiment(
    name="erf-populations",
    title="Saturating units split into localized and oscillating ones, by the sign of their bias",
    source="note 002, section 3",
    text="A committee of units erf(h/√2) with trained biases learns labels 1 and -1. Note 002 reports two populations, "
    "localized and oscillating fields, told apart by the sign of the bias, and suspects the initial field. Near zero "
    "fields the flow is linear and says why: a unit of negative bias amplifies the frequencies that the positive class "
    "has more of (here the low ones), a unit of positive bias the others. On Gaussian data the whole flow is known and "
    "is laid beside stochastic gradient descent (SGD). Low frequencies become localized fields only on squashed data. "
    "Which unit goes where is decided by the initial field if biases start at zero, and by the biases if they are "
    "given. The output bias matters: without it the committee has to balance its mean output, and keeps both "
    "populations even from a start that favours one.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"rate_per_unit": 0.05, "batch_size": 250, "steps": 4_000, "record_every": 200, "seeds": 3}},
    durations={"quick": "40 s", "full": "6 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=drawing.figure,
)
