"""Colour images, and convolutional networks trained on them."""

import dataclasses
from typing import Annotated, Any, cast

import equinox as eqx
import numpy as np
import xarray as xr
from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.grid import Grid
from gatefield.data import Dataset, Images, cifar10
from gatefield.data.images import COLLECTIONS, check_there
from gatefield.experiments.starts import Law, seed_keys
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Rate, Seed, listed
from gatefield.lab.needs import at_least, exactly, lacking
from gatefield.nets import ConvGated, Gating

SHAPE = (32, 32, 3)
"""Height, width and colours of an image."""
WHOLE, WHOLE_TEST, CHANNELS, DENSE = 50_000, 10_000, (64, 64, 128, 128), (256, 256)
LARGE = 10_000_000
"""Trainings of more weights, those of all seeds together, are committed as a whole."""
EVALUATED = 10_000
"""Training accuracy is measured on at most so many training images."""

Layers = Annotated[tuple[Count, ...], Field(min_length=1)]


def _padding(value: str) -> str:
    return checks.choice("padding", value, ["valid", "same"])


def _pool(value: str) -> str:
    return checks.choice("pool", value, ["none", "max", "mean"])


def _sigma(value: str) -> str:
    return checks.choice("sigma", value, ["he", "glorot"])


def _scaling(value: str) -> str:
    return checks.choice("scaling", value, ["unit", "centred", "standard"])


def _precision(value: str) -> str:
    return checks.choice("precision", value, ["float32", "bfloat16"])


Sigma = Annotated[str, AfterValidator(_sigma)]


class ImageSettings(Parameters):
    """A convolutional network on colour images, and how it is trained: Adam on batches that are shuffled anew each epoch.

    `samples`, `tested`: at most so many training and test images. `channels`, `stride`: of the convolutions (3x3); one stride
    stands for all. `pooled`: which of them are followed by `pool` (none, max or mean), counted from 1. `dense`: widths of the
    dense layers before the ten outputs. `init` and `sigma`: law and rule of the initial weights, `gain` a factor on them.
    `scaling`: pixels from 0 to 1 (unit), from -1 to 1 (centred), or with mean 0 and deviation 1 in each colour (standard).
    `precision`: that of the sums.
    """

    samples: Count = WHOLE
    tested: Count = WHOLE_TEST
    channels: Layers = CHANNELS
    dense: Layers = DENSE
    padding: Annotated[str, AfterValidator(_padding)] = "valid"
    stride: Annotated[Layers, BeforeValidator(listed)] = (1, 1, 1, 1)
    pool: Annotated[str, AfterValidator(_pool)] = "none"
    pooled: Annotated[tuple[Count, ...], BeforeValidator(listed)] = (2, 4)
    bias: bool = True
    init: Law = "uniform"
    sigma: Sigma = "glorot"
    gain: Rate = 1.0
    scaling: Annotated[str, AfterValidator(_scaling)] = "unit"
    epochs: Count = 18
    batch_size: Count = 128
    learning_rate: Rate = 3e-4
    precision: Annotated[str, AfterValidator(_precision)] = "bfloat16"
    seeds: Count = 5
    seed: Seed = 0

    @model_validator(mode="after")
    def _there(self) -> "ImageSettings":
        for name, asked, held in (("samples", self.samples, WHOLE), ("tested", self.tested, WHOLE_TEST)):
            if asked > held:
                raise UserError(
                    f"{name} must be at most {held}, the images of CIFAR-10, but is {asked}; write {name}={held} for all."
                )
        beyond = [at for at in self.pooled if at > len(self.channels)]
        if self.pool != "none" and (beyond or not self.pooled):
            raise UserError(
                f"pooled must name convolutions from 1 to {len(self.channels)}, but is {list(self.pooled)}; write for instance "
                f"pooled={len(self.channels)}, or pool=none."
            )
        return self


def colour_images(p: ImageSettings) -> Images:
    """All ten classes, at most so many of them as are asked for."""
    found = all_images()
    found = dataclasses.replace(found, test_x=found.test_x[: p.tested], test_y=found.test_y[: p.tested])
    return scaled(found if len(found.y) <= p.samples else found.subset(p.samples, seed=p.seed), p.scaling)


