"""Sentences and numbers that the experiments on digits share."""

import numpy as np
import xarray as xr

from gatefield.core.intervals import mean_interval
from gatefield.lab.verdict import Verdict

LEVEL = 0.95


def spread(values: xr.DataArray, scale: float = 1.0, digits: int = 2) -> str:
    """Mean and standard deviation over seeds.

    >>> spread(xr.DataArray([0.98, 0.99], dims="seed"), 100)
    '98.50 +- 0.71'
    """
    deviation = float(values.std("seed", ddof=1)) if values.sizes["seed"] > 1 else 0.0
    return f"{scale * float(values.mean('seed')):.{digits}f} +- {scale * deviation:.{digits}f}"


def exceeds(claim: str, high: xr.DataArray, low: xr.DataArray, *, note: str, scale: float = 1.0) -> Verdict:
    """Whether `high` is larger than `low`, seed by seed: by the mean difference and its one-sided 95 % interval."""
    gap = scale * (high - low).values
    few = len(gap) < 2
    lower = float(gap.mean()) if few else mean_interval(gap, LEVEL, one_sided=True).low
    return Verdict.judged(
        claim,
        0.0,
        float(gap.mean()),
        "difference above 0" + ("" if few else ", also at the lower end of its one-sided 95 % interval over seeds"),
        bool(lower > 0),
        f"{note}; lower end {lower:.3g}, {len(gap)} seed{'' if few else 's'}",
    )


def near(claim: str, paper: float, values: xr.DataArray, within: float) -> Verdict:
    """An accuracy in percent beside the paper's."""
    mean = 100 * float(values.mean("seed"))
    return Verdict.judged(
        claim,
        paper,
        mean,
        f"mean within {within:g} percentage points of the paper's 'around'",
        bool(abs(mean - paper) <= within),
        f"ours {spread(values, 100)} % over {values.sizes['seed']} seeds, paper around {paper:g} %",
    )


def smaller_nu(claim: str, nu: xr.DataArray, other: xr.DataArray) -> Verdict:
    """Whether nu is smaller than the other from the first look after the start on: by the largest ratio of means."""
    after = {"step": slice(1, None)}
    ratio = nu.isel(after).mean("seed") / other.isel(after).mean("seed")
    ends = nu.isel(step=-1), other.isel(step=-1)
    return Verdict.judged(
        claim,
        1.0,
        float(ratio.max()),
        "largest ratio of means over seeds, over all looks after the start, below 1",
        bool(ratio.max() < 1),
        f"at the end {_plain(ends[0])} against {_plain(ends[1])}; ratio there {float(ratio[-1]):.3g}",
    )


def falls(claim: str, nu: xr.DataArray) -> Verdict:
    """Whether nu ends below where it began in every seed."""
    ratio = nu.isel(step=-1) / nu.isel(step=0)
    means = nu.mean("seed").values
    down = float((np.diff(means) < 0).mean())
    return Verdict.judged(
        claim,
        1.0,
        float(ratio.max()),
        "largest ratio of end to start over seeds below 1",
        bool(ratio.max() < 1),
        f"nu from {_plain(nu.isel(step=0))} to {_plain(nu.isel(step=-1))}; mean falls in {down:.0%} of the intervals",
    )


def ridge_is_small(least: xr.DataArray, ridge: float) -> Verdict:
    """Whether the ridge leaves nu as it is: it is small beside the smallest eigenvalue, and so is rounding to float32."""
    low = float(least.min())
    return Verdict.judged(
        "the ridge and rounding play no part in nu",
        0.0,
        min(max(ridge, 1e-6) / max(low, 1e-12), 1e12),
        "(ridge, or 1e-6 for rounding to float32) over the smallest eigenvalue at most 0.01",
        bool(max(ridge, 1e-6) <= 0.01 * low),
        f"in units of the mean eigenvalue: ridge {ridge:g}, smallest eigenvalue {low:.2g} over all networks, seeds and looks",
    )


def _plain(values: xr.DataArray) -> str:
    """Mean over seeds and their range."""
    return f"{float(values.mean('seed')):.4g} (seeds {float(values.min('seed')):.4g} to {float(values.max('seed')):.4g})"
