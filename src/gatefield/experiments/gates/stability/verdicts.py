"""What the record of `stability` says of each claim."""

import numpy as np
import xarray as xr

from gatefield.core.intervals import share
from gatefield.experiments.fields.amplifier.verdicts import LOCALIZED
from gatefield.lab.verdict import Verdict
from gatefield.plot import gain_text

SAME = 0.95
"""Two fields with a cosine above this count as the same."""
SLOWED = (3 - 5**0.5) / 2
"""The slowest rate with a trained pathway over that without: the smaller eigenvalue of [[1, 1], [1, 2]]."""


def verdicts(record: xr.Dataset) -> list[Verdict]:
    """All of them; those on localized fields only for gains at which fields do localize."""
    high = record.isel(gain=(record.ipr.sel(pathway="none").median("seed") > LOCALIZED).values)
    neurons = [*_spectrum(high), *_pushes(high), *_pathway(high)] if high.sizes["gain"] else []
    return [*neurons, *_students(record)]


def _spectrum(high: xr.Dataset) -> list[Verdict]:
    out = []
    for gain in high.gain.values:
        one = high.sel(gain=gain)
        for pathway, words in [("none", "a localized field"), ("trained", "with a trained linear pathway it")]:
            top, error = (float(one[name].sel(pathway=pathway).max()) for name in ("top", "top_error"))
            shift = float(abs(one.top_shift.sel(pathway=pathway)).max())
            how = (
                f"on the hypercube the drift is constant in cells, and the spectrum is exact; {_in_cell(one)} of the fields "
                "have one weight larger than all others together, the cell of a one-site gate"
                if np.isinf(gain)
                else f"standard error up to {error:.4f}, change with half the gate's width up to {shift:.4f}"
            )
            expected = float(one.damping.max()) * (1.0 if pathway == "none" else SLOWED)
            claim = f"gain {gain_text(gain)}: {words} is stable"
            note = (
                f"largest eigenvalue of the Jacobian over {one.sizes['seed']} end states; expected: the drift left out; {how}"
            )
            out.append(Verdict.judged(claim, expected, top, "largest eigenvalue below 0", top + 2 * error < 0, note))
    return out


def _in_cell(one: xr.Dataset) -> str:
    size = abs(one.fields.sel(pathway="none"))
    return f"{float((2 * size.max('position') > size.sum('position')).mean()):.0%}"


def _pushes(high: xr.Dataset) -> list[Verdict]:
    same, localized = high.return_cosine > SAME, high.return_ipr > LOCALIZED
    random, other = same.sel(push="random"), same.sel(push="other")
    small, large = random.isel(size=(high["size"] <= 0.5).values), random.sel(size=high["size"].max())
    right = share((other == (high["size"] < 1)).isel(size=(high["size"] != 1).values))
    told = share(high.foretold.sel(push="random") == random)
    back, far, kept = share(small), share(large), share(localized)
    threshold = {gain_text(g): _threshold(random.sel(gain=g)) for g in high.gain.values}
    sizes = ", ".join(f"{size:.2g} at gain {g}" for g, size in threshold.items())
    return [
        Verdict.judged(
            "a push at random of up to half the field's length is undone",
            1.0,
            back.mean,
            f"share with a cosine above {SAME} at least 0.95",
            back.mean >= 0.95,
            f"{back}; half of the fields still return after a push of {sizes} times their length",
        ),
        Verdict.judged(
            f"a push at random of {float(high['size'].max()):g} times the length mostly moves the field elsewhere",
            0.0,
            far.mean,
            "share that return below one half",
            far.mean < 0.5,
            str(far),
        ),
        Verdict.judged(
            "no push ends localization",
            1.0,
            kept.mean,
            f"share with IPR above {LOCALIZED} at least 0.95",
            kept.mean >= 0.95,
            str(kept),
        ),
        Verdict.judged(
            "pushed towards the same field at the far side of the ring, the larger of the two wins",
            1.0,
            right.mean,
            "share of pushes at least 0.95, those of exactly the field's length left out",
            right.mean >= 0.95,
            str(right),
        ),
        Verdict.judged(
            "the peak of S1 w after a random push foretells whether the field returns",
            1.0,
            told.mean,
            "share foretold rightly at least 0.8",
            told.mean >= 0.8,
            str(told),
        ),
    ]


def _threshold(same: xr.DataArray) -> float:
    """The size of a push after which half of the fields return, on the line between neighbouring sizes."""
    shares = same.mean("seed").values
    below = np.flatnonzero(shares < 0.5)
    if not len(below) or below[0] == 0:
        return float(same["size"][-1 if not len(below) else 0])
    i = below[0]
    return float(np.interp(0.5, [shares[i], shares[i - 1]], [same["size"][i], same["size"][i - 1]]))


