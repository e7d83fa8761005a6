"""Two populations of saturating units: which localize, which oscillate, and what decides."""

from gatefield.experiments.fields.erf_populations.figure import figure
from gatefield.experiments.fields.erf_populations.simulate import Settings, simulate
from gatefield.experiments.fields.erf_populations.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="erf-populations",
    title="Saturating units: which localize, which oscillate, and what decides?",
    source="note 002, section 3",
    text="A committee of units erf(h/√2) with trained biases learns labels 1 and -1. Note 002 reports two populations, "
    "localized and oscillating fields, told apart by the sign of the bias. Near zero fields the flow is linear and says "
    "why: a unit of negative bias amplifies the frequencies that the positive class has more of (here the low ones), a "
    "unit of positive bias the others. On Gaussian data the whole flow is known and is laid beside stochastic gradient "
    "descent (SGD). Low frequencies become localized fields only on squashed data. The initial field decides which unit "
    "goes where if biases start at zero, else the biases do. Without an output bias the committee keeps both "
    "populations, to balance its mean.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"rate_per_unit": 0.05, "batch_size": 250, "steps": 4_000, "record_every": 200, "seeds": 3}},
    durations={"quick": "40 s", "full": "6 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
