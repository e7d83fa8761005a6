"""All pairs, all times: which fields localize if one waits, and in what."""

from gatefield.experiments.fields.late_localization.figure import figure
from gatefield.experiments.fields.late_localization.simulate import Settings, simulate
from gatefield.experiments.fields.late_localization.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="late-localization",
    title="Which fields localize if one waits long enough?",
    source="notes 000 and 002, introductions: fields localize if the positive class has the longer range, and not otherwise",
    text="One ReLU neuron on two classes of squashed fields, for many pairs of length scales and gains, trained 200 times as "
    "long as fields take to localize where that is known. With the best scale of the field w the loss is "
    "1/4 - c²/(8 D): c² = (E|h|)²/E[h²] of h = ⟨w,x⟩ in the positive class, which is 2/π if h is Gaussian and 1 if it has two "
    "values, and D = 1 + w'S0w/w'S1w, which waves can make small and single sites cannot. For two identical classes D is 2 for "
    "every field: labels carry no information, the best output is 1/2 for every input, and the field is the one whose "
    "projection is most two-valued. On the hypercube a gate that few sites decide, by their sign or by a majority of "
    "alternating signs, can keep itself: such states are exact, stable, and beside the trained fields here.",
    Parameters=Settings,
    presets={
        "full": {},
        "quick": {
            "pairs": ((2.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.4, 0.7)),
            "gains": (1.0, float("inf")),
            "batch_size": 200,
            "steps": 16_000,
            "record_every": 160,
            "most_sites": 5,
            "seeds": 4,
        },
    },
    durations={"quick": "1 min", "full": "3 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
