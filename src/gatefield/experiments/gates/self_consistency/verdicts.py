"""What the record of `self-consistency` says of each claim."""

import numpy as np
import xarray as xr

from gatefield.core.intervals import proportion
from gatefield.data import ring_spectrum
from gatefield.experiments.nearly_gaussian import GAUSSIAN
from gatefield.lab import Verdict
from gatefield.lab.needs import Need, command_line, holding, lacking, lasting, undecided, unjudged
from gatefield.measures import cosine
from gatefield.plot import gain_text

ENOUGH = 200.0
"""Time in tau that SGD needs for its field; on Gaussian data far more, which its notes say."""
LOWEST = 0.01
SAME = 0.95
"""Fields with this cosine or more count as the same."""
NEARLY_ALL = 0.99
"""The least share of a field's energy, or cosine, of a state that is known in closed form."""
MOST = 0.9
"""The least share of seeds that must do what is said of all."""
SHARED = 0.95
"""The least share of end states at which map and flow agree; the flow runs for the time of training only."""
PACE = 0.05
"""How near, as a share of its distance from 1, a contraction must be to the predicted one: it is read off some late steps."""
NAMES = {"long": "longer range positive", "short": "shorter range positive"}
NOTE = "note 003, equation 4"

MISSED = 0.002
"""How much more loss than that of one site a headline calls missed; ends of one state scatter by less."""


def verdicts(record: xr.Dataset) -> list[Verdict]:
    """The states of the map on other than Gaussian data, then Gaussian data, then SGD."""
    squashed = record.sel(gain=record.gain > GAUSSIAN)
    some = "" if squashed.sizes["gain"] else lacking(holding("gains", [1.0], record.gain.values))
    cube = lacking(holding("gains", [np.inf], record.gain.values))
    sgd = undecided(lacking(lasting(record, ENOUGH)), _sgd(record), _choice(record))
    counts = unjudged(some, _one_state(squashed.sel(order="long")), _traits(squashed.sel(order="short")))
    return [*counts, *unjudged(cube, _one_site(record)), _equivalence(record), *_gaussian(record), *sgd]


def states(one: xr.Dataset) -> tuple[int, int]:
    """How many end states there are, up to shift and sign, and how many of them are stable on another sample."""
    firm = one.map_return.values >= SAME
    return len(np.unique(one.state.values)), len(np.unique(one.state.values[firm]))


def _gaussian(record: xr.Dataset) -> list[Verdict]:
    """Of the lowest gain, if it is low enough."""
    gains = record.gain.values.tolist()
    lowest, most = min(gains[0], LOWEST), f"a gain up to {GAUSSIAN:g}"
    low = record.isel(gain=[0]).assign_coords(gain=[lowest]).isel(gain=0)
    why = "" if gains[0] <= GAUSSIAN else lacking(Need(most, f"{gains[0]:g}", {"gains": [LOWEST, *gains]}))
    return unjudged(why, _mode(low), _pace(low))


def _gain(one: xr.Dataset) -> str:
    return f"gain {gain_text(float(one.gain))}"


def _mode(low: xr.Dataset) -> Verdict:
    """One mode for all starts."""
    rows = {}
    for order, name in NAMES.items():
        one = low.sel(order=order)
        winner = int(one.multiplier_theory.values.argmax())
        energy = np.abs(np.fft.rfft(one.ends.transpose("start", "position").values)) ** 2
        least = (energy[:, winner] / energy.sum(-1)).min()
        words = f"least share of the energy in the mode k = {winner}"
        rows[name] = Verdict.above("", NEARLY_ALL, least, predicted=1.0, of=words)
    return Verdict.each(
        f"at {_gain(low)} the map ends from every start in the mode of the largest λ1/(λ0 + λ1)",
        rows,
        kind="control",
        note=f"follows from the closed form on Gaussian data, and checks the map; {low.sizes['start']} starts, at most "
        f"{int(low.iterations.max())} iterations",
    )


