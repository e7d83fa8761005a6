"""What `depth-spectrum` says of each claim."""

from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.intervals import FAR, mean_and_error
from gatefield.experiments.deep.means import CLEAR, beside_exact, beside_logs, beside_table
from gatefield.lab import Verdict
from gatefield.lab.needs import Need, exactly, holding, lacking

SOURCE = "paper 004, experiment 1"
AFTER = 100
"""Steps after which errors are compared, as in the table."""
IDEAL = 0.2
"""How near an eigenvalue counts as the ideal one: where entries do not decide the spectrum, it is off by a factor."""
SCALE, MEAN, DEVIATION = 1 / 3, 1.2065, 1.2680
"""Of the law of Tracy and Widom for real matrices: the power of its width, minus its mean, and its standard deviation."""
MOST = 0.5
"""What is most of a spread is more than half of its logarithm."""
NOTHING = 1e-12
"""A smallest eigenvalue of K/d as small as this is rounding."""
FOLLOWS = 1.25
"""The factor within which two errors count as the same course."""
EDGE_CLAIM = "at d = 2 the smallest eigenvalue of K/d lies where Marchenko and Pastur, with Tracy and Widom's shift, put it"
SETTING = {"samples": 200, "mu": 0.5, "rate": 0.1}
"""That of the table; other records are not laid beside it."""
DEPTHS = (2, 4, 6, 8, 12, 16, 20)
NAMES = {
    "smallest": "smallest eigenvalue of K/d",
    "largest": "largest eigenvalue of K/d",
    "half_sum": "sum of the 100 smallest eigenvalues of K/d",
    "recursion": "error after 100 steps of the recursion",
    "descent": "error after 100 steps of gradient descent",
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
    },
}
"""An independent computation at 200 samples, mu = 1/2, rate 0.1: means at `DEPTHS`, with as many runs as `RUNS` says.
Of gradient descent at w = 500 it has a single run, which is no mean and has no error: that row is left out."""
RUNS = {25: (20, 5), 100: (20, 5), 500: (5, 0)}


def verdicts(record: xr.Dataset) -> list[Verdict]:
    depth = [*_helps_and_hurts(record), _diagonal(record)]
    return [*depth, _entries(record), *_eigenvalues(record), *_recursion(record), _table(record)]


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
    row = TABLE[width].get(what, ())
    return {depth: value for depth, value in zip(DEPTHS, row, strict=bool(row)) if depth in here}


def _unlike_table(record: xr.Dataset) -> list[Need | None]:
    """What the record lacks to be laid beside the table."""
    setting = [exactly(name, value, record.attrs[name]) for name, value in SETTING.items()]
    after = Need(f"errors after {AFTER} steps", "others", {"steps": AFTER, "record_every": 5})
    return [*setting, None if AFTER in record.step.values else after]


def _at(record: xr.Dataset, what: str) -> xr.DataArray:
    """A quantity over runs; an error after `AFTER` steps, or the nearest recorded."""
    return record[what].sel(step=AFTER, method="nearest") if "step" in record[what].dims else record[what]


def _table(record: xr.Dataset) -> Verdict:
    """Beside the means of a program that was written apart from this one."""
    claim = "eigenvalues of K/d, and errors after 100 steps, agree with those of an independently written program"
    note = (
        f"at most {len(DEPTHS)} depths each; errors by the logarithms of their means, with one relative spread for all depths"
    )
    rows = {f"w = {width}, {NAMES[what]}": _beside(record, width, what) for width in TABLE for what in TABLE[width]}
    return Verdict.each(claim, rows, kind="regression", note=note)


def _beside(record: xr.Dataset, width: int, what: str) -> Verdict:
    row, count = table_row(record, width, what), RUNS[width][what == "descent"]
    there = holding("widths", [width], record.width.values)
    if not row or there:
        shared = None if row or any(_unlike_table(record)) else holding("depths", DEPTHS, record.depth.values)
        return Verdict.not_judged("", lacking(*_unlike_table(record), there, shared))
    depth, run = ("trained_depth", "trained_run") if what == "descent" else ("depth", "run")
    values = _at(record.sel(width=width), what).sel({depth: list(row)}).transpose(depth, run).values
    return (beside_logs if what in ("recursion", "descent") else beside_table)("", values, row, count)


