"""What the record of `gates-to-relu` says of each claim."""

import numpy as np
import xarray as xr

from gatefield.experiments.needs import holding, lacking, lasting, undecided, unjudged
from gatefield.lab import Verdict
from gatefield.plot import gain_text

KNOWN = 0.95
"""Gates know the answer once the limit behind them has this cosine with the final fields, or share of the loss, for good."""
ENOUGH, SQUASHED = 200.0, 1.0
"""Time in K² tau after which, and gain from which on, fields are in a steady state."""
UNLIKE = 0.5
"""Fields with a smaller cosine are other fields."""
EARLY = 2.0
"""How many times as early counts as before; gates are looked at by factors of about 1.7 in time."""
HALF = 0.5
"""The least share of the final localization that counts as localized."""
ZERO_LOSS = 0.25
"""The loss of a network that says nothing."""
STABLE = "note 002, section 5.2: gates stabilize early on"


def verdicts(record: xr.Dataset) -> list[Verdict]:
    """Six claims for each number of units; the numbers of every gain stand in the note."""
    why = lacking(lasting(record, ENOUGH))
    return [verdict for K in record.units.values for verdict in undecided(why, *_of_units(record.sel(units=K)))]


def _of_units(one: xr.Dataset) -> list[Verdict]:
    gains = one.gain.values.tolist()
    why = "" if gains[-1] >= SQUASHED else lacking(holding("gains", [3.0], gains))
    end, *others = unjudged(why, *(claim(one) for claim in (_end, _early, _early_loss, _wrong, _local)))
    return [end, _random(one), *others]


def unit_name(K: int) -> str:
    return "one neuron" if K == 1 else f"{K} units"


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


def _share(loss: xr.DataArray, one: xr.Dataset) -> xr.DataArray:
    """Which share of the loss that the ReLU network removes is removed, the median over seeds."""
    return _shares(loss, one).median("seed")


def _shares(loss: xr.DataArray, one: xr.Dataset) -> xr.DataArray:
    return (ZERO_LOSS - loss) / (ZERO_LOSS - one.own_loss.isel(step=-1))


def _claim(one: xr.Dataset, text: str) -> str:
    return f"{unit_name(int(one.units))}: {text}"


def _each(form: str, *parts: xr.DataArray, between: str = ", ") -> str:
    """The same numbers for every gain, in words."""
    gains = parts[0].gain.values
    return "; ".join(
        f"gain {gain_text(g)}: {between.join(format(float(part.sel(gain=g)), form) for part in parts)}" for g in gains
    )


def _squashed(values: xr.DataArray) -> xr.DataArray:
    """Those at gains at which fields reach a steady state within training: 1 and above, or all if there is none."""
    high = values.sel(gain=values.gain >= SQUASHED)
    return high if high.sizes["gain"] else values


def _end(one: xr.Dataset) -> Verdict:
    last = one.isel(step=-1)
    match, explained = last.limit_match.median("seed"), _share(last.limit_loss, one)
    return Verdict.above(
        _claim(one, "the gated linear network behind the final gates is the ReLU network"),
        KNOWN,
        _squashed(match).min(),
        predicted=1.0,
        or_equal=True,
        of="median cosine at gain 1 and above",
        source="note 002, section 5.2",
        note=f"cosine and explained loss, in units of the ReLU network's: {_each('.3f', match, explained)}. Whether it starts "
        f"from zero or from the field changes it by {float(one.start_matters.max()):.1e} at most",
    ).and_below(1 - KNOWN, abs(explained - 1).max(), or_equal=True, of="distance of the explained loss from 1, at any gain,")


def _random(one: xr.Dataset) -> Verdict:
    first = one.isel(step=0)
    match = first.limit_match.median("seed")
    return Verdict.below(
        _claim(one, "random gates do not know the answer"),
        UNLIKE,
        match.max(),
        of="median cosine at time 0, at any gain,",
        kind="control",
        note=f"cosine and explained loss: {_each('.3f', match, _share(first.limit_loss, one))}",
    )


def _early(one: xr.Dataset) -> Verdict:
    claim = "the gates know the final fields before the fields show it"
    return _earlier(one, claim, "cosine with the end", one.limit_match, one.own_match)


def _early_loss(one: xr.Dataset) -> Verdict:
    claim = "the gates allow the final loss before the network reaches it"
    return _earlier(one, claim, "share of the explained loss", *(_shares(x, one) for x in (one.limit_loss, one.own_loss)))


def _earlier(one: xr.Dataset, claim: str, what: str, limit: xr.DataArray, own: xr.DataArray) -> Verdict:
    gates, fields = _known(one, limit), _known(one, own)
    return Verdict.above(
        _claim(one, claim),
        EARLY,
        _squashed((fields / gates).median("seed")).min(),
        or_equal=True,
        of="how many times as early, median over seeds, at gain 1 and above:",
        kind="claim",
        source=STABLE,
        note=f"time from which on the {what} is {KNOWN} or more (K² tau, training ends at {float(one.time[-1]):g}), limit "
        f"behind the gates / ReLU network: {_each('.3g', gates.median('seed'), fields.median('seed'), between=' / ')}",
    )


def _wrong(one: xr.Dataset) -> Verdict:
    match, explained = one.wrong_match.median("seed"), _share(one.wrong_loss, one)
    return Verdict.above(
        _claim(one, "trained gates of another seed serve as well for the loss, but lead to other fields"),
        KNOWN,
        _squashed(explained).min(),
        predicted=1.0,
        or_equal=True,
        of="explained loss over the ReLU network's, at gain 1 and above,",
        kind="control",
        note=f"cosine and explained loss: {_each('.3f', match, explained)}",
    ).and_below(UNLIKE, _squashed(match).max(), of="median cosine there")


def _local(one: xr.Dataset) -> Verdict:
    """Localization in the limit behind the gates of a tenth of the training."""
    tenth = int(np.abs(one.time.values - one.time.values[-1] / 10).argmin())
    end, early = one.own_ipr.isel(step=-1).median("seed"), one.isel(step=tenth)
    ratio, own = (ipr.median("seed") / end for ipr in (early.limit_ipr, early.own_ipr))
    return Verdict.above(
        _claim(one, "after a tenth of training the gates already ask for a localized field"),
        HALF,
        _squashed(ratio).min(),
        predicted=1.0,
        or_equal=True,
        of="IPR of the limit over the final one, at gain 1 and above,",
        kind="claim",
        source=STABLE,
        note=f"at {float(one.time[tenth]):.3g} K² tau, IPR over that of the end, limit and ReLU field: "
        + _each(".2f", ratio, own),
    )
