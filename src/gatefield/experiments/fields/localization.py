"""Fields along the gain axis: when does a receptive field localize?"""

from collections.abc import Sequence
from typing import Any, cast

import jax
import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.data import NonlinearGP, Task, ring_correlation
from gatefield.dynamics import flow
from gatefield.experiments.unfold import unfold
from gatefield.lab.bench import Bench
from gatefield.lab.experiment import Experiment, Parameters
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed
from gatefield.lab.verdict import Verdict
from gatefield.measures import ipr
from gatefield.nets import Committee
from gatefield.plot import dots_by_seed, gain_text, small_field
from gatefield.theory import nlgp, relu

ORDERS = ("long", "short")
ORDER_NAMES = {"long": "positive class has the longer range", "short": "positive class has the shorter range"}


class Settings(Parameters):
    """One neuron for each order of the length scales, gain and seed; the same starts at every gain."""

    n: Count = 40
    xi_long: LengthScale = 2.0
    xi_short: LengthScale = 1.0
    gains: Gains = (0.01, 0.3, 0.6, 1.0, 1.7, 3.0, 10.0, float("inf"))
    learning_rate: Rate = 0.05
    batch_size: Count = 1_000
    steps: Count = 4_000
    record_every: Count = 100
    seeds: Count = 16
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    xi1, xi0, gain = (axis.ravel() for axis in _grid(p))
    net_key, train_key = jax.random.split(jax.random.key(p.seed))
    copies = len(ORDERS) * len(p.gains)
    record = bench.train(
        "sgd",
        Committee(p.n, 1, init=_starts(p, net_key, copies), key=net_key),
        Task(NonlinearGP(p.n, xi1, gain), NonlinearGP(p.n, xi0, gain)),
        steps=p.steps,
        batch_size=p.batch_size,
        learning_rate=p.learning_rate,
        record_every=p.record_every,
        key=jax.numpy.tile(jax.random.split(train_key, p.seeds), copies),
    ).record
    result = unfold(record, {"order": ORDERS, "gain": p.gains, "seed": range(p.seeds)}).assign_attrs(
        length_scales=[p.xi_long, p.xi_short]
    )
    result["ipr"] = (result.fields.dims[:-1], ipr(result.fields.values), {"long_name": "inverse participation ratio"})
    shape = (len(ORDERS), len(p.gains), p.seeds)
    end = _gaussian_flow(record.fields.values[:, 0, 0], xi1, xi0, gain, float(record.time[-1]))
    result["flow_ipr"] = (("order", "gain", "seed"), ipr(end).reshape(shape), {"long_name": "IPR of the Gaussian flow"})
    result["bump_ipr"] = (("order", "gain"), [[_bump_ipr(p, *xis, g) for g in p.gains] for xis in _orders(p)])
    return result


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    median = record.ipr.isel(step=-1, unit=0).median("seed")
    return [_covariance_verdict(record), *_published_verdicts(record, median), *_hypercube_verdicts(record, median)]


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    gains = record.gain.values
    figure = Figure(figsize=(9.5, 7.0))
    top, bottom = cast(Any, figure.subfigures(2, 1, height_ratios=[1.15, 1.0]))
    _ipr_panel(top.subplots(), record)
    panels = bottom.subplots(2, len(gains), sharex=True, squeeze=False)
    for row, order in zip(panels, ORDERS, strict=True):
        for axes, g in zip(row, range(len(gains)), strict=True):
            small_field(
                axes, record.fields.sel(order=order).isel(gain=g, seed=0, step=-1, unit=0), color=f"C{ORDERS.index(order)}"
            )
        row[0].set_ylabel("longer range\n= positive" if order == "long" else "shorter range\n= positive")
    for axes, g in zip(panels[0], gains, strict=True):
        axes.set_title(f"gain {gain_text(g)}")
    bottom.supxlabel("position (site); each field scaled to its own maximum, same start in all panels", fontsize="medium")
    return figure


def _covariance_verdict(record: xr.Dataset) -> Verdict:
    most, limit = float(record.flow_ipr.median("seed").max()), 4 / record.sizes["position"]
    return Verdict.judged(
        "covariance alone does not localize, at any gain",
        limit,
        most,
        "IPR of the Gaussian flow below 4/n",
        most < limit,
        "the largest median over gains and orders, at the end of the same time",
    )


def _published_verdicts(record: xr.Dataset, median: xr.DataArray) -> list[Verdict]:
    """What is known for n = 40 and length scales 2 and 1 after 200 tau."""
    if (record.sizes["position"], *record.attrs["length_scales"]) != (40, 2.0, 1.0) or record.time[-1] < 200:
        return []
    out, gains = [], record.gain.values
    if gains[0] <= 0.1:
        low = float(median.sel(order="long").isel(gain=0))
        out.append(Verdict.judged(f"no localization at gain {gains[0]:g}", 0.06, low, "median IPR below 0.06", low < 0.06))
    if 3.0 in gains:
        high, swapped = (float(median.sel(order=order, gain=3.0)) for order in ORDERS)
        out += [
            Verdict.judged("the field localizes at gain 3", 0.64, high, "median IPR within 0.03", abs(high - 0.64) <= 0.03),
            Verdict.judged("not with the length scales swapped", 0.1, swapped, "median IPR below 0.1", swapped < 0.1),
        ]
    return out


