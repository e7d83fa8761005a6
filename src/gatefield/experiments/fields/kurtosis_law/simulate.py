"""Neurons trained on many laws in three orders of their ranges, beside what three rules would say of each."""

from typing import Annotated, Any

import jax
import numpy as np
import pydantic
import xarray as xr
from pydantic import AfterValidator

from gatefield.core.errors import UserError
from gatefield.core.grid import Grid
from gatefield.data import SinglePulse, Task, fourier_basis
from gatefield.experiments.by_seed import train_by_seed
from gatefield.experiments.fields.kurtosis_law.laws import known, of_site, source
from gatefield.experiments.together import cloned, listed
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, LengthScale, Rate, Seed
from gatefield.measures import ipr
from gatefield.theory import drift, neuron

ORDERS = {"long": (True, False), "short": (False, True), "equal": (False, False)}
"""Whether the positive and the negative class have the longer range; with equal ranges the classes are the same."""
BUMPS = (0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 16.0)
"""Standard deviations, in sites, of Gaussian bumps between one site and a flat field."""
GAUSSIAN = 2 / np.pi
"""The sharpness of a Gaussian."""


class Settings(Parameters):
    """One neuron for each law, order and seed, on the data and on their Gaussian clones, from the same starts.

    A law is "gain:3" (the nonlinear Gaussian process of that gain), "uniform", "laplace", "algebraic:5", "levels:0.5" (-1, 0
    and 1, half of the time not 0), "ising" or "pulse". `coupling_*` are those of the Ising ring; `wide` and `narrow` the least
    and greatest widths of pulses, with complement and centred. `samples` are for what is not known exactly.
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
    steps: Count = 6_000
    record_every: Count = 600
    seeds: Count = 8
    samples: Count = 262_144
    seed: Seed = 0

    @pydantic.model_validator(mode="after")
    def _ordered(self) -> "Settings":
        pairs = {"xi": (self.xi_long, self.xi_short), "coupling": (self.coupling_long, self.coupling_short)}
        for name, (long, short) in pairs.items():
            if long <= short:
                raise UserError(f"{name}_long must exceed {name}_short, but they are {long:g} and {short:g}; change one of them.")
        for widths in (self.wide, self.narrow):
            SinglePulse(self.n, widths)  # which says what is wrong
        return self


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    tasks = {law: {order: _task(law, p, *sides) for order, sides in ORDERS.items()} for law in p.laws}
    parts = [_train(bench, law, list(tasks[law].values()), p) for law in p.laws]
    data = xr.concat(parts, xr.IndexVariable("law", list(p.laws)), combine_attrs="drop_conflicts")
    every = [task for law in p.laws for task in tasks[law].values()]
    grid = Grid(law=p.laws, order=tuple(ORDERS), seed=p.seeds)
    clones = train_by_seed(bench, "clone", cloned(every, p.seeds), grid, p)
    record = xr.concat([data, clones], xr.IndexVariable("data", ["data", "clone"]), combine_attrs="drop_conflicts")
    record["ipr"] = (record.fields.dims[:-1], ipr(record.fields.values), {"long_name": "inverse participation ratio"})
    ends = data.fields.isel(step=-1, unit=0).values.astype(float)
    return record.assign({**_sites(p), **_scores(every, ends.reshape(-1, p.seeds, p.n), p)})


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
    """Sharpness and rivalry of bumps, waves, one-site states and trained fields, for each law and order."""
    bumps, waves = _bumps(p.n), np.asarray(fourier_basis(p.n)).T[_one_phase(p.n)]
    found = [_case(one, i, np.concatenate([bumps, waves]), trained, p) for i, (one, trained) in enumerate(zip(tasks, ends))]
    dims: dict[str, tuple[str, ...]] = {"bump_sharpness": ("bump",), "bump_rivalry": ("bump",)}
    dims |= dict.fromkeys(("trained_sharpness", "trained_rivalry", "trained_loss", "best_loss"), ("seed",))
    lead, shape = ("law", "order"), (len(p.laws), len(ORDERS))
    data: dict[str, Any] = {
        name: ((*lead, *dims.get(name, ())), np.reshape([case[name] for case in found], (*shape, *np.shape(found[0][name]))))
        for name in found[0]
    }
    data["bump"] = ("bump", list(BUMPS), {"units": "site", "long_name": "standard deviation of a Gaussian bump"})
    data["bump_ipr"] = ("bump", ipr(bumps), {"long_name": "IPR of the bump"})
    return data


def _case(one: Task, number: int, fixed: np.ndarray, trained: np.ndarray, p: Settings) -> dict[str, Any]:
    """Of one law and order: scores c^2/D at fresh samples, so that none was chosen for the noise of its own."""
    keys = jax.random.split(jax.random.fold_in(jax.random.key(p.seed), number), 3)
    site = site_state(one, keys[0], p.samples)
    found = neuron.contrast(np.concatenate([fixed, [site], trained]), one, key=keys[1], samples=p.samples)
    score, bumps, waves = found.sharpness / found.rivalry, len(BUMPS), len(fixed)
    return {
        "bump_sharpness": found.sharpness[:bumps],
        "bump_rivalry": found.rivalry[:bumps],
        "wave_score": score[bumps:waves].max(),
        "wave": float(np.argmax(score[bumps:waves])),
        "site_score": score[waves],
        "site_ipr": float(ipr(site)),
        "trained_sharpness": found.sharpness[waves + 1 :],
        "trained_rivalry": found.rivalry[waves + 1 :],
        "best_loss": found.loss[waves + 1 :],
        "trained_loss": _losses(one, trained, keys[2], p.samples),
    }


def site_state(one: Task, key: Any, samples: int) -> np.ndarray:
    """The field of least squares behind the gate of one site, (S0 + S1)^-1 f(e_i) up to its size."""
    n = one.n
    total = one.positive.covariance() + one.negative.covariance()
    return np.linalg.solve(total, drift(one.positive, np.eye(n)[n // 2], key=key, samples=samples))


def _losses(one: Task, fields: np.ndarray, key: Any, samples: int) -> np.ndarray:
    """Half the mean squared error of each field as it was trained, on samples of its own."""
    halves = []
    for source, label, part in zip((one.positive, one.negative), (1.0, 0.0), jax.random.split(key), strict=True):
        x = np.asarray(source.sample(part, max(2, samples // 8)), np.float32)
        halves.append(((np.maximum(x @ fields.T.astype(np.float32), 0) - label) ** 2).mean(axis=0, dtype=float))
    return np.mean(halves, axis=0) / 2


def _bumps(n: int) -> np.ndarray:
    """Gaussian bumps on a ring, from about one site to nearly flat."""
    apart = (np.arange(n) + n // 2) % n - n // 2
    return np.exp(-((apart / np.array(BUMPS)[:, None]) ** 2) / 2)


def _one_phase(n: int) -> np.ndarray:
    """Places in the Fourier basis of one mode for each frequency; on a ring its other phase scores the same."""
    return np.array([0, *range(1, n, 2)])
