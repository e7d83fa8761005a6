"""CIFAR-10 by convolutional networks with soft gates: from nearly linear to ReLU."""

from gatefield.experiments.convolution.soft_gates_table.figure import draw
from gatefield.experiments.convolution.soft_gates_table.simulate import Settings, simulate
from gatefield.experiments.convolution.soft_gates_table.verdicts import judge
from gatefield.lab.experiment import Experiment

experiment = Experiment(
    name="soft-gates-table",
    title="CIFAR-10: soft gates, from nearly linear to ReLU",
    source="paper 004, experiment 7, table 4",
    text="A convolutional network (3x3 convolutions with 64, 64, 128, 128 channels, then dense layers of 256, 256 and 10) is "
    "trained on CIFAR-10 as it is, deep linear, as ReLU network, and with soft-ReLU gates (1 + eps) sigmoid(beta q). The"
    " paper reports training and test accuracy, the mean over five runs of the best of each run, which is chosen on the "
    "test set; final numbers stand beside them here. It names Adam and its rate, 3e-4; padding, stride, pooling, initial"
    " weights, batch and epochs it does not name. Here: batches of 128, no augmentation, 3x3 convolutions with valid "
    "padding and stride 1, no pooling, uniform Glorot weights and biases that begin at zero, and 18 epochs. All networks"
    " of a seed start from the same weights and see the same batches. Training accuracy is measured on the first 10,000 "
    "training images. (a) best and final test accuracy against beta, means over seeds, bars for the standard deviation "
    "of the best, beside the paper's numbers; marks of different eps stand a little apart; those of the networks without"
    " soft gates are marked at the right edge. (b) test accuracy over epochs, mean over seeds and for the smallest eps. "
    "(c) the same on training images.",
    Parameters=Settings,
    presets={
        "full": {},
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
    durations={"quick": "75 s", "full": "days, or 13 minutes on a large GPU"},
    simulate=simulate,
    verdicts=judge,
    figure=draw,
)
