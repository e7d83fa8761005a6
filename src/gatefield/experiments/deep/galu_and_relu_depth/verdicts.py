"""What `galu-and-relu-depth` says of each claim."""

import numpy as np
import xarray as xr

from gatefield.core.intervals import FAR
from gatefield.experiments.deep.means import CLEAR, beside_table, mean_and_error
from gatefield.experiments.needs import at_least, exactly, holding, lacking
from gatefield.lab import Verdict

SOURCE = "paper 004, experiment 2, figure 4"
RANK = 6
"""+-sigma with two inputs makes four gates, two pairs of opposite ones: six independent features of x and gate."""
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
"""Those of the table: other settings are not compared with it."""
FUTURE = "paper 004, section 1, future work: gates that depend on the weights"
WIDE = 4
"""Units for each layer from which on a network counts as wide: means differ from their limit by O(d/w)."""
WORDS = {"signs": "+-sigma", "gaussian": "normal weights"}


def verdicts(record: xr.Dataset) -> list[Verdict]:
    by_law = [verdict for law in record.law.values for verdict in _depth(record.sel(law=law), str(law))]
    wide = [verdict for law in record.law.values for verdict in _wide(record.sel(law=law), WORDS[str(law)])]
    return [_rank(record), *by_law, *_table(record), *wide]


def table_row(record: xr.Dataset, net: str, what: str = "recursion") -> dict[int, str]:
    """Depth -> printed mean for +-sigma, for depths that the record has; empty if its setting is another."""
    if _unlike_table(record):
        return {}
    row = dict(zip(DEPTHS, TABLE[net], strict=True)) if what == "recursion" else dict(zip((2, 20), SPREAD[net], strict=True))
    return {depth: value for depth, value in row.items() if depth in record.depth}


def _unlike_table(record: xr.Dataset) -> str:
    """Why the record is not laid beside the table, if its setting is another."""
    setting = [exactly(name, value, record.attrs[name]) for name, value in SETTING.items()]
    return lacking(*setting, exactly("steps", STEPS, int(record.step[-1])))


def _rank(record: xr.Dataset) -> Verdict:
    claim = f"d = 2: with +-sigma and two inputs the kernel has at most the rank {RANK}"
    if why := lacking(holding("depths", [2], record.depth.values)):
        return Verdict.not_judged(claim, why)
    shallow = record["rank"].isel(depth=0).max("run")
    return Verdict.below(
        claim,
        RANK,
        shallow.sel(law="signs").max(),
        or_equal=True,
        of="largest rank over runs and both networks",
        note=f"normal weights: {int(shallow.sel(law='gaussian').min())} of {record.attrs['samples']}; ranks with +-sigma at "
        f"d = {record.depth.values.tolist()}: GaLU {_ranks(record, 'GaLU')}, ReLU {_ranks(record, 'ReLU')} (medians)",
    )


def _ranks(record: xr.Dataset, net: str) -> list[int]:
    return [int(rank) for rank in record["rank"].sel(net=net, law="signs").median("run")]


def _depth(one: xr.Dataset, law: str) -> list[Verdict]:
    """What depth does to both networks, for one law of the weights."""
    name, depths, late = WORDS[law], one.depth.values, one.isel(step=-1)
    (galu, relu), errors = mean_and_error(late.recursion.transpose("net", "depth", "run").sel(net=["GaLU", "ReLU"]), "run")
    spread = late.spread.mean("run").transpose("net", "depth").sel(net=["GaLU", "ReLU"]).values
    note = f"mean |e|/|e_0| after {int(late.step)} steps, GaLU and ReLU, by depth: {_each(depths, galu, relu)}"
    return [
        Verdict.below(
            f"{name}: GaLU converges faster with every increase of depth",
            galu[0],
            galu[-1],
            error=CLEAR * np.hypot(errors[0, 0], errors[0, -1]),
            of=f"mean error at d = {depths[-1]}",
            kind="claim",
            source=SOURCE,
            note=note,
        ).and_below(0.0, np.diff(galu).max(), of="its largest change from one depth to the next"),
        Verdict.above(
            f"{name}: the spectrum of GaLU gets better with depth",
            spread[0, 0],
            spread[0, -1],
            of=f"trace over largest eigenvalue at d = {depths[-1]}",
            kind="claim",
            source=SOURCE,
            note=f"ReLU: {spread[1, 0]:.2f} to {spread[1, -1]:.2f}",
        ),
        Verdict.below(
            f"{name}: GaLU optimises better than ReLU at d = {depths[-1]}, by the recursion with the first kernel",
            relu[-1],
            galu[-1],
            error=CLEAR * np.hypot(*errors[:, -1]),
            of="mean error of GaLU",
            kind="claim",
            source=SOURCE,
            note=note,
        ),
        _trained(late, name),
    ]