def _pathway(high: xr.Dataset) -> list[Verdict]:
    none, trained, frozen = high.sel(pathway="none"), high.sel(pathway="trained"), high.isel(pathway=slice(2, None))
    length = [np.sqrt((one.fields**2).sum("position")) for one in (none, trained)]
    ratio = float((length[1] / length[0]).median())
    left = float((2 * np.sqrt(((trained.linear + trained.fields / 2) ** 2).sum("position")) / length[1]).median())
    gain = float(((0.25 - trained.loss.mean("seed")) / (0.25 - none.loss.mean("seed"))).mean())
    product = (none.fields * trained.fields).sum("position") / (length[0] * length[1])
    place = share(product > SAME)
    kept = float((trained.ipr / none.ipr).median())
    alone, shifted = ((frozen[name] / none.ipr).median(["gain", "seed"]) for name in ("ipr", "sum_ipr"))
    lengths = "; ".join(
        f"length {name.split()[1]}: {float(b):.2f}, of w alone {float(a):.2f}"
        for name, a, b in zip(frozen.pathway.values, alone, shifted, strict=True)
    )
    rest = float(high.unrest.median())
    over = "median over gains at which fields localize, and seeds"
    return [
        Verdict.judged(
            "a trained linear pathway leaves localization as it is",
            1.0,
            kept,
            "IPR with over IPR without within 10 %",
            abs(kept - 1) < 0.1,
            f"{over}; share with the same field as without, up to its length: {place}",
        ),
        Verdict.judged(
            "beside a trained pathway the field is twice as long", 2.0, ratio, "within 5 %", abs(ratio - 2) < 0.1, over
        ),
        Verdict.judged(
            "the trained pathway takes over the odd half: v = -w/2", 0.0, left, "|v + w/2| below 0.1 |w/2|", left < 0.1, over
        ),
        Verdict.judged(
            "a trained pathway doubles what the neuron explains",
            2.0,
            gain,
            "ratio of the losses' distances from 1/4 within 10 %",
            abs(gain - 2) < 0.2,
            "mean over gains at which fields localize",
        ),
        Verdict.judged(
            "beside a random pathway, frozen at about the field's length, field plus pathway stays localized",
            1.0,
            float(shifted[-1]),
            "IPR of w + v over IPR without pathway within 20 %",
            abs(float(shifted[-1]) - 1) < 0.2,
            f"{over}; {lengths}; at the largest length the field lies along -v, with a cosine of {_along(frozen):.2f}",
        ),
        Verdict.judged(
            "all end states are rests of the flow with a pathway",
            0.0,
            rest,
            "velocity below a tenth of the drift's half",
            rest < 0.1,
            f"{over} and all pathways; what is left is minibatch noise",
        ),
    ]


def _along(frozen: xr.Dataset) -> float:
    """Median cosine of the field with -v, for the longest frozen pathway."""
    w, v = (frozen[name].isel(pathway=-1) for name in ("fields", "linear"))
    return -float(((w * v).sum("position") / np.sqrt((w**2).sum("position") * (v**2).sum("position"))).median())


def _students(record: xr.Dataset) -> list[Verdict]:
    units = record.sizes["taught_unit"]
    out = []
    for size in record.student.values:
        one = record.sel(student=size)
        found = share((one.match_cosine > SAME).transpose("seed", ...))
        worst = one.match_cosine.median(["seed", "taught_unit"])
        where = worst.argmin(...)
        at = worst.isel(where)
        out.append(
            Verdict.judged(
                f"students of {size} units find the fields of a teacher of {units}",
                1.0,
                found.mean,
                f"share of fields with a cosine above {SAME} at least 0.9",
                found.mean >= 0.9,
                f"{found}; lowest median cosine {float(at):.4f}, for the {at.teacher.item()} teacher at gain "
                f"{gain_text(float(at.gain))}",
            )
        )
    ratio = (record.student_ipr / record.teacher_ipr).sel(teacher="localized").median(["seed", "taught_unit"])
    off = float(ratio.values.flat[np.argmax(abs(ratio.values - 1))])
    spread = record.sel(teacher=["oscillating", "random"])
    wrong = share((spread.student_ipr > LOCALIZED) & (spread.teacher_ipr <= LOCALIZED))
    note = "the median over seeds that is furthest off, over gains and sizes of the student"
    return [
        *out,
        Verdict.judged(
            "a localized teacher's student is as localized, at every gain",
            1.0,
            off,
            "IPR over the teacher's within 10 %",
            abs(off - 1) < 0.1,
            note,
        ),
        Verdict.judged(
            "oscillating and random teachers' students do not localize, at any gain",
            0.0,
            wrong.mean,
            f"share of fields with IPR above {LOCALIZED}, the teacher's being below, at most 0.05",
            wrong.mean <= 0.05,
            f"{wrong}; so it is the labels that make a field localize, not the inputs alone",
        ),
    ]
