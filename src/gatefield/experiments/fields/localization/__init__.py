"""Fields along the gain axis: when does a receptive field localize?"""

from gatefield.experiments.fields.localization.figure import figure
from gatefield.experiments.fields.localization.frames import frames
from gatefield.experiments.fields.localization.simulate import Settings, simulate
from gatefield.experiments.fields.localization.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="localization",
    title="Which data make receptive fields localize?",
    source="notes 000, 002 and 003: localization of a single ReLU neuron on the nonlinear Gaussian process",
    text="One ReLU neuron learns to tell two kinds of inputs apart, which vary over longer and over shorter distances and "
    "are squashed by a gain: from nearly Gaussian (0.01) to corners of the hypercube (infinity). Both orders of the length "
    "scales are trained, for the same time. Later, in up to 40,000 τ, fields of the pair 1, 2 localize too, at gains of 5 and "
    "more after 3,700 to 4,600 τ (late-localization, for ten pairs). "
    "Boundary, start, readout, output bias, loss and optimiser can be set; what is known for the usual ones is then not "
    "judged.",
    caption="(a) One input of each of the two classes, at three gains; the same latent field, squashed. (b) The inverse "
    "participation ratio (IPR) of every trained field: 1/n if it is spread evenly over n sites, 1 if it sits on one. "
    "Circles: the class that the neuron should answer to has the longer range; squares: the shorter. Black lines: the "
    "gradient flow of Gaussian data with the same covariances, median over seeds; it does not condense, so that what "
    "condenses fields is the shape of the data. Star: the exact steady state of a gate on one site. (c) Fields of one seed "
    "at each gain, each over its largest entry, from the same start; with the shorter range positive they keep a trace of "
    "it.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"gains": (0.01, 0.3, 1.0, 3.0, 10.0, float("inf")), "seeds": 4, "batch_size": 500}},
    durations={"quick": "30 s", "full": "5 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
    frames=frames,
    frames_caption="Turn the gain: what the neuron sees (above), and the field that it ends with (below), from the same start.",
)
