"""Committees of saturating units, trained from several starts; what is read off their fields; and the exact flow."""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
import pydantic
import xarray as xr

from gatefield.core.errors import UserError
from gatefield.core.grid import Grid
from gatefield.data import NonlinearGP, Task
from gatefield.dynamics import flow
from gatefield.experiments.orders import squashed_task
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Gain, LengthScale, Rate, Seed
from gatefield.measures import ipr
from gatefield.nets import Committee
from gatefield.theory import erf

STARTS = ("xavier", "positive")
BIASES = ("zero", "given")
SIGNS = (-1.0, 1.0)
LABELS = (1.0, -1.0)
SIGMOID_PACE = 8.0
"""Logistic units give half the output of erf ones at a smaller slope; with this factor on the rate they learn as fast."""


class Settings(Parameters):
    """Committees of `units`, for each gain, start of the fields, start of the biases, and seed.

    The mean over units divides each unit's gradient by their number, so that the learning rate is `rate_per_unit` times
    `units`; the output bias takes whole steps of that size, which must therefore stay below 2. Given biases are normal with
    standard deviation `bias_spread`.
    """

    n: Count = 40
    units: Count = 20
    xi1: LengthScale = 2.0
    xi0: LengthScale = 1.0
    gaussian_gain: Gain = 0.01
    gain: Gain = 3.0
    bias_spread: Rate = 1.0
    rate_per_unit: Rate = 0.025
    batch_size: Count = 1_000
    steps: Count = 8_000
    record_every: Count = 400
    seeds: Count = 8
    seed: Seed = 0

    @pydantic.model_validator(mode="after")
    def _settles(self) -> "Settings":
        rate = self.rate_per_unit * self.units
        if rate >= 2:
            raise UserError(
                f"rate_per_unit times units must be below 2, or the output bias never settles, but is {rate:g}; "
                "lower rate_per_unit."
            )
        return self


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    gains = (p.gaussian_gain, p.gain)
    record = _train_erf(bench, gains, p)
    record = record.assign(_spectra(gains, p))
    record = record.assign(_read(record.isel(step=-1, drop=True), record))
    sigmoid = _train_sigmoid(bench, gains, p).isel(step=-1, drop=True)
    balanced = _train_balanced(bench, p).isel(step=-1, drop=True)
    for name, other, spectra in [("sigmoid", sigmoid, record), ("balanced", balanced, record.isel(gain=1, drop=True))]:
        seen = {"fields": other.fields, "bias": other.bias, **_read(other, spectra)}
        record = record.assign({f"{name}_{key}": value for key, value in seen.items()})
    record["push"] = _push(record.fields.isel(step=0), gains, p)
    return record.assign(_flow(record, p)).assign_attrs(xi1=p.xi1, xi0=p.xi0)


def _keys(p: Settings) -> Any:
    """Of the initial fields, of the given biases, and of the training."""
    return jax.random.split(jax.random.key(p.seed), 3)


def _fields(p: Settings) -> np.ndarray:
    """Initial fields, (start, seed, unit, position)."""
    keys = jax.random.split(_keys(p)[0], p.seeds)
    return np.stack([np.asarray(Committee(p.n, p.units, init=start, key=keys).fields) for start in STARTS])


def _biases(p: Settings) -> np.ndarray:
    """Initial biases, (biases, seed, unit)."""
    given = p.bias_spread * np.asarray(jax.random.normal(_keys(p)[1], (p.seeds, p.units)))
    return np.stack([np.zeros_like(given), given])


def _train(bench: Bench, part: str, grid: Grid, net: Committee, task: Task, p: Settings, *, pace: float = 1.0) -> xr.Dataset:
    """Train committees, one for each run of the grid; keys depend on the seed alone."""
    return bench.train(
        part,
        net,
        task,
        steps=p.steps,
        batch_size=p.batch_size,
        learning_rate=pace * p.rate_per_unit * p.units,
        record_every=p.record_every,
        key=grid.share(jax.random.split(_keys(p)[2], p.seeds), over="seed"),
        runs=grid,
    ).record


def _train_erf(bench: Bench, gains: tuple[float, float], p: Settings) -> xr.Dataset:
    grid = Grid(gain=gains, start=STARTS, biases=BIASES, seed=p.seeds)
    fields, biases = grid.share(_fields(p), over=("start", "seed")), grid.share(_biases(p), over=("biases", "seed"))
    net = Committee(p.n, p.units, activation="erf", init=fields, bias=True, bias_init=biases, output_bias=True)
    return _train(bench, "erf", grid, net, squashed_task(p, grid.gain, labels=LABELS), p)


def _train_balanced(bench: Bench, p: Settings) -> xr.Dataset:
    """Without an output bias, from zero biases, on squashed data."""
    grid = Grid(start=STARTS, seed=p.seeds)
    fields = grid.share(_fields(p), over=("start", "seed"))
    net = Committee(p.n, p.units, activation="erf", init=fields, bias=True)
    return _train(bench, "balanced", grid, net, squashed_task(p, np.full(len(grid), p.gain), labels=LABELS), p)


