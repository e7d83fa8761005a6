"""What the record of `stability` says of each claim."""

from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.intervals import Interval, share
from gatefield.lab import Verdict
from gatefield.lab.needs import Need, command_line, lacking, unjudged
from gatefield.measures import LOCALIZED, cosine
from gatefield.plot import gain_text

SAME = 0.95
"""Two fields with a cosine above this count as the same."""
MOST = 0.95
"""The least share of pushed fields that must do what is said of all."""
FOUND = 0.9
"""The least share of a teacher's fields that its students must find: some students stay in a worse state."""
FORETOLD = 0.8
"""The least share of pushes whose end is foretold; minibatch noise decides the others."""
SLOWED = (3 - 5**0.5) / 2
"""The slowest rate with a trained pathway over that without: the smaller eigenvalue of [[1, 1], [1, 2]]."""
START_LOSS = 0.25
"""The loss of a network that always says 0."""
OVER = "median over gains at which fields localize, and seeds"


def verdicts(record: xr.Dataset) -> list[Verdict]:
    """All of them; those on localized fields only for gains at which fields do localize."""
    high = record.sel(gain=localizing(record))
    gains, why = ", ".join(map(gain_text, record.gain.values)), ""
    if not high.sizes["gain"]:
        settings = command_line(gains=[0.01, 3.0], steps=3000)
        why, high = f"no field is localized at the gains {gains}; run with {settings}", record.isel(gain=[-1])
    return [*unjudged(why, _spectrum(high, _not_localized(record)), *_pushes(high), *_pathway(high)), *_students(record)]


def localizing(record: xr.Dataset) -> list[float]:
    """The gains at which fields localize, by their median without a pathway."""
    return record.gain.values[(record.ipr.sel(pathway="none").median("seed") > LOCALIZED).values].tolist()


def percent(part: float) -> str:
    """A share in words, never rounded up to all.

    >>> percent(1.0), percent(0.996), percent(0.5)
    ('all', '99 %', '50 %')
    """
    return "all" if part == 1 else f"{int(100 * part + 1e-9)} %"


def _spectrum(high: xr.Dataset, others: str = "") -> Verdict:
    """With and without a trained pathway, which slows the slowest rate down.

    On the hypercube the drift is constant in cells, and the Jacobian is that of the damping, which is negative: no question.
    """
    claim = "a localized field is stable, alone and beside a trained linear pathway"
    finite = high.gain.values[np.isfinite(high.gain.values)]
    if not len(finite):
        return Verdict.not_judged(
            claim, lacking(Need("a finite gain at which fields localize", "none", {"gains": [3.0, np.inf]}))
        )
    rows = {}
    for gain in finite:
        for pathway, words, slowed in [("none", "alone", 1.0), ("trained", "beside a trained pathway", SLOWED)]:
            one = high.sel(gain=gain, pathway=pathway)
            rows[f"gain {gain_text(gain)}, {words}"] = Verdict.below(
                "",
                0.0,
                float(one.top.max()),
                predicted=slowed * float(one.damping.max()),
                error=2 * float(one.top_error.max()),
                of="largest eigenvalue of the Jacobian",
            )
    note = f"largest over {high.sizes['seed']} end states; predicted: the drift left out; error: two standard errors"
    return Verdict.each(claim, rows, note=note, **_stable(high.sel(gain=finite), others))


def _stable(high: xr.Dataset, others: str) -> dict[str, Any]:
    """The headline of the second figure: the largest rate without a pathway, and at which gain it is."""
    rate, gain = max(zip(largest_rates(high), high.gain.values, strict=True))
    at = f"largest rate {rate:+.2g}/τ at gain {gain_text(gain)}{others}".replace("-", "−")
    return {
        "more_found": f"localized fields are stable ({at})",
        "more_otherwise": f"not all localized fields are stable ({at})",
    }


def _not_localized(record: xr.Dataset) -> str:
    """The largest rate at the gains at which fields do not localize, if disturbances grow there."""
    rest = record.sel(gain=[gain for gain in record.gain.values if gain not in localizing(record)])
    rate, gain = max(zip(largest_rates(rest), rest.gain.values, strict=True), default=(0.0, 0.0))
    return f"; gain {gain_text(gain)}: {rate:+.2g}/τ" if rate > 0 else ""


