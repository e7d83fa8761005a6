"""What `galu-and-relu-depth` says of each claim."""

import numpy as np
import xarray as xr

from gatefield.core.intervals import FAR, LEVEL, against_table
from gatefield.lab.verdict import Verdict

DEPTHS = (2, 4, 8, 12, 20)
TABLE = {
    "GaLU": (".957", ".872", ".786", ".758", ".698"),
    "ReLU": (".955", ".911", ".872", ".862", ".851"),
}
"""Mean |e_300|/|e_0| of the recursion in an independent computation: 20 runs of 100 samples, w = 100, weights +-sigma."""
SPREAD = {"GaLU": ("3.30", "6.08"), "ReLU": ("3.11", "2.51")}
"""Mean trace over largest eigenvalue in it, at d = 2 and d = 20."""
RUNS = 20
SETTING = {"samples": 100, "width": 100, "rate": 0.1}
STEPS = 300
WORDS = {"signs": "+-sigma", "gaussian": "normal weights"}


def verdicts(record: xr.Dataset) -> list[Verdict]:
    out = [_rank(record)]
    for law in record.law.values:
        out += _depth(record.sel(law=law), str(law))
    return [*out, *_table(record)]


def table_row(record: xr.Dataset, net: str, what: str = "recursion") -> dict[int, str]:
    """Depth -> printed mean for +-sigma, for depths that the record has; empty if its setting is another."""
    here = {name: record.attrs[name] for name in SETTING}  # a stored record says more of itself
    if here != SETTING or int(record.step[-1]) != STEPS:
        return {}
    row = dict(zip(DEPTHS, TABLE[net], strict=True)) if what == "recursion" else dict(zip((2, 20), SPREAD[net], strict=True))
    return {depth: value for depth, value in row.items() if depth in record.depth}


def _rank(record: xr.Dataset) -> Verdict:
    shallow = record["rank"].isel(depth=0).max("run")
    found = int(shallow.sel(law="signs").max())
    return Verdict.judged(
        f"d = {int(record.depth[0])}: with +-sigma and two inputs the kernel has at most the rank 6",
        6.0,
        float(found),
        "largest rank over runs and both networks at most 6",
        found <= 6,
        f"normal weights: {int(shallow.sel(law='gaussian').min())} of {record.attrs['samples']}; ranks with +-sigma at "
        f"d = {record.depth.values.tolist()}: GaLU {_ranks(record, 'GaLU')}, ReLU {_ranks(record, 'ReLU')} (medians)",
    )


def _ranks(record: xr.Dataset, net: str) -> list[int]:
    return [int(rank) for rank in record["rank"].sel(net=net, law="signs").median("run")]


def _depth(one: xr.Dataset, law: str) -> list[Verdict]:
    """What depth does to both networks, for one law of the weights."""
    name, depths = WORDS[law], one.depth.values
    late = one.isel(step=-1)
    mean, error = late.recursion.mean("run"), late.recursion.std("run", ddof=1) / np.sqrt(one.sizes["run"])
    descent = np.minimum(late.descent.median("trained_run"), FAR)
    galu, relu = mean.sel(net="GaLU").values, mean.sel(net="ReLU").values
    gap = error.sel(net="GaLU").values, error.sel(net="ReLU").values
    each = ", ".join(f"{d}: {a:.3f} and {b:.3f}" for d, a, b in zip(depths, galu, relu, strict=True))
    trained = ", ".join(
        f"{d}: {float(a):.3g} and {float(b):.3g}"
        for d, (a, b) in zip(depths, descent.transpose("depth", "net").values, strict=True)
    )
    note = f"mean |e|/|e_0| after {int(late.step)} steps, GaLU and ReLU, by depth: {each}"
    spread = late.spread.mean("run")
    return [
        Verdict.judged(
            f"{name}: GaLU converges faster with every increase of depth",
            float(galu[0]),
            float(galu[-1]),
            "error falls from each depth to the next, by more than 3 standard errors from first to last",
            bool((np.diff(galu) < 0).all() and galu[0] - galu[-1] > 3 * np.hypot(gap[0][0], gap[0][-1])),
            note,
        ),
        Verdict.judged(
            f"{name}: the spectrum of GaLU gets better with depth",
            float(spread.sel(net="GaLU")[0]),
            float(spread.sel(net="GaLU")[-1]),
            "trace over largest eigenvalue larger at the last depth than at the first",
            bool(spread.sel(net="GaLU")[-1] > spread.sel(net="GaLU")[0]),
            f"ReLU: {float(spread.sel(net='ReLU')[0]):.2f} to {float(spread.sel(net='ReLU')[-1]):.2f}",
        ),
        Verdict.judged(
            f"{name}: GaLU optimises better than ReLU at d = {depths[-1]}",
            float(relu[-1]),
            float(galu[-1]),
            "error of GaLU lower by more than 3 standard errors",
            bool(relu[-1] - galu[-1] > 3 * np.hypot(gap[0][-1], gap[1][-1])),
            note,
        ),
        Verdict.judged(
            f"{name}: so does GaLU by gradient descent, whose kernel moves (d = {depths[-1]})",
            float(descent.sel(net="ReLU")[-1]),
            float(descent.sel(net="GaLU")[-1]),
            "lower median error",
            bool(descent.sel(net="GaLU")[-1] < descent.sel(net="ReLU")[-1]),
            f"{one.sizes['trained_run']} runs; medians of GaLU and ReLU, by depth: {trained}. "
            "Where K has grown, this rate is near the largest stable one, and errors rise and fall",
        ),
    ]


def _table(record: xr.Dataset) -> list[Verdict]:
    out = []
    for net in record.net.values:
        one = record.sel(net=net, law="signs").isel(step=-1)
        for what, name in (("recursion", "|e_300|/|e_0|"), ("spread", "trace over largest eigenvalue")):
            row = table_row(record, str(net), what)
            if not row:
                continue
            values = one[what].sel(depth=list(row)).transpose("depth", "run").values
            found = against_table(values, list(row.values()), RUNS)
            worst = list(row)[found.at]
            out.append(
                Verdict.judged(
                    f"{net}, +-sigma: {name} agrees with an independent computation at {len(row)} depths",
                    0.0,
                    found.distance,
                    f"largest difference of means, in standard errors, below {found.limit:.1f} (Student's t, {LEVEL:.1%})",
                    found.holds,
                    f"largest at d = {worst}: mean {values[found.at].mean():.4g}, sd of a run "
                    f"{values[found.at].std(ddof=1):.2g}, {values.shape[1]} runs; the other computation {row[worst]}",
                )
            )
    return out
