"""What `rotation-invariance` says of its claims."""

import numpy as np
import xarray as xr

from gatefield.experiments.convolution.rotation_invariance.training import NETS
from gatefield.experiments.deep.digits.verdicts import exceeds, spread
from gatefield.experiments.needs import at_least, exactly, lacking, undecided, unjudged
from gatefield.lab import Verdict

ROUNDING, SINGLE, FAR = 1e-12, 1e-4, 4.5
"""Relative rounding errors allowed in float64, and in float32 after some layers; how many standard errors a mean of samples may
be away."""
ENOUGH = 200
"""Steps after which networks tell ramps apart; of fewer, nothing is decided."""
LEMMA, REMARK = "paper 004, lemma 4.1", "paper 004, remark after lemma 4.1"
FOOTNOTE = "paper 004, section 4, footnote 5"
CASES = {"kept": "pooled, gates kept in place", "unpooled": "not pooled, gates rotate"}


def verdicts(record: xr.Dataset) -> list[Verdict]:
    return [
        _unchanged(record),
        *(_changes(record, case) for case in CASES),
        _sampled(record),
        _sum_of_terms(record),
        _one_term(record),
        _each_network(record),
        *_trained(record),
        *_maxima(record),
    ]


def _range(values: xr.DataArray) -> float:
    """How far values at different rotations are apart, relative to the largest."""
    return float(np.ptp(values.values) / max(float(abs(values).max()), 1e-300))


def _unchanged(record: xr.Dataset) -> Verdict:
    values = record.exact.sel(case="rotating")
    return Verdict.below(
        "pooled, gates rotate: E<y,y'> is the same for all rotations of x'",
        ROUNDING,
        _range(values),
        predicted=0.0,
        or_equal=True,
        of="range over the largest value",
        kind="claim",
        source=LEMMA,
        note=f"E<y,y'> = {float(values[0]):.5g} at every rotation",
    )


def _changes(record: xr.Dataset, case: str) -> Verdict:
    values = record.exact.sel(case=case)
    return Verdict.above(
        f"{CASES[case]}: E<y,y'> depends on the rotation",
        0.1,
        _range(values),
        predicted=1.0,
        of="range over the largest value",
        kind="control",
        note=f"from {float(values.min()):.3g} to {float(values.max()):.3g}" + (", over n^2" if case == "unpooled" else ""),
    )


def _sampled(record: xr.Dataset) -> Verdict:
    away = abs(record.found - record.exact) / record.error
    return Verdict.below(
        "the moments of sampled networks are the exact ones",
        FAR,
        float(away.where(record.error > 0, 0.0).max()),
        predicted=0.0,
        of="largest distance in standard errors",
        kind="control",
        note=f"{record.attrs['draws']} networks; {away.size} means, those of 'pooled, gates rotate' being one and the same",
    )


def _sum_of_terms(record: xr.Dataset) -> Verdict:
    total, moment = record.terms.sum("rotation"), float(record.exact.sel(case="rotating")[0])
    return Verdict.below(
        "the terms of all rotations sum to the pooled moment, also after turning x'",
        ROUNDING,
        float(abs(total / moment - 1).max()),
        predicted=0.0,
        or_equal=True,
        of="largest relative distance",
        source=f"{REMARK}, corrected",
        note=f"sums {', '.join(f'{float(one):.5g}' for one in total)}",
    )


def _one_term(record: xr.Dataset) -> Verdict:
    first = record.terms.isel(rotation=0)
    turns = [f"{float(value):.3g} for x' turned by {int(turn)}" for turn, value in zip(record.turn, first, strict=True)]
    return Verdict.below(
        "the term of one rotation is translation invariant",
        ROUNDING,
        _range(first),
        predicted=0.0,
        or_equal=True,
        of="range over the largest value",
        kind="claim",
        source=REMARK,
        note=f"term 0 is {', '.join(turns)}; turning permutes the terms",
    )


def _each_network(record: xr.Dataset) -> Verdict:
    return Verdict.below(
        "pooled, gates rotate: no output of any sampled network changes, not only their mean",
        SINGLE,
        float(record.change.sel(gates="rotating")),
        predicted=0.0,
        or_equal=True,
        of="largest relative change",
        note=f"in float32; with gates kept in place {float(record.change.sel(gates='kept')):.2g}",
    )


def _trained(record: xr.Dataset) -> list[Verdict]:
    any_place = record.accuracy.sel(training="any").mean("rotation")
    better = [_better(any_place.sel(net="rotating"), any_place.sel(net=net), NETS[net]) for net in ("kept", "flatten")]
    why, far = lacking(at_least("steps", ENOUGH, int(record.step[-1]))), _no_other_place(record)
    lost = unjudged(far, *(_lost(record, net) for net in ("kept", "flatten")))
    return [_everywhere(record), *undecided(why, _learns(record), *lost, *better)]


def _no_other_place(record: xr.Dataset) -> str:
    """Why ramps are not looked at where none was in training, if there is no such place."""
    return lacking(at_least("positions", 2 * record.attrs["length"], record.sizes["rotation"]))


