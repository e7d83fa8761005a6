"""The trainings of `rotation-invariance`: ramps at one place of the ring or at any, then tested at every place."""

from typing import Any, cast

import equinox as eqx
import jax
import numpy as np
import xarray as xr

from gatefield.core.grid import Grid
from gatefield.core.runs import one_run, run_axes
from gatefield.data import Dataset
from gatefield.experiments.convolution.rotation_invariance.ring import (
    BATCHES,
    NETWORKS,
    PLACES,
    TEST_SETS,
    TRAINING_SETS,
    RingSettings,
    ramps,
    rotate,
)
from gatefield.lab import Bench
from gatefield.nets import ConvGated

NETS = {
    "rotating": "mean over positions, gates rotate",
    "kept": "mean, gates kept in place",
    "flatten": "no mean, gates rotate",
}
TRAININGS = {"one": "at one place", "any": "at any place"}


def trainings(p: RingSettings, bench: Bench) -> xr.Dataset:
    """Losses and, for each rotation of the test set, accuracies: (net, training, seed, ...)."""
    grid = Grid(training=list(TRAININGS), seed=p.seeds)
    base, y = _sets(p, grid, TRAINING_SETS, p.samples)
    anywhere = np.random.default_rng([p.seed, PLACES]).integers(p.positions, size=(p.seeds, p.samples))
    task = Dataset(rotate(base, grid.share(np.stack([0 * anywhere, anywhere]), over=("training", "seed"))), y)
    found = [_one(p, grid, bench, net, task, base) for net in NETS]
    return xr.concat([one.drop_vars("time", errors="ignore").drop_attrs() for one in found], xr.Variable("net", list(NETS)))


def _sets(p: RingSettings, grid: Grid, stream: int, samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Inputs and labels of each run; those of a seed are the same in both trainings."""
    sets = [ramps(np.random.default_rng([p.seed, stream, seed]), samples, p) for seed in range(p.seeds)]
    x, y = (grid.share(np.array(part), over="seed") for part in zip(*sets, strict=True))
    return x, y


def _one(p: RingSettings, grid: Grid, bench: Bench, kind: str, task: Dataset, base: np.ndarray) -> xr.Dataset:
    rotating = _net(p, grid, "flatten" if kind == "flatten" else "mean", gating="galu")
    net = _with_gates(_net(p, grid, "mean", gating="free", samples=p.samples), rotating, base) if kind == "kept" else rotating
    trained, record = bench.train(
        kind,
        net,
        task,
        steps=p.steps,
        batch_size="all",
        learning_rate=p.learning_rate,
        optimizer="adam",
        record_every=max(1, p.steps // 20),
        key=jax.random.fold_in(jax.random.key(p.seed), BATCHES),
        runs=grid,
    )
    x, y = _sets(p, grid, TEST_SETS, p.test_samples)
    net = _with_gates(trained, rotating, x) if kind == "kept" else trained
    accuracy, change = zip(*(_test(one_run(net, run), x[run], y[run]) for run in range(len(grid))), strict=True)
    return record[["loss", "train_accuracy"]].assign(
        accuracy=((*grid.axes, "rotation"), grid.fold(accuracy)), output_change=(tuple(grid.axes), grid.fold(change))
    )


def _net(p: RingSettings, grid: Grid, head: str, **gates: Any) -> ConvGated:
    """A network for each run; those of all kinds and trainings begin with the same convolutions and gating networks."""
    keys = jax.random.split(jax.random.fold_in(jax.random.key(p.seed), NETWORKS), p.seeds)
    return ConvGated(
        (p.positions, 1),
        [p.train_channels] * p.layers,
        outputs=1,
        kernel_size=p.kernel_size,
        padding="circular",
        head=cast(Any, head),
        key=grid.share(keys, over="seed"),
        **gates,
    )


def _with_gates(net: ConvGated, gated: ConvGated, x: np.ndarray) -> ConvGated:
    """The network with free gates, which are those that the other one has for inputs (runs, samples, positions)."""
    gates = _gates(gated, jax.numpy.asarray(x, float))
    return eqx.tree_at(lambda n: n.free_gates, net, tuple(gate.reshape(*x.shape[:2], -1) for gate in gates))


@eqx.filter_jit
def _gates(net: ConvGated, x: Any) -> Any:
    return jax.vmap(lambda one, inputs: one.gates(inputs), in_axes=(run_axes(net), 0))(net, x)


def _test(net: ConvGated, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float]:
    """Accuracy at each rotation of the inputs, and how much, at most, a rotation changes an output, relative."""
    every = np.stack([np.roll(x, -r, 1) for r in range(x.shape[1])])
    with jax.default_matmul_precision("float32"):
        output = np.asarray(_outputs(net, jax.numpy.asarray(every, float)))
    return ((output > 0) == (y > 0)).mean(1), float(abs(output - output[0]).max() / abs(output).max())


@eqx.filter_jit
def _outputs(net: ConvGated, x: Any) -> Any:
    return jax.lax.map(net, x)
