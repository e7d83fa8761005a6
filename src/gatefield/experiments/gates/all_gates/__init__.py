"""The best of all gates on a small cube, beside half-spaces, tilings and the Bayes bound."""

from gatefield.experiments.gates.all_gates.figure import draw
from gatefield.experiments.gates.all_gates.simulate import Settings, simulate
from gatefield.experiments.gates.all_gates.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="all-gates",
    title="Which of all gates are best: half-spaces, tilings, or others?",
    source="note 000, section 3.3 with equations 16 to 18, corrected: any gates, and the guess about the precision matrix",
    text="Note 000 asks which gates of all, any functions of the inputs to 0 and 1, give a gated linear network the smallest "
    "limiting loss. On a cube of a few sites there are finitely many: inputs are signs of Gaussian fields on a ring, with one "
    "length scale for each class, and their law is exact. A branch and bound finds the best set and proves it, unless it is "
    "stopped (a hollow star); where all sets can be listed, the list is a check. "
    "Beside the best of all stand the best half-spaces (whose plane meets no corner), the "
    "best gates that tile the inputs, the best of which at most one is open, and the Bayes bound: what the mean label of each "
    "input explains, which no function of the inputs exceeds. The note guesses that the best precision matrix, the "
    "inverse of A, is the most diagonal one, and that gates that tile achieve this. So the share of A^+ that is off its "
    "diagonal, and the share that couples different gates, are set against what the gates explain, over all sets whose A has "
    "an inverse, or over sets drawn by the toss of a coin where there are too many. Nothing is trained.",
    Parameters=Settings,
    presets={
        "full": {},
        "quick": {
            "sizes": (3, 4),
            "pairs": ((1.5, 0.7), (2.0, 1.0), (1.0, 2.0)),
            "drawn": 20_000,
        },
    },
    durations={"quick": "10 s", "full": "1 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
