"""How early do the gates of a ReLU network know what it will become?"""

from gatefield.experiments.gates.gates_to_relu.figure import draw, more
from gatefield.experiments.gates.gates_to_relu.simulate import Settings, simulate
from gatefield.experiments.gates.gates_to_relu.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="gates-to-relu",
    title="How early do the gates know? Gated linear networks behind the frozen gates of ReLU networks",
    source="notes 000 and 002, sections 4 and 5: whether fixed gates can stand in for a ReLU network",
    text="ReLU committees are trained, and their gates frozen at a time t. The gated linear network behind these gates is "
    "solved exactly: where its fields end, and with what loss. These limit fields are compared with the fields that the "
    "ReLU network has at the end (cosine, units paired for the best match), beside its own fields at time t. Controls are "
    "the random gates of time 0 and the final gates of another seed.",
    caption="(a) The time from which on the network's own fields have, for good, a cosine of 0.95 with its final ones, over "
    "that from which on the limit behind its gates has, where the gated linear network ends if these are frozen: dots for "
    "seeds, bars for their median; white below gain 1, where fields do not settle; dashed: 2, as claimed. (b) An example, the "
    "first number of units at the gain nearest to 3: cosine with the final fields of the ReLU network, for the limit behind "
    "the gates frozen at time t (black) and for the network's own fields at t (blue dashed); thin: seeds; dots: time 0; "
    "dotted: the limit behind the final gates of another seed. Vertical lines: from when on the cosine is 0.95 or more. (c) "
    "The limit field (black) of the first unit behind the gates of time t, and the final field (blue), at the same gain: at "
    "the start, twice on the way to the earlier time of (b), then, and at the end.",
    more=more,
    more_caption="(a) The time from which on the ReLU network has, for good, 95 % of its final reduction of the loss, over "
    "that from which on the limit behind its frozen gates has as much: dots for seeds, bars for their median. (b), (c) and so "
    "on: a row for each number of units, at the gain nearest to 3 and the largest: the loss in the limit behind the gates "
    "frozen at t (black) and of the ReLU network at t (dashed, in the colour of its units); vertical lines: these two times. "
    "Dotted: behind the final gates of another seed. Thin lines of single seeds may be cut at the top.",
    Parameters=Settings,
    presets={
        "full": {},
        "quick": {
            "learning_rate": 0.1,
            "batch_size": 250,
            "steps": 2_000,
            "times": 12,
            "samples": 10_000,
            "seeds": 3,
        },
    },
    durations={"quick": "50 s", "full": "40 min, or 3 min on a large GPU"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
