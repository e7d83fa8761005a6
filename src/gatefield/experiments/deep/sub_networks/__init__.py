"""Do networks learn through sensitive gates, and remember by active ones?"""

from gatefield.experiments.deep.sub_networks.figure import draw, draw_more
from gatefield.experiments.deep.sub_networks.simulate import Settings, simulate
from gatefield.experiments.deep.sub_networks.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="sub-networks",
    title="Do networks with soft gates learn through their sensitive gates, and remember by their active ones?",
    source="paper 004, section 3.1, conceptual gain VI and conclusion (iii), with the corrected threshold of sensitive gates",
    text="The paper sorts the gates of a soft-GaLU network, for each input, into active ones (above τ_A), which hold the "
    "memory, and sensitive ones (|dG/dθ| above τ_S for some weight of the gating network), through which it learns: a path "
    "learns if one of its gates is sensitive and all others are active. Networks are trained, and at several times all gates "
    "are sorted so. Which part of the kernel K^a, by which gates learn, do those paths carry, and what does the network know "
    "by its active gates alone?",
    caption="(a) Part of the trace of K^a that paths carry alone, by three readings of a sensitive path, against τ_A; thin: "
    "the reading of the paper (one gate steeper than τ_S, the rest active) at other β. (b) Training accuracy of the trained "
    "network with all gates, the active ones alone, all others alone, and as many at random; thin: active gates alone at "
    "other β. The numbers are those at the τ_A of the claims (broken line). (c) Shares of gates that are active, between, and "
    "shut, at the start and at the end, for each steepness β; the numbers on top are the percentage above the safe τ_S, the "
    "least that keeps sensitive and active gates apart. (d) Without a threshold: part of the trace carried by the steepest "
    "gates (dashed: at the start; grey: if all gates were alike).",
    more=draw_more,
    more_caption="(a) Overlap of the gates that are active, or between, now and at the end of the training; dotted: by "
    "chance; in numbers, at the start. (b) Root mean square length of equation 6 over all paths, over paths whose gates are "
    "all active, and over those with one gate between and the rest active; arrow: from these to the active ones, by the means "
    "over all records. (c) The shares of gates in each layer of the gating network, means over all records. (d) If the "
    "threshold of sensitive gates is lowered from the safe one: the share of gates above it, of gates above it that are "
    "active too, which the paper excludes (arrow: their part at the lowest threshold), and the part of the trace of K^a by "
    "paths with one gate above it and active ones else.",
    Parameters=Settings,
    presets={
        "full": {},
        "quick": {
            "data": "signs",
            "inputs": 6,
            "samples": 600,
            "test_samples": 1_000,
            "width": 30,
            "depth": 4,
            "epochs": 60,
            "batch_size": 50,
            "learning_rate": 2e-3,
            "seeds": 5,
            "factors": (0.01, 0.1),
            "probe": 100,
            "records": 4,
        },
    },
    durations={"quick": "1 min", "full": "25 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
