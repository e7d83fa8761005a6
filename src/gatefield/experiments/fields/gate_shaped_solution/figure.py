"""The figure of `gate-shaped-solution`."""

from typing import Any, cast

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.experiments.fields.gate_shaped_solution.simulate import GATES
from gatefield.plot import gain_text, signed_matrix

GATE_NAMES = {"bump": "small bump", "hat": "Mexican hat"}


def figure(record: xr.Dataset) -> Figure:
    """The picture, drawn from the record alone."""
    figure = Figure(figsize=(11.0, 8.4))
    rows = cast(Any, figure.subfigures(3, 1, height_ratios=[1.1, 1.0, 1.0]))
    panels = [row.subplots(1, 4) for row in rows]
    gain = min(record.gain.values, key=lambda value: abs(value - 3.0))
    one = record.sel(gain=gain)
    _matrix_panel(panels[0][0], one.covariance, f"(a) (S0+S1)/4, gain {gain_text(gain)}")
    _matrix_panel(panels[0][1], one.inverse, "(b) (S0+S1)⁻¹")
    _row_panel(panels[0][2], record)
    _ipr_panel(panels[0][3], record)
    for gate, row, letters in zip(GATES, panels[1:], ["efgh", "ijkl"], strict=True):
        _direction_panel(row[0], record.sel(gate=gate), f"({letters[0]}) {GATE_NAMES[gate]}: gate v")
        _gain_lines(row[1], 0.5 * record.drift.sel(gate=gate), record.attrs["site"], f"({letters[1]}) its f(v)/2")
        _gain_lines(row[2], record.field.sel(gate=gate), record.attrs["site"], f"({letters[2]}) least-squares field")
        _agreement_panel(row[3], record.sel(gate=gate), f"({letters[3]}) do the gates agree?")
    return figure


def _matrix_panel(axes: Any, values: xr.DataArray, title: str) -> None:
    image = signed_matrix(axes, values, limit=float(abs(values).max()))
    axes.set(xlabel="position (site)", ylabel="position (site)")
    axes.set_title(title, fontsize=10)
    axes.figure.colorbar(image, ax=axes, shrink=0.8)


def _near(axes: Any, n: int, site: int, reach: float = 8.5) -> None:
    axes.set_xlim(max(site - reach, -0.5), min(site + reach, n - 0.5))


def _row_panel(axes: Any, record: xr.Dataset) -> None:
    site = int(record.attrs["site"])
    for i, gain in enumerate(record.gain.values):
        row = np.roll(record.inverse.sel(gain=gain).isel(position=site).values, -site)[:7]
        axes.plot(row, "o-", color=f"C{i % 7}", markersize=3.5, linewidth=1.2, label=f"gain {gain_text(gain)}")
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.set(xlabel="lag (sites)")
    axes.set_title("(c) a row of (S0+S1)⁻¹", fontsize=10)
    axes.legend(loc="upper right", handlelength=1.2)


def _ipr_panel(axes: Any, record: xr.Dataset) -> None:
    at = np.arange(record.sizes["gain"])
    for gate, style, color in [("bump", "o-", "C0"), ("hat", "s--", "C1")]:
        axes.plot(at, record.ipr.sel(gate=gate), style, color=color, label=GATE_NAMES[gate])
    axes.axhline(1 / record.sizes["position"], color="0.4", linewidth=1.0, linestyle=":", label="flat field, 1/n")
    axes.set_xticks(at, [gain_text(g) for g in record.gain.values])
    axes.set(xlabel="gain", ylim=(0, 1.3), yticks=[0, 0.5, 1])
    axes.set_title("(d) IPR of the field", fontsize=10)
    axes.legend(loc="upper left")


def _direction_panel(axes: Any, one: xr.Dataset, title: str) -> None:
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    axes.plot(one.position, one.direction, "o-", color="k", markersize=3, linewidth=1.0)
    axes.set(xlabel="position (site)")
    axes.set_title(title, fontsize=10)
    _near(axes, one.sizes["position"], one.attrs["site"])


def _gain_lines(axes: Any, values: xr.DataArray, site: int, title: str) -> None:
    axes.axhline(0.0, color="0.8", linewidth=0.8, zorder=0)
    for i, gain in enumerate(values.gain.values):
        axes.plot(values.position, values.sel(gain=gain), "o-", color=f"C{i % 7}", markersize=3, linewidth=1.2)
    axes.set(xlabel="position (site); gains as in (c)")
    axes.set_title(title, fontsize=10)
    _near(axes, values.sizes["position"], site)


def _agreement_panel(axes: Any, one: xr.Dataset, title: str) -> None:
    at = np.arange(one.sizes["gain"])
    for label, style, color in [("positive", "o", "C0"), ("negative", "s", "C1")]:
        shown = one.sel(label=label)
        axes.errorbar(
            at, shown.agreement, shown.agreement_error, fmt=style + "-", color=color, markersize=4, label=f"{label} class"
        )
        axes.plot(at, shown.agreement_gaussian, "--", color=color, linewidth=1.0, label=f"{label}, if Gaussian")
    axes.set_xticks(at, [gain_text(g) for g in one.gain.values])
    axes.set(xlabel="gain", ylim=(0.62, 1.01))
    axes.set_title(title, fontsize=10)
    axes.legend(loc="lower right", fontsize=8)
