"""What the record of `gates-to-relu` says of each claim."""

from collections.abc import Callable

import numpy as np
import xarray as xr

from gatefield.lab.verdict import Verdict
from gatefield.plot import gain_text

KNOWN = 0.95
"""Gates know the answer once the limit behind them has this cosine with the final fields, or share of the loss, for good."""
ZERO_LOSS = 0.25
"""The loss of a network that says nothing."""


def verdicts(record: xr.Dataset) -> list[Verdict]:
    """Six claims for each number of units; the numbers of every gain stand in the note."""
    claims = (_end, _random, _early, _early_loss, _wrong, _local)
    return [claim(record.sel(units=K)) for K in record.units.values for claim in claims]


def known_from(time: np.ndarray, match: np.ndarray) -> float:
    """The time from which on the cosine stays above the threshold, between two times by the logarithm; the last if it never is.

    >>> round(known_from(np.array([0.0, 1.0, 10.0, 100.0]), np.array([0.1, 0.9, 1.0, 1.0])), 2)
    3.16
    """
    below = np.flatnonzero(match < KNOWN)
    last = int(below[-1]) if len(below) else -1
    if last < 1 or last + 1 >= len(time):
        return float(time[min(last + 1, len(time) - 1)])
    part = (KNOWN - match[last]) / (match[last + 1] - match[last])
    return float(time[last] * (time[last + 1] / time[last]) ** part)


def _known(one: xr.Dataset, values: xr.DataArray) -> xr.DataArray:
    """For each gain and seed; not before the first time after 0."""
    rows = values.transpose("gain", "seed", "step").values
    found = [[max(known_from(one.time.values, run), float(one.time[1])) for run in runs] for runs in rows]
    return xr.DataArray(found, {"gain": one.gain}, ("gain", "seed"))


def share(loss: xr.DataArray, record: xr.Dataset) -> xr.DataArray:
    """Which share of the loss that the ReLU network removes is removed."""
    return (ZERO_LOSS - loss) / (ZERO_LOSS - record.own_loss.isel(step=-1))


def _name(one: xr.Dataset) -> str:
    K = int(one.units)
    return "one neuron" if K == 1 else f"{K} units"


def _each(one: xr.Dataset, text: Callable[[xr.Dataset], str]) -> str:
    """The same numbers for every gain, in words."""
    return "; ".join(f"gain {gain_text(g)}: {text(one.sel(gain=g))}" for g in one.gain.values)


def _squashed(one: xr.Dataset) -> xr.Dataset:
    """Gains at which fields come to rest within training: 1 and above, or all if there is none."""
    high = one.sel(gain=one.gain >= 1)
    return high if high.sizes["gain"] else one


def _end(one: xr.Dataset) -> Verdict:
    last = one.isel(step=-1)
    match = last.limit_match.median("seed")
    explained = share(last.limit_loss, one).median("seed")
    worst = float(_squashed(match.to_dataset(name="m")).m.min())
    near = float(abs(explained - 1).max())
    return Verdict.judged(
        f"{_name(one)}: the gated linear network behind the final gates is the ReLU network",
        1.0,
        worst,
        f"median cosine at least {KNOWN} at gain 1 and above, explained loss within 5 % at every gain",
        worst >= KNOWN and near <= 0.05,
        "cosine and explained loss, in units of the ReLU network's: "
        + _each(one, lambda g: f"{float(match.sel(gain=g.gain)):.3f}, {float(explained.sel(gain=g.gain)):.3f}")
        + f". Whether it starts from zero or from the field changes it by {float(one.start_matters.max()):.1e} at most",
    )


def _random(one: xr.Dataset) -> Verdict:
    first = one.isel(step=0)
    match, explained = first.limit_match.median("seed"), share(first.limit_loss, one).median("seed")
    return Verdict.judged(
        f"{_name(one)}: random gates do not know the answer",
        0.5,
        float(match.max()),
        "median cosine at time 0 below 0.5 at every gain",
        float(match.max()) < 0.5,
        "cosine and explained loss: "
        + _each(one, lambda g: f"{float(match.sel(gain=g.gain)):.3f}, {float(explained.sel(gain=g.gain)):.3f}"),
    )


def _early(one: xr.Dataset) -> Verdict:
    gates, fields = (_known(one, one[f"{name}_match"]) for name in ("limit", "own"))
    return _earlier(one, "the gates know the final fields before the fields show it", "cosine with the end", gates, fields)


def _early_loss(one: xr.Dataset) -> Verdict:
    gates, fields = (_known(one, share(one[f"{name}_loss"], one)) for name in ("limit", "own"))
    claim = "the gates allow the final loss before the network reaches it"
    return _earlier(one, claim, "share of the explained loss", gates, fields)


def _earlier(one: xr.Dataset, claim: str, what: str, gates: xr.DataArray, fields: xr.DataArray) -> Verdict:
    ahead = (fields / gates).median("seed")
    low = float(_squashed(ahead.to_dataset(name="ahead")).ahead.min())
    return Verdict.judged(
        f"{_name(one)}: {claim}",
        2.0,
        low,
        "at least twice as early, median over seeds, at gain 1 and above",
        low >= 2.0,
        f"time from which on the {what} is {KNOWN} or more (K² tau, training ends at {float(one.time[-1]):g}), limit behind "
        "the gates / ReLU network: "
        + _each(one, lambda g: " / ".join(f"{float(part.sel(gain=g.gain).median()):.3g}" for part in (gates, fields))),
    )


def _wrong(one: xr.Dataset) -> Verdict:
    match, explained = one.wrong_match.median("seed"), share(one.wrong_loss, one).median("seed")
    high = _squashed(xr.Dataset({"m": match, "e": explained}))
    worst = float(high.e.min())
    return Verdict.judged(
        f"{_name(one)}: trained gates of another seed serve as well for the loss, but lead to other fields",
        1.0,
        worst,
        "explained loss at least 0.95 of the ReLU network's and median cosine below 0.5, at gain 1 and above",
        worst >= 0.95 and float(high.m.max()) < 0.5,
        "cosine and explained loss: "
        + _each(one, lambda g: f"{float(match.sel(gain=g.gain)):.3f}, {float(explained.sel(gain=g.gain)):.3f}"),
    )


def _local(one: xr.Dataset) -> Verdict:
    """Half of the final localization, in the limit behind the gates of a tenth of the training."""
    tenth = int(np.abs(one.time.values - one.time.values[-1] / 10).argmin())
    end = one.own_ipr.isel(step=-1).median("seed")
    early = one.isel(step=tenth)
    ratio = early.limit_ipr.median("seed") / end
    own = early.own_ipr.median("seed") / end
    low = float(_squashed(ratio.to_dataset(name="r")).r.min())
    return Verdict.judged(
        f"{_name(one)}: after a tenth of training the gates already ask for a localized field",
        1.0,
        low,
        "IPR of the limit at least half of the final one, at gain 1 and above",
        low >= 0.5,
        f"at {float(one.time[tenth]):.3g} K² tau, IPR over that of the end, limit and ReLU field: "
        + _each(one, lambda g: f"{float(ratio.sel(gain=g.gain)):.2f}, {float(own.sel(gain=g.gain)):.2f}"),
    )
