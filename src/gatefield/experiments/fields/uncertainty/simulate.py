"""Do fields approach the least uncertainty as they are trained, and do they end as Gabors?"""

from collections.abc import Sequence

import jax
import numpy as np
import xarray as xr

from gatefield.core.precision import exact
from gatefield.data import Gaussian, NonlinearGP, Task
from gatefield.dynamics import flow
from gatefield.experiments.fields.uncertainty.figure import CYCLES, GOOD, ORDERS, waves
from gatefield.experiments.unfold import unfold
from gatefield.lab.bench import Bench
from gatefield.lab.experiment import Parameters
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed
from gatefield.lab.verdict import Verdict
from gatefield.measures import analytic_signal, entropies, gabor, gabor_fit, harper_slack, spreads
from gatefield.nets import Committee
from gatefield.plot import gain_text
from gatefield.theory import relu

MEASURES = {
    "entropy": "sum of the entropies of position and frequency",
    "slack": "Harper slack of the field",
    "analytic_slack": "Harper slack of its analytic signal",
}
CARRIER = 3.0
"""Carrier of the Gabor whose uncertainty is shown, in radians per width of its envelope."""


class Settings(Parameters):
    """A neuron and a committee for each order of the length scales, gain and seed; the same starts at every gain.

    The units of a committee share the pull of the labels and part ways slowly: hence its higher rate.
    """

    n: Count = 40
    xi_long: LengthScale = 2.0
    xi_short: LengthScale = 1.0
    gains: Gains = (0.01, 1.0, 3.0, float("inf"))
    units: Count = 8
    learning_rate: Rate = 0.05
    committee_rate: Rate = 2.0
    batch_size: Count = 1_000
    steps: Count = 6_000
    record_every: Count = 50
    seeds: Count = 8
    flow_starts: Count = 16
    flow_time: Rate = 60.0
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    sizes, rates = _sizes(p), (p.learning_rate, p.committee_rate)
    parts = [_train(bench, p, K, rate) for K, rate in zip(sizes, rates, strict=True)]
    record = _join(parts, sizes).assign_attrs(neuron_rate=p.learning_rate)
    record = record.assign_coords(flow_time=("flow_time", _flow_times(p), {"units": "tau"}))
    record["flow_fields"] = (("order", "start", "flow_time", "position"), _flow(p))
    for prefix, fields in (("", record.fields), ("flow_", record.flow_fields)):
        for name, value in _measures(fields.values).items():
            record[prefix + name] = (fields.dims[:-1], value, {"long_name": MEASURES[name]})
    final = record.fields.isel(step=-1)
    for name, value in gabor_fit(final.values)._asdict().items():
        record["fit_" + name] = (final.dims[:-1], value)
    record["noise_R2"] = ((), gabor_fit(np.random.default_rng(0).normal(size=(64, p.n))).R2.mean())
    record["gabor_product"] = ((), _gabor_product(CARRIER))
    return record


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    return [*_falling(record), *_shapes(record)]


def _sizes(p: Settings) -> tuple[int, int]:
    return 1, p.units


def _orders(p: Settings) -> list[tuple[float, float]]:
    return [(p.xi_long, p.xi_short), (p.xi_short, p.xi_long)]


def _train(bench: Bench, p: Settings, K: int, rate: float) -> xr.Dataset:
    """All orders, gains and seeds of one size of network, as one training."""
    order, gain, _ = (x.ravel() for x in np.meshgrid(np.arange(2), p.gains, np.arange(p.seeds), indexing="ij"))
    xi1, xi0 = np.asarray(_orders(p))[order].T
    net_key, train_key = jax.random.split(jax.random.fold_in(jax.random.key(p.seed), K))
    copies = len(ORDERS) * len(p.gains)
    starts = np.asarray(Committee(p.n, K, key=jax.random.split(net_key, p.seeds)).fields)
    record = bench.train(
        f"K={K}",
        Committee(p.n, K, init=np.tile(starts, (copies, 1, 1)), key=net_key),
        Task(NonlinearGP(p.n, xi1, gain), NonlinearGP(p.n, xi0, gain)),
        steps=p.steps,
        batch_size=p.batch_size,
        learning_rate=rate,
        record_every=p.record_every,
        key=jax.numpy.tile(jax.random.split(train_key, p.seeds), copies),
    ).record
    return unfold(record, {"order": ORDERS, "gain": p.gains, "seed": range(p.seeds)})


def _join(parts: list[xr.Dataset], sizes: tuple[int, int]) -> xr.Dataset:
    """One record of both networks: their units side by side, and each one's loss."""
    one = parts[0]
    data = {"fields": (one.fields.dims, np.concatenate([part.fields.values for part in parts], axis=-2), one.fields.attrs)}
    data |= {name: (("size", *one[name].dims), np.stack([part[name].values for part in parts])) for name in ("loss", "status")}
    coords = {name: one[name] for name in ("order", "gain", "seed", "step", "position")}
    coords |= {"unit": np.arange(sum(sizes)), "K": ("unit", np.repeat(sizes, sizes)), "size": list(sizes)}
    attrs = {name: value for name, value in one.attrs.items() if all(part.attrs.get(name) == value for part in parts)}
    return xr.Dataset(data, coords, attrs).drop_vars("time", errors="ignore")


def _flow_times(p: Settings) -> np.ndarray:
    """Close together at first, where the field changes fast."""
    return p.flow_time * np.linspace(0.0, 1.0, 201) ** 2


