"""Under which conditions localization survives, and why it does not under others."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.intervals import median_error
from gatefield.experiments.fields.conditions.changes import CHANGES
from gatefield.experiments.fields.conditions.simulate import SURVIVES
from gatefield.lab import Verdict
from gatefield.lab.needs import Need, at_least, exactly, holding, lacking, lasting
from gatefield.measures import LOCALIZED, shifted_cosine

GAIN, PAIR, ENOUGH = 3.0, [2.0, 1.0], 200.0
"""Where the baseline localizes: gain, length scales of the positive and the negative class, and time in tau."""
OFFSETS = ("bias", "cross-entropy", "entropy-alone")
"""Conditions under which the output for no input is 1/2: by a bias, or as a logit has it by itself."""
GAUSSIAN = 0.1
"""Up to which gain data are nearly Gaussian: their excess kurtosis is below 0.001."""
LEADS, ORDER = 0.2, 0.5
"""Up to which ratio of the first term of the velocity to the second the second leads; from which on both are of one order."""
ALIKE = 0.95
"""From which cosine on two fields are the same but for the noise of batches."""
LOOKED = "the bound was 0.3 until the ends of the first full run were seen; it is now that of all other experiments"
"""How the bound on the swapped order came about: it was changed after a look."""
LEVEL, MANY = 0.01, 32
"""Of a test: one record in a hundred misses by chance; and with so many fields most would, if they sat like the mode."""


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    return [*_survivals(record), *_offsets(record), *_swapped(record), *_bases(record), _line(record), *_early(record)]


def _setting(record: xr.Dataset) -> list[Need | None]:
    first = [float(record.xi1[0]), float(record.xi0[0])]
    pairs = None if first == PAIR else Need("2 and 1 as the first pair", f"{first[0]:g} and {first[1]:g}", {"pairs": [PAIR]})
    return [exactly("n", 40, record.sizes["position"]), pairs, holding("gains", [GAIN], record.gain.values)]


def _unmet(record: xr.Dataset) -> str:
    return lacking(*_setting(record), lasting(record, ENOUGH))


def _at(record: xr.Dataset) -> xr.Dataset:
    return record.isel(pair=0).sel(gain=GAIN)


def _range(values: Any) -> str:
    values = np.asarray(values, float)
    return f"{values.min():.3g} to {values.max():.3g} over {values.size} seeds"


def _survivals(record: xr.Dataset) -> list[Verdict]:
    """The baseline, and what is changed of it: what leaves the output at zero for half of all inputs, and what does not."""
    claims = (
        "the baseline localizes at gain 3: one neuron on a ring, plain SGD on the squared error, no bias, a fixed readout",
        "localization at gain 3 survives an open line, another start, a learned readout, momentum and Adam",
        "localization at gain 3 survives an output bias or cross-entropy",
    )
    if why := _unmet(record):
        words: Any = {"found": "localization survives", "otherwise": "localization does not survive"}
        control = Verdict.not_judged(claims[0], why, kind="control")
        return [control, *(Verdict.not_judged(claim, why, **words) for claim in claims[1:])]
    one = _at(record)
    rows = {change.words: _survives(one.sel(condition=name)) for name, change in CHANGES.items()}
    offset = {CHANGES[name].words for name in OFFSETS}
    kept = {at: row for at, row in rows.items() if at not in offset | {CHANGES["baseline"].words}}
    lost = {at: row for at, row in rows.items() if at in offset}
    base = one.sel(condition="baseline")
    note = f"{_range(base.end_ipr)}; localized from {np.nanmedian(base.localized_at):.3g} τ on" if _any(base) else ""
    middles = [row.measured for row in lost.values()]
    span = f"IPR {min(middles):.2f} to {max(middles):.2f}"
    both = "a bias or cross-entropy"
    return [
        dataclasses.replace(_survives(base), claim=claims[0], kind="control", note=note),
        Verdict.each(
            claims[1],
            kept,
            found=f"gain {GAIN:g}: localization survives {len(kept)} changes",
            otherwise=f"gain {GAIN:g}: localization does not survive every change of data, start and optimiser",
        ),
        Verdict.each(
            claims[2],
            lost,
            note="without an offset the output is zero for half of all inputs",
            found=f"localization survives {both} ({span})",
            otherwise=f"{both} widens fields ({span}){_swapped_words(record)}",
        ),
    ]


def _swapped_words(record: xr.Dataset) -> str:
    """What the same changes do where the length scales are swapped, if they localize fields there."""
    ends = swapped_offsets(record)
    if ends is None or float(ends.max()) < LOCALIZED:
        return ""
    part = "" if float(ends.min()) >= LOCALIZED else " in part"
    return f" but localizes the swapped order{part} ({float(ends.min()):.2f} to {float(ends.max()):.2f})"


def swapped_offsets(record: xr.Dataset) -> xr.DataArray | None:
    """The median IPR at gain 3 with an offset and the length scales swapped; None if they are not there."""
    (there,) = np.nonzero((record.xi1.values == PAIR[1]) & (record.xi0.values == PAIR[0]))
    if not len(there) or GAIN not in record.gain.values:
        return None
    return record.end_ipr.isel(pair=int(there[0])).sel(gain=GAIN, condition=list(OFFSETS)).median("seed")


def _any(one: xr.Dataset) -> bool:
    return bool(np.isfinite(one.localized_at).any())


def _survives(one: xr.Dataset) -> Verdict:
    values = one.end_ipr.values
    return Verdict.above("", SURVIVES, np.median(values), of="median IPR", error=median_error(values))


def _offsets(record: xr.Dataset) -> list[Verdict]:
    """What an output of 1/2 at no input changes, which an output bias gives, and a logit has by itself."""
    claims = (
        "at gain 3 a neuron without an output bias does worse than the constant output 1/2",
        "at gain 3 fields trained with an output bias tell more of the label than localized ones",
        "at gain 3 cross-entropy with an output bias trains the same field as the squared error with an output bias",
        "at gain 3 cross-entropy with an output bias makes the field four times as large as the squared error does",
    )
    if why := _unmet(record):
        return [Verdict.not_judged(claim, why) for claim in claims]
    plain, bias, entropy = (_at(record).sel(condition=name) for name in ("baseline", "bias", "cross-entropy"))
    alike = shifted_cosine(entropy.end.values, bias.end.values)
    sizes = entropy.end_size.values / bias.end_size.values
    ratio = bias.explained.values / plain.explained.values
    slope = "a logit of 4 (p - 1/2) is right for p near 1/2, which holds if little can be told of the label"
    told = f"{100 * float(bias.explained.median()):.2g} % of its variance against {100 * float(plain.explained.median()):.2g} %"
    losses: Any = {"of": "median loss", "note": "1/8 is that of the constant", "error": median_error(plain.end_loss)}
    shares: Any = {"of": "median ratio of the shares explained", "note": told, "error": median_error(ratio)}
    cosines: Any = {"of": "median cosine over all shifts", "note": slope, "error": median_error(alike)}
    lengths: Any = {"of": "median ratio of |w|", "note": _range(sizes), "error": median_error(sizes)}
    return [
        Verdict.above(claims[0], 0.125, plain.end_loss.median(), **losses),
        Verdict.above(claims[1], 1.0, np.median(ratio), **shares),
        Verdict.above(claims[2], ALIKE, np.median(alike), predicted=1.0, **cosines),
        Verdict.within(claims[3], 4.0, np.median(sizes), rtol=0.1, **lengths),
    ]


def _swapped(record: xr.Dataset) -> list[Verdict]:
    claims = (
        "with the length scales swapped a field from a random start localizes under none of the conditions at gain 3",
        "with the length scales swapped a field that begins as a basis vector stays localized at gain 3",
    )
    there = [[float(a), float(b)] for a, b in zip(record.xi1, record.xi0, strict=True)]
    missing = None if PAIR[::-1] in there else Need("the pair 1, 2", str(len(there)), {"pairs": [*there, PAIR[::-1]]})
    if why := lacking(*_setting(record), missing, lasting(record, ENOUGH)):
        return [Verdict.not_judged(claim, why) for claim in claims]
    ends = record.end_ipr.isel(pair=there.index(PAIR[::-1])).sel(gain=GAIN)
    medians = ends.drop_sel(condition="basis").median("seed")
    most = medians.isel(condition=int(medians.values.argmax()))
    time = f"after {float(record.time[-1]):.4g} tau of the baseline"
    note, kept = f"{CHANGES[most.condition.item()].words}, {time}; {LOOKED}", ends.sel(condition="basis")
    words: Any = {"of": "median IPR", "error": median_error(kept), "note": f"{_range(kept)}, {time}; {LOOKED}"}
    error = median_error(ends.sel(condition=most.condition.item()))
    return [
        Verdict.below(claims[0], LOCALIZED, most, of="largest median IPR", error=error, note=note),
        Verdict.above(claims[1], LOCALIZED, kept.median(), **words),
    ]


def _bases(record: xr.Dataset) -> list[Verdict]:
    """What is left of basis vectors as a start."""
    claims = (
        "at gain 3 one neuron that begins as a basis vector ends as localized as from a random start",
        "on nearly Gaussian data a committee that begins with basis vectors ends spread",
        "at gain 3 a committee that begins with basis vectors ends more localized than one from a random start",
    )
    words: Any = {"source": "note 002, section 2, basis initialization"}
    low = [] if (record.gain <= GAUSSIAN).any() else [holding("gains", [0.01], record.gain.values)]
    if why := _unmet(record):
        out = [Verdict.not_judged(claim, why, **words) for claim in (claims[0], claims[2])]
    else:
        out = [_one_basis(_at(record), claims[0], words), _kept(_at(record), claims[2], words)]
    if why := lacking(*_setting(record), *low, lasting(record, ENOUGH)):
        return [*out, Verdict.not_judged(claims[1], why, **words)]
    forgotten = record.committee_ipr.isel(pair=0, gain=0).sel(start="basis").median("unit")
    bound = 4 / record.sizes["position"]
    of = "median IPR over units and seeds"
    note = f"{_range(forgotten)} at gain {float(record.gain[0]):g}; the bound is 4/n"
    return [*out, Verdict.below(claims[1], bound, forgotten.median(), of=of, note=note, error=median_error(forgotten), **words)]


def _one_basis(one: xr.Dataset, claim: str, words: Any) -> Verdict:
    values = one.end_ipr.sel(condition="basis")
    expected = one.end_ipr.sel(condition="baseline").median()
    error, note = (
        median_error(values - one.end_ipr.sel(condition="baseline")),
        f"{_range(values)}; predicted: that of the baseline",
    )
    return Verdict.within(claim, expected, values.median(), atol=0.03, of="median IPR", error=error, note=note, **words)


def _kept(one: xr.Dataset, claim: str, words: Any) -> Verdict:
    units = one.committee_ipr.median("unit")
    more = units.sel(start="basis") - units.sel(start="random")
    stay = 100 * float(one.committee_stays.sel(start="basis").mean())
    medians = f"{float(units.sel(start='basis').median()):.2g} against {float(units.sel(start='random').median()):.2g}"
    note = f"{medians} from a random start; the largest entry of {stay:.0f} % of the units has stayed"
    return Verdict.above(claim, 0.0, more.median(), of="median lead in IPR", error=median_error(more), note=note, **words)


def _line(record: xr.Dataset) -> Verdict:
    claim = "on an open line fields localized at gain 3 sit near the ends as often as in the middle"
    many = at_least("seeds", MANY, record.sizes["seed"])
    if why := lacking(*_setting(record), lasting(record, ENOUGH), many):
        return Verdict.not_judged(claim, why)
    one, n = _at(record).sel(condition="line"), record.sizes["position"]
    sits = np.abs(one.end.values[one.end_ipr.values >= SURVIVES]).argmax(-1)
    if not len(sits):
        return Verdict.not_judged(claim, f"no field localized on the line; run with --set steps={2 * record.attrs['steps']}")
    away, half = np.minimum(np.arange(n), np.arange(n)[::-1]), n // 2
    mean, spread = (half - 1) / 2, math.sqrt((half**2 - 1) / 12 / len(sits))
    p = math.erfc(abs(away[sits].mean() - mean) / spread / math.sqrt(2))
    mode, loss = one.line_mode.values**2, one.line_loss.values
    note = f"{len(sits)} fields; {(away * mode).sum() / mode.sum():.3g} sites if like the attracting Gaussian mode; "
    note += f"a bump's loss: {loss[half]:.4g} in the middle, {loss[2]:.4g} on the third site, {loss[0]:.4g} on the last"
    by = "mean distance from the nearer end, in sites, against even chances"
    return Verdict.test(claim, mean, away[sits].mean(), p, level=LEVEL, by=by, note=note)


def _early(record: xr.Dataset) -> list[Verdict]:
    """The story of note 003: the field shrinks as on Gaussian data until f is of the order of the second term."""
    claims = (
        "from a standard normal start the decay of the field, (S0 + S1) w/4 with the classes' covariances S, leads over its "
        "drift f(w)/2",
        "from a standard normal start the field shrinks until its decay and its drift are of one order",
        "from a standard normal start the field moves as on Gaussian data until its decay and its drift are of one order",
        "from a standard normal start the field localizes only when its decay and its drift are of one order",
    )
    words: Any = {"kind": "claim", "source": "note 003, section 2"}
    if why := lacking(*_setting(record)):
        return [Verdict.not_judged(claim, why, **words) for claim in claims]
    one = record.sel(gain=GAIN)
    ratio = (one.early_pull / one.early_brake).values
    first: Any = {"of": "median ratio of first to second term", "error": median_error(ratio[:, 0])}
    leads = Verdict.below(claims[0], LEADS, np.median(ratio[:, 0]), **first, **words)
    hits = [(ratio >= ORDER).any(-1), (one.early_ipr.values >= SURVIVES).any(-1)]
    if not np.all(hits):
        longer = 2 * record.attrs["early_steps"]
        why = f"needs all seeds to localize in the first moments, has {hits[1].sum()} of {hits[1].size}"
        why += f"; run with --set early_steps={longer}"
        return [leads, *(Verdict.not_judged(claim, why, **words) for claim in claims[1:])]
    return [leads, *_taking_over(one, ratio, claims[1:], words)]


def takes_over(one: xr.Dataset) -> np.ndarray:
    """At which record of each seed the first term of the velocity is of the order of the second; 0 if never."""
    return ((one.early_pull / one.early_brake).transpose("seed", "moment").values >= ORDER).argmax(-1)


def _taking_over(one: xr.Dataset, ratio: np.ndarray, claims: Sequence[str], words: Any) -> list[Verdict]:
    seeds = np.arange(len(ratio))
    over, localized = takes_over(one), (one.early_ipr.values >= SURVIVES).argmax(-1)
    size, time = one.early_size.values, one.early_time.values
    shrunk = size[seeds, over] / size[:, 0]
    when = (
        f"at {np.median(time[over]):.3g} tau, |w| = {np.median(size[seeds, over]):.3g} of {np.median(size[:, 0]):.3g} at first"
    )
    alike = one.early_likeness.values
    late = f"{np.median(alike[seeds, localized]):.2g} when it localizes, at {np.median(time[localized]):.3g} tau"
    at = f"first term at least {ORDER:g} of the second: {when}"
    small = f"{np.median(shrunk):.2f} of their size by {np.median(time[over]):.3g} τ"
    path = f"{'' if np.median(alike[seeds, over]) > ALIKE else 'not '}as on Gaussian data"
    least, hit = ratio[seeds, localized].min(), f"{np.median(time[localized]):.3g} τ"
    return [
        Verdict.below(
            claims[0],
            0.5,
            np.median(shrunk),
            of="median |w| over that at the start",
            error=median_error(shrunk),
            note=at,
            more_found=f"normal starts shrink to {small}, {path}",
            more_otherwise=f"normal starts do not shrink first (to {small})",
            **words,
        ),
        Verdict.above(
            claims[1],
            ALIKE,
            np.median(alike[seeds, over]),
            of="median cosine with the Gaussian flow",
            error=median_error(alike[seeds, over]),
            note=late,
            **words,
        ),
        Verdict.above(
            claims[2],
            ORDER,
            least,
            of="smallest ratio when IPR reaches 0.3",
            more_found=f"they localize at {hit}, when both terms of the velocity are of one order",
            more_otherwise=f"some localize before both terms of the velocity are of one order (ratio {least:.2f})",
            **words,
        ),
    ]
