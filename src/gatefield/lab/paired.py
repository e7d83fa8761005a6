"""Comparisons seed by seed, for runs of the same seeds: their differences tell more than both means apart."""

from typing import Any

import xarray as xr

from gatefield.core.intervals import mean_interval
from gatefield.lab.needs import at_least, lacking, undecided
from gatefield.lab.verdict import Verdict


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
    """Whether `high` is larger than `low`, seed by seed: by the mean difference and its one-sided 95 % interval.

    **Arguments**

    - `claim`: a sentence that stands alone.
    - `high`, `low`: what was measured, with the dimension `seed` alone and the same seeds.
    - `note`, `of`: what else is to be said, and what the difference is called.
    - `scale`: what differences are multiplied by, such as 100 for percentage points.
    - `words`: further ones of a `Verdict`, such as its `kind` and its `source`.

    **Returns** the verdict: confirmed or refuted where the interval lies on one side of 0; not decided of one seed.

    >>> one, other = xr.DataArray([0.9, 0.8, 0.8], dims="seed"), xr.DataArray([0.5, 0.5, 0.4], dims="seed")
    >>> exceeds("a wide network is right more often", one, other, note="", kind="claim").outcome
    'confirmed'
    """
    gap = scale * (high - low).values
    mean = float(gap.mean())
    if why := lacking(at_least("seeds", 2, len(gap))):
        (verdict,) = undecided(why, Verdict.above(claim, 0.0, mean, of=of, note=note, **words))
        return verdict
    lower = mean_interval(gap, 0.95, one_sided=True).low
    note = "; ".join(filter(None, (note, f"error: one-sided 95 % interval of {len(gap)} seeds")))
    return Verdict.above(claim, 0.0, mean, error=mean - lower, of=of, note=note, **words)
