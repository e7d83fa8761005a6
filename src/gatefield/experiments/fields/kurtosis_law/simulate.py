"""Neurons trained on many laws in three orders of their ranges, beside what four rules would say of each."""

from typing import Annotated, Any

import equinox as eqx
import jax
import numpy as np
import pydantic
import xarray as xr
from pydantic import AfterValidator

from gatefield.core.errors import UserError
from gatefield.core.grid import Grid
from gatefield.data import SinglePulse, Source, Task, fourier_basis
from gatefield.experiments.by_seed import train_by_seed
from gatefield.experiments.fields.kurtosis_law.laws import known, of_site, source
from gatefield.experiments.together import cloned, listed
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, LengthScale, Rate, Seed
from gatefield.measures import ipr
from gatefield.theory import drift, neuron

ORDERS = {"long": (True, False), "short": (False, True), "equal": (False, False)}
"""Whether the positive and the negative class have the longer range; with equal ranges the classes are the same."""
WIDTHS = (16.0, 8.0, 5.0, 3.0, 2.0, 1.5, 1.0, 0.7, 0.5, 0.3)
"""Standard deviations, in sites, of Gaussian envelopes, from nearly none to one site."""


class Settings(Parameters):
    """One neuron for each law, order and seed, on the data and on their Gaussian clones, from the same starts.

    A law is "gain:3" (the nonlinear Gaussian process of that gain), "uniform", "laplace", "algebraic:5", "levels:0.5" (-1, 0
    and 1, half of the time not 0), "ising" or "pulse". `coupling_*` are those of the Ising ring; `wide` and `narrow` the least
    and greatest widths of pulses, with complement and centred. `samples` are for what is not known exactly; of the seeds, the
    clones have the first `clone_seeds`.
    """

    n: Count = 40
    xi_long: LengthScale = 2.0
    xi_short: LengthScale = 1.0
    coupling_long: Rate = 0.65
    coupling_short: Rate = 0.25
    wide: tuple[Count, Count] = (12, 20)
    narrow: tuple[Count, Count] = (2, 10)
    laws: Annotated[tuple[str, ...], AfterValidator(known)] = (
        "gain:0.1",
        "gain:0.3",
        "gain:0.6",
        "gain:1",
        "gain:3",
        "gain:inf",
        "uniform",
        "laplace",
        "algebraic:5",
        "algebraic:6",
        "algebraic:12",
        "levels:0.5",
        "levels:0.6",
        "levels:0.8",
        "ising",
        "pulse",
    )
    learning_rate: Rate = 0.1
    batch_size: Count = 1_000
    steps: Count = 8_000
    record_every: Count = 800
    seeds: Count = 8
    clone_seeds: Count = 4
    samples: Count = 262_144
    seed: Seed = 0

    @pydantic.model_validator(mode="after")
    def _ordered(self) -> "Settings":
        pairs = {"xi": (self.xi_long, self.xi_short), "coupling": (self.coupling_long, self.coupling_short)}
        for name, (long, short) in pairs.items():
            if long <= short:
                raise UserError(
                    f"{name}_long must exceed {name}_short, but they are {long:g} and {short:g}; change one of them."
                )
        for widths in (self.wide, self.narrow):
            SinglePulse(self.n, widths)  # which says what is wrong
        return self


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    tasks = {law: {order: _task(law, p, *sides) for order, sides in ORDERS.items()} for law in p.laws}
    parts = [_train(bench, law, list(tasks[law].values()), p) for law in p.laws]
    record = xr.concat(parts, xr.IndexVariable("law", list(p.laws)), combine_attrs="drop_conflicts")
    record["ipr"] = ipr(record.fields)
    every = [task for law in p.laws for task in tasks[law].values()]
    ends = record.fields.isel(step=-1, unit=0).values.astype(float)
    scores = _scores(every, ends.reshape(-1, p.seeds, p.n), p)
    return record.assign({**_sites(p), **scores, "clone_ipr": _clones(bench, every, p)})


def _clones(bench: Bench, tasks: list[Task], p: Settings) -> Any:
    """The final IPR of neurons on the Gaussian clones of all tasks."""
    few = p.model_copy(update={"seeds": p.clone_seeds})
    grid = Grid(law=p.laws, order=tuple(ORDERS), seed=p.clone_seeds)
    clones = train_by_seed(bench, "clone", cloned(tasks, p.clone_seeds), grid, few)
    values = ipr(clones.fields.isel(step=-1, unit=0).values)
    return (("law", "order", "clone_seed"), values, {"long_name": "IPR at the end, on Gaussian clones"})


def _task(law: str, p: Settings, positive: Any, negative: Any) -> Task:
    return Task(source(law, p, positive), source(law, p, negative))


def _train(bench: Bench, law: str, tasks: list[Task], p: Settings) -> xr.Dataset:
    """All orders of one law at once."""
    grid = Grid(order=tuple(ORDERS), seed=p.seeds)
    if law == "pulse":  # whose widths are no numbers that runs could differ in
        return train_by_seed(bench, law, listed(tasks, p.seeds), grid, p)
    positive, negative = grid.share(np.array(list(ORDERS.values())), over="order").T
    return train_by_seed(bench, law.replace(":", "="), _task(law, p, positive, negative), grid, p)


