"""Which of all gates are best on a small cube, and how diagonal is their precision matrix?"""

from typing import Annotated, Any

import jax
import numpy as np
import xarray as xr
from pydantic import Field

from gatefield.core.grid import Grid
from gatefield.experiments.gates.all_gates import sets
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, LengthScale, Seed
from gatefield.theory.gated_linear import BestGates, Posterior, best_gates, listed_moments
from gatefield.theory.hypercube import corners

Pairs = Annotated[tuple[tuple[LengthScale, LengthScale], ...], Field(min_length=1)]
Sizes = Annotated[tuple[Annotated[int, Field(ge=3, le=5)], ...], Field(min_length=1)]
Units = Annotated[tuple[Annotated[int, Field(ge=1, le=3)], ...], Field(min_length=1)]


class Settings(Parameters):
    """Rings of several sizes, numbers of gates, and pairs (xi1, xi0) of length scales, the positive class first.

    Sets of gates are all listed up to `most_listed` of them, their order aside; of more, `drawn` sets are drawn. Half-spaces
    are listed up to that number too. The search for the best of all gates looks at `most_nodes` nodes before it gives up.
    One and two gates it settles within seconds; three gates on four sites or more it does not. `shown` sets are kept for the
    figure.
    """

    sizes: Sizes = (3, 4, 5)
    units: Units = (1, 2)
    pairs: Pairs = ((1.5, 0.7), (2.0, 1.0), (3.0, 1.0), (0.7, 1.5), (1.0, 2.0))
    most_listed: Count = 300_000
    drawn: Count = 100_000
    most_nodes: Count = 2_000_000
    shown: Count = 4_000
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    cells = Grid(pair=_names(p), size=p.sizes, units=p.units)
    found = [_cell(p, *pair, n, K) for pair in p.pairs for n in p.sizes for K in p.units]
    data: dict[str, Any] = {
        name: ((*cells.axes, *dims), cells.fold([one[name][1] for one in found]), {"long_name": text})
        for name, (dims, _, text) in found[0].items()
    }
    coords = {"xi1": ("pair", [pair[0] for pair in p.pairs]), "xi0": ("pair", [pair[1] for pair in p.pairs])}
    settings = {"most_listed": p.most_listed, "most_nodes": p.most_nodes, "drawn": p.drawn}
    return xr.Dataset(data, {**cells.coords, **coords}, {"kind": "theory", **settings})


def _names(p: Settings) -> list[str]:
    return [f"{xi1:g}, {xi0:g}" for xi1, xi0 in p.pairs]


def _cell(p: Settings, xi1: float, xi0: float, n: int, K: int) -> dict[str, Any]:
    """One law on one cube, with one number of gates; each variable with its axes and its words."""
    data = sets.law(n, xi1, xi0)
    kinds = ("any", "exclusive", "tiling")
    best, exclusive, tiling = (best_gates(corners(n), *data, K, overlap=kind, most=p.most_nodes) for kind in kinds)
    most, half = (max(p.sizes), max(p.units)), sets.best_half_spaces(n, K, data, p.most_listed)
    found = _measured(p, n, K, data)
    families = {"tiling": tiling.explained, "exclusive": exclusive.explained, "half_spaces": half}
    return {
        "bayes": ((), data.explained, "explained by the mean label, which no function of the inputs exceeds"),
        "best": ((), best.explained, "explained by the best gates"),
        "upper": ((), best.upper, "what no gates exceed"),
        "nodes": ((), float(best.nodes), "nodes of the search"),
        "exclusive": ((), exclusive.explained, "explained by the best gates of which at most one is open"),
        "tiling": ((), tiling.explained, "explained by the best gates of which exactly one is open"),
        "half_spaces": ((), half, "explained by the best half-spaces"),
        "overlap": ((), float(data.chances @ (best.gates.sum(1) > 1)), "probability that more than one of the best is open"),
        "against_rule": ((), _against_rule(best, n, data), "corners where a single gate is not 0 < <w, x> < 2 r"),
        "best_gates": (("corner", "unit"), _padded(best.gates, (2 ** most[0], most[1])), "whether the best gates are open"),
        "chances": (("corner",), _padded(data.chances, (2 ** most[0],)), "probability of the corner"),
        "means": (("corner",), _padded(data.means, (2 ** most[0],)), "mean label of the corner"),
        **{f"above_{name}": ((), _above(found, worth), "share of sets that explain more") for name, worth in families.items()},
        **_among_all(p, found, sets.measured(best.gates[None], n, data)),
        "every": ((), float(_all_listed(p, n, K)), "whether these are all"),
    }


