"""Neurons trained on single pulses of two widths and on their Gaussian clones, beside descent by the exact gradient."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pydantic
import xarray as xr

from gatefield.core.errors import UserError
from gatefield.core.grid import Grid
from gatefield.data import SinglePulse, Task, fourier_basis
from gatefield.experiments.by_seed import train_by_seed
from gatefield.experiments.together import cloned, listed
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Rate, Seed
from gatefield.measures import ipr
from gatefield.theory import descent, neuron

ORDERS = ("wide", "narrow")
"""Which pulses are the positive class."""
KINDS = {"both": (True, True), "centred": (False, True), "complement": (True, False), "plain": (False, False)}
"""What is done to a pulse: whether it becomes its complement half of the time; whether the mean of its class is taken off."""
STARTS = ("site", "minus site", "wave")
"""Special starts of the exact descent: one weight of either sign, and the best Fourier mode."""
SHAKE = 0.01
"""How much of the wave's length is random at its start, so that it can leave a state that does not attract."""
NAMES = {
    "explained": "share of the labels explained by SGD",
    "descent_explained": "share of the labels explained by the exact descent",
    "special_explained": "share of the labels explained by the exact descent from special starts",
    "wave_explained": "share of the labels explained by the best wave",
    "descent_fields": "final fields of the exact descent",
    "special_fields": "final fields of the exact descent from special starts",
    "descent_ipr": "IPR of the exact descent",
    "special_ipr": "IPR of the exact descent from special starts",
}
"""Of what theory adds to the record."""


class Settings(Parameters):
    """One neuron for each order, kind of pulse and seed, on pulses and on their Gaussian clones, from the same starts.

    `wide` and `narrow` are the least and the greatest width of the pulses of the two classes, in sites. Pulses that are not
    centred have a large mean, whose direction is unstable unless steps are shorter: `uncentred_rate` is their learning rate.
    """

    n: Count = 40
    wide: tuple[Count, Count] = (12, 20)
    narrow: tuple[Count, Count] = (2, 10)
    learning_rate: Rate = 0.5
    uncentred_rate: Rate = 0.1
    batch_size: Count = 250
    steps: Count = 6_000
    record_every: Count = 300
    seeds: Count = 16
    seed: Seed = 0

    @pydantic.model_validator(mode="after")
    def _fit(self) -> "Settings":
        for widths in (self.wide, self.narrow):
            SinglePulse(self.n, widths)  # which says what is wrong
        if sum(self.wide) <= sum(self.narrow):
            raise UserError(
                f"wide pulses must be wider on average than narrow ones, but are {self.wide} and {self.narrow} sites; "
                "write for instance wide=12,20 and narrow=2,10."
            )
        return self


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    grid, tasks = Grid(order=ORDERS, kind=tuple(KINDS), seed=p.seeds), [task(p, *case) for case in cases()]
    rates = grid.share(np.array(_rates(p)), over="kind")
    pulses = train_by_seed(bench, "pulse", listed(tasks, p.seeds), grid, p, learning_rate=rates)
    clones = train_by_seed(bench, "clone", cloned(tasks, p.seeds), grid, p, learning_rate=rates)
    record = xr.concat([pulses, clones], xr.IndexVariable("data", ["pulse", "clone"]), combine_attrs="drop_conflicts")
    record["ipr"] = ipr(record.fields)
    record = record.assign_attrs(wide=list(p.wide), narrow=list(p.narrow))
    return record.assign({**_theory(pulses, tasks, p), "inputs": _inputs(tasks, p)})


def cases() -> list[tuple[str, str]]:
    """Every order with every kind."""
    return [(order, kind) for order in ORDERS for kind in KINDS]


def _rates(p: Settings) -> list[float]:
    """The learning rate of each kind."""
    return [p.learning_rate if centre else p.uncentred_rate for _, centre in KINDS.values()]


def task(p: Settings, order: str, kind: str) -> Task:
    """Wide pulses against narrow ones, or the other way round."""
    complement, centre = KINDS[kind]
    wide, narrow = (SinglePulse(p.n, widths, complement=complement, centre=centre) for widths in (p.wide, p.narrow))
    return Task(wide, narrow) if order == "wide" else Task(narrow, wide)


