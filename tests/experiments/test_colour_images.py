"""What the experiments on colour images are made of: images, layouts, missing files and parameters."""

import numpy as np
import pytest
import xarray as xr
from made_up import made_up_data

from gatefield import UserError, experiments
from gatefield.data import Images
from gatefield.experiments.convolution.colour_images import ImageSettings, colour_images, conv_net, layout, layout_text, scaled
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


def test_pixels_are_moved_and_stretched_by_those_of_the_training_images():
    rng = np.random.default_rng(0)
    x, test_x = (rng.uniform(size=(n, 4, 3)) * [0.2, 0.5, 1.0] for n in (50, 20))
    flat = [np.float32(part.reshape(len(part), 12)) for part in (x, test_x)]
    given = Images(flat[0], np.arange(50) % 10, flat[1], np.arange(20) % 10)
    assert scaled(given, "unit") is given
    for part, pixels in (("x", x), ("test_x", test_x)):
        found = getattr(scaled(given, "standard"), part)
        by_hand = np.stack([(pixels[..., c] - x[..., c].mean()) / x[..., c].std() for c in range(3)], axis=-1)
        np.testing.assert_allclose(found, by_hand.reshape(found.shape), atol=1e-5)
        np.testing.assert_allclose(getattr(scaled(given, "centred"), part), 2 * getattr(given, part) - 1, atol=1e-6)
        assert found.dtype == np.float32


def test_images_are_scaled_as_is_asked():
    with made_up_data() as all_of_them:
        found = colour_images(ImageSettings(scaling="centred"))
    np.testing.assert_allclose(found.x, 2 * all_of_them.x - 1, atol=1e-6)


def test_a_gain_multiplies_all_initial_weights():
    sizes = {"channels": (2, 2), "stride": (1, 1), "dense": (4,), "seeds": 2, "precision": "float32"}
    with made_up_data():
        for gating, more in (("relu", {}), ("gates-only", {"beta": 1.0, "eps": 0.1})):
            one, other = (conv_net(ImageSettings(gain=gain, **sizes), gating, **more) for gain in (1.0, 1.5))
            for name in ("weights", "gating_weights") if gating == "gates-only" else ("weights",):
                for small, large in zip(getattr(one, name), getattr(other, name), strict=True):
                    np.testing.assert_allclose(large, 1.5 * np.asarray(small), rtol=1e-6)
            assert all(not np.any(bias) for bias in other.biases)


def test_the_setting_of_a_record_is_said_in_words():
    record = xr.Dataset(attrs=layout(ImageSettings(gain=1.2, scaling="standard", batch_size=32, padding="same")))
    words = "same padding, strides 1, 1, 1, 1, no pooling, glorot weights"
    assert layout_text(record) == f"{words}, times 1.2, standard pixels, batches of 32"
    assert layout_text(xr.Dataset(attrs=layout(ImageSettings(padding="same")))) == f"{words}, batches of 128"
    early = {name: value for name, value in record.attrs.items() if name not in ("gain", "scaling", "batch_size")}
    assert layout_text(xr.Dataset(attrs=early)) == words


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
        ({"scaling": "standrad"}, "did you mean 'standard'"),
        ({"gain": 0.0}, "gain must be positive and finite, but is 0"),
        ({"precision": "float16"}, "did you mean"),
        ({"samples": 60_000}, "samples must be at most 50000, the images of CIFAR-10, but is 60000"),
        ({"tested": 20_000}, "tested must be at most 10000, the images of CIFAR-10, but is 20000"),
    ],
)
def test_wrong_parameters_are_named(changes, words):
    with pytest.raises(UserError, match=words):
        resolve(experiments.get("soft-gates-table"), "quick", changes)
