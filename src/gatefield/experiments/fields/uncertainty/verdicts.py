"""What a record of `uncertainty` says of each claim."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.intervals import share
from gatefield.experiments.fields.uncertainty.simulate import CARRIER, MEASURES
from gatefield.lab import Verdict
from gatefield.lab.needs import Need, at_least, lacking, undecided
from gatefield.plot import gain_text

GOOD = 0.9
"""R2 from which a fit counts as good."""
ENOUGH = 150.0
"""Time of one neuron in tau after which its field has its shape."""
CYCLES = 1.0
"""Cycles of the carrier within four widths of the envelope, from two below its centre to two above, that make a Gabor."""
RISE = 0.01
"""Nats that a fall may be interrupted by: the tolerance of the flow is far smaller."""
SECTION = "note 002, section on the uncertainty principle"
GABORS = f"share with R2 above {GOOD:g} and a carrier, chosen by BIC, of at least {CYCLES:g} cycle under the envelope"


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    lowers, *falling = _falling(record)
    shapes = [*_shapes(record), *_high_gains(record.isel(gain=record.gain.values >= 1), record.gain.values)]
    enough = math.ceil(round(ENOUGH / record.attrs["neuron_rate"], 6))
    why = lacking(at_least("steps", enough, int(record.attrs["steps"])))
    return [*undecided(why, lowers), *falling, *undecided(why, *shapes)]


def waves(record: xr.Dataset) -> xr.DataArray:
    """Whether the fit with a carrier was chosen, and the carrier is more than a tilt of the bump: f 4s/n cycles or more."""
    return record.fit_is_gabor & (4 * record.fit_f * record.fit_s / record.sizes["position"] >= CYCLES)


def rises(path: xr.DataArray, dim: str) -> xr.DataArray:
    """How far a path rises above its lowest point so far."""
    lowest = np.minimum.accumulate(path.values, axis=path.get_axis_num(dim))
    return (path - lowest).max(dim)


def rising(record: xr.Dataset) -> tuple[int, int]:
    """In how many of all exact flows the entropy sum rises for a while."""
    found = rises(record.flow_entropy, "flow_time")
    return int((found > RISE).sum()), found.size


def gabors(record: xr.Dataset) -> xr.DataArray:
    """Which final fields are Gabors: well fitted, by a wave."""
    return (record.fit_R2 > GOOD) & waves(record)


def _falling(record: xr.Dataset) -> list[Verdict]:
    """What becomes of the uncertainty in training."""
    start, end = record.entropy.isel(step=0), record.entropy.isel(step=-1)
    most = {name: float(rises(record["flow_" + name], "flow_time").max()) for name in MEASURES}
    (rose, flows), trained = rising(record), float(rises(record.entropy, "step").median())
    words: Any = {"kind": "claim", "source": SECTION}
    return [
        Verdict.above(
            "training lowers the sum of the entropies of position and frequency",
            0.95,
            float((end < start).mean()),
            predicted=1.0,
            or_equal=True,
            of="share of all fields",
            note=f"the median goes from {float(start.median()):.2f} to {float(end.median()):.2f} nats; the least possible is "
            f"ln n = {np.log(record.sizes['position']):.2f}",
            **words,
        ),
        Verdict.below(
            "the sum of the entropies of position and frequency falls monotonically in training",
            RISE,
            most["entropy"],
            predicted=0.0,
            or_equal=True,
            of="largest rise in nats along the exact flow on Gaussian data",
            note=f"{rose} of {flows} flows rise; in SGD the median field by {trained:.2f}. The Harper slack "
            f"rises by up to {most['slack']:.2f}, that of the analytic signal by {most['analytic_slack']:.2f}",
            found="the uncertainty of a field in position and frequency falls at every step of the exact flow",
            otherwise=f"the uncertainty of a field rises for a while in {rose} of {flows} exact flows on Gaussian data",
            **words,
        ),
        Verdict.within(
            "a real Gabor has the least uncertainty, 1/2",
            0.5,
            float(record.gabor_product),
            atol=0.01,
            of="product of spreads",
            note=f"with a carrier of {CARRIER:g} radians per width, which puts the two bands of a real field apart; only "
            "Gaussian bumps reach 1/2",
            **words,
        ),
    ]


def _shapes(record: xr.Dataset) -> list[Verdict]:
    """Whether the final fields are Gabors."""
    found, fitted = float(gabors(record).mean()), _fitted(record)
    return [
        Verdict.above(
            "trained fields are Gabors at every gain, those of one neuron and those of many",
            0.9,
            found,
            predicted=1.0,
            or_equal=True,
            of=GABORS,
            kind="claim",
            source=SECTION,
            note=f"over both orders of length scales and all seeds; the mean R2 of white noise is {float(record.noise_R2):.2f}",
            found=f"{found:.0%} of trained fields are Gabors".replace("%", " %"),
            otherwise=f"only {found:.0%} of trained fields are Gabors".replace("%", " %"),
            more_found=fitted,
            more_otherwise=fitted,
        ),
        Verdict.below(
            "hardly any trained field is a Gabor if the positive class has the shorter range",
            0.1,
            float(gabors(record).sel(order="short").mean()),
            or_equal=True,
            of=GABORS,
            kind="regression",
        ),
    ]


def _fitted(record: xr.Dataset) -> str:
    """How many final fields a bump or a Gabor fits well, in both orders."""
    good = 100 * (record.fit_R2 > GOOD).mean([dim for dim in record.fit_R2.dims if dim != "order"])
    long, short = (f"{float(good.sel(order=order)):.0f} %" for order in ("long", "short"))
    return (
        f"a bump or a Gabor fits {long} of final fields well (R² above {GOOD:g}) if the positive class has the longer range, "
        f"and {short} if it has the shorter one"
    )


def _high_gains(record: xr.Dataset, gains: np.ndarray) -> list[Verdict]:
    """One neuron and a committee at gains of 1 and more, where the positive class has the longer range."""
    claims = (
        "one neuron gives plain bumps at gain 1 and more, if the positive class has the longer range",
        "most fields of a committee are Gabors at finite gains of 1 and more, if the positive class has the longer range",
    )
    words: Any = {"kind": "claim", "source": SECTION}
    if not np.isfinite(record.gain.values).any():
        why = lacking(Need("a finite gain of 1 or more", "none", {"gains": sorted({*gains.tolist(), 3.0})}))
        return [Verdict.not_judged(claims[0], why, kind="regression"), Verdict.not_judged(claims[1], why, **words)]
    long = record.sel(order="long")
    good = long.fit_R2 > GOOD
    bumps, waved = (good & ~long.fit_is_gabor).isel(unit=0), gabors(long)
    finite = waved.isel(unit=slice(1, None), gain=np.isfinite(waved.gain.values))
    part = share(finite)
    by_gain = waved.isel(unit=slice(1, None)).mean(("seed", "unit"))
    each = ", ".join(f"{float(value):.2f} at gain {gain_text(float(value.gain))}" for value in by_gain)
    return [
        Verdict.above(
            claims[0],
            0.9,
            float(bumps.mean()),
            or_equal=True,
            of=f"share with R2 above {GOOD:g} and no carrier chosen by BIC",
            kind="regression",
        ),
        Verdict.above(
            claims[1],
            0.5,
            part.mean,
            error=max(part.mean - part.low, part.high - part.mean),
            of=f"of the committee's fields: {GABORS}",
            note=f"the error is half of the 95 % interval over seeds; the shares are {each}",
            **words,
        ),
    ]
