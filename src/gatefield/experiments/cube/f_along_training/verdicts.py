"""What the record of `f-along-training` says of each claim."""

import numpy as np
import xarray as xr

from gatefield.lab.verdict import Verdict
from gatefield.plot import gain_text

NEAR = 0.1
"""A form counts as that of f if it is off by less than a tenth of |f|."""
LOOSE = 0.05
"""The share of inputs that the head may leave undecided, for the claims."""


def verdicts(record: xr.Dataset) -> list[Verdict]:
    out = [_early(record.sel(pair=pair)) for pair in record.pair.values]
    for pair in record.pair.values:
        one = record.sel(pair=pair)
        out += [_head(one), _takeover(one)]
    return [*out, _gains(record)]


def takeover(one: xr.Dataset) -> xr.DataArray:
    """The first time from which on f stays nearer to the form of one site than to the Gaussian one; infinite if never."""
    ahead = (one.site_distance < one.gaussian_distance).transpose(..., "step")
    stays = np.flip(np.minimum.accumulate(np.flip(ahead.values, -1), -1), -1)
    first = np.where(stays.any(-1), one.time.values[stays.argmax(-1)], np.inf)
    return xr.DataArray(first, dims=ahead.dims[:-1], coords={dim: ahead[dim] for dim in ahead.dims[:-1]})


def _medians(values: xr.DataArray) -> str:
    return ", ".join(f"gain {gain_text(float(g))}: {float(values.sel(gain=g).median()):.3g}" for g in values.gain.values)


def _early(one: xr.Dataset) -> Verdict:
    off = one.gaussian_distance.isel(step=0)
    worst = float(off.median("seed").max())
    note = f"medians {_medians(off)}; |f/2| is there {float(one.pull.isel(step=0).median()):.2f} of |(C0+C1)w/4|"
    claim = f"ξ = ({one.pair.values}): at the start f has the Gaussian form"
    return Verdict.judged(
        claim, 0.0, worst, f"median distance below {NEAR} at every gain; the largest is shown", worst < NEAR, note
    )


def _head(one: xr.Dataset) -> Verdict:
    """How many entries decide the gate at the end, on signs or at the highest gain."""
    n, last = one.sizes["position"], one.head_size.isel(step=-1)
    size = float(last.isel(gain=-1).sel(share=LOOSE).median())
    begin = float(one.head_size.isel(step=0, gain=-1).sel(share=LOOSE).median())
    texts = [f"but for {share:.0%} of inputs, {_medians(last.sel(share=share))}" for share in one.share.values]
    claim = f"ξ = ({one.pair.values}), gain {gain_text(float(one.gain[-1]))}: in the end few entries decide the gate"
    rule = f"median head at most n/10 = {n / 10:g}, but for {LOOSE:.0%} of inputs"
    return Verdict.judged(
        claim, 1.0, size, rule, size <= n / 10, f"of {n}; {begin:g} at the start. At the end, {'; '.join(texts)}"
    )


def _takeover(one: xr.Dataset) -> Verdict:
    """Whether and when the form of one site is the better one."""
    first = takeover(one)
    share = float(np.isfinite(first.isel(gain=-1)).mean())
    texts = []
    for gain in one.gain.values:
        times = first.sel(gain=gain).values
        done = np.isfinite(times)
        when = f"from {np.median(times[done]):.3g} τ on" if done.any() else "never"
        last = one.sel(gain=gain).isel(step=-1)
        texts.append(
            f"gain {gain_text(float(gain))}: {done.mean():.2f} of seeds, {when}; distances at the end "
            f"{float(last.gaussian_distance.median()):.3f} (Gaussian) and {float(last.site_distance.median()):.3f} (one site), "
            f"cosines {float(last.gaussian_cosine.median()):.3f} and {float(last.site_cosine.median()):.3f}"
        )
    claim = f"ξ = ({one.pair.values}), gain {gain_text(float(one.gain[-1]))}: in the end f is nearer to the form of one site"
    return Verdict.judged(claim, 1.0, share, "in at least 0.9 of seeds", share >= 0.9, ". ".join(texts))


def _gains(record: xr.Dataset) -> Verdict:
    """Whether heads are smaller at higher gain."""
    sizes = record.head_size.isel(step=-1).sel(share=LOOSE).median("seed")
    falls = sizes.isel(gain=-1) <= sizes.isel(gain=0)
    text = "; ".join(f"({pair}) {sizes.sel(pair=pair).values.tolist()}" for pair in record.pair.values)
    claim = "the higher the gain, the fewer entries decide the gate in the end"
    rule = "head at the highest gain not above that at the lowest, for every pair"
    return Verdict.judged(claim, float(falls.size), float(falls.sum()), rule, bool(falls.all()), f"medians by gain: {text}")
