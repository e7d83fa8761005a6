"""Fields along the gain axis: when does a receptive field localize?"""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from scipy.stats import rankdata

from gatefield.core.grid import Grid
from gatefield.data import Gaussian, NonlinearGP, Source, Task
from gatefield.experiments.by_seed import gaussian_ends, train_by_seed
from gatefield.experiments.fields.training import PACE, Boundary, Conditions, Loss, Optimizer, Readout, Start
from gatefield.experiments.needs import Need, exactly, holding, lacking, lasting, undecided
from gatefield.experiments.orders import ORDER_NAMES, ORDERS, length_scales, sources
from gatefield.lab import Bench, Experiment, Parameters, Verdict, written
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed
from gatefield.measures import ipr
from gatefield.plot import dots_by_seed, gain_text, small_field
from gatefield.theory import nlgp

ENOUGH = 200.0
"""Time in tau that the published claims are about; the order that localizes does so within it, from a gain of 1 on."""
KEEPING = ("boundary", "readout", "output_bias", "loss", "optimizer")
"""What has to be as usual for the one-site steady state to be exact, and to be reached in that time; any start will do."""

FEWEST, RISES = 4, 0.9
"""From how many gains on they have an order worth the name; and the rank correlation of IPR and gain from which on it rises."""
NAMES = {"sgd": "SGD", "momentum": "momentum", "adam": "Adam"}


class Settings(Parameters):
    """One neuron for each order of the length scales, gain and seed; the same starts at every gain.

    The last six are those that `conditions` changes one by one; other optimisers and losses need other learning rates.
    """

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
    boundary: Boundary = "ring"
    init: Start = "xavier"
    readout: Readout = "mean"
    output_bias: bool = False
    loss: Loss = "mse"
    optimizer: Optimizer = "sgd"


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    grid = Grid(order=ORDERS, gain=p.gains, seed=p.seeds)
    classes, how = sources(grid, p, boundary=p.boundary), Conditions.of(p)
    record = train_by_seed(bench, "sgd", Task(*classes), grid, p, net=how.net, training=how.training)
    record = record.assign_attrs(length_scales=[p.xi_long, p.xi_short], **how.attrs)
    record["ipr"] = (record.fields.dims[:-1], ipr(record.fields.values), {"long_name": "inverse participation ratio"})
    record["flow_ipr"] = (("order", "gain", "seed"), _flow_ipr(record, classes, how), {"long_name": "IPR of the Gaussian flow"})
    bumps = [[_bump_ipr(p, xi1, xi0, gain) for gain in p.gains] for xi1, xi0 in length_scales(p)]
    record["bump_ipr"] = (("order", "gain"), bumps)
    return record


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    median = record.ipr.isel(step=-1, unit=0).median("seed")
    published = _published_verdicts(record, median)
    return [_covariance_verdict(record), *published, _hypercube_verdict(record, median), _rise_verdict(record)]


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
    claim, how = "covariance alone does not localize a field, at any gain", Conditions.found(record.attrs)
    words: Any = {"kind": "prediction", "source": "note 002, introduction"}
    if not how.has_flow():
        return Verdict.not_judged(claim, lacking(*how.as_usual("readout", "output_bias", "loss", "optimizer")), **words)
    found = Verdict.below(
        claim,
        4 / record.sizes["position"],
        float(record.flow_ipr.median("seed").max()),
        of="largest median IPR of the Gaussian flow",
        note="over gains and orders, at the end of the same time; the bound is 4/n",
        **words,
    )
    return undecided(lacking(lasting(record, ENOUGH)), found)[0]  # in less, no order has


def _published_verdicts(record: xr.Dataset, median: xr.DataArray) -> list[Verdict]:
    """What is known for n = 40 and length scales 2 and 1 after 200 tau."""
    (xi_long, xi_short), gains, n = record.attrs["length_scales"], record.gain.values, record.sizes["position"]
    sizes = exactly("n", 40, n), exactly("xi_long", 2.0, xi_long), exactly("xi_short", 1.0, xi_short), lasting(record, ENOUGH)
    setting = *sizes, *Conditions.found(record.attrs).as_usual()
    lowest = float(gains[0]) if gains[0] <= 0.1 else 0.01
    claims = f"the field does not localize at gain {lowest:g}", "the field localizes at gain 3"
    swapped = "within 200 tau the field does not localize at gain 3 with the length scales swapped"
    words: Any = ({"kind": "claim", "source": "note 002, introduction"}, {"kind": "reproduction"})
    if why := lacking(*setting, holding("gains", [lowest], gains)):
        out = [Verdict.not_judged(claims[0], why, **words[0])]
    else:
        out = [Verdict.below(claims[0], 0.06, float(median.sel(order="long", gain=lowest)), of="median IPR", **words[0])]
    if why := lacking(*setting, holding("gains", [3.0], gains)):
        return [*out, *(Verdict.not_judged(claim, why, **words[1]) for claim in (claims[1], swapped))]
    long, short = (float(median.sel(order=order, gain=3.0)) for order in ORDERS)
    return [
        *out,
        Verdict.within(claims[1], 0.64, long, atol=0.03, of="median IPR", **words[1]),
        Verdict.below(swapped, 0.1, short, of="median IPR", **words[1]),
    ]


def _hypercube_verdict(record: xr.Dataset, median: xr.DataArray) -> Verdict:
    """On the hypercube, the steady state of the gate 1(x_i > 0) is exact; it is reached once training has converged."""
    claim = "on the hypercube the trained field is the one-site steady state"
    usual = Conditions.found(record.attrs).as_usual(*KEEPING)
    if why := lacking(lasting(record, ENOUGH), holding("gains", [np.inf], record.gain.values), *usual):
        return Verdict.not_judged(claim, why)
    top, theory = (float(values.sel(order="long").isel(gain=-1)) for values in (median, record.bump_ipr))
    note = "expected: the steady state of the gate 1(x_i > 0), which is exact on the hypercube"
    return Verdict.within(claim, theory, top, atol=0.03, of="median IPR", kind="prediction", note=note)


