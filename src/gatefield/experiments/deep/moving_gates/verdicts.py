"""What the record of `moving-gates` says of each claim."""

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.intervals import mean_interval, standard_error
from gatefield.experiments.deep.digits.verdicts import generalises
from gatefield.experiments.deep.moving_gates.simulate import CALM, FLOWS, MOVING, NETS
from gatefield.lab import Verdict, exceeds
from gatefield.lab.needs import at_least, lacking, undecided, unjudged

MOVED = 0.05
"""Gates of a layer have moved if more than this share of them is on another side than at the start."""
LATE = 0.01
"""Gates keep changing if more than this share of them changes side within the last quarter of the training."""
SLOWER = 0.5
"""Gates slow down if in the last quarter of the training they flip at less than this part of the rate of the first one."""
REST = 0.5
"""Gates come to rest without noise if a falling learning rate takes away at least this part of the last quarter's flips."""
LEFT = 0.5
"""Overlap below which less than half of an open sub-network is left."""
LEARNED = 0.9
"""Test accuracy from which on a network counts as having learned two digits; guessing gives one half."""
SPEED = 0.01
"""Relative error of speeds: steps are finite and in float32."""
ROUNDING = 1e-6
"""Of epochs, which are steps over steps."""
LOOKS, LONG = 8, 20
"""Records and epochs from which on the quarters of a training can be told apart, and the last one is late."""
SOURCE, TWIN = "paper 004, section 3: in ReLU networks G_t keeps changing with time", "paper 004, conceptual gain IV"
IDENTITY = "an identity of the chain rule, which checks the measurement"
"""Why a verdict is no claim but a control."""


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """Of all moving networks, and of strengths and gates apart."""
    few = at_least("records", LOOKS, record.sizes["step"] - 1)
    why = lacking(few, at_least("epochs", LONG, record.attrs["epochs"]))
    late = _late(record)
    timed = unjudged(why, late[0], _rests(record), *late[1:])
    return [*timed, *_far(record), *_twins(record)]


def quarters(epoch: Any) -> list[int]:
    """The records at the start, after each quarter of the training, and at the end, or those next to them.

    >>> quarters([0.0, 2.0, 4.0, 6.0, 8.0, 9.0])
    [0, 1, 2, 3, 5]
    """
    epoch = np.asarray(epoch)
    return [int(np.abs(epoch - part * epoch[-1]).argmin()) for part in (0.0, 0.25, 0.5, 0.75, 1.0)]


def whole_intervals(epoch: Any, first: int = 0, last: int | None = None) -> list[int]:
    """The records after `first` up to `last` that come as long after the one before as all do; the very last may come sooner.

    Gates that flicker flip nearly as often in a short time as in a long one, so that rates need intervals of one length.

    >>> whole_intervals([0.0, 2.0, 4.0, 6.0, 7.0], first=1)
    [2, 3]
    """
    apart = np.diff(np.asarray(epoch))
    within = range(first + 1, (len(apart) if last is None else last) + 1)
    return [at for at in within if apart[at - 1] > (1 - ROUNDING) * apart[0]] or list(within)


def flips_per_epoch(record: xr.Dataset, first: int, last: int) -> xr.DataArray:
    """Share of all gates that flips between records, for each epoch from one record to another."""
    whole = whole_intervals(record.epoch, first, last)
    return record.between.mean("layer").isel(step=whole).sum("step") / np.diff(record.epoch)[np.array(whole) - 1].sum()


def undone(record: xr.Dataset) -> xr.DataArray:
    """Share of the flips of the last quarter that does not show at its end, since the gate flipped back."""
    late = quarters(record.epoch)[3]
    flips = record.between.mean("layer").isel(step=slice(late + 1, None)).sum("step")
    left = 1 - record.agreement.mean("layer").isel(step=late)
    return xr.where(flips > 0, 1 - left / flips.where(flips > 0, 1.0), 0.0)


