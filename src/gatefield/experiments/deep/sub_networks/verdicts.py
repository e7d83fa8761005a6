"""What the record of `sub-networks` says of each claim."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.core.intervals import mean_interval, standard_error
from gatefield.experiments.deep.sub_networks.gates import MOST
from gatefield.experiments.deep.sub_networks.simulate import TAU
from gatefield.lab import Verdict, exceeds
from gatefield.lab.needs import Need, holding, lacking, undecided, unjudged

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
FEW = 0.01
"""A set of paths with less than this share of all paths is all but empty."""
SENSITIVE = "paper 004, section 3.1, sensitive sub-network"
ACTIVE = "paper 004, section 3.1, active sub-network"
GAIN = "paper 004, conceptual gain VI"
END = "paper 004, conclusion (iii)"
AT = f"(active: above {TAU:g}; steepness {BETA:g})"
HERE = f"(β = {BETA:g})"


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """What the record says of each claim."""
    there = lacking(holding("betas", [BETA], record.beta.values), holding("thresholds", [TAU], record.threshold.values))
    at = record.sel(beta=BETA, threshold=TAU, method="nearest")
    judged = [*_learning(at), *_spread(at), *_memory(at), *_little(at), _other_terms(at), *_adapting(at), _all_but_empty(at)]
    return [
        *unjudged(there, *undecided(_untrained(record, at), *judged)),
        _anywhere(record),
        *_sharper(record),
        *unjudged(there, _learned(at)),
    ]


def _learning(at: xr.Dataset) -> list[Verdict]:
    """Through which paths K^a goes: means over all records of a training."""
    found = {reading: at.trace_part.sel(reading=reading).mean("step") for reading in at.reading.values}
    label = {reading: at.label_part.sel(reading=reading).mean("step") for reading in at.reading.values}
    safe, middle = (float(at[name].mean()) for name in ("sensitive", "between"))
    density = found["between, any rest"] / at.between.mean(("step", "layer"))
    part, paths = float(found["safe"].mean()), "paths with one steep gate and the rest active"
    words: Any = {"of": "part of the trace of K^a, mean over records,", "kind": "claim"}
    return [
        _mean_above(
            "paths with one gate steeper than any active one and the rest active carry most of the kernel by which gates learn "
            f"{AT}",
            found["safe"],
            HALF,
            more=f"{100 * safe:.2g} % of gates are sensitive; of y'K^a y {_mean(label['safe'])}",
            source=SENSITIVE,
            found=f"{paths} carry {100 * part:.2g} % of the kernel by which gates learn",
            otherwise=f"{paths} carry only {100 * part:.2g} % of the kernel by which gates learn",
            **words,
        ),
        _mean_above(
            "paths with one gate between shut and active and the rest active carry most of the kernel by which gates learn "
            f"{AT}",
            found["between"],
            HALF,
            more=f"{middle:.0%} of gates are between; of y'K^a y {_mean(label['between'])}",
            source=SENSITIVE,
            **words,
        ),
        _mean_above(
            "gates between shut and active, whatever the rest of their path, carry most of the kernel by which gates learn "
            f"{AT}",
            found["between, any rest"],
            HALF,
            more=f"{middle:.0%} of gates are between; of y'K^a y {_mean(label['between, any rest'])}; K^a has "
            f"{float(at.gate_part.mean()):.0%} of the trace of the whole kernel",
            source=GAIN,
            **words,
        ).and_above(1.0, density.mean(), of="part of the trace over share of gates", error=_error(density)),
        _mean_above(
            f"most inputs have a path with one gate steeper than any active one and the rest active {AT}",
            1 - at.empty.sel(sensitive_by="safe").mean("step"),
            HALF,
            of="share of inputs, mean over records,",
            kind="claim",
            source=END,
        ),
    ]


def _spread(at: xr.Dataset) -> list[Verdict]:
    """Needs no threshold: how many of the steepest gates carry most of K^a."""
    needed = at.needed.mean("step")
    ends = " to ".join(f"{float(at.needed.isel(step=k).mean()):.2f}" for k in (0, -1))
    note = (
        f"from {ends} over the training; ranked by their parts {float(at.needed_least.mean()):.2f}; of y'K^a y "
        f"{float(at.needed_label.mean()):.2f}"
    )
    claim = f"less than half of all gates, the steepest, carry {MOST:.0%} of the kernel by which gates learn {AT}"
    words: Any = {"of": "share of gates, mean over records,", "error": _error(needed), "note": _over(needed, note)}
    return [Verdict.below(claim, HALF, needed.mean(), **words)]


def _memory(at: xr.Dataset) -> list[Verdict]:
    """What a trained network knows with some of its gates alone."""
    right = {kept: at.kept_accuracy.sel(split="training", kept=kept) for kept in at.kept.values}
    ratio = (right["active"] - 0.5) / (right["all"] - 0.5).clip(1e-6)
    note = "training accuracy: " + ", ".join(f"{kept} {100 * float(values.mean()):.1f} %" for kept, values in right.items())
    words: Any = {"kind": "claim", "source": ACTIVE}
    points: Any = {"scale": 100, "of": "difference of training accuracies in percentage points", "note": ""}
    alone = f"{100 * float(right['active'].mean()):.3g} %"
    return [
        _mean_above(
            f"the active gates of a trained network alone know what the whole network knows {AT}",
            ratio,
            HELD,
            of="accuracy above chance on training samples over that with all gates",
            more=note,
            found=f"active gates alone get {alone} right {HERE}",
            otherwise=f"active gates alone get {alone} right {HERE}",
            **words,
        ),
        Verdict.each(
            f"the active gates of a trained network alone know more than other gates do {AT}",
            {
                "all others alone": exceeds("", right["active"], right["rest"], **points),
                "as many at random": exceeds("", right["active"], right["random"], **points),
            },
            note=f"{note}; one-sided 95 % intervals",
            **words,
        ),
    ]


def slope_ratio(at: xr.Dataset, other: str) -> xr.DataArray:
    """Equation 6 on paths whose gates are all active, over that on other paths, for each seed: means over all records."""
    slope = at.path_slope.mean("step")
    return slope.sel(paths="active") / slope.sel(paths=other)


def _little(at: xr.Dataset) -> list[Verdict]:
    """Whether active paths matter in gate adaptation: equation 6 on them, against sensitive paths and against all."""
    near, usual = (slope_ratio(at, name) for name in ("sensitive", "all"))
    words: Any = {"kind": "claim", "source": ACTIVE}
    part = f"paths of active gates have {float(near.mean()):.2f} of the slope of those with one gate between"
    return [
        Verdict.below(
            "the slope of a path's activity in the gates' weights (paper 004, equation 6) is close to 0 on paths whose gates "
            f"are all active {AT}",
            CLOSE,
            near.mean(),
            of="root mean square length over that of paths with one gate between and the rest active",
            error=_error(near),
            note=_over(near),
            more_found=f"{part}, close to 0",
            more_otherwise=f"{part}, not 0",
            **words,
        ),
        Verdict.below(
            f"paths whose gates are all active matter less in gate adaptation than other paths do {AT}",
            1.0,
            usual.mean(),
            of="root mean square length of equation 6 over that of all paths",
            error=_error(usual),
            note=_over(usual, "an active path has large gates beside the one that moves, a common path small ones"),
            **words,
        ),
    ]


def _other_terms(at: xr.Dataset) -> Verdict:
    """Whether the active gates of a sensitive path contribute less to equation 6 than the one that is between."""
    claim = (
        "on paths with one gate between and the rest active, the other gates give less to the slope of the path's activity "
        f"(paper 004, equation 6) than that one {AT}"
    )
    words: Any = {"kind": "claim", "source": SENSITIVE}
    if "others" not in at.paths.values:
        why = "needs single terms of equation 6, which this record was made without; run with --fresh"
        return Verdict.not_judged(claim, why, **words)
    slope = at.path_slope.mean("step")
    ratio = slope.sel(paths="others") / slope.sel(paths="own")
    return Verdict.below(
        claim,
        1.0,
        ratio.mean(),
        of="root mean square length of the sum of the others over that of its own",
        error=_error(ratio),
        note=_over(ratio, f"{at.attrs['depth'] - 2} others"),
        **words,
    )


def _adapting(at: xr.Dataset) -> list[Verdict]:
    """Which gates stay and which move."""
    first = {"step": 0}
    common, chance = at.overlap.isel(first), at.overlap_chance.isel(first)
    beyond = (common - chance) / (1 - chance)
    active, between = (beyond.sel(set=name) for name in ("active", "between"))
    note = ", ".join(f"{name} {float(common.sel(set=name).mean()):.2f}" for name in ("active", "between"))
    by_chance = ", ".join(f"{float(chance.sel(set=name).mean()):.2f}" for name in ("active", "between"))
    moved, held = (at[name].sel(kind="between") for name in ("moved", "held"))
    return [
        exceeds(
            f"gates that are active at the start stay so more than those between shut and active {AT}",
            active,
            between,
            of="difference of overlaps of start and end, beyond chance",
            note=f"gates in both over gates in either: {note}; by chance {by_chance}",
            kind="claim",
            source=END,
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


def _all_but_empty(at: xr.Dataset) -> Verdict:
    """Whether paths with one sensitive gate and active ones else are few; at the record with most, its interval widened."""
    share = at.path_share.sel(sub_network="safe")
    most = share.isel(step=int(share.mean("seed").argmax("step")))
    active, middle = (100 * float(at.path_share.sel(sub_network=name).mean()) for name in ("active", "between"))
    more = (
        f"largest of {share.sizes['step']} records, at epoch {float(most.epoch):g}, the interval is widened for the choice; "
        f"mean over records {100 * float(share.mean()):.2g} %, of paths of active gates {active:.2g} %, with one gate between "
        f"and the rest active {middle:.2g} %"
    )
    return Verdict.below(
        f"paths with one gate steeper than any active one and the rest active are all but none at any record {AT}",
        100 * FEW,
        100 * most.mean(),
        of="largest share of all paths in percent, mean over samples and seeds,",
        error=100 * _error(most, share.sizes["step"]),
        note=_over(most, more),
    )


def _anywhere(record: xr.Dataset) -> Verdict:
    """The largest part over all thresholds and steepnesses of the record; its interval is widened for the choice."""
    part = record.trace_part.sel(reading="safe").mean("step")
    best = part.isel(part.mean("seed").argmax(("beta", "threshold")))  # pyright: ignore[reportArgumentType]
    there = 100 * float(record.sensitive.sel(beta=best.beta, threshold=best.threshold).mean())
    places = record.sizes["beta"] * record.sizes["threshold"]
    return _mean_above(
        "for some threshold of active gates and some steepness, paths with one gate steeper than any active one and the rest "
        "active carry most of the kernel by which gates learn",
        best,
        HALF,
        choices=places,
        of="largest part of the trace of K^a, mean over records,",
        more=f"largest of {places}, at tau_A = {float(best.threshold):g}, beta = {float(best.beta):g}: {there:.2g} % of gates "
        "are sensitive; the interval is widened for the choice",
        kind="claim",
        source=SENSITIVE,
    )


def _sharper(record: xr.Dataset) -> list[Verdict]:
    """From the least steepness to the largest, fewer gates carry K^a, and the active ones alone know more."""
    needed = record.needed.mean("step")
    known = record.kept_accuracy.sel(split="training", kept="active").sel(threshold=TAU, method="nearest")
    few = Need("two betas or more", f"{record.sizes['beta']}", {"betas": [1.0, BETA]}) if record.sizes["beta"] < 2 else None
    fewer = exceeds(
        f"the steeper gates are, the fewer of them carry {MOST:.0%} of the kernel by which they learn",
        needed.isel(beta=0),
        needed.isel(beta=-1),
        of="fall of the share of gates from the least beta to the largest",
        note=_by_beta(needed),
    )
    more = exceeds(
        f"the steeper gates are, the more the active ones alone know (active: above {TAU:g})",
        known.isel(beta=-1),
        known.isel(beta=0),
        scale=100,
        of="gain of training accuracy from the least beta to the largest, in percentage points",
        note=_by_beta(known),
    )
    there = holding("thresholds", [TAU], record.threshold.values)
    return [*unjudged(lacking(few), fewer), *unjudged(lacking(few, there), more)]


def _by_beta(values: xr.DataArray) -> str:
    return ", ".join(f"beta {float(beta):g}: {_mean(values.sel(beta=beta))}" for beta in values.beta.values)


def _mean(values: xr.DataArray) -> str:
    """Mean over seeds, and its standard error."""
    found = np.asarray(values, float).ravel()
    return f"{found.mean():.3f}" + (f" ± {standard_error(found):.3f}" if len(found) > 1 else "")


def _learned(at: xr.Dataset) -> Verdict:
    end = at.train_accuracy.isel(step=-1)
    note = f"on test samples {_mean(at.test_accuracy.isel(step=-1))}; loss {float(at.loss.isel(step=-1).mean()):.2g}"
    words: Any = {"of": "training accuracy, mean over seeds,", "kind": "control", "note": _over(end, note)}
    claim = f"the soft-GaLU network has learned its training samples (steepness {BETA:g})"
    return Verdict.above(claim, LEARNED, end.mean(), error=_error(end), **words)


def _untrained(record: xr.Dataset, at: xr.Dataset) -> str:
    """Why claims on training cannot be decided, if the network has not learned."""
    right = float(at.train_accuracy.isel(step=-1).mean())
    need = Need(f"a training accuracy of {LEARNED:g}", f"{right:.3g}", {"epochs": 4 * int(record.attrs["epochs"])})
    return lacking(None if right >= LEARNED else need)


def _mean_above(claim: str, values: xr.DataArray, bound: float, *, more: str = "", choices: int = 1, **words: Any) -> Verdict:
    """Whether the mean over seeds is above a bound, by more than half its 95 % interval."""
    return Verdict.above(claim, bound, values.mean(), error=_error(values, choices), note=_over(values, more), **words)


def _over(values: xr.DataArray, more: str = "") -> str:
    """What the error is, and more."""
    return "; ".join(filter(None, (f"error: half of the 95 % interval over {values.sizes['seed']} seeds", more)))


def _error(values: xr.DataArray, choices: int = 1) -> float:
    """Half of Student's 95 % interval over seeds; of all intervals together where one was chosen out of many."""
    found = mean_interval(values.values, 1 - 0.05 / choices)
    return found.high - found.mean
