"""How far the tangent kernel of one network is from its mean: exact moments, sampled ones, and the printed bound."""

from gatefield.experiments.deep.kernel_concentration.figure import draw
from gatefield.experiments.deep.kernel_concentration.simulate import Settings, simulate
from gatefield.experiments.deep.kernel_concentration.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="kernel-concentration",
    title="How much do entries of the tangent kernel spread with depth and width? A printed bound, tested",
    source="paper 004, theorem 2.3 and the depth phenomena of section 1",
    text="Over random weights the kernel has the mean d (sigma^2 mu w)^(d-1) on its diagonal. The paper bounds its variance "
    "by a multiple of max(d^2/w, d^3/w^2). The exact variance of a diagonal entry of a linear network is "
    "2(d-1)(d-2)(2d-3)/(3w) to first order in 1/w, about (4/3) d^3/w: it outgrows any multiple of the bound with depth, "
    "however wide the network is. Two paths need share only a node, not a weight, to be spliced, and the proof misses "
    "those. Entries off the diagonal of a randomly gated network behave otherwise: relative to d their variance falls "
    "with depth, so that what depth spoils is the diagonal, one scale for each sample.",
    Parameters=Settings,
    presets={"full": {"draws": 10_000}, "quick": {"draws": 1_000, "sampled_depths": (2, 4, 8, 12), "sampled_width": 50}},
    durations={"quick": "10 s", "full": "5 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
