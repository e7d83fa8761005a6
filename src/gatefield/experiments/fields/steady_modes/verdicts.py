"""What a record of `steady-modes` says of each claim."""

from collections.abc import Mapping, Sequence

import xarray as xr

from gatefield.lab import Verdict
from gatefield.lab.needs import Need, lacking

NEEDED = 100
"""Time scales of the slowest mode after which it is alone with the survivor, and fades."""


SEVERAL = 2.0
"""Participation ratio of two equal shares."""
ALIKE = 0.15
"""How far the participation ratio of a single training may be from the flow's: batches add noise to every frequency."""


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    pairs = {f"length scales {pair}": record.sel(pair=pair) for pair in record.pair.values}
    return [_survivor(record, pairs), _several(record, pairs), _time_scale(record, pairs), _sgd(record)]


def _survivor(record: xr.Dataset, pairs: Mapping[str, xr.Dataset]) -> Verdict:
    left, time = "of a field on Gaussian data", f"{float(record.time[-1]):,.0f} τ"
    return Verdict.each(
        "on Gaussian data the one frequency that is left of a field in the end is that of the smallest λ0/λ1",
        {at: _share(one) for at, one in pairs.items()},
        kind="prediction",
        source="note 002, equations 22 to 31, corrected",
        note=f"after {time}, {record.sizes['start']} starts, the worst of them",
        found=f"{left} one frequency is left in the end",
        otherwise=f"after {time} the frequency that is left {left} is not that of the smallest λ0/λ1",
    )


def _share(one: xr.Dataset) -> Verdict:
    """The share of the predicted survivor, in the start in which it is least."""
    survivor = int(one.survivor)
    share = float(one.share.isel(time=-1, frequency=survivor).min())
    return Verdict.above("", 0.99, share, predicted=1.0, of=f"share of k = {survivor} in the energy")


def _several(record: xr.Dataset, pairs: Mapping[str, xr.Dataset]) -> Verdict:
    time = record.attrs["note_time"]
    early = record.frequencies.sel(time=time)
    low, high = float(early.median("start").min()), float(early.median("start").max())
    count = f"{low:.2g} to {high:.2g}" if len(pairs) > 1 else f"{low:.2g}"
    slow = float(record.time_scale.max())
    rows = {at: one.frequencies.sel(time=time) for at, one in pairs.items()}
    return Verdict.each(
        f"after {time:g} τ, the note's training time, several frequencies are left of a field on Gaussian data",
        {
            at: Verdict.above("", SEVERAL, values.median(), or_equal=True, of="median participation ratio over starts")
            for at, values in rows.items()
        },
        kind="prediction",
        source="note 002, after equation 31",
        note=f"the note's 'one or two modes' is one frequency; single starts have {float(early.min()):.3g} to "
        f"{float(early.max()):.3g}, {SEVERAL:g} is that of two equal shares",
        found=f"after {time:g} τ there are still {count}, the last with a time scale of up to {slow:,.0f} τ",
        otherwise=f"after {time:g} τ there are {count}",
    )


def _time_scale(record: xr.Dataset, pairs: Mapping[str, xr.Dataset]) -> Verdict:
    return Verdict.each(
        "on Gaussian data the last frequency to die out does so with the time scale of the linear flow near the steady state",
        {at: _scale(one) for at, one in pairs.items()},
        kind="prediction",
        source="note 002, equations 22 to 31, corrected",
        note="4/[λ1 (D - D_min)] with D = 1 + λ0/λ1; on the exact path, whose last part is linear; the start furthest off",
    )


def _scale(one: xr.Dataset) -> Verdict:
    """The time scale is -1 for starts in which it could not be measured."""
    scales, scale = one.time_scale_measured.values, float(one.time_scale)
    scales = scales[scales > 0]
    if not len(scales):
        ran = float(one.time[-1])
        longer = {"horizon": max(NEEDED * round(scale), 10 * ran)}
        return Verdict.not_judged("", lacking(Need("a path on which it dies out alone", f"one of {ran:g} tau", longer)))
    worst = scales[abs(scales / scale - 1).argmax()]
    return Verdict.within("", scale, worst, rtol=0.02, of=f"time scale of k = {int(one.slowest)} in τ")


def _sgd(record: xr.Dataset) -> Verdict:
    time = record.attrs["note_time"]
    flow = record.frequencies.sel(time=time).isel(start=slice(record.sizes["trained"]))
    ratio = record.sgd_frequencies.isel(sgd_time=-1).values / flow.values
    return Verdict.within(
        f"after {time:g} τ SGD has left as many frequencies of a field on Gaussian data as the exact flow",
        1.0,
        float(ratio.flat[abs(ratio - 1).argmax()]),
        atol=ALIKE,
        of="participation ratio of SGD over the flow's, for the worst run,",
        kind="prediction",
        note=f"{ratio.size} runs",
    )