def _entries(record: xr.Dataset) -> Verdict:
    """Figure 2: one entry on and one off the diagonal of the widest network, averaged over runs."""
    widest, depths = record.isel(width=-1), record.depth.values
    places = {"diagonal": ("on the diagonal", np.ones(len(depths))),
              "beside": ("off the diagonal", record.attrs["mu"] ** (depths - 1.0))}  # fmt: skip
    rows = {
        words: beside_exact(
            "", widest[what].transpose("depth", "run").values, dict(zip(depths.tolist(), exact.tolist(), strict=True))
        )
        for what, (words, exact) in places.items()
    }
    return Verdict.each(
        f"entries of K/d are 1 on the diagonal and mu^(d-1) off it on average, at every depth (w = {int(widest.width)})",
        rows,
        kind="claim",
        source=f"{SOURCE}, figure 2",
        note=f"{record.sizes['run']} runs, {len(depths)} depths",
    )


def _eigenvalues(record: xr.Dataset) -> list[Verdict]:
    samples, mu = record.attrs["samples"], record.attrs["mu"]
    smallest, _ = ideal(record.depth.values, samples, mu)
    widest = record.isel(width=-1, depth=0)
    width, depth = int(widest.width), int(widest.depth)
    mean, error = mean_and_error(widest.smallest, "run")
    return [
        _wider(record, samples // 2),
        Verdict.within(
            f"entries of K near their means give the smallest eigenvalue of the mean kernel (w = {width}, d = {depth})",
            smallest[0],
            mean,
            rtol=IDEAL,
            error=CLEAR * error,
            of="mean of the smallest eigenvalue over runs",
            kind="claim",
            source=SOURCE,
            note=f"it needs samples x variance of an entry << 1; it is {samples * float(widest.beside.var('run', ddof=1)):.2g}",
        ),
        _edge(record),
    ]


def _wider(record: xr.Dataset, half: int) -> Verdict:
    """From each width to the next the spectrum comes nearer to that of the mean kernel."""
    _, errors = mean_and_error(record.half_sum.transpose("width", "depth", "run"), "run")
    gap, error = half_gaps(record), np.sqrt((errors**2).sum(1)) / record.sizes["depth"]
    widths = record.width.values
    ends = f"{gap[0]:.2g} at w = {widths[0]}, by {gap[-1]:.2g} at w = {widths[-1]}"
    off = f"the sum of the {half} smallest eigenvalues is off by {ends}"
    rows = {
        f"w = {widths[i]} after {widths[i - 1]}": Verdict.below(
            "", gap[i - 1], gap[i], error=CLEAR * np.hypot(error[i], error[i - 1]), of="distance from the mean kernel"
        )
        for i in range(1, len(widths))
    }
    note = f"distance of the sum of the {half} smallest eigenvalues, mean over depths; errors are {CLEAR} standard errors"
    return Verdict.each(
        "wider networks have spectra nearer to that of the mean kernel",
        rows,
        kind="claim",
        source=SOURCE,
        note=note,
        more_found=f"wider networks come nearer to the mean kernel: {off}",
        more_otherwise=f"wider networks do not always come nearer to the mean kernel: {off}",
    )


def half_gaps(record: xr.Dataset) -> np.ndarray:
    """How far the sum of the smaller half of the eigenvalues is from that of the mean kernel: mean over depths, by width."""
    return depth_gaps(record).mean(1)


def depth_gaps(record: xr.Dataset) -> np.ndarray:
    """The same for each width and each depth."""
    samples = record.attrs["samples"]
    smallest, _ = ideal(record.depth.values, samples, record.attrs["mu"])
    mean, _ = mean_and_error(record.half_sum.transpose("width", "depth", "run"), "run")
    return abs(mean - samples // 2 * smallest)


def edge(samples: int, width: int, mu: float) -> tuple[float, float]:
    """Mean and standard deviation of the smallest eigenvalue of K/2 at d = 2, where K/2 = GG'/(mu w) of the gates G.

    Off the direction (1, ..., 1), which the mean of G takes with it, G is a matrix of n-1 rows and w-1 columns of independent
    entries of variance mu(1-mu): Marchenko and Pastur's edge, shifted and spread as Tracy and Widom say.

    >>> [round(value, 4) for value in edge(200, 500, 0.5)]
    [0.0707, 0.0031]
    """
    rows, columns = np.sqrt(samples - 1), np.sqrt(width - 1)
    place, scale = (columns - rows) ** 2, (columns - rows) * (1 / rows - 1 / columns) ** SCALE
    unit = (1 - mu) / width
    return float(unit * (place + MEAN * scale)), float(unit * DEVIATION * scale)


def _edge(record: xr.Dataset) -> Verdict:
    """The smallest eigenvalue at d = 2, where the rows of gates are independent."""
    samples, width = record.attrs["samples"], int(record.width[-1])
    wide = None if samples < width else holding("widths", [5 * samples // 2], record.width.values)
    if why := lacking(wide, holding("depths", [2], record.depth.values)):
        return Verdict.not_judged(EDGE_CLAIM, why)
    found = record.smallest.isel(width=-1).sel(depth=2)
    place, deviation = edge(samples, width, record.attrs["mu"])
    return Verdict.within(
        EDGE_CLAIM,
        place,
        found.mean(),
        atol=CLEAR * deviation / np.sqrt(found.sizes["run"]),
        of=f"mean over {found.sizes['run']} runs at w = {width}",
        note=f"the tolerance is {CLEAR} standard errors of the predicted spread {deviation:.2g}; measured spread "
        f"{float(found.std(ddof=1)):.2g}; {samples} samples",
    )


def headline_errors(record: xr.Dataset) -> dict[int, float]:
    """Depth -> mean error of the widest networks by the recursion: at the least depth, the best and the largest."""
    means = _at(record, "recursion").isel(width=-1).mean("run")
    places = sorted({0, int(means.argmin("depth")), record.sizes["depth"] - 1})
    return {int(record.depth[at]): float(means.isel(depth=at)) for at in places}


def _helps_and_hurts(record: xr.Dataset) -> list[Verdict]:
    """What depth does to the error after 100 steps of the recursion, at each width."""
    ratios, depths, widths = (
        _at(record, "recursion").transpose("width", "depth", "run"),
        record.depth.values,
        record.width.values,
    )
    means, errors = mean_and_error(ratios, "run")
    best = means.argmin(1)
    found = {f"w = {w}": (m, e, b) for w, m, e, b in zip(widths, means, errors, best, strict=True)}
    rows: dict[str, dict[str, Verdict]] = {"helps": {}, "better": {}, "hurts": {}}
    for at, (mean, error, b) in found.items():
        first, last = (CLEAR * np.hypot(error[end], error[b]) for end in (0, -1))
        rows["helps"][at] = Verdict.below("", mean[0], mean[b], error=first, of=f"mean error at the best depth, {depths[b]},")
        words: Any = {"error": last, "of": f"mean error at d = {depths[-1]}"}
        rows["better"][at] = Verdict.below("", mean[b], mean[-1], or_equal=bool(b == len(depths) - 1), **words)
        rows["hurts"][at] = Verdict.above("", mean[b], mean[-1], **words)
    note = f"mean |e|/|e_0| after {int(ratios.step)} steps of the recursion; errors are {CLEAR} standard errors of a difference"
    said: Any = {"kind": "claim", "source": SOURCE, "note": note}
    figure_3: Any = said | {"source": f"{SOURCE}, figure 3"}
    ends = headline_errors(record)
    (start, low), end = [ends[int(depths[at])] for at in (0, best[-1])], ends[int(depths[-1])]
    place = f"width {widths[-1]}: error {start:.2g} at depth {depths[0]}, {low:.2g} at {depths[best[-1]]}"
    return [
        Verdict.each(
            "with more depth, up to some depth, the error of randomly gated networks falls faster",
            rows["helps"],
            found=f"depth first helps randomly gated networks ({place})",
            otherwise=f"depth does not help randomly gated networks at every width ({place})",
            **said,
        ),
        Verdict.each(
            "with more depth, beyond some depth, the error of randomly gated networks falls more slowly",
            rows["hurts"],
            found=f"beyond a point more depth hurts ({end:.2g} at {depths[-1]})",
            otherwise=f"more depth does not hurt at every width ({end:.2g} at {depths[-1]})",
            **said,
        ),
        Verdict.each(
            f"the error of randomly gated networks gets better with depth, up to d = {depths[-1]}",
            rows["better"],
            **figure_3,
        ),
    ]


def log_conditions(record: xr.Dataset) -> tuple[xr.DataArray, xr.DataArray]:
    """Logarithms of the condition number of K, and of K scaled to a unit diagonal; those of rank-deficient K are cut off."""
    pairs = (record.largest, record.smallest), (record.scaled_largest, record.scaled_smallest)
    plain, scaled = (np.log(large / np.maximum(small, NOTHING * large)) for large, small in pairs)
    return plain, scaled


def _diagonal(record: xr.Dataset) -> Verdict:
    last = record.isel(width=-1, depth=-1)
    plain, scaled = log_conditions(last)
    mean, error = mean_and_error(scaled / plain, "run")
    number, left = (float(np.exp(part.mean())) for part in (plain, scaled))
    return Verdict.below(
        f"most of the spread of eigenvalues at d = {int(last.depth)}, w = {int(last.width)} comes from unequal diagonal "
        f"entries",
        MOST,
        mean,
        error=CLEAR * error,
        of="log of the condition number of K scaled to a unit diagonal, over that of K, mean over runs,",
        note=f"condition number {number:.3g}, with unit diagonal {left:.3g} (geometric means)",
    )


def _recursion(record: xr.Dataset) -> list[Verdict]:
    """Gradient descent against the recursion with the first kernel, run by run."""
    fixed = _at(record, "recursion").sel(depth=record.trained_depth).isel(run=slice(record.sizes["trained_run"]))
    fixed = fixed.rename(run="trained_run").drop_vars("depth")
    factors = xr.apply_ufunc(np.log, _at(record, "descent").clip(max=FAR) / fixed).mean("trained_run")
    factors = factors.transpose("width", "trained_depth")
    growth = record.growth.mean("trained_run").transpose("width", "trained_depth").values
    rows = {
        f"w = {int(one.width)}, d = {int(one.trained_depth)}": Verdict.between(
            "", 1 / FOLLOWS, FOLLOWS, np.exp(float(one)), predicted=1.0, of="error of descent over that of the recursion"
        )
        for width in factors
        for one in width
    }
    return [
        Verdict.each(
            "gradient descent follows the linear recursion with the kernel it starts from",
            rows,
            kind="claim",
            source="paper 004, equation 1",
            note=f"after {int(fixed.step)} steps; the same runs, geometric means",
        ),
        _linked(factors.values, np.log(growth)),
    ]


def _linked(factors: np.ndarray, growth: np.ndarray) -> Verdict:
    """The correlation of both over widths and depths, with Fisher's 95 % interval."""
    found = np.clip(np.corrcoef(factors.ravel(), growth.ravel())[0, 1], -1 + 1e-9, 1 - 1e-9)
    half = 1.96 / np.sqrt(max(factors.size - 3, 1))
    return Verdict.below(
        "gradient descent is ahead of the recursion where the trace of its kernel has grown",
        0.0,
        found,
        error=abs(np.tanh(np.arctanh(found) - np.sign(found) * half) - found),
        of="correlation of log error, over that of the recursion, with log growth of the trace",
        note=f"{factors.size} widths and depths, error by Fisher's interval; the trace ends at {np.exp(growth.min()):.2f} to "
        f"{np.exp(growth.max()):.2f} of its start",
    )
