"""What a record of `amplifier` says of each claim."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from gatefield.experiments.localized import LOCALIZED
from gatefield.experiments.needs import holding, lacking, lasting, undecided, unjudged
from gatefield.lab import Verdict
from gatefield.plot import gain_text

ENOUGH = 600.0
"""Time in tau after which SGD and the closure have localized what they do."""
SQUASHED = 1.0
"""The gain from which on fields localize."""


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    agree, *longer = _longer_range_positive(record)
    squashed = unjudged(_unsquashed(record), *longer, *_shorter_range_positive(record))
    return [*_amplifier(record), *undecided(lacking(lasting(record, ENOUGH)), agree, *squashed)]


def _unsquashed(record: xr.Dataset) -> str:
    """Why nothing is said of high gains, if there is none."""
    gains = record.gain.values
    return "" if gains[-1] >= SQUASHED else lacking(holding("gains", [3.0], gains))


def _amplifier(record: xr.Dataset) -> list[Verdict]:
    a = record.correlation
    lift = record.amplifier * np.sqrt(2 * np.pi) / a - 1
    ratio = (lift / (-record.kurtosis / 6 * a**2)).sel(correlation=0.1, method="nearest")
    lowest, highest = float(record.kurtosis[0]), float(record.kurtosis[-1])
    return [
        Verdict.equals(
            "squashed data bend the amplifier upwards at every gain",
            1.0,
            float((lift.isel(correlation=slice(1, None)) > 0).mean()),
            of="share of points above the Gaussian line",
            kind="prediction",
            note=f"excess kurtosis runs from {lowest:.2g} to {highest:.3g}",
        ),
        Verdict.within(
            "the excess kurtosis gives the first bend of the amplifier",
            1.0,
            float(ratio[int(np.argmax(np.abs(ratio.values - 1)))]),
            atol=0.02,
            of="lift over prediction at a = 0.1",
            kind="prediction",
            note="the gain where it is furthest off; prediction: lift = -kurtosis a^2 / 6",
        ),
    ]


def _longer_range_positive(record: xr.Dataset) -> list[Verdict]:
    long = record.sel(order="long")
    sgd, theory = long.ipr.isel(step=-1, unit=0).median("seed"), long.closure_ipr.median("seed")
    agree = Verdict.equals(
        "longer range positive: the closure tells at which gains the field localizes",
        1.0,
        float(((sgd > LOCALIZED) == (theory > LOCALIZED)).mean()),
        of="share of gains with the same answer",
        kind="prediction",
        note=f"the answer is whether the median IPR is above {LOCALIZED:g}",
    )
    high = long.gain.values >= min(SQUASHED, long.gain.values[-1])
    return [
        agree,
        Verdict.above(
            "longer range positive: the closure mostly tells where the field localizes",
            0.5,
            float((long.peak_distance.isel(gain=high) <= 1).mean()),
            of="share of runs whose peak is within one site of SGD's",
            kind="prediction",
            note=f"at gain 1 and above; chance is {3 / record.sizes['position']:.3g}, and against a flow without minibatch "
            "noise it is 0.87",
        ),
        Verdict.between(
            "longer range positive: the closure has about half the IPR of SGD",
            0.45,
            0.7,
            float((theory / sgd).isel(gain=high).mean()),
            predicted=0.57,
            of="IPR of the closure over that of SGD",
            kind="reproduction",
            note="mean over gains of 1 and above of the ratio of medians",
        ),
    ]


def _shorter_range_positive(record: xr.Dataset) -> list[Verdict]:
    """Where the closure fails."""
    top = record.sel(order="short").isel(gain=-1)
    at = f"shorter range positive: at gain {gain_text(float(top.gain))}"
    sgd, theory = float(top.ipr.isel(step=-1, unit=0).median()), float(top.closure_ipr.median())
    return [
        Verdict.above(
            f"{at} the closure localizes",
            LOCALIZED,
            theory,
            of="median IPR of the closure",
            kind="prediction",
            note="this is where the closure fails: SGD does not localize there in this time",
        ),
        Verdict.below(
            f"{at} SGD does not localize in this time, so that the closure is wrong",
            LOCALIZED,
            sgd,
            of="median IPR of SGD",
            kind="reproduction",
        ),
    ]
