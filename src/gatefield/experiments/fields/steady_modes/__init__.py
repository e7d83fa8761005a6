"""Which Fourier mode of a single neuron survives on Gaussian data, how large it is, and when it is alone."""

from gatefield.experiments.fields.steady_modes.figure import figure
from gatefield.experiments.fields.steady_modes.simulate import Settings, simulate
from gatefield.experiments.fields.steady_modes.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="steady-modes",
    title="Which Fourier modes of a field survive, and how long do the others take to die out?",
    source="note 002, equations 22 to 31 and the claims after them",
    text="On Gaussian data the flow of a single neuron has one stable steady state: the Fourier mode with the smallest "
    "λ0/λ1, of amplitude √(2/π) √λ1/(λ0+λ1). The note finds that only one or two modes (cosine and sine of one frequency) "
    "can stay, and prints an amplitude with the square of a norm for the norm. The exact path shows when this comes true. "
    "On other data the last word may be a localized state: with the longer range positive from a gain of 1 on within 600 τ, "
    "with the shorter one by pair and gain, such as 1, 2 from a gain of 5 on after 3,700 to 4,600 τ (late-localization).",
    caption="Columns: pairs of length scales. (a) The share of each frequency (colour) in the energy of one field; dashed "
    "line: the note's training time; dotted line: the time scale of the last frequency to die out. (b) How many frequencies "
    "share the energy (inverse sum of squared shares): exact flow (grey: single starts, black: their median) and SGD "
    "(dots). (c) The size of the field, its steady state, and that of equation 25 as printed (dashed).",
    Parameters=Settings,
    presets={"full": {}, "quick": {"starts": 8, "batch_size": 500, "trained": 2}},
    durations={"quick": "20 s", "full": "2 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
