"""The rows of the table: networks, and what the paper reports for each."""

from collections.abc import Sequence
from typing import NamedTuple

import xarray as xr

PAPER = {
    "linear": (0.5042, 0.3939), "relu": (0.99, 0.71),
    "beta=1,eps=0.1": (0.99, 0.59), "beta=2,eps=0.1": (0.99, 0.64), "beta=4,eps=0.1": (0.99, 0.68),
    "beta=8,eps=0.1": (0.99, 0.71), "beta=12,eps=0.1": (0.99, 0.71), "beta=16,eps=0.1": (0.99, 0.72),
    "beta=20,eps=0.1": (0.99, 0.72), "beta=24,eps=0.1": (0.99, 0.72),
    "beta=1,eps=0.4": (0.99, 0.56), "beta=2,eps=0.4": (0.99, 0.63), "beta=4,eps=0.4": (0.99, 0.68),
    "beta=8,eps=0.4": (0.99, 0.71), "beta=12,eps=0.4": (0.99, 0.71), "beta=16,eps=0.4": (0.99, 0.71),
    "beta=20,eps=0.4": (0.99, 0.71), "beta=24,eps=0.4": (0.99, 0.71),
}  # fmt: skip
"""Training and test accuracy of table 4."""
PLAIN = {"linear": "deep linear", "relu": "ReLU"}


class Row(NamedTuple):
    """One network of the table."""

    name: str
    gating: str
    beta: float
    eps: float


def rows_of(plain: Sequence[str], betas: Sequence[float], epsilons: Sequence[float]) -> list[Row]:
    """The networks without soft gates, then all pairs of beta and eps, as the paper lists them."""
    soft = [Row(f"beta={b:g}+eps={e:g}", "soft-relu", b, e) for e in epsilons for b in betas]
    return [*(Row(name, name, float("inf"), 0.0) for name in plain), *soft]


def words(name: str) -> str:
    """A row's name for readers.

    >>> words("beta=4+eps=0.1"), words("relu")
    ('beta = 4, eps = 0.1', 'ReLU')
    """
    return PLAIN.get(name, name.replace("=", " = ").replace("+", ", "))


def paper(name: str) -> tuple[float, float] | None:
    """What the paper reports of a row: training and test accuracy."""
    return PAPER.get(name.replace("+", ","))


def best(record: xr.Dataset) -> xr.DataArray:
    """The best test accuracy of each run, in percent, from the first epoch on."""
    return 100 * record.test_accuracy.isel(step=slice(1, None)).max("step")


def final(record: xr.Dataset, name: str = "test_accuracy") -> xr.DataArray:
    """An accuracy after the last epoch, in percent."""
    return 100 * record[name].isel(step=-1)
