"""One neuron under each condition, committees from two starts, and the first moments from a standard normal start."""

from typing import Annotated, Any

import jax
import numpy as np
import xarray as xr
from pydantic import Field

from gatefield.core.grid import Grid
from gatefield.data import Gaussian, NonlinearGP, Task
from gatefield.experiments.by_seed import train_by_seed
from gatefield.experiments.fields.conditions.changes import CHANGES, Change, learning_rate
from gatefield.experiments.fields.conditions.early import EXPLAINED, early
from gatefield.experiments.fields.training import PACE, Conditions
from gatefield.experiments.orders import Pairs, pair_names
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Gains, Rate, Seed, Several
from gatefield.measures import ipr
from gatefield.theory import nlgp, relu

SURVIVES = 0.3
"""From which IPR on localization has survived a change: that of three or four equal sites."""


class Settings(Parameters):
    """One neuron for each condition, pair of length scales (positive, negative class), gain and seed; `units` in a committee.

    The first moments are `early_steps` steps, for the first pair. `samples` inputs of each class stand for its law.
    """

    n: Annotated[Count, Field(ge=8)] = 40
    pairs: Pairs = ((2.0, 1.0), (1.0, 2.0))
    gains: Gains = (0.01, 3.0, float("inf"))
    units: Several = 8
    learning_rate: Rate = 0.1
    batch_size: Count = 1_000
    steps: Count = 40_000
    record_every: Count = 100
    early_steps: Annotated[int, Field(ge=20)] = 1_000
    samples: Count = 100_000
    seeds: Count = 32
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    parts = [_paths(_train(p, bench, name, change), change) for name, change in CHANGES.items()]
    record = xr.concat(parts, xr.Variable("condition", list(CHANGES)))
    record["explained"] = (("condition", "pair", "gain", "seed"), _explained(p, record.end.values))
    both = [_train(p, bench, name, change, p.units) for name, change in _committees(p).items()]
    record = xr.merge([record, _committee_ends(both), _on_the_line(p), early(p, bench)])
    xi1, xi0 = np.asarray(p.pairs).T
    record = record.assign_coords(
        time=("step", both[0].time.values / p.units, {"units": "tau", "long_name": "time of the baseline"}),
        xi1=("pair", xi1, {"units": "site"}),
        xi0=("pair", xi0, {"units": "site"}),
    )
    return _named(record.assign_attrs(steps=p.steps, batch_size=p.batch_size, early_steps=p.early_steps))


def _committees(p: Settings) -> dict[str, Change]:
    """Each unit's share of the output is 1/K, so that it learns K times slower."""
    return {
        "committee": Change("committee", rate=p.units),
        "committee-basis": Change("committee", Conditions(init="basis"), rate=p.units),
    }


def _train(p: Settings, bench: Bench, name: str, change: Change, units: int = 1) -> xr.Dataset:
    """All pairs, gains and seeds at once; a seed has the same start and draws the same batches everywhere."""
    grid = Grid(pair=pair_names(p.pairs), gain=p.gains, seed=p.seeds)
    how, xis = change.conditions, grid.share(np.asarray(p.pairs), over="pair").T
    positive, negative = (NonlinearGP(p.n, xi, grid.gain, boundary=how.boundary) for xi in xis)
    rate = learning_rate(change, p.learning_rate, p.steps)
    more: Any = {"units": units, "learning_rate": rate, "net": how.net, "training": how.training}
    return train_by_seed(bench, name, Task(positive, negative), grid, p, **more)


