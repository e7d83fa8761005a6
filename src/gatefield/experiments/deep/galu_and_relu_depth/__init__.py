"""GaLU and ReLU networks on random points of a square: spectrum and speed of training against depth."""

from gatefield.experiments.deep.galu_and_relu_depth.figure import draw
from gatefield.experiments.deep.galu_and_relu_depth.more import draw_more
from gatefield.experiments.deep.galu_and_relu_depth.simulate import Settings, simulate
from gatefield.experiments.deep.galu_and_relu_depth.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="galu-and-relu-depth",
    title="Who trains faster with depth: gates from another network, or from its own weights?",
    source="paper 004, experiment 2, figure 4",
    text="A GaLU network takes its gates from a frozen ReLU network of its own size; a ReLU network from its own sums. On "
    "random points of a square both see the same labels, with a rate of 0.1 over the largest eigenvalue of K. The paper draws "
    "all weights as ±σ, which with two inputs leaves four gates in the first layer; normal weights have no such limit. Theory "
    "of wide networks stands beside both: with gates of another network, and with gates of their own, which the paper leaves "
    "to future work.",
    caption="(a) Error |e|/|e_0| by gradient descent against depth d: GaLU, whose gates are those of another network, "
    "frozen, and ReLU. (b) How alike two samples are in the tangent kernel K of the first weights, mean cosine: what "
    "coupling of gates and weights costs. (c) Error by the recursion with the first K. Numbers in (a) to (c) are medians of "
    "normal weights at the largest depth. (d) Trace of K over its largest eigenvalue: large where the spectrum is flat; "
    "deep GaLU networks of this width stay below their limit. (e) Share of each eigenvalue of K in its trace, of GaLU with "
    "normal weights: the deeper, the flatter. (f) The same of ReLU. Black lines: wide networks, in (e) and (f) of the "
    "smallest (dotted) and largest depth.",
    more=draw_more,
    more_caption="(a) Figure 4 of the paper: sums of the k smallest eigenvalues as a share of the trace, in a column for each "
    "network and law of weights, with the limit of large width at the ends of depth (dashed); with weights ±σ and two inputs "
    "there are four gates in the first layer, and K may be singular; in numbers, what the smaller half has at the least and "
    "the largest depth. (b) Errors by the recursion (lines, their end filled) and by gradient descent (dotted, open); where K "
    "has grown, this rate is near the largest stable one, and errors rise and fall.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"depths": (2, 8, 20), "trained_runs": 3, "record_every": 10}},
    durations={"quick": "25 s", "full": "4 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
