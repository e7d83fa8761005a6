"""Which gates win the race, and is it they that ReLU networks learn?"""

from gatefield.experiments.gates.winning_gates.figure import draw, more
from gatefield.experiments.gates.winning_gates.simulate import Settings, simulate
from gatefield.experiments.gates.winning_gates.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="winning-gates",
    title="Which gates win: the fastest, a tiling, or those that ReLU learns?",
    source="note 002, section 5.1, and note 000, section 3.3 with equations 13 to 18, corrected",
    text="Behind fixed gates a network is linear, and its whole loss curve is known exactly. So gates can race: which set "
    "learns fastest, and which explains the most in the end? Given sets (random, localized, Fourier modes, redundant, "
    "pairs of opposites) stand beside the gates of trained ReLU committees and the best half-space gates that a search "
    "finds, judged on fresh samples. Note 000 guesses that gates should tile the inputs without overlap, which half-spaces "
    "through the origin do only as opposites.",
    caption="(a) For up to three gains: label power (1/2 in all) explained by the best gates that a search finds (blue; "
    "bars: two standard errors), by the gates of trained ReLU committees (orange; squares best seed, dots all seeds) and "
    "by the best pair of exclusive gates (dotted). (b) What every set of gates explains in the end, the best on top. (c) "
    "The share of inputs that open none or several of the gates, where a tiling opens exactly one. "
    "(d) Directions of two gates of the winner and two fields of the best "
    "trained committee at each of those gains, scaled: the winner looks at one band of frequencies in one class and at "
    "another in the other.",
    more=more,
    more_caption="(a) Exact loss of some sets over time. (b) Eigenvalues of A, the covariance of gated inputs, behind the "
    "same gates; pairs of opposites share them. (c) The time in which each set reaches half of what it explains in the "
    "end; black: pairs of opposites, of which the slowest and the fastest differ by the factor over the bar. (d) What each of "
    "these sets explains at each gain.",
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