def drift(record: xr.Dataset) -> xr.DataArray:
    """Share of gates changed over the last quarter, over that from one record to the next in it.

    Gates that only flicker about where they are change as many over a long time as over a short one: 1. Those that leave for
    good add up, to at most the number of records.
    """
    late = quarters(record.epoch)[3]
    flicker = record.between.mean("layer").isel(step=whole_intervals(record.epoch, late)).mean("step")
    left = 1 - record.agreement.mean("layer").isel(step=late)
    return xr.where(flicker > 0, left / flicker.where(flicker > 0, 1.0), 1.0)


def gates_part(record: xr.Dataset) -> xr.DataArray:
    """The part of the gates in the speed of a gradient flow from where a network is."""
    return record.speed_a / (record.speed_a + record.speed_w)


def gates_ends(record: xr.Dataset) -> list[float]:
    """That of both together at the start and at the end, in percent, mean over seeds."""
    part = 100 * gates_part(record).sel(flow="soft-galu").mean("seed")
    return [float(part.isel(step=at)) for at in (0, -1)]


def late_share(record: xr.Dataset) -> str:
    """How many gates of the moving networks are on another side at the end than a quarter of the training before, in words."""
    late = quarters(record.epoch)[3]
    ends = [100 * float(1 - record.agreement.sel(net=net).isel(step=late).mean()) for net in MOVING]
    return f"{min(ends):.1f} to {max(ends):.1f} %"


def late_flips(record: xr.Dataset) -> dict[str, xr.DataArray]:
    """Flips per epoch in the last quarter: of ReLU, and of ReLU with a learning rate that falls to zero."""
    late, end = quarters(record.epoch)[3:]
    return {net: flips_per_epoch(record.sel(net=net), late, end) for net in ("relu", CALM)}


def late_flip_ratio(record: xr.Dataset) -> xr.DataArray:
    """The second of these over the first, for each seed."""
    rates = late_flips(record)
    return rates[CALM] / rates["relu"].where(rates["relu"] > 0, np.inf)


def _late(record: xr.Dataset) -> list[Verdict]:
    """Whether gates keep changing, drift, slow down, and settle."""
    _, first, _, late, end = quarters(record.epoch)
    apart, quarter = float(record.epoch[1] - record.epoch[0]), float(record.epoch[end] - record.epoch[late])
    nets = {NETS[net]: record.sel(net=net) for net in MOVING}
    changed = {name: 1 - one.agreement.isel(step=late).mean("layer") for name, one in nets.items()}
    shares = late_share(record)
    when = f"in the last quarter of {record.attrs['epochs']} epochs"
    seeds = f"one-sided 95 % intervals of {record.sizes['seed']} seeds, ± standard errors"
    return [
        Verdict.each(
            "gates of ReLU, soft ReLU and soft GaLU networks keep changing to the end of the training",
            {
                name: _over_seeds(Verdict.above, LATE, values, "share of gates that changes side within the last quarter")
                for name, values in changed.items()
            },
            kind="claim",
            source=SOURCE,
            note=f"of the flips between records {', '.join(plus_minus(undone(one), 100) for one in nets.values())} % are "
            f"undone by the end; {seeds}",
            found=f"{when} {shares} of gates still change side",
            otherwise=f"{when} only {shares} of gates change side",
        ),
        Verdict.each(
            "late in the training gates still drift, and do not only flicker",
            {
                name: _over_seeds(Verdict.above, 1.0, drift(one), "change over the last quarter over that of one interval")
                for name, one in nets.items()
            },
            note=f"over {quarter:.3g} epochs against {apart:.3g}; 1 is flicker alone, about gates that stay; {seeds}",
        ),
        Verdict.each(
            "gates flip less and less often during the training",
            {name: _slows(one, first, late, end) for name, one in nets.items()},
            note=f"flips are counted between records {apart:.3g} epochs apart; {seeds}",
        ),
        Verdict.each(
            "agreement with the final gates rises from quarter to quarter of the training",
            {name: _settles(one) for name, one in nets.items()},
            note=f"share of gates on their final side; {seeds}",
        ),
    ]


def _slows(one: xr.Dataset, first: int, late: int, end: int) -> Verdict:
    early, last = flips_per_epoch(one, 0, first), flips_per_epoch(one, late, end)
    words = f"flips per epoch ({plus_minus(early, 100)} %, then {plus_minus(last, 100)} %), last quarter over first"
    return _over_seeds(Verdict.below, SLOWER, last / early.where(early > 0, np.inf), words)


