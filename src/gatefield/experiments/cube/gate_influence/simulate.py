"""How each weight acts on a gate on the cube: is there a clear divide between weights that matter and weights that do not?"""

from typing import Annotated

import numpy as np
import xarray as xr
from pydantic import Field

from gatefield.core.precision import exact
from gatefield.core.ties import side
from gatefield.experiments.cube import fields as cube
from gatefield.lab import Bench
from gatefield.lab.kinds import Count
from gatefield.theory import hypercube

DIGITS = 44
"""Weights are rounded to this many binary digits below the largest, so that all signed sums are counted in integers."""
EQUAL = (9, 25, 49, 99)
"""Odd numbers of equal weights, so that no sum is zero."""
LADDER = 40
"""Weights 1 to this."""

Sizes = Annotated[tuple[Annotated[float, Field(gt=0.0)], ...], Field(min_length=3)]


class Settings(cube.CubeSettings):
    """As for `margins`; and a field of `rest` random weights and one that grows, `leads` times the length of the rest."""

    n: Annotated[Count, Field(le=44)] = 40
    rest: Annotated[Count, Field(le=43)] = 24
    rests: Count = 16
    leads: Sizes = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 4.0, 6.0)


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    record, x = cube.collect(p, bench), cube.samples(p)
    fields, dims = record.weights.values, ("field", "position")
    share = np.abs(fields) / np.linalg.norm(fields, axis=1, keepdims=True)
    own = [on_points(w, x[xi]) for w, xi in zip(fields, record.xi.values, strict=True)]
    differs, turns = (np.array(part) for part in zip(*own, strict=True))
    record["share"] = (dims, share, {"long_name": "|w_j|/|w|"})
    record["uniform"] = (dims, [counted(w) for w in fields], {"long_name": "influence, all corners alike"})
    record["own"] = (dims, differs, {"long_name": "influence on the data's own law, 2|f_j|"})
    record["turns"] = (dims, turns, {"long_name": "how often turning one site turns the gate, own law"})
    return record.assign(_known()).assign(_leader(p))


def counted(w: np.ndarray) -> np.ndarray:
    """Influence of each site under the uniform law, of weights rounded to `DIGITS` binary digits.

    >>> counted(np.array([1.0, 0.5, 0.25]))
    array([1., 0., 0.])
    """
    whole = np.round(w / np.abs(w).max() * 2.0**DIGITS).astype(np.int64)
    return np.asarray(hypercube.influence(whole))


def on_points(w: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """2|f_j| over these points, and how often turning site j alone turns the gate; a tie is half of each sign.

    >>> differs, turns = on_points(np.array([2.0, 1.0]), np.array([[1.0, 1.0], [-1.0, -1.0]]))
    >>> differs, turns
    (array([1., 1.]), array([1., 0.]))
    """
    sign, turned = (exact(side)(x, directions) for directions in (w[None], w * (1 - 2 * np.eye(len(w)))))
    differs = np.abs(sign[:, 0] @ x) / len(x)
    return differs, np.mean(np.abs(turned - sign) / 2, axis=0)


def _known() -> xr.Dataset:
    """Equal weights, and weights 1 to 40: influences with closed forms or limits."""
    ladder = np.arange(1, LADDER + 1)
    return xr.Dataset(
        {
            "equal": ("equal_size", [float(hypercube.influence([1] * n)[0]) for n in EQUAL]),
            "ladder": ("rung", hypercube.chow(ladder), {"long_name": "f of weights 1 to 40, all corners alike"}),
        },
        {"equal_size": list(EQUAL), "rung": ladder},
    )


def _leader(p: Settings) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
    """One weight grows from a crowd of random ones: its influence, and the largest of the others."""
    crowds = np.random.default_rng([p.seed, cube.CROWDS]).normal(size=(p.rests, p.rest))
    found = np.array(
        [[counted(np.append(lead * np.linalg.norm(rest), rest)) for rest in crowds] for lead in p.leads]
    )  # (lead, rests, site)
    return {
        "lead": (("lead",), np.array(p.leads)),
        "leader": (("lead", "crowd"), found[:, :, 0]),
        "follower": (("lead", "crowd"), found[:, :, 1:].max(-1)),
    }
