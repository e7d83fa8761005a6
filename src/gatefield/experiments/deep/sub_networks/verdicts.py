"""What the record of `sub-networks` says of each claim."""

from collections.abc import Sequence
from typing import Any

import xarray as xr

from gatefield.core.intervals import mean_interval
from gatefield.experiments.by_seed import seeds_text
from gatefield.experiments.deep.digits.verdicts import exceeds
from gatefield.experiments.deep.sub_networks.gates import MOST
from gatefield.experiments.deep.sub_networks.simulate import TAU
from gatefield.experiments.needs import Need, holding, lacking, undecided, unjudged
from gatefield.lab import Verdict

BETA = 4.0
"""The steepness at which claims are judged: that of the paper's experiments 3 and 4."""
HALF = 0.5
"""What carries learning carries more than half of the kernel, or of all movement."""
CLOSE = 0.1
"""What is close to 0 is at most a tenth of what is not."""
HELD = 0.9
"""What holds the memory has at least this part of the accuracy above chance."""
LEARNED = 0.95
"""The training accuracy from which on a network has something to remember."""
ROUNDING = 1e-9
"""Far above that of sums in float64."""
SENSITIVE = "paper 004, section 3.1, sensitive sub-network"
ACTIVE = "paper 004, section 3.1, active sub-network"
GAIN = "paper 004, conceptual gain VI"
AT = f"(tau_A = {TAU:g}, beta = {BETA:g})"


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    there = lacking(holding("betas", [BETA], record.beta.values), holding("thresholds", [TAU], record.threshold.values))
    at = record.sel(beta=BETA, threshold=TAU, method="nearest")
    judged = [*_learning(at), *_spread(at), *_memory(at), *_adapting(at)]
    return [
        *unjudged(there, *undecided(_untrained(record, at), *judged)),
        _anywhere(record),
        *_sharper(record),
        *unjudged(there, _learned(at)),
        _sums(record),
    ]


def _learning(at: xr.Dataset) -> list[Verdict]:
    """Through which paths K^a goes: means over all records of a training."""
    found = {reading: at.trace_part.sel(reading=reading).mean("step") for reading in at.reading.values}
    label = {reading: at.label_part.sel(reading=reading).mean("step") for reading in at.reading.values}
    layers = ", ".join(f"{100 * float(share):.2g}" for share in at.sensitive.mean(("seed", "step")))
    safe, middle = (float(at[name].mean()) for name in ("sensitive", "between"))
    density = found["between, any rest"] / at.between.mean(("step", "layer"))
    words: Any = {"of": "part of the trace of K^a, mean over records,", "kind": "claim"}
    return [
        _mean_above(
            f"paths with one gate above the safe tau_S and the rest active carry most of K^a {AT}",
            found["safe"],
            HALF,
            more=f"{100 * safe:.2g} % of gates are sensitive, by layer {layers} %; of y'K^a y {seeds_text(label['safe'])}",
            source=SENSITIVE,
            **words,
        ),
        _mean_above(
            f"paths with one gate between shut and active and the rest active carry most of K^a {AT}",
            found["between"],
            HALF,
            more=f"{middle:.0%} of gates are between; of y'K^a y {seeds_text(label['between'])}",
            source=SENSITIVE,
            **words,
        ),
        _mean_above(
            f"gates between shut and active, whatever the rest of their path, carry most of K^a {AT}",
            found["between, any rest"],
            HALF,
            more=f"{middle:.0%} of gates are between; of y'K^a y {seeds_text(label['between, any rest'])}; K^a itself has "
            f"{float(at.gate_part.mean()):.0%} of the trace of the whole kernel",
            source=GAIN,
            **words,
        ).and_above(1.0, density.mean(), of="part of the trace over share of gates", error=_error(density)),
        _mean_above(
            f"most inputs have a sensitive sub-network beside their active one {AT}",
            1 - at.empty.sel(sensitive_by="safe").mean("step"),
            HALF,
            of="share of inputs with a path of one gate above the safe tau_S and the rest active, mean over records,",
            kind="claim",
            source="paper 004, conclusion (iii)",
        ),
    ]


