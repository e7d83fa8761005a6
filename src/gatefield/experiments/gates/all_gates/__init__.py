"""The best of all gates on a small cube, beside half-spaces, tilings and the Bayes bound."""

from gatefield.experiments.gates.all_gates.figure import draw, draw_more
from gatefield.experiments.gates.all_gates.simulate import Settings, simulate
from gatefield.experiments.gates.all_gates.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="all-gates",
    title="Which of all gates are best: half-spaces, tilings, or others?",
    source="note 000, section 3.3 with equations 16 to 18, corrected: any gates, and the guess about the precision matrix",
    text="Which gates of all, any functions of the inputs to 0 and 1, give a gated linear network the smallest limiting "
    "loss? On a cube of a few sites there are finitely many, and the law of the inputs is exact. A branch and bound finds "
    "the best set and proves it. Beside it stand the best half-spaces, the best gates that tile the inputs, the best of "
    "which at most one is open, and the Bayes bound: what the mean label of each input explains. The note guesses that the "
    "best precision matrix, A⁻¹, is the most diagonal one. Nothing is trained.",
    caption="What the best sets of each family explain, in percent of the Bayes bound, for each pair of length scales ξ and "
    "size n, with (a) one gate and (b) two; lines lead from half-spaces and tilings to the best of all, with a number where "
    "most is lost; dotted: the bound, half of it for one gate; a hollow star: the search was stopped. (c) What sets of two "
    "gates explain against the share of A⁺ off its diagonal: dots all listed sets (or some), star the best, diamond the "
    "most diagonal, blue the mean of each tenth of the sets; the rank correlation is in the title. (d) The best two gates, "
    "corner by corner, the mean label falling to the right: shaded where both are open at once.",
    more=draw_more,
    more_caption="What sets of gates explain against (a) the share of A⁺ off its diagonal, with one gate, and (b) the share "
    "between two gates: dots all listed sets (or some), star the best, diamond the most diagonal, blue the mean of each "
    "tenth of the sets; the rank correlation is in the title. (c) These rank correlations for all pairs of length scales and "
    "sizes, a dot each; left of the dashed line the guess of the note would hold.",
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
