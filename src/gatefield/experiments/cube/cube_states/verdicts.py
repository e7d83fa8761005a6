"""What the record of `cube-states` says of each claim."""

from typing import Any

import numpy as np
import xarray as xr
from scipy import stats

from gatefield.experiments.cube.cube_states.search import SAME
from gatefield.lab.verdict import Verdict
from gatefield.theory.hypercube import levels

REFERENCE = (7, "0.8, 1.6")
FIELD = (0.557872, -0.093302, -0.009318, 0.003920)
LOSS = 0.183405
REACHED, OF = 39, 100
"""How many of how many starts ended in the localized state in an earlier search."""

PERSIST = 0.9
"""The least share of states that must persist."""


def verdicts(record: xr.Dataset) -> list[Verdict]:
    out = []
    if REFERENCE[0] in record["size"].values and REFERENCE[1] in record.pair.values:
        one = record.sel(size=REFERENCE[0], pair=REFERENCE[1])
        out += [_field(one), _loss(one), _reached(one)] if one.exact else [_field(one)]
    out += [_settled(record), _existence(record), _from_site(record)]
    for pair in record.pair.values:
        one = record.sel(pair=pair)
        out += [_lowest(one)] if (one.site_lead > 0).all() else []
        out += persistence(one)
        out += [_basin(one), _sgd_rests(one), _sgd_found(one)]
    return [*out, *_map(record)]


def interval(hits: int, of: int) -> str:
    """A share with its exact 95 % interval (Clopper and Pearson), in words."""
    found = stats.binomtest(hits, of).proportion_ci(0.95)
    return f"{hits}/{of} = {hits / of:.3f} ({found.low:.3f} to {found.high:.3f})"


def _field(one: xr.Dataset) -> Verdict:
    field = one.site_state.values[: REFERENCE[0]]
    turned = np.roll(field, -int(field.argmax()))[: len(FIELD)]
    off = float(abs(turned - FIELD).max())
    note = f"largest difference {off:.1e} over {len(FIELD)} sites; lead {float(one.site_lead):.6f}"
    claim = "n = 7, ξ = (0.8, 1.6): the localized state is (0.557872, -0.093302, -0.009318, 0.003920, ...)"
    return Verdict.judged(claim, FIELD[0], float(turned[0]), "within 1e-6 at each site", off < 1e-6, note)


def _loss(one: xr.Dataset) -> Verdict:
    value, lowest = float(one.site_loss), float(one.loss.min())
    found, counts = levels(one.loss.values)
    return Verdict.judged(
        "n = 7, ξ = (0.8, 1.6): its loss is 0.183405, and no start ends lower",
        LOSS,
        value,
        "within 1e-6, and the lowest loss found within 1e-9 of it or above",
        abs(value - LOSS) < 1e-6 and lowest > value - 1e-9,
        f"lowest loss found {lowest:.6f}, {len(found)} levels of loss in all, up to {found.max():.6f}; the lowest was reached "
        f"by {counts[0]} of {counts.sum()} starts",
    )


def _reached(one: xr.Dataset) -> Verdict:
    hits, of = int(one.localized.sum()), one.sizes["start"]
    test: Any = stats.fisher_exact([[hits, of - hits], [REACHED, OF - REACHED]])
    p = float(test.pvalue)
    return Verdict.judged(
        f"n = 7, ξ = (0.8, 1.6): random starts reach it as often as before ({REACHED} of {OF})",
        REACHED / OF,
        hits / of,
        "Fisher's exact test of the two samples, p above 0.01",
        p > 0.01,
        f"{interval(hits, of)}; p = {p:.3f}. The earlier starts may have had another length, and the flow another step",
    )


def _settled(record: xr.Dataset) -> Verdict:
    share = float(record.settled.mean())
    note = f"{record.settled.size} searches; whether those of a sample persist on another is a claim of its own"
    return Verdict.judged(
        "every start ends in a state that lies in its own cell", 1.0, share, "at least 0.99", share >= 0.99, note
    )


def persistence(one: xr.Dataset) -> list[Verdict]:
    """Whether states found on a sample are also states of another; by size, the least share is shown."""
    shares = {n: float(part.lasting.mean()) for n, part in _by_size(one) if not part.exact}
    if not shares:
        return []
    least = min(shares.values())
    note = "; ".join(
        f"n = {n}: {interval(int(one.lasting.sel(size=n).sum()), one.sizes['start'])}"
        f", {int((one.lasting & one.localized).sel(size=n).sum())} of them localized"
        for n in shares
    )
    note += f"; {one.attrs['samples']:,} inputs in each sample"
    claim = f"ξ = ({one.pair.values}): states found on a sample persist on another"
    rule = f"cosine {SAME} or more in a share of at least {PERSIST} of starts, at every n; the least is shown"
    return [Verdict.judged(claim, 1.0, least, rule, least >= PERSIST, note)]


def _existence(record: xr.Dataset) -> Verdict:
    """No localized end may be anything but the closed form, nor occur where that does not exist."""
    exists = record.site_lead > 0
    wrong = int((record.localized & ~exists & record.exact).sum())
    text = ", ".join(f"({pair}) {'yes' if exists.sel(pair=pair).all() else 'no'}" for pair in record.pair.values)
    claim = "exact law: starts end localized only where the closed form exists"
    note = f"exists at all sizes: {text}; on samples {int((record.localized & ~exists & ~record.exact).sum())} end so elsewhere"
    return Verdict.judged(claim, 0.0, float(wrong), "no exception", wrong == 0, note)