def _trained(late: xr.Dataset, name: str) -> Verdict:
    """Both networks by gradient descent."""
    median = np.minimum(late.descent.median("trained_run"), FAR)
    galu, relu = (median.sel(net=net).values for net in ("GaLU", "ReLU"))
    return Verdict.below(
        f"{name}: GaLU optimises better than ReLU at d = {int(late.depth[-1])}, by gradient descent, whose kernel moves",
        relu[-1],
        galu[-1],
        of="median error of GaLU",
        kind="claim",
        source=SOURCE,
        note=f"{late.sizes['trained_run']} runs; medians of GaLU and ReLU, by depth: {_each(late.depth.values, galu, relu)}. "
        "Where K has grown, this rate is near the largest stable one, and errors rise and fall",
    )


def _each(depths: np.ndarray, galu: np.ndarray, relu: np.ndarray) -> str:
    return ", ".join(f"{d}: {a:.3g} and {b:.3g}" for d, a, b in zip(depths, galu, relu, strict=True))


def _wide(one: xr.Dataset, name: str) -> list[Verdict]:
    """Theory of wide networks, with gates of another network and with gates of their own, beside both."""
    deepest, width = int(one.depth[-1]), one.attrs["width"]
    near = f"{name}: GaLU and ReLU kernels have the likeness of samples that the limit of large width gives, up to d/w"
    cost = f"{name}: gates of its own make samples more alike at d = {deepest}, by as much as the limit gives, up to d/w"
    if why := lacking(at_least("width", WIDE * deepest, width)):
        return [Verdict.not_judged(claim, why, source=FUTURE) for claim in (near, cost)]
    return [_near_limit(one, near), _coupling(one, cost)]


def _near_limit(one: xr.Dataset, claim: str) -> Verdict:
    """Each run is laid beside the limit for its own inputs."""
    scale = one.attrs["width"] / one.depth.values
    away = (one.likeness - one.likeness_wide).transpose("net", "depth", "run")
    mean, error = (part * scale for part in mean_and_error(away, "run"))
    at = np.unravel_index(np.abs(mean).argmax(), mean.shape)
    means = [one[which].mean("run").transpose("depth", "net").values for which in ("likeness", "likeness_wide")]
    rows = zip(one.depth.values, *means, strict=True)
    text = ", ".join(f"{d}: {a[0]:.3f} ({b[0]:.3f}) and {a[1]:.3f} ({b[1]:.3f})" for d, a, b in rows)
    return Verdict.below(
        claim,
        1.0,
        abs(mean[at]),
        predicted=0.0,
        error=CLEAR * error[at],
        of="largest difference of mean cosines, over d/w,",
        source=FUTURE,
        note=f"mean cosine of two samples (limit in brackets), {' and '.join(map(str, one.net.values))}, by depth: {text}",
    )


def _coupling(one: xr.Dataset, claim: str) -> Verdict:
    """How much more alike samples are behind gates of the network itself, run by run."""
    deep = one.isel(depth=-1)
    cost, limit = (deep[which].sel(net="ReLU") - deep[which].sel(net="GaLU") for which in ("likeness", "likeness_wide"))
    (mean, error), spread = mean_and_error(cost, "run"), deep[["spread", "spread_wide"]].mean("run")
    parts = [f"{net} {float(spread.spread.sel(net=net)):.2f} ({float(spread.spread_wide.sel(net=net)):.2f})" for net in TABLE]
    return Verdict.within(
        claim,
        limit.mean(),
        mean,
        atol=int(deep.depth) / one.attrs["width"],
        of="mean cosine of ReLU less that of GaLU",
        source=FUTURE,
        note=f"+- {float(error):.3f} over {cost.sizes['run']} runs; trace over largest eigenvalue (limit): {', '.join(parts)}. "
        "With depth the limit of GaLU tends to a diagonal kernel, that of ReLU to a quarter of the diagonal everywhere else",
    ).and_above(0.0, mean, of="it", error=CLEAR * error)


def _table(record: xr.Dataset) -> list[Verdict]:
    out = []
    for net in record.net.values:
        one = record.sel(net=net, law="signs").isel(step=-1)
        for what, name in (("recursion", "|e_300|/|e_0|"), ("spread", "trace over largest eigenvalue")):
            claim = f"{net}, +-sigma: {name} agrees with an independent computation"
            if row := table_row(record, str(net), what):
                values = one[what].sel(depth=list(row)).transpose("depth", "run").values
                out.append(beside_table(f"{claim} at {len(row)} depths", values, row, RUNS))
            else:
                why = _unlike_table(record) or lacking(holding("depths", (2, 20), record.depth.values))
                out.append(Verdict.not_judged(claim, why, kind="regression"))
    return out
