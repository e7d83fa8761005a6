"""What the record of `where` says."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from gatefield.experiments.gates.where.hits import FEW, NEAR, OTHERS, gain_over_chosen, hits, localized, network, rate
from gatefield.experiments.gates.where.predictors import CHOSEN, PREDICTORS, TOGETHER
from gatefield.lab.verdict import Verdict
from gatefield.plot import gain_text

NOISE = 0.05 / 1_000
"""Learning rate over batch size in the exploratory runs; with more noise, the place is harder to tell."""
EXPLORED = 0.94
"""Share of hits of the chosen predictor in 16 exploratory runs, gains 1 to 100, length scales 2 and 1."""
TABLE = {(2.0, 1.0, 1.0): 0.83, (2.0, 1.0, 3.0): 0.82, (2.0, 1.0, 100.0): 0.77, (3.0, 1.0, 3.0): 0.90}
"""The same in an exploratory study of the flow on 60 starts, for (xi1, xi0, gain)."""


def verdicts(record: xr.Dataset) -> Sequence[Verdict]:
    """Each claim with its numbers."""
    neuron, committee = (network(record, name) for name in ("neuron", "committee"))
    return [
        _everywhere(neuron),
        *_explored(neuron),
        _best("neuron", neuron),
        _best("committee", committee),
        _alike(neuron, committee),
        _others_matter(committee),
        _ceiling(neuron),
        _sign(neuron),
    ]


def _chosen(part: xr.Dataset) -> xr.DataArray:
    return hits(part).sel(predictor=CHOSEN)


def _counts(part: xr.Dataset) -> str:
    """How many units count, and how many were left out."""
    counted = localized(part)
    text = f"{int(counted.sum())} of {counted.size} units localized and count"
    return f"{text}; with all of them it is {float(_chosen(part).mean()):.3f}"


def _everywhere(part: xr.Dataset) -> Verdict:
    """The setting where the chosen predictor does worst."""
    counted, hit = localized(part), _chosen(part)
    found, few = {}, FEW if counted.sizes["seed"] >= FEW else 1
    for s, pair in enumerate(part.pair.values):
        for g, gain in enumerate(part.gain.values):
            if int(counted[s, g].sum()) >= few:
                found[f"({pair}), gain {gain_text(gain)}"] = rate(hit[s, g], counted[s, g])
    overall = rate(hit, counted)
    where, worst = min(found.items(), key=lambda item: item[1].mean, default=("none", overall))
    return Verdict.judged(
        f"one neuron: the largest |Sigma_1 w(0)| tells the place more often than not, wherever {few} or more localize",
        0.5,
        worst.mean,
        f"share of hits within {NEAR} site, the lower end of its 95 % interval above 0.5",
        worst.low > 0.5,
        f"the worst setting, {where}: {_interval(worst)}. All settings together: {_interval(overall)}; chance is "
        f"{3 / part.attrs['n']:.3g}. {_counts(part)}",
    )


def _explored(part: xr.Dataset) -> list[Verdict]:
    """What exploratory runs gave, on the settings they share with this record."""
    pairs = list(zip(part.xi1.values, part.xi0.values, strict=True))
    if part.attrs["n"] != 40 or part.attrs["noise"] > NOISE or (2.0, 1.0) not in pairs:
        return []
    counted, hit = localized(part), _chosen(part)
    gains = (part.gain.values >= 1) & (part.gain.values <= 100)
    cell = {"pair": pairs.index((2.0, 1.0)), "gain": gains}
    found = rate(hit.isel(cell), counted.isel(cell))
    out = [
        Verdict.judged(
            "one neuron, length scales 2 and 1, gains 1 to 100: it hits as often as in 16 exploratory runs",
            EXPLORED,
            found.mean,
            "the exploratory share within the 95 % interval",
            found.low <= EXPLORED <= found.high,
            _interval(found),
        )
    ]
    cells = [
        (pairs.index(key[:2]), part.gain.values.tolist().index(key[2]), share)
        for key, share in TABLE.items()
        if key[:2] in pairs and key[2] in part.gain.values
    ]
    same = rate(_pick(hit, cells), _pick(counted, cells))
    expected = float(np.mean([share for *_, share in cells]))
    each = ", ".join(f"{rate(hit[s, g], counted[s, g]).mean:.2f} (was {share:.2f})" for s, g, share in cells)
    out.append(
        Verdict.judged(
            "one neuron: it hits as often as in a study of the flow on 60 starts",
            expected,
            same.mean,
            "within 0.09, the uncertainty of that study",
            abs(same.mean - expected) <= 0.09,
            f"setting by setting {each}; together {_interval(same)}",
        )
    )
    return out


def _pick(values: xr.DataArray, cells: list[Any]) -> xr.DataArray:
    return xr.concat([values[s, g] for s, g, *_ in cells], dim="setting", join="override", coords="minimal", compat="override")


def _best(name: str, part: xr.Dataset) -> Verdict:
    """Whether any other predictor hits more often on the same units."""
    more = {other: gain_over_chosen(part, other) for other in OTHERS}
    best = max(more, key=lambda other: more[other].mean)
    each = "; ".join(f"{other}: {x.mean:+.3f} ({x.low:+.3f} to {x.high:+.3f})" for other, x in more.items())
    shares = "; ".join(f"{any_}: {_interval(rate(hits(part).sel(predictor=any_), localized(part)))}" for any_ in PREDICTORS)
    return Verdict.judged(
        f"{name}: no other predictor beats |Sigma_1 w(0)|",
        0.0,
        more[best].mean,
        "share of hits above the chosen predictor's, on the same units; no interval above 0 (5 % for all together)",
        all(x.low <= 0 for x in more.values()),
        f"the best other is {best}. Hits, all settings together: {shares}. Differences: {each}. {_counts(part)}",
    )


def _alike(neuron: xr.Dataset, committee: xr.Dataset) -> Verdict:
    one, many = (rate(_chosen(part), localized(part)) for part in (neuron, committee))
    limit = rate(committee.again_distance <= NEAR, committee.again_ipr > 6 / committee.attrs["n"])
    return Verdict.judged(
        "in a committee it tells the place as often as for one neuron",
        one.mean,
        many.mean,
        "the 95 % intervals overlap",
        one.low <= many.high and many.low <= one.high,
        f"committee {_interval(many)}, neuron {_interval(one)}. {_counts(committee)}. Two trainings of a committee "
        f"from the same start agree in {limit.mean:.3f} of units",
    )


def _others_matter(part: xr.Dataset) -> Verdict:
    more = gain_over_chosen(part, TOGETHER)
    found = rate(hits(part).sel(predictor=TOGETHER), localized(part))
    return Verdict.judged(
        "in a committee the place depends on the other units: their joint flow tells it better than a unit's own start",
        0.0,
        more.mean,
        "share of hits above that of |Sigma_1 w(0)|, its interval above 0",
        more.low > 0,
        f"difference {more.mean:+.3f} ({more.low:+.3f} to {more.high:+.3f}); the flow on Gaussian data hits {_interval(found)}",
    )


def _ceiling(part: xr.Dataset) -> Verdict:
    found = rate(_chosen(part), localized(part))
    limit = rate(part.again_distance <= NEAR, part.again_ipr > 6 / part.attrs["n"])
    return Verdict.judged(
        "one neuron: it hits as often as minibatch noise allows",
        limit.mean,
        found.mean,
        "the 95 % intervals overlap",
        found.high >= limit.low,
        f"expected: how often two trainings from the same start agree, {_interval(limit)}. Measured: {_interval(found)}",
    )


def _sign(part: xr.Dataset) -> Verdict:
    counted = localized(part)
    right = {name: rate(part.sign_right.sel(predictor=name), counted) for name in PREDICTORS}
    near = rate(part.sign_right.sel(predictor=CHOSEN), counted & _chosen(part))
    return Verdict.judged(
        "one neuron: it tells the sign of the peak",
        0.8,
        right[CHOSEN].mean,
        "share of right signs at least 0.8",
        right[CHOSEN].mean >= 0.8,
        f"{_interval(right[CHOSEN])}, and {near.mean:.3f} where the place is right. By chance 0.5. The others: "
        + ", ".join(f"{name} {right[name].mean:.3f}" for name in OTHERS),
    )


def _interval(found: Any) -> str:
    return f"{found.mean:.3f} (95 % interval {found.low:.3f} to {found.high:.3f})"
