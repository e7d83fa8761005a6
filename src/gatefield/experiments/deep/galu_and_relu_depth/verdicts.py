"""What `galu-and-relu-depth` says of each claim."""

from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.intervals import FAR, mean_and_error, mean_interval
from gatefield.experiments.deep.means import CLEAR, beside_table
from gatefield.lab import Verdict
from gatefield.lab.needs import at_least, exactly, holding, lacking

SOURCE = "paper 004, experiment 2, figure 4"
DEPTHS = (2, 4, 8, 12, 20)
TABLE = {
    "GaLU": (".957", ".872", ".786", ".758", ".698"),
    "ReLU": (".955", ".911", ".872", ".862", ".851"),
}
"""Mean |e_300|/|e_0| of the recursion in an independently written program: 20 runs of 100 samples, w = 100, weights ±σ."""
SPREAD = {"GaLU": ("3.30", "6.08"), "ReLU": ("3.11", "2.51")}
"""Mean trace over largest eigenvalue in it, at d = 2 and d = 20."""
RUNS = 20
SETTING = {"samples": 100, "width": 100, "rate": 0.1}
STEPS = 300
"""Those of the table: other settings are not compared with it."""
FUTURE = "paper 004, section 1, future work: gates that depend on the weights"
WIDE = 4
"""Units for each layer from which on a network counts as wide: means differ from their limit by O(d/w)."""
WORDS = {"signs": "±σ", "gaussian": "normal weights"}
PAIR = ["GaLU", "ReLU"]


def verdicts(record: xr.Dataset) -> list[Verdict]:
    return [*_depth(record), _trained(record), *_wide(record), _table(record)]


def table_row(record: xr.Dataset, net: str, what: str = "recursion") -> dict[int, str]:
    """Depth -> printed mean for ±σ, for depths that the record has; empty if its setting is another."""
    if _unlike_table(record):
        return {}
    row = dict(zip(DEPTHS, TABLE[net], strict=True)) if what == "recursion" else dict(zip((2, 20), SPREAD[net], strict=True))
    return {depth: value for depth, value in row.items() if depth in record.depth}


def _unlike_table(record: xr.Dataset) -> str:
    """Why the record is not laid beside the table, if its setting is another."""
    setting = [exactly(name, value, record.attrs[name]) for name, value in SETTING.items()]
    return lacking(*setting, exactly("steps", STEPS, int(record.step[-1])))


def _depth(record: xr.Dataset) -> list[Verdict]:
    """What depth does to both networks, by the recursion with the first kernel."""
    depths, late = record.depth.values, record.isel(step=-1)
    error, off = mean_and_error(late.recursion.transpose("law", "net", "depth", "run").sel(net=PAIR), "run")
    spread, apart = mean_and_error(late.spread.transpose("law", "net", "depth", "run").sel(net=PAIR), "run")
    faster, better, wins = {}, {}, {}
    for i, law in enumerate(record.law.values):
        name, end = WORDS[str(law)], depths[-1]
        faster |= {
            f"{name}, d = {depths[k]} after {depths[k - 1]}": Verdict.below(
                "", error[i, 0, k - 1], error[i, 0, k], error=CLEAR * np.hypot(off[i, 0, k - 1], off[i, 0, k]), of="mean error"
            )
            for k in range(1, len(depths))
        }
        far = CLEAR * np.hypot(apart[i, 0, 0], apart[i, 0, -1])
        of = f"trace over largest eigenvalue at d = {end}, against d = {depths[0]},"
        better[name] = Verdict.above("", spread[i, 0, 0], spread[i, 0, -1], error=far, of=of)
        of = f"mean error of GaLU at d = {end}, against ReLU,"
        wins[name] = Verdict.below("", error[i, 1, -1], error[i, 0, -1], error=CLEAR * np.hypot(*off[i, :, -1]), of=of)
    note = (
        f"|e|/|e_0| after {int(late.step)} steps of the recursion, {record.sizes['run']} runs; errors: {CLEAR} standard errors"
    )
    words: Any = {"kind": "claim", "source": SOURCE, "note": note}
    ends = [half_share(record, str(record.law.values[-1]), int(d)) for d in (depths[0], depths[-1])]
    law = WORDS[str(record.law.values[-1])]
    half = f"{law}: lower half {ends[0]:.1g} → {ends[1]:.1g} % of the trace"
    return [
        Verdict.each(
            f"a GaLU network has a smaller error than a ReLU network at d = {depths[-1]}, by the recursion with the "
            f"first kernel",
            wins,
            **words,
        ),
        Verdict.each("a GaLU network converges faster with every increase of its depth", faster, **words),
        Verdict.each(
            "the spectrum of the kernel of a GaLU network gets flatter with depth",
            better,
            kind="claim",
            source=SOURCE,
            note=f"with ReLU it goes from {spread[-1, 1, 0]:.2f} to {spread[-1, 1, -1]:.2f} "
            f"({WORDS[str(record.law.values[-1])]})",
            more_found=f"depth flattens K of GaLU ({half})",
            more_otherwise=f"depth does not flatten K of GaLU ({half})",
        ),
    ]


