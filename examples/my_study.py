"""An experiment, a source and a gate of your own: `gatefield run examples/my_study.py`, then `gatefield report`.

A telegraph signal jumps between two levels and is seen through noise. A network learns to tell slow signals from quick ones.
Its units are linear, each behind a gate that opens where the average over a window is positive. Such a network is solved
exactly, whatever its gates: does training follow the solution, and does each field stay where its gate looks?
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

from gatefield import Experiment, GatedLinear, Grid, Parameters, Task, Verdict
from gatefield.data import Source
from gatefield.gates import Gate, GateSet
from gatefield.lab import kinds
from gatefield.theory import gated_linear

WIDTH = 8
"""Sites for each unit."""


class Telegraph(Source):
    """Levels s = +-1 along a line, kept over about `length` sites, seen through noise: x = 0.8 s + 0.6 z."""

    n: int = eqx.field(static=True)
    length: float

    def sampler(self):
        flip = (1 - np.exp(-1 / self.length)) / 2  # so that s is correlated as exp(-distance/length)

        def draw(key, size):
            start, jumps, noise = jax.random.split(key, 3)
            first = jax.random.rademacher(start, (size, 1), float)
            signs = 1.0 - 2.0 * jax.random.bernoulli(jumps, flip, (size, self.n - 1))
            s = jnp.cumprod(jnp.concatenate([first, signs], axis=1), axis=1)
            return 0.8 * s + 0.6 * jax.random.normal(noise, s.shape)

        return draw

    def _covariance(self):  # what `covariance()` of a source asks for
        distance = abs(np.arange(self.n)[:, None] - np.arange(self.n))
        return 0.64 * jnp.exp(-distance / self.length) + 0.36 * jnp.eye(self.n)


class WindowGate(Gate):
    """Open where the average over the sites from `first` to `last` is positive; noise keeps it from being zero."""

    first: int = eqx.field(static=True)
    last: int = eqx.field(static=True)

    def __call__(self, x):
        return (jnp.asarray(x)[..., self.first : self.last + 1].mean(-1) > 0).astype(float)


class MyParameters(Parameters):
    """Each parameter has a type with its check and a default; `--set units=3` sets one from the command line."""

    units: kinds.Count = 4
    lengths: tuple[kinds.LengthScale, kinds.LengthScale] = (8.0, 2.0)
    steps: kinds.Count = 2000
    seeds: kinds.Several = 4


def simulate(p, bench):
    """The record: fields (seed, step, unit, position) trained by SGD, and the exact ones (step, unit, position) beside them."""
    task = Task(Telegraph(WIDTH * p.units, p.lengths[0]), Telegraph(WIDTH * p.units, p.lengths[1]))
    gates = GateSet([WindowGate(WIDTH * k + 2, WIDTH * k + 5) for k in range(p.units)])
    net = GatedLinear(task.n, gates, init="zero", key=jax.random.split(jax.random.key(0), p.seeds))
    settings = {"steps": p.steps, "batch_size": 200, "learning_rate": 0.1, "record_every": 50}
    key, runs = jax.random.split(jax.random.key(1), p.seeds), Grid(seed=p.seeds)
    _, record = bench.train("training", net, task, key=key, runs=runs, **settings)  # "training": its name in the store
    # A, b: second moments behind the gates; 0 * b: fields start at zero
    A, b, _ = gated_linear.statistics(gates, task, key=jax.random.key(2), samples=200_000)
    exact = gated_linear.solve(A, b, 0 * b, record.time.values, K=p.units).reshape(-1, p.units, task.n)
    return record[["fields"]].assign(exact=(("step", "unit", "position"), exact))


def verdicts(record):
    """What the record says: a claim, the bound, what was measured, and how well that is known."""
    end, exact = record.fields.isel(step=-1), record.exact.isel(step=-1)
    far, error, size = (float(np.sqrt((a**2).sum())) for a in (end.mean("seed") - exact, end.std("seed", ddof=1), exact))
    error /= np.sqrt(end.sizes["seed"])  # of the mean over seeds
    own = record.position // WIDTH == record.unit
    share = (exact**2).where(own, 0.0).sum("position") / (exact**2).sum("position")
    return [
        Verdict.below("SGD ends at the exact fields", 0.1, far / size, predicted=0, error=error / size, of="relative distance"),
        Verdict.above("each field has most of its energy around its gate's window", 0.5, share.min(), of="smallest share"),
    ]


def figure(record):
    """The fields of the first seed, and the exact ones over them."""
    figure, axes = plt.subplots(figsize=(7, 3.5))
    axes.plot(record.position, record.fields.isel(seed=0, step=-1).T, "o", markersize=3)
    axes.plot(record.position, record.exact.isel(step=-1).T, color="black", linewidth=1)
    axes.set(xlabel="position", ylabel="weight", title="Fields stay where their gates look (dots: SGD, lines: exact)")
    return figure


experiment = Experiment(
    name="my-study",
    title="Fields stay where their gates look",
    source="an example",
    text=__doc__.partition("\n\n")[2],
    Parameters=MyParameters,
    # "quick" is what runs if no preset is named
    presets={"quick": {}, "full": {"steps": 20_000, "seeds": 16}},
    durations={"quick": "20 s", "full": "5 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
