"""What `bumps` says of each claim."""

import numpy as np
import xarray as xr

from gatefield.experiments.cube.bumps.cases import CASES
from gatefield.lab.verdict import Verdict

CLOSE = 0.01
"""A printed equation counts as right within this relative error."""
NEAR = 0.1
"""And one that is printed as an approximation within this."""
SIGMAS = 5.0


def verdicts(record: xr.Dataset) -> list[Verdict]:
    return [*_equations(record), _three(record), _samples(record), *_line(record), *_maps(record), _far(record)]


def _relative(a: xr.DataArray, b: xr.DataArray) -> float:
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


def _equations(record: xr.Dataset) -> list[Verdict]:
    out = []
    for name, case in CASES.items():
        one, limit = record.sel(case=name), CLOSE if case.equation < 12 else NEAR
        wrong, right = (_relative(one[key], one.drift) for key in ("printed", "corrected"))
        first = int(record.sites.sel(layout="apart")[0])
        factor = float(one.printed[first] / one.drift[first])
        note = f"relative error of f over all sites; at the first bump the printed f is {factor:.4g} times the exact one"
        claim = f"equation {case.equation} as printed: {case.words}"
        out.append(Verdict.judged(claim, 0.0, wrong, f"relative error below {limit:g}", wrong < limit, note))
        words = _right_words(case.vote, case.right)
        claim = f"equation {case.equation} corrected: {case.words}: {words}"
        out.append(Verdict.judged(claim, 0.0, right, "relative error below 1e-9", right < 1e-9))
    return out


def _right_words(vote: float, right: tuple[float, float, float]) -> str:
    if vote:
        return "majority" if vote == 1.0 else "mean of majority and C e_i/2"
    return "C e_i/2" if right[1] == 0 else "C(e_i + e_j)/4"


def _three(record: xr.Dataset) -> Verdict:
    """Equation 12 with every benefit of the doubt: the factor 1/2, and C in place of Sigma."""
    error = _relative(record.covariance_row / 2, record.drift.sel(case="three voting"))
    return Verdict.judged(
        "equation 12 with the factor 1/2 and C for Sigma, sizes 2.5, 2, 1",
        0.0,
        error,
        f"relative error below {NEAR:g}",
        error < NEAR,
        "relative to f; no bump exceeds the sum of the others",
    )


def _samples(record: xr.Dataset) -> Verdict:
    off = float((abs(record.sampled - record.drift) / record.sampled_error.where(record.sampled_error > 0)).max())
    return Verdict.judged(
        "the exact f is that of samples",
        0.0,
        off,
        f"within {SIGMAS:g} standard errors at every site",
        off < SIGMAS,
        f"the largest of {record.drift.size} deviations, {record.attrs['samples']:,} samples",
    )


def _line(record: xr.Dataset) -> list[Verdict]:
    """Sites 1, 4, 6 of eight on a line, length scale 1.5, sizes 2.5, 2, 1."""
    f, lone = record.line_drift, record.line_lone
    cosine = float(f @ lone / np.sqrt(float(f @ f) * float(lone @ lone)))
    at = ", ".join(f"{value:.5f}" for value in record.line_at.values)
    numbers = [
        ("f at the largest bump", 0.22589, float(record.line_at[0]), 1e-5, f"f at sites 1, 4, 6: {at}"),
        ("f at the second bump, which is larger", 0.27994, float(record.line_at[1]), 1e-5, ""),
        ("relative error of C e_i/2", 1.01, _relative(lone, f), 5e-3, "relative to f"),
        ("cosine of f and C e_i/2", 0.521, cosine, 1e-3, ""),
    ]
    where = "three bumps on a line of 8 sites with the kernel of equation 2"
    return [
        Verdict.judged(f"{where}: {what}", expected, found, f"within {slack:g}", abs(found - expected) <= slack, note)
        for what, expected, found, slack, note in numbers
    ]


def _maps(record: xr.Dataset) -> list[Verdict]:
    alpha, beta = record.alpha, record.beta
    inside = (alpha > beta) & (beta > 1)
    count = int(inside.sum())
    exact = float((record.one_site & inside).sum() / (count * record.sizes["layout"]))
    shares = (record.picked & inside).sum(("alpha", "beta")) / count
    each = ", ".join(f"{name}: {value:.3f}" for name, value in zip(record.layout.values, shares.values, strict=True))
    largest = xr.ufuncs.maximum(xr.ufuncs.maximum(alpha, beta), 1.0)
    leads = 2 * largest > alpha + beta + 1
    agree = float((record.one_site == leads).mean())
    area = f"share of the maps with alpha > beta > 1 up to {float(alpha.max()):.2g}"
    return [
        Verdict.judged("f = C e_i/2 for all alpha > beta > 1", 1.0, exact, "everywhere", exact == 1.0, area),
        Verdict.judged("f is largest at the largest entry for all alpha > beta > 1", 1.0, float(shares.min()), "everywhere",
                bool((shares == 1.0).all()), f"{area}, the layout where it is smallest ({each}), length scale "
                f"{record.attrs['length_scale']:g}"),
        Verdict.judged("f = C e_i/2 exactly where the largest entry exceeds the sum of the others", 1.0, agree,
                "at every point of every map", agree == 1.0, "share of points where both or none hold, all alpha and beta"),
    ]  # fmt: skip


def _far(record: xr.Dataset) -> Verdict:
    far = record.vote.sel(layout="far").isel(xi=0, position=record.sites.sel(layout="far").values)
    off = far[int(np.argmax(np.abs(far.values - 0.25)))]
    return Verdict.judged(
        "three voting bumps far apart have the same f, 1/4 each",
        0.25,
        float(off),
        "within 1e-3",
        bool(abs(off - 0.25) < 1e-3),
        f"a third of the ring apart, length scale {float(record.xi[0]):g}; sizes 1.5, 1.25, 1",
    )