def half_share(record: xr.Dataset, law: str, depth: int, net: str = "GaLU") -> float:
    """The share of the smaller half of the eigenvalues in the trace, mean over runs, in percent."""
    one = record.sums.sel(net=net, law=law, depth=depth)
    return 100 * float(one.isel(k=one.sizes["k"] // 2 - 1))


def _trained(record: xr.Dataset) -> Verdict:
    """Both networks by gradient descent: the same data and weights in both, so that runs are compared one by one."""
    late = np.minimum(record.isel(step=-1, depth=-1).descent, FAR)
    gap, rows = np.log(late.sel(net="ReLU")) - np.log(late.sel(net="GaLU")), {}
    for law in record.law.values:
        mean, low, _ = mean_interval(gap.sel(law=law).values, one_sided=True)
        rows[WORDS[str(law)]] = Verdict.above("", 0.0, mean, error=mean - low, of="log of the error of ReLU over that of GaLU")
    deepest = int(record.depth[-1])
    middle = late.isel(law=-1).median("trained_run")
    galu, relu = (f"{float(middle.sel(net=net)):.2f}" for net in PAIR)
    fixed = f"{float(record.isel(step=-1, depth=-1, law=-1).recursion.sel(net='GaLU').median('run')):.2f}"
    start, steps = f"at depth {deepest} GaLU (gates of another network, frozen) leaves", f"{int(record.step[-1])} steps"
    return Verdict.each(
        f"a GaLU network has a smaller error than a ReLU network at d = {deepest} by gradient descent too",
        rows,
        kind="claim",
        source=SOURCE,
        note=f"{gap.sizes['trained_run']} pairs of runs with the same data and weights; error: one-sided 95 % interval "
        f"of the mean",
        found=f"{start} {galu} of the error after {steps}, ReLU (own gates) {relu}",
        otherwise=f"{start} no less of the error after {steps} ({galu}) than ReLU (own gates, {relu})",
        more_found=f"descent at d = {deepest} leaves {galu} of the error (K fixed {fixed})",
        more_otherwise=f"descent at d = {deepest} leaves {galu} of the error, no less than ReLU (K fixed {fixed})",
    )


def _wide(record: xr.Dataset) -> list[Verdict]:
    """Theory of wide networks, with gates of another network and with gates of their own, beside both."""
    deepest, width = int(record.depth[-1]), record.attrs["width"]
    near = "GaLU and ReLU kernels make samples as alike as theory of wide networks says, up to d/w"
    cost = f"gates of its own make samples more alike at d = {deepest}, by as much as theory of wide networks says, up to d/w"
    if why := lacking(at_least("width", WIDE * deepest, width)):
        return [Verdict.not_judged(claim, why, source=FUTURE) for claim in (near, cost)]
    laws = {WORDS[str(law)]: record.sel(law=law) for law in record.law.values}
    runs = record.sizes["run"]
    return [
        Verdict.each(
            near,
            {f"{name}, {net}": _near_limit(one.sel(net=net)) for name, one in laws.items() for net in PAIR},
            source=FUTURE,
            note=f"mean cosine of two samples in K, each run beside the limit for its inputs; {runs} runs, {CLEAR} "
            f"standard errors",
        ),
        Verdict.each(
            cost,
            {name: _coupling(one) for name, one in laws.items()},
            source=FUTURE,
            note="with depth the limit of GaLU tends to a diagonal kernel, that of ReLU to 1/4 of the diagonal everywhere else",
        ),
    ]


def _near_limit(one: xr.Dataset) -> Verdict:
    """Each run is laid beside the limit for its own inputs."""
    scale = one.attrs["width"] / one.depth.values
    mean, error = (part * scale for part in mean_and_error((one.likeness - one.likeness_wide).transpose("depth", "run"), "run"))
    at = np.abs(mean).argmax()
    of = f"largest difference of mean cosines over d/w, at d = {int(one.depth[at])},"
    return Verdict.below("", 1.0, abs(mean[at]), predicted=0.0, error=CLEAR * error[at], of=of)


def _coupling(one: xr.Dataset) -> Verdict:
    """How much more alike samples are behind gates of the network itself, run by run."""
    deep = one.isel(depth=-1)
    cost, limit = (deep[which].sel(net="ReLU") - deep[which].sel(net="GaLU") for which in ("likeness", "likeness_wide"))
    mean, error = mean_and_error(cost, "run")
    of, slack = "mean cosine of ReLU less that of GaLU", int(deep.depth) / one.attrs["width"]
    found = Verdict.within("", limit.mean(), mean, atol=slack, error=CLEAR * error, of=of)
    return found.and_above(0.0, mean, of=of, error=CLEAR * error)


def _table(record: xr.Dataset) -> Verdict:
    rows = {}
    for net in PAIR:
        one = record.sel(net=net, law="signs").isel(step=-1)
        for what, name in (("recursion", "error after 300 steps"), ("spread", "trace over largest eigenvalue")):
            if row := table_row(record, net, what):
                values = one[what].sel(depth=list(row)).transpose("depth", "run").values
                rows[f"{net}, {name}"] = beside_table("", values, row, RUNS)
            else:
                why = _unlike_table(record) or lacking(holding("depths", (2, 20), record.depth.values))
                rows[f"{net}, {name}"] = Verdict.not_judged("", why)
    claim = "errors and spectra of GaLU and ReLU with weights ±σ agree with those of an independently written program"
    return Verdict.each(claim, rows, kind="regression")
