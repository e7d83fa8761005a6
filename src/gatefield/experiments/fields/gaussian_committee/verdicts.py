"""What a record of `gaussian-committee` says of each claim."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from gatefield.experiments.needs import Need, lacking
from gatefield.lab import Verdict

REFERENCE = 10_000
"""The note's batch size, at which the distance is to stay within the tolerance."""
TOLERANCE = 0.03
"""Of the distance between training and flow, relative to the fields."""
SLACK = 1.3
"""At smaller batches: how far above the random walk of minibatch noise a single run may lie."""


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    return [*(_stays(record.sel(committee=K)) for K in record.committee.values), _noise(record.distance.max("step"))]


def _stays(one: xr.Dataset) -> Verdict:
    """One size of committees, at the largest batch."""
    batch, end = int(one.batch_size.max()), one.isel(step=-1)
    worst = one.distance.sel(batch_size=batch).max("step")
    noise = float(one.noise_distance.sel(batch_size=batch).max())
    allowed = TOLERANCE if batch >= REFERENCE else SLACK * noise
    return Verdict.below(
        f"{int(one.committee)} neurons stay on the flow over t = {float(one.time[-1]):g}",
        allowed,
        float(worst.median()),
        predicted=0.0,
        of="largest relative distance on the way, median over seeds",
        kind="prediction",
        source="note 002, equations 4 to 18, corrected",
        note=f"batch {batch:,}; the random walk of minibatch noise reaches {noise:.4f}"
        + (f", and {SLACK:g} times that is allowed" if batch < REFERENCE else "")
        + f"; the flow itself went {float(end.travelled.median()):.2f}; from the flow as printed SGD is "
        f"{float(end.printed_distance.median()):.2f} away",
    ).and_below(allowed, float(worst.max()), of="that of every seed")


def _noise(worst: xr.DataArray) -> Verdict:
    """How the distance falls with the batch size, fitted over all committees and seeds together."""
    claim = "the distance from the flow falls as one over the square root of the batch size: it is minibatch noise"
    sizes = [int(size) for size in worst.batch_size.values]
    if len(sizes) < 2:
        more = {"batch_sizes": [sizes[0], 4 * sizes[0]]}
        return Verdict.not_judged(claim, lacking(Need("two batch_sizes or more", "1", more)))
    log_size = np.log(worst.batch_size.values.astype(float))
    slopes = np.polyfit(log_size, np.log(worst.transpose("batch_size", ...).values.reshape(len(log_size), -1)), 1)[0]
    error = float(slopes.std(ddof=1) / len(slopes) ** 0.5)
    return Verdict.within(
        claim,
        -0.5,
        float(slopes.mean()),
        atol=0.08,
        of="exponent",
        kind="prediction",
        note=f"mean over {len(slopes)} fits (committees and seeds), standard error {error:.3f}",
    )
