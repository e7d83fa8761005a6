"""How far the tangent kernel of one network is from its mean: exact moments, sampled ones, and the printed bound."""

from gatefield.experiments.deep.kernel_concentration.figure import draw
from gatefield.experiments.deep.kernel_concentration.simulate import Settings, simulate
from gatefield.experiments.deep.kernel_concentration.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="kernel-concentration",
    title="How much do entries of the tangent kernel spread with depth and width? A printed bound, tested",
    source="paper 004, theorem 2.3 and the depth phenomena of section 1",
    text="Over random weights the kernel has the mean d (sigma² mu w)^(d-1) on its diagonal. The paper bounds its variance by "
    "a multiple of max(d²/w, d³/w²). The exact variance of a diagonal entry of a linear network is 2(d-1)(d-2)(2d-3)/(3w) to "
    "first order in 1/w, about (4/3) d³/w. Two paths need share only a node, not a weight, to be spliced, and the proof misses "
    "those. Does any multiple of the bound hold, and how do entries off the diagonal behave?",
    caption="(a) Variance of a diagonal entry of K against depth: exact (black), sampled (dots, one mark for each kind of "
    "network), to first order in 1/w (dotted grey), and the printed bound (dashed). (b) The same against width. (c) Exact "
    "variance of linear networks over the printed bound, for widths from dark to light: it grows with depth at every width, so "
    "that no constant helps. (d) Standard deviation of entries off the diagonal of gated networks, over d, for the same "
    "widths: it falls with depth.",
    Parameters=Settings,
    presets={"full": {"draws": 10_000}, "quick": {"draws": 1_000, "sampled_depths": (2, 4, 8, 12), "sampled_width": 50}},
    durations={"quick": "10 s", "full": "5 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
