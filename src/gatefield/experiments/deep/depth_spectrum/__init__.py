"""Fixed random gates: how the spectrum of the tangent kernel and the speed of training go with depth and width."""

from gatefield.experiments.deep.depth_spectrum.figure import draw
from gatefield.experiments.deep.depth_spectrum.more import draw_more
from gatefield.experiments.deep.depth_spectrum.simulate import Settings, simulate
from gatefield.experiments.deep.depth_spectrum.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="depth-spectrum",
    title="What does depth do to the tangent kernel of randomly gated networks?",
    source="paper 004, experiment 1, figures 1 to 3",
    text="All inputs are the same number, and only random gates, drawn once for each sample and unit, tell samples apart. On "
    "average over weights and gates K/d has ones on its diagonal and mu^(d-1) beside it, so that depth whitens: the "
    "eigenvalues tend to 1. How near to this is one network of finite width, and how fast does it train? Errors are followed "
    "by the linear recursion with the first K, and by gradient descent, for which K moves.",
    caption="(a) Error |e|/|e_0| against depth d by the linear recursion with the first tangent kernel K, means of runs, for "
    "three widths w. (b) The same by gradient descent, for which K moves: faster still. (c) Smallest eigenvalue of K/d; the "
    "short line at d = 2 is what random matrices of the largest width have. (d) Condition number of K: falls with depth, "
    "then rises; with fewer units than samples it is beyond the axis at d = 2 (arrows). (e) The same after the diagonal "
    "of K is scaled to 1: most of the late rise is gone, so that unequal diagonal entries made it. Black: the mean kernel.",
    more=draw_more,
    more_caption="(a) Figure 1 of the paper: sums of the k smallest eigenvalues of K/d, of the mean kernel and of each width; "
    "colours are depths. (b) Figure 3, left: errors by the recursion (lines) and by gradient descent (dotted). (c) How far "
    "the sum of the smaller half of the eigenvalues is from that of the mean kernel, at each depth, and the mean over depths "
    "(black). (d) Figure 3, right: the sums of (a) over the largest eigenvalue, in the widest networks. (e) Figure 2: an entry "
    "of K/d on the diagonal, and (f) one beside it, against depth, with the mean kernel in black.",
    Parameters=Settings,
    presets={
        "full": {},
        "quick": {
            "depths": (2, 4, 6, 8, 12, 16, 20),
            "trained_depths": (2, 8, 20),
            "runs": 8,
            "trained_runs": 3,
            "steps": 100,
        },
    },
    durations={"quick": "30 s", "full": "8 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
