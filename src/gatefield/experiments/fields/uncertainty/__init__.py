"""Do fields approach the least uncertainty as they are trained, and do they end as Gabors?"""

from gatefield.experiments.fields.uncertainty.figure import figure
from gatefield.experiments.fields.uncertainty.simulate import Settings, simulate
from gatefield.experiments.fields.uncertainty.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="uncertainty",
    title="Trained fields: how uncertain, and are they Gabors?",
    source="note 002, section on the uncertainty principle",
    text="The hypothesis: receptive fields are Gabor functions (a wave under a Gaussian envelope), and training lowers their "
    "joint uncertainty in position and frequency, step by step, to the least possible. "
    "(a) The sum of the entropies of position and frequency falls, but not at every step, (b) not even along the "
    "exact flow on Gaussian data. (c) Each final field is fitted by a Gabor and by a plain bump, and the Bayesian information "
    "criterion (BIC) chooses; R2 is the share of energy that the fit explains. A Gabor has at least one cycle of its "
    "carrier within four widths of its envelope. (d) Fields, and dashed their fits. One neuron gives bumps at high gain; some "
    "of a committee's units oscillate.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"batch_size": 400, "steps": 3_000, "seeds": 3}},
    durations={"quick": "40 s", "full": "6 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
