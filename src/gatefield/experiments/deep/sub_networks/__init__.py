"""Do networks learn through sensitive gates, and remember by active ones?"""

from gatefield.experiments.deep.sub_networks.figure import draw
from gatefield.experiments.deep.sub_networks.simulate import Settings, simulate
from gatefield.experiments.deep.sub_networks.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="sub-networks",
    title="Do networks with soft gates learn through their sensitive gates, and remember by their active ones?",
    source="paper 004, section 3.1, conceptual gain VI and conclusion (iii), with the corrected threshold of sensitive gates",
    text="The paper sorts the gates of a soft-GaLU network, for each input, into active ones (above tau_A), which hold the "
    "memory, and sensitive ones (|dG/dtheta| above tau_S for some weight of the gating network), through which it learns: "
    "a path learns if one of its gates is sensitive and all others are active. Networks are trained, and at several times all "
    "gates are sorted so. How many are active, sensitive, or both? Which part of the kernel K^a, by which gates learn, do "
    "those paths alone carry? tau_S is the least that keeps both sets apart, beta tau_A (1 - tau_A/(1 + eps)) max|dq/dtheta|, "
    "or a part of it; and in a second reading a gate is sensitive if its value is between shut and active, from 1 + eps - "
    "tau_A to tau_A, whatever its weights. A third way needs no threshold: each gate has a part in the trace of K^a, all parts "
    "add up to it, and the share of the steepest gates that carries 90 % is counted. Then the trained network is run with its "
    "active gates alone, with all others alone, and with as many at random; and it is measured which gates stay and which "
    "move, and how large equation 6 is on active and on sensitive paths. On the digits 4 and 7 of MNIST, or on normal numbers "
    "whose label is the sign of the product of the first two.",
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
    durations={"quick": "1 min", "full": "10 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