def _spread(at: xr.Dataset) -> list[Verdict]:
    needed = at.needed.mean("step")
    ends = " to ".join(f"{float(at.needed.isel(step=k).mean()):.3f}" for k in (0, -1))
    note = (
        f"from {ends} over the training; of y'K^a y {float(at.needed_label.mean()):.3f}; ranked by their parts "
        f"{float(at.needed_least.mean()):.3f}; effective share {float(at.effective.mean()):.3f}"
    )
    claim = f"without any threshold: less than half of all gates, the steepest, carry {MOST:.0%} of the trace of K^a {AT}"
    of = "share of gates, mean over records,"
    words: Any = {"of": of, "error": _error(needed), "note": f"{seeds_text(needed)}; {note}"}
    return [Verdict.below(claim, HALF, needed.mean(), **words)]


def _memory(at: xr.Dataset) -> list[Verdict]:
    """What a trained network knows with some of its gates alone."""
    found = {kept: at.kept_accuracy.sel(split="training", kept=kept) for kept in at.kept.values}
    ratio = (found["active"] - 0.5) / (found["all"] - 0.5).clip(1e-6)
    test = at.kept_accuracy.sel(split="test").mean("seed")
    likeness = at.kept_likeness.sel(split="training").mean("seed")
    note = "; ".join(
        f"{kept} {100 * float(found[kept].mean()):.1f} % (test {100 * float(test.sel(kept=kept)):.1f} %, correlation "
        f"{float(likeness.sel(kept=kept)):.2f})"
        for kept in found
    )
    words: Any = {"kind": "claim", "source": ACTIVE}
    points: Any = {"scale": 100, "of": "difference of training accuracies in percentage points", "note": note, **words}
    return [
        _mean_above(
            f"the active gates alone know what the trained network knows {AT}",
            ratio,
            HELD,
            of="accuracy above chance on training samples over that with all gates",
            more=note,
            **words,
        ),
        exceeds(f"the active gates alone know more than all others alone {AT}", found["active"], found["rest"], **points),
        exceeds(f"the active gates alone know more than as many at random {AT}", found["active"], found["random"], **points),
        _small_slope(at),
    ]


def _small_slope(at: xr.Dataset) -> Verdict:
    slope = at.path_slope.mean("step")
    ratio = slope.sel(paths="active") / slope.sel(paths="sensitive")
    other = (slope.sel(paths="active") / slope.sel(paths="all")).mean()
    return Verdict.below(
        f"equation 6 is close to 0 on active paths {AT}",
        CLOSE,
        ratio.mean(),
        of="root mean square length over active paths over that of sensitive ones",
        error=_error(ratio),
        kind="claim",
        source=ACTIVE,
        note=f"{seeds_text(ratio)}; over that of all paths {float(other):.3g}",
    )


def _adapting(at: xr.Dataset) -> list[Verdict]:
    """Which gates stay and which move."""
    first = {"step": 0}
    common, chance = at.overlap.isel(first), at.overlap_chance.isel(first)
    beyond = (common - chance) / (1 - chance)
    active, between = (beyond.sel(set=name) for name in ("active", "between"))
    note = ", ".join(f"{name} {float(common.sel(set=name).mean()):.3f}" for name in ("active", "between"))
    by_chance = ", ".join(f"{float(chance.sel(set=name).mean()):.3f}" for name in ("active", "between"))
    moved, held = (at[name].sel(kind="between") for name in ("moved", "held"))
    return [
        exceeds(
            f"gates that are active at the start stay so more than those between shut and active {AT}",
            active,
            between,
            of="difference of overlaps of start and end, beyond chance",
            note=f"gates in both over gates in either: {note}; by chance {by_chance}",
            kind="claim",
            source="paper 004, conclusion (iii)",
        ),
        _mean_above(
            f"the gates that adapt are those between shut and active {AT}",
            moved,
            HALF,
            of="their share of all squared changes of gates",
            more=f"they are {float(held.mean()):.0%} of gates",
            kind="claim",
            source=GAIN,
        ).and_above(1.0, (moved / held).mean(), of="share of changes over share of gates", error=_error(moved / held)),
    ]