def _all_listed(p: Settings, n: int, K: int) -> bool:
    return sets.count(2**2**n, K) <= p.most_listed


def _measured(p: Settings, n: int, K: int, data: Posterior) -> sets.Measured:
    """All sets of gates, or those drawn."""
    every = _all_listed(p, n, K)
    gates = sets.combined(sets.every_gate(2**n), K) if every else sets.drawn(2**n, K, p.drawn, jax.random.key(p.seed))
    return sets.measured(gates, n, data)


def _above(found: sets.Measured, worth: float) -> float:
    """Which share of the sets explains more; NaN if that is not known."""
    return float(np.mean(found.explained > worth + sets.SAME)) if np.isfinite(worth) else float("nan")


def _against_rule(best: BestGates, n: int, data: Posterior) -> float:
    """At how many corners one gate is open or shut against the rule of the best one; NaN for several gates."""
    if best.gates.shape[1] > 1:
        return float("nan")
    A, b = listed_moments(best.gates, corners(n), *data)
    height = corners(n) @ (np.linalg.pinv(A, rcond=sets.NULL, hermitian=True) @ b)
    wanted = (height > sets.SAME) & (height < 2 * data.means)
    edge = (abs(height) < sets.SAME) | (abs(height - 2 * data.means) < sets.SAME)
    return float(np.sum((wanted != best.gates[:, 0]) & ~edge))


def _among_all(p: Settings, found: sets.Measured, won: sets.Measured) -> dict[str, Any]:
    """The best gates among these sets: by what they explain, and by how diagonal A^+ is."""
    kept = found.regular
    shown = np.flatnonzero(kept)[:: max(1, -(-int(kept.sum()) // p.shown))]
    out: dict[str, Any] = {
        "listed": ((), float(len(kept)), "sets of gates that were measured"),
        "listed_best": ((), float(found.explained.max()), "explained by the best of them"),
        "regular": ((), float(kept.mean()), "share of them whose A has an inverse"),
        "shown_explained": (("shown",), _padded(found.explained[shown], (p.shown,)), "explained by some of them"),
    }
    for name in ("entries", "blocks"):
        out |= _diagonal(name, getattr(found, name)[kept], found.explained[kept], float(getattr(won, name)[0]))
        out[f"shown_{name}"] = (("shown",), _padded(getattr(found, name)[shown], (p.shown,)), f"their {name} off the diagonal")
    return out


def _diagonal(name: str, weight: np.ndarray, explained: np.ndarray, own: float) -> dict[str, Any]:
    """How what is off the diagonal of A^+ goes with what is explained, over sets whose A has an inverse; NaN without any."""
    if not len(weight):  # as for nine weights on eight corners
        weight, explained = np.full((2, 1), np.nan)
    least = ~(weight > weight.min() + sets.SAME)
    return {
        f"rank_{name}": ((), sets.rank_correlation(explained, weight), f"rank correlation of explained with {name}"),
        f"own_{name}": ((), own, f"share of the norm of A^+ in {name} off the diagonal, best gates"),
        f"place_{name}": (
            (),
            float(np.mean(np.where(np.isnan(weight), np.nan, weight < own - sets.SAME))),
            "share of sets with less",
        ),
        f"least_{name}": ((), float(weight.min()), "the least of all sets"),
        f"least_{name}_explained": ((), float(explained[least].max()), "explained by the best of those with the least"),
    }


def _padded(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """With NaN behind, up to a shape."""
    out = np.full(shape, np.nan)
    out[tuple(slice(0, size) for size in np.shape(values))] = values
    return out
