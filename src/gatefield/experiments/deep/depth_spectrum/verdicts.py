"""What `depth-spectrum` says of each claim."""

from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.intervals import FAR
from gatefield.experiments.deep.means import CLEAR, beside_exact, beside_table, mean_and_error
from gatefield.experiments.needs import Need, exactly, holding, lacking
from gatefield.lab import Verdict

SOURCE = "paper 004, experiment 1"
AFTER = 100
"""Steps after which errors are compared, as in the table."""
IDEAL = 0.2
"""How near an eigenvalue counts as the ideal one: where entries do not decide the spectrum, it is off by a factor."""
EDGE = 0.25
"""How near to the edge of Marchenko and Pastur: that of 200 samples fluctuates, and lies above by about 10 %."""
NOTHING = 1e-9
"""An eigenvalue of K/d that is zero up to rounding."""
FOLLOWS = 1.25
"""The factor within which two errors count as the same course."""
LINKED = -0.5
"""A correlation from here on is a link, by the usual words of statistics a strong one."""
EDGE_CLAIM = "the smallest eigenvalue is at Marchenko and Pastur's edge (1-mu)(1-sqrt(n/w))^2"
SETTING = {"samples": 200, "mu": 0.5, "rate": 0.1}
"""That of the table; other records are not laid beside it."""
DEPTHS = (2, 4, 6, 8, 12, 16, 20)
NAMES = {
    "smallest": "smallest eigenvalue of K/d",
    "largest": "largest eigenvalue of K/d",
    "half_sum": "sum of the 100 smallest eigenvalues of K/d",
    "recursion": "|e_100|/|e_0| by the recursion",
    "descent": "|e_100|/|e_0| by gradient descent",
}
TABLE = {
    25: {
        "smallest": (".0000", ".0566", ".0571", ".0279", ".0124", ".0064", ".0030"),
        "largest": ("105.3", "34.4", "14.4", "8.94", "10.3", "17.9", "19.8"),
        "half_sum": ("0.0", "15.9", "25.8", "23.7", "19.4", "15.5", "10.3"),
        "recursion": (".895", ".760", ".606", ".550", ".600", ".673", ".745"),
        "descent": (".942", ".820", ".553", ".386", ".552", ".717", ".777"),
    },
    100: {
        "smallest": (".0000", ".206", ".243", ".217", ".160", ".110", ".0744"),
        "largest": ("101.2", "26.4", "8.17", "3.86", "4.15", "5.32", "6.21"),
        "half_sum": ("0.0", "37.5", "50.1", "53.7", "52.8", "48.1", "43.0"),
        "recursion": (".938", ".745", ".419", ".201", ".232", ".315", ".385"),
        "descent": (".950", ".633", ".0510", ".0099", ".0138", ".0590", ".150"),
    },
    500: {
        "smallest": (".0756", ".436", ".535", ".554", ".451", ".398", ".323"),
        "largest": ("100.5", "25.6", "7.28", "2.70", "2.05", "2.03", "2.39"),
        "half_sum": ("24.0", "61.8", "74.1", "77.3", "78.7", "74.8", "67.7"),
        "recursion": (".948", ".717", ".295", ".0449", ".0246", ".0288", ".0600"),
        "descent": (".936", ".426", ".0034", "<1e-5", "<1e-5", "1e-5", "1e-5"),
    },
}
"""An independent computation at 200 samples, mu = 1/2, rate 0.1: means at `DEPTHS`, with as many runs as `RUNS` says."""
RUNS = {25: (20, 5), 100: (20, 5), 500: (5, 1)}


def verdicts(record: xr.Dataset) -> list[Verdict]:
    by_width = [verdict for width in record.width.values for verdict in _helps_and_hurts(record.sel(width=width))]
    return [*_entries(record), *_eigenvalues(record), *by_width, _diagonal(record), *_recursion(record), *_table(record)]


def ideal(depth: Any, samples: int, mu: float) -> tuple[Any, Any]:
    """Smallest and largest eigenvalue of the mean of K/d.

    >>> [float(value) for value in ideal(np.array(2), 200, 0.5)]
    [0.5, 100.5]
    """
    beside = mu ** (depth - 1.0)
    return 1 - beside, 1 + (samples - 1) * beside


def ideal_ratio(depth: np.ndarray, samples: int, mu: float, rate: float, step: np.ndarray | int) -> Any:
    """Root of the mean of |e_t|^2/|e_0|^2 for the mean kernel, an error of independent entries, and rate/largest eigenvalue.

    >>> ideal_ratio(np.array([2, 8]), 200, 0.5, 0.1, 100).round(5)
    array([0.94907, 0.01899])
    """
    smallest, largest = ideal(depth, samples, mu)
    parts = (1 - rate) ** (2 * np.asarray(step)), (1 - rate * smallest / largest) ** (2 * np.asarray(step))
    return np.sqrt((parts[0] + (samples - 1) * parts[1]) / samples)


