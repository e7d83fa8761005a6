"""Single pulses: which of them localize a field, and why."""

from gatefield.experiments.fields.single_pulse.figure import figure, more
from gatefield.experiments.fields.single_pulse.simulate import Settings, simulate
from gatefield.experiments.fields.single_pulse.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="single-pulse",
    title="Does a single pulse localize a field?",
    source="notes 000 and 002, section 1: the single pulse, the second data set, which they name and do not define",
    text="Inputs are one pulse of ones on a ring of zeros: wide pulses in one class, narrow ones in the other, in both "
    "orders. Each pulse is taken as it is, or turned into its complement half of the time, or centred by the mean of its "
    "class, or both. Training of one ReLU neuron makes the share of the labels that it explains, c²/(2D), as large as it "
    "can. So a state around one site and one grown from a wave are compared: the larger share should tell whether the field "
    "localizes.",
    caption="(a) One input of the wide class of each kind, on one scale: the pulse is centred by the mean of its class or not, "
    "and becomes its complement (dashed) half of the time or not. (b) The fields of one seed in the case of the title, each "
    "scaled to its own maximum. (c) and (d) Inverse participation ratio (1/n: spread over all sites; 1: one site) of fields "
    "trained on pulses (blue) and on Gaussian data of the same mean and covariance (orange); grey column: the pulses of the "
    "title; black: descent by the exact "
    "gradient from the same starts and for as long; dotted: from here on a field counts as localized. (e) and (f) Share of "
    "the labels that a neuron explains, in steady states grown from one site (triangles) and from the best wave (squares), and "
    "after SGD: where states explain nearly the same, exact descent can end in another one than SGD. A median stands only "
    "where seeds lie together.",
    more=more,
    more_caption="(a) and (b) Final fields of one seed on pulses (blue) and clones (orange, dashed), below a strip that shows "
    "where one input of the positive class is high, for each kind of pulses, each scaled to its own maximum. Bold numbers: "
    "localized.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"seeds": 8, "batch_size": 250, "steps": 3_000, "record_every": 150}},
    durations={"quick": "1 min", "full": "5 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