def _pace(low: xr.Dataset) -> Verdict:
    """It is reached at the pace of the slowest multiplier."""
    rows = {}
    for order, name in NAMES.items():
        one = low.sel(order=order)
        second = float(np.sort(one.multiplier_theory.values)[-2])
        pace = one.contraction.values[one.contraction.values > 0]
        why = f"no start has late iterations to read it off; run with {command_line(gaussian_iterations=20_000, starts=12)}"
        rows[name] = Verdict.not_judged("", why)
        if len(pace):
            off = PACE * (1 - second)
            rows[name] = Verdict.within("", second, np.median(pace), atol=off, of="median ratio of late steps")
    claim = (
        f"at {_gain(low)} the last iterations of the map contract by the least D over that of the second best mode, "
        "D = 1 + λ0/λ1"
    )
    note = (
        f"follows from the closed form on Gaussian data, and checks the map; {100 * PACE:g} % of the distance from 1 are "
        "allowed"
    )
    return Verdict.each(claim, rows, kind="control", note=note)


def _equivalence(record: xr.Dataset) -> Verdict:
    by_map, by_flow = record.map_return >= SAME, record.flow_return >= SAME
    only_map, only_flow = float((by_map & ~by_flow).mean()), float((by_flow & ~by_map).mean())
    return Verdict.above(
        "an end state of the map is stable under the map where it is stable under the gradient flow",
        SHARED,
        (by_map == by_flow).mean(),
        predicted=1.0,
        or_equal=True,
        of="share of end states that are stable under both or neither",
        note=f"pushed by a tenth, on another sample; stable under the map alone {only_map:.3f}, under the flow alone "
        f"{only_flow:.3f}, which runs for the time of training only",
    )


def _one_state(one: xr.Dataset) -> Verdict:
    """The longer range."""
    kept = {_gain(at): states(at)[1] for at in (one.sel(gain=g) for g in one.gain.values)}
    rows = {at: Verdict.equals("", 1, count, of="stable states") for at, count in kept.items()}
    worst = max(kept, key=lambda at: abs(kept[at] - 1), default="")
    field = "a field iterated to its own gate has"
    return Verdict.each(
        "with the longer range positive the map has one stable state, up to shift and sign",
        rows,
        note="stable: it returns after a push of a tenth, on another sample",
        found=f"{field} one stable end with the longer range positive",
        otherwise=f"{field} {kept.get(worst, 0)} stable ends with the longer range positive, {worst}",
    )


def _traits(one: xr.Dataset) -> Verdict:
    """The shorter range: whether random starts lead to states at all."""
    random = one.isel(start=one.kind.values == "random")
    firm = {_gain(at): float((at.map_return >= SAME).mean()) for at in (random.sel(gain=g) for g in one.gain.values)}
    words = "share of ends that return on another sample"
    rows = {at: Verdict.below("", 0.5, value, predicted=0.0, of=words) for at, value in firm.items()}
    highest = max(firm.values(), default=0)
    most = f"≤ {100 * highest:.2g} % of random starts end stable" if highest else "no random start ends stable"
    there = f"(gain ≥ {gain_text(float(one.gain.min()))})" if firm else ""
    return Verdict.each(
        "with the shorter range positive the map from random starts ends in states of its sample, which another has not",
        rows,
        found=f"with the shorter {most} {there}",
        otherwise=f"with the shorter {most} {there}",
    )


def _one_site(record: xr.Dataset) -> Verdict:
    """The state of the gate of one site, which is exact on the hypercube, against the start from one site."""
    rows, margins = {}, []
    for order, name in NAMES.items():
        one = record.sel(order=order).isel(gain=-1)
        end = one.isel(start=int(np.flatnonzero(one.kind.values == "site")[0]))
        near, margin = float(cosine(end.ends.values, one.site_state.values)), float(one.site_margin)
        margins.append(f"{margin:.3f} ({name})")
        rows[name] = (
            Verdict.above("", NEARLY_ALL, near, predicted=1.0, of="cosine")
            if margin > 0
            else Verdict.below("", NEARLY_ALL, near, or_equal=True, of="cosine")
        )
    return Verdict.each(
        "at gain ∞ the start from one site ends in the one-site state 2 T⁻¹ f exactly where its margin is positive",
        rows,
        source=NOTE,
        note=f"margin, the largest weight less the sum of the others: {', '.join(margins)}",
        more_found=_lost(record),
        more_otherwise=_lost(record),
    )


