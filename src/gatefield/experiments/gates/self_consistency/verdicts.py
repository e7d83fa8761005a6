"""What the record of `self-consistency` says of each claim."""

import numpy as np
import xarray as xr

from gatefield.data import ring_spectrum
from gatefield.experiments.nearly_gaussian import GAUSSIAN
from gatefield.lab.verdict import Verdict
from gatefield.measures import cosine, shifted_cosine
from gatefield.plot import gain_text

SAME = 0.95
"""Fields with this cosine or more count as the same."""
NAMES = {"long": "longer range positive", "short": "shorter range positive"}


def verdicts(record: xr.Dataset) -> list[Verdict]:
    """Gaussian data, then what holds for every law, then the hypercube, then SGD."""
    out = [_multiplier(record)]
    if record.gain[0] <= GAUSSIAN:
        out += [verdict for order in NAMES for verdict in _gaussian(record.sel(order=order).isel(gain=0))]
    out += [_descent(record), _equivalence(record)]
    for order in NAMES:
        out += [_count(record.sel(order=order, gain=g)) for g in record.gain.values if g > GAUSSIAN]
    if np.isinf(record.gain.values[-1]):
        out += [_one_site(record.sel(order=order).isel(gain=-1)) for order in NAMES]
    for order in NAMES:
        out += [_sgd(record.sel(order=order, gain=g), _time(record, order)) for g in record.gain.values]
    return [*out, *_choice(record)]


def stable(one: xr.Dataset) -> xr.DataArray:
    """Which end states come back under the map, pushed by a tenth and on another sample."""
    return one.map_return >= SAME


def _where(one: xr.Dataset) -> str:
    return f"{NAMES[str(one.order.values)]}, gain {gain_text(float(one.gain))}"


def _multiplier(record: xr.Dataset) -> Verdict:
    off = float(abs(record.multiplier / record.multiplier_theory - 1).max())
    note = "one application of the map to a random field, both orders, all frequencies; holds far from the rest too"
    claim = "Gaussian: one iteration shrinks mode k against the winning mode by D_min/D_k"
    return Verdict.judged(claim, 0.0, off, "largest relative error below 1e-9", off < 1e-9, note)


def _gaussian(one: xr.Dataset) -> list[Verdict]:
    """One mode for all starts, reached at the pace of the slowest multiplier."""
    name, theory = _where(one), np.sort(one.multiplier_theory.values)
    winner = int(one.multiplier_theory.values.argmax())
    energy = np.abs(np.fft.rfft(one.ends.values)) ** 2
    share = energy[:, winner] / energy.sum(-1)
    pace = one.contraction.values[one.contraction.values > 0]
    measured = float(np.median(pace)) if len(pace) else 0.0
    slack = abs((1 - measured) / (1 - theory[-2]) - 1)
    return [
        Verdict.judged(
            f"{name}: every start ends in the mode k = {winner}, of the largest λ1/(λ0+λ1)",
            1.0,
            float(share.min()),
            "share of the energy in that mode above 0.99 from every start",
            bool(share.min() > 0.99),
            f"{len(share)} starts, {int(one.iterations)} iterations",
        ),
        Verdict.judged(
            f"{name}: the last iterations contract by D_min/D of the second best mode",
            float(theory[-2]),
            measured,
            "distance from 1 within 5 %",
            slack < 0.05,
            "median over starts of the ratio of late steps",
        ),
    ]


def _descent(record: xr.Dataset) -> Verdict:
    rise = float(record.rise.max())
    note = "over all starts, gains and orders; sums over a sample are in single precision"
    return Verdict.judged("the map never raises the loss", 0.0, rise, "largest rise at most 1e-7", rise <= 1e-7, note)


def _equivalence(record: xr.Dataset) -> Verdict:
    by_map, by_flow = record.map_return >= SAME, record.flow_return >= SAME
    same = float((by_map == by_flow).mean())
    only_map, only_flow = float((by_map & ~by_flow).mean()), float((by_flow & ~by_map).mean())
    return Verdict.judged(
        "an end state is stable under the map where it is stable under the gradient flow",
        1.0,
        same,
        "at least 0.95 of end states are stable under both or neither",
        same >= 0.95,
        f"pushed by a tenth, on another sample. Stable under the map alone {only_map:.3f}, under the flow alone "
        f"{only_flow:.3f}; the flow runs for the time of training only, which is short for slow modes",
    )


