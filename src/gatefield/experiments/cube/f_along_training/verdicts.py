"""What the record of `f-along-training` says of each claim."""

import numpy as np
import xarray as xr

from gatefield.experiments.cube.f_along_training.simulate import LOOSE
from gatefield.experiments.needs import holding, lacking, lasting, undecided, unjudged
from gatefield.lab import Verdict
from gatefield.plot import gain_text

ENOUGH = 120.0
"""Time in tau after which fields have their shape."""
NEAR = 0.1
"""A form counts as that of f if it is off by less than a tenth of |f|."""
FEW = 0.1
"""Up to this share of all entries counts as few."""
MOST = 0.9
"""The least share of seeds that must do what is said of all."""


def verdicts(record: xr.Dataset) -> list[Verdict]:
    each = [record.sel(pair=pair) for pair in record.pair.values]
    ends = [part for one in each for part in (_head(one), _takeover(one))]
    one_gain = "" if record.sizes["gain"] > 1 else lacking(holding("gains", [1.0, np.inf], record.gain.values))
    late = [*ends, *unjudged(one_gain, _gains(record))]
    return [*map(_early, each), *undecided(lacking(lasting(record, ENOUGH)), *late)]


def takeover(one: xr.Dataset) -> xr.DataArray:
    """The first time from which on f stays nearer to the form of one site than to the Gaussian one; infinite if never."""
    ahead = (one.site_distance < one.gaussian_distance).transpose(..., "step")
    stays = np.flip(np.minimum.accumulate(np.flip(ahead.values, -1), -1), -1)
    first = np.where(stays.any(-1), one.time.values[stays.argmax(-1)], np.inf)
    return xr.DataArray(first, dims=ahead.dims[:-1], coords={dim: ahead[dim] for dim in ahead.dims[:-1]})


def _medians(values: xr.DataArray) -> str:
    return ", ".join(f"gain {gain_text(float(g))}: {float(values.sel(gain=g).median()):.3g}" for g in values.gain.values)


def _end(one: xr.Dataset) -> str:
    return f"ξ = ({one.pair.values}), gain {gain_text(float(one.gain[-1]))}: at the end of training"


def _early(one: xr.Dataset) -> Verdict:
    off = one.gaussian_distance.isel(step=0)
    return Verdict.below(
        f"ξ = ({one.pair.values}): at the start of training f has the Gaussian form, at every gain",
        NEAR,
        float(off.median("seed").max()),
        predicted=0.0,
        of="largest median distance over |f|",
        kind="claim",
        source="note 003, section 2",
        note=f"medians {_medians(off)}; |f/2| is there {float(one.pull.isel(step=0).median()):.2f} of |(C0+C1)w/4|",
    )


def _head(one: xr.Dataset) -> Verdict:
    """How many entries decide the gate at the end, on signs or at the highest gain."""
    n, last = one.sizes["position"], one.head_size.isel(step=-1)
    begin = float(one.head_size.isel(step=0, gain=-1).sel(share=LOOSE).median())
    texts = [f"but for {share:.0%} of inputs, {_medians(last.sel(share=share))}" for share in one.share.values]
    return Verdict.below(
        f"{_end(one)} few entries decide the gate",
        FEW * n,
        float(last.isel(gain=-1).sel(share=LOOSE).median()),
        predicted=1.0,
        or_equal=True,
        of=f"median head, but for {LOOSE:.0%} of inputs,",
        kind="claim",
        source="note 003, section 3",
        note=f"of {n} entries; {begin:g} at the start. At the end, {'; '.join(texts)}",
    )


def _takeover(one: xr.Dataset) -> Verdict:
    """Whether and when the form of one site is the better one."""
    first, texts = takeover(one), []
    for gain in one.gain.values:
        times, last = first.sel(gain=gain).values, one.sel(gain=gain).isel(step=-1)
        done = np.isfinite(times)
        when = f"from {np.median(times[done]):.3g} τ on" if done.any() else "never"
        far = (float(last[name].median()) for name in ("gaussian_distance", "site_distance"))
        texts.append(f"gain {gain_text(float(gain))}: {done.mean():.2f}, {when}, {' and '.join(f'{d:.3f}' for d in far)}")
    return Verdict.above(
        f"{_end(one)} f is nearer to the form of one site than to the Gaussian one",
        MOST,
        float(np.isfinite(first.isel(gain=-1)).mean()),
        predicted=1.0,
        or_equal=True,
        of="share of seeds",
        kind="claim",
        source="note 003, section 3.1",
        note=f"seeds, when, and final distances from the Gaussian form and from that of one site; {'; '.join(texts)}",
    )


def _gains(record: xr.Dataset) -> Verdict:
    """Whether heads are smaller at higher gain."""
    sizes = record.head_size.isel(step=-1).sel(share=LOOSE).median("seed")
    falls = sizes.isel(gain=-1) <= sizes.isel(gain=0)
    text = "; ".join(f"({pair}) {sizes.sel(pair=pair).values.tolist()}" for pair in record.pair.values)
    return Verdict.equals(
        "the higher the gain, the fewer entries decide the gate at the end of training",
        float(falls.size),
        float(falls.sum()),
        of="pairs whose head at the highest gain is not above that at the lowest:",
        note=f"medians by gain: {text}",
    )