def largest_rates(record: xr.Dataset) -> list[float]:
    """The largest eigenvalue over seeds at each gain, without a pathway."""
    return record.top.sel(pathway="none").max("seed").values.tolist()


def _pushes(high: xr.Dataset) -> list[Verdict]:
    same = high.return_cosine > SAME
    random, other, size = same.sel(push="random"), same.sel(push="other"), high["size"]
    small, unequal = (size <= 0.5).values, (size != 1).values
    far, kept = share(random.sel(size=size.max())), share(high.return_ipr > LOCALIZED)
    foretold = share(high.foretold.sel(push="random") == random)
    sizes, again = size.values.tolist(), f"{percent(kept.mean)} localized again"
    reach = f"of up to {sizes[-1]:g} times the field's length"
    no_small = "" if small.any() else lacking(Need("sizes up to 0.5", f"{sizes[0]:g} and more", {"sizes": [0.5, *sizes]}))
    no_other = "" if unequal.any() else lacking(Need("sizes other than 1", "1", {"sizes": [0.5, *sizes]}))
    out = [
        *unjudged(no_small, _small_push(random, share(random.isel(size=small)))),
        Verdict.below(
            f"a random push of {float(size.max()):g} times its length mostly moves a localized field elsewhere",
            0.5,
            far.mean,
            predicted=0.0,
            of="share that return",
            note=str(far),
        ),
        _most(
            "a localized field that is pushed and trained on is localized again",
            kept,
            MOST,
            f"share with IPR above {LOCALIZED}",
            found=f"{'no push' if kept.mean == 1 else 'hardly a push'} {reach} ends localization",
            otherwise=f"pushes {reach} can end localization ({again})",
        ),
    ]
    right = share((other == (size < 1)).isel(size=unequal))
    claim = "of a field and its push towards the same field at the far side of the ring, the larger wins"
    out += unjudged(no_other, _most(claim, right, MOST, "share of pushes, those of exactly the field's length left out,"))
    claim = "the peak of Σ1 w after a random push foretells whether a localized field returns"
    return [*out, _most(claim, foretold, FORETOLD, "share foretold rightly")]


def _most(claim: str, part: Interval, least: float, of: str, note: str = "", **headline: Any) -> Verdict:
    """A share that should be all of them, and is at least this."""
    return Verdict.above(claim, least, part.mean, predicted=1.0, or_equal=True, of=of, note=f"{part}{note}", **headline)


def _small_push(random: xr.DataArray, back: Interval) -> Verdict:
    claim = "a localized field returns after a random push of up to half its length"
    sizes = ", ".join(f"{_threshold(random.sel(gain=g)):.2g} at gain {gain_text(g)}" for g in random.gain.values)
    note = f"; half of the fields still return after a push of {sizes} times their length"
    return _most(claim, back, MOST, f"share with a cosine above {SAME}", note)


def _threshold(same: xr.DataArray) -> float:
    """The size of a push after which half of the fields return, on the line between neighbouring sizes."""
    shares = same.mean("seed").values
    below = np.flatnonzero(shares < 0.5)
    if not len(below) or below[0] == 0:
        return float(same["size"][-1 if not len(below) else 0])
    i = below[0]
    return float(np.interp(0.5, [shares[i], shares[i - 1]], [same["size"][i], same["size"][i - 1]]))


def _length(fields: xr.DataArray) -> xr.DataArray:
    return (fields**2).sum("position") ** 0.5


