"""The phase diagram: where fields localize over gain and ratio of the length scales, early and late, and what theory says."""

from gatefield.experiments.fields.phase_diagram.figure import figure
from gatefield.experiments.fields.phase_diagram.rings import more
from gatefield.experiments.fields.phase_diagram.simulate import Settings, simulate, spaced
from gatefield.experiments.fields.phase_diagram.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="phase-diagram",
    title="Where do fields localize, over gain and ratio of the length scales, and which theory tells?",
    source="notes 000 and 002, introductions: which data localize",
    text="One ReLU neuron for each gain and each ratio of the length scales of the two classes, at a fixed geometric mean: a "
    "ratio and its inverse are the same two classes in either order. Beside the inverse participation ratio (IPR) after 200 τ "
    "and late stand three theories. The closure takes the rest of a gate's input as Gaussian, and is run from the same starts. "
    "The line of equal losses compares a gate that one site decides with the best wave: below it a wave has less loss. At gain "
    "infinity the states of one, three and five sites are exact. Rings of other sizes tell whether the lines are those of a "
    "phase: there IPR stays as the ring grows, elsewhere it falls as 1/n. Batches grow with the ring, because their noise "
    "melts fields.",
    caption="(a) and (b) The median IPR of trained fields, early and late (white: the limit from which on they count as "
    "localized; red: above). Black: the line at which the closure localizes. A cross stands where only one of SGD and closure "
    "localizes, and settings one grid step away do not agree either: these count as off. (c) and (d) The closure from the same "
    "starts. Gain infinity stands apart above. (e) At gain infinity: trained fields early and late (small: seeds; "
    "large: medians, where seeds lie together), the closure late, and the exact states of few sites, each where it exists.",
    more=more,
    more_caption="(a), (c) The median IPR over the gain on rings of several sizes, late, a row for each ratio of the length "
    "scales, positive over negative class; the dotted level is where fields count as localized, the dashed line where a gate "
    "of one site and the best wave have the same loss. (b) and (d) The power p with which the IPR falls as 1/n to the p: 0 "
    "for localized fields, 1 for spread ones; early and late, the median over gains above.",
    Parameters=Settings,
    presets={
        "full": {},
        "reduced": {
            "gains": (*spaced(0.3, 30.0, 7), float("inf")),
            "ratios": spaced(0.25, 4.0, 9),
            "sizes": (20, 40, 80),
            "cut_gains": (0.3, 1.0, 3.0, 10.0, float("inf")),
            "batch_size": 200,
            "steps": 32_000,
            "record_every": 160,
            "seeds": 4,
        },
        "quick": {
            "gains": (0.3, 1.0, 3.0, 10.0, float("inf")),
            "ratios": spaced(0.25, 4.0, 5),
            "most_sites": 3,
            "sizes": (40, 80),
            "cut_gains": (0.3, 1.0, 10.0),
            "batch_size": 200,
            "steps": 4_000,
            "record_every": 80,
            "seeds": 2,
        },
    },
    durations={"quick": "1 min", "reduced": "20 min", "full": "days; minutes on a large GPU"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
