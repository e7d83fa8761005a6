"""What the record of `moving-gates` says of each claim."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.intervals import mean_interval
from gatefield.experiments.deep.digits.verdicts import exceeds, generalises, ridge_is_small
from gatefield.experiments.deep.moving_gates.simulate import CALM, FLOWS, FROZEN, MOVING, NETS
from gatefield.experiments.needs import at_least, lacking, undecided, unjudged
from gatefield.lab import Verdict

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


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """Of each moving network, of those that must not move, and of strengths and gates apart."""
    few = at_least("records", LOOKS, record.sizes["step"] - 1)
    short = at_least("epochs", LONG, record.attrs["epochs"])
    out = [claim for net in MOVING for claim in _of_network(record, net, lacking(few, short))]
    out += unjudged(lacking(few, short), _rests(record))
    return [*out, _frozen(record), *_twins(record), ridge_is_small(record.sel(net=[*MOVING, "galu"]))]


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


def _of_network(record: xr.Dataset, net: str, why: str) -> list[Verdict]:
    """How gates of one network move."""
    one, name = record.sel(net=net), NETS[net]
    timed = unjudged(why, _keeps_changing(one, name), _drifts(one, name), _slows(one, name), _settles(one, name))
    return [_moved(one, name), *timed, _deepest(one, name), _left(one, name)]


def _moved(one: xr.Dataset, name: str) -> Verdict:
    end, early = one.flipped.isel(step=-1), one.flipped.isel(step=quarters(one.epoch)[1])
    least = end.sel(layer=end.mean("seed").idxmin())
    return _over_seeds(
        Verdict.above,
        f"{name}: gates of every layer have moved by the end of the training",
        MOVED,
        least,
        of="smallest of all layers' share of flipped gates",
        kind="claim",
        source=SOURCE,
        note=f"share flipped by layer {by_layer(end)}, after a quarter of the training {by_layer(early)}; mean change in "
        f"units of their range {by_layer(one.moved.isel(step=-1))}; open at the end {by_layer(one.open.isel(step=-1))}",
    )


def _keeps_changing(one: xr.Dataset, name: str) -> Verdict:
    late = quarters(one.epoch)[3]
    changed = 1 - one.agreement.isel(step=late)
    return _over_seeds(
        Verdict.above,
        f"{name}: gates keep changing to the end of the training",
        LATE,
        changed.mean("layer"),
        of="share of gates that changes side within the last quarter",
        kind="claim",
        source=SOURCE,
        note=f"by layer {by_layer(changed)}; of the flips between records {plus_minus(undone(one), 100)} % are undone "
        f"by the end; training loss {plus_minus(one.loss.isel(step=late))} at the beginning of that quarter and "
        f"{plus_minus(one.loss.isel(step=-1))} at its end",
    )


def _drifts(one: xr.Dataset, name: str) -> Verdict:
    late, end = quarters(one.epoch)[3:]
    apart = float(one.epoch[1] - one.epoch[0]), float(one.epoch[end] - one.epoch[late])
    return _over_seeds(
        Verdict.above,
        f"{name}: late in the training gates still drift, and do not only flicker",
        1.0,
        drift(one),
        of="share of gates that changes over the last quarter, over that from one record to the next",
        note=f"over {apart[1]:.3g} epochs against {apart[0]:.3g}; 1 is flicker alone, about gates that stay",
    )


def _slows(one: xr.Dataset, name: str) -> Verdict:
    _, first, _, late, end = quarters(one.epoch)
    early, last = flips_per_epoch(one, 0, first), flips_per_epoch(one, late, end)
    apart = float(one.epoch[1] - one.epoch[0])
    return _over_seeds(
        Verdict.below,
        f"{name}: gates flip less and less often",
        SLOWER,
        last / early.where(early > 0, np.inf),
        of="flips per epoch in the last quarter of the training over those in the first",
        note=f"flips per gate and epoch, between records {apart:.3g} epochs apart: {plus_minus(early, 100)} % in the first "
        f"quarter, {plus_minus(last, 100)} % in the last",
    )


def _settles(one: xr.Dataset, name: str) -> Verdict:
    """The step from one quarter to the next that rises least."""
    found = [one.agreement.mean("layer").isel(step=at) for at in quarters(one.epoch)[:4]]
    rises = [later - earlier for earlier, later in itertools.pairwise(found)]
    lowest = min(rises, key=lambda rise: mean_interval(rise.values, one_sided=True).low)
    at = ", ".join(f"{plus_minus(values, 100)} %" for values in found)
    return _over_seeds(
        Verdict.above,
        f"{name}: agreement with the final gates rises from quarter to quarter of the training",
        0.0,
        lowest,
        of="least rise of the share of gates on their final side",
        note=f"that share at the start and after each of three quarters: {at}",
    )


def _deepest(one: xr.Dataset, name: str) -> Verdict:
    end = one.flipped.isel(step=-1)
    most = int(end.mean("seed").idxmax("layer"))
    return exceeds(
        f"{name}: gates of the last layer move further than those of the first",
        end.isel(layer=-1),
        end.isel(layer=0),
        scale=100,
        of="difference of shares flipped in percentage points",
        note=f"share flipped by layer {by_layer(end)}; most in layer {most}",
    )


def _left(one: xr.Dataset, name: str) -> Verdict:
    end = one.overlap.isel(step=-1)
    return _over_seeds(
        Verdict.below,
        f"{name}: less than half of a sample's open sub-network is left at the end of the training",
        LEFT,
        end,
        of="overlap of open paths with those of the start",
        note=f"of unrelated networks {plus_minus(one.overlap_chance)}; nu {plus_minus(one.nu.isel(step=0))} at the start, "
        f"{plus_minus(one.nu.isel(step=-1))} at the end; test accuracy {plus_minus(one.test_accuracy.isel(step=-1), 100)} %",
    )


def _rests(record: xr.Dataset) -> Verdict:
    """Of the last quarter, in which the learning rate is an eighth of the other on average."""
    late, end = quarters(record.epoch)[3:]
    rates = {net: flips_per_epoch(record.sel(net=net), late, end) for net in ("relu", CALM)}
    calm = record.sel(net=CALM)
    moved = [plus_minus(record.flipped.sel(net=net).isel(step=-1).mean("layer"), 100) for net in rates]
    return _over_seeds(
        Verdict.below,
        "ReLU: gates that keep changing come to rest if the learning rate falls to zero",
        REST,
        rates[CALM] / rates["relu"].where(rates["relu"] > 0, np.inf),
        of="flips per epoch in the last quarter over those at a learning rate that stays",
        note=f"flips per gate and epoch: {plus_minus(rates[CALM], 100)} % against {plus_minus(rates['relu'], 100)} %; all "
        f"flipped since the start: {moved[1]} % against {moved[0]} %; change over the quarter over that from record to record "
        f"{plus_minus(drift(calm))}; test accuracy {plus_minus(calm.test_accuracy.isel(step=-1), 100)} % against "
        f"{plus_minus(record.test_accuracy.sel(net='relu').isel(step=-1), 100)} %",
    )


def _frozen(record: xr.Dataset) -> Verdict:
    frozen = record.sel(net=list(FROZEN))
    return Verdict.equals(
        "frozen gates do not move: GaLU, and soft GaLU by its strengths alone",
        0.0,
        max(float(frozen[name].max()) for name in ("flipped", "between", "moved")),
        of="largest share of flipped gates, or change of a gate,",
        kind="control",
    )


def _twins(record: xr.Dataset) -> list[Verdict]:
    """What strengths and gates do, apart and together."""
    found = {flow: record.first_speed.sel(flow=flow) for flow in FLOWS}
    start = record.isel(step=0).sel(flow="soft-galu")
    by_kernel = {"soft-galu": start.speed_w + start.speed_a, "strengths": start.speed_w, "gates-only": start.speed_a}
    alone = found["strengths"] + found["gates-only"]
    off = max(float(abs(found[flow] / by_kernel[flow] - 1).max()) for flow in FLOWS)
    share = gates_part(record)
    of_gates = ", ".join(f"{FLOWS[f]} {plus_minus(share.sel(flow=f).isel(step=-1), 100)} %" for f in FLOWS)
    first = plus_minus(share.sel(flow="soft-galu").isel(step=0), 100)
    return [
        Verdict.below(
            "soft GaLU at the start: strengths alone and gates alone make the loss fall as fast as both, taken together",
            SPEED,
            abs(alone / found["soft-galu"] - 1).max(),
            predicted=0.0,
            of="largest relative difference over seeds of speeds in a first step of gradient descent",
            source=TWIN,
            note=f"speeds: {', '.join(f'{FLOWS[f]} {plus_minus(found[f])}' for f in FLOWS)}",
        ),
        Verdict.below(
            "soft GaLU at the start: the loss falls at the speeds e'K^w e/n², e'K^a e/n² and their sum",
            SPEED,
            off,
            predicted=0.0,
            of="largest relative difference over flows and seeds",
            source=TWIN,
            note=f"part of the gates in the speed of a gradient flow: {first} % at the start; at the end {of_gates}",
        ),
        _gates_alone(record),
        generalises(
            "soft GaLU by both generalises better than by its strengths alone",
            record,
            "soft-galu",
            "strengths",
            {name: NETS[name] for name in FLOWS},
            source="paper 004, evidence I",
        ),
        _gates_move_further(record),
    ]


def _gates_alone(record: xr.Dataset) -> Verdict:
    ends = {flow: record.sel(net=flow).isel(step=-1) for flow in FLOWS}
    reached = "; ".join(
        f"{FLOWS[flow]}: training loss {plus_minus(end.loss)}, test accuracy {plus_minus(end.test_accuracy, 100)} %"
        for flow, end in ends.items()
    )
    return _over_seeds(
        Verdict.above,
        "soft GaLU by its gates alone, with the strengths of the start, learns to tell the digits apart",
        LEARNED,
        ends["gates-only"].test_accuracy,
        of="test accuracy",
        kind="claim",
        source="paper 004, experiment 6, there on CIFAR-10",
        note=reached,
    )


def _gates_move_further(record: xr.Dataset) -> Verdict:
    end = record.flipped.isel(step=-1)
    alone, both = (end.sel(net=net) for net in ("gates-only", "soft-galu"))
    traces = [f"{FLOWS[f]} {_grown(record, 'trace_w', f)} and {_grown(record, 'trace_a', f)}" for f in FLOWS]
    return exceeds(
        "soft GaLU: gates that are trained alone move further than beside strengths that are trained too",
        alone.mean("layer"),
        both.mean("layer"),
        scale=100,
        of="difference of shares flipped in percentage points",
        note=f"by layer: alone {by_layer(alone)}, both {by_layer(both)}; K^w and K^a have, by the end, so many times their "
        f"first trace: {', '.join(traces)}",
    )


def _grown(record: xr.Dataset, name: str, flow: str) -> str:
    values = record[name].sel(flow=flow)
    return plus_minus(values.isel(step=-1) / values.isel(step=0))


def _over_seeds(
    make: Callable[..., Verdict], claim: str, bound: float, values: xr.DataArray, *, of: str, note: str, **words: Any
) -> Verdict:
    """A bound on the mean over seeds, which must lie beyond it by its one-sided 95 % interval."""
    mean, few = float(values.mean()), lacking(at_least("seeds", 2, values.sizes["seed"]))
    if few:
        return undecided(few, make(claim, bound, mean, of=of, note=note, **words))[0]
    error = mean - mean_interval(values.values, one_sided=True).low
    note = f"{plus_minus(values)}, mean and standard error of {values.sizes['seed']} seeds; {note}"
    return make(claim, bound, mean, error=error, of=f"{of}, beyond its one-sided 95 % interval over seeds,", note=note, **words)


def plus_minus(values: xr.DataArray, scale: float | int = 1.0) -> str:
    """Mean over seeds and its standard error.

    >>> plus_minus(xr.DataArray([0.1, 0.2], dims="seed"), 100)
    '15 ± 5'
    """
    found = scale * values.values
    error = f" ± {found.std(ddof=1) / np.sqrt(len(found)):.2g}" if len(found) > 1 else ""
    return f"{found.mean():.3g}{error}"


def by_layer(values: xr.DataArray) -> str:
    """In percent, from the first layer on."""
    return "[" + ", ".join(plus_minus(values.sel(layer=at), 100) for at in values.layer.values) + "] %"
