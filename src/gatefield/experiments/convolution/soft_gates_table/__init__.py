"""CIFAR-10 by convolutional networks with soft gates: from nearly linear to ReLU."""

from gatefield.experiments.convolution.soft_gates_table.figure import draw
from gatefield.experiments.convolution.soft_gates_table.simulate import Settings, simulate
from gatefield.experiments.convolution.soft_gates_table.verdicts import verdicts
from gatefield.lab import Experiment

experiment = Experiment(
    name="soft-gates-table",
    title="CIFAR-10: soft gates, from nearly linear to ReLU",
    source="paper 004, experiment 7, table 4",
    text="A convolutional network (3x3, channels 64, 64, 128, 128, then dense layers of 256, 256 and 10) is trained on "
    "CIFAR-10, deep linear, as ReLU network, and with soft-ReLU gates (1 + eps) sigmoid(beta q). The paper reports the mean "
    "over five runs of the best accuracy of each run, chosen on the test set. It names Adam and its rate only. Here: batches "
    "of 128, no augmentation, valid padding, no pooling, uniform Glorot weights, 18 epochs. Networks of a seed start from the "
    "same weights and see the same batches.",
    caption="(a) Best test accuracy of each network by the steepness of its gates, from deep linear to ReLU, in the colours "
    "of (c, d); crosses: the paper's table 4. Below it, at the paper's size: ours less the paper's, with 2 points in grey. "
    "(b) By how much the best epoch of a run, which is chosen on the test set, is above its last; dotted: 1 point. (c) Test "
    "accuracy over epochs for the smallest eps, from dark to light by steepness; dashed deep linear, dotted ReLU. (d) The "
    "same on training images.",
    Parameters=Settings,
    presets={
        # Of the settings tried by benchmarks/table4.py the one that comes nearest to the paper's numbers.
        "full": {"scaling": "centred"},
        "quick": {
            "samples": 4_000,
            "tested": 2_000,
            "channels": (8, 8, 16, 16),
            "dense": (64, 64),
            "stride": (2, 1, 2, 1),
            "epochs": 6,
            "batch_size": 32,
            "learning_rate": 1e-3,
            "precision": "float32",
            "seeds": 3,
            "betas": (0.1, 1.0, 16.0),
            "epsilons": (0.1,),
            "plain": (),
        },
    },
    durations={"quick": "75 s", "full": "days, or 14 minutes on a large GPU"},
    simulate=simulate,
    verdicts=verdicts,
    figure=draw,
)
