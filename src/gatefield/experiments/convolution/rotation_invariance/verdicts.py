"""What `rotation-invariance` says of its claims."""

import numpy as np
import xarray as xr

from gatefield.core.intervals import largest_by_chance, mean_interval
from gatefield.experiments.by_seed import spread
from gatefield.experiments.convolution.rotation_invariance.training import NETS
from gatefield.lab import Verdict, exceeds
from gatefield.lab.needs import at_least, exactly, lacking, undecided, unjudged

ROUNDING, SINGLE, CHANGED = 1e-12, 1e-4, 1e-2
"""Relative rounding errors allowed in float64, and in float32 after some layers; what is a change, a hundred times that."""
SURE = 0.99
"""The probability of intervals in which a prediction has to lie."""
ENOUGH = 200
"""Steps after which networks tell ramps apart; of fewer, nothing is decided."""
TOLD, GUESS = 90, 50
"""Test accuracies in percent from which on ramps count as told apart, and that of a guess."""
LEMMA, REMARK = "paper 004, lemma 4.1", "paper 004, remark after lemma 4.1"
FOOTNOTE = "paper 004, section 4, footnote 5"
OTHERS = ("kept", "flatten")


def verdicts(record: xr.Dataset) -> list[Verdict]:
    why, far = lacking(at_least("steps", ENOUGH, int(record.step[-1]))), _no_other_place(record)
    one_place = unjudged(far, _elsewhere(record), _guesses(record))
    return [
        *undecided(why, one_place[0]),
        _one_term(record),
        *undecided(why, one_place[1], _learns(record), _any_place(record)),
        _no_output_changes(record),
        *_maxima(record),
        _changes(record),
        _sampled(record),
    ]


def relative_range(values: xr.DataArray) -> float:
    """How far values at different rotations are apart, relative to the largest."""
    return float(np.ptp(values.values) / max(float(abs(values).max()), 1e-300))


def _no_other_place(record: xr.Dataset) -> str:
    """Why ramps are not looked at where none was in training, if there is no such place."""
    return lacking(at_least("positions", 2 * record.attrs["length"], record.sizes["rotation"]))


def away(record: xr.Dataset, net: str) -> xr.DataArray:
    """Accuracy by seed of networks trained at one place, where no position of the ramp was a position of one in training."""
    values, n, length = record.accuracy.sel(net=net, training="one"), record.sizes["rotation"], record.attrs["length"]
    return values.sel(rotation=(record.rotation >= length) & (record.rotation <= n - length)).mean("rotation")


def _elsewhere(record: xr.Dataset) -> Verdict:
    rotating, others = away(record, "rotating"), {net: away(record, net) for net in OTHERS}
    of = "difference of test accuracies in percentage points"
    rows = {NETS[net]: exceeds("", rotating, one, note="", scale=100, of=of) for net, one in others.items()}
    here, kept, single = (f"{100 * float(one.mean()):.0f} %" for one in (rotating, *others.values()))
    right = f"({here} right; gates kept in place {kept}, no mean {single})"
    return Verdict.each(
        "trained on ramps at one place, a network with a mean over positions and rotating gates does better where no ramp was "
        "than networks without one of them",
        rows,
        source=LEMMA,
        note=f"{spread(rotating, 100)} % of test ramps; errors: one-sided 95 % intervals of {rotating.size} seeds",
        found=f"ramps learned at one place are told apart elsewhere by a mean with rotating gates {right}",
        otherwise=f"elsewhere a mean with rotating gates tells ramps learned at one place no better apart {right}",
    )


def _guesses(record: xr.Dataset) -> Verdict:
    """Of the others: what they have learned says nothing of places where no ramp was."""
    rows = {}
    for net in OTHERS:
        values = 100 * away(record, net)
        mean, low, high = mean_interval(values.values, SURE)
        here = 100 * record.accuracy.sel(net=net, training="one", rotation=0)
        of = f"test accuracy elsewhere in % ({spread(here)} where they were seen)"
        few = lacking(at_least("seeds", 2, values.size))
        rows[NETS[net]] = undecided(few, Verdict.within("", GUESS, mean, atol=GUESS if few else (high - low) / 2, of=of))[0]
    return Verdict.each(
        "trained on ramps at one place, networks without the mean or without rotating gates guess where no ramp was",
        rows,
        note=f"granted: the {100 * SURE:g} % interval of the mean over {record.sizes['seed']} seeds",
    )


def _learns(record: xr.Dataset) -> Verdict:
    values = 100 * record.accuracy.sel(net="rotating", training="one").mean("rotation")
    mean, low, _ = mean_interval(values.values, one_sided=True)
    return Verdict.above(
        f"with a mean over positions and rotating gates, ramps seen at one place are told apart at all, to {TOLD} % or more",
        TOLD,
        mean,
        or_equal=True,
        error=mean - low,
        of="test accuracy in percent",
        note=f"{spread(values)} % over {values.size} seeds; error: one-sided 95 % interval",
    )


def _any_place(record: xr.Dataset) -> Verdict:
    accuracy = record.accuracy.sel(training="any").mean("rotation")
    rotating, of = accuracy.sel(net="rotating"), "difference of test accuracies in percentage points"
    rows = {NETS[net]: exceeds("", rotating, accuracy.sel(net=net), note="", scale=100, of=of) for net in OTHERS}
    others = ", ".join(f"{NETS[net]} {spread(accuracy.sel(net=net), 100)} %" for net in OTHERS)
    return Verdict.each(
        "trained on ramps at any place, a network with a mean over positions and rotating gates does better than networks "
        "without one of them",
        rows,
        source=LEMMA,
        note=f"{spread(rotating, 100)} %; {others}; one-sided 95 % intervals of seeds",
    )


