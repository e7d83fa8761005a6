"""How the cost of trainings, tangent kernels and exact paths grows, up to sizes where the largest term rules."""

import dataclasses
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import jax
import numpy as np

from gatefield.data import NonlinearGP, Task
from gatefield.dynamics import advance, init
from gatefield.kernels import ntk
from gatefield.nets import Committee, DeepGated
from gatefield.speed.contest import Contestant
from gatefield.speed.growth import Ladder
from gatefield.speed.peers.gated_network import network
from gatefield.theory import gated_linear

QUICK = 3
"""How many of the sizes are taken then, the smallest ones."""


def entries(quick: bool) -> Iterator[Ladder]:
    for ladder in _LADDERS:
        yield dataclasses.replace(ladder, sizes=ladder.sizes[:QUICK]) if quick else ladder


def sgd(n: int = 40, units: int = 1, batch: int = 1000, hidden: Sequence[int] | None = None, steps: int = 20) -> Contestant:
    """Steps of SGD from a training that stands ready: of a committee, or of a deep ReLU network of those widths."""
    key = jax.random.key(0)
    net: Any = Committee(n, units, key=key) if hidden is None else DeepGated(n, list(hidden), gating="relu", key=key)
    task = Task(NonlinearGP(n, 2.0, 3.0), NonlinearGP(n, 1.0, 3.0))
    stepper = init(net, task, batch_size=batch, learning_rate=1e-3, key=key)
    return Contestant(f"n={n}", lambda: jax.block_until_ready(advance(stepper, steps).setup.state), steps)


def kernel(depth: int = 6, width: int = 100, samples: int = 500) -> Contestant:
    """As many inputs as units, so that the first layer costs what the others do."""
    return Contestant("ntk", partial(ntk, *network(depth, width, samples, width, np.float64)))


def path(m: int) -> Contestant:
    """Eight times of one path with m weights."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2 * m, m))
    A, b, times = x.T @ x / len(x), rng.normal(size=m), np.geomspace(0.1, 10, 8)
    return Contestant("solve", lambda: gated_linear.solve(A, b, 0 * b, times, 1))


_LADDERS = [
    Ladder(
        "training, sites",
        "n",
        "step",
        (512, 1024, 2048, 4096),
        lambda n: sgd(n, batch=200, steps=5),
        2.0,
        "the product of normal numbers with the covariance root",
    ),
    Ladder(
        "training, units",
        "K",
        "step",
        (128, 256, 512, 1024, 2048),
        lambda K: sgd(units=K),
        1.0,
        "products forward and backward, beside samples that are made once",
    ),
    Ladder(
        "training, batch",
        "batch",
        "step",
        (2_000, 8_000, 32_000, 128_000),
        lambda batch: sgd(batch=batch),
        1.0,
        "samples, each made and used once",
    ),
    Ladder(
        "training of a deep network, depth",
        "d",
        "step",
        (4, 8, 16, 32),
        lambda d: sgd(hidden=[200] * (d - 1)),
        1.0,
        "layers of the same width",
    ),
    Ladder(
        "tangent kernel, samples",
        "n",
        "kernel",
        (500, 1000, 2000, 4000),
        lambda n: kernel(samples=n),
        2.0,
        "pairs of samples",
    ),
    Ladder("tangent kernel, depth", "d", "kernel", (4, 8, 16, 32), lambda d: kernel(depth=d), 1.0, "layers of the same width"),
    Ladder("exact path, weights", "Kn", "path", (200, 400, 800, 1600), path, 3.0, "the eigenvectors of A"),
]