def _settles(one: xr.Dataset) -> Verdict:
    """The step from one quarter to the next that rises least."""
    found = [one.agreement.mean("layer").isel(step=at) for at in quarters(one.epoch)[:4]]
    rises = [later - earlier for earlier, later in itertools.pairwise(found)]
    lowest = min(rises, key=lambda rise: mean_interval(rise.values, one_sided=True).low)
    at = ", ".join(f"{100 * float(values.mean()):.3g}" for values in found)
    return _over_seeds(Verdict.above, 0.0, lowest, f"least rise of that share (at the quarters: {at} %)")


def _far(record: xr.Dataset) -> list[Verdict]:
    """How far gates have moved at the end, layer by layer, and what is left of open sub-networks."""
    nets, seeds = {NETS[net]: record.sel(net=net) for net in MOVING}, f"intervals of {record.sizes['seed']} seeds"
    moved, deepest, left = {}, {}, {}
    for name, one in nets.items():
        end = one.flipped.isel(step=-1)
        least = end.sel(layer=end.mean("seed").idxmin())
        moved[name] = _over_seeds(Verdict.above, MOVED, least, f"least share of flipped gates, of layers {by_layer(end)},")
        of = "share flipped in the last layer less that in the first, in percentage points"
        deepest[name] = exceeds("", end.isel(layer=-1), end.isel(layer=0), scale=100, of=of, note="")
        of = f"overlap of open paths with those of the start (unrelated networks {plus_minus(one.overlap_chance)})"
        left[name] = _over_seeds(Verdict.below, LEFT, one.overlap.isel(step=-1), of)
    return [
        Verdict.each(
            "gates of every layer of ReLU, soft ReLU and soft GaLU networks have moved by the end of the training",
            moved,
            kind="claim",
            source=SOURCE,
            note=f"one-sided 95 % {seeds}",
        ),
        Verdict.each("gates of the last layer move further than those of the first", deepest, note=f"one-sided 95 % {seeds}"),
        Verdict.each(
            "less than half of a sample's open sub-network is left at the end of the training",
            left,
            note=f"one-sided 95 % {seeds}",
        ),
    ]


def _rests(record: xr.Dataset) -> Verdict:
    """Of the last quarter, in which the learning rate is an eighth of the other on average."""
    rates, ratio = late_flips(record), late_flip_ratio(record)
    part = f"{float(ratio.mean()):.2f} times as often"
    return dataclasses.replace(
        _over_seeds(Verdict.below, REST, ratio, "flips per epoch in the last quarter over those at a learning rate that stays"),
        claim="gates of a ReLU network that keep changing come to rest if the learning rate falls to zero",
        note=f"flips per gate and epoch: {plus_minus(rates[CALM], 100)} % against {plus_minus(rates['relu'], 100)} %; test "
        f"accuracy {plus_minus(record.test_accuracy.sel(net=CALM).isel(step=-1), 100)} % against "
        f"{plus_minus(record.test_accuracy.sel(net='relu').isel(step=-1), 100)} %",
        found=f"with a rate that falls to 0, ReLU gates flip only {part}",
        otherwise=f"with a rate that falls to 0, ReLU gates still flip {part}",
    )


