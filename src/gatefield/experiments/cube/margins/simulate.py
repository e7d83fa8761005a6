"""How many weights decide a gate on the cube: margins and heads of random, geometric and trained fields."""

from typing import Annotated

import numpy as np
import xarray as xr
from pydantic import Field

from gatefield.data import Hypercube
from gatefield.experiments.cube import fields as cube
from gatefield.lab import Bench
from gatefield.lab.kinds import Count
from gatefield.theory import hypercube

SHARES = (0.01, 0.05)
"""Of inputs for which the head may open another gate than all weights."""
Sizes = Annotated[tuple[Annotated[Count, Field(ge=2, le=40)], ...], Field(min_length=2)]


class Settings(cube.CubeSettings):
    """As for `gate-influence`; and `draws` random fields at each of `sizes` for the law of the margin."""

    n: Annotated[Count, Field(le=60)] = 40
    sizes: Sizes = (8, 10, 12, 14, 16, 18, 20)
    draws: Count = 2_000


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    record = _measured(cube.collect(p, bench), cube.samples(p))
    return record.assign(_random_law(p)).assign(_steady(p))


def _measured(record: xr.Dataset, x: dict[float, np.ndarray]) -> xr.Dataset:
    """Margin relative to the field's length, exact head, and how often each head errs on the data's own law."""
    fields = record.weights.values
    delta = [hypercube.margin(w) / np.linalg.norm(w) for w in fields]
    errors = np.array([hypercube.head_errors(w, x[xi]) for w, xi in zip(fields, record.xi.values, strict=True)])
    # errors are whole numbers of samples over all: rounding must not decide whether one is at most the share
    probable = [[int(np.argmax(row <= share + 1e-12)) + 1 for share in SHARES] for row in errors]
    lead = 2 * np.abs(fields).max(1) - np.abs(fields).sum(1)
    record["margin"] = ("field", delta, {"long_name": "delta/|w|"})
    record["head"] = ("field", [hypercube.head_size(w) for w in fields], {"long_name": "weights that decide every corner"})
    record["errors"] = (("field", "kept"), errors, {"long_name": "how often the largest k alone open another gate"})
    record["probable"] = (("field", "share"), probable, {"long_name": "weights that decide but for a share of inputs"})
    record["lead"] = ("field", lead / np.abs(fields).max(1), {"long_name": "largest weight less all others, over the largest"})
    return record.assign_coords(kept=np.arange(1, fields.shape[1] + 1), share=list(SHARES))


def _random_law(p: Settings) -> xr.Dataset:
    """Margins of N(0, 1) weights in units of sqrt(2 pi) |w|/2^n, and whether a weight can be left out."""
    rng = np.random.default_rng([p.seed, cube.MARGINS])
    draws = [rng.normal(size=(p.draws, n)) for n in p.sizes]
    deltas = np.array([[hypercube.margin(w) for w in ws] for ws in draws])
    lengths = np.array([np.linalg.norm(ws, axis=1) for ws in draws])
    heads = [[hypercube.head_size(w) for w in ws] for ws in draws]
    sizes = np.array(p.sizes)
    dims = ("size", "draw")
    return xr.Dataset(
        {
            "random_margin": (dims, deltas, {"long_name": "delta of N(0, 1) weights"}),
            "scaled_margin": (dims, deltas * 2.0 ** sizes[:, None] / (np.sqrt(2 * np.pi) * lengths)),
            "random_head": (dims, heads, {"long_name": "weights that decide every corner"}),
        },
        {"size": sizes},
    )


def _steady(p: Settings) -> xr.Dataset:
    """The localized steady state without noise: lead of its largest weight over all others, as a share of it."""
    long, short = (Hypercube(p.n, xi).covariance() for xi in (p.xi_long, p.xi_short))
    states = hypercube.localized_state(long, short), hypercube.localized_state(short, long)
    return xr.Dataset(
        {"steady_lead": ("order", [float(s.lead / s.field[0]) for s in states], {"long_name": "lead of the steady state"})},
        {"order": list(cube.ORDERS)},
    )
