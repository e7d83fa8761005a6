"""What a record of `single-pulse` says of each claim."""

from collections.abc import Sequence
from typing import Any

import xarray as xr

from gatefield.experiments.by_seed import seeds_text
from gatefield.lab import Verdict
from gatefield.lab.needs import at_least, exactly, lacking, lasting, undecided
from gatefield.measures import LOCALIZED

ENOUGH = 1500.0
"""Time in tau, at the rate of centred pulses, after which fields that localize have done so: sites have a variance of 1/4 only,
and between a wave and one site there is little to gain. Pulses that are not centred have a fifth of it."""
CLEAR = 0.3
"""An IPR of a field that is clearly localized, as in `gaussian-clone`."""
CLOSE = 0.1
"""By how much the IPR of SGD may differ from that of the exact descent: that of late minibatch noise."""
SAME = 0.02
"""Shares of the labels that differ by less count as the same: a twentieth of what a neuron explains."""
NOTES = "notes 000 and 002, section 1"
NAMES = {"both": "centred, with complement", "centred": "centred", "complement": "with complement", "plain": "as they are"}


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    final = record.ipr.isel(step=-1, unit=0)
    out = [
        _localizes(record, final),
        _swapped(final),
        _uncentred(final),
        _clones(record, final),
        _descent(record, final),
        _explains(record),
        _deepest(record, final),
    ]
    return [*undecided(lacking(lasting(record, ENOUGH)), *out), _earlier(record, final)]


def _localizes(record: xr.Dataset, final: xr.DataArray) -> Verdict:
    one = final.sel(order="wide", kind="both")
    pulse, clone = (one.sel(data=data) for data in ("pulse", "clone"))
    start, ipr = "SGD on centred pulses with complement", float(pulse.median())
    return Verdict.below(
        "wide pulses against narrow ones, centred and with complement, localize the field, and their Gaussian clone does not",
        0.1,
        float(clone.median()),
        of="median IPR on the clone",
        kind="claim",
        source=NOTES,
        note=f"IPR on pulses: {seeds_text(pulse)}; on the clone: {seeds_text(clone)}",
        found=f"{start} localizes a field if wide ones are positive (IPR {ipr:.2f})",
        otherwise=f"{start}, wide ones positive, ends at IPR {ipr:.2f}, on its clone at {float(clone.median()):.2f}",
    ).and_above(CLEAR, float(pulse.median()), of="median IPR on pulses")


def _swapped(final: xr.DataArray) -> Verdict:
    one = final.sel(order="narrow", kind="both", data="pulse")
    others = _others(final.sel(data="pulse", kind=final.kind != "both").median("seed") > LOCALIZED)
    return Verdict.below(
        "narrow pulses against wide ones, centred and with complement, do not localize the field",
        LOCALIZED,
        float(one.median()),
        of="median IPR",
        kind="claim",
        source="note 000, section 1: localization if the positive class has the longer range",
        note=f"IPR: {seeds_text(one)}",
        found=f"not if narrow ones are ({float(one.median()):.2f}); {others}",
        otherwise=f"if narrow ones are, too ({float(one.median()):.2f}); {others}",
    )


def _others(localized: xr.DataArray) -> str:
    """What the kinds of pulses do that the headline does not name."""
    if localized.any() and not localized.all():
        return "other kinds vary"
    return f"other kinds {'localize' if localized.all() else 'do not'}"


def _uncentred(final: xr.DataArray) -> Verdict:
    return Verdict.each(
        "pulses that are not centred do not localize the field, with or without complement, in either order",
        _rows(final.sel(data="pulse", kind=["complement", "plain"]).median("seed"), "median IPR on pulses"),
        kind="regression",
        note="found earlier, with fewer seeds",
    )


def _rows(median: xr.DataArray, of: str) -> dict[str, Verdict]:
    """That no field is localized, for each order and kind."""
    return {
        f"{order} positive, {NAMES[kind]}": Verdict.below("", LOCALIZED, float(median.sel(order=order, kind=kind)), of=of)
        for order in median.order.values
        for kind in median.kind.values
    }


