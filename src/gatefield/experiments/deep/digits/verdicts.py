"""Comparisons that the experiments on digits share: accuracies at the end, and nu over training."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.intervals import mean_interval
from gatefield.experiments.by_seed import spread
from gatefield.lab import Verdict, exceeds


def generalises(claim: str, record: xr.Dataset, net: str, other: str, names: Mapping[str, str], **words: Any) -> Verdict:
    """Whether one network is right on more test images than the other at the end; the note lists all that are named."""
    test = record.test_accuracy.isel(step=-1)
    note = ", ".join(f"{name} {spread(test.sel(net=key), 100)} %" for key, name in names.items())
    of = "difference of test accuracies in percentage points"
    return exceeds(claim, test.sel(net=net), test.sel(net=other), scale=100, of=of, note=note, **{"kind": "claim", **words})


def smaller_nu(claim: str, nu: xr.DataArray, other: xr.DataArray, **words: Any) -> Verdict:
    """Whether nu is smaller than the other at every record after the start: judged at the record where this is least sure."""
    after = {"step": slice(1, None)}
    gap = _log(other.isel(after) / nu.isel(after)).transpose("step", "seed")
    least = min(range(gap.sizes["step"]), key=lambda at: mean_interval(gap.values[at], one_sided=True).low)
    if gap.sizes["seed"] < 2:
        least = int(np.argmin(gap.mean("seed").values))
    note = f"at the end {_range(nu.isel(step=-1))} against {_range(other.isel(step=-1))}"
    high, low = (_log(one.isel(after).isel(step=least)) for one in (other, nu))
    of = "log10 of the ratio of both ν, at the record after the start where it is smallest,"
    return exceeds(claim, high, low, of=of, note=note, **words)


def falls(claim: str, nu: xr.DataArray, **words: Any) -> Verdict:
    """Whether nu ends below where it began, seed by seed."""
    start, end = nu.isel(step=0), nu.isel(step=-1)
    note = f"ν from {_range(start)} to {_range(end)}"
    return exceeds(claim, _log(start), _log(end), of="log10 of ν at the start over that at the end", note=note, **words)


def _log(values: xr.DataArray) -> xr.DataArray:
    return xr.apply_ufunc(np.log10, values)


def points(record: xr.Dataset, net: str, other: str) -> float:
    """By how many percentage points one network is right on more test images than the other at the end."""
    test = record.test_accuracy.isel(step=-1).mean("seed")
    return 100 * float(test.sel(net=net) - test.sel(net=other))


def mean_nu(nu: xr.DataArray) -> str:
    """The mean over seeds at the end, as one reads it."""
    return nu_text(float(nu.isel(step=-1).mean("seed")))


def nu_text(nu: float) -> str:
    """Four digits."""
    return f"{float(f'{nu:.4g}'):,.0f}" if nu >= 1000 else f"{nu:.4g}"


def _range(values: xr.DataArray) -> str:
    """Mean over seeds and their range."""
    return f"{float(values.mean('seed')):.4g} (seeds {float(values.min('seed')):.4g} to {float(values.max('seed')):.4g})"