def table_row(record: xr.Dataset, width: int, what: str) -> dict[int, str]:
    """Depth -> printed mean, for depths that the record has; empty if its setting is not that of the table."""
    here = set(record.trained_depth.values if what == "descent" else record.depth.values)
    if any(_unlike_table(record)) or width not in TABLE:
        return {}
    return {depth: value for depth, value in zip(DEPTHS, TABLE[width][what], strict=True) if depth in here}


def _unlike_table(record: xr.Dataset) -> list[Need | None]:
    """What the record lacks to be laid beside the table."""
    setting = [exactly(name, value, record.attrs[name]) for name, value in SETTING.items()]
    after = Need(f"errors after {AFTER} steps", "others", {"steps": AFTER, "record_every": 5})
    return [*setting, None if AFTER in record.step.values else after]


def _at(record: xr.Dataset, what: str) -> xr.DataArray:
    """A quantity over runs; an error after `AFTER` steps, or the nearest recorded."""
    return record[what].sel(step=AFTER, method="nearest") if "step" in record[what].dims else record[what]


def _table(record: xr.Dataset) -> list[Verdict]:
    return [verdict for width in TABLE for verdict in _table_of_width(record, width)]


def _table_of_width(record: xr.Dataset, width: int) -> list[Verdict]:
    rows = {what: table_row(record, width, what) for what in NAMES}
    shared = None if set(DEPTHS) & set(record.depth.values) else holding("depths", DEPTHS, record.depth.values)
    if why := lacking(*_unlike_table(record), holding("widths", [width], record.width.values), shared):
        claim = f"w = {width}: eigenvalues of K/d and errors agree with an independent computation"
        return [Verdict.not_judged(claim, why, kind="regression")]
    return [_beside_row(record.sel(width=width), what, row) for what, row in rows.items() if row]


def _beside_row(one: xr.Dataset, what: str, row: dict[int, str]) -> Verdict:
    width, (depth, run) = int(one.width), ("trained_depth", "trained_run") if what == "descent" else ("depth", "run")
    claim = f"w = {width}: {NAMES[what]} agrees with an independent computation at {len(row)} depths"
    return beside_table(
        claim, _at(one, what).sel({depth: list(row)}).transpose(depth, run).values, row, RUNS[width][what == "descent"]
    )


def _entries(record: xr.Dataset) -> list[Verdict]:
    """Figure 2: one entry on and one off the diagonal of the widest network, averaged over runs."""
    widest, depths = record.isel(width=-1), record.depth.values
    places = {
        "diagonal": ("on the diagonal is 1", np.ones(len(depths))),
        "beside": ("off the diagonal is mu^(d-1)", record.attrs["mu"] ** (depths - 1.0)),
    }
    return [
        beside_exact(
            f"w = {int(widest.width)}: an entry of K/d {words} on average, at every depth",
            widest[what].transpose("depth", "run").values,
            dict(zip(depths.tolist(), exact.tolist(), strict=True)),
            kind="claim",
            source=f"{SOURCE}, figure 2",
        )
        for what, (words, exact) in places.items()
    ]


