"""Fields whose gates on the cube are looked at: random, geometric, and trained on signs of a Gaussian field."""

from typing import Annotated

import jax
import numpy as np
import xarray as xr
from pydantic import Field

from gatefield.core.grid import Grid
from gatefield.data import Hypercube, Task
from gatefield.experiments.by_seed import train_by_seed
from gatefield.experiments.orders import ORDERS, length_scales
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, LengthScale, Rate, Seed
from gatefield.lab.needs import lacking, lasting
from gatefield.plot import family_styles

RANDOM = "random"
TRAINED = {"long": "trained, long range", "short": "trained, short range"}
SETTLED = {"long": "averaged, long range", "short": "averaged, short range"}
"""Families of trained fields, named by the positive class; averages are over the second half of one training."""

MARGINS, CROWDS = 1, 2
"""Streams of random numbers, `default_rng([seed, stream])`: weights for the law of margins, and crowds from which one weight
grows. They share no numbers with each other, nor with the random fields, which have the seed alone."""
SAMPLES = 3
"""The stream of the samples on which fields are measured, `fold_in(key(seed), stream)`."""

Ratio = Annotated[float, Field(gt=0.0, lt=1.0)]
Ratios = Annotated[tuple[Ratio, ...], Field(min_length=1)]


ENOUGH = 200.0
"""Time in tau after which a trained field has its shape."""


class CubeSettings(Parameters):
    """One ReLU neuron per order of the length scales and seed, trained on signs; and fields to compare with."""

    n: Count = 40
    xi_long: LengthScale = 2.0
    xi_short: LengthScale = 1.0
    ratios: Ratios = (0.4, 0.5, 0.6, 0.9)
    random_fields: Count = 16
    samples: Count = 50_000
    learning_rate: Rate = 0.05
    batch_size: Count = 1_000
    steps: Count = 4_000
    record_every: Count = 40
    seeds: Count = 16
    seed: Seed = 0


def trained_for(record: xr.Dataset) -> str:
    """How long fields were trained."""
    return f"{record.attrs['steps'] * float(np.max(record.attrs['learning_rate'])):g} τ"


def trained_on(record: xr.Dataset, order: str) -> str:
    """On which pair of length scales fields were trained, the positive class first; earlier records have none.

    >>> trained_on(xr.Dataset(attrs={"length_scales": [2.0, 1.0]}), "short"), trained_on(xr.Dataset(), "short")
    ('on ξ = (1, 2)', 'with the shorter range positive')
    """
    scales = [f"{xi:g}" for xi in record.attrs.get("length_scales", [])]
    words = f"on ξ = ({', '.join(scales if order == 'long' else scales[::-1])})"
    return words if scales else f"with the {order}er range positive"


def too_short(record: xr.Dataset) -> str:
    """Why nothing is decided of trained fields, if they were trained for a short time."""
    return lacking(lasting(record, ENOUGH))


FULL = {"batch_size": 4_000, "samples": 200_000}
QUICK = {
    "n": 30,
    "random_fields": 6,
    "samples": 10_000,
    "learning_rate": 0.1,
    "batch_size": 500,
    "steps": 2_000,
    "record_every": 20,
    "seeds": 4,
}
"""Presets of the experiments with these settings."""


def geometric(ratio: float) -> str:
    """The name of a family of one geometric field."""
    return f"geometric {ratio:g}"


def geometric_field(n: int, ratio: float) -> np.ndarray:
    """Sizes 1, r, r^2, ... around site 0 of a ring, on both sides in turn.

    >>> geometric_field(5, 0.5)
    array([1.    , 0.5   , 0.125 , 0.0625, 0.25  ])
    """
    lags = np.arange(n)
    sites = np.where(lags % 2, (lags + 1) // 2, -(lags // 2)) % n
    field = np.empty(n)
    field[sites] = ratio**lags
    return field


def collect(p: CubeSettings, bench: Bench) -> xr.Dataset:
    """Every field with the name of its family and the length scale of the positive class of its data."""
    trained = train(p, bench)
    late = trained.fields.isel(unit=0, step=slice(trained.sizes["step"] // 2, None))
    rows = [(RANDOM, p.xi_long, w) for w in np.random.default_rng(p.seed).normal(size=(p.random_fields, p.n))]
    rows += [(geometric(ratio), p.xi_long, geometric_field(p.n, ratio)) for ratio in p.ratios]
    for names, fields in ((TRAINED, late.isel(step=-1)), (SETTLED, late.mean("step"))):
        scales = zip(ORDERS, (p.xi_long, p.xi_short), strict=True)
        rows += [(names[order], xi, w) for order, xi in scales for w in fields.sel(order=order).values]
    family, xi, fields = zip(*rows, strict=True)
    weights = np.asarray(fields, dtype=np.float64)
    return xr.Dataset(
        {"weights": (("field", "position"), weights, {"long_name": "fields"})},
        {"family": ("field", list(family)), "xi": ("field", list(xi), {"units": "site"})},
        {**trained.attrs, "length_scales": [p.xi_long, p.xi_short], "samples": p.samples},
    )


def train(p: CubeSettings, bench: Bench) -> xr.Dataset:
    """SGD for both orders from the same starts, on the same keys: (order, seed, step, unit, position)."""
    grid = Grid(order=ORDERS, seed=p.seeds)
    xi1, xi0 = grid.share(length_scales(p), over="order").T
    return train_by_seed(bench, "sgd", Task(Hypercube(p.n, xi1), Hypercube(p.n, xi0)), grid, p)


def samples(p: CubeSettings) -> dict[float, np.ndarray]:
    """Inputs of the positive class at each length scale, from the same noise."""
    key = jax.random.fold_in(jax.random.key(p.seed), SAMPLES)
    return {xi: np.asarray(Hypercube(p.n, xi).sample(key, p.samples), float) for xi in (p.xi_long, p.xi_short)}


def families(record: xr.Dataset) -> list[str]:
    """The names of the families, in the order of the record."""
    return list(dict.fromkeys(record.family.values.tolist()))


def family(record: xr.Dataset, name: str) -> xr.Dataset:
    """The fields of one family."""
    return record.isel(field=np.flatnonzero(record.family.values == name))


def styles(record: xr.Dataset) -> dict[str, dict[str, str]]:
    """Colour and marker of each family, the same in all figures; geometric fields are the darker the slower they fall."""
    known = {RANDOM: ("0.55", "o"), TRAINED["long"]: ("C0", "D"), TRAINED["short"]: ("C1", "s")}
    known |= {SETTLED["long"]: ("C5", "D"), SETTLED["short"]: ("C4", "s")}
    return family_styles(families(record), known)
