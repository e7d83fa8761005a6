"""How early do the gates of a ReLU network know what it will become?"""

from gatefield.experiments.gates.gates_to_relu.figure import draw
from gatefield.experiments.gates.gates_to_relu.simulate import Settings, simulate
from gatefield.experiments.gates.gates_to_relu.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="gates-to-relu",
    title="How early do the gates know? Gated linear networks behind the frozen gates of ReLU networks",
    source="notes 000 and 002, sections 4 and 5: whether fixed gates can stand in for a ReLU network",
    text="ReLU committees are trained, and their gates frozen at a time t. The gated linear network behind these gates is "
    "solved exactly: where its fields end, and with what loss. These limit fields are compared with the fields that the "
    "ReLU network has at the end of its training (cosine, units paired for the best match), beside the ReLU network's own "
    "fields at time t; and the limiting loss with the loss of the ReLU network at time t. Time 0 is that of random gates; "
    "another control are the final gates of another seed. Statistics are exact for gain 0.01, where data count as Gaussian, "
    "and for one unit up to the mean input behind its gate; else they come from one sample, and losses from another.",
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