def _eigenvalues(record: xr.Dataset) -> list[Verdict]:
    samples, mu, widths = record.attrs["samples"], record.attrs["mu"], record.width.values
    smallest, _ = ideal(record.depth.values, samples, mu)
    gap = abs(record.half_sum.mean("run") - samples // 2 * smallest).mean("depth").values
    widest = record.isel(width=-1, depth=0)
    width, depth, found = int(widest.width), int(widest.depth), float(widest.smallest.mean())
    out = [
        Verdict.below(
            "wider networks are nearer to the ideal spectrum",
            gap[0],
            gap[-1],
            predicted=0.0,
            of=f"mean distance of the sum of the {samples // 2} smallest eigenvalues from the ideal at w = {width}",
            kind="claim",
            source=SOURCE,
            note="distances: " + ", ".join(f"w = {w}: {g:.1f}" for w, g in zip(widths, gap, strict=True)),
        ).and_below(0.0, np.diff(gap).max(), of="its largest change from one width to the next"),
        Verdict.within(
            f"entries near their means give the ideal spectrum (w = {width}, d = {depth}: smallest eigenvalue)",
            smallest[0],
            found,
            rtol=IDEAL,
            of="mean over runs",
            kind="claim",
            source=SOURCE,
            note=f"for samples x variance of an entry << 1; it is {samples * float(widest.beside.var('run', ddof=1)):.2g}",
        ),
    ]
    claims = f"d = 2, w = {width}: {EDGE_CLAIM}", "d = 2: K has at most the rank w"
    if why := lacking(holding("depths", [2], record.depth.values)):
        return [*out, *(Verdict.not_judged(claim, why) for claim in claims)]
    return [*out, _edge(claims[0], width, samples, mu, found), _rank(claims[1], record)]


def _edge(claim: str, width: int, samples: int, mu: float, found: float) -> Verdict:
    """The smallest eigenvalue at d = 2, where the rows of gates are independent; it is zero with fewer units than samples."""
    edge, note = (1 - mu) * (1 - np.sqrt(samples / width)) ** 2, f"{samples} samples"
    if samples < width:
        return Verdict.within(claim, edge, found, rtol=EDGE, of="mean over runs", note=note)
    return Verdict.below(claim, NOTHING, found, predicted=0.0, of="mean over runs", note=note)


def _rank(claim: str, record: xr.Dataset) -> Verdict:
    ranks, widths = record["rank"].sel(depth=2).max("run").values, record.width.values
    return Verdict.below(
        claim,
        widths[0],
        ranks[0],
        predicted=min(widths[0], record.attrs["samples"]),
        or_equal=True,
        of=f"largest rank over the runs at w = {widths[0]}",
        note=f"rank at each width {widths.tolist()}: {ranks.tolist()}",
    ).and_below(0.0, (ranks - widths).max(), or_equal=True, of="largest rank less w at any width")


def _helps_and_hurts(one: xr.Dataset) -> list[Verdict]:
    """What depth does to the error after 100 steps of the recursion, at one width."""
    ratios, depths, width = _at(one, "recursion"), one.depth.values, int(one.width)
    means, errors = mean_and_error(ratios, "run")
    best = int(np.argmin(means))
    apart = CLEAR * np.hypot(errors, errors[best])
    each = ", ".join(f"d = {depths[i]} {means[i]:.3g}" for i in (0, best, -1))
    note = f"mean |e|/|e_0| after {int(ratios.step)} steps: {each}; errors are {CLEAR} standard errors of a difference"
    return [
        Verdict.below(
            f"w = {width}: increasing depth till a point helps",
            means[0],
            means[best],
            error=apart[0],
            of="error at the best depth",
            kind="claim",
            source=SOURCE,
            note=note,
        ),
        Verdict.equals(
            f"w = {width}: convergence gets better with depth, up to d = {depths[-1]}",
            depths[-1],
            depths[best],
            of="the best depth is",
            kind="claim",
            source=f"{SOURCE}, figure 3",
            note=note,
        ),
        Verdict.above(
            f"w = {width}: increasing depth beyond a point hurts",
            means[best],
            means[-1],
            error=apart[-1],
            of="error at the largest depth",
            kind="claim",
            source=SOURCE,
            note=note,
        ),
    ]


def _diagonal(record: xr.Dataset) -> Verdict:
    last = record.isel(width=-1, depth=-1)
    spans = [
        float(np.exp(np.log(large / np.maximum(small, 1e-12)).mean()))  # rounding may make a zero negative
        for large, small in ((last.largest, last.smallest), (last.scaled_largest, last.scaled_smallest))
    ]
    return Verdict.below(
        f"w = {int(last.width)}, d = {int(last.depth)}: the diagonal spreads; with unit diagonal K is well conditioned",
        spans[0] / 2,
        spans[1],
        predicted=spans[0],
        of="condition number with unit diagonal (geometric mean over runs; the bound is half of that of K)",
        note=f"eigenvalues {float(last.smallest.mean()):.3f} to {float(last.largest.mean()):.3f}, with unit diagonal "
        f"{float(last.scaled_smallest.mean()):.3f} to {float(last.scaled_largest.mean()):.3f}",
    )


def _recursion(record: xr.Dataset) -> list[Verdict]:
    """Gradient descent against the recursion with the first kernel, run by run."""
    fixed = _at(record, "recursion").sel(depth=record.trained_depth).isel(run=slice(record.sizes["trained_run"]))
    fixed = fixed.rename(run="trained_run").drop_vars("depth")
    factors = xr.apply_ufunc(np.log, _at(record, "descent").clip(max=FAR) / fixed).mean("trained_run")
    factors = factors.transpose("width", "trained_depth").values
    growth = record.growth.mean("trained_run").transpose("width", "trained_depth").values
    each = "; ".join(
        f"w = {w}: " + ", ".join(f"{x:.2g}" for x in row) for w, row in zip(record.width.values, np.exp(factors), strict=True)
    )
    return [
        Verdict.between(
            "gradient descent follows the linear recursion with the kernel it starts from",
            1 / FOLLOWS,
            FOLLOWS,
            np.exp(factors.flat[np.argmax(abs(factors))]),
            predicted=1.0,
            of=f"error after {int(fixed.step)} steps over that of the recursion, where this is furthest off 1,",
            kind="claim",
            source="paper 004, equation 1",
            note=f"same runs, geometric means, at d = {record.trained_depth.values.tolist()}: {each}",
        ),
        Verdict.below(
            "where descent is ahead of the recursion, the kernel has grown",
            LINKED,
            np.corrcoef(factors.ravel(), np.log(growth).ravel())[0, 1],
            predicted=-1.0,
            of="correlation of the log of that factor with the log of the growth of trace K",
            note=f"trace K after training over that before: {growth.min():.2f} to {growth.max():.2f}",
        ),
    ]