def _sites(p: Settings) -> dict[str, Any]:
    """What is known of one site of each law."""
    sites = [of_site(law) for law in p.laws]
    return {
        "kurtosis": ("law", [float(site.kurtosis) for site in sites], {"long_name": "excess kurtosis of a site"}),
        "sharpness": ("law", [float(site.sharpness) for site in sites], {"long_name": "(E|x|)^2/E x^2 of a site"}),
    }


def _scores(tasks: list[Task], ends: np.ndarray, p: Settings) -> dict[str, Any]:
    """Scores c^2/D of waves, packets of the best one, one-site states and trained fields, for each law and order."""
    found = [_case(one, i, trained, p) for i, (one, trained) in enumerate(zip(tasks, ends, strict=True))]
    dims: dict[str, tuple[str, ...]] = dict.fromkeys(("packet_score", "packet_sharpness", "packet_ipr"), ("width",))
    dims |= dict.fromkeys(("trained_score", "trained_loss", "best_loss"), ("seed",))
    shape = (len(p.laws), len(ORDERS))
    data: dict[str, Any] = {
        name: (("law", "order", *dims.get(name, ())), np.reshape([case[name] for case in found], (*shape, *np.shape(value))))
        for name, value in found[0].items()
    }
    data["width"] = ("width", list(WIDTHS), {"units": "site", "long_name": "standard deviation of the envelope"})
    return data


def _case(one: Task, number: int, trained: np.ndarray, p: Settings) -> dict[str, Any]:
    """Of one law and order; what was chosen on some samples is scored on others."""
    keys = jax.random.split(jax.random.fold_in(jax.random.key(p.seed), number), 3)
    place, wave, site = _best_wave_and_site(one, keys[0], p)
    packets = wave * _envelopes(p.n)
    fields = np.concatenate([packets, [wave, site], trained])
    rows = max(len(fields), len(_waves(p.n)) + 1)  # filled up, so that the drift is compiled once
    found = neuron.contrast(np.resize(fields, (rows, p.n)), one, key=keys[1], samples=p.samples)
    score, first = found.sharpness / found.rivalry, len(packets)
    return {
        "wave": float(place),
        "packet_score": score[:first],
        "packet_sharpness": found.sharpness[:first],
        "packet_ipr": ipr(packets),
        "wave_score": score[first],
        "wave_ipr": float(ipr(wave)),
        "site_score": score[first + 1],
        "site_ipr": float(ipr(site)),
        "trained_score": score[first + 2 : len(fields)],
        "best_loss": found.loss[first + 2 : len(fields)],
        "trained_loss": _losses(one, trained, keys[2], p.samples),
    }


def _best_wave_and_site(one: Task, key: Any, p: Settings) -> tuple[int, np.ndarray, np.ndarray]:
    """The frequency of the wave of largest score, that wave, and the field behind the gate of one site.

    That field is (S0 + S1)^-1 f(e_i) up to its size. For classes symmetric about zero, the score of w is
    4 <w, f(w)>^2 / <w, (S0 + S1) w>.
    """
    waves, total = _waves(p.n), one.positive.covariance() + one.negative.covariance()
    drifts = drift(one.positive, np.concatenate([waves, np.eye(p.n)[:1]]), key=key, samples=p.samples)
    score = np.sum(waves * drifts[:-1], axis=1) ** 2 / np.einsum("wi,ij,wj->w", waves, total, waves)
    best = int(np.argmax(score))
    return best, waves[best], np.linalg.solve(total, drifts[-1])


def _losses(one: Task, fields: np.ndarray, key: Any, samples: int) -> np.ndarray:
    """Half the mean squared error of each field as it was trained, on samples of its own."""
    halves = []
    for law, label, part in zip((one.positive, one.negative), (1.0, 0.0), jax.random.split(key), strict=True):
        x = np.asarray(_drawn(law, part, max(2, samples // 2)), np.float32)
        halves.append(((np.maximum(x @ fields.T.astype(np.float32), 0) - label) ** 2).mean(axis=0, dtype=float))
    return np.mean(halves, axis=0) / 2


@eqx.filter_jit
def _drawn(law: Source, key: Any, size: int) -> Any:
    """Samples, compiled once for each kind of source."""
    return law.sampler()(key, size)


def _envelopes(n: int) -> np.ndarray:
    """Gaussian bumps on a ring, around site 0."""
    apart = (np.arange(n) + n // 2) % n - n // 2
    return np.exp(-((apart / np.array(WIDTHS)[:, None]) ** 2) / 2)


def _waves(n: int) -> np.ndarray:
    """One mode for each frequency, the one with its peak at site 0; on a ring its other phase scores the same."""
    return np.asarray(fourier_basis(n)).T[[0, *range(1, n, 2)]]