def _clones(record: xr.Dataset, final: xr.DataArray) -> Verdict:
    """The headline of the second figure counts the pulses that localize beside them."""
    median = final.median("seed")
    rows = _rows(median.sel(data="clone"), "median IPR on clones")
    pulses, clones = (int((median.sel(data=data) > LOCALIZED).sum()) for data in ("pulse", "clone"))
    cases, most = f"{pulses} of {len(rows)} kinds and orders of pulses", float(median.sel(data="clone").max())
    start = f"SGD localizes fields on {cases}, on"
    return Verdict.each(
        "no Gaussian clone of the pulses localizes the field",
        rows,
        kind="control",
        more_found=f"{start} none of their Gaussian clones (median IPR {most:.2f} at most)",
        more_otherwise=f"{start} {clones} of their Gaussian clones (median IPR up to {most:.2f})",
    )


def _descent(record: xr.Dataset, final: xr.DataArray) -> Verdict:
    claim = "descent by the exact gradient localizes the field as much as SGD does, for every order and kind of pulses"
    return _alike(claim, final.sel(data="pulse"), record.descent_ipr, CLOSE, "median IPR")


def _explains(record: xr.Dataset) -> Verdict:
    claim = "SGD and descent by the exact gradient explain the same share of the labels, for every order and kind of pulses"
    return _alike(claim, record.explained, record.descent_explained, SAME, "median share")


def _alike(claim: str, sgd: xr.DataArray, exact: xr.DataArray, atol: float, of: str) -> Verdict:
    """Medians of SGD against those of exact descent from the same starts."""
    trained, predicted = sgd.median("seed"), exact.median("seed")
    rows = {}
    for order, kind in _cases(xr.ones_like(trained, dtype=bool)):
        one = {"order": order, "kind": kind}
        measured, said = float(trained.sel(one)), float(predicted.sel(one))
        rows[f"{order} positive, {NAMES[kind]}"] = Verdict.within("", said, measured, atol=atol, of=f"{of} of SGD")
    return Verdict.each(claim, rows, note="predicted: descent by the exact gradient, a sum over all pulses")


def _deepest(record: xr.Dataset, final: xr.DataArray) -> Verdict:
    said, found = predicted(record), final.sel(data="pulse").median("seed") > LOCALIZED
    wrong = [f"{order} positive, {NAMES[kind]}" for order, kind in _cases(said != found)]
    return Verdict.equals(
        "the field localizes where a state around one site explains more of the labels than one grown from the best wave",
        1.0,
        float((said == found).mean()),
        of="share of orders and kinds of pulses with the right answer",
        note=f"wrong: {'; '.join(wrong)}" if wrong else "explained: c²/(2D), at the end of the exact descent",
    )


def predicted(record: xr.Dataset) -> xr.DataArray:
    """Whether the state that explains most, of those that special starts end in, is localized."""
    best = record.special_explained.argmax("start")
    return record.special_ipr.isel(start=best) > LOCALIZED


def _cases(where: xr.DataArray) -> list[tuple[str, str]]:
    return [
        (str(order), str(kind))
        for order in where.order.values
        for kind in where.kind.values
        if bool(where.sel(order=order, kind=kind))
    ]


def _earlier(record: xr.Dataset, final: xr.DataArray) -> Verdict:
    """Of an earlier run, with fewer seeds."""
    claim = "on wide pulses, centred and with complement, the IPR is that of an earlier run"
    words: Any = {"kind": "regression"}
    widths = [exactly(name, value, tuple(record.attrs[name])) for name, value in {"wide": (12, 20), "narrow": (2, 10)}.items()]
    setting = exactly("n", 40, record.sizes["position"]), *widths, at_least("seeds", 2, record.sizes["seed"])
    if why := lacking(*setting, lasting(record, ENOUGH)):
        return Verdict.not_judged(claim, why, **words)
    one = final.sel(order="wide", kind="both", data="pulse")
    return Verdict.between(claim, 0.74, 0.91, float(one.median()), of="median IPR", note=seeds_text(one), **words)
