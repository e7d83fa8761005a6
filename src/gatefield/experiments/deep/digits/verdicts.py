"""Comparisons that the experiments on images share: accuracies seed by seed, and nu over training."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.intervals import mean_interval
from gatefield.experiments.needs import at_least, lacking, undecided
from gatefield.lab import Verdict

ROUNDING = 1e-6
"""Of kernels in float32, in units of the mean eigenvalue."""
NEGLIGIBLE = 0.01
"""What is below this share of the smallest eigenvalue changes nu by less than one percent."""


def spread(values: xr.DataArray, scale: float | int = 1.0) -> str:
    """Mean and standard deviation over seeds.

    >>> spread(xr.DataArray([0.98, 0.99], dims="seed"), 100)
    '98.50 +- 0.71'
    """
    deviation = float(values.std("seed", ddof=1)) if values.sizes["seed"] > 1 else 0.0
    return f"{scale * float(values.mean('seed')):.2f} +- {scale * deviation:.2f}"


def exceeds(
    claim: str,
    high: xr.DataArray,
    low: xr.DataArray,
    *,
    note: str,
    scale: float | int = 1.0,
    of: str = "mean difference",
    **words: Any,
) -> Verdict:
    """Whether `high` is larger than `low`, seed by seed: by the mean difference and its one-sided 95 % interval."""
    gap = scale * (high - low).values
    mean = float(gap.mean())
    if why := lacking(at_least("seeds", 2, len(gap))):
        (verdict,) = undecided(why, Verdict.above(claim, 0.0, mean, of=of, note=note, **words))
        return verdict
    lower = mean_interval(gap, 0.95, one_sided=True).low
    of, note = f"{of}, beyond its one-sided 95 % interval over seeds,", f"{note}; lower end {lower:.3g}, {len(gap)} seeds"
    return Verdict.above(claim, 0.0, mean, error=mean - lower, of=of, note=note, **words)


def generalises(claim: str, record: xr.Dataset, net: str, other: str, names: Mapping[str, str], **words: Any) -> Verdict:
    """Whether one network is right on more test images than the other at the end; the note lists all that are named."""
    test = record.test_accuracy.isel(step=-1)
    note = ", ".join(f"{name} {spread(test.sel(net=key), 100)} %" for key, name in names.items())
    of = "difference of test accuracies in percentage points"
    return exceeds(claim, test.sel(net=net), test.sel(net=other), scale=100, of=of, note=note, kind="claim", **words)


def smaller_nu(claim: str, nu: xr.DataArray, other: xr.DataArray, **words: Any) -> Verdict:
    """Whether nu is smaller than the other at every record after the start."""
    after = {"step": slice(1, None)}
    ratio = nu.isel(after).mean("seed") / other.isel(after).mean("seed")
    ends = _range(nu.isel(step=-1)), _range(other.isel(step=-1))
    return Verdict.below(
        claim,
        1.0,
        ratio.max(),
        of="largest ratio of means over seeds, over all records after the start,",
        note=f"at the end {ends[0]} against {ends[1]}; ratio there {float(ratio[-1]):.3g}",
        **words,
    )


def falls(claim: str, nu: xr.DataArray, **words: Any) -> Verdict:
    """Whether nu ends below where it began in every seed."""
    start, end = nu.isel(step=0), nu.isel(step=-1)
    down = float((np.diff(nu.mean("seed")) < 0).mean())
    return Verdict.below(
        claim,
        1.0,
        (end / start).max(),
        of="largest ratio of end to start over seeds",
        note=f"nu from {_range(start)} to {_range(end)}; mean falls in {down:.0%} of the intervals",
        **words,
    )


def ridge_is_small(record: xr.Dataset) -> Verdict:
    """Whether the ridge leaves nu as it is: it is small beside the smallest eigenvalue, and so is rounding."""
    ridge, least = record.attrs["ridge"], float(record.least.min())
    return Verdict.below(
        "the ridge and rounding play no part in nu",
        NEGLIGIBLE,
        max(ridge, ROUNDING) / max(least, 1e-12),  # rounding may make the smallest eigenvalue zero or less
        predicted=0.0,
        or_equal=True,
        of=f"ridge, or {ROUNDING:g} for rounding, over the smallest eigenvalue",
        kind="control",
        note=f"in units of the mean eigenvalue: ridge {ridge:g}, smallest eigenvalue {least:.2g} over all networks, seeds and "
        "records",
    )


def _range(values: xr.DataArray) -> str:
    """Mean over seeds and their range."""
    return f"{float(values.mean('seed')):.4g} (seeds {float(values.min('seed')):.4g} to {float(values.max('seed')):.4g})"
