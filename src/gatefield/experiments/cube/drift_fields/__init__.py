"""The drift of bumps, sinusoids, Gabors and others: sampled, exact and by the closure."""

from gatefield.experiments.cube.drift_fields.figure import draw
from gatefield.experiments.cube.drift_fields.simulate import Settings, simulate
from gatefield.experiments.cube.drift_fields.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="drift-fields",
    title="The drift f(w) of bumps, sinusoids, Gabors and others, and what the closure makes of it",
    source="note 003, section 2, which asks to see how f behaves",
    text="f(w) = E[1(<w,x> >= 0) x] is the mean input where the gate of w is open. It is sampled for bumps, sinusoids, Gabors "
    "(a sinusoid under a Gaussian envelope), one site and random fields, from Gaussian data to signs. Exact values exist for "
    "one site, and for signs on a small ring. The closure takes <w,x> as Gaussian given one input. Its error is |f_closure - "
    "f|/|f|, without what sampling adds. It fails where the field oscillates faster than the data, whose spectrum "
    "exp(-k²/2k_c²) has the bandwidth k_c = n/(√2 π ξ). Upper row: f (dots), the closure (line), Gaussian data of the same "
    "covariance (dashed). Lower row: sampled against exact f; all fields share the samples, so their errors go together.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"random": 12, "samples": 300_000}},
    durations={"quick": "30 s", "full": "12 min, or 1 min on a large GPU"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
