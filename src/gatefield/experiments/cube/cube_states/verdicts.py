"""What the record of `cube-states` says of each claim."""

from typing import Any

import numpy as np
import xarray as xr
from scipy import stats

from gatefield.core.intervals import proportion
from gatefield.experiments.cube.cube_states.search import SAME
from gatefield.experiments.needs import Need, command_line, holding, lacking, unjudged
from gatefield.lab import Verdict
from gatefield.theory.hypercube import levels

REFERENCE = (7, "0.8, 1.6")
FIELD = (0.557872, -0.093302, -0.009318, 0.003920)
LOSS = 0.183405
DIGITS = 1e-6
"""The field, from its peak on, and the loss of an earlier search are given to six digits."""
REACHED, OF = 39, 100
"""How many of how many starts ended in the localized state in an earlier search."""
REFERENCE_CLAIMS = (
    "n = 7, ξ = (0.8, 1.6): the localized state is (0.557872, -0.093302, -0.009318, 0.003920, ...)",
    "n = 7, ξ = (0.8, 1.6): the loss of the localized state is 0.183405, and no start ends lower",
    f"n = 7, ξ = (0.8, 1.6): random starts reach the localized state as often as before ({REACHED} of {OF})",
)
MOST = 0.9
"""The least share of states or runs that must do what is said of all."""
ROUNDING = 1e-9
"""Of fields and losses in float64."""


def verdicts(record: xr.Dataset) -> list[Verdict]:
    out = _reference(record)
    out += [_settled(record), _existence(record), _from_site(record)]
    for pair in record.pair.values:
        one = record.sel(pair=pair)
        out += [_lowest(one), *persistence(one)]
        out += [_basin(one), _sgd_steady(one), _sgd_found(one)]
    return [*out, *_map(record)]


def _reference(record: xr.Dataset) -> list[Verdict]:
    """What an earlier search found, at its size and length scales; losses and basins where the law is summed exactly."""
    (n, pair), sizes, pairs = REFERENCE, record["size"].values, record.pair.values
    scales = [[float(xi) for xi in name.split(",")] for name in (*pairs, pair)]
    missing = None if pair in pairs else Need(f"pairs with {pair}", "others", {"pairs": scales})
    if why := lacking(holding("sizes", [n], sizes), missing):
        return [Verdict.not_judged(claim, why, kind="regression") for claim in REFERENCE_CLAIMS]
    one = record.sel(size=n, pair=pair)
    exact = "" if one.exact else lacking(Need("the exact law at n = 7", "a sample", {"exact_to": n}))
    return [_field(one), *unjudged(exact, _loss(one), _reached(one))]


def interval(hits: int, of: int) -> str:
    """A share with its exact 95 % interval, in words."""
    share, low, high = proportion(hits, of, method="exact")
    return f"{hits}/{of} = {share:.3f} ({low:.3f} to {high:.3f})"


def _field(one: xr.Dataset) -> Verdict:
    field = one.site_state.values[: REFERENCE[0]]
    turned = np.roll(field, -int(field.argmax()))[: len(FIELD)]
    return Verdict.within(
        REFERENCE_CLAIMS[0],
        FIELD[0],
        float(turned[0]),
        atol=DIGITS,
        of="largest weight",
        kind="regression",
        note=f"lead {float(one.site_lead):.6f}",
    ).and_below(DIGITS, float(abs(turned - FIELD).max()), of=f"largest difference over {len(FIELD)} sites")


def _loss(one: xr.Dataset) -> Verdict:
    value, lowest = float(one.site_loss), float(one.loss.min())
    found, counts = levels(one.loss.values)
    return Verdict.within(
        REFERENCE_CLAIMS[1],
        LOSS,
        value,
        atol=DIGITS,
        of="loss",
        kind="regression",
        note=f"lowest loss found {lowest:.6f}, {len(found)} levels of loss in all, up to {found.max():.6f}; the lowest was "
        f"reached by {counts[0]} of {counts.sum()} starts",
    ).and_above(value - ROUNDING, lowest, of="lowest loss found")


def _reached(one: xr.Dataset) -> Verdict:
    hits, of = int(one.localized.sum()), one.sizes["start"]
    test: Any = stats.fisher_exact([[hits, of - hits], [REACHED, OF - REACHED]])
    return Verdict.test(
        REFERENCE_CLAIMS[2],
        REACHED / OF,
        hits / of,
        float(test.pvalue),
        level=0.01,
        by="Fisher's exact test",
        kind="regression",
        note=f"{interval(hits, of)}; p = {float(test.pvalue):.3f}. The earlier starts may have had another length, and the "
        "flow another step",
    )