def _hypercube_verdicts(record: xr.Dataset, median: xr.DataArray) -> list[Verdict]:
    """On the hypercube, the steady state of the gate 1(x_i > 0) is exact; it is reached once training has converged."""
    if not np.isinf(record.gain.values[-1]) or record.time[-1] < 200:
        return []
    top, theory = (float(values.sel(order="long").isel(gain=-1)) for values in (median, record.bump_ipr))
    note = "theory: the steady state of the gate 1(x_i > 0), which is exact on the hypercube"
    claim = "on the hypercube it is the one-site steady state"
    return [Verdict.judged(claim, theory, top, "IPR within 0.03", abs(top - theory) < 0.03, note)]


def _orders(p: Settings) -> list[tuple[float, float]]:
    return [(p.xi_long, p.xi_short), (p.xi_short, p.xi_long)]


def _grid(p: Settings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both length scales and the gain for every run, in the shape (order, gain, seed)."""
    order, gain, _ = np.meshgrid(np.arange(2), p.gains, np.arange(p.seeds), indexing="ij")
    pairs = np.asarray(_orders(p))
    return pairs[order, 0], pairs[order, 1], gain


def _starts(p: Settings, key: Any, copies: int) -> np.ndarray:
    """The same initial fields for every order and gain."""
    fields = Committee(p.n, 1, key=jax.random.split(key, p.seeds)).fields
    return np.tile(np.asarray(fields), (copies, 1, 1))


def _gaussian_flow(starts: np.ndarray, xi1: np.ndarray, xi0: np.ndarray, gain: np.ndarray, time: float) -> np.ndarray:
    """Where the Gaussian flow with the data's own covariances ends, for all runs as one system."""
    n = starts.shape[-1]
    cov1, cov0 = (NonlinearGP(n, xi, gain).covariance() for xi in (xi1, xi0))
    each = jax.vmap(lambda w, a, b: relu.velocity(w[None], a, b)[0])
    return flow(lambda w: each(w, cov1, cov0), starts, [0.0, time]).fields.values[0, -1]


def _bump_ipr(p: Settings, xi1: float, xi0: float, gain: float) -> float:
    """IPR of the least-squares field 2 (S0 + S1)^-1 f(e_i) behind the fixed gate 1(x_i > 0)."""
    total = NonlinearGP(p.n, xi1, gain).covariance() + NonlinearGP(p.n, xi0, gain).covariance()
    return float(ipr(np.linalg.solve(total, nlgp.half_gate_mean(ring_correlation(p.n, xi1), gain))))


def _ipr_panel(axes: Any, record: xr.Dataset) -> None:
    """IPR against gain: every seed, the median, and what theory says."""
    at = np.arange(record.sizes["gain"])
    for i, order in enumerate(ORDERS):
        values = record.ipr.sel(order=order).isel(step=-1, unit=0)
        dots_by_seed(axes, at, values, "gain", f"C{i}")
        axes.plot(at, values.median("seed"), "-", color=f"C{i}", label=f"SGD, {ORDER_NAMES[order]}")
        axes.plot(
            at,
            record.flow_ipr.sel(order=order).median("seed"),
            "--",
            color=f"C{i}",
            linewidth=1.2,
            label="  Gaussian flow, same covariance",
        )
    if np.isinf(record.gain.values[-1]):
        axes.plot(
            at[-1],
            record.bump_ipr.sel(order="long")[-1],
            "*",
            color="k",
            markersize=13,
            label="one-site steady state, exact at gain ∞",
        )
    axes.axhline(1 / record.sizes["position"], color="0.4", linewidth=1.0, linestyle=":", label="flat field, 1/n")
    axes.set_xticks(at, [gain_text(g) for g in record.gain.values])
    axes.set(
        xlabel="gain (0: Gaussian, ∞: hypercube)",
        ylabel="inverse participation ratio",
        ylim=(0, 1),
        xlim=(-0.35, at[-1] + 0.35),
    )
    axes.legend(loc="upper left")


experiment = Experiment(
    name="localization",
    title="Receptive fields condense as the data leave the Gaussian",
    source="notes 002 and 003: localization of a single ReLU neuron on the nonlinear Gaussian process",
    text="The same neuron, now on data squashed by a gain: from nearly Gaussian (0.01) to corners of the hypercube "
    "(infinity). The inverse participation ratio (IPR) says how localized the final field is: 1/n when it is spread "
    "evenly, 1 when it sits on a single site. If the positive class has the longer range, the field condenses onto a "
    "few sites as the gain grows; with the length scales swapped it does not. The Gaussian flow knows the data's "
    "covariance only, and predicts no localization at any gain: what condenses the field is the non-Gaussian shape of "
    "the data.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"gains": (0.01, 0.3, 1.0, 3.0, 10.0, float("inf")), "seeds": 4, "batch_size": 500}},
    durations={"quick": "30 s", "full": "5 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