def _one_term(record: xr.Dataset) -> Verdict:
    first = record.terms.isel(rotation=0)
    part = f"{100 * relative_range(first):.0f} %"
    turns = [f"{float(value):.3g} for x' turned by {int(turn)}" for turn, value in zip(record.turn, first, strict=True)]
    return Verdict.below(
        "the mean product E<y,y'> of two outputs behind a mean over positions is a sum over rotations, each term of which is "
        "invariant to translations by itself",
        ROUNDING,
        relative_range(first),
        or_equal=True,
        of="range over the largest value",
        kind="claim",
        source=REMARK,
        note=f"term 0 is {', '.join(turns)}; turning permutes the terms",
        more_found="the first term of the paper's sum does not change when x' is turned",
        more_otherwise=f"the first term of the paper's sum changes by {part} when x' is turned, the sum does not",
    )


def _no_output_changes(record: xr.Dataset) -> Verdict:
    changes = {
        "mean, sampled networks": record.change.sel(gates="rotating"),
        "mean, trained networks": record.output_change.sel(net="rotating").max(),
        "maximum, sampled networks": record.max_change.sel(pooling="own").max(),
    }
    of = "largest relative change of an output, in float32,"
    return Verdict.each(
        "with a mean or a maximum over all positions and gates that rotate, rotations change no output of any network",
        {at: Verdict.below("", SINGLE, change, or_equal=True, of=of) for at, change in changes.items()},
        kind="control",
        source=f"{LEMMA} and footnote 5",
        note="an identity of networks that turn with their input, which checks the code; with gates kept in place outputs "
        f"change by up to {float(record.change.sel(gates='kept')):.2g}",
        more_found="behind a maximum over all positions no output changes",
        more_otherwise="behind a mean or a maximum over all positions outputs change",
    )


def _maxima(record: xr.Dataset) -> list[Verdict]:
    """Max pooling: the sum over paths needs positions that the weights do not choose."""
    n = record.sizes["rotation"]
    whole = lacking(exactly("positions", n + n % 2, n))
    end = "the mean product E<y,y'> of two outputs is the sum over paths of paper 004, lemma 4.1"
    chosen = f"with max pooling at positions that a gating network chooses, {end}"
    own = f"with max pooling at positions that the outputs themselves choose, {end}"
    return [_over_paths(record, "chosen", chosen), _over_paths(record, "own", own), *unjudged(whole, _blocks(record))]


def _over_paths(record: xr.Dataset, pooling: str, claim: str) -> Verdict:
    """All rotations have one and the same mean; the first is compared."""
    found = record.sel(pooling=pooling).isel(rotation=0)
    exact, mean, error = (float(one) for one in (record.max_exact[0], found.max_found, found.max_error))
    return Verdict.below(
        claim,
        largest_by_chance(1),
        abs(mean - exact) / error,
        of="distance in standard errors",
        kind="claim",
        source=FOOTNOTE,
        note=f"{exact:.4g}, sampled {mean:.4g} ± {error:.1g}, {mean / exact:.3g} times the sum; bound: 1 % by chance",
    )


def _blocks(record: xr.Dataset) -> Verdict:
    change, mean = (record[name].sel(pooling="blocks") for name in ("max_change", "max_found"))
    return Verdict.above(
        "with maxima of blocks of two and then the mean, outputs change if an input turns by an odd number of positions, not "
        "by an even one",
        CHANGED,
        float(change.isel(rotation=slice(1, None, 2)).min()),
        of="largest relative change, at the odd rotation with the least,",
        source=f"{FOOTNOTE}; blocks are ours",
        note=f"E<y,y'> from {float(mean.min()):.4g} to {float(mean.max()):.4g}",
    ).and_below(SINGLE, float(change.isel(rotation=slice(0, None, 2)).max()), or_equal=True, of="at even ones")


def _changes(record: xr.Dataset) -> Verdict:
    """Seen in the sampled networks, beyond what the largest difference of two of so many means is by chance."""
    n, rows = record.sizes["rotation"], {}
    for case, at in (("kept", "mean, gates kept in place"), ("unpooled", "no mean, gates rotate")):
        one = record.sel(case=case)
        low, high = one.isel(rotation=int(one.found.argmin("rotation"))), one.isel(rotation=int(one.found.argmax("rotation")))
        away = float((high.found - low.found) / np.hypot(low.error, high.error))
        span = f"exact {float(one.exact.min()):.3g} to {float(one.exact.max()):.3g}"
        of = f"largest less smallest mean, in standard errors ({span})"
        rows[at] = Verdict.above("", largest_by_chance(n * (n - 1) // 2), away, of=of)
    return Verdict.each(
        "without the mean over positions, or with gates kept in place, the mean product E<y,y'> of two outputs changes when "
        "one input is rotated",
        rows,
        kind="control",
        note=f"the largest of {n * (n - 1) // 2} differences exceeds the bound by chance in 1 %; without the mean over n²",
    )


def _sampled(record: xr.Dataset) -> Verdict:
    off = abs(record.found - record.exact) / record.error
    return Verdict.below(
        "the mean product E<y,y'> of two outputs over sampled networks is the exact one",
        largest_by_chance(off.size),
        float(off.where(record.error > 0, 0.0).max()),
        of="largest distance in standard errors",
        kind="control",
        note=f"{record.attrs['draws']:,} networks; {off.size} means, of which chance takes the largest beyond the bound in 1 %",
    )
