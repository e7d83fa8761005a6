"""How often must the gates of a gated linear network be refreshed to follow a ReLU network?"""

from gatefield.experiments.gates.gate_refresh.figure import draw
from gatefield.experiments.gates.gate_refresh.simulate import Settings, simulate
from gatefield.experiments.gates.gate_refresh.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="gate-refresh",
    title="How often must gates be refreshed for a gated linear network to follow ReLU?",
    source="note 000, section 2.3 (evolving gates), and note 002, section 4",
    text="A ReLU network is a gated linear network whose gates are always those of its own weights. Here a gated linear "
    "network starts from the same weights and gets the gates of the ReLU network anew every dt, from once (the gates "
    "of the start for ever) to nearly always; or the gates of its own weights. Between two refreshments its path is "
    "exact. Its fields at the end and its loss on the way are compared with those of ReLU: the dt at which they are "
    "10 % off says how often is often enough. Data are Gaussian, where all moments have closed forms, or a fixed "
    "sample of squashed fields. Beside it stand b(t) = f(w(t))/2, the mean input of the positive class behind the "
    "gate, and how uniformly fields grow: the likeness of w(t), and of the moduli of its Fourier transform, with the "
    "end. Moduli are always more alike than fields, so both are compared with the ends of other seeds. Time is in K² "
    "tau, in which a committee of K learns like one neuron.",
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
