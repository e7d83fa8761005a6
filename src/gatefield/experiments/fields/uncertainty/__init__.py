"""Do fields approach the least uncertainty as they are trained, and do they end as Gabors?"""

from gatefield.experiments.fields.uncertainty.figure import draw
from gatefield.experiments.fields.uncertainty.simulate import Settings, simulate, verdicts
from gatefield.lab.experiment import Experiment

experiment = Experiment(
    name="uncertainty",
    title="Trained fields: how uncertain, and are they Gabors?",
    source="note 002, section on the uncertainty principle",
    text="The hypothesis: receptive fields are Gabor functions (a wave under a Gaussian envelope) that differ in width and "
    "frequency only, and training lowers their joint uncertainty in position and frequency, step by step, to the least "
    "possible. One neuron and a committee are trained at several gains, with both orders of the length scales. (a) The "
    "sum of the entropies of position and frequency falls in training, but not at every step, (b) not even along the "
    "exact gradient flow on Gaussian data, where no sampling noise can be blamed. (c) Each final field is fitted by a "
    "Gabor and by a plain bump without carrier, and the Bayesian information criterion (BIC) chooses. R2 is the share of "
    "the field's energy that the fit explains. A field counts as a Gabor only if at least one cycle of its carrier lies "
    "under the envelope, that is within four of its widths s. (d) The fields with their fits, dashed. One neuron gives "
    "plain bumps at high gain; where the positive class has the longer range, some of a committee's units oscillate.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"batch_size": 400, "steps": 3_000, "seeds": 3}},
    durations={"quick": "40 s", "full": "6 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
