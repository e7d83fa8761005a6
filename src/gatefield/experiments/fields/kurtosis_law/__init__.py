"""Which departure from the Gaussian localizes a field: four rules, judged on many laws."""

from gatefield.experiments.fields.kurtosis_law.figure import figure
from gatefield.experiments.fields.kurtosis_law.paths import more
from gatefield.experiments.fields.kurtosis_law.simulate import Settings, simulate
from gatefield.experiments.fields.kurtosis_law.verdicts import verdicts
from gatefield.lab import Experiment

QUICK_LAWS = ("gain:0.3", "gain:1", "gain:inf", "algebraic:5", "levels:0.5", "ising")

experiment = Experiment(
    name="kurtosis-law",
    title="Is it negative excess kurtosis that localizes a field?",
    source="note 002 and published work (Ingrosso and Goldt, 2022; Lufkin, Saxe and Grant, 2024): non-Gaussian data localize "
    "fields if the excess kurtosis of a site is negative",
    text="One ReLU neuron on many laws of a site, with the longer range, the shorter or the same in the positive class. Four "
    "rules say beforehand whether its field localizes. Kurtosis and sharpness know one site only. Depth and path use what "
    "training is after: a neuron of free size has the loss 1/4 - c²/(8D), with c² the sharpness of its input in the positive "
    "class and D = 1 + E₀h²/E₁h², so that training raises the score c²/D. Trained neurons are the judge: localized is an "
    "inverse participation ratio (IPR) above 6/n.",
    caption="Each panel: what a rule says (right of the edge: localizes) against the IPR of trained fields, one mark for each "
    "law and order of ranges; in the grey quarters the rule is wrong; above, how often. (a) Excess kurtosis of a site is "
    "negative. (b) Its sharpness exceeds that of a Gaussian. (c) A state around one site has a larger score than every wave. "
    "(d) The score rises from the best wave through ever narrower packets of it, without a dip, to an IPR above 6/n.",
    more_caption="Score c²/D of wave packets, from the best wave (left) to one site (right), over that of the wave, a line "
    "for each law: (a) longer range positive, (b) shorter range positive, (c) the same range in both classes. A mark stands "
    "where the score stops rising; the rule says that fields localize if that is beyond an IPR of 6/n (grey: up to there). "
    "Orange: SGD localizes the field; blue, dashed: it leaves it spread. Black and named: against the rule. A law "
    "named in blue ends high, but its score falls before it rises, and so does not count as rising.",
    Parameters=Settings,
    presets={
        "full": {},
        "quick": {
            "laws": QUICK_LAWS,
            "seeds": 3,
            "clone_seeds": 2,
            "batch_size": 200,
            "steps": 2_500,
            "record_every": 500,
            "samples": 16_384,
        },
    },
    durations={"quick": "1 min", "full": "15 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
    more=more,
)
