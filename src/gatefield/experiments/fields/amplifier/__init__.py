"""The closure amplifier: what it explains of localization, and where it is wrong."""

from gatefield.experiments.fields.amplifier.figure import figure
from gatefield.experiments.fields.amplifier.simulate import Settings, simulate
from gatefield.experiments.fields.amplifier.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="amplifier",
    title="Are large correlations amplified most? A closure for localization, and its limits",
    source="note 003, section 2: the missing form of f(w) for data that are not elliptical",
    text="A site correlates with the input of a neuron's gate by a. If the rest of that input is taken to be Gaussian (a "
    "closure), the site's mean behind the open gate is a function of a alone: the amplifier. On Gaussian data it is a "
    "straight line; on squashed data, whose excess kurtosis is negative, it bends upwards, so that the strongest sites win. "
    "The flow with this closure is laid beside stochastic gradient descent (SGD) from the same starts, for both orders of "
    "the length scales.",
    caption="(a) and (b) Inverse participation ratio of the final field (1/n: spread over all sites; 1: one site): SGD "
    "(blue) and the closure flow (black), for both orders of the length scales; above the dotted line a field counts as "
    "localized; gain ∞ stands apart. Much later SGD localizes fields at gains 10 and ∞ with the shorter range too "
    "(late-localization). (c) Mean of a site behind the open gate, over that of Gaussian data (1), against its correlation "
    "with the gate's input. Lines: closure; dotted: expansion by the excess kurtosis. (d) and (e) Final fields of one seed, "
    "SGD (dots) and closure (lines), each scaled to its own maximum.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"gains": (0.01, 1.0, 3.0, float("inf")), "seeds": 4, "batch_size": 500}},
    durations={"quick": "40 s", "full": "10 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
