"""Online SGD of committees on squashed Gaussian fields: what a user would write instead of `train`."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import jax
import numpy as np

from gatefield.data import NonlinearGP, Task
from gatefield.dynamics import train
from gatefield.nets import Committee
from gatefield.speed.contest import Contest, Contestant, Missing
from gatefield.speed.peers import jax_loops, present
from gatefield.speed.peers.problem import Problem
from gatefield.speed.peers.torch_loop import torch_loop

SITES = 40


class Size(NamedTuple):
    """Of one contest; `steps` are those of one call of `train`, about a second on two cores."""

    units: int
    runs: int
    batch: int
    steps: int


SIZES = [
    Size(1, 1, 10_000, 2000),
    Size(12, 1, 10_000, 1500),
    Size(100, 1, 1_000, 6000),
    Size(1, 64, 1_000, 300),
    Size(1, 512, 1_000, 40),
]
LOOP, TORCH = 4, 16
"""By how much fewer steps the loops take, which are slower; nothing that they do once per call is worth a step."""
QUICK = 10


def entries(quick: bool) -> Iterator[Contest]:
    for size in SIZES:
        steps = max(TORCH, size.steps // QUICK) if quick else size.steps
        yield contest(size._replace(steps=steps))
        yield from _options(size._replace(steps=steps))


def contest(size: Size, sites: int = SITES) -> Contest:
    """`train` against loops of the same law, batch, rate and float type."""
    keys = jax.random.split(jax.random.key(0), size.runs)
    net = Committee(sites, size.units, key=keys)
    problem = Problem(np.asarray(net.fields), size.batch)
    few, fewer = max(1, size.steps // LOOP), max(1, size.steps // TORCH)
    peers: list[Contestant | Missing] = [
        Contestant("bare jitted scan", jax_loops.scan(problem, keys, size.steps), size.steps),
        Contestant("jitted step called from Python", jax_loops.loop(problem, keys, few), few),
    ]
    if size.runs > 1:
        call = jax_loops.scan_one_by_one(problem, keys, size.steps)
        peers.append(Contestant("bare jitted scan, one run after the other", call, size.steps))
    torch, name = present.torch(), "PyTorch loop"
    peers.append(
        Contestant(name, torch_loop(torch, problem, fewer), fewer) if torch else Missing(name, present.absent("torch"))
    )
    return Contest(_name(size), "step", Contestant("train", _train(net, problem, keys, size), size.steps), peers)


def _options(size: Size) -> Iterator[Contest]:
    """What `train` itself offers for speed, beside `train` as it is."""
    keys = jax.random.split(jax.random.key(0), size.runs)
    net = Committee(SITES, size.units, key=keys)
    problem = Problem(np.asarray(net.fields), size.batch)
    plain = Contestant("train", _train(net, problem, keys, size), size.steps)
    pairs = Contestant("train on antithetic pairs", _train(net, problem, keys, size, antithetic=True), size.steps)
    yield Contest(f"antithetic pairs, {_name(size)}", "step", pairs, [plain])
    if size.runs > 1:
        shared = Contestant("train on one stream", _train(net, problem, keys[0], size, shared_stream=True), size.steps)
        yield Contest(f"one stream for all runs, {_name(size)}", "step", shared, [plain])


def _train(
    net: Committee, problem: Problem, keys: Any, size: Size, *, antithetic: bool = False, **more: Any
) -> Callable[[], Any]:
    """As it is called: with its checks, records and commits."""
    positive, negative = (NonlinearGP(problem.n, xi, problem.gain) for xi in problem.xi)
    task = Task(positive, negative, antithetic=antithetic)
    settings = {"steps": size.steps, "record_every": size.steps, "batch_size": size.batch, "learning_rate": problem.rate}
    return partial(train, net, task, key=keys, progress=False, **settings, **more)


def _name(size: Size) -> str:
    runs = "1 run" if size.runs == 1 else f"{size.runs} runs"
    return f"n={SITES}, K={size.units}, batch {size.batch:,}, {runs}"
