"""The figure of `uncertainty`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.fields.uncertainty.verdicts import CYCLES, GOOD, waves
from gatefield.experiments.orders import ORDERS
from gatefield.measures import gabor
from gatefield.plot import gain_text, small_field

KINDS = (("C0", "plain bump chosen"), ("C2", f"carrier of less than {CYCLES:g} cycle"), ("C1", "Gabor"))


def figure(record: xr.Dataset) -> Figure:
    """Entropies along training and flow, fits of all final fields, and some of these fields."""
    figure = Figure(figsize=(9.5, 11.5))
    top, middle, bottom = cast(Any, figure.subfigures(3, 1, height_ratios=[1.0, 0.9, 1.5]))
    left, right = top.subplots(1, 2, sharey=True)
    _entropy_panel(left, record)
    _flow_panel(right, record)
    for level, text in [(0.0, "ln n: single sites,\nflat fields"), (1 - np.log(2), "Gaussian bumps")]:
        height = np.log(record.sizes["position"]) + level
        right.text(1.01, height, text, transform=right.get_yaxis_transform(), va="center", fontsize=8, color="0.3")
    _fit_panel(middle.subplots(), record)
    _fields_panel(bottom, record)
    return figure


def _entropy_panel(axes: Any, record: xr.Dataset) -> None:
    """Median entropy sum along training."""
    time = record.step.values * record.attrs["neuron_rate"]
    for i, gain in enumerate(record.gain.values):
        for order, style in zip(ORDERS, ("-", "--"), strict=True):
            values = record.entropy.sel(gain=gain, order=order).isel(unit=0).median("seed")
            axes.plot(time, values, style, color=f"C{i}", label=f"gain {gain_text(gain)}" if order == "long" else None)
    _limits(axes, record, float(time[-1]))
    axes.set(title="(a) one neuron, trained by SGD", ylabel="entropy of position + frequency (nats)")
    axes.set_xlabel(r"time ($\tau$) = learning rate $\times$ step")
    axes.legend(loc="upper right", title="dashed: shorter range = positive", title_fontsize=8)


def _flow_panel(axes: Any, record: xr.Dataset) -> None:
    """The entropy sum along exact Gaussian flows, one line for each start."""
    time, first = record.flow_time.values, {"long": "positive class has\nthe longer range", "short": "the shorter range"}
    for order, style in zip(ORDERS, ("-", "--"), strict=True):
        for i, path in enumerate(record.flow_entropy.sel(order=order).values):
            axes.plot(time, path, style, color="0.6", linewidth=0.8, label=first[order] if i == 0 else None)
            rising = np.where(np.diff(path, append=path[-1]) > 0, path, np.nan)
            axes.plot(time, rising, "-", color="C1", linewidth=2.0, label="rising" if (i, order) == (0, "short") else None)
    _limits(axes, record, float(time[-1]))
    axes.set(title="(b) one neuron, exact flow on Gaussian data", xlabel=r"time ($\tau$)")
    axes.legend(loc="upper right")


def _limits(axes: Any, record: xr.Dataset, last: float) -> None:
    n = record.sizes["position"]
    for level in (np.log(n), np.log(n) + 1 - np.log(2)):
        axes.axhline(level, color="0.4", linestyle=":", linewidth=1.0)
    axes.set(xlim=(0, last), ylim=(np.log(n) - 0.2, np.log(n) + 3.6))


def _fit_panel(axes: Any, record: xr.Dataset) -> None:
    """R2 of every final field, by network, order and gain; the colour says which model was chosen."""
    gains, rng = record.gain.values, np.random.default_rng(0)
    width = len(gains) + 1
    for group, (network, order) in enumerate(_cases(record)):
        for i, gain in enumerate(gains):
            one = record.isel(unit=network).sel(order=order, gain=gain)
            R2, kind = one.fit_R2.values.ravel(), _kinds(one).values.ravel()
            x = group * width + i + rng.uniform(-0.25, 0.25, len(R2))
            for j, (colour, _) in enumerate(KINDS):
                axes.plot(x[kind == j], R2[kind == j], "o", color=colour, markersize=4, alpha=0.6, markeredgewidth=0)
        axes.text(group * width + (width - 2) / 2, 1.04, _case_text(network, order), ha="center", va="bottom", fontsize=9)
    for colour, label in KINDS:
        axes.plot([], [], "o", color=colour, markersize=5, label=label)
    axes.axhline(GOOD, color="0.4", linewidth=1.0, linestyle="--", label=f"good: {GOOD:g}")
    axes.axhline(float(record.noise_R2), color="0.4", linewidth=1.0, linestyle=":", label="white noise")
    ticks = [group * width + i for group in range(4) for i in range(len(gains))]
    axes.set_xticks(ticks, [gain_text(gain) for gain in gains] * 4)
    axes.set(xlabel="gain", ylabel="R2 of the fit", ylim=(0, 1.02), xlim=(-0.6, 4 * width - 1.4))
    axes.set_title("(c) fits of the final fields", pad=34)
    axes.legend(loc="center left", bbox_to_anchor=(0.0, 0.52))


def _kinds(record: xr.Dataset) -> xr.DataArray:
    """The place of each fit among `KINDS`."""
    return record.fit_is_gabor.astype(int) + waves(record).astype(int)


def _fields_panel(figure: Any, record: xr.Dataset) -> None:
    """One final field for each case, that with the median R2, and its fit."""
    panels = figure.subplots(4, record.sizes["gain"], sharex=True, squeeze=False)
    for row, (network, order) in zip(panels, _cases(record), strict=True):
        for axes, gain in zip(row, record.gain.values, strict=True):
            one = record.isel(unit=network, step=-1).sel(order=order, gain=gain).stack(field=("seed", "unit"))
            one = one.isel(field=int(np.argsort(one.fit_R2.values)[one.sizes["field"] // 2]))
            _field_and_fit(axes, one)
        row[0].set_ylabel(_case_text(network, order).replace(" =", "\n="))
    for axes, gain in zip(panels[0], record.gain.values, strict=True):
        axes.set_title(f"gain {gain_text(gain)}")
    panels[0, 0].set_title(f"(d) gain {gain_text(record.gain.values[0])}")
    text = "distance from the fit's centre (sites); in each case the field of median R2, scaled to its maximum, and its fit"
    figure.supxlabel(text, fontsize="medium")


def _field_and_fit(axes: Any, one: xr.Dataset) -> None:
    """A field turned until its centre is in the middle, the right way up, in the colour of its model; its fit dashed."""
    n, (mu, *rest) = one.sizes["position"], (float(one["fit_" + x]) for x in ("mu", "s", "f", "phi", "amplitude"))
    scale = one.fields.values[np.abs(one.fields.values).argmax()]
    field = one.fields.roll(position=n // 2 - round(mu)).assign_coords(position=np.arange(n) - n // 2)
    fit = np.roll(gabor(n, mu, *rest), n // 2 - round(mu))
    small_field(axes, field / scale, color=KINDS[int(_kinds(one))][0])
    axes.plot(field.position, fit / scale, "--", color="k", linewidth=1.0)
    axes.text(0.02, 0.02, f"R2 {float(one.fit_R2):.2f}", transform=axes.transAxes, fontsize=8)
    axes.set(ylim=(-1.6, 1.15), xticks=[-(n // 2), 0, n // 2])


def _cases(record: xr.Dataset) -> list[tuple[slice, str]]:
    """Each network, as the units it has in the record, with each order of the length scales."""
    return [(network, order) for network in (slice(0, 1), slice(1, None)) for order in ORDERS]


def _case_text(network: slice, order: str) -> str:
    return f"{'one neuron' if network.stop == 1 else 'committee'},\n{order}er range = positive"