def _anywhere(record: xr.Dataset) -> Verdict:
    """The largest part over all thresholds and steepnesses of the record; its interval is widened for the choice."""
    part = record.trace_part.sel(reading="safe").mean("step")
    best = part.isel(part.mean("seed").argmax(("beta", "threshold")))  # pyright: ignore[reportArgumentType]
    there = 100 * float(record.sensitive.sel(beta=best.beta, threshold=best.threshold).mean())
    places = record.sizes["beta"] * record.sizes["threshold"]
    return _mean_above(
        "at some tau_A and beta, paths with one gate above the safe tau_S and the rest active carry most of K^a",
        best,
        HALF,
        choices=places,
        of="largest part of the trace of K^a, mean over records,",
        more=f"the largest of {places}, at tau_A = {float(best.threshold):g}, beta = {float(best.beta):g}, where {there:.2g} % "
        "of gates are sensitive",
        kind="claim",
        source=SENSITIVE,
    )


def _sharper(record: xr.Dataset) -> list[Verdict]:
    """From the least steepness to the largest, fewer gates carry K^a, and the active ones alone know more."""
    needed = record.needed.mean("step")
    known = record.kept_accuracy.sel(split="training", kept="active").sel(threshold=TAU, method="nearest")
    few = Need("two betas or more", f"{record.sizes['beta']}", {"betas": [1.0, BETA]}) if record.sizes["beta"] < 2 else None
    words: Any = {"kind": "claim", "source": "paper 004, section 3.1, role of beta"}
    fewer = exceeds(
        f"the steeper gates are, the fewer of them carry {MOST:.0%} of the trace of K^a",
        needed.isel(beta=0),
        needed.isel(beta=-1),
        of="fall of the share of gates from the least beta to the largest",
        note=_by_beta(needed),
        **words,
    )
    more = exceeds(
        f"the steeper gates are, the more the active ones alone know (tau_A = {TAU:g})",
        known.isel(beta=-1),
        known.isel(beta=0),
        scale=100,
        of="gain of training accuracy from the least beta to the largest, in percentage points",
        note=_by_beta(known),
        **words,
    )
    there = holding("thresholds", [TAU], record.threshold.values)
    return [*unjudged(lacking(few), fewer), *unjudged(lacking(few, there), more)]


def _by_beta(values: xr.DataArray) -> str:
    return ", ".join(f"beta {float(beta):g}: {seeds_text(values.sel(beta=beta))}" for beta in values.beta.values)


def _learned(at: xr.Dataset) -> Verdict:
    end = at.train_accuracy.isel(step=-1)
    test = seeds_text(at.test_accuracy.isel(step=-1))
    note = f"{seeds_text(end)}; on test samples {test}; loss {float(at.loss.isel(step=-1).mean()):.2g}"
    words: Any = {"of": "training accuracy, mean over seeds,", "kind": "control", "note": note}
    return Verdict.above(f"the network has learned its training samples (beta = {BETA:g})", LEARNED, end.mean(), **words)


def _untrained(record: xr.Dataset, at: xr.Dataset) -> str:
    """Why claims on training cannot be decided, if the network has not learned."""
    right = float(at.train_accuracy.isel(step=-1).mean())
    need = Need(f"a training accuracy of {LEARNED:g}", f"{right:.3g}", {"epochs": 4 * int(record.attrs["epochs"])})
    return lacking(None if right >= LEARNED else need)


def _sums(record: xr.Dataset) -> Verdict:
    return Verdict.below(
        "the parts of all gates add up to the trace of K^a",
        ROUNDING,
        record.off.max(),
        predicted=0.0,
        of="largest relative difference",
        kind="control",
        note="over all steepnesses, seeds and records",
    )


def _mean_above(claim: str, values: xr.DataArray, bound: float, *, more: str = "", choices: int = 1, **words: Any) -> Verdict:
    """Whether the mean over seeds is above a bound, by more than half its 95 % interval."""
    note = "; ".join(filter(None, (seeds_text(values), more)))
    return Verdict.above(claim, bound, values.mean(), error=_error(values, choices), note=note, **words)


def _error(values: xr.DataArray, choices: int = 1) -> float:
    """Half of Student's 95 % interval over seeds; of all intervals together where one was chosen out of many."""
    found = mean_interval(values.values, 1 - 0.05 / choices)
    return found.high - found.mean
