"""What a record of `localization` says of each claim."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from scipy.stats import rankdata

from gatefield.core.intervals import median_error, standard_error
from gatefield.experiments.fields.localization.simulate import Settings
from gatefield.experiments.fields.training import Conditions
from gatefield.experiments.orders import ORDERS
from gatefield.lab import Verdict
from gatefield.lab.needs import Need, exactly, holding, lacking, lasting, undecided
from gatefield.measures import LOCALIZED
from gatefield.plot import gain_text

ENOUGH = 200.0
"""Time in tau that the claims are about; the order that localizes does so within it, from a gain of 1 on."""
KEEPING = ("boundary", "readout", "output_bias", "loss", "optimizer")
"""What has to be as usual for the one-site steady state to be exact, and to be reached in that time; any start will do."""
RANDOM, SPREAD = 3.0, 4.0
"""n times the IPR of a random field, whose entries are independent and normal; and up to where a field counts as spread."""
EARLIER = 0.64
"""The median IPR at gain 3 that this code has found before, for n = 40 and length scales 2 and 1."""
FEWEST, RISES = 4, 0.9
"""From how many gains on they have an order worth the name; and the rank correlation of IPR and gain from which on it rises."""
ORDER = "note 002, introduction: fields localize if the positive class has the longer range"


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    ends = record.ipr.isel(step=-1, unit=0)
    return [
        _localizes(record, ends),
        _swapped(record, ends),
        _lowest(record, ends),
        _covariance(record),
        _hypercube(record, ends),
        _rise(record),
        _as_before(record, ends),
    ]


def _localizes(record: xr.Dataset, ends: xr.DataArray) -> Verdict:
    claim = f"within {ENOUGH:g} τ a field localizes at gain 3 if the positive class has the longer range"
    words: Any = {"kind": "claim", "source": ORDER}
    words |= {"found": "on non-Gaussian data a field condenses", "otherwise": "on non-Gaussian data a field does not condense"}
    if why := lacking(*_setting(record), holding("gains", [3.0], record.gain.values)):
        return Verdict.not_judged(claim, why, **words)
    values = ends.sel(order="long", gain=3.0)
    middle, time = float(values.median()), _time(record)
    words |= {
        "found": f"on non-Gaussian data a field condenses within {time} (IPR {middle:.2f} at gain 3)",
        "otherwise": f"on non-Gaussian data a field does not condense within {time} (IPR {middle:.2f} at gain 3)",
        "note": f"{LOCALIZED:g} is the IPR of six or seven equal sites",
    }
    return Verdict.above(claim, LOCALIZED, middle, of="median IPR", error=median_error(values), **words)


def _swapped(record: xr.Dataset, ends: xr.DataArray) -> Verdict:
    scales = "length scales 1 and 2"
    claim = f"within {ENOUGH:g} τ no field localizes at gain 3 if the positive class has the shorter range ({scales})"
    words: Any = {"kind": "claim", "source": ORDER}
    if why := lacking(*_setting(record), holding("gains", [3.0], record.gain.values)):
        return Verdict.not_judged(claim, why, **words)
    values, n = ends.sel(order="short", gain=3.0), record.sizes["position"]
    middle = float(values.median())
    words |= {
        "found": f"with the length scales swapped a field is still spread then ({middle:.2f})",
        "otherwise": f"with the length scales swapped a field condenses too ({middle:.2f})",
        "note": f"the bound is {SPREAD:g}/n; later some do (late-localization)",
    }
    return Verdict.below(claim, SPREAD / n, middle, of="median IPR", error=median_error(values), **words)


def _lowest(record: xr.Dataset, ends: xr.DataArray) -> Verdict:
    gains, n = record.gain.values, record.sizes["position"]
    lowest = float(gains[0]) if gains[0] <= 0.1 else 0.01
    claim = f"within {ENOUGH:g} τ no field localizes on nearly Gaussian data, at gain {lowest:g}"
    words: Any = {"kind": "claim", "source": "note 002, introduction"}
    if why := lacking(*_setting(record), holding("gains", [lowest], gains)):
        return Verdict.not_judged(claim, why, **words)
    values, flow = ends.sel(order="long", gain=lowest), record.flow_ipr.sel(order="long", gain=lowest).median()
    words |= {
        "error": median_error(values),
        "note": f"predicted by the Gaussian flow; the bound is {RANDOM:g}/n, a random field's",
    }
    return Verdict.below(claim, RANDOM / n, values.median(), predicted=flow, of="median IPR", **words)


def _covariance(record: xr.Dataset) -> Verdict:
    claim = "the gradient flow of Gaussian data with the same covariances localizes no field, at any gain and in either order"
    words: Any = {"kind": "prediction", "source": "note 002, introduction"}
    how = Conditions.found(record.attrs)
    if not how.has_flow():
        return Verdict.not_judged(claim, lacking(*how.as_usual("readout", "output_bias", "loss", "optimizer")), **words)
    found = Verdict.below(
        claim,
        SPREAD / record.sizes["position"],
        float(record.flow_ipr.median("seed").max()),
        of="largest median IPR of that flow",
        note=f"after the same time; the bound is {SPREAD:g}/n",
        **words,
    )
    return undecided(lacking(lasting(record, ENOUGH)), found)[0]  # in less, no order has


def _hypercube(record: xr.Dataset, ends: xr.DataArray) -> Verdict:
    """On the hypercube, the steady state of the gate 1(x_i > 0) is exact; it is reached once training has converged."""
    claim = f"on the hypercube (gain ∞) the field trained for {ENOUGH:g} τ is the exact steady state of a gate on one site"
    usual = Conditions.found(record.attrs).as_usual(*KEEPING)
    if why := lacking(lasting(record, ENOUGH), holding("gains", [np.inf], record.gain.values), *usual):
        return Verdict.not_judged(claim, why)
    values, theory = (part.sel(order="long").isel(gain=-1) for part in (ends, record.bump_ipr))
    note = "batches spread the field a little, by 0.003 at batches of 1,000; the state of two sites has an IPR below 0.5"
    words: Any = {"of": "median IPR", "kind": "prediction", "error": median_error(values), "note": note}
    return Verdict.within(claim, float(theory), values.median(), atol=0.03, **words)


def _rise(record: xr.Dataset) -> Verdict:
    """By ranks, seed by seed: all gains have the same starts."""
    claim = "the IPR of a field rises with the gain where the positive class has the longer range"
    words: Any = {"kind": "claim", "source": "note 000, section 1"}
    how, gains = Conditions.found(record.attrs), record.gain.values
    few = None if len(gains) >= FEWEST else Need(f"{FEWEST} gains or more", f"{len(gains)}", {"gains": Settings().gains})
    timed = [] if how.optimizer == "momentum" else how.as_usual("optimizer")  # momentum lasts longer, Adam has no tau
    if why := lacking(few, lasting(record, ENOUGH), *timed):
        return Verdict.not_judged(claim, why, **words)
    long, short = (record.ipr.sel(order=order).isel(step=-1, unit=0).transpose("seed", "gain").values for order in ORDERS)
    found, other = rises(long), rises(short)
    error = 2 * standard_error(found)
    low, high = np.median(long, axis=0)[[0, -1]]
    note = f"median IPR {low:.2g} at gain {gain_text(gains[0])}, {high:.2g} at {gain_text(gains[-1])}; with the length scales "
    note += f"swapped the correlation is {other.mean():.2g}"
    of = f"mean rank correlation of IPR and gain over {len(found)} seeds"
    return Verdict.above(claim, RISES, found.mean(), of=of, error=error, note=note, **words)


def _as_before(record: xr.Dataset, ends: xr.DataArray) -> Verdict:
    claim = f"after {ENOUGH:g} τ a field at gain 3 is as localized as in earlier runs of this experiment"
    if why := lacking(*_setting(record), holding("gains", [3.0], record.gain.values)):
        return Verdict.not_judged(claim, why, kind="regression")
    median = ends.sel(order="long", gain=3.0).median()
    return Verdict.within(claim, EARLIER, median, atol=0.03, of="median IPR", kind="regression")


def _setting(record: xr.Dataset) -> list[Need | None]:
    """What is known for n = 40 and length scales 2 and 1 after 200 tau."""
    (xi_long, xi_short), n = record.attrs["length_scales"], record.sizes["position"]
    sizes = exactly("n", 40, n), exactly("xi_long", 2.0, xi_long), exactly("xi_short", 1.0, xi_short), lasting(record, ENOUGH)
    return [*sizes, *Conditions.found(record.attrs).as_usual()]


def _time(record: xr.Dataset) -> str:
    return f"{float(record.time[-1]):g} τ"


def rises(values: np.ndarray) -> np.ndarray:
    """The rank correlation of each row with its order, 0 where all are equal, NaN where one is no number.

    >>> rises(np.array([[0.1, 0.2, 0.6], [0.3, 0.2, 0.1], [0.2, 0.1, 0.3], [0.5, 0.5, 0.5]])).tolist()
    [1.0, -1.0, 0.5, 0.0]
    """
    ranks = np.where(np.isnan(values).any(-1, keepdims=True), np.nan, rankdata(values, axis=-1)) - (values.shape[-1] + 1) / 2
    order = np.arange(values.shape[-1]) - (values.shape[-1] - 1) / 2
    size = np.sqrt((ranks**2).sum(-1) * (order**2).sum())
    return np.where(size == 0, 0.0, ranks @ order / np.maximum(size, 1.0))
