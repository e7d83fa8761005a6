"""How far the tangent kernel of one network is from its mean: exact moments, sampled ones, and the printed bound."""

from typing import Annotated, Any

import numpy as np
import xarray as xr
from pydantic import Field

from gatefield.experiments.deep.means import moments
from gatefield.experiments.deep.networks import draw, random_gates
from gatefield.kernels import ntk, random_gate_moments
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Depth, Depths, Seed, Widths

CASES = {"linear": (1.0, 1.0), "linear, normal": (1.0, 3.0), "gated": (0.5, 1.0)}
"""Share of open gates, and E theta^4/sigma^4 of the weights."""


class Settings(Parameters):
    """Exact moments at all `depths` and `widths`; `draws` networks at each of `sampled_depths` with the width `sampled_width`,
    and at each of `sampled_widths` with the depth `sampled_depth`. Inputs are 1, weights have sigma^2 = 1/(mu w).
    """

    depths: Depths = (2, 3, 4, 6, 8, 12, 16, 20, 32, 48, 64, 100)
    widths: Widths = (25, 50, 100, 200, 500, 1_000, 10_000, 100_000)
    sampled_depths: Depths = (2, 4, 8, 12, 20)
    sampled_widths: Widths = (25, 50, 100, 200)
    sampled_width: Count = 100
    sampled_depth: Depth = 8
    draws: Annotated[Count, Field(ge=10)] = 2_000
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    record = xr.Dataset(
        {**_exact(p), **_sampled(p, "sampled_depth"), **_sampled(p, "sampled_width")},
        {"case": list(CASES), "depth": list(p.depths), "width": list(p.widths), "sampled_depth": list(p.sampled_depths),
         "sampled_width": list(p.sampled_widths), "entry": ["diagonal", "beside"], "moment": ["mean", "variance"]},
    )  # fmt: skip
    record.attrs.update(width_of_depths=p.sampled_width, depth_of_widths=p.sampled_depth, draws=p.draws)
    return record


def _moments(depth: int, width: int) -> np.ndarray:
    """Exact moments (case, entry, moment)."""
    found = [random_gate_moments(depth, width, mu, (mu * width) ** -0.5, kurtosis) for mu, kurtosis in CASES.values()]
    return np.reshape(found, (len(CASES), 2, 2))


def _exact(p: Settings) -> dict[str, Any]:
    values = np.array([[_moments(d, w) for w in p.widths] for d in p.depths])
    dims = ("depth", "width", "case", "entry", "moment")
    return {"exact": (dims, values, {"long_name": "moments of K, exact"})}


def _sampled(p: Settings, along: str) -> dict[str, Any]:
    """Moments over `draws` networks, with their standard errors, and the exact ones at the same places."""
    by_depth = along == "sampled_depth"
    places = [(d, p.sampled_width) for d in p.sampled_depths] if by_depth else [(p.sampled_depth, w) for w in p.sampled_widths]
    found, errors = zip(*(moments(_draws(p, d, w)) for d, w in places), strict=True)
    dims, name = (along, "case", "entry", "moment"), "depths" if by_depth else "widths"
    return {
        f"{name}_found": (dims, np.array(found), {"long_name": "moments of K, sampled"}),
        f"{name}_error": (dims, np.array(errors), {"long_name": "their standard errors"}),
        f"{name}_exact": (dims, np.array([_moments(d, w) for d, w in places]), {"long_name": "moments of K, exact"}),
    }


def _draws(p: Settings, depth: int, width: int) -> np.ndarray:
    """K(1,1) and K(1,2) (case, entry, draw) of two samples with the input 1; without gates both entries are the same."""
    found = np.empty((len(CASES), 2, p.draws))
    for i, (mu, kurtosis) in enumerate(CASES.values()):
        rng = np.random.default_rng([p.seed, depth, width, i])
        law = "signs" if kurtosis == 1.0 else "gaussian"
        for at in range(p.draws):
            weights = draw(rng, law, (mu * width) ** -0.5, depth, width)
            found[i, :, at] = np.asarray(ntk(weights, random_gates(rng, mu, depth, 2, width), np.ones((2, 1))))[0]
    return found