def _everywhere(record: xr.Dataset) -> Verdict:
    rotating = record.accuracy.sel(net="rotating")
    change = float(record.output_change.sel(net="rotating").max())
    return Verdict.below(
        "trained, pooled, gates rotate: the test accuracy is the same at every place",
        0.5,
        100 * float((rotating.max("rotation") - rotating.min("rotation")).max()),
        predicted=0.0,
        or_equal=True,
        of="percentage points between places, in the run with most,",
        source=LEMMA,
        note=f"largest relative change of an output {change:.1e}",
    )


def _learns(record: xr.Dataset) -> Verdict:
    values = record.accuracy.sel(net="rotating", training="one").mean("rotation")
    return Verdict.above(
        "pooled, gates rotate: ramps seen at one place are told apart at all",
        90,
        100 * float(values.mean()),
        predicted=100.0,
        or_equal=True,
        of="test accuracy in percent",
        note=f"{spread(values, 100)} % over {values.sizes['seed']} seeds",
    )


def _lost(record: xr.Dataset, net: str) -> Verdict:
    """Compared where no position of the ramp was a position of one in training."""
    values, n, length = record.accuracy.sel(net=net, training="one"), record.sizes["rotation"], record.attrs["length"]
    away = values.sel(rotation=(record.rotation >= length) & (record.rotation <= n - length)).mean("rotation")
    here = values.sel(rotation=0)
    return Verdict.above(
        f"{NETS[net]}: ramps seen at one place are not told apart where no ramp was",
        20,
        100 * float((here - away).mean()),
        predicted=100 * float(here.mean()) - 50,
        or_equal=True,
        of="percentage points lost",
        note=f"{spread(here, 100)} % there, {spread(away, 100)} % elsewhere",
    )


def _better(rotating: xr.DataArray, other: xr.DataArray, name: str) -> Verdict:
    note = f"{spread(rotating, 100)} % against {spread(other, 100)} %"
    claim = f"trained at any place: better with a mean and rotating gates than with '{name}' (percentage points)"
    return exceeds(claim, rotating, other, note=note, scale=100, source=LEMMA)


def _maxima(record: xr.Dataset) -> list[Verdict]:
    """Max pooling: every network is invariant; the sum over paths needs positions that the weights do not choose."""
    n = record.sizes["rotation"]
    whole = lacking(exactly("positions", n + n % 2, n))
    return [_max_invariant(record), _max_paths(record), _own_maximum(record), *unjudged(whole, _blocks(record))]


def _max_invariant(record: xr.Dataset) -> Verdict:
    own = record.sel(pooling="own")
    return Verdict.below(
        "maximum over positions, gates rotate: the outputs of every sampled network stay, and so does E<y,y'>",
        SINGLE,
        float(own.max_change.max()),
        predicted=0.0,
        or_equal=True,
        of="largest relative change",
        kind="claim",
        source=FOOTNOTE,
        note=f"in float32; E<y,y'> = {float(own.max_found[0]):.4g} ± {float(own.max_error[0]):.1g}",
    )


def _max_paths(record: xr.Dataset) -> Verdict:
    """All rotations have one and the same mean; the first is compared."""
    found = record.sel(pooling="chosen").isel(rotation=0)
    exact = float(record.max_exact[0])
    return Verdict.below(
        "maximum over positions, chosen by the gating network: E<y,y'> is the sum over paths of the lemma, and invariant",
        FAR,
        abs(float(found.max_found) - exact) / float(found.max_error),
        predicted=0.0,
        of="distance in standard errors",
        kind="claim",
        source=FOOTNOTE,
        note=f"{exact:.4g}, sampled {float(found.max_found):.4g} ± {float(found.max_error):.1g}",
    ).and_below(ROUNDING, _range(record.max_exact), or_equal=True, of="range over rotations")


def _own_maximum(record: xr.Dataset) -> Verdict:
    """The position then depends on the weights, which assumption 2 excludes."""
    found = record.sel(pooling="own").isel(rotation=0)
    exact, mean, error = (float(one) for one in (record.max_exact[0], found.max_found, found.max_error))
    return Verdict.below(
        "maximum over positions, chosen by the outputs themselves: E<y,y'> is the sum over paths of the lemma",
        FAR,
        abs(mean - exact) / error,
        predicted=0.0,
        of="distance in standard errors",
        kind="claim",
        source=FOOTNOTE,
        note=f"{mean:.4g} ± {error:.1g}, {mean / exact:.3g} times the sum, because the position depends on the weights",
    )


def _blocks(record: xr.Dataset) -> Verdict:
    change, mean = (record[name].sel(pooling="blocks") for name in ("max_change", "max_found"))
    return Verdict.above(
        "maxima of blocks of two, then the mean: outputs change when x' turns by an odd number of positions, by an even not",
        0.01,
        float(change.isel(rotation=slice(1, None, 2)).min()),
        predicted=1.0,
        of="largest relative change, at the odd rotation with the least,",
        source=f"{FOOTNOTE}; blocks are ours",
        note=f"E<y,y'> from {float(mean.min()):.4g} to {float(mean.max()):.4g}",
    ).and_below(SINGLE, float(change.isel(rotation=slice(0, None, 2)).max()), or_equal=True, of="at even ones")
