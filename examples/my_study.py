"""An experiment, a source and a gate of your own: `gatefield run examples/my_study.py`, then `gatefield report`.

A telegraph signal jumps between two levels and is seen through noise. A network learns to tell slow signals from quick ones.
Its units are linear, each behind a gate that opens where the average over a window is positive. Such a network is solved
exactly, whatever its gates: does training follow the solution, and does each field stay where its gate looks?
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt

from gatefield import Experiment, GatedLinear, Grid, Parameters, Task, Verdict, data, gates, lab, theory

WIDTH = 8  # sites for each unit


class Telegraph(data.Source):
    """Levels s = +-1 along a line, kept over about `length` sites, seen through noise: x = 0.8 s + 0.6 z."""

    n: int = eqx.field(static=True)
    length: float

    def sampler(self):
        flip = jnp.full(self.n, (1 - jnp.exp(-1 / self.length)) / 2).at[0].set(0.5)  # s is correlated as exp(-distance/length)

        def draw(key, size):
            jumps, noise = jax.random.split(key)
            s = jnp.cumprod(1 - 2.0 * jax.random.bernoulli(jumps, flip, (size, self.n)), axis=1)
            return 0.8 * s + 0.6 * jax.random.normal(noise, s.shape)

        return draw

    def _covariance(self):  # what `covariance()` of a source asks for
        return 0.64 * jnp.exp(-abs(jnp.arange(self.n)[:, None] - jnp.arange(self.n)) / self.length) + 0.36 * jnp.eye(self.n)


class WindowGate(gates.Gate):
    """Open where the average over four sites, from `first` on, is positive; noise keeps it from being zero."""

    first: int = eqx.field(static=True)

    def __call__(self, x):
        return (jnp.asarray(x)[..., self.first : self.first + 4].mean(-1) > 0).astype(float)


class MyParameters(Parameters):
    """Each parameter has a type with its check and a default; `--set units=3` sets one from the command line."""

    units: lab.kinds.Count = 4
    lengths: tuple[lab.kinds.LengthScale, lab.kinds.LengthScale] = (8.0, 2.0)
    steps: lab.kinds.Count = 2000
    seeds: lab.kinds.Several = 4


def simulate(p, bench):
    """The record: fields (seed, step, unit, position) trained by SGD, and the exact ones (step, unit, position) beside them."""
    n, keys = WIDTH * p.units, jax.random.split(jax.random.key(0), p.seeds)
    task, windows = Task(*(Telegraph(n, xi) for xi in p.lengths)), [WindowGate(WIDTH * k + 2) for k in range(p.units)]
    settings = {"runs": Grid(seed=p.seeds), "steps": p.steps, "batch_size": 200, "learning_rate": 0.1, "record_every": 50}
    _, record = bench.train("training", GatedLinear(n, windows, init="zero", key=keys), task, key=keys, **settings)
    # "training": its name in the store; A, b: second moments behind the gates; 0 * b: fields start at zero
    A, b, _ = theory.gated_linear.statistics(windows, task, key=jax.random.key(1), samples=200_000)
    exact = theory.gated_linear.solve(A, b, 0 * b, record.time.values, K=p.units).reshape(-1, p.units, n)
    return record[["fields"]].assign(exact=(("step", "unit", "position"), exact))


def verdicts(record):
    """What the record says: a claim, the bound, what was measured, and how well that is known."""
    end, exact = record.fields.isel(step=-1), record.exact.isel(step=-1)
    spread = end.std("seed", ddof=1) / end.sizes["seed"] ** 0.5  # the error of the mean over seeds
    far, error, size = (float((a**2).sum()) ** 0.5 for a in (end.mean("seed") - exact, spread, exact))
    own = (exact**2).where(record.position // WIDTH == record.unit, 0.0).sum("position") / (exact**2).sum("position")
    close = Verdict.below("SGD ends at the exact fields", 0.1, far / size, predicted=0, error=error / size, of="relative error")
    home = Verdict.above("each field has most of its energy around its gate's window", 0.5, own.min(), of="smallest share")
    return [close, home]


def figure(record):
    """The fields of the first seed, and the exact ones over them."""
    figure, axes = plt.subplots(figsize=(7, 3.5))
    axes.plot(record.position, record.fields.isel(seed=0, step=-1).T, "o", record.position, record.exact.isel(step=-1).T, "k")
    axes.set(xlabel="position", ylabel="weight", title="Fields stay where their gates look (dots: SGD, lines: exact)")
    return figure


experiment = Experiment(
    name="my-study",
    title="Fields stay where their gates look",
    source="an example",
    text=__doc__.partition("\n\n")[2],
    Parameters=MyParameters,
    presets={"quick": {}, "full": {"steps": 20_000, "seeds": 16}},  # "quick" is what runs if no preset is named
    durations={"quick": "20 s", "full": "5 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
