"""Deep linear networks on one sample: the error's first step, the kernel's growth, and its spread at the start."""

from typing import Annotated

import numpy as np
import xarray as xr
from pydantic import Field

from gatefield.experiments.deep.networks import draw
from gatefield.kernels import random_gate_moments
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Depths, Rate, Seed, Several

BLOCK = 20
"""Runs at once: at width 100 and depth 10 the layer that is at work takes 1.6 MB, about a core's cache."""


class Settings(Parameters):
    """One sample (x, y) = (1, 1), weights +-1/sqrt(w), and a rate of `rate`/d on half the squared error."""

    width: Count = 100
    depths: Depths = (2, 4, 6, 8, 10)
    runs: Several = 400
    rate: Rate = 0.1
    steps: Annotated[Count, Field(ge=10)] = 60
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    record = xr.concat([_one_depth(p, d) for d in p.depths], "depth")
    record.attrs.update(width=p.width, rate=p.rate)
    return record.assign_coords(depth=list(p.depths), step=np.arange(p.steps + 1))


def _one_depth(p: Settings, depth: int) -> xr.Dataset:
    """All runs of one depth, in blocks whose weights stay in the cache."""
    sizes = [min(BLOCK, p.runs - at) for at in range(0, p.runs, BLOCK)]
    parts = [_descend(p, depth, np.random.default_rng([p.seed, depth, i]), size) for i, size in enumerate(sizes)]
    errors, kernels, lengths = (np.concatenate(part) for part in zip(*parts, strict=True))
    exact = random_gate_moments(depth, p.width, 1.0, p.width**-0.5).self_variance ** 0.5 / depth
    dims = ("run", "step")
    return xr.Dataset(
        {
            "squared_error": (dims, (errors / errors[:, :1]) ** 2, {"long_name": "e_t^2/e_0^2"}),
            "kernel": (dims, kernels / depth, {"long_name": "K/d before each update"}),
            "length": (
                dims,
                lengths / lengths[:, :1],
                {"long_name": "root of the sum of all squared weights, over that at the start"},
            ),
            "start": ("run", errors[:, 0] + 1.0, {"long_name": "output before training"}),
            "exact_deviation": ((), exact, {"long_name": "standard deviation of K/d before training, exact"}),
        }
    )


def _descend(p: Settings, depth: int, rng: np.random.Generator, runs: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Errors, kernels and lengths (run, step) of gradient descent on e^2/2, by forward and backward vectors.

    It is not `train`, because on one sample every gradient is an outer product of two vectors and K follows from them too:
    `train` gives the same numbers in 3 times the time.
    """
    many = [draw(rng, "signs", p.width**-0.5, depth, p.width) for _ in range(runs)]
    layers = [np.stack(ws) for ws in zip(*many, strict=True)]
    found = np.empty((3, runs, p.steps + 1))
    for step in range(p.steps + 1):
        forward, backward = _vectors(layers)
        error = (forward[-1] @ layers[-1])[:, 0, 0] - 1.0
        kernel = sum((z**2).sum((1, 2)) * (b**2).sum((1, 2)) for z, b in zip(forward, backward, strict=True))
        found[:, :, step] = error, kernel, np.sqrt(sum((w**2).sum((1, 2)) for w in layers))
        push = (p.rate / depth * error)[:, None, None]
        for w, z, b in zip(layers, forward, backward, strict=True):
            w -= (push * z.transpose(0, 2, 1)) * b.transpose(0, 2, 1)
    return found[0], found[1], found[2]


def _vectors(layers: list[np.ndarray]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """What enters each layer, as rows, and how the output answers to each layer's sums, as columns."""
    forward = [np.ones((len(layers[0]), 1, 1))]
    for w in layers[:-1]:
        forward.append(forward[-1] @ w)
    backward = [np.ones((len(layers[0]), 1, 1))]
    for w in layers[:0:-1]:
        backward.append(w @ backward[-1])
    return forward, backward[::-1]