def _lost(record: xr.Dataset) -> str:
    """The headline of the second figure."""
    long, short = (last_losses(record.sel(order=order)) for order in NAMES)
    missed = [float(start) - float(site) > MISSED for site, start in (long, short)]
    ends = [
        f"({start}, site {site})" if miss else f"({start})" for (site, start), miss in zip((long, short), missed, strict=True)
    ]
    verbs = ["miss" if miss else "reach" for miss in missed]
    words = f"at {_gain(record.isel(gain=-1))} random starts {verbs[0]} the loss of one site"
    other = f"{verbs[1]} it" if verbs[0] != verbs[1] else "and"
    return f"{words} with the longer range positive {ends[0]}, {other} with the shorter {ends[1]}"


def last_losses(one: xr.Dataset) -> tuple[str, str]:
    """Where the map ends at the highest gain: from one site, and in the median from random starts."""
    ends = one.isel(gain=-1).loss
    site, random = (float(ends.isel(start=one.kind.values == kind).median()) for kind in ("site", "random"))
    return f"{site:.3f}", f"{random:.3f}"


def _time(one: xr.Dataset) -> str:
    """For how long SGD ran, and how long the slowest mode takes on Gaussian data, 1/(λ1 (D - D_min)/4)."""
    ran = one.attrs["steps"] * float(np.max(one.attrs["learning_rate"]))
    scales = one.attrs["length_scales"]
    lam1, lam0 = (ring_spectrum(one.sizes["position"], xi) for xi in (scales if one.order == "long" else scales[::-1]))
    excess = np.sort(lam0 + lam1 - lam1 * np.min(1 + lam0 / lam1))
    needed = float(4 / excess[excess > 1e-9 * excess[-1]][0])
    return f"SGD ran {ran:.3g} τ, the slowest Gaussian mode needs {needed:.2g} τ"


def _sgd(record: xr.Dataset) -> Verdict:
    words = f"share of seeds with a cosine of {SAME} or more with an end state"
    cells = [record.sel(order=order, gain=g) for order in NAMES for g in record.gain.values]
    rows = {
        f"{NAMES[str(one.order.values)]}, {_gain(one)}": Verdict.above(
            "", MOST, (one.sgd_match >= SAME).mean(), predicted=1.0, or_equal=True, of=words
        )
        for one in cells
    }
    return Verdict.each(
        "SGD ends in a fixed point of the map, up to shift and sign",
        rows,
        source=NOTE,
        note="; ".join(f"{NAMES[order]}: {_time(record.sel(order=order))}" for order in NAMES),
    )


def _choice(record: xr.Dataset) -> Verdict:
    """Whether map and SGD from the same start choose the same place, where there is a place to choose."""
    one = record.sel(order="long", gain=record.gain > GAUSSIAN)
    claim = "with the longer range positive SGD and the map mostly choose the same place from the same start"
    if not one.sizes["gain"]:
        return Verdict.not_judged(claim, lacking(holding("gains", [1.0], record.gain.values)))
    near = (one.sgd_distance <= 1).values.ravel()
    found = proportion(int(near.sum()), near.size)
    return Verdict.above(
        claim,
        0.5,
        found.mean,
        of="share of runs with peaks within one site of each other",
        error=found.high - found.mean if found.mean < 0.5 else found.mean - found.low,
        note=f"gains above {GAUSSIAN:g}; by chance {3 / record.sizes['position']:.3g}; error: Wilson's 95 % interval; map and "
        f"flow come to the same field from {float((one.flow_match >= SAME).mean()):.2f} of all starts",
    )
