"""GaLU and ReLU networks on random points of a square: spectrum and speed of training against depth."""

from gatefield.experiments.deep.galu_and_relu_depth.figure import draw
from gatefield.experiments.deep.galu_and_relu_depth.simulate import Settings, simulate
from gatefield.experiments.deep.galu_and_relu_depth.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="galu-and-relu-depth",
    title="Who trains faster with depth: gates from another network, or from its own weights?",
    source="paper 004, experiment 2, figure 4",
    text="A GaLU network takes its gates from a frozen ReLU network of its own size; a ReLU network from its own sums. On "
    "random points of a square both see the same labels, with a rate of 0.1 over the largest eigenvalue of K. Depth "
    "spreads the spectrum of GaLU, and its errors fall faster; in ReLU networks gates and weights depend on each other, "
    "and depth helps less. The paper draws all weights as +-sigma. With two inputs that leaves four gates in the first "
    "layer, and at d = 2 the kernel has the rank 6, whatever the number of samples; normal weights have no such limit. Theory "
    "of wide networks stands beside both: with gates of another network, and with gates of their own, which the paper leaves "
    "to future work. What coupling costs is how much more alike it makes samples: the mean cosine of two of them in K.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"depths": (2, 8, 20), "trained_runs": 3, "record_every": 10}},
    durations={"quick": "25 s", "full": "2 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
