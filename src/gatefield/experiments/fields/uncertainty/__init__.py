"""Do fields approach the least uncertainty as they are trained, and do they end as Gabors?"""

from gatefield.experiments.fields.uncertainty.figure import figure
from gatefield.experiments.fields.uncertainty.fits import more
from gatefield.experiments.fields.uncertainty.simulate import Settings, simulate
from gatefield.experiments.fields.uncertainty.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="uncertainty",
    title="Trained fields: how uncertain, and are they Gabors?",
    source="note 002, section on the uncertainty principle",
    text="The hypothesis: receptive fields are Gabor functions (a wave under a Gaussian envelope), and training lowers their "
    "joint uncertainty in position and frequency, step by step, to the least possible. Each final field is fitted by a Gabor "
    "and by a plain bump, and the Bayesian information criterion (BIC) chooses. A Gabor has at least one cycle of its "
    "carrier within four widths of its envelope; R² is the share of energy that the fit explains.",
    caption="(a) What final fields are, for one neuron and for committees, both orders of the length scales, and every gain; "
    "below, how many fields a bar stands for. (b) Sum of the entropies of position and frequency in training, medians of one "
    "neuron; dashed: shorter range positive; dotted: the least possible, and that of Gaussian bumps. (c) The same along the "
    "first part of exact flows on Gaussian data, less its value at the start, one line for each start; thick where it rises.",
    more_caption="(a) How much of each final field its fit explains; marks: which model was chosen; grey: the fit is not "
    "good. Below, (b) one neuron, longer range positive; (c) one neuron, shorter range; (d) committee, longer range; (e) "
    "committee, shorter range: at each gain, of the kind that most fields are of, the field of median R² in the colour of its "
    "kind (dots) and its fit (black).",
    Parameters=Settings,
    presets={"full": {}, "quick": {"batch_size": 400, "steps": 3_000, "seeds": 3}},
    durations={"quick": "40 s", "full": "6 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
    more=more,
)
