"""MNIST: handwritten digits, 60,000 to train and 10,000 to test."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from gatefield.data.images.fetch import Collection, locate
from gatefield.data.images.images import PARTS, Arrays, Images, as_pixels, decoded, read_idx

MNIST = Collection(
    name="mnist",
    files={
        "train-images-idx3-ubyte.gz": "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
        "train-labels-idx1-ubyte.gz": "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
        "t10k-images-idx3-ubyte.gz": "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
        "t10k-labels-idx1-ubyte.gz": "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
    },
    mirrors={
        "aws": "https://ossci-datasets.s3.amazonaws.com/mnist/",
        "google": "https://storage.googleapis.com/cvdf-datasets/mnist/",
        "github": "https://raw.githubusercontent.com/fgnt/mnist/master/",
    },
)


def mnist(*, folder: str | Path | None = None, mirror: str | None = None) -> Images:
    """MNIST: 28 x 28 pixels between 0 and 1, classes 0 to 9.

    **Arguments**

    - `folder`: one that holds the four published files, which is only read; by default that of the environment variable
      GATEFIELD_DATA, or else the user's cache, into which they are fetched.
    - `mirror`: which address to fetch from: `"aws"`, `"google"` or `"github"`; by default one after the other.

    **Returns** `Images` with `x`, `y`, `test_x`, `test_y`, and transforms: `subset`, `random_labels`, `random_pixels`;
    `x, y = mnist()` takes the training images and labels, and `dataset` makes a task of all. The files' SHA-256 are checked at
    each call; they are decoded once, into the user's cache.

    **Source:** Y. LeCun, C. Cortes and C. J. C. Burges, from NIST special databases 1 and 3.
    """
    paths = [locate(MNIST, file, folder, mirror).path for file in MNIST.files]
    arrays = decoded(MNIST.name, MNIST.files, lambda: _decode(paths))
    return Images(
        as_pixels(arrays["x"]), arrays["y"].astype(np.int32), as_pixels(arrays["test_x"]), arrays["test_y"].astype(np.int32)
    )


def binary_mnist(
    classes: Sequence[int] = (4, 7),
    *,
    labels: Sequence[float] = (-1.0, 1.0),
    folder: str | Path | None = None,
    mirror: str | None = None,
) -> Images:
    """Two digits of MNIST, with one value for each as labels.

    **Arguments**

    - `classes`: the two digits.
    - `labels`: the values of the first and of the second.
    - `folder`, `mirror`: as for `mnist`.

    **Returns** images as `mnist` does, with the labels as floats.

    **Source:** paper 004, section 3, which takes 4 against 7 with labels -1 and 1.
    """
    return mnist(folder=folder, mirror=mirror).pair(classes, labels)


def _decode(paths: Sequence[Path]) -> Arrays:
    return dict(zip(PARTS, map(read_idx, paths), strict=True))
