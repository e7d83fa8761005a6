"""What `bumps` says of each claim."""

import numpy as np
import xarray as xr

from gatefield.experiments.cube.bumps.cases import CASES, Case
from gatefield.lab import Verdict

CLOSE = 0.01
"""A printed equation counts as right within this relative error."""
NEAR = 0.1
"""And one that is printed as an approximation within this."""
ROUNDING = 1e-9
"""What is left of a right equation: float64, after a sum over 16 corners."""
SIGMAS = 5.0
"""Granted to the worst of some hundreds of sites, in standard errors."""


def verdicts(record: xr.Dataset) -> list[Verdict]:
    cases = [part for name, case in CASES.items() for part in _equation(record, name, case)]
    return [*cases, _three(record), _samples(record), *_line(record), *_maps(record), _far(record)]


def _relative(a: xr.DataArray, b: xr.DataArray) -> float:
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


def _equation(record: xr.Dataset, name: str, case: Case) -> list[Verdict]:
    """One example of the note, as printed and corrected."""
    one, first = record.sel(case=name), int(record.sites.sel(layout="apart")[0])
    factor = float(one.printed[first] / one.drift[first])
    equation, error = f"note 003, equation {case.equation}", "relative error of f over all sites"
    return [
        Verdict.below(
            f"equation {case.equation} as printed gives the drift of {case.words}",
            CLOSE if case.equation < 12 else NEAR,
            _relative(one.printed, one.drift),
            predicted=0.0,
            of=error,
            kind="claim",
            source=equation,
            note=f"at the first bump the printed f is {factor:.4g} times the exact one",
        ),
        Verdict.below(
            f"equation {case.equation} corrected gives the drift of {case.words}: {_right_words(case)}",
            ROUNDING,
            _relative(one.corrected, one.drift),
            predicted=0.0,
            of=error,
            source=f"{equation}, corrected",
        ),
    ]


def _right_words(case: Case) -> str:
    if case.vote:
        return "majority" if case.vote == 1.0 else "mean of majority and C e_i/2"
    return "C e_i/2" if case.right[1] == 0 else "C(e_i + e_j)/4"


def _three(record: xr.Dataset) -> Verdict:
    """Equation 12 with every benefit of the doubt: the factor 1/2, and C in place of Sigma."""
    return Verdict.below(
        "equation 12 with the factor 1/2 and C for Sigma gives the drift of three bumps, 2.5, 2, 1",
        NEAR,
        _relative(record.covariance_row / 2, record.drift.sel(case="three voting")),
        predicted=0.0,
        of="relative error of f",
        kind="claim",
        source="note 003, equation 12",
        note="no bump exceeds the sum of the others",
    )


def _samples(record: xr.Dataset) -> Verdict:
    off = abs(record.sampled - record.drift) / record.sampled_error.where(record.sampled_error > 0)
    return Verdict.below(
        "the exact f is that of samples, at every site",
        SIGMAS,
        float(off.max()),
        predicted=0.0,
        of="largest deviation in standard errors",
        kind="control",
        note=f"of {record.drift.size} deviations, {record.attrs['samples']:,} samples",
    )


def _line(record: xr.Dataset) -> list[Verdict]:
    """Sites 1, 4, 6 of eight on a line, length scale 1.5, sizes 2.5, 2, 1."""
    f, lone = record.line_drift, record.line_lone
    cosine = float(f @ lone / np.sqrt(float(f @ f) * float(lone @ lone)))
    at = ", ".join(f"{value:.5f}" for value in record.line_at.values)
    numbers = [
        ("f at the largest bump is 0.22589", 0.22589, float(record.line_at[0]), 1e-5, f"f at sites 1, 4, 6: {at}"),
        ("f at the second bump is larger, 0.27994", 0.27994, float(record.line_at[1]), 1e-5, ""),
        ("C e_i/2 is off by 1.01 of f", 1.01, _relative(lone, f), 5e-3, ""),
        ("f and C e_i/2 have a cosine of 0.521", 0.521, cosine, 1e-3, ""),
    ]
    where = "three bumps on a line of 8 sites with the kernel of equation 2"
    return [
        Verdict.within(f"{where}: {what}", expected, found, atol=slack, kind="regression", note=note)
        for what, expected, found, slack, note in numbers
    ]


def _maps(record: xr.Dataset) -> list[Verdict]:
    alpha, beta = record.alpha, record.beta
    inside = (alpha > beta) & (beta > 1)
    count = int(inside.sum())
    alone = float((record.one_site & inside).sum() / (count * record.sizes["layout"]))
    shares = (record.picked & inside).sum(("alpha", "beta")) / count
    each = ", ".join(f"{name}: {value:.3f}" for name, value in zip(record.layout.values, shares.values, strict=True))
    leads = 2 * xr.ufuncs.maximum(xr.ufuncs.maximum(alpha, beta), 1.0) > alpha + beta + 1
    return [
        Verdict.equals(
            "three bumps have f = C e_i/2 for all alpha > beta > 1",
            1.0,
            alone,
            of=f"share of the maps with alpha > beta > 1 up to {float(alpha.max()):.2g}",
            kind="claim",
            source="note 003, equation 12",
        ),
        Verdict.equals(
            "f is largest at the largest of three bumps for all alpha > beta > 1",
            1.0,
            float(shares.min()),
            of="share of these maps, at the layout where it is smallest,",
            kind="claim",
            source="note 003, section 3.1",
            note=f"{each}; length scale {record.attrs['length_scale']:g}",
        ),
        Verdict.equals(
            "three bumps have f = C e_i/2 exactly where the largest entry exceeds the sum of the others",
            1.0,
            float((record.one_site == leads).mean()),
            of="share of all points of all maps where both or none hold",
        ),
    ]


def _far(record: xr.Dataset) -> Verdict:
    far = record.vote.sel(layout="far").isel(xi=0, position=record.sites.sel(layout="far").values)
    return Verdict.within(
        "three voting bumps far apart have the same f, 1/4 each",
        0.25,
        float(far[int(np.argmax(np.abs(far.values - 0.25)))]),
        atol=1e-3,
        of="the one furthest off",
        note=f"a third of the ring apart, length scale {float(record.xi[0]):g}; sizes 1.5, 1.25, 1",
    )
