"""Where theory and simulation agree on what localizes, and where they part."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.intervals import median_error
from gatefield.experiments.ends import spread_by
from gatefield.experiments.fields.phase_diagram.boundary import disagree, from_gain, inside, localized, step, until
from gatefield.experiments.fields.phase_diagram.simulate import EARLY
from gatefield.experiments.fields.phase_diagram.sizes import falling, moving
from gatefield.lab import Verdict
from gatefield.lab.needs import Need, holding, lacking, lasting, undecided
from gatefield.measures import LOCALIZED
from gatefield.plot import gain_text

LATE = 8_000.0
"""In tau: with the shorter range positive, fields that localized at all took up to 6,000 (`late-localization`)."""
SQUASHED = 3.0
"""The gain from which on the notes say that fields localize."""
CLOSE = 0.01
"""How far the median IPR of ends may be from that of their exact state, as in `late-localization`."""
FACTOR = 2.0
"""How far the line of equal losses may be from where fields localize. Ends of three sites have 0.004 more loss than one site,
which moves the line by a factor of 1.4; and what has the same loss as a wave does not pull a wave towards it."""
COOL = 0.01
"""Rate times sites over batch, in proportion to which batches add to a field. With 0.01 waves of the ratio 1/2 localize on the
cube after some 4,000 tau (`late-localization`); with 0.05 they had not after 8,000, and with 0.2 few fields localize at all."""
SIDES = {"longer": "the longer or the same range positive", "shorter": "the shorter range positive"}


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    closures, larger = [_closure(record, side) for side in SIDES], [moving(record), falling(record)]
    cube = [_site_limit(record), _exact(record), *_cooled(record, *_every_ratio(record))]
    return [*_cooled(record, *closures), _one_order(record), *_cooled(record, *_line(record)), *cube, *_cooled(record, *larger)]


def _cooled(record: xr.Dataset, *found: Verdict) -> list[Verdict]:
    """The verdicts, not decided where they are refuted by batches that may have kept fields from localizing."""
    rate, n, batch = float(np.max(record.attrs["learning_rate"])), record.sizes["position"], int(record.attrs["batch_size"])
    enough = math.ceil(rate * n / COOL - 1e-6)
    why = lacking(Need(f"batches of {enough}", f"{batch}", {"batch_size": enough}) if batch < enough else None)
    return [undecided(why, one)[0] if one.outcome == "refuted" else one for one in found]


def _side(record: xr.Dataset, side: str) -> np.ndarray:
    return (record.ratio.values >= 1) == (side == "longer")


def _closure(record: xr.Dataset, side: str) -> Verdict:
    """Whether closure and SGD localize at the same settings, at either time."""
    claim = f"with {SIDES[side]} the closure tells at which gains, ratios and times fields localize"
    which = _side(record, side)
    if why := lacking(_ratios(record, which, 2.0 if side == "longer" else 0.5)):
        return Verdict.not_judged(claim, why)
    everywhere = disagree(localized(record.ipr), localized(record.closure_ipr))
    wrong, other = everywhere.isel(ratio=which), everywhere.isel(ratio=~which)
    rows = {
        f"{float(record.time[k]):,.0f} τ": Verdict.equals(
            "", 1.0, 1 - float(wrong[k].mean()), of="share of settings that agree"
        )
        for k in range(record.sizes["when"])
    }
    return Verdict.each(
        claim,
        rows,
        note=f"whether the median IPR is {LOCALIZED:g} or more, there or one step of the grid away; {_places(wrong)}",
        **_closure_words(wrong, side, said=_last(wrong) == _last(other)),
    )


def _last(wrong: xr.DataArray) -> int | None:
    """The last time at which the closure is off somewhere."""
    return int(np.flatnonzero(wrong.any(("gain", "ratio")).values)[-1]) if wrong.any() else None


def _closure_words(wrong: xr.DataArray, side: str, *, said: bool) -> dict[str, Any]:
    """What a headline says of the last time at which the closure is off, and "off" is what the figure says it is; of the two
    sides the second names the time unless the first has said it."""
    last = _last(wrong)
    when = -1 if last is None else last
    missed, time = wrong.isel(when=when), f"{float(wrong.time[when]):,.0f} τ"
    count = f"{int(missed.sum())} of {missed.size}"
    if side == "longer":
        return {
            "found": "a closure tells, to one grid step, where fields localize with the longer or same range positive",
            "otherwise": f"after {time} a closure is off at {count} settings with the longer or same range positive",
        }
    return {
        "found": f"with the shorter it is right at all {wrong.size}",
        "otherwise": f"with the shorter it is off at {count}" + ("" if said else f" ({time})"),
    }


def _places(wrong: xr.DataArray) -> str:
    """Where the answers differ, time by time."""
    words = []
    for at in wrong:
        gains, ratios = at.gain.values[at.any("ratio").values], at.ratio.values[at.any("gain").values]
        if gains.size:
            low, high = (gain_text(float(f"{gain:.3g}")) for gain in gains[[0, -1]])
            span = f"gains {low} to {high}, ratios {ratios[0]:.3g} to {ratios[-1]:.3g}"
            words.append(f"wrong at {int(at.sum())} settings {at.when.item()}, within {span}")
    return "; ".join(words) or "wrong nowhere"


def _one_order(record: xr.Dataset) -> Verdict:
    where = "where the positive class has the longer range, and only there"
    claim = f"within {EARLY:g} τ and from a gain of {SQUASHED:g} on, fields localize {where}"
    words: Any = {"kind": "claim", "source": "notes 000 and 002, introductions"}
    away = np.abs(np.log(record.ratio.values)) > 1.01 * math.log(_ratio_step(record))
    orders = [_ratios(record, away & _side(record, side), example) for side, example in (("longer", 4.0), ("shorter", 0.25))]
    high = record.gain.values >= SQUASHED
    if why := lacking(*orders, None if high.any() else holding("gains", [SQUASHED], record.gain.values), _seen(record)):
        return Verdict.not_judged(claim, why, **words)
    found = localized(record.ipr.isel(when=0)).isel(gain=high, ratio=away)
    same = found == (found.ratio > 1)
    note = f"of {same.size} settings; ratios within one step of the grid from 1 are left out"
    return Verdict.equals(claim, 1.0, float(same.mean()), of="share of settings where it is so", note=note, **words)


def _ratio_step(record: xr.Dataset) -> float:
    return step(record.ratio.values) if record.sizes["ratio"] > 1 else 1.0


def _line(record: xr.Dataset) -> list[Verdict]:
    """Where one site costs less loss than the best wave, beside where late fields localize."""
    claim = "late fields localize from about the gain on at which a gate of one site has less loss than the best wave"
    gains, rows = record.gain.values, {}
    late, lead = record.ipr.isel(when=1).median("seed"), record.wave_loss - record.site_loss
    for side, words in SIDES.items():
        lines = {i: from_gain(lead.isel(ratio=i), 0.0, gains) for i in np.flatnonzero(_side(record, side)).tolist()}
        parts = [from_gain(late.isel(ratio=i), LOCALIZED, gains) / line for i, line in lines.items() if inside(line, gains)]
        if parts:
            found = float(np.median(parts))
            spread: Any = {"of": "gain of the simulation over that of theory", "error": found * (math.sqrt(step(gains)) - 1)}
            rows[f"{words}, median of {len(parts)} ratios"] = Verdict.between(
                "", 1 / FACTOR, FACTOR, found, predicted=1.0, **spread
            )
    if not rows:
        why = lacking(Need("gains between which the line lies", gain_text(gains[0]), {"gains": [0.3, 1.0, 3.0, 10.0]}))
        return [Verdict.not_judged(claim, why)]
    note = "the error is half a step of the grid; a field that localizes at no gain counts as at the largest finite one"
    return undecided(lacking(lasting(record, LATE)), Verdict.each(claim, rows, note=note))


def _site_limit(record: xr.Dataset) -> Verdict:
    claim = "on the hypercube one site decides the gate of the end up to the ratio at which its exact state ceases to exist"
    upper = record.ratio.values >= 1
    if why := lacking(_cube(record), _ratios(record, upper, 2.0)):
        return Verdict.not_judged(claim, why)
    above = record.isel(ratio=upper)
    limit = until(above.state_lead.sel(sites=1).values, above.ratio.values)
    if not math.isfinite(limit):
        need = Need("a ratio at which that state is none", f"at most {above.ratio.values[-1]:g}", {"ratios": [1.0, 2.0, 4.0]})
        return Verdict.not_judged(claim, lacking(need))
    share = above.one_site.sel(gain=np.inf).mean("seed").values
    found = until(share - 0.5, above.ratio.values)
    error = limit - until(above.state_lead.sel(sites=1).values - _jitter(above), above.ratio.values)
    note = "of more than half of the seeds; the bound is one step of the grid, the error where batches add as much as the lead"
    words: Any = {"of": "ratio", "note": note, "error": error}
    factor, measured = _ratio_step(record), found if math.isfinite(found) else above.ratio.values[-1]
    return Verdict.between(claim, limit / factor, limit * factor, measured, predicted=limit, **words)


def _jitter(record: xr.Dataset) -> np.ndarray:
    """The length of what batches add to the fields on the cube, at each ratio: what a lead has to stand against."""
    cube = record.sel(gain=np.inf)
    return np.sqrt(cube.noise * (cube.end**2).sum("position")).median("seed").values


def _exact(record: xr.Dataset) -> Verdict:
    """Each end at gain infinity that is one of the states, against that state, if batches do not open its gate."""
    claim = "on the hypercube, at every ratio, ends that are a state of a few sites have its IPR"
    if why := lacking(_cube(record)):
        return Verdict.not_judged(claim, why)
    cube = record.sel(gain=np.inf)
    same = (cube.reached == cube.sites) & (cube.state_lead > _jitter(record)[:, None])
    far = np.abs(cube.ipr.isel(when=1).where(same).median("seed") - cube.state_ipr)
    if not far.notnull().any():
        need = Need("ends in states that batches leave alone", "none", {"batch_size": 2 * int(record.attrs["batch_size"])})
        return Verdict.not_judged(claim, lacking(lasting(record, LATE)) or lacking(need))
    error = spread_by(cube.noise / cube.records, cube.ipr.isel(when=1)).where(same).median("seed").transpose(*far.dims)
    at = np.unravel_index(int(np.nanargmax(far.values)), far.shape)
    return Verdict.below(
        claim,
        CLOSE,
        float(far.values[at]),
        error=float(error.values[at]),
        of="largest distance of a median IPR from that of its state",
        note=f"{int(same.any('sites').sum())} of {cube.reached.size} ends are a state that leads by more than batches add to a "
        "field; the error is what batches add to the end",
    )


def _every_ratio(record: xr.Dataset) -> list[Verdict]:
    claim = "on the hypercube fields localize late at every ratio of the length scales"
    if why := lacking(_cube(record)):
        return [Verdict.not_judged(claim, why)]
    ends = record.ipr.isel(when=1).sel(gain=np.inf)
    least = ends.isel(ratio=int(ends.median("seed").values.argmin()))
    words: Any = {
        "error": median_error(least),
        "note": f"at ratio {float(least.ratio):.3g}, after {float(record.time[1]):,.0f} τ",
    }
    found = Verdict.above(claim, LOCALIZED, float(least.median()), of="smallest median IPR over ratios", **words)
    return [found] if found.holds else undecided(lacking(lasting(record, LATE)), found)


def _cube(record: xr.Dataset) -> Need | None:
    return holding("gains", [float("inf")], record.gain.values)


def _ratios(record: xr.Dataset, which: np.ndarray, example: float) -> Need | None:
    """Ratios of a kind, one of which is to be set beside those that are there."""
    if which.any():
        return None
    return Need(f"ratios such as {example:g}", "none", {"ratios": sorted({*record.ratio.values.tolist(), example})})


def _seen(record: xr.Dataset) -> Need | None:
    """A record near the early time."""
    found, rate = float(record.time[0]), float(np.max(record.attrs["learning_rate"]))
    if abs(found - EARLY) < 0.1 * EARLY:
        return None
    steps = max(1, round(EARLY / rate))
    return Need(
        f"a record at {EARLY:g} tau", f"{found:g}", {"record_every": steps, "steps": max(steps, int(record.attrs["steps"]))}
    )
