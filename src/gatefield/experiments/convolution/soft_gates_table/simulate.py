"""CIFAR-10 by convolutional networks with soft gates: from nearly linear to ReLU."""

from typing import Annotated

import numpy as np
import xarray as xr
from pydantic import AfterValidator

from gatefield.core import checks
from gatefield.experiments.convolution.colour_images import ImageSettings, conv_net, fit, layout, task_of
from gatefield.experiments.convolution.soft_gates_table.rows import Row, rows_of
from gatefield.lab import Bench
from gatefield.lab.kinds import Excesses, Rates


def _plain(values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(checks.choice("plain", v, ["linear", "relu"]) for v in values)


class Settings(ImageSettings):
    """`betas` and `epsilons` of the soft gates, all pairs; `plain`: the networks without soft gates: linear, relu."""

    betas: Rates = (1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 20.0, 24.0)
    epsilons: Excesses = (0.1, 0.4)
    plain: Annotated[tuple[str, ...], AfterValidator(_plain)] = ("linear", "relu")


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    task = task_of(p)
    rows = rows_of(p.plain, p.betas, p.epsilons)
    found = [fit(bench, row.name, conv_net(p, row.gating, **_soft(row)), task, p) for row in rows]
    record = xr.concat(found, xr.Variable("row", [row.name for row in rows]))
    names = {name: ("row", np.array([getattr(row, name) for row in rows])) for name in ("gating", "beta", "eps")}
    return record.assign_coords(names).assign_attrs(layout(p))


def _soft(row: Row) -> dict[str, float]:
    return {"beta": row.beta, "eps": row.eps} if row.gating == "soft-relu" else {}
