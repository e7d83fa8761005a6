"""How many weights decide a gate on the cube: margins and heads of random, geometric and trained fields."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from pydantic import Field

from gatefield.data import Hypercube
from gatefield.experiments.cube import fields as cube
from gatefield.experiments.cube.margins.figure import draw
from gatefield.experiments.cube.margins.verdicts import verdicts
from gatefield.lab.experiment import Bench, Experiment, Verdict
from gatefield.lab.kinds import Count
from gatefield.theory import hypercube

SHARES = (0.01, 0.05)
Sizes = Annotated[tuple[Annotated[Count, Field(ge=2, le=40)], ...], Field(min_length=2)]


class Settings(cube.CubeSettings):
    """As for `gate-influence`; and `draws` random fields at each of `sizes` for the law of the margin."""

    n: Annotated[Count, Field(le=60)] = 40
    sizes: Sizes = (8, 10, 12, 14, 16, 18, 20)
    draws: Count = 2_000


class Margins(Experiment):
    name = "margins"
    title = "How many weights decide a gate on the cube: all of a random field, one of a localized one"
    source = "note 003, equation 13 and the questions after it"
    text = (
        "On the cube a gate may be decided by a few of its weights, the head: those whose signed sums all exceed the sum of "
        "the rest. The margin delta is the smallest size of such a signed sum. For Gaussian weights the sums crowd zero: "
        "delta, in units of sqrt(2 pi) |w|/2^n, has the exponential law of mean 1, and the smallest weight is almost never "
        "below the margin of the others, so that no weight can be left out. Weights that fall by a factor of 2 or more are "
        "decided by the first. And trained fields? Where the positive class has the longer range, SGD ends near the localized "
        "steady state, where one weight exceeds the sum of all others and decides alone; minibatch noise on the others eats "
        "into its lead. With the length scales swapped there is such a state too, but SGD does not go there, and nearly all "
        "weights are needed. Panel (d) shows how many weights decide every corner, and how many are enough for 99 and 95 "
        "percent of the inputs of the data's own law; panel (e) how often the largest k weights alone open another gate. "
        "The mean of a field over the second half of its training has less noise than its end."
    )
    Parameters = Settings
    presets: ClassVar = {
        "full": {"batch_size": 4_000, "samples": 200_000},
        "quick": {
            "n": 30,
            "draws": 300,
            "random_fields": 6,
            "samples": 10_000,
            "learning_rate": 0.1,
            "batch_size": 500,
            "steps": 2_000,
            "record_every": 20,
            "seeds": 4,
        },
        "tiny": {
            "n": 10,
            "sizes": (8, 10),
            "draws": 20,
            "ratios": (0.5, 0.9),
            "random_fields": 2,
            "samples": 500,
            "batch_size": 20,
            "steps": 20,
            "record_every": 5,
            "seeds": 2,
        },
    }
    durations: ClassVar = {"quick": "30 s", "full": "5 min"}

    def simulate(self, parameters: Settings, bench: Bench) -> xr.Dataset:
        p = parameters
        record = _measured(cube.collect(p, bench), cube.samples(p))
        return record.assign(_random_law(p)).assign(_steady(p))

    def verdicts(self, record: xr.Dataset) -> Sequence[Verdict]:
        return verdicts(record)

    def figure(self, record: xr.Dataset) -> Figure:
        return draw(record)


def _measured(record: xr.Dataset, x: dict[float, np.ndarray]) -> xr.Dataset:
    """Margin relative to the field's length, exact head, and how often each head errs on the data's own law."""
    fields = record.weights.values
    delta = [hypercube.margin(w) / np.linalg.norm(w) for w in fields]
    errors = np.array([hypercube.head_errors(w, x[xi]) for w, xi in zip(fields, record.xi.values, strict=True)])
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
    rng = np.random.default_rng([p.seed, 1])
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