def _settled(record: xr.Dataset) -> Verdict:
    return Verdict.above(
        "every start ends in a state that lies in its own cell",
        0.99,
        float(record.settled.mean()),
        predicted=1.0,
        or_equal=True,
        of=f"share of {record.settled.size} searches",
        kind="control",
    )


def persistence(one: xr.Dataset) -> list[Verdict]:
    """Whether states found on a sample are also states of another; by size, the least share is shown."""
    claim = f"ξ = ({one.pair.values}): states found on a sample persist on another, at every n"
    sampled = [(n, part) for n, part in _by_size(one) if not part.exact]
    if not sampled:
        largest = int(one["size"][-1])
        need = Need("a size at which the law is sampled", f"{largest} at most", {"exact_to": max(2, largest - 1)})
        return [Verdict.not_judged(claim, lacking(need), kind="control")]
    texts = [
        f"n = {n}: {interval(int(part.lasting.sum()), one.sizes['start'])}, "
        f"{int((part.lasting & part.localized).sum())} of them localized"
        for n, part in sampled
    ]
    return [
        Verdict.above(
            claim,
            MOST,
            min(float(part.lasting.mean()) for _, part in sampled),
            predicted=1.0,
            or_equal=True,
            of=f"least share of starts with a cosine of {SAME} or more",
            kind="control",
            note=f"{'; '.join(texts)}; {one.attrs['samples']:,} inputs in each sample",
        )
    ]


def _existence(record: xr.Dataset) -> Verdict:
    """No localized end may occur where the closed form does not exist."""
    exists = record.site_lead > 0
    text = ", ".join(f"({pair}) {'yes' if exists.sel(pair=pair).all() else 'no'}" for pair in record.pair.values)
    elsewhere = record.localized & ~exists
    return Verdict.equals(
        "on the exact law starts end localized only where the closed form of the localized state exists",
        0.0,
        float((elsewhere & record.exact).sum()),
        of="exceptions:",
        note=f"exists at all sizes: {text}; on samples {int((elsewhere & ~record.exact).sum())} end so elsewhere",
    )


def _from_site(record: xr.Dataset) -> Verdict:
    exists = (record.site_lead > 0).values
    right = (record.from_site.values > 0.5) == exists
    near = record.site_cosine.values[exists]
    note = f"it does in {exists.sum()} of {exists.size} cases"
    return Verdict.equals(
        "the flow from one site stays there if and only if |w_i| exceeds the sum of the others",
        float(exists.size),
        float(right.sum()),
        of="pairs and sizes at which both or none hold:",
        note=note + (f", where the least cosine with the closed form is {near.min():.4f}" if len(near) else ""),
    )


def _by_size(one: xr.Dataset) -> list[tuple[int, xr.Dataset]]:
    return [(int(n), one.sel(size=n)) for n in one["size"].values]


def _lowest(one: xr.Dataset) -> Verdict:
    """Whether no extended state found has a lower loss than the localized one."""
    claim = f"ξ = ({one.pair.values}): no extended state found has a lower loss than the localized one, at any n"
    gap = (one.loss.where(~one.localized).min("start") - one.site_loss).values
    gap = gap[np.isfinite(gap)]
    if not (one.site_lead > 0).all():
        sizes = ", ".join(str(n) for n, part in _by_size(one) if part.site_lead <= 0)
        why = f"these length scales have no localized state at n = {sizes}; run with others, such as"
        return Verdict.not_judged(claim, f"{why} {command_line(pairs=[[2.0, 1.0]])}")
    if not len(gap):
        more = command_line(starts=10 * one.sizes["start"])
        return Verdict.not_judged(claim, f"every start ended localized; run with more of them, {more}")
    texts = [
        f"n = {n}: {len(np.unique(part.group))}, {float(part.loss.min()):.5f} to {float(part.loss.max()):.5f}, "
        f"{float(part.site_loss):.5f}"
        for n, part in _by_size(one)
    ]
    return Verdict.above(
        claim,
        0.0,
        float(gap.min()),
        or_equal=True,
        of="lowest extended loss less that of the closed form",
        note=f"states, their losses and that of the closed form; {'; '.join(texts)}",
    )


