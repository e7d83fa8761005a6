"""What the record of `self-consistency` says of each claim."""

import numpy as np
import xarray as xr

from gatefield.data import ring_spectrum
from gatefield.experiments.nearly_gaussian import GAUSSIAN
from gatefield.experiments.needs import Need, command_line, holding, lacking, lasting, undecided, unjudged
from gatefield.lab import Verdict
from gatefield.measures import cosine, shifted_cosine
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
ROUNDING, SINGLE = 1e-9, 1e-7
"""Of fields in float64, and of losses whose sums over a sample are in single precision."""
PACE = 0.05
"""How near, as a share of its distance from 1, a contraction must be to the predicted one: it is read off some late steps."""
NAMES = {"long": "longer range positive", "short": "shorter range positive"}
NOTE = "note 003, equation 4"


def verdicts(record: xr.Dataset) -> list[Verdict]:
    """Gaussian data, then what holds for every law, then the hypercube, then SGD."""
    orders = [record.sel(order=order) for order in NAMES]
    out = [_multiplier(record), *_gaussian(orders), _descent(record), _equivalence(record)]
    out += [_count(one.sel(gain=g)) for one in orders for g in record.gain.values if g > GAUSSIAN]
    sites = [_one_site(one.isel(gain=[-1]).assign_coords(gain=[np.inf]).isel(gain=0)) for one in orders]
    out += unjudged(lacking(holding("gains", [np.inf], record.gain.values)), *sites)
    sgd = [_sgd(one.sel(gain=g)) for one in orders for g in record.gain.values]
    return [*out, *undecided(lacking(lasting(record, ENOUGH)), *sgd, _choice(record))]


def _gaussian(orders: list[xr.Dataset]) -> list[Verdict]:
    """Of the lowest gain, if it is low enough."""
    gains = orders[0].gain.values.tolist()
    lowest, most = min(gains[0], LOWEST), f"a gain up to {GAUSSIAN:g}"
    low = [one.isel(gain=[0]).assign_coords(gain=[lowest]).isel(gain=0) for one in orders]
    why = "" if gains[0] <= GAUSSIAN else lacking(Need(most, f"{gains[0]:g}", {"gains": [LOWEST, *gains]}))
    return unjudged(why, *(verdict(one) for one in low for verdict in (_mode, _pace)))


def _where(one: xr.Dataset) -> str:
    return f"{NAMES[str(one.order.values)]}, gain {gain_text(float(one.gain))}"


def _multiplier(record: xr.Dataset) -> Verdict:
    return Verdict.below(
        "Gaussian: one iteration shrinks mode k against the winning mode by D_min/D_k",
        ROUNDING,
        abs(record.multiplier / record.multiplier_theory - 1).max(),
        predicted=0.0,
        of="largest relative error",
        note="one application of the map to a random field, both orders, all frequencies; holds far from the steady state too",
    )


def _mode(one: xr.Dataset) -> Verdict:
    """One mode for all starts."""
    winner = int(one.multiplier_theory.values.argmax())
    energy = np.abs(np.fft.rfft(one.ends.transpose("start", "position").values)) ** 2
    return Verdict.above(
        f"{_where(one)}: every start ends in the mode k = {winner}, of the largest λ1/(λ0+λ1)",
        NEARLY_ALL,
        (energy[:, winner] / energy.sum(-1)).min(),
        predicted=1.0,
        of="least share of the energy in that mode",
        note=f"{one.sizes['start']} starts, {int(one.iterations)} iterations",
    )


def _pace(one: xr.Dataset) -> Verdict:
    """It is reached at the pace of the slowest multiplier."""
    claim = f"{_where(one)}: the last iterations contract by D_min/D of the second best mode"
    second = float(np.sort(one.multiplier_theory.values)[-2])
    pace = one.contraction.values[one.contraction.values > 0]
    if not len(pace):
        why = f"no start has late iterations to read it off; run with {command_line(gaussian_iterations=20_000, starts=12)}"
        return Verdict.not_judged(claim, why)
    return Verdict.within(
        claim,
        second,
        np.median(pace),
        atol=PACE * (1 - second),
        of="ratio of late steps",
        note=f"median over starts; {100 * PACE:g} % of the distance from 1 are allowed",
    )


def _descent(record: xr.Dataset) -> Verdict:
    return Verdict.below(
        "the map never raises the loss",
        SINGLE,
        record.rise.max(),
        predicted=0.0,
        or_equal=True,
        of="largest rise",
        note="over all starts, gains and orders; sums over a sample are in single precision",
    )


def _equivalence(record: xr.Dataset) -> Verdict:
    by_map, by_flow = record.map_return >= SAME, record.flow_return >= SAME
    only_map, only_flow = float((by_map & ~by_flow).mean()), float((by_flow & ~by_map).mean())
    return Verdict.above(
        "an end state is stable under the map where it is stable under the gradient flow",
        SHARED,
        (by_map == by_flow).mean(),
        predicted=1.0,
        or_equal=True,
        of="share of end states that are stable under both or neither",
        note=f"pushed by a tenth, on another sample. Stable under the map alone {only_map:.3f}, under the flow alone "
        f"{only_flow:.3f}; the flow runs for the time of training only, which is short for slow modes",
    )