def _count(one: xr.Dataset) -> Verdict:
    """One state for the longer range; for the shorter range, whether random starts lead to states at all."""
    firm, random = stable(one).values, one.kind.values == "random"
    kept, held = len(np.unique(one.state.values[firm])), float(firm[random].mean())
    ipr, losses = ((float(part.min()), float(part.max())) for part in (one.ipr, one.loss))
    note = (
        f"{len(np.unique(one.state))} states up to shift and sign from {len(firm)} starts; {firm.mean():.2f} of the ends "
        f"return after a push on another sample, to {kept} of them. IPR {ipr[0]:.3f} to {ipr[1]:.3f}, loss {losses[0]:.5f} to "
        f"{losses[1]:.5f}, flat field {float(one.flat_loss):.5f}"
    )
    if str(one.order.values) == "long":
        return Verdict.judged(
            f"{_where(one)}: one stable state, up to shift and sign", 1.0, kept, "exactly one", kept == 1, note
        )
    claim = f"{_where(one)}: from random starts the map comes to rest on traits of the sample, not of the law"
    return Verdict.judged(claim, 0.0, held, "less than half of the ends return on another sample", held < 0.5, note)


def _one_site(one: xr.Dataset) -> Verdict:
    """The state of the gate of one site, which is exact on the hypercube, against the start from one site."""
    exists = bool(one.site_margin > 0)
    end = one.isel(start=int(np.flatnonzero(one.kind.values == "site")[0]))
    near = float(cosine(end.ends.values, one.site_state.values))
    random = one.loss.values[one.kind.values == "random"]
    reached = shifted_cosine(one.ends.values[one.kind.values == "random"], one.site_state.values) >= SAME
    return Verdict.judged(
        f"{_where(one)}: the start from one site ends in the one-site state 2 T^-1 f, as its margin says",
        float(exists),
        near,
        "cosine above 0.99 where the largest weight exceeds the sum of the others, else below",
        (near > 0.99) == exists,
        f"margin {float(one.site_margin):.3f}. Its loss is {float(end.loss):.5f}; from random starts {reached.mean():.2f} end "
        f"there, and their losses are {random.min():.5f} to {random.max():.5f}",
    )


def _time(record: xr.Dataset, order: str) -> str:
    """For how long SGD ran, and how long the slowest mode takes on Gaussian data, 1/(λ1 (D - D_min)/4)."""
    ran = record.attrs["steps"] * float(np.max(record.attrs["learning_rate"]))
    scales = record.attrs["length_scales"]
    lam1, lam0 = (ring_spectrum(record.sizes["position"], xi) for xi in (scales if order == "long" else scales[::-1]))
    excess = np.sort(lam0 + lam1 - lam1 * np.min(1 + lam0 / lam1))
    needed = float(4 / excess[excess > 1e-9 * excess[-1]][0])
    rest = "SGD is not at rest" if ran < needed else "SGD has had that time"
    return f"SGD ran for {ran:.3g} tau; on Gaussian data the slowest mode needs about {needed:.2g} tau: there {rest}"


def _sgd(one: xr.Dataset, time: str) -> Verdict:
    share = float((one.sgd_match >= SAME).mean())
    same = float((one.sgd_same_start >= SAME).mean())
    flowed = float(one.sgd_flow.median())
    return Verdict.judged(
        f"{_where(one)}: SGD ends in a fixed point",
        1.0,
        share,
        f"cosine {SAME} or more, up to shift and sign, with an end state of the map, in at least 0.9 of seeds",
        share >= 0.9,
        f"median cosine {float(one.sgd_match.median()):.3f}. In {same:.2f} of seeds it is the field that the map finds from "
        f"the same start; median cosine with the gradient flow from the same start {flowed:.3f}. Losses: SGD "
        f"{float(one.sgd_loss.median()):.5f}, map {float(one.loss.median()):.5f}. {time}",
    )


def _choice(record: xr.Dataset) -> list[Verdict]:
    """Whether map and SGD from the same start choose the same place, where there is a place to choose."""
    one = record.sel(order="long", gain=record.gain > GAUSSIAN)
    if not one.sizes["gain"]:
        return []
    same, flowed = float((one.sgd_distance <= 1).mean()), float((one.flow_match >= SAME).mean())
    claim = "longer range positive, gain 1 and above: from the same start the map and SGD mostly choose the same place"
    chance = 3 / record.sizes["position"]
    note = f"chance is {chance:.3g}. The map and the gradient flow come to the same field from {flowed:.2f} of all starts"
    return [Verdict.judged(claim, 1.0, same, "peaks within one site of each other in more than half of runs", same > 0.5, note)]