def _from_site(record: xr.Dataset) -> Verdict:
    exists = (record.site_lead > 0).values
    right = (record.from_site.values > 0.5) == exists
    near = record.site_cosine.values[exists]
    claim = "the flow from one site stays there if and only if |w_i| exceeds the sum of the others"
    note = f"it does in {exists.sum()} of {exists.size} cases"
    note += f", where the least cosine with the closed form is {near.min():.4f}" if len(near) else ""
    return Verdict.judged(claim, float(exists.size), float(right.sum()), "all pairs and sizes", bool(right.all()), note)


def _by_size(one: xr.Dataset) -> list[tuple[int, xr.Dataset]]:
    return [(int(n), one.sel(size=n)) for n in one["size"].values]


def _lowest(one: xr.Dataset) -> Verdict:
    """Whether no extended state found has a lower loss than the localized one."""
    gap = (one.loss.where(~one.localized).min("start") - one.site_loss).values
    gap = gap[np.isfinite(gap)]
    least = float(gap.min()) if len(gap) else 0.0
    texts = [
        f"n = {n}: {len(np.unique(part.group))} states, losses {float(part.loss.min()):.5f} to {float(part.loss.max()):.5f}, "
        f"closed form {float(part.site_loss):.5f}, lasting on another sample {float(part.lasting.mean()):.2f}"
        for n, part in _by_size(one)
    ]
    claim = f"ξ = ({one.pair.values}): no extended state found has a lower loss than the localized one"
    rule = "lowest extended loss less that of the closed form, at every n, not below 0"
    return Verdict.judged(claim, 0.0, least, rule, least >= 0, "; ".join(texts))


def _basin(one: xr.Dataset) -> Verdict:
    """How often random starts end localized, at each size; stated for the largest."""
    texts = [f"n = {n}: {interval(int(part.localized.sum()), one.sizes['start'])}" for n, part in _by_size(one)]
    last = one.isel(size=-1)
    share, exists = float(last.localized.mean()), bool(last.site_lead > 0)
    claim = f"ξ = ({one.pair.values}), n = {int(last['size'])}: "
    claim += "most random starts end localized" if exists else "no start ends localized, as there is no such state"
    holds = share > 0.5 if exists else share == 0
    return Verdict.judged(claim, float(exists), share, "more than half" if exists else "none", holds, "; ".join(texts))


def _sgd_rests(one: xr.Dataset) -> Verdict:
    """Whether the limit behind the gate where SGD ends is that very field."""
    share = float((one.sgd_limit >= SAME).mean())
    texts = [f"n = {n}: median cosine {float(part.sgd_limit.median()):.4f}" for n, part in _by_size(one)]
    claim = f"ξ = ({one.pair.values}): SGD ends in a steady state, the limit field behind its own gate"
    return Verdict.judged(claim, 1.0, share, f"cosine {SAME} or more in at least 0.9 of runs", share >= 0.9, "; ".join(texts))


def _sgd_found(one: xr.Dataset) -> Verdict:
    """Whether it is one of those that the flow found."""
    near, same = one.sgd_nearest >= SAME, one.sgd_same_start >= SAME
    texts = [
        f"n = {n}: {float(near.sel(size=n).mean()):.2f}, the one of the flow from the same start "
        f"{float(same.sel(size=n).mean()):.2f}, localized {float(part.sgd_localized.mean()):.2f}"
        for n, part in _by_size(one)
    ]
    share = float(near.mean())
    claim = f"ξ = ({one.pair.values}): SGD ends in one of the states that the flow found"
    rule = f"cosine {SAME} or more up to shift and sign, in at least 0.9 of runs"
    note = f"{'; '.join(texts)}. Where states are many, few of them are found"
    return Verdict.judged(claim, 1.0, share, rule, share >= 0.9, note)


def _map(record: xr.Dataset) -> list[Verdict]:
    """Where the localized state exists: on the diagonal, on each side of it, and at each size."""
    exists = record.lead_map > 0
    longer = record.map_xi1 > record.map_xi0
    diagonal = np.diagonal(record.lead_map.values, axis1=1, axis2=2)
    last = exists.isel(map_size=-1)
    above, below = float(last.where(longer).mean()), float(last.where(record.map_xi1 < record.map_xi0).mean())
    short = (record.map_xi1 <= 2) & (record.map_xi0 <= 2)
    sizes, second = exists.map_size.values, max(0, record.sizes["map_size"] - 2)
    differ = float((exists.isel(map_size=second) != last).where(short).mean())
    shares = ", ".join(f"n = {n}: {float(exists.sel(map_size=n).mean()):.3f}" for n in sizes)
    return [
        Verdict.judged(
            "for equal length scales the localized state is e_i/2 and exists at every size",
            1.0,
            float(diagonal.min()),
            "lead within 1e-9 of 1",
            bool((abs(diagonal - 1) < 1e-9).all()),
            f"share of all pairs up to {float(record.map_xi1.max()):g} at which it exists: {shares}",
        ),
        Verdict.judged(
            f"n = {sizes[-1]}: it exists wherever the positive class has the longer range",
            1.0,
            above,
            "share of these pairs above 0.99",
            above > 0.99,
            f"where it has the shorter range: {below:.3f}. " + _reach(last),
        ),
        Verdict.judged(
            f"for length scales up to 2 the size of the ring does not matter: n = {sizes[second]} and {sizes[-1]} agree",
            0.0,
            differ,
            "share of pairs where they differ below 0.01",
            differ < 0.01,
        ),
    ]


def _reach(exists: xr.DataArray) -> str:
    """How far from the diagonal it exists, at a few length scales."""
    texts = []
    for xi in (1.0, 2.0, 4.0):
        if xi <= float(exists.map_xi0.max()):
            row = exists.sel(map_xi0=xi, method="nearest")
            inside = row.map_xi1.values[row.values]
            texts.append(f"ξ0 = {xi:g}: ξ1 from {inside.min():.2f} to {inside.max():.2f}")
    return "; ".join(texts)