def _flow(p: Settings) -> np.ndarray:
    """Exact flows of one neuron on Gaussian data, for both orders of the length scales from the same starts, as one system."""
    starts = Committee(p.n, 1, key=jax.random.split(jax.random.key(p.seed), p.flow_starts)).fields
    cov1, cov0 = (Gaussian(p.n, np.repeat(xis, p.flow_starts)).covariance() for xis in zip(*_orders(p), strict=True))
    each = jax.vmap(lambda w, a, b: relu.velocity(w[None], a, b)[0])
    path = flow(lambda w: each(w, cov1, cov0), np.tile(starts[:, 0], (2, 1)), _flow_times(p), rtol=1e-8).fields.values[0]
    return np.moveaxis(path.reshape(-1, len(ORDERS), p.flow_starts, p.n), 0, 2)


@exact
@jax.jit
def _measures(fields: np.ndarray) -> dict[str, np.ndarray | jax.Array]:
    position, frequency = entropies(fields)
    return {
        "entropy": position + frequency,
        "slack": harper_slack(fields),
        "analytic_slack": harper_slack(analytic_signal(fields)),
    }


def _gabor_product(carrier: float, n: int = 20_000, s: float = 100.0) -> float:
    """Product of the spreads of a real Gabor in position and angular frequency, on a ring that is as good as a line."""
    position, frequency = spreads(gabor(n, n / 2, s, carrier * n / (2 * np.pi * s)))
    return float(2 * np.pi / n * position * frequency)


def _rise(path: xr.DataArray, dim: str) -> xr.DataArray:
    """How far a path rises above its lowest point so far."""
    lowest = np.minimum.accumulate(path.values, axis=path.get_axis_num(dim))
    return (path - lowest).max(dim)


def _falling(record: xr.Dataset) -> list[Verdict]:
    """What becomes of the uncertainty in training."""
    start, end = record.entropy.isel(step=0), record.entropy.isel(step=-1)
    fell = float((end < start).mean())
    rises = {name: _rise(record["flow_" + name], "flow_time") for name in MEASURES}
    largest = {name: float(rise.max()) for name, rise in rises.items()}
    rose, trained = int((rises["entropy"] > 0.01).sum()), _rise(record.entropy, "step")
    return [
        Verdict.judged(
            "training lowers the sum of the entropies of position and frequency",
            1.0,
            fell,
            "share of all fields at least 0.95",
            fell >= 0.95,
            f"the median goes from {float(start.median()):.2f} to {float(end.median()):.2f} nats; the least possible is "
            f"ln n = {np.log(record.sizes['position']):.2f}",
        ),
        Verdict.judged(
            "it falls monotonically",
            0.0,
            largest["entropy"],
            "no rise above 0.01 nats along the exact flow on Gaussian data",
            largest["entropy"] <= 0.01,
            f"the largest rise above the lowest value so far, without sampling noise; {rose} of {rises['entropy'].size} flows "
            f"rise. In SGD the median field rises by {float(trained.median()):.2f}, at all gains. By other measures it is no "
            f"better: the Harper slack rises by up to {largest['slack']:.2f} along the flow, that of the analytic signal by "
            f"{largest['analytic_slack']:.2f}",
        ),
        Verdict.judged(
            "a real Gabor has the least uncertainty, 1/2",
            0.5,
            float(record.gabor_product),
            "product of spreads within 0.01",
            bool(abs(record.gabor_product - 0.5) < 0.01),
            f"with a carrier of {CARRIER:g} radians per width, which puts the two bands of a real field apart; only Gaussian "
            "bumps reach 1/2",
        ),
    ]


def _shapes(record: xr.Dataset) -> list[Verdict]:
    """What the final fields look like."""
    good = record.fit_R2 > GOOD
    wave, bump = good & waves(record), good & ~record.fit_is_gabor
    share, swapped = float(wave.mean()), float(wave.sel(order="short").mean())
    rule = f"share with R2 above {GOOD:g} and a carrier, chosen by BIC, of at least {CYCLES:g} cycle under the envelope, "
    out = [
        Verdict.judged(
            "fields are Gabors at every gain, those of one neuron and those of many",
            1.0,
            share,
            rule + "at least 0.9",
            share >= 0.9,
            f"over both orders of length scales and all seeds; the mean R2 of white noise is {float(record.noise_R2):.2f}",
        ),
        Verdict.judged(
            "there are none if the positive class has the shorter range", 0.0, swapped, rule + "at most 0.1", swapped <= 0.1
        ),
    ]
    high = record.gain.values >= 1
    if high.any():
        at_high = {"order": ORDERS.index("long"), "gain": high}
        bumps = float(bump.isel(**at_high, unit=0).mean())
        by_gain = wave.isel(**at_high, unit=slice(1, None)).mean(("seed", "unit"))
        middle = by_gain.isel(gain=np.isfinite(by_gain.gain.values))
        alone, many = float(wave.isel(**at_high, unit=0).mean()), float(middle.mean() if middle.size else by_gain.mean())
        each = ", ".join(f"{float(value):.2f} at gain {gain_text(float(value.gain))}" for value in by_gain)
        out += [
            Verdict.judged(
                "one neuron at gain 1 and more gives plain bumps",
                1.0,
                bumps,
                f"share with R2 above {GOOD:g} and no carrier chosen by BIC at least 0.9",
                bumps >= 0.9,
            ),
            Verdict.judged(
                "a committee makes Gabors where one neuron makes none",
                alone + 0.25,
                many,
                "at least that share of the committee's fields: 0.25 above that of single neurons",
                many >= alone + 0.25,
                f"at finite gains of 1 and more. The shares are {each}; of single neurons {alone:.2f}",
            ),
        ]
    return out
