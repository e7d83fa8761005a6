"""One, two and three bumps on the cube: which entry of a field does its drift pick?"""

from typing import Annotated

import jax
import numpy as np
import xarray as xr
from pydantic import Field

from gatefield.core.precision import exact
from gatefield.core.ties import side
from gatefield.data import Gaussian, Hypercube
from gatefield.experiments.cube.bumps.cases import CASES, corrected, printed
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, LengthScale, Rate, Seed
from gatefield.theory import hypercube

Sites = Annotated[Count, Field(ge=7)]
Scales = Annotated[tuple[LengthScale, ...], Field(min_length=1)]

LAYOUTS = ("edge", "middle", "apart", "far")
"""Three neighbours with the largest at the edge or in the middle, sites 3 and 2 apart, and a third of the ring apart."""


VOTE = (1.5, 1.25, 1.0)
"""Three sizes none of which exceeds the sum of the others."""
SAME = 1e-9
"""Values of f that are nearer are the same."""


class Settings(Parameters):
    """Fields alpha e_i + beta e_j + e_k on a ring; `xi` is the length scale of maps and profiles, `xis` those of the lead."""

    n: Sites = 40
    xi: LengthScale = 1.5
    xis: Scales = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0)
    most: Rate = 4.0
    """Alpha and beta run from 0 to this."""
    grid: Count = 80
    samples: Count = 400_000
    seed: Seed = 0


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    layouts = {name: _sites(name, p.n) for name in LAYOUTS}
    record = _cases(p, layouts["apart"]).assign(_maps(p, layouts)).assign(_votes(p, layouts)).assign(_reference())
    sites = (("layout", "bump"), list(layouts.values()), {"long_name": "sites of the bumps"})
    return record.assign_coords(layout=list(LAYOUTS), bump=list("ijk"), sites=sites)


def _sites(layout: str, n: int) -> tuple[int, int, int]:
    """The sites of the largest, the second and the third bump; site n // 2 is the first's."""
    lags = {"edge": (0, 1, 2), "middle": (0, -1, 1), "apart": (0, 3, 5), "far": (0, n // 3, 2 * n // 3)}[layout]
    i, j, k = ((n // 2 + lag) % n for lag in lags)
    return i, j, k


def _axes(p: Settings) -> tuple[np.ndarray, np.ndarray]:
    """Alpha and beta at odd places, so that no two sizes and no two sums are equal."""
    step = p.most / p.grid
    return (np.arange(p.grid) + 0.2137) * step, (np.arange(p.grid) + 0.5349) * step


def _drifts(sizes: np.ndarray, n: int, xi: float, sites: tuple[int, int, int]) -> np.ndarray:
    """f of fields with these sizes on the bumps' sites of a ring."""
    return hypercube.head_drift(sizes, sites, Gaussian(n, xi).covariance())


def _maps(p: Settings, layouts: dict[str, tuple[int, int, int]]) -> xr.Dataset:
    """For each alpha and beta: is f largest where w is, and is it that of the largest entry alone?"""
    alpha, beta = _axes(p)
    sizes = np.stack(np.broadcast_arrays(alpha[:, None], beta, 1.0), axis=-1)
    largest = sizes.argmax(-1)
    picked, alone = [], []
    for sites in layouts.values():
        f, lone = (_drifts(some, p.n, p.xi, sites) for some in (sizes, np.eye(3)))
        second, first = np.moveaxis(np.sort(f, axis=-1)[..., -2:], -1, 0)
        picked.append((f.argmax(-1) == np.array(sites)[largest]) & (first - second > SAME))
        alone.append(np.abs(f - lone[largest]).max(-1) < SAME)
    dims = ("layout", "alpha", "beta")
    return xr.Dataset(
        {
            "picked": (dims, picked, {"long_name": "f is largest where w is"}),
            "one_site": (dims, alone, {"long_name": "f is that of the largest entry alone"}),
        },
        {"alpha": alpha, "beta": beta},
    )


def _votes(p: Settings, layouts: dict[str, tuple[int, int, int]]) -> xr.Dataset:
    """f of three bumps that vote, near and far in terms of the length scale."""
    votes = [[_drifts(np.array(VOTE), p.n, xi, sites) for sites in layouts.values()] for xi in p.xis]
    lone = [0.5 - float(Hypercube(p.n, xi).covariance()[0, 1]) / 2 for xi in p.xis]
    return xr.Dataset(
        {
            "vote": (("xi", "layout", "position"), votes, {"long_name": "f where three bumps vote"}),
            "lone_lead": ("xi", lone, {"long_name": "f at a bump alone less that at its neighbour"}),
        },
        {"xi": list(p.xis)},
    )


def _cases(p: Settings, sites: tuple[int, int, int]) -> xr.Dataset:
    """The note's examples with bumps apart: exact drift, as printed, corrected, and sampled."""
    latent = Gaussian(p.n, p.xi).covariance()
    sizes = np.array([case.sizes for case in CASES.values()])
    x = np.asarray(Hypercube(p.n, p.xi).sample(jax.random.key(p.seed), p.samples), float)
    gates = 0.5 * exact(side)(x[:, sites], sizes)
    mean = gates.T @ x / p.samples
    spread = np.sqrt(((gates**2).mean(0)[:, None] - mean**2) / p.samples)
    dims = ("case", "position")
    return xr.Dataset(
        {
            "drift": (dims, _drifts(sizes, p.n, p.xi, sites), {"long_name": "exact f"}),
            "printed": (dims, [printed(name, latent, sites) for name in CASES], {"long_name": "f as printed"}),
            "corrected": (dims, [corrected(name, latent, sites) for name in CASES], {"long_name": "f corrected"}),
            "sampled": (dims, mean, {"long_name": "sampled f"}),
            "sampled_error": (dims, spread, {"long_name": "standard error"}),
            "covariance_row": (dims[1:], Hypercube(p.n, p.xi).covariance()[sites[0]], {"long_name": "C e_i"}),
        },
        {"case": list(CASES), "position": np.arange(p.n)},
        {"length_scale": p.xi, "samples": p.samples},
    )


def _reference() -> dict[str, xr.DataArray]:
    """Three bumps that vote at sites 1, 4 and 6 of eight on a line, whose kernel is that of equation 2 as printed."""
    n, xi, sites = 8, 1.5, (1, 4, 6)
    f = hypercube.head_drift([2.5, 2.0, 1.0], sites, Gaussian(n, xi, boundary="line").covariance())
    lone = Hypercube(n, xi, boundary="line").covariance()[1] / 2
    return {
        "line_drift": xr.DataArray(f, dims="line_position", attrs={"long_name": "f of a vote on a line of 8"}),
        "line_lone": xr.DataArray(lone, dims="line_position", attrs={"long_name": "C e_i/2 on a line of 8"}),
        "line_at": xr.DataArray(f[list(sites)], dims="bump"),
    }
