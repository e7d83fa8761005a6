"""Which departure from the Gaussian localizes a field: four rules, judged on many laws."""

from gatefield.experiments.fields.kurtosis_law.figure import figure
from gatefield.experiments.fields.kurtosis_law.simulate import Settings, simulate
from gatefield.experiments.fields.kurtosis_law.verdicts import verdicts
from gatefield.lab import Experiment

QUICK_LAWS = ("gain:0.3", "gain:1", "gain:inf", "algebraic:5", "levels:0.5", "ising")

experiment = Experiment(
    name="kurtosis-law",
    title="Is it negative excess kurtosis that localizes a field?",
    source="note 002 and published work (Ingrosso and Goldt, 2022; Lufkin, Saxe and Grant, 2024): non-Gaussian data localize "
    "fields if the excess kurtosis of a site is negative",
    text="One ReLU neuron on many laws of a site: squashed, uniform, Laplace and algebraic ones, three levels, the Ising ring "
    "and single pulses. The positive class has the longer range, the shorter, or the same. Four rules say beforehand whether "
    "the field localizes. Kurtosis: that of a site is negative. Sharpness: (E|x|)²/E x² of a site exceeds 2/π, that of a "
    "Gaussian. Two rules use what training is after: a neuron whose size is free has the loss 1/4 - c²/(8D) exactly, with c² "
    "the sharpness of its input h = <w,x> in the positive class and D = 1 + E₀h²/E₁h², so training makes the score c²/D as "
    "large as it can. Depth: a state around one site has a larger score than every wave. Path: the score rises from the "
    "best wave through ever narrower packets of it, without a dip. Stochastic gradient descent (SGD) from random starts is the "
    "judge; a field counts as localized if its inverse participation ratio (IPR) is above 6/n. Gaussian clones are the "
    "control.",
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
)
