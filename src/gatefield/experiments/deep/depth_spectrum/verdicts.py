"""What `depth-spectrum` says of each claim."""

import numpy as np
import xarray as xr

from gatefield.core.intervals import FAR, LEVEL, against_table
from gatefield.lab.verdict import Verdict

AFTER = 100
"""Steps after which errors are compared."""
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
    widths = record.width.values
    out = [*_entries(record), *_eigenvalues(record)]
    for width in widths:
        out += _helps_and_hurts(record.sel(width=width))
    return [*out, _diagonal(record), *_recursion(record), *_table(record)]


def ideal(depth: np.ndarray, samples: int, mu: float) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest eigenvalue of the mean of K/d.

    >>> [float(value) for value in ideal(np.array(2), 200, 0.5)]
    [0.5, 100.5]
    """
    beside = mu ** (depth - 1.0)
    return 1 - beside, 1 + (samples - 1) * beside


def ideal_ratio(depth: np.ndarray, samples: int, mu: float, rate: float, step: np.ndarray | int) -> np.ndarray:
    """Root of the mean of |e_t|^2/|e_0|^2 for the mean kernel, an error of independent entries, and rate/largest eigenvalue.

    >>> ideal_ratio(np.array([2, 8]), 200, 0.5, 0.1, 100).round(5)
    array([0.94907, 0.01899])
    """
    smallest, largest = ideal(depth, samples, mu)
    parts = (1 - rate) ** (2 * np.asarray(step)), (1 - rate * smallest / largest) ** (2 * np.asarray(step))
    return np.sqrt((parts[0] + (samples - 1) * parts[1]) / samples)


def table_row(record: xr.Dataset, width: int, what: str) -> dict[int, str]:
    """Depth -> printed mean, for depths that the record has; empty if its setting is not that of the table."""
    same = (record.attrs["samples"], record.attrs["mu"], record.attrs["rate"]) == (200, 0.5, 0.1)
    here = set(record.trained_depth.values if what == "descent" else record.depth.values)
    if not same or width not in TABLE or AFTER not in record.step:
        return {}
    return {depth: value for depth, value in zip(DEPTHS, TABLE[width][what], strict=True) if depth in here}


def _at(record: xr.Dataset, what: str) -> xr.DataArray:
    """A quantity over runs; an error after `AFTER` steps, or the nearest recorded."""
    return record[what].sel(step=AFTER, method="nearest") if "step" in record[what].dims else record[what]


def _table(record: xr.Dataset) -> list[Verdict]:
    out = []
    for width in record.width.values:
        for what, name in NAMES.items():
            row = table_row(record, int(width), what)
            if not row:
                continue
            depth, run = ("trained_depth", "trained_run") if what == "descent" else ("depth", "run")
            values = _at(record.sel(width=width), what).sel({depth: list(row)}).transpose(depth, run).values
            found = against_table(values, list(row.values()), RUNS[int(width)][what == "descent"])
            worst, there = list(row)[found.at], values[found.at]
            out.append(
                Verdict.judged(
                    f"w = {width}: {name} agrees with an independent computation at {len(row)} depths",
                    0.0,
                    found.distance,
                    f"largest difference of means, in standard errors, below {found.limit:.1f} (Student's t, {LEVEL:.1%})",
                    found.holds,
                    f"largest at d = {worst}: mean {there.mean():.4g}, sd of a run {there.std(ddof=1):.2g}, "
                    f"{values.shape[1]} runs; the other computation {row[worst]}, {RUNS[int(width)][what == 'descent']} runs",
                )
            )
    return out


def _entries(record: xr.Dataset) -> list[Verdict]:
    """Figure 2: one entry on and one off the diagonal of the widest network, averaged over runs."""
    widest, mu = record.isel(width=-1), record.attrs["mu"]
    out = []
    for name, what, expected in (
        ("on the diagonal is 1", "diagonal", np.ones(record.sizes["depth"])),
        ("off the diagonal is mu^(d-1)", "beside", mu ** (record.depth.values - 1.0)),
    ):
        found = against_table(widest[what].transpose("depth", "run").values, [f"{value:.12f}" for value in expected], 10**9)
        out.append(
            Verdict.judged(
                f"w = {int(widest.width)}: an entry of K/d {name} on average, at every depth",
                0.0,
                found.distance,
                f"largest distance from it, in standard errors, below {found.limit:.1f}",
                found.holds,
                f"{record.sizes['run']} runs, {record.sizes['depth']} depths; largest at d = {int(record.depth[found.at])}",
            )
        )
    return out


def _eigenvalues(record: xr.Dataset) -> list[Verdict]:
    samples, mu = record.attrs["samples"], record.attrs["mu"]
    smallest, _ = ideal(record.depth.values, samples, mu)
    gap = abs(record.half_sum.mean("run") - samples // 2 * smallest).mean("depth").values
    widest = record.isel(width=-1, depth=0)
    width, depth = int(widest.width), int(widest.depth)
    edge = (1 - mu) * (1 - min(1.0, np.sqrt(samples / width))) ** 2
    found, sharp = float(widest.smallest.mean()), float(smallest[0])
    ranks = record["rank"].sel(depth=depth).max("run").values
    out = [
        Verdict.judged(
            "wider networks are nearer to the ideal spectrum",
            0.0,
            float(gap[-1]),
            f"mean distance of the sum of the {samples // 2} smallest eigenvalues from the ideal falls with every width",
            bool((np.diff(gap) < 0).all()),
            "distances: " + ", ".join(f"w = {w}: {g:.1f}" for w, g in zip(record.width.values, gap, strict=True)),
        ),
        Verdict.judged(
            f"entries near their means give the ideal spectrum (w = {width}, d = {depth}: smallest eigenvalue)",
            sharp,
            found,
            "within 20 %",
            bool(abs(found / sharp - 1) < 0.2),
            f"needs samples x variance of an entry << 1; here it is {samples * float(widest.beside.var('run', ddof=1)):.2g}",
        ),
    ]
    if depth == 2:
        out += [
            Verdict.judged(
                f"d = 2, w = {width}: the smallest eigenvalue is at Marchenko and Pastur's edge (1-mu)(1-sqrt(n/w))^2",
                float(edge),
                found,
                "within 25 %, or below 1e-9 where n >= w",
                bool(abs(found / edge - 1) < 0.25 if edge > 0 else found < 1e-9),
                f"{samples} samples; the ideal is {sharp:g}",
            ),
            Verdict.judged(
                "d = 2: K has at most the rank w",
                float(min(record.width.values[0], samples)),
                float(ranks[0]),
                "largest rank over the runs at most w, at every width",
                bool((ranks <= record.width.values).all()),
                f"rank at each width {[int(w) for w in record.width.values]}: {[int(rank) for rank in ranks]}",
            ),
        ]
    return out


def _helps_and_hurts(one: xr.Dataset) -> list[Verdict]:
    """What depth does to the error after 100 steps of the recursion, at one width."""
    ratios, depths, width = _at(one, "recursion"), one.depth.values, int(one.width)
    means = ratios.mean("run").values
    best = int(np.argmin(means))
    errors = ratios.std("run", ddof=1).values / np.sqrt(one.sizes["run"])
    clear = means - means[best] > 3 * np.hypot(errors, errors[best])
    note = (
        f"mean |e|/|e_0| after {int(ratios.step)} steps: d = {depths[0]} {means[0]:.3g}, d = {depths[best]} {means[best]:.3g}, "
    )
    note += f"d = {depths[-1]} {means[-1]:.3g}"
    return [
        Verdict.judged(
            f"w = {width}: increasing depth till a point helps",
            float(means[0]),
            float(means[best]),
            "error at the best depth below that at the smallest by 3 standard errors",
            bool(clear[0]),
            note,
        ),
        Verdict.judged(
            f"w = {width}: convergence gets better with depth, up to d = {depths[-1]}",
            float(depths[-1]),
            float(depths[best]),
            "the best depth is the largest",
            best == len(depths) - 1,
            note,
        ),
        Verdict.judged(
            f"w = {width}: increasing depth beyond a point hurts",
            float(means[best]),
            float(means[-1]),
            "error at the largest depth above that at the best by 3 standard errors",
            bool(clear[-1]),
            note,
        ),
    ]


def _diagonal(record: xr.Dataset) -> Verdict:
    last = record.isel(width=-1, depth=-1)
    spans = [
        float(np.exp(np.log(large / np.maximum(small, 1e-12)).mean()))
        for large, small in ((last.largest, last.smallest), (last.scaled_largest, last.scaled_smallest))
    ]
    return Verdict.judged(
        f"w = {int(last.width)}, d = {int(last.depth)}: the diagonal spreads; with unit diagonal K is well conditioned",
        spans[0],
        spans[1],
        "condition number less than half of that of K (geometric means over runs)",
        spans[1] < spans[0] / 2,
        f"eigenvalues {float(last.smallest.mean()):.3f} to {float(last.largest.mean()):.3f}, with unit diagonal "
        f"{float(last.scaled_smallest.mean()):.3f} to {float(last.scaled_largest.mean()):.3f}",
    )


def _recursion(record: xr.Dataset) -> list[Verdict]:
    """Gradient descent against the recursion with the first kernel, run by run."""
    fixed = _at(record, "recursion").sel(depth=record.trained_depth).isel(run=slice(record.sizes["trained_run"]))
    fixed = fixed.rename(run="trained_run").drop_vars("depth")
    factors = xr.apply_ufunc(np.log, _at(record, "descent").clip(max=FAR) / fixed).mean("trained_run")
    worst = factors.values.flat[np.argmax(abs(factors.values))]
    growth = record.growth.mean("trained_run")
    each = "; ".join(
        f"w = {w}: " + ", ".join(f"{x:.2g}" for x in np.exp(row))
        for w, row in zip(record.width.values, factors.values, strict=True)
    )
    link = float(np.corrcoef(factors.values.ravel(), np.log(growth.values).ravel())[0, 1])
    return [
        Verdict.judged(
            "gradient descent follows the linear recursion with the kernel it starts from",
            1.0,
            float(np.exp(worst)),
            f"error after {int(fixed.step)} steps within a factor of 1.25 at every width and depth",
            bool((abs(factors) < np.log(1.25)).all()),
            f"error by descent over that by recursion, same runs, at d = {record.trained_depth.values.tolist()}: {each}",
        ),
        Verdict.judged(
            "where descent is ahead of the recursion, the kernel has grown",
            -1.0,
            link,
            "correlation of the log of that factor with the log of the growth of trace K below -0.5",
            bool(link < -0.5),
            f"trace K after training over that before: {float(growth.min()):.2f} to {float(growth.max()):.2f}",
        ),
    ]