def _rise_verdict(record: xr.Dataset) -> Verdict:
    """By ranks, seed by seed: all gains have the same starts."""
    claim = "the IPR rises with the gain where the positive class has the longer range"
    words: Any = {"kind": "claim", "source": "note 000, section 1"}
    how, gains = Conditions.found(record.attrs), record.gain.values
    few = None if len(gains) >= FEWEST else Need(f"{FEWEST} gains or more", f"{len(gains)}", {"gains": Settings().gains})
    timed = [] if how.optimizer == "momentum" else how.as_usual("optimizer")  # momentum lasts longer, Adam has no tau
    if why := lacking(few, lasting(record, ENOUGH), *timed):
        return Verdict.not_judged(claim, why, **words)
    long, short = (record.ipr.sel(order=order).isel(step=-1, unit=0).transpose("seed", "gain").values for order in ORDERS)
    found, other = rises(long), rises(short)
    error = 2 * found.std(ddof=1) / np.sqrt(len(found)) if len(found) > 1 else np.inf
    low, high = np.median(long, axis=0)[[0, -1]]
    note = f"over {len(found)} seeds, ± two standard errors; median IPR {low:.2g} at gain {gain_text(gains[0])}, {high:.2g} at "
    note += f"{gain_text(gains[-1])}; with the length scales swapped the correlation is {other.mean():.2g}"
    of = "mean rank correlation of IPR and gain"
    return Verdict.above(claim, RISES, found.mean(), of=of, error=error, note=note, **words)


def rises(values: np.ndarray) -> np.ndarray:
    """The rank correlation of each row with its order, 0 where all are equal.

    >>> rises(np.array([[0.1, 0.2, 0.6], [0.3, 0.2, 0.1], [0.2, 0.1, 0.3], [0.5, 0.5, 0.5]])).tolist()
    [1.0, -1.0, 0.5, 0.0]
    """
    ranks = rankdata(values, axis=-1) - (values.shape[-1] + 1) / 2
    order = np.arange(values.shape[-1]) - (values.shape[-1] - 1) / 2
    size = np.sqrt((ranks**2).sum(-1) * (order**2).sum())
    return np.where(size > 0, ranks @ order / np.maximum(size, 1.0), 0.0)


def _flow_ipr(record: xr.Dataset, classes: tuple[Source, Source], how: Conditions) -> np.ndarray:
    """IPR at the end of the Gaussian flow, in the time of the training; NaN where that has no such flow."""
    if not how.has_flow():
        return np.full([record.sizes[name] for name in ("order", "gain", "seed")], np.nan)
    return np.asarray(ipr(gaussian_ends(record.assign_coords(time=PACE[how.optimizer] * record.time), classes)))


def _bump_ipr(p: Settings, xi1: float, xi0: float, gain: float) -> float:
    """IPR of the least-squares field 2 (S0 + S1)^-1 f(e_i) behind the fixed gate 1(x_i > 0), i in the middle of a line."""
    total = sum(np.asarray(NonlinearGP(p.n, xi, gain, boundary=p.boundary).covariance()) for xi in (xi1, xi0))
    row = Gaussian(p.n, xi1, boundary=p.boundary).covariance()[0 if p.boundary == "ring" else p.n // 2]
    return float(ipr(np.linalg.solve(total, nlgp.half_gate_mean(row, gain))))


def _ipr_panel(axes: Any, record: xr.Dataset) -> None:
    """IPR against gain: every seed, the median, and what theory says."""
    at, how = np.arange(record.sizes["gain"]), Conditions.found(record.attrs)
    for i, order in enumerate(ORDERS):
        values = record.ipr.sel(order=order).isel(step=-1, unit=0)
        dots_by_seed(axes, at, values, "gain", f"C{i}")
        axes.plot(at, values.median("seed"), "-", color=f"C{i}", label=f"{NAMES[how.optimizer]}, {ORDER_NAMES[order]}")
        flow = record.flow_ipr.sel(order=order).median("seed")
        if flow.notnull().any():
            axes.plot(at, flow, "--", color=f"C{i}", linewidth=1.2, label="  Gaussian flow, same covariance")
    if np.isinf(record.gain.values[-1]) and not any(how.as_usual(*KEEPING)):
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
    if how.changed():
        axes.set_title(", ".join(f"{name} = {written(value)}" for name, value in how.changed().items()))


experiment = Experiment(
    name="localization",
    title="Which data make receptive fields localize?",
    source="notes 000, 002 and 003: localization of a single ReLU neuron on the nonlinear Gaussian process",
    text="The same neuron, on data squashed by a gain: from nearly Gaussian (0.01) to corners of the hypercube (infinity). The "
    "inverse participation ratio (IPR) says how localized the final field is: 1/n when it is spread evenly, 1 when it sits on "
    "a single site. Both orders of the length scales are trained, for the same time; what happens later, and for others, "
    "is the question of late-localization. Boundary, start, readout, output bias, loss and optimiser can be set; what is known "
    "for the usual ones is then not judged. The Gaussian flow knows the data's covariance only, and predicts no "
    "localization at any gain. So what condenses the field is the non-Gaussian shape of the data.",
    Parameters=Settings,
    presets={"full": {}, "quick": {"gains": (0.01, 0.3, 1.0, 3.0, 10.0, float("inf")), "seeds": 4, "batch_size": 500}},
    durations={"quick": "30 s", "full": "5 min"},
    simulate=simulate,
    verdicts=verdicts,
    figure=figure,
)