def _theory(pulses: xr.Dataset, tasks: list[Task], p: Settings) -> dict[str, Any]:
    """Ends of the exact descent, from the seeds' starts and from special ones; and how much of the labels each explains."""
    starts, trained = (_flat(pulses.fields.isel(step=step, unit=0).values.astype(float)) for step in (0, -1))
    waves = np.stack([best_wave(one, p.n) for one in tasks])
    ends = _ends(tasks, np.stack([_all_starts(*each, p) for each in zip(tasks, starts, waves, strict=True)]), p)
    every = np.concatenate([trained, ends, waves[:, None]], axis=1)
    explained = np.stack([_explained(w, one) for w, one in zip(every, tasks, strict=True)])
    found: dict[str, tuple[tuple[str, ...], Any]] = {
        "explained": (("seed",), explained[:, : p.seeds]),
        "descent_explained": (("seed",), explained[:, p.seeds : 2 * p.seeds]),
        "special_explained": (("start",), explained[:, 2 * p.seeds : -1]),
        "wave_explained": ((), explained[:, -1]),
        "descent_fields": (("seed", "position"), ends[:, : p.seeds]),
        "special_fields": (("start", "position"), ends[:, p.seeds :]),
        "descent_ipr": (("seed",), ipr(ends[:, : p.seeds])),
        "special_ipr": (("start",), ipr(ends[:, p.seeds :])),
    }
    shape = len(ORDERS), len(KINDS)
    data: dict[str, Any] = {
        name: (("order", "kind", *dims), np.reshape(values, (*shape, *values.shape[1:])), {"long_name": NAMES[name]})
        for name, (dims, values) in found.items()
    }
    return {**data, "start": ("start", list(STARTS))}


def _flat(values: np.ndarray) -> np.ndarray:
    """The axes order and kind as one."""
    return values.reshape(-1, *values.shape[2:])


def _all_starts(one: Task, w: np.ndarray, wave: np.ndarray, p: Settings) -> np.ndarray:
    """Those of the seeds, then the special ones, of their best size; where none is better than 0, of length one."""
    site = np.eye(p.n)[p.n // 2]
    shaken = wave + SHAKE * np.random.default_rng(p.seed).standard_normal(p.n) / np.sqrt(p.n)
    special = np.stack([site, -site, shaken])
    size = np.asarray(neuron.contrast(special, one).size)
    return np.concatenate([w, np.where(size > 0, size, 1.0)[:, None] * special])


def _ends(tasks: list[Task], starts: np.ndarray, p: Settings) -> np.ndarray:
    """Where the steps of the training end without minibatch noise, for all cases and starts as one system."""

    def velocity(w: Any) -> Any:
        return jnp.stack(
            [rate * neuron.finite_velocity(w[i], one) for i, (one, rate) in enumerate(zip(tasks, rates, strict=True))]
        )

    rates = _rates(p) * len(ORDERS)
    return descent(velocity, starts, 1.0, [0, p.steps])[-1]


def best_wave(one: Task, n: int) -> np.ndarray:
    """The Fourier mode, of either sign, that explains most at its best size; of unit length."""
    modes = np.asarray(fourier_basis(n)).T
    both = np.concatenate([modes, -modes])
    return both[int(np.argmax(_explained(both, one)))]


def _explained(w: np.ndarray, one: Task) -> Any:
    """The share of the label power that a neuron with this field explains at its best size."""
    return 1 - np.asarray(neuron.contrast(w, one).loss) / 0.25


def _inputs(tasks: list[Task], p: Settings) -> Any:
    """One input of the positive class of each case."""
    drawn = [np.asarray(one.positive.sample(jax.random.key(p.seed), 1))[0] for one in tasks]
    values = np.reshape(drawn, (len(ORDERS), len(KINDS), p.n))
    return (("order", "kind", "position"), values, {"long_name": "one input of the positive class"})