def _basin(one: xr.Dataset) -> Verdict:
    """How often random starts end localized, at each size; stated for the largest."""
    note = "; ".join(f"n = {n}: {interval(int(part.localized.sum()), one.sizes['start'])}" for n, part in _by_size(one))
    last = one.isel(size=-1)
    where, share = f"ξ = ({one.pair.values}), n = {int(last['size'])}", float(last.localized.mean())
    if last.site_lead > 0:
        claim = f"{where}: most random starts end localized"
        return Verdict.above(claim, 0.5, share, predicted=1.0, of="share of starts", note=note)
    claim = f"{where}: no start ends localized, as there is no such state"
    return Verdict.equals(claim, 0.0, share, of="share of starts", note=note)


def _sgd_steady(one: xr.Dataset) -> Verdict:
    """Whether the limit behind the gate where SGD ends is that very field."""
    texts = [f"n = {n}: {float(part.sgd_limit.median()):.4f}" for n, part in _by_size(one)]
    return Verdict.above(
        f"ξ = ({one.pair.values}): SGD ends in a steady state, the limit field behind its own gate",
        MOST,
        float((one.sgd_limit >= SAME).mean()),
        predicted=1.0,
        or_equal=True,
        of=f"share of runs with a cosine of {SAME} or more",
        note=f"median cosines; {'; '.join(texts)}",
    )


def _sgd_found(one: xr.Dataset) -> Verdict:
    """Whether it is one of those that the flow found."""
    texts = [
        f"n = {n}: {float((part.sgd_nearest >= SAME).mean()):.2f}, {float((part.sgd_same_start >= SAME).mean()):.2f}, "
        f"{float(part.sgd_localized.mean()):.2f}"
        for n, part in _by_size(one)
    ]
    return Verdict.above(
        f"ξ = ({one.pair.values}): SGD ends in one of the states that the flow found",
        MOST,
        float((one.sgd_nearest >= SAME).mean()),
        predicted=1.0,
        or_equal=True,
        of=f"share of runs with a cosine of {SAME} or more up to shift and sign",
        note=f"runs in one of them, in that from the same start, and localized; {'; '.join(texts)}. Where states are many, few "
        "of them are found",
    )


def _map(record: xr.Dataset) -> list[Verdict]:
    """Where the localized state exists: on the diagonal, on each side of it, and at each size."""
    exists = record.lead_map > 0
    last, sizes = exists.isel(map_size=-1), exists.map_size.values
    before = exists.isel(map_size=max(0, len(sizes) - 2))
    diagonal = np.diagonal(record.lead_map.values, axis1=1, axis2=2)
    above, below = (
        float(last.where(side).mean()) for side in (record.map_xi1 > record.map_xi0, record.map_xi1 < record.map_xi0)
    )
    short = (record.map_xi1 <= 2) & (record.map_xi0 <= 2)
    shares = ", ".join(f"n = {n}: {float(exists.sel(map_size=n).mean()):.3f}" for n in sizes)
    alike = Verdict.below(
        f"for length scales up to 2 the localized state exists on rings of {int(before.map_size)} and of {sizes[-1]} alike",
        0.01,
        float((before != last).where(short).mean()),
        predicted=0.0,
        of="share of pairs where they differ",
    )
    return [
        Verdict.within(
            "for equal length scales the localized state is e_i/2 and exists at every size",
            1.0,
            float(diagonal.min()),
            atol=ROUNDING,
            of="least lead",
            note=f"share of all pairs up to {float(record.map_xi1.max()):g} at which it exists: {shares}",
        ).and_within(1.0, float(diagonal.max()), atol=ROUNDING, of="largest lead"),
        Verdict.above(
            f"n = {sizes[-1]}: the localized state exists wherever the positive class has the longer range",
            0.99,
            above,
            predicted=1.0,
            of="share of these pairs",
            note=f"where it has the shorter range: {below:.3f}. {_reach(last)}",
        ),
        *unjudged(_one_size(sizes), alike),
    ]


def _one_size(sizes: np.ndarray) -> str:
    """Why rings are not compared, if there is one size only."""
    return "" if len(sizes) > 1 else lacking(Need("two map_sizes", "one", {"map_sizes": sorted({*sizes.tolist(), 16, 40})}))


def _reach(exists: xr.DataArray) -> str:
    """How far from the diagonal it exists, at a few length scales."""
    texts = []
    for xi in (1.0, 2.0, 4.0):
        if xi <= float(exists.map_xi0.max()):
            row = exists.sel(map_xi0=xi, method="nearest")
            inside = row.map_xi1.values[row.values]
            texts.append(f"ξ0 = {xi:g}: ξ1 from {inside.min():.2f} to {inside.max():.2f}")
    return "; ".join(texts)
