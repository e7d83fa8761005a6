"""The trainings of `rotation-invariance`: ramps at one place of the ring or at any, then tested at every place."""

from typing import Any

import equinox as eqx
import jax
import numpy as np
import xarray as xr

from gatefield.core.runs import one_run, run_axes
from gatefield.data import Dataset
from gatefield.experiments.convolution.rotation_invariance.ring import RingSettings, ramps, rotate
from gatefield.experiments.unfold import unfold
from gatefield.lab.bench import Bench
from gatefield.nets import ConvGated

NETS = {
    "rotating": "mean over positions, gates rotate",
    "kept": "mean, gates kept in place",
    "flatten": "no mean, gates rotate",
}
TRAININGS = {"one": "at one place", "any": "at any place"}


def trainings(p: RingSettings, bench: Bench) -> xr.Dataset:
    """Losses and, for each rotation of the test set, accuracies: (net, training, seed, ...)."""
    sets = [ramps(np.random.default_rng([p.seed, 6, seed]), p.samples, p) for seed in range(p.seeds)]
    base, y = np.tile([x for x, _ in sets], (2, 1, 1)), np.tile([y for _, y in sets], (2, 1))
    anywhere = np.random.default_rng([p.seed, 7]).integers(p.positions, size=(p.seeds, p.samples))
    task = Dataset(rotate(base, np.concatenate([0 * anywhere, anywhere])), y)
    runs = {"training": list(TRAININGS), "seed": range(p.seeds)}
    found = [unfold(_one(p, bench, net, task, base), runs) for net in NETS]
    return xr.concat([one.drop_vars("time", errors="ignore").drop_attrs() for one in found], xr.Variable("net", list(NETS)))


def _one(p: RingSettings, bench: Bench, kind: str, task: Dataset, base: np.ndarray) -> xr.Dataset:
    rotating = _net(p, "flatten" if kind == "flatten" else "mean", gating="galu")
    net = _with_gates(_net(p, "mean", gating="free", samples=p.samples), rotating, base) if kind == "kept" else rotating
    trained, record = bench.train(
        kind,
        net,
        task,
        steps=p.steps,
        batch_size="all",
        learning_rate=p.learning_rate,
        optimizer="adam",
        record_every=max(1, p.steps // 20),
        key=jax.random.fold_in(jax.random.key(p.seed), 3),
    )
    tests = [ramps(np.random.default_rng([p.seed, 8, seed]), p.test_samples, p) for seed in range(p.seeds)] * 2
    x = np.array([x for x, _ in tests])
    net = _with_gates(trained, rotating, x) if kind == "kept" else trained
    tested = [_test(one_run(net, run), *one) for run, one in enumerate(tests)]
    accuracy, change = zip(*tested, strict=True)
    return record[["loss", "train_accuracy"]].assign(
        accuracy=(("run", "rotation"), np.array(accuracy)), output_change=("run", np.array(change))
    )


def _net(p: RingSettings, head: str, **gates: Any) -> ConvGated:
    """A network for each run; those of all kinds and trainings begin with the same convolutions and gating networks."""
    keys = jax.random.split(jax.random.fold_in(jax.random.key(p.seed), 2), p.seeds)
    return ConvGated(
        (p.positions, 1),
        [p.train_channels] * p.layers,
        outputs=1,
        kernel_size=p.kernel_size,
        padding="circular",
        head=head,
        key=jax.numpy.concatenate([keys, keys]),
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
