"""Labelled images as plain arrays, and the seeded transforms that experiments make of them."""

import contextlib
import dataclasses
import gzip
import io
import math
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, Real

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted
from gatefield.core.text.shown import shown
from gatefield.data.dataset import Dataset
from gatefield.data.images.fetch import cache_folder

Arrays = dict[str, np.ndarray]
SUBSET, LABELS, PIXELS = range(3)
"""Each transform has its own stream of random numbers, `[seed, transform]`, so that they can be combined with one seed."""
PARTS = ("x", "y", "test_x", "test_y")


@dataclasses.dataclass(frozen=True, repr=False)
class Images:
    """Training and test images with labels, on the host. Each transform gives new images and depends on its seed alone.

    `x, y = images` takes the training images and their labels.
    """

    x: Float[np.ndarray, "samples pixels"]
    """Pixels between 0 (background) and 1, one image per row."""
    y: Real[np.ndarray, " samples"]
    """Class numbers, or values as floats."""
    test_x: Float[np.ndarray, "tested pixels"]
    test_y: Real[np.ndarray, " tested"]

    def __repr__(self) -> str:
        return shown(self)

    def __iter__(self) -> Iterator[np.ndarray]:
        """The training images, then their labels."""
        return iter((self.x, self.y))

    def subset(self, size: int, *, seed: int, balanced: bool = False) -> "Images":
        """`size` training images chosen at random; `balanced`: as many of each label. The test images stay."""
        size, balanced, rng = (
            checks.count("size", size),
            checks.flag("balanced", balanced),
            np.random.default_rng([seed, SUBSET]),
        )
        groups = [np.flatnonzero(self.y == label) for label in np.unique(self.y)] if balanced else [np.arange(len(self.y))]
        each, least = size // len(groups), min(len(group) for group in groups)
        if each * len(groups) != size or each > least:
            rule = f"a multiple of {len(groups)}, and at most {least * len(groups)}" if balanced else f"at most {least}"
            best = max(1, min(each, least)) * len(groups)
            raise UserError(f"size must be {rule}, but is {size}; write size={best}.")
        chosen = np.sort(np.concatenate([rng.choice(group, each, replace=False) for group in groups]))
        return dataclasses.replace(self, x=self.x[chosen], y=self.y[chosen])

    def random_labels(self, *, seed: int) -> "Images":
        """A label for each training image drawn from all labels with equal chances; the test labels stay."""
        drawn = np.random.default_rng([seed, LABELS]).choice(np.unique(self.y), len(self.y))
        return dataclasses.replace(self, y=drawn)

    def random_pixels(self, *, seed: int) -> "Images":
        """Pixels drawn from the normal law with the mean and variance of all training pixels; the labels stay."""
        rng, mean, deviation = np.random.default_rng([seed, PIXELS]), self.x.mean(dtype=float), self.x.std(dtype=float)
        train, test = (
            (mean + deviation * rng.standard_normal(x.shape, np.float32)).astype(np.float32) for x in (self.x, self.test_x)
        )
        return dataclasses.replace(self, x=train, test_x=test)

    def pair(self, classes: Sequence[int], labels: Sequence[float]) -> "Images":
        """The images of two classes, with values as labels: the first class gets the first one."""
        known = np.unique(self.y)
        if np.shape(classes) != (2,) or classes[0] == classes[1] or not np.isin(classes, known).all():
            raise UserError(
                f"classes must be two different ones of {known[0]} to {known[-1]}, but are {quoted(classes)}; "
                f"write ({known[0]}, {known[-1]})."
            )
        if np.shape(labels) != (2,) or labels[0] == labels[1] or not np.isfinite(labels).all():
            raise UserError(f"labels must be two different numbers, but are {quoted(labels)}; write (-1.0, 1.0).")
        (x, y), (test_x, test_y) = (_two(*part, classes, labels) for part in [(self.x, self.y), (self.test_x, self.test_y)])
        return Images(x, y, test_x, test_y)

    def dataset(self, **settings: Any) -> Dataset:
        """The images as a task, with their test set."""
        return Dataset(self.x, self.y, test=(self.test_x, self.test_y), **settings)


def _two(x: np.ndarray, y: np.ndarray, classes: Sequence[int], labels: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    chosen = np.isin(y, classes)
    return x[chosen], np.where(y[chosen] == classes[0], labels[0], labels[1]).astype(np.float32)


def as_pixels(images: np.ndarray) -> Float[np.ndarray, "samples pixels"]:
    """Bytes as numbers from 0 to 1, one image per row."""
    pixels = images.reshape(len(images), -1).astype(np.float32)
    pixels /= np.float32(255)
    return pixels


def read_idx(path: Path) -> np.ndarray:
    """The bytes in a gzipped IDX file: two zeros, type 8, the number of dimensions, each of them in 4 bytes, the data."""
    try:
        raw = gzip.decompress(path.read_bytes())
        zeros, kind, ndim = struct.unpack(">HBB", raw[:4])
        shape = struct.unpack(f">{ndim}I", raw[4 : 4 + 4 * ndim])
    except (OSError, EOFError, zlib.error, struct.error) as error:
        raise UserError(f"The file '{path}' is cut short or not gzipped: remove it and copy or fetch it again.") from error
    if (zeros, kind) != (0, 8) or len(raw) != 4 + 4 * ndim + math.prod(shape):
        raise UserError(
            f"The file '{path}' is not an IDX file of bytes, or is cut short: remove it and copy or fetch it again."
        )
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * ndim).reshape(shape)


def decoded(name: str, digests: Mapping[str, str], decode: Callable[[], Arrays]) -> Arrays:
    """Arrays from the cache of decoded files, or decoded and put there; a cache that cannot be used is no obstacle."""
    mark = f"{zlib.crc32(''.join(digests.values()).encode()):08x}"
    path = cache_folder() / f"{name}-{mark}.npz"
    try:
        with path.open("rb") as file, np.load(file) as found:
            return {key: found[key] for key in PARTS}
    except (OSError, ValueError, TypeError, EOFError, zlib.error, KeyError, zipfile.BadZipFile):
        arrays = decode()
    _keep(path, arrays)
    return arrays


def _keep(path: Path, arrays: Arrays) -> None:
    buffer, temporary = io.BytesIO(), path.with_name(f".{path.name}.{id(arrays):x}")
    np.savez(buffer, **arrays)  # pyright: ignore[reportArgumentType]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(buffer.getbuffer())
        temporary.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