def _twins(record: xr.Dataset) -> list[Verdict]:
    """What strengths and gates do, apart and together."""
    found = {flow: record.first_speed.sel(flow=flow) for flow in FLOWS}
    start = record.isel(step=0).sel(flow="soft-galu")
    by_kernel = {"soft-galu": start.speed_w + start.speed_a, "strengths": start.speed_w, "gates-only": start.speed_a}
    alone = found["strengths"] + found["gates-only"]
    off = max(float(abs(found[flow] / by_kernel[flow] - 1).max()) for flow in FLOWS)
    share = gates_part(record).sel(flow="soft-galu")
    first, last = (plus_minus(share.isel(step=at), 100) for at in (0, -1))
    parts = "{:.0f} % of the fall of soft GaLU's loss at the start, {:.0f} % at the end".format(*gates_ends(record))
    return [
        Verdict.below(
            "at the start strengths alone and gates alone make the loss of soft GaLU fall as fast, added up, as both together",
            SPEED,
            abs(alone / found["soft-galu"] - 1).max(),
            predicted=0.0,
            of="largest relative difference over seeds of speeds in a first step of gradient descent",
            kind="control",
            source=TWIN,
            note=f"{IDENTITY}; speeds: {', '.join(f'{FLOWS[f]} {plus_minus(found[f])}' for f in FLOWS)}",
        ),
        Verdict.below(
            "at the start the loss of soft GaLU falls at the speeds that its kernels of strengths and of gates, and their "
            "sum, say",
            SPEED,
            off,
            predicted=0.0,
            of="largest relative difference over what is trained and seeds",
            kind="control",
            source=TWIN,
            note=f"{IDENTITY}; part of the gates in the speed of a gradient flow: {first} % at the start, {last} % at the "
            "end of both",
            more_found=f"gates make {parts}",
            more_otherwise="at the start the loss of soft GaLU falls at other speeds than its kernels say",
        ),
        _gates_alone(record),
        generalises(
            "soft GaLU by strengths and gates is right on more test digits than by its strengths alone",
            record,
            "soft-galu",
            "strengths",
            {name: FLOWS[name] for name in FLOWS},
            source="paper 004, evidence I",
        ),
        _gates_move_further(record),
    ]


def _gates_alone(record: xr.Dataset) -> Verdict:
    ends = {flow: record.sel(net=flow).isel(step=-1) for flow in FLOWS}
    reached = "; ".join(f"{FLOWS[flow]} {plus_minus(end.test_accuracy, 100)} %" for flow, end in ends.items())
    alone, both = (100 * float(ends[flow].test_accuracy.mean()) for flow in ("gates-only", "soft-galu"))
    right = f"({alone:.1f} % of test digits right, both {both:.1f} %)"
    return dataclasses.replace(
        _over_seeds(Verdict.above, LEARNED, ends["gates-only"].test_accuracy, "test accuracy"),
        claim="soft GaLU learns to tell the digits apart by its gates alone, with the strengths of the start",
        kind="claim",
        source="paper 004, experiment 6, there on CIFAR-10",
        note=f"test accuracy by {reached}",
        more_found=f"gates alone learn too {right}",
        more_otherwise=f"gates alone do not learn {right}",
    )


def _gates_move_further(record: xr.Dataset) -> Verdict:
    end = record.flipped.isel(step=-1)
    alone, both = (end.sel(net=net) for net in ("gates-only", "soft-galu"))
    return exceeds(
        "gates of soft GaLU that are trained alone move further than beside strengths that are trained too",
        alone.mean("layer"),
        both.mean("layer"),
        scale=100,
        of="difference of shares flipped in percentage points",
        note=f"by layer: alone {by_layer(alone)}, both {by_layer(both)}",
    )


def _over_seeds(make: Callable[..., Verdict], bound: float, values: xr.DataArray, of: str) -> Verdict:
    """A bound on the mean over seeds, which must lie beyond it by its one-sided 95 % interval."""
    mean, few = float(values.mean()), lacking(at_least("seeds", 2, values.sizes["seed"]))
    if few:
        return undecided(few, make("", bound, mean, of=of))[0]
    return make("", bound, mean, error=mean - mean_interval(values.values, one_sided=True).low, of=of)


def plus_minus(values: xr.DataArray, scale: float | int = 1.0) -> str:
    """Mean over seeds and its standard error.

    >>> plus_minus(xr.DataArray([0.1, 0.2], dims="seed"), 100)
    '15 ± 5'
    """
    found = scale * values.values
    error = f" ± {standard_error(found):.2g}" if len(found) > 1 else ""
    return f"{found.mean():.3g}{error}"


def by_layer(values: xr.DataArray) -> str:
    """Means over seeds in percent, from the first layer on."""
    return "[" + ", ".join(f"{100 * float(values.sel(layer=at).mean()):.3g}" for at in values.layer.values) + "] %"
