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
    caption="(a) How many times as early the limit behind the frozen gates has, for good, a cosine of 0.95 with the final "
    "fields as the network's own fields do: dots for seeds, bars for their median; open below gain 1, where fields do not "
    "settle; dashed: twice, as claimed. (b) An example, the first number of units at the gain nearest to 3: cosine with the "
    "final fields of the ReLU network, for the limit behind the gates frozen at time t (black) and for the network's own "
    "fields at t (blue dashed); thin: seeds; dots: time 0; dotted: the limit behind the final gates of another seed. Vertical "
    "lines: from when on the cosine is 0.95 or more. (c) The limit field (black) of the first unit behind the gates of time t, "
    "and the final field (blue), at the same gain: at the start, near the two times of (b) and half-way, at the end.",
    more=more,
    more_caption="A row for each number of units, a panel for each gain: limit behind the gates frozen at time t (black) and "
    "the ReLU network at t (blue dashed). (a) and (b) Loss; vertical lines: from when on 95 % of the final reduction of the "
    "loss is reached; the number after the gain says how many times as early the gates are. (c) and (d) Cosine with the final "
    "fields; vertical lines: from when on it is 0.95 or more. Dotted: behind the final gates of another seed. Thin lines of "
    "single seeds may be cut at the top.",
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
