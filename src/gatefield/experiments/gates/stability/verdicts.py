"""What the record of `stability` says of each claim."""

import numpy as np
import xarray as xr

from gatefield.core.intervals import Interval, share
from gatefield.experiments.localized import LOCALIZED
from gatefield.experiments.needs import Need, command_line, lacking, unjudged
from gatefield.lab import Verdict
from gatefield.measures import cosine
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
    high = record.isel(gain=(record.ipr.sel(pathway="none").median("seed") > LOCALIZED).values)
    gains, why = ", ".join(map(gain_text, record.gain.values)), ""
    if not high.sizes["gain"]:
        settings = command_line(gains=[0.01, 3.0], steps=3000)
        why, high = f"no field is localized at the gains {gains}; run with {settings}", record.isel(gain=[-1])
    return [*unjudged(why, *_spectrum(high), *_pushes(high), *_pathway(high)), *_students(record)]


def _spectrum(high: xr.Dataset) -> list[Verdict]:
    """With and without a trained pathway, which slows the slowest rate down."""
    return [
        _stable(high.sel(gain=gain, pathway=pathway), words, slowed)
        for gain in high.gain.values
        for pathway, words, slowed in [("none", "alone", 1.0), ("trained", "beside a trained linear pathway", SLOWED)]
    ]


def _stable(one: xr.Dataset, words: str, slowed: float) -> Verdict:
    error = float(one.top_error.max())
    if np.isinf(one.gain):
        size = abs(one.fields)
        in_cell = float((2 * size.max("position") > size.sum("position")).mean())
        error_note = f"on the hypercube the drift is constant in cells, and the spectrum is exact; {in_cell:.0%} of the fields "
        error_note += "have one weight larger than all others together, the cell of a one-site gate"
    else:
        error_note = f"of the sharp gate, with a standard error up to {error:.4f}"
    return Verdict.below(
        f"gain {gain_text(float(one.gain))}: a localized field {words} is stable",
        0.0,
        float(one.top.max()),
        predicted=slowed * float(one.damping.max()),
        error=2 * error,
        of="largest eigenvalue of the Jacobian",
        note=f"over {one.sizes['seed']} end states; expected: the drift left out; {error_note}",
    )


def _pushes(high: xr.Dataset) -> list[Verdict]:
    same = high.return_cosine > SAME
    random, other, size = same.sel(push="random"), same.sel(push="other"), high["size"]
    small, unequal = (size <= 0.5).values, (size != 1).values
    far, kept = share(random.sel(size=size.max())), share(high.return_ipr > LOCALIZED)
    foretold = share(high.foretold.sel(push="random") == random)
    sizes = size.values.tolist()
    no_small = "" if small.any() else lacking(Need("sizes up to 0.5", f"{sizes[0]:g} and more", {"sizes": [0.5, *sizes]}))
    no_other = "" if unequal.any() else lacking(Need("sizes other than 1", "1", {"sizes": [0.5, *sizes]}))
    out = [
        *unjudged(no_small, _small_push(random, share(random.isel(size=small)))),
        Verdict.below(
            f"a push at random of {float(size.max()):g} times the length mostly moves the field elsewhere",
            0.5,
            far.mean,
            predicted=0.0,
            of="share that return",
            note=str(far),
        ),
        _most("no push ends localization", kept, MOST, f"share with IPR above {LOCALIZED}"),
    ]
    right = share((other == (size < 1)).isel(size=unequal))
    claim = "pushed towards the same field at the far side of the ring, the larger of the two wins"
    out += unjudged(no_other, _most(claim, right, MOST, "share of pushes, those of exactly the field's length left out,"))
    claim = "the peak of S1 w after a random push foretells whether the field returns"
    return [*out, _most(claim, foretold, FORETOLD, "share foretold rightly")]


def _most(claim: str, found: Interval, least: float, of: str, note: str = "") -> Verdict:
    """A share that should be all of them, and is at least this."""
    return Verdict.above(claim, least, found.mean, predicted=1.0, or_equal=True, of=of, note=f"{found}{note}")


def _small_push(random: xr.DataArray, back: Interval) -> Verdict:
    claim = "a push at random of up to half the field's length is undone"
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
            "beside a trained pathway the field is twice as long",
            2.0,
            (_length(trained.fields) / _length(none.fields)).median(),
            rtol=0.05,
            of="length with over length without",
            note=OVER,
        ),
        Verdict.below(
            "the trained pathway takes over the odd half: v = -w/2",
            0.1,
            left.median(),
            predicted=0.0,
            of="|v + w/2| over |w/2|",
            note=OVER,
        ),
        Verdict.within(
            "a trained pathway doubles what the neuron explains",
            2.0,
            lower.mean(),
            rtol=0.1,
            of=f"ratio of the losses' distances from {START_LOSS}",
            note="mean over gains at which fields localize",
        ),
        _frozen(none, high.isel(pathway=slice(2, None))),
        Verdict.below(
            "all end states are steady states of the flow with a pathway",
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
    lengths = "; ".join(
        f"length {name.split()[1]}: {float(b):.2f}, of w alone {float(a):.2f}"
        for name, a, b in zip(frozen.pathway.values, alone, shifted, strict=True)
    )
    longest = frozen.isel(pathway=-1)
    along = -float(cosine(longest.fields, longest.linear).median())
    return Verdict.within(
        "beside a random pathway, frozen at about the field's length, field plus pathway stays localized",
        1.0,
        shifted[-1],
        rtol=0.2,
        of="IPR of w + v over IPR without pathway",
        note=f"{OVER}; {lengths}; at the largest length the field lies along -v, with a cosine of {along:.2f}",
    )


def _students(record: xr.Dataset) -> list[Verdict]:
    ratio = (record.student_ipr / record.teacher_ipr).sel(teacher="localized").median(["seed", "taught_unit"])
    spread = record.sel(teacher=["oscillating", "random"])
    wrong = share((spread.student_ipr > LOCALIZED) & (spread.teacher_ipr <= LOCALIZED))
    return [
        *(_found(record.sel(student=size)) for size in record.student.values),
        Verdict.within(
            "a localized teacher's student is as localized, at every gain",
            1.0,
            ratio.values.flat[np.argmax(abs(ratio.values - 1))],
            rtol=0.1,
            of="IPR over the teacher's",
            note="the median over seeds that is furthest off, over gains and sizes of the student",
        ),
        Verdict.below(
            "oscillating and random teachers' students do not localize, at any gain",
            0.05,
            wrong.mean,
            predicted=0.0,
            or_equal=True,
            of=f"share of fields with IPR above {LOCALIZED}, the teacher's being below,",
            note=f"{wrong}; so it is the labels that make a field localize, not the inputs alone",
        ),
    ]


def _found(one: xr.Dataset) -> Verdict:
    found = share((one.match_cosine > SAME).transpose("seed", ...))
    middle = one.match_cosine.median(["seed", "taught_unit"])
    at = middle.isel(middle.argmin(...))
    return _most(
        f"students of {int(one.student)} units find the fields of a teacher of {one.sizes['taught_unit']}",
        found,
        FOUND,
        f"share of fields with a cosine above {SAME}",
        f"; lowest median cosine {float(at):.4f}, for the {at.teacher.item()} teacher at gain {gain_text(float(at.gain))}",
    )
