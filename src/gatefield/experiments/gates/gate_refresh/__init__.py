"""How often must the gates of a gated linear network be refreshed to follow a ReLU network?"""

from gatefield.experiments.gates.gate_refresh.figure import draw, more
from gatefield.experiments.gates.gate_refresh.simulate import Settings, simulate
from gatefield.experiments.gates.gate_refresh.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="gate-refresh",
    title="How often must gates be refreshed for a gated linear network to follow ReLU?",
    source="note 000, section 2.3 (evolving gates), and note 002, section 4",
    text="A ReLU network is a gated linear network whose gates are always those of its own weights. Here a gated linear "
    "network starts from the same weights and gets the gates of the ReLU network anew every dt, from never to nearly "
    "always; or the gates of its own weights. Between two refreshments its path is exact. The dt at which its final "
    "fields, or its loss, are 10 % off those of ReLU says how often is often enough. Time is in K² τ, in which a committee "
    "of K learns like one neuron.",
    caption="(a) Distance of the final fields from those of ReLU, over their length, against the time dt between two "
    "refreshments: solid with ReLU's gates, dashed with the network's own; colours gains, markers numbers of units K; "
    "triangles at the axis: smaller than it shows; dotted: 10 %, and large open marks where ReLU's gates reach it. (b) That "
    "of the loss: its largest difference from that of ReLU, over what ReLU explains. (c) Final field of the first seed: "
    "ReLU (black) and networks refreshed at some dt, or never. (d) Their loss over time.",
    more=more,
    more_caption="(a) Cosine with its end of the moduli of the Fourier transform of the field w (solid), of the field "
    "(dashed), and of the moduli with the end of another seed (dotted), which is what any two spectra share. (b) Cosine "
    "with its end of b(t) = f(w(t))/2, the mean input behind the gates (solid), and of the field (dashed); dotted: where it "
    "counts as settled.",
    Parameters=Settings,
    presets={
        "full": {},
        "quick": {"gains": (0.0, 3.0), "units": (1,), "halvings": 9, "samples": 8_000, "batch_size": 500, "seeds": 6},
    },
    durations={"quick": "45 s", "full": "hours, or 10 min on a large GPU"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