def _paths(record: xr.Dataset, change: Change) -> xr.Dataset:
    """The IPR over time, from when on it is that of a localized field, and the field at the end."""
    fields = record.fields.isel(unit=0)
    path = ipr(fields).reset_coords(drop=True)
    at = since(path.values >= SURVIVES)
    last = path.isel(step=-1, drop=True)
    scale = PACE[change.conditions.optimizer]
    end = fields.isel(step=-1, drop=True).astype(float)
    return xr.Dataset(
        {
            "ipr": path,
            "localized_step": last.copy(data=record.step.values[at]).where(last >= SURVIVES),
            "localized_at": last.copy(data=scale * record.time.values[at]).where(last >= SURVIVES),
            "end": end,
            "end_ipr": last,
            "end_size": (end.dims[:-1], np.linalg.norm(end.values, axis=-1)),
            "end_loss": record.loss.drop_vars("time").isel(step=slice(-max(1, record.sizes["step"] // 10), None)).mean("step"),
        },
        {"step": record.step, **{name: record[name] for name in ("pair", "gain", "seed")}},
    )


def since(holds: np.ndarray) -> np.ndarray:
    """From which place on, along the last axis, something holds to the end; the last place if it does not.

    >>> since(np.array([[False, True, False, True, True], [True] * 5, [True] * 4 + [False]])).tolist()
    [3, 0, 4]
    """
    last = holds.shape[-1] - 1
    return np.where(holds.all(-1), 0, np.minimum(last + 1 - (~holds)[..., ::-1].argmax(-1), last))


def _explained(p: Settings, ends: np.ndarray) -> np.ndarray:
    """The squared correlation of the neuron's output with the label, on samples of both classes."""
    grid = Grid(pair=len(p.pairs), gain=p.gains)
    xis, key = grid.share(np.asarray(p.pairs), over="pair").T, jax.random.fold_in(jax.random.key(p.seed), EXPLAINED)
    out = np.empty(ends.shape[:-1])
    for boundary in ("ring", "line"):
        which = [change.conditions.boundary == boundary for change in CHANGES.values()]
        positive, negative = (NonlinearGP(p.n, xi, grid.gain, boundary=boundary).sample(key, p.samples) for xi in xis)
        for (i, g), x1, x0 in zip(np.ndindex(grid.shape), positive, negative, strict=True):
            out[which, i, g] = explained(ends[which, i, g], np.asarray(x1, float), np.asarray(x0, float))
    return out


def explained(fields: np.ndarray, x1: np.ndarray, x0: np.ndarray) -> np.ndarray:
    """Squared correlation of ReLU(<w, x>) with the class, which has one half of all inputs; x1 and x0 are (samples, n).

    >>> explained(np.eye(2), np.array([[1.0, 2.0], [-1.0, -2.0]]), np.array([[1.0, 1.0], [-1.0, -1.0]])).round(4).tolist()
    [0.0, 0.0909]
    """
    y1, y0 = (np.maximum(x @ fields.reshape(-1, fields.shape[-1]).T, 0.0) for x in (x1, x0))
    apart, mean = y1.mean(0) - y0.mean(0), (y1.mean(0) + y0.mean(0)) / 2
    variance = (y1**2).mean(0) / 2 + (y0**2).mean(0) / 2 - mean**2
    return (apart**2 / (4 * variance)).reshape(fields.shape[:-1])


def _committee_ends(both: list[xr.Dataset]) -> xr.Dataset:
    """Committees from a random start and from basis vectors: IPR of each unit, and whether its largest entry has stayed."""
    fields: Any = xr.concat([record.fields.drop_vars("time") for record in both], xr.Variable("start", ["random", "basis"]))
    largest = np.abs(fields.isel(step=[0, -1])).argmax("position")
    end = fields.isel(step=-1, drop=True)
    stays = (largest.isel(step=0) == largest.isel(step=1)).transpose(*end.dims[:-1])
    return xr.Dataset({"committee_ipr": ipr(end), "committee_stays": stays.drop_vars("step", errors="ignore")})


def _on_the_line(p: Settings) -> xr.Dataset:
    """For the first pair on the open line: the attracting mode of Gaussian data, and the loss of a bump on each site."""
    modes, losses = [], []
    for gain in p.gains:
        cov1, cov0 = (NonlinearGP(p.n, xi, gain, boundary="line").covariance() for xi in p.pairs[0])
        modes.append(relu.generalised_modes(cov1, cov0)[1][:, 0])
        drifts = np.asarray(nlgp.half_gate_mean(Gaussian(p.n, p.pairs[0][0], boundary="line").covariance(), gain))
        losses.append(bump_losses(drifts, np.asarray(cov1 + cov0)))
    return xr.Dataset({"line_mode": (("gain", "position"), modes), "line_loss": (("gain", "position"), losses)})


def bump_losses(drifts: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Losses 1/4 - f'(S0 + S1)^-1 f/2 of the best fields behind gates of drifts f, one in each row; total is S0 + S1."""
    return 0.25 - np.einsum("ij,ij->i", drifts, np.linalg.solve(total, drifts.T).T) / 2


def _named(record: xr.Dataset) -> xr.Dataset:
    words: dict[str, Any] = {
        "ipr": "inverse participation ratio",
        "localized_step": f"step from which on the IPR is at least {SURVIVES:g}",
        "localized_at": f"time from which on the IPR is at least {SURVIVES:g}",
        "end": "field at the end",
        "end_ipr": "IPR at the end",
        "end_size": "|w| at the end",
        "end_loss": "loss, mean over the last tenth of the records",
        "explained": "squared correlation of the output with the label",
        "committee_ipr": "IPR of each unit of a committee at the end",
        "committee_stays": "whether the largest entry is where it was at the start",
        "line_mode": "attracting mode of Gaussian data on the open line",
        "line_loss": "loss of the best field behind the gate of one site of the open line",
    }
    for name, text in words.items():
        record[name].attrs["long_name"] = text
    record.localized_at.attrs["units"] = "tau"
    record.localized_step.attrs["units"] = "step"
    return record