def _train_sigmoid(bench: Bench, gains: tuple[float, float], p: Settings) -> xr.Dataset:
    """Logistic units, Xavier fields and zero biases; labels (1, 0), so that the mean of outputs can reach both."""
    grid = Grid(gain=gains, seed=p.seeds)
    fields = grid.share(_fields(p)[STARTS.index("xavier")], over="seed")
    net = Committee(p.n, p.units, activation="sigmoid", init=fields, bias=True)
    return _train(bench, "sigmoid", grid, net, squashed_task(p, grid.gain, labels=(1.0, 0.0)), p, pace=SIGMOID_PACE)


def _covariances(gains: Sequence[float], p: Settings) -> tuple[np.ndarray, np.ndarray]:
    cov1, cov0 = (np.asarray(NonlinearGP(p.n, xi, gains).covariance()) for xi in (p.xi1, p.xi0))
    return cov1, cov0


def _spectra(gains: tuple[float, float], p: Settings) -> dict[str, Any]:
    """Spectra of both classes, and how fast a unit by itself amplifies each frequency near zero fields, if biases balance."""
    lam1, lam0 = (np.fft.rfft(cov[:, 0]).real for cov in _covariances(gains, p))
    pairs = zip(lam1, lam0, strict=True)
    rates = [p.units * erf.linear_rates(np.array(SIGNS), a, b, LABELS, readout=1 / p.units) for a, b in pairs]
    alone = np.stack([np.diagonal(rate, axis1=1, axis2=2) for rate in rates])
    return {
        "frequency": ("frequency", np.arange(lam1.shape[-1]), {"units": "cycles per ring"}),
        "sign": ("sign", list(SIGNS), {"long_name": "bias of the unit"}),
        "spectrum1": (("gain", "frequency"), lam1, {"long_name": "spectrum of the positive class"}),
        "spectrum0": (("gain", "frequency"), lam0, {"long_name": "spectrum of the negative class"}),
        "rate": (("gain", "frequency", "sign"), alone, {"units": "1/(units tau)", "long_name": "growth rate of small fields"}),
    }


def _read(end: xr.Dataset, record: xr.Dataset) -> dict[str, xr.DataArray]:
    """What is read off final fields: IPR, peak frequency, and the energy's share in the modes that the linear stage names."""
    fields, bias = end.fields, end.bias
    power = np.abs(np.fft.rfft(fields.values, axis=-1)) ** 2 * np.where(_paired(fields.sizes["position"]), 2.0, 1.0)
    energy = xr.DataArray(power / power.sum(-1, keepdims=True), dims=(*fields.dims[:-1], "frequency"))
    named = (record.spectrum1 > record.spectrum0) == (bias < 0)
    return {
        "ipr": ipr(fields),
        "peak_frequency": energy.argmax("frequency").assign_attrs(units="cycles per ring"),
        "named_share": (energy * named).sum("frequency").transpose(*fields.dims[:-1]),
        "oscillates": (record.spectrum1 < record.spectrum0).isel(frequency=energy.argmax("frequency")).drop_vars("frequency"),
    }


def _paired(n: int) -> np.ndarray:
    """Which frequencies have both a cosine and a sine."""
    k = np.arange(n // 2 + 1)
    return (k > 0) & (2 * k != n)


def _push(fields: xr.DataArray, gains: tuple[float, float], p: Settings) -> xr.DataArray:
    """w'(C1 - C0)w of the initial fields: a bias that starts at zero first moves against its sign."""
    cov1, cov0 = _covariances(gains, p)
    values = np.einsum("g...i,gij,g...j->g...", fields.values, cov1 - cov0, fields.values, optimize=True)
    return xr.DataArray(values, dims=fields.dims[:-1], attrs={"long_name": "w'(C1 - C0)w of the initial field"})


def _flow(record: xr.Dataset, p: Settings) -> dict[str, Any]:
    """Where the exact flow on Gaussian data ends, for every start, and its cosine with each trained field."""
    first, last = (record.isel(gain=0, step=step, drop=True) for step in (0, -1))
    cov1, cov0 = (cov[0] for cov in _covariances([p.gaussian_gain], p))
    start = tuple(first[name].values.reshape(-1, *first[name].shape[3:]) for name in ("fields", "bias", "output_bias"))
    times = [0.0, float(record.time[-1])]
    path = flow(
        lambda W, b, output_bias: erf.velocity(W, b, output_bias, cov1, cov0, LABELS), start, times, rtol=1e-6, atol=1e-9
    )
    ends = {name: path[name].isel(time=-1).values.reshape(first[name].shape) for name in ("fields", "bias")}
    fields = xr.DataArray(ends["fields"], dims=last.fields.dims)
    size = [(w.astype(float) ** 2).sum("position") ** 0.5 for w in (last.fields, fields)]
    return {
        "flow_fields": fields.assign_attrs(long_name="final fields of the Gaussian flow"),
        "flow_bias": xr.DataArray(ends["bias"], dims=last.bias.dims, attrs={"long_name": "final biases of the Gaussian flow"}),
        "flow_cosine": (last.fields * fields).sum("position") / (size[0] * size[1]),
    }
