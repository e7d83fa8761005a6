"""Images of ten classes in place of MNIST and CIFAR-10, which the tests do not have."""

import contextlib
from collections.abc import Iterator
from unittest import mock

import numpy as np

from gatefield.data import Images
from gatefield.experiments.convolution import colour_images
from gatefield.experiments.deep.digits import images

SIDE, TRAIN_EACH, TEST_EACH = 8, 60, 30
"""The side of an image in pixels, and how many of each class there are."""


@contextlib.contextmanager
def made_up_data(seed: int = 0) -> Iterator[Images]:
    """Within the block, experiments on MNIST and CIFAR-10 find these images instead; they are given back, too."""
    found = made_up(seed)
    with (
        mock.patch.object(images, "all_digits", return_value=found),
        mock.patch.object(colour_images, "all_images", return_value=found),
        mock.patch.object(colour_images, "SHAPE", (SIDE, SIDE, 1)),
    ):
        yield found


def made_up(seed: int) -> Images:
    """Each class a smooth random pattern with noise on it, between 0 and 1."""
    rng = np.random.default_rng([seed, 17])
    near = np.exp(-0.5 * ((np.arange(SIDE)[:, None] - np.arange(SIDE)) / 1.5) ** 2)
    patterns = np.einsum("ij,cjk,lk->cil", near, rng.standard_normal((10, SIDE, SIDE)), near).reshape(10, -1)
    patterns = 0.5 + 0.15 * patterns / patterns.std()

    def some(each: int) -> tuple[np.ndarray, np.ndarray]:
        y = np.tile(np.arange(10, dtype=np.int32), each)
        x = patterns[y] + 0.15 * rng.standard_normal((len(y), SIDE**2))
        return np.clip(x, 0.0, 1.0).astype(np.float32), y

    (x, y), (test_x, test_y) = some(TRAIN_EACH), some(TEST_EACH)
    return Images(x, y, test_x, test_y)
