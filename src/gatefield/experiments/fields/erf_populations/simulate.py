"""Two populations of saturating units: which localize, which oscillate, and what decides."""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
import pydantic
import xarray as xr

from gatefield.core.errors import UserError
from gatefield.core.intervals import Interval, share
from gatefield.data import NonlinearGP, Task
from gatefield.dynamics import flow
from gatefield.experiments.unfold import unfold
from gatefield.lab.bench import Bench
from gatefield.lab.experiment import Parameters
from gatefield.lab.kinds import Count, Gain, LengthScale, Rate, Seed
from gatefield.lab.verdict import Verdict
from gatefield.measures import ipr
from gatefield.nets import Committee
from gatefield.theory import erf

STARTS = ("xavier", "positive")
BIASES = ("zero", "given")
SIGNS = (-1.0, 1.0)
LABELS = (1.0, -1.0)
LOCALIZED = 6.0
"""A unit is localized if its IPR is above 6/n, twice that of a random field."""
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
    gains, seeds = (p.gaussian_gain, p.gain), range(p.seeds)
    record = unfold(_train_erf(bench, gains, p), {"gain": gains, "start": STARTS, "biases": BIASES, "seed": seeds})
    record = record.assign(_spectra(gains, p))
    record = record.assign(_read(record.isel(step=-1, drop=True), record))
    sigmoid = unfold(_train_sigmoid(bench, gains, p), {"gain": gains, "seed": seeds}).isel(step=-1, drop=True)
    balanced = unfold(_train_balanced(bench, p), {"start": STARTS, "seed": seeds}).isel(step=-1, drop=True)
    for name, other, spectra in [("sigmoid", sigmoid, record), ("balanced", balanced, record.isel(gain=1, drop=True))]:
        seen = {"fields": other.fields, "bias": other.bias, **_read(other, spectra)}
        record = record.assign({f"{name}_{key}": value for key, value in seen.items()})
    record["push"] = _push(record.fields.isel(step=0), gains, p)
    return record.assign(_flow(record, p))


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    squashed, gaussian = record.isel(gain=1), record.isel(gain=0)
    return [*_populations(squashed, gaussian), *_theory(record, gaussian), *_decisions(squashed), _sigmoid(squashed)]


def _starts(p: Settings) -> tuple[np.ndarray, np.ndarray]:
    """Initial fields (start, biases, seed, unit, position) and biases (start, biases, seed, unit)."""
    field_key, bias_key, _ = jax.random.split(jax.random.key(p.seed), 3)
    keys = jax.random.split(field_key, p.seeds)
    fields = np.stack([np.asarray(Committee(p.n, p.units, init=start, key=keys).fields) for start in STARTS])
    given = p.bias_spread * np.asarray(jax.random.normal(bias_key, (p.seeds, p.units)))
    biases = np.broadcast_to(np.stack([np.zeros_like(given), given]), (len(STARTS), len(BIASES), *given.shape))
    return np.broadcast_to(fields[:, None], (*biases.shape, p.n)), biases


