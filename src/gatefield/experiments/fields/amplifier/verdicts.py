"""What a record of `amplifier` says of each claim."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.intervals import mean_interval
from gatefield.lab import Verdict
from gatefield.lab.needs import holding, lacking, lasting, undecided, unjudged
from gatefield.measures import LOCALIZED
from gatefield.plot import gain_text

ENOUGH = 600.0
"""Time in tau after which SGD and the closure have localized what they do."""
SQUASHED = 1.0
"""The gain from which on fields localize."""
RATIO = 0.57
"""IPR of the closure over that of SGD, mean over gains of 1 and above, found earlier."""


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    longer, shorter = (_which_gains(record, order) for order in ("long", "short"))
    squashed = unjudged(_unsquashed(record), _where(record), _ratio(record))
    return [*undecided(lacking(lasting(record, ENOUGH)), longer, shorter, *squashed), *_amplifier(record)]


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
            "squashed data, whose excess kurtosis is negative, bend the amplifier upwards at every gain",
            1.0,
            float((lift.isel(correlation=slice(1, None)) > 0).mean()),
            of="share of points above the Gaussian line",
            kind="control",
            note=f"theory beside theory: it checks the closed form; excess kurtosis runs from {lowest:.2g} to {highest:.3g}",
        ),
        Verdict.within(
            "the amplifier first rises above the Gaussian line by -a²/6 times the excess kurtosis of a site",
            1.0,
            float(ratio[int(np.argmax(np.abs(ratio.values - 1)))]),
            atol=0.02,
            of="rise over prediction at a = 0.1",
            kind="control",
            note="theory beside theory: it checks the closed form; at the gain where it is furthest off; the next order of "
            "the expansion is smaller by some a² = 0.01",
        ),
    ]


def _which_gains(record: xr.Dataset, order: str) -> Verdict:
    """Whether closure and SGD localize at the same gains."""
    one, which, time = record.sel(order=order), f"{order}er range positive", f"{float(record.time[-1]):g} τ"
    sgd, theory = answers(one)
    same = (sgd == theory).values
    wrong = ", ".join(map(gain_text, one.gain.values[~same]))
    only = {(True,): "only the closure", (False,): "only SGD"}.get(tuple(np.unique(theory.values[~same])), "one of both")
    how = f"; {only} localizes fields there" if wrong else ""
    return Verdict.equals(
        f"with the {which} the closure tells at which gains the field of SGD localizes within {time}",
        1.0,
        float(same.mean()),
        of="share of gains with the same answer",
        note=f"the answer is whether the median IPR is above {LOCALIZED:g}"
        + (f"; wrong at gain {wrong}{how}" if wrong else ""),
        **_said(order, same, only),
    )


def _said(order: str, same: np.ndarray, only: str) -> dict[str, Any]:
    """The two halves of the headline: at how many gains both agree, and who is alone at the others."""
    right, others = f"{same.sum()} of {same.size}", f"{(~same).sum()} of {same.size}"
    if order == "short":
        return {
            "found": f"shorter range: at {right} too",
            "otherwise": f"shorter range: {only} localizes them at {others}",
        }
    tells = f"a Gaussian closure predicts at {right} gains if fields localize (longer range positive)"
    return {"found": tells, "otherwise": tells}


def answers(record: xr.Dataset) -> tuple[xr.DataArray, xr.DataArray]:
    """At which gains of one order SGD localizes the field, and at which the closure does: by the median IPR."""
    sgd = record.ipr.isel(step=-1, unit=0).median("seed") > LOCALIZED
    return sgd, record.closure_ipr.median("seed") > LOCALIZED


def ipr_share(record: xr.Dataset) -> float:
    """The IPR of the closure over that of SGD, medians, with the longer range positive: mean over gains of 1 and above."""
    long = record.sel(order="long").isel(gain=_high(record))
    return float((long.closure_ipr.median("seed") / long.ipr.isel(step=-1, unit=0).median("seed")).mean())


def _where(record: xr.Dataset) -> Verdict:
    long = record.sel(order="long")
    hits = (long.peak_distance.isel(gain=_high(long)) <= 1).mean("gain")
    mean, low, high = mean_interval(hits.values)
    return Verdict.above(
        "with the longer range positive the closure tells for most runs where the field localizes",
        0.5,
        mean,
        error=min(1.0, max(mean - low, high - mean)),
        of="share of runs at gain 1 and above whose peak is within one site of SGD's",
        note=f"the error is half the 95 % interval over seeds; chance is {3 / record.sizes['position']:.3g}",
    )


def _ratio(record: xr.Dataset) -> Verdict:
    return Verdict.within(
        "with the longer range positive the closure has the part of SGD's IPR that was found earlier",
        RATIO,
        ipr_share(record),
        atol=0.06,
        of="IPR of the closure over that of SGD",
        kind="regression",
        note="mean over gains of 1 and above of the ratio of medians; 0.06 is half of its spread over gains",
    )


def _high(record: xr.Dataset) -> np.ndarray:
    """The gains at which fields localize."""
    return record.gain.values >= min(SQUASHED, record.gain.values[-1])
