"""The drift of bumps, sinusoids, Gabors and others: sampled, exact and by the closure."""

from gatefield.experiments.cube.drift_fields.figure import draw, draw_more
from gatefield.experiments.cube.drift_fields.simulate import Settings, simulate
from gatefield.experiments.cube.drift_fields.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="drift-fields",
    title="The drift f(w) of bumps, sinusoids, Gabors and others, and what the closure makes of it",
    source="note 003, section 2, which asks to see how f behaves",
    text="f(w) = E[1(<w,x> >= 0) x] is the mean input where the gate of w is open. It is sampled for bumps, sinusoids, Gabors "
    "(a sinusoid under a Gaussian envelope), one site and random fields, from Gaussian data to signs. Exact values exist for "
    "one site, and for signs on a small ring. The closure takes <w,x> as Gaussian given one input. It should fail where the "
    "field oscillates faster than the data, whose spectrum exp(-k²/2k_c²) has the bandwidth k_c = n/(√2 π ξ).",
    caption="(a) Relative error of the closure for Gabors at the highest gain, without what sampling adds, against their "
    "frequency over the bandwidth of the data (dashed: equal). Colour and mark: length scale ξ of the data; broad "
    "grey: medians below the bandwidth and above twice of it. (b) The same for all fields, by kind, with medians over fields "
    "and length scales; within a kind from narrow to wide or from slow to fast. Thin grey dashes, where they are above the "
    "lower edge: noise of sampling, below which errors are not known. "
    "(c), (d), (e), (f) Drifts of four fields: dots sampled, black line the closure, dotted the drift of Gaussian "
    "data with the same covariance, grey the field. (c) A bump. (d) A sinusoid. (e) A Gabor. (f) A random field.",
    more=draw_more,
    more_caption="(a), (b), (c) Relative error of the closure for Gabors at gains between nearly Gaussian data and signs, for "
    "each length scale of the data; dotted: twice the bandwidth; medians beyond it, at the lowest and the highest gain, stand "
    "above. (d) Drift of the gate of one site at each gain: marks sampled, black lines in closed form. (e) Share of sites "
    "whose sampled drift is further from the exact one than so many standard errors; black: errors with a normal law. All "
    "fields share the samples, so that their errors go together.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"random": 12, "samples": 300_000}},
    durations={"quick": "30 s", "full": "12 min, or 1 min on a large GPU"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
