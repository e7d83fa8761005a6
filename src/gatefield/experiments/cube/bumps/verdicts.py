"""What `bumps` says of each claim."""

import numpy as np
import xarray as xr

from gatefield.experiments.cube.bumps.cases import CASES
from gatefield.lab import Verdict

CLOSE = 0.01
"""A printed equation counts as right within this relative error."""
NEAR = 0.1
"""And one that is printed as an approximation within this."""
LAYOUTS = {
    "edge": "neighbours, largest at an end",
    "middle": "neighbours, largest between",
    "apart": "3 and 2 sites apart",
    "far": "a third of the ring apart",
}
SIGMAS = 5.0
"""Granted to the worst of some hundreds of sites, in standard errors."""


def verdicts(record: xr.Dataset) -> list[Verdict]:
    return [_rule(record), *_printed(record), _three(record), *_maps(record), _far(record), _samples(record), _line(record)]


def _relative(a: xr.DataArray, b: xr.DataArray) -> float:
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


def _factor(record: xr.Dataset, name: str) -> float:
    """How many times the exact drift the printed one is, at the first bump."""
    one, first = record.sel(case=name), int(record.sites.sel(layout="apart")[0])
    return float(one.printed[first] / one.drift[first])


def _printed(record: xr.Dataset) -> list[Verdict]:
    """The examples of the note, as printed."""
    few, three = ([name for name, case in CASES.items() if (case.equation == 12) == last] for last in (False, True))
    low, high = (f"{end(_factor(record, name) for name in few):.2g}" for end in (min, max))
    times = low if low == high else f"{low} to {high}"
    return [
        Verdict.each(
            "the drift of one or two bumps on the cube is the one that equations 8 to 11 of note 003 print",
            {f"equation {CASES[name].equation}, {CASES[name].words}": _error(record, name, CLOSE) for name in few},
            kind="claim",
            source="note 003, equations 8 to 11",
            note=f"at the first bump the printed drift is {times} times the exact one; an error of {CLOSE:g} is granted",
            found="printed drifts of 1 and 2 bumps are the exact",
            otherwise=f"printed drifts of 1 and 2 bumps are {times} times the exact",
        ),
        Verdict.each(
            "the drift of three bumps of sizes α > β > 1 on the cube is nearly the one that equation 12 of note 003 prints",
            {CASES[name].words: _error(record, name, NEAR) for name in three},
            kind="claim",
            source="note 003, equation 12",
            note=f"the equation is printed as an approximation: a relative error of {NEAR:g} is granted",
        ),
    ]


def _error(record: xr.Dataset, name: str, granted: float) -> Verdict:
    one = record.sel(case=name)
    return Verdict.below("", granted, _relative(one.printed, one.drift), of="relative error over all sites")


def _three(record: xr.Dataset) -> Verdict:
    """Equation 12 with every benefit of the doubt: the factor 1/2, and C in place of Sigma."""
    return Verdict.below(
        "the drift of three bumps 2.5, 2, 1 is nearly C e_i/2, equation 12 of note 003 with the right factor and covariance",
        NEAR,
        _relative(record.covariance_row / 2, record.drift.sel(case="three voting")),
        of="relative error over all sites",
        kind="claim",
        source="note 003, equation 12",
        note="no bump exceeds the sum of the others; the equation is printed as an approximation",
    )


def _samples(record: xr.Dataset) -> Verdict:
    off = abs(record.sampled - record.drift) / record.sampled_error.where(record.sampled_error > 0)
    return Verdict.below(
        "the exact drift of each example is the mean over samples, at every site",
        SIGMAS,
        float(off.max()),
        of="largest deviation in standard errors",
        kind="control",
        note=f"the largest of {record.drift.size} deviations, {record.attrs['samples']:,} samples",
    )


