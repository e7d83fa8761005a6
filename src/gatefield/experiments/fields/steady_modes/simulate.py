"""Exact paths of a single neuron on Gaussian data, SGD from the same starts, and what the theory says of the end."""

from typing import Annotated, Any

import jax
import numpy as np
import xarray as xr
from pydantic import Field

from gatefield.core.grid import Grid
from gatefield.data import Gaussian, Task, fourier_basis, ring_spectrum
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, LengthScale, Rate, Seed
from gatefield.nets import Committee
from gatefield.theory import relu

PER_DECADE = 25
"""Recorded times."""


class Settings(Parameters):
    """Pairs (xi1, xi0) of length scales; exact paths to `horizon` tau, and SGD over the note's own horizon."""

    n: Count = 40
    pairs: Annotated[tuple[tuple[LengthScale, LengthScale], ...], Field(min_length=1)] = ((2.0, 1.0), (1.0, 2.0), (5.0, 2.0))
    starts: Count = 16
    horizon: Rate = 1e6
    learning_rate: Rate = 0.01
    batch_size: Count = 10_000
    steps: Count = 2_000
    trained: Count = 4
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    start_key, train_key = jax.random.split(jax.random.key(p.seed))
    starts = np.asarray(Committee(p.n, 1, key=jax.random.split(start_key, p.starts)).fields, float)[:, 0]
    note_time = p.learning_rate * p.steps
    times = np.unique(np.append(_times(p.horizon), note_time))
    energy = np.array([[_energy(_path(u0, *pair, times)) for u0 in starts @ fourier_basis(p.n)] for pair in p.pairs])
    trained = _train(p, bench, starts[: min(p.trained, p.starts)], train_key)
    lead = ("pair", "start", "time")
    sgd = _energy(trained.fields.isel(unit=0).values.astype(float) @ fourier_basis(p.n))
    data = {
        "share": ((*lead, "frequency"), energy / energy.sum(-1, keepdims=True), {"long_name": "share of the energy"}),
        "frequencies": (lead, _participation(energy), {"long_name": "participation ratio of frequencies"}),
        "size": (lead, np.sqrt(energy.sum(-1)), {"long_name": "norm of the field"}),
        "sgd_frequencies": (("pair", "trained", "sgd_time"), _participation(sgd)),
        "sgd_size": (("pair", "trained", "sgd_time"), np.sqrt(sgd.sum(-1)), {"long_name": "norm of the field, by SGD"}),
        **_predictions(p),
    }
    coords = {
        "pair": [f"{xi1:g}, {xi0:g}" for xi1, xi0 in p.pairs],
        "xi1": ("pair", [pair[0] for pair in p.pairs], {"units": "site"}),
        "xi0": ("pair", [pair[1] for pair in p.pairs], {"units": "site"}),
        "time": ("time", times, {"units": "tau"}),
        "sgd_time": ("sgd_time", trained.time.values, {"units": "tau"}),
        "frequency": ("frequency", np.arange(energy.shape[-1]), {"units": "cycles per ring"}),
    }
    record = xr.Dataset(data, coords, {**trained.attrs, "kind": "theory and training", "note_time": note_time})
    record["time_scale_measured"] = (("pair", "start"), _measured_time_scale(record), {"units": "tau"})
    return record


def _times(horizon: float) -> np.ndarray:
    return np.geomspace(1.0, horizon, 1 + max(1, round(PER_DECADE * np.log10(horizon))))


def _spectra(n: int, xi1: float, xi0: float) -> tuple[np.ndarray, np.ndarray]:
    """Both classes' variances in the order of the real Fourier basis."""
    order = (np.arange(n) + 1) // 2
    return np.asarray(ring_spectrum(n, xi1))[order], np.asarray(ring_spectrum(n, xi0))[order]


def _path(u0: np.ndarray, xi1: float, xi0: float, times: np.ndarray) -> np.ndarray:
    return np.asarray(relu.single_path(u0, *_spectra(len(u0), xi1, xi0), times))


def _energy(u: np.ndarray) -> np.ndarray:
    """Energy of each frequency, cosine and sine together, from coefficients in the real Fourier basis."""
    n = u.shape[-1]
    sums = np.zeros((n, n // 2 + 1))
    sums[np.arange(n), (np.arange(n) + 1) // 2] = 1.0
    return u**2 @ sums


def _participation(energy: np.ndarray) -> np.ndarray | np.floating:
    """(sum e)^2 / sum e^2: how many frequencies share the energy."""
    share = energy / energy.sum(-1, keepdims=True)
    return 1 / (share**2).sum(-1)


def _predictions(p: Settings) -> dict[str, Any]:
    """What the theory says of each pair: survivor, amplitude (and the printed one), slowest mode and its time scale."""
    rows = []
    for xi1, xi0 in p.pairs:
        lam1, lam0 = _spectra(p.n, xi1, xi0)
        winner = int(relu.winning_mode(lam1, lam0))
        order = (np.arange(p.n) + 1) // 2
        rates = np.where(order == order[winner], -np.inf, relu.growth_rates(winner, lam1, lam0))
        slow = int(np.argmax(rates))
        printed = np.sqrt(np.sqrt(2 / np.pi) / (lam0[winner] + lam1[winner]))
        rows.append((order[winner], relu.steady_amplitude(lam1, lam0)[winner], printed, order[slow], -1 / rates[slow]))
    winner, amplitude, printed, slow, scale = map(np.asarray, zip(*rows, strict=True))
    return {
        "survivor": ("pair", winner, {"units": "cycles per ring"}),
        "amplitude": ("pair", amplitude, {"long_name": "amplitude of the survivor"}),
        "amplitude_printed": ("pair", printed, {"long_name": "amplitude by equation 25 as printed"}),
        "slowest": ("pair", slow, {"units": "cycles per ring", "long_name": "frequency that dies out last"}),
        "time_scale": ("pair", scale, {"units": "tau", "long_name": "time scale of the slowest mode"}),
    }


def _measured_time_scale(record: xr.Dataset) -> np.ndarray:
    """From the slope of the slowest mode's log amplitude, once the survivor has 99.9 % of the energy and until rounding.

    It is -1 where fewer than two recorded times are left.
    """
    scales = np.full((record.sizes["pair"], record.sizes["start"]), -1.0)
    for i, j in np.ndindex(scales.shape):
        shares = record.share.values[i, j]
        slow = shares[:, int(record.slowest[i])]
        late = (shares[:, int(record.survivor[i])] > 0.999) & (slow > 1e-25)
        if late.sum() > 1:
            scales[i, j] = -2 / np.polyfit(record.time.values[late], np.log(slow[late]), 1)[0]
    return scales


def _train(p: Settings, bench: Bench, starts: np.ndarray, key: Any) -> xr.Dataset:
    """SGD from the first starts for every pair."""
    grid = Grid(pair=len(p.pairs), trained=len(starts))
    xi1, xi0 = grid.share(np.asarray(p.pairs), over="pair").T
    return bench.train(
        "sgd",
        Committee(p.n, 1, init=grid.share(starts, over="trained")[:, None]),
        Task(Gaussian(p.n, xi1), Gaussian(p.n, xi0)),
        steps=p.steps,
        batch_size=p.batch_size,
        learning_rate=p.learning_rate,
        record_every=max(1, p.steps // 40),
        key=jax.random.split(key, len(grid)),
        runs=grid,
    ).record