def scaled(found: Images, scaling: str) -> Images:
    """Images with other pixels; test images are moved and stretched as the training images are."""
    if scaling == "unit":
        return found
    colours = found.x.reshape(-1, SHAPE[-1])
    middle, width = (0.5, 0.5) if scaling == "centred" else (colours.mean(0, dtype=float), colours.std(0, dtype=float))

    def moved(x: np.ndarray) -> np.ndarray:
        return ((x.reshape(-1, SHAPE[-1]) - np.float32(middle)) / np.float32(width)).reshape(x.shape)

    return dataclasses.replace(found, x=moved(found.x), test_x=moved(found.test_x))


def task_of(p: ImageSettings) -> Dataset:
    """The images on the device, with their test set."""
    return colour_images(p).dataset(evaluated=min(EVALUATED, p.tested), block=2000)


def conv_net(p: ImageSettings, gating: str, **settings: Any) -> ConvGated:
    """One network for each seed; those of the same seed start from the same weights."""
    pools = [p.pool if p.pool != "none" and at + 1 in p.pooled else None for at in range(len(p.channels))]
    net = ConvGated(
        SHAPE,
        p.channels,
        gating=cast(Gating, gating),
        dense=p.dense,
        outputs=10,
        padding=cast(Any, p.padding),
        stride=p.stride * (len(p.channels) if len(p.stride) == 1 else 1),
        pool=cast(Any, pools),
        init=p.init,
        sigma=p.sigma,
        bias=p.bias,
        precision=cast(Any, p.precision),
        key=seed_keys(p)[0],
        **settings,
    )
    return net if p.gain == 1 else _grown(net, p.gain)


def _grown(net: ConvGated, gain: float) -> ConvGated:
    """The network with its weights times a factor, those that decide its gates too."""

    def drawn(net: ConvGated) -> list[Any]:
        return [*net.weights, *(net.gating_weights or ())]

    return eqx.tree_at(drawn, net, [gain * weights for weights in drawn(net)])


def fit(bench: Bench, part: str, net: ConvGated, task: Dataset, p: ImageSettings) -> xr.Dataset:
    """What a training measures after each epoch, with axes (seed, step) and the coordinate `epoch`.

    Of the large network all of it is one commit, because its state is far larger than its record.
    """
    large = sum(w.size for w in net.weights) > LARGE
    steps = max(1, round(task.size / p.batch_size))
    record = bench.train(
        part,
        net,
        task,
        steps=p.epochs * steps,
        batch_size=p.batch_size,
        learning_rate=p.learning_rate,
        optimizer="adam",
        loss="cross-entropy",
        record_every=steps,
        key=seed_keys(p)[1],
        runs=Grid(seed=p.seeds),
        chunk=p.epochs + 1 if large else None,
        keep_network=False,
    ).record
    record = record.drop_vars("time", errors="ignore").assign_coords(
        epoch=("step", record.step.values / steps, {"long_name": "epoch"})
    )
    return record[["loss", "train_accuracy", "test_loss", "test_accuracy"]].drop_attrs(deep=False)


def unlike_the_paper(record: xr.Dataset, epochs: int) -> str:
    """Why numbers are not laid beside the paper's, unless it is all of CIFAR-10, its network, and at least so many epochs."""
    a = record.attrs
    layers = [exactly(name, value, tuple(a[name])) for name, value in (("channels", CHANNELS), ("dense", DENSE))]
    return lacking(at_least("samples", WHOLE, a["samples"]), at_least("epochs", epochs, a["epochs"]), *layers)


def layout_text(record: xr.Dataset) -> str:
    """The layout of the network, in words."""
    a = record.attrs
    pool = "no pooling" if a["pool"] == "none" else f"{a['pool']} pooling after convolutions {list(a['pooled'])}"
    gain, scaling, batch = a.get("gain", 1.0), a.get("scaling", "unit"), a.get("batch_size")  # earlier records have none
    more = [f"times {gain:g}"] * (gain != 1) + [f"{scaling} pixels"] * (scaling != "unit")
    more += [f"batches of {batch}"] if batch else []
    words = [f"{a['padding']} padding", f"strides {', '.join(map(str, a['stride']))}", pool, f"{a['sigma']} weights", *more]
    return ", ".join(words)


def layout(p: ImageSettings) -> dict[str, Any]:
    """What a record keeps of its setting."""
    shape = ("samples", "channels", "dense", "padding", "stride", "pool", "pooled")
    names = (*shape, "sigma", "gain", "scaling", "epochs", "batch_size", "precision")
    return {name: list(v) if isinstance(v := getattr(p, name), tuple) else v for name in names}


def all_images() -> Images:
    """All of CIFAR-10, if it is there: nothing is fetched unasked."""
    check_there(COLLECTIONS["cifar10"])
    return cifar10()