def _count(one: xr.Dataset) -> Verdict:
    """One state for the longer range; for the shorter range, whether random starts lead to states at all."""
    firm, random = one.map_return.values >= SAME, one.kind.values == "random"
    kept = len(np.unique(one.state.values[firm]))
    ipr, losses = ((float(part.min()), float(part.max())) for part in (one.ipr, one.loss))
    note = (
        f"{len(np.unique(one.state))} states up to shift and sign from {len(firm)} starts; {firm.mean():.2f} of the ends "
        f"return after a push on another sample, to {kept} of them. IPR {ipr[0]:.3f} to {ipr[1]:.3f}, loss {losses[0]:.5f} to "
        f"{losses[1]:.5f}, flat field {float(one.flat_loss):.5f}"
    )
    if str(one.order.values) == "long":
        return Verdict.equals(f"{_where(one)}: one stable state, up to shift and sign", 1, kept, of="states:", note=note)
    claim = f"{_where(one)}: from random starts the map ends in traits of the sample, not of the law"
    of = "share of their ends that return on another sample"
    return Verdict.below(claim, 0.5, firm[random].mean(), predicted=0.0, of=of, note=note)


def _one_site(one: xr.Dataset) -> Verdict:
    """The state of the gate of one site, which is exact on the hypercube, against the start from one site."""
    end = one.isel(start=int(np.flatnonzero(one.kind.values == "site")[0]))
    near, random = float(cosine(end.ends.values, one.site_state.values)), one.isel(start=one.kind.values == "random")
    reached = shifted_cosine(random.ends.transpose("start", "position").values, one.site_state.values) >= SAME
    claim = f"{_where(one)}: the start from one site ends in the one-site state 2 T^-1 f, as its margin says"
    note = (
        f"margin {float(one.site_margin):.3f}: it exists where the largest weight exceeds the sum of the others. Its loss is "
        f"{float(end.loss):.5f}; from random starts {reached.mean():.2f} end there, and their losses are "
        f"{float(random.loss.min()):.5f} to {float(random.loss.max()):.5f}"
    )
    if one.site_margin > 0:
        return Verdict.above(claim, NEARLY_ALL, near, predicted=1.0, of="cosine", source=NOTE, note=note)
    return Verdict.below(claim, NEARLY_ALL, near, predicted=0.0, or_equal=True, of="cosine", source=NOTE, note=note)


def _time(one: xr.Dataset) -> str:
    """For how long SGD ran, and how long the slowest mode takes on Gaussian data, 1/(λ1 (D - D_min)/4)."""
    ran = one.attrs["steps"] * float(np.max(one.attrs["learning_rate"]))
    scales = one.attrs["length_scales"]
    lam1, lam0 = (ring_spectrum(one.sizes["position"], xi) for xi in (scales if one.order == "long" else scales[::-1]))
    excess = np.sort(lam0 + lam1 - lam1 * np.min(1 + lam0 / lam1))
    needed = float(4 / excess[excess > 1e-9 * excess[-1]][0])
    state = "SGD is not in a steady state" if ran < needed else "SGD has had that time"
    return f"SGD ran for {ran:.3g} tau; on Gaussian data the slowest mode needs about {needed:.2g} tau: there {state}"


def _sgd(one: xr.Dataset) -> Verdict:
    return Verdict.above(
        f"{_where(one)}: SGD ends in a fixed point",
        MOST,
        (one.sgd_match >= SAME).mean(),
        predicted=1.0,
        or_equal=True,
        of=f"share of seeds with a cosine of {SAME} or more, up to shift and sign, with an end state of the map",
        source=NOTE,
        note=f"median cosine {float(one.sgd_match.median()):.3f}. In {float((one.sgd_same_start >= SAME).mean()):.2f} of seeds "
        f"it is the field that the map finds from the same start; median cosine with the gradient flow from the same start "
        f"{float(one.sgd_flow.median()):.3f}. Losses: SGD {float(one.sgd_loss.median()):.5f}, map "
        f"{float(one.loss.median()):.5f}. {_time(one)}",
    )


def _choice(record: xr.Dataset) -> Verdict:
    """Whether map and SGD from the same start choose the same place, where there is a place to choose."""
    one = record.sel(order="long", gain=record.gain > GAUSSIAN)
    lowest = float(one.gain.min()) if one.sizes["gain"] else 1.0
    claim = f"longer range positive, gain {gain_text(lowest)} and above: from the same start the map and SGD mostly choose the "
    claim += "same place"
    if not one.sizes["gain"]:
        return Verdict.not_judged(claim, lacking(holding("gains", [1.0], record.gain.values)))
    flowed = float((one.flow_match >= SAME).mean())
    return Verdict.above(
        claim,
        0.5,
        (one.sgd_distance <= 1).mean(),
        predicted=1.0,
        of="share of runs with peaks within one site of each other",
        note=f"chance is {3 / record.sizes['position']:.3g}. The map and the gradient flow come to the same field from "
        f"{flowed:.2f} of all starts",
    )
