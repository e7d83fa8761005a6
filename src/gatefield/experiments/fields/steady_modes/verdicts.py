"""What a record of `steady-modes` says of each claim."""

from collections.abc import Sequence

import numpy as np
import xarray as xr

from gatefield.experiments.needs import Need, lacking
from gatefield.lab import Verdict

NEEDED = 100
"""Time scales of the slowest mode after which it is alone with the survivor, and fades."""


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    parts = (_survivor, _amplitude, _several, _time_scale)
    pairs = [record.sel(pair=pair) for pair in record.pair.values]
    return [*(part(one, f"ξ = ({one.pair.values})") for one in pairs for part in parts), _sgd(record)]


def _survivor(one: xr.Dataset, pair: str) -> Verdict:
    last = one.share.isel(time=-1)
    survivor, found = int(one.survivor), last.argmax("frequency").values
    return Verdict.equals(
        f"{pair}: the mode k = {survivor} survives",
        survivor,
        float(found[abs(found - survivor).argmax()]),
        of="frequency furthest off over starts",
        kind="prediction",
        source="note 002, equations 22 to 31, corrected",
        note=f"after {float(one.time[-1]):.0e} tau, {len(found)} starts",
    ).and_above(0.99, float(last.isel(frequency=survivor).min()), of="its smallest share of the energy")


def _amplitude(one: xr.Dataset, pair: str) -> Verdict:
    size, expected, printed = one["size"].isel(time=-1), float(one.amplitude), float(one.amplitude_printed)
    median = float(size.median())
    return Verdict.within(
        f"{pair}: the survivor's amplitude is √(2/π) √λ1/(λ0+λ1)",
        expected,
        median,
        rtol=0.005,
        of="size of the field, median over starts",
        kind="prediction",
        source="note 002, equation 25, corrected",
        note=f"equation 25 as printed gives {printed:.4f}, {printed / median:.2f} times as much",
    ).and_below(0.005, float(abs(size / expected - 1).max()), of="largest relative deviation of a start")


def _several(one: xr.Dataset, pair: str) -> Verdict:
    early = one.frequencies.sel(time=one.attrs["note_time"])
    return Verdict.above(
        f"{pair}: several frequencies are alive at t = {one.attrs['note_time']:g}",
        2.0,
        float(early.median()),
        or_equal=True,
        of="median participation ratio",
        kind="prediction",
        source="note 002, after equation 31",
        note=f"{float(early.min()):.2f} to {float(early.max()):.2f}: the note's 'one or two modes', which is one frequency, "
        "come true only in the long limit",
    ).and_above(1.5, float(early.min()), or_equal=True, of="smallest participation ratio of a start")


def _time_scale(one: xr.Dataset, pair: str) -> Verdict:
    """The time scale is -1 for starts in which it could not be measured."""
    claim = f"{pair}: the last mode to die out, k = {int(one.slowest)}, has the time scale of the theory (in tau)"
    scales, scale = one.time_scale_measured.values, float(one.time_scale)
    scales = scales[scales > 0]
    if not len(scales):
        ran = float(one.time[-1])
        longer = {"horizon": max(NEEDED * round(scale), 10 * ran)}
        return Verdict.not_judged(claim, lacking(Need("a path on which it dies out alone", f"one of {ran:g} tau", longer)))
    return Verdict.within(
        claim,
        scale,
        float(np.median(scales)),
        rtol=0.02,
        of="time scale, median over starts",
        kind="prediction",
        note="1/[(λ1/4) (D - D_min)] with D = 1 + λ0/λ1; measured on the exact path",
    ).and_below(0.02, float(abs(scales / scale - 1).max()), of="largest relative deviation of a start")


def _sgd(record: xr.Dataset) -> Verdict:
    flow = record.frequencies.sel(time=record.attrs["note_time"]).isel(start=slice(record.sizes["trained"]))
    ratio = record.sgd_frequencies.isel(sgd_time=-1).values / flow.values
    return Verdict.within(
        "SGD keeps as many frequencies as the flow",
        1.0,
        float(ratio.flat[abs(ratio - 1).argmax()]),
        atol=0.15,
        of="participation ratio of SGD over the flow's",
        kind="prediction",
        note=f"the worst of {ratio.size} runs",
    )
