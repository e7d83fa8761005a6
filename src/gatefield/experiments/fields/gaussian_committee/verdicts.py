"""What a record of `gaussian-committee` says of each claim."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from gatefield.core.intervals import standard_error
from gatefield.experiments.batch_noise import slack
from gatefield.lab import Verdict
from gatefield.lab.needs import Need, lacking

FLOW = "note 002, equations 4 to 18"
SIGMAS = 2
"""Standard errors of the exponent."""


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    parts = {f"{int(K)} neurons": record.sel(committee=K) for K in record.committee.values}
    return [_stays(record, parts), _noise(record.distance.max("step")), _printed(parts)]


def _largest(record: xr.Dataset) -> xr.Dataset:
    return record.sel(batch_size=int(record.batch_size.max()))


def farthest(record: xr.Dataset) -> float:
    """The largest distance from the flow at the largest batch, in percent of its way: median over seeds, worst committee."""
    last = _largest(record)
    return 100 * float((last.distance.max("step") / last.travelled.isel(step=-1)).median("seed").max())


def _stays(record: xr.Dataset, parts: dict[str, xr.Dataset]) -> Verdict:
    """At the largest batch, every seed."""
    last, (*others, most) = _largest(record), map(str, record.committee.values)
    sizes = " or ".join(filter(None, (", ".join(others), most)))
    far = f"by up to {farthest(record):.2g} % of their way (median seed)"
    apart = f"committees of {sizes} neurons leave their exact joint flow {far}"
    rows, allowed = {}, slack(record.sizes["seed"])
    for at, one in parts.items():
        worst, noise = _largest(one).distance.max("step"), float(_largest(one).noise_distance.max())
        rows[at] = Verdict.below("", allowed * noise, worst.max(), of="largest relative distance on the way, worst seed,")
    went = ", ".join(f"{float(one.travelled.isel(step=-1).median()):.2f}" for one in parts.values())
    return Verdict.each(
        "a committee of ReLU neurons on Gaussian data leaves its exact joint flow by no more than the batches' noise",
        rows,
        kind="prediction",
        source=f"{FLOW}, corrected",
        note=f"batches of {int(last.batch_size):,}, {float(record.time[-1]):g} τ; allowed is {allowed:.2f} times the random "
        f"walk of the noise; the flow itself went {went}",
        found=f"{apart}, no more than batch noise allows",
        otherwise=f"{apart}, more than the noise of batches explains",
    )


def _noise(worst: xr.DataArray) -> Verdict:
    """How the distance falls with the batch size, fitted over all committees and seeds together."""
    claim = "the distance of a committee from its flow falls as one over the square root of the batch size"
    sizes = [int(size) for size in worst.batch_size.values]
    if len(sizes) < 2:
        more = {"batch_sizes": [sizes[0], 4 * sizes[0]]}
        return Verdict.not_judged(claim, lacking(Need("two batch_sizes or more", "1", more)))
    slopes = exponents(worst)
    error = SIGMAS * standard_error(slopes)
    return Verdict.within(
        claim,
        -0.5,
        float(slopes.mean()),
        atol=0.08,
        error=error,
        of="exponent",
        kind="prediction",
        note=f"mean over {len(slopes)} fits (committees and seeds), ± {SIGMAS} standard errors",
    )


def exponents(worst: xr.DataArray) -> np.ndarray:
    """Of the batch size, by which the largest distance of each committee and seed grows."""
    log_size = np.log(worst.batch_size.values.astype(float))
    return np.polyfit(log_size, np.log(worst.transpose("batch_size", ...).values.reshape(len(log_size), -1)), 1)[0]


def _printed(parts: dict[str, xr.Dataset]) -> Verdict:
    """Without the factor 1/K on the left the flow is K times too fast."""
    rows = {}
    for at, one in parts.items():
        noise, away = float(_largest(one).noise_distance.max()), one.printed_distance.isel(step=-1).min()
        rows[at] = Verdict.above(
            "", slack(one.sizes["seed"]) * noise, away, of="distance from the printed flow at the end, nearest seed,"
        )
    return Verdict.each(
        "SGD leaves the flow of a committee as printed, without the factor 1/K, by more than the batches' noise",
        rows,
        kind="control",
        source=FLOW,
    )
