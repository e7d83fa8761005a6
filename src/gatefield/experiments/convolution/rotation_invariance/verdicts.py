"""What `rotation-invariance` says of its claims."""

import numpy as np
import xarray as xr

from gatefield.experiments.convolution.rotation_invariance.training import NETS
from gatefield.experiments.deep.digits.verdicts import exceeds, spread
from gatefield.lab.verdict import Verdict

ROUNDING, FAR = 1e-12, 4.5
"""Relative rounding errors allowed in float64; how many standard errors a mean of samples may be away."""


def verdicts(record: xr.Dataset) -> list[Verdict]:
    return [
        _unchanged(record),
        *(_changes(record, case) for case in ("kept", "unpooled")),
        _sampled(record),
        _sum_of_terms(record),
        _one_term(record),
        _each_network(record),
        *_trained(record),
    ]


def _range(values: xr.DataArray) -> float:
    """How far values at different rotations are apart, relative to the largest."""
    return float(np.ptp(values.values) / max(float(abs(values).max()), 1e-300))


def _unchanged(record: xr.Dataset) -> Verdict:
    found = _range(record.exact.sel(case="rotating"))
    note = f"E<y,y'> = {float(record.exact.sel(case='rotating')[0]):.5g} at every rotation"
    return Verdict.judged(
        "pooled, gates rotate: E<y,y'> is the same for all rotations of x'",
        0.0,
        found,
        f"range over the largest value at most {ROUNDING:g}",
        found <= ROUNDING,
        note,
    )


def _changes(record: xr.Dataset, case: str) -> Verdict:
    values = record.exact.sel(case=case)
    name = {"kept": "pooled, gates kept in place", "unpooled": "not pooled, gates rotate"}[case]
    return Verdict.judged(
        f"{name}: E<y,y'> depends on the rotation",
        1.0,
        _range(values),
        "range over the largest value above 0.1",
        _range(values) > 0.1,
        f"from {float(values.min()):.3g} to {float(values.max()):.3g}" + (", over n^2" if case == "unpooled" else ""),
    )


def _sampled(record: xr.Dataset) -> Verdict:
    away = abs(record.found - record.exact) / record.error
    worst = float(away.where(record.error > 0, 0.0).max())
    note = f"{record.attrs['draws']} networks; {away.size} means, those of 'pooled, gates rotate' being one and the same"
    return Verdict.judged(
        "sampled networks have these moments", 0.0, worst, f"largest distance below {FAR:g} standard errors", worst < FAR, note
    )


def _sum_of_terms(record: xr.Dataset) -> Verdict:
    total = record.terms.sum("rotation")
    moment = float(record.exact.sel(case="rotating")[0])
    worst = float(abs(total / moment - 1).max())
    return Verdict.judged(
        "the terms of all rotations sum to the pooled moment, also after turning x'",
        0.0,
        worst,
        f"relative distance at most {ROUNDING:g}",
        worst <= ROUNDING,
        f"sums {', '.join(f'{float(one):.5g}' for one in total)}",
    )


def _one_term(record: xr.Dataset) -> Verdict:
    first = record.terms.isel(rotation=0)
    found = _range(first)
    turns = ", ".join(
        f"{float(value):.3g} for x' turned by {int(turn)}" for turn, value in zip(record.turn, first, strict=True)
    )
    return Verdict.judged(
        "the paper: the term of one rotation is translation invariant",
        0.0,
        found,
        f"range over the largest value at most {ROUNDING:g}",
        found <= ROUNDING,
        f"refuted: term 0 is {turns}; turning permutes the terms",
    )


def _each_network(record: xr.Dataset) -> Verdict:
    found = float(record.change.sel(gates="rotating"))
    kept = float(record.change.sel(gates="kept"))
    return Verdict.judged(
        "pooled, gates rotate: no output of any sampled network changes, not only their mean",
        0.0,
        found,
        "largest relative change at most 1e-4, in float32",
        found <= 1e-4,
        f"with gates kept in place {kept:.2g}",
    )


def _trained(record: xr.Dataset) -> list[Verdict]:
    accuracy = record.accuracy
    rotating = accuracy.sel(net="rotating")
    width = float((rotating.max("rotation") - rotating.min("rotation")).max())
    found = [
        Verdict.judged(
            "trained, pooled, gates rotate: the same test accuracy at every place",
            0.0,
            100 * width,
            "percentage points between places, at most 0.5 in every run",
            width <= 0.005,
            f"largest relative change of an output {float(record.output_change.sel(net='rotating').max()):.1e}",
        ),
        _learns(rotating.sel(training="one").mean("rotation")),
    ]
    found += [_lost(record, net) for net in ("kept", "flatten")]
    any_place = accuracy.sel(training="any").mean("rotation")
    for net in ("kept", "flatten"):
        note = f"{spread(any_place.sel(net='rotating'), 100)} % against {spread(any_place.sel(net=net), 100)} %"
        claim = f"trained at any place: better with a mean and rotating gates than with '{NETS[net]}' (percentage points)"
        found.append(exceeds(claim, any_place.sel(net="rotating"), any_place.sel(net=net), note=note, scale=100))
    return found


def _learns(values: xr.DataArray) -> Verdict:
    mean = 100 * float(values.mean())
    return Verdict.judged(
        "pooled, gates rotate: ramps seen at one place are told apart at all (test accuracy in percent)",
        100.0,
        mean,
        "at least 90",
        mean >= 90,
        f"{spread(values, 100)} % over {values.sizes['seed']} seeds",
    )


def _lost(record: xr.Dataset, net: str) -> Verdict:
    values, n, length = record.accuracy.sel(net=net, training="one"), record.sizes["rotation"], record.attrs["length"]
    away = values.sel(rotation=(record.rotation >= length) & (record.rotation <= n - length)).mean("rotation")
    here = values.sel(rotation=0)
    lost = 100 * float((here - away).mean())
    return Verdict.judged(
        f"{NETS[net]}: ramps seen at one place are not told apart elsewhere (percentage points lost)",
        100 * float(here.mean()) - 50,
        lost,
        "at least 20 lost where no position of the ramp was a position of one in training",
        lost >= 20,
        f"{spread(here, 100)} % there, {spread(away, 100)} % elsewhere",
    )
