"""Fixed random gates: how the spectrum of the tangent kernel and the speed of training go with depth and width."""

from gatefield.experiments.deep.depth_spectrum.figure import draw
from gatefield.experiments.deep.depth_spectrum.simulate import Settings, simulate
from gatefield.experiments.deep.depth_spectrum.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="depth-spectrum",
    title="What does depth do to the tangent kernel of randomly gated networks?",
    source="paper 004, experiment 1, figures 1 to 3",
    text="All inputs are the same number, and only random gates, drawn once for each sample and unit, tell samples apart. On "
    "average over weights and gates K/d has ones on its diagonal and mu^(d-1) beside it, so that depth whitens: the "
    "eigenvalues tend to 1. One network at finite width differs. Shallow ones cannot have the ideal spectrum although "
    "each entry is close to its mean: at d = 2 the rank is at most w, and the bulk is spread as Marchenko and Pastur say. "
    "Deep ones lose it again, mostly because the diagonal entries, one scale for each input, spread. Errors are followed "
    "by the linear recursion with the first K, and by gradient descent, for which K moves.",
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
