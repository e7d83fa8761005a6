"""What the experiments on colour images are made of: images, layouts, missing files and parameters."""

import pytest
from made_up import made_up_data

from gatefield import UserError, experiments
from gatefield.experiments.convolution.colour_images import ImageSettings, colour_images, conv_net
from gatefield.experiments.convolution.soft_gates_table.simulate import Settings
from gatefield.lab import MemoryBench
from gatefield.lab.parameters import resolve


def test_images_are_at_most_as_many_as_are_asked_for():
    with made_up_data() as all_of_them:
        few, more = (colour_images(ImageSettings(samples=size, tested=size)) for size in (100, 10_000))
    assert (len(few.y), len(few.test_y)) == (100, 100)
    assert (len(more.y), len(more.test_y)) == (len(all_of_them.y), len(all_of_them.test_y)) == (600, 300)


def test_pooling_goes_behind_the_named_convolutions():
    with made_up_data():
        net = conv_net(ImageSettings(channels=(2, 2), stride=(1, 1), dense=(4,), pool="mean", pooled=(2,), seeds=1), "relu")
    assert [layer.pool for layer in net.convolutions] == [None, "mean"]
    assert net.units == [(6, 6, 2), (4, 4, 2), (4,)]


def test_without_cifar_the_way_out_is_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("GATEFIELD_DATA", str(tmp_path))
    with pytest.raises(UserError, match=r"The data set cifar10 is not in .*: run `gatefield data cifar10` ") as caught:
        experiments.get("soft-gates-table").simulate(Settings(), MemoryBench())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"padding": "circular"}, "Unknown padding 'circular'"),
        ({"plain": ("rellu",)}, "did you mean 'relu'"),
        ({"betas": (4.0, 1.0)}, "betas must be one or more increasing numbers"),
        ({"betas": (0.0, 1.0)}, "betas must be positive and finite, but is 0"),
        ({"betas": "inf"}, "betas must be positive and finite, but is inf"),
        ({"epsilons": (-0.1,)}, "epsilons must be zero or more and finite, but is -0.1"),
        ({"pool": "max", "pooled": (9,)}, r"pooled must name convolutions from 1 to 4, but is \[9\]"),
        ({"channels": 8}, "channels must be a list, but is 8"),
        ({"precision": "float16"}, "did you mean"),
        ({"samples": 60_000}, "samples must be at most 50000, the images of CIFAR-10, but is 60000"),
        ({"tested": 20_000}, "tested must be at most 10000, the images of CIFAR-10, but is 20000"),
    ],
)
def test_wrong_parameters_are_named(changes, words):
    with pytest.raises(UserError, match=words):
        resolve(experiments.get("soft-gates-table"), "quick", changes)