def _line(record: xr.Dataset) -> Verdict:
    """Sites 1, 4, 6 of eight on a line, length scale 1.5, sizes 2.5, 2, 1."""
    f, lone = record.line_drift, record.line_lone
    cosine = float(f @ lone / np.sqrt(float(f @ f) * float(lone @ lone)))
    rows = {
        "drift at the largest bump": (0.22589, float(record.line_at[0]), 1e-5),
        "drift at the second bump": (0.27994, float(record.line_at[1]), 1e-5),
        "relative distance of C e_i/2": (1.01, _relative(lone, f), 5e-3),
        "cosine with C e_i/2": (0.521, cosine, 1e-3),
    }
    return Verdict.each(
        "three bumps 2.5, 2, 1 on a line of eight sites have the drift found before",
        {at: Verdict.within("", known, found, atol=slack) for at, (known, found, slack) in rows.items()},
        kind="regression",
        note="length scale 1.5; the second bump has the larger drift",
    )


def _leads(record: xr.Dataset) -> xr.DataArray:
    """Whether the largest entry exceeds the sum of the others."""
    return 2 * xr.ufuncs.maximum(xr.ufuncs.maximum(record.alpha, record.beta), 1.0) > record.alpha + record.beta + 1


def _rule(record: xr.Dataset) -> Verdict:
    return Verdict.equals(
        "three bumps have the drift C e_i/2 of the largest alone exactly where it exceeds the sum of the others",
        1.0,
        float((record.one_site == _leads(record)).mean()),
        of="share of all points of all maps where both or none hold",
        source="note 003, equation 12, corrected",
        found="the largest bump alone sets the drift exactly where it exceeds the sum of the others",
        otherwise="a bump may exceed the sum of the others and not set the drift alone, or set it without",
    )


def _maps(record: xr.Dataset) -> list[Verdict]:
    inside = (record.alpha > record.beta) & (record.beta > 1)
    high, scale = f"{float(record.alpha.max()):.2g}", f"length scale {record.attrs['length_scale']:g}"
    shares = {part: (record[part] & inside).sum(("alpha", "beta")) / int(inside.sum()) for part in ("one_site", "picked")}
    rows = {
        part: {LAYOUTS[layout]: Verdict.above("", 1.0, share, or_equal=True, of="share of the map") for layout, share in
               zip(record.layout.values, values.values, strict=True)}
        for part, values in shares.items()
    }  # fmt: skip
    return [
        Verdict.each(
            "three bumps have the drift C e_i/2 of the largest alone for all sizes α > β > 1",
            rows["one_site"],
            kind="claim",
            source="note 003, equation 12",
            note=f"sizes up to {high}, {scale}",
        ),
        Verdict.each(
            "the drift of three bumps is largest at the largest of them for all sizes α > β > 1",
            rows["picked"],
            kind="claim",
            source="note 003, section 3.1",
            note=f"sizes up to {high}, {scale}",
            more_found=_votes(record),
            more_otherwise=_votes(record),
        ),
    ]


def _votes(record: xr.Dataset) -> str:
    """The drift at each of three bumps of the second figure, at the longest length scale."""
    last = record.vote.sel(layout="apart").isel(xi=-1, position=record.sites.sel(layout="apart").values).values
    first, second, third = (f"{value:.2f}" for value in last)
    gain = "least" if last[0] < min(last[1:]) else "most" if last[0] > max(last[1:]) else "less than another"
    return (
        f"of three bumps that vote, 3 and 2 sites apart, the largest gains {gain}: drift {first}, the second {second}, "
        f"the third {third} (length scale {float(record.xi[-1]):g})"
    )


def _far(record: xr.Dataset) -> Verdict:
    far = record.vote.sel(layout="far").isel(xi=0, position=record.sites.sel(layout="far").values)
    return Verdict.within(
        "three bumps far apart, none above the sum of the others, have the drift 1/4 each, whatever their sizes",
        0.25,
        float(far[int(np.argmax(np.abs(far.values - 0.25)))]),
        atol=1e-3,
        of="the one furthest off",
        kind="control",
        note="an identity of three signs that are independent, which checks the exact drift; a third of the ring apart, "
        f"length scale {float(record.xi[0]):g}; sizes 1.5, 1.25, 1",
    )
