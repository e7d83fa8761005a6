"""Which gates win the race, and is it they that ReLU networks learn?"""

from gatefield.experiments.gates.winning_gates.figure import draw
from gatefield.experiments.gates.winning_gates.simulate import Settings, simulate
from gatefield.experiments.gates.winning_gates.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="winning-gates",
    title="Which gates win: the fastest, a tiling, or those that ReLU learns?",
    source="note 002, section 5.1, and note 000, section 3.3 with equations 13 to 18, corrected",
    text="Behind fixed gates a network is linear, and its whole loss curve is known exactly. So gates can race: which set "
    "learns fastest, and which ends with the smallest loss? Sets that are shut, random, localized, Fourier modes, redundant, "
    "or exclusive (a gate and its opposite) stand beside the gates of trained ReLU committees and the best half-space gates "
    "that a search finds, judged on fresh samples. Note 000 guesses that gates should tile the inputs without overlap, which "
    "half-spaces through the origin can do only as one pair of opposites. The bottom row shows how the winner does better: a "
    "gate can look at one mode in the positive class and at another in the negative, because their spectra differ.",
    Parameters=Settings,
    presets={
        "full": {},
        "quick": {
            "gains": (0.0, 3.0),
            "race_units": (2,),
            "units": (1, 2),
            "seeds": 3,
            "batch_size": 200,
            "steps": 2_000,
            "starts": 2,
            "climb": 30,
            "tries": 30,
            "search_samples": 2_000,
            "samples": 20_000,
        },
    },
    durations={"quick": "1 min", "full": "hours, or 10 min on a large GPU"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
