"""Which Fourier mode of a single neuron survives on Gaussian data, how large it is, and when it is alone."""

from gatefield.experiments.fields.steady_modes.figure import figure
from gatefield.experiments.fields.steady_modes.simulate import Settings, simulate
from gatefield.experiments.fields.steady_modes.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="steady-modes",
    title="Which Fourier modes of a field survive, and how long do the others take to die out?",
    source="note 002, equations 22 to 31 and the claims after them",
    text="On Gaussian data the flow of a single neuron has one stable steady state: the Fourier mode with the smallest λ0/λ1, "
    "of amplitude √(2/π) √λ1/(λ0+λ1). The note finds that only one or two modes (the cosine and sine of one frequency) can "
    "stay, and prints an amplitude with the square of a norm for the norm. The exact path shows when this comes true. The "
    "upper row is the share of each frequency in the field's energy, the middle row the number of frequencies "
    "(participation ratio), the lower row the size of the field. Vertical lines mark the note's training time, 20 tau, and "
    "the slowest time scale of the theory. At 20 tau several frequencies are alive. All "
    "this is for Gaussian data; on others the last word may be a localized state, long after (late-localization).",
    Parameters=Settings,
    presets={"full": {}, "quick": {"starts": 8, "batch_size": 500, "trained": 2}},
    durations={"quick": "20 s", "full": "2 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