def _pathway(high: xr.Dataset) -> list[Verdict]:
    """Beside a trained pathway, beside frozen ones, and whether training has reached a steady state."""
    none, trained = high.sel(pathway="none"), high.sel(pathway="trained")
    place = share(cosine(none.fields, trained.fields) > SAME)
    left = 2 * _length(trained.linear + trained.fields / 2) / _length(trained.fields)
    lower = (START_LOSS - trained.loss.mean("seed")) / (START_LOSS - none.loss.mean("seed"))
    return [
        Verdict.within(
            "a trained linear pathway leaves localization as it is",
            1.0,
            (trained.ipr / none.ipr).median(),
            rtol=0.1,
            of="IPR with over IPR without",
            note=f"{OVER}; share with the same field as without, up to its length: {place}",
        ),
        Verdict.within(
            "beside a trained linear pathway a localized field is twice as long",
            2.0,
            (_length(trained.fields) / _length(none.fields)).median(),
            rtol=0.05,
            of="length with over length without",
            note=OVER,
        ),
        Verdict.below(
            "a trained linear pathway v takes over the odd half of the neuron: v = -w/2",
            0.1,
            left.median(),
            predicted=0.0,
            of="|v + w/2| over |w/2|",
            note=OVER,
        ),
        Verdict.within(
            "a trained linear pathway doubles what one neuron explains",
            2.0,
            lower.mean(),
            rtol=0.1,
            of=f"ratio of the losses' distances from {START_LOSS}",
            note="mean over gains at which fields localize",
        ),
        _frozen(none, high.isel(pathway=slice(2, None))),
        Verdict.below(
            "SGD ends in steady states of the flow beside every pathway",
            0.1,
            high.unrest.median(),
            predicted=0.0,
            of="velocity over half the drift",
            kind="control",
            note=f"{OVER} and all pathways; what is left is minibatch noise",
        ),
    ]


def _frozen(none: xr.Dataset, frozen: xr.Dataset) -> Verdict:
    alone, shifted = ((frozen[name] / none.ipr).median(["gain", "seed"]) for name in ("ipr", "sum_ipr"))
    lengths = ", ".join(
        f"{float(b):.2f} ({float(a):.2f}) at length {name.split()[1]}"
        for name, a, b in zip(frozen.pathway.values, alone, shifted, strict=True)
    )
    longest = frozen.isel(pathway=-1)
    along = -float(cosine(longest.fields, longest.linear).median())
    return Verdict.within(
        "beside a random pathway, frozen at about the field's length, the sum of field and pathway stays localized",
        1.0,
        shifted[-1],
        rtol=0.2,
        of="IPR of w + v over IPR without pathway",
        note=f"{OVER}; w + v (w alone): {lengths}; at the longest the cosine of w and -v is {along:.2f}",
    )


def _students(record: xr.Dataset) -> list[Verdict]:
    ratio = (record.student_ipr / record.teacher_ipr).sel(teacher="localized").median(["seed", "taught_unit"])
    spread = record.sel(teacher=["oscillating", "random"])
    wrong = share((spread.student_ipr > LOCALIZED) & (spread.teacher_ipr <= LOCALIZED))
    return [
        _found(record),
        Verdict.within(
            "the student of a localized teacher is as localized as the teacher, at every gain",
            1.0,
            ratio.values.flat[np.argmax(abs(ratio.values - 1))],
            rtol=0.1,
            of="IPR over the teacher's",
            note="the median over seeds that is furthest off, over gains and sizes of the student",
        ),
        Verdict.below(
            "students of oscillating and of random teachers do not localize, at any gain",
            0.05,
            wrong.mean,
            predicted=0.0,
            or_equal=True,
            of=f"share of fields with IPR above {LOCALIZED}, the teacher's being below,",
            note=f"{wrong}; so it is the labels that make a field localize, not the inputs alone",
            more_found="students of other teachers do not localize",
            more_otherwise=f"students of other teachers localize in {100 * wrong.mean:.2g} % of fields",
        ),
    ]


def _found(record: xr.Dataset) -> Verdict:
    rows, of = {}, f"share of fields with a cosine above {SAME}"
    for size in record.student.values:
        part = share((record.match_cosine.sel(student=size) > SAME).transpose("seed", ...))
        rows[f"students of {size} units"] = Verdict.above("", FOUND, part.mean, predicted=1.0, or_equal=True, of=of)
    middle = record.match_cosine.median(["seed", "taught_unit"])
    at = middle.isel(middle.argmin(...))
    least = percent(min(row.measured for row in rows.values()))
    words = f"students find {'all' if least == 'all' else f'at least {least} of'} teachers' fields"
    return Verdict.each(
        f"students find the fields of a teacher of {record.sizes['taught_unit']} units",
        rows,
        note=f"lowest median cosine {float(at):.4f}, for the {at.teacher.item()} teacher at gain {gain_text(float(at.gain))}",
        found=words,
        otherwise=words,
    )