def _train(bench: Bench, part: str, net: Any, gain: np.ndarray, labels: tuple[float, float], pace: float, p: Settings) -> Any:
    """Train committees, one for each entry of `gain`; keys depend on the seed alone."""
    keys = jax.random.split(jax.random.split(jax.random.key(p.seed), 3)[2], p.seeds)
    return bench.train(
        part,
        net,
        Task(NonlinearGP(p.n, p.xi1, gain), NonlinearGP(p.n, p.xi0, gain), labels=labels),
        steps=p.steps,
        batch_size=p.batch_size,
        learning_rate=pace * p.rate_per_unit * p.units,
        record_every=p.record_every,
        key=jax.numpy.tile(keys, len(gain) // p.seeds),
    ).record


def _committee(activation: str, fields: np.ndarray, bias: Any, output_bias: bool, p: Settings) -> Committee:
    return Committee(
        p.n,
        p.units,
        activation=activation,
        bias=True,
        output_bias=output_bias,
        init=fields.reshape(-1, p.units, p.n),
        bias_init=np.reshape(bias, (-1, p.units)),
        key=jax.random.key(p.seed),
    )


def _train_erf(bench: Bench, gains: tuple[float, float], p: Settings) -> xr.Dataset:
    fields, bias = (np.stack([each] * len(gains)) for each in _starts(p))
    net = _committee("erf", fields, bias, True, p)
    return _train(bench, "erf", net, np.repeat(gains, fields[0, ..., 0, 0].size), LABELS, 1.0, p)


def _train_balanced(bench: Bench, p: Settings) -> xr.Dataset:
    """Without an output bias, from zero biases, on squashed data."""
    fields, bias = (each[:, 0] for each in _starts(p))
    net = _committee("erf", fields, bias, False, p)
    return _train(bench, "balanced", net, np.full(len(STARTS) * p.seeds, p.gain), LABELS, 1.0, p)


def _train_sigmoid(bench: Bench, gains: tuple[float, float], p: Settings) -> xr.Dataset:
    """Logistic units, Xavier fields and zero biases; labels (1, 0), so that the mean of outputs can reach both."""
    fields, bias = (np.stack([each[0, 0]] * len(gains)) for each in _starts(p))
    net = _committee("sigmoid", fields, bias, False, p)
    return _train(bench, "sigmoid", net, np.repeat(gains, p.seeds), (1.0, 0.0), SIGMOID_PACE, p)


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
        "ipr": xr.DataArray(ipr(fields.values), dims=fields.dims[:-1], attrs={"long_name": "inverse participation ratio"}),
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


def _localized(record: xr.Dataset, values: xr.DataArray) -> xr.DataArray:
    return values > LOCALIZED / record.sizes["position"]


def _populations(squashed: xr.Dataset, gaussian: xr.Dataset) -> list[Verdict]:
    bias, localized = squashed.bias.isel(step=-1), _localized(squashed, squashed.ipr)
    at = f"gain {float(squashed['gain']):g}"
    return [
        _verdict(f"units of negative bias localize ({at})", 1.0, share(localized, bias < 0), 0.9),
        _verdict(f"units of positive bias oscillate ({at})", 1.0, share(squashed.oscillates, bias > 0), 0.9),
        _verdict(f"every localized unit has a negative bias ({at})", 1.0, share(bias < 0, localized), 0.99),
        _verdict("no unit localizes on Gaussian data", 1.0, share(~_localized(gaussian, gaussian.ipr)), 0.95),
    ]


def _theory(record: xr.Dataset, gaussian: xr.Dataset) -> list[Verdict]:
    same = np.sign(gaussian.flow_bias) == np.sign(gaussian.bias.isel(step=-1))
    cosine = float(gaussian.flow_cosine.median())
    return [
        _verdict("the linear stage names the frequencies each unit ends with", 1.0, share(record.named_share > 0.5), 0.95),
        _verdict("Gaussian data: the flow gives the sign of each unit's bias", 1.0, share(same), 0.95),
        Verdict.judged(
            "Gaussian data: the flow gives each unit's field",
            1.0,
            cosine,
            "median cosine at least 0.95",
            cosine >= 0.95,
            "over all units and starts",
        ),
    ]


def _decisions(squashed: xr.Dataset) -> list[Verdict]:
    localized, bias = _localized(squashed, squashed.ipr), squashed.bias.isel(step=-1)
    plain, positive = (share(localized.sel(start=start, biases="zero")) for start in STARTS)
    balanced = share(_localized(squashed, squashed.balanced_ipr).sel(start="positive"))
    by_field = share(((bias < 0) == (squashed.push > 0)).sel(biases="zero"))
    by_bias = share((np.sign(bias) == np.sign(squashed.bias.isel(step=0))).sel(biases="given"))
    return [
        Verdict.judged(
            "a mostly positive start gives mostly localized units",
            0.5,
            positive.mean,
            "more than that, beyond the interval",
            positive.low > 0.5,
            f"share of units, {positive}; from a Xavier start {plain}",
        ),
        Verdict.judged(
            "without an output bias it does less so: the units have to balance their mean",
            positive.mean - 0.15,
            balanced.mean,
            "at most that: a share lower by at least 0.15",
            positive.mean - balanced.mean >= 0.15,
            f"share of localized units from the same start, {balanced}; with an output bias it is {positive.mean:.3f}",
        ),
        _verdict("from zero biases the initial field decides", 1.0, by_field, 0.75, "a bias moves against w'(C1 - C0)w; "),
        _verdict("from given biases their signs decide", 1.0, by_bias, 0.75, "a unit keeps the sign of its bias; "),
    ]


def _sigmoid(squashed: xr.Dataset) -> Verdict:
    localized = _localized(squashed, squashed.sigmoid_ipr)
    right = xr.where(squashed.sigmoid_bias < 0, localized, squashed.sigmoid_oscillates & ~localized)
    return _verdict(
        "logistic units split in the same way", 1.0, share(right), 0.9, "localized or oscillating by sign of bias; "
    )


def _verdict(claim: str, expected: float, found: Interval, least: float, note: str = "") -> Verdict:
    return Verdict.judged(claim, expected, found.mean, f"share of at least {least:g}", found.mean >= least, f"{note}{found}")
