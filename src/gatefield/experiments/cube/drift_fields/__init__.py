"""The drift of bumps, sinusoids, Gabors and others: sampled, exact and by the closure."""

from gatefield.experiments.cube.drift_fields.figure import draw
from gatefield.experiments.cube.drift_fields.simulate import Settings, simulate
from gatefield.experiments.cube.drift_fields.verdicts import verdicts
from gatefield.lab.experiment import Experiment

experiment = Experiment(
    name="drift-fields",
    title="The drift f(w) of bumps, sinusoids, Gabors and others, and what the closure makes of it",
    source="note 003, section 2, which asks to see how f behaves",
    text="f(w) = E[1(<w,x> >= 0) x] is the mean input where the gate of w is open. It is sampled for bumps of several widths, "
    "sinusoids, Gabors (a sinusoid under a Gaussian envelope), a single site, a flat field and random fields, at gains "
    "from Gaussian data to signs. Beside it stand closed forms where there are any (the gate of one site at every gain; "
    "signs on a small ring, by summing over all corners of the cube) and the conditional-Gaussian closure of `amplifier`. "
    "The error of the closure is |f_closure - f|/|f|, less what the noise of sampling adds to it. It is exact on Gaussian "
    "data; elsewhere it fails where the field oscillates faster than the data. The spectrum of the data falls like "
    "exp(-k²/2k_c²) with k_c = n/(√2 π ξ), which is called their bandwidth. Upper row: f at the highest gain, sampled "
    "(dots), by the closure (line) and for Gaussian data of the same covariance (dashed). Middle: the closure's error for "
    "each field, and for Gabors against their frequency and gain. Below: sampled against exact f, where the exact one is "
    "known; all fields share the samples, so their errors go together.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"random": 12, "samples": 300_000}},
    durations={"quick": "30 s", "full": "12 min, or 1 min on a large GPU"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
