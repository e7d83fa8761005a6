"""Gated linear networks that get the gates of a ReLU network anew every dt, beside that network."""

import functools
import math
from typing import Annotated, Any, NamedTuple

import equinox as eqx
import jax
import numpy as np
import xarray as xr
from pydantic import Field

from gatefield.core.grid import Grid
from gatefield.experiments.distance import relative_distance
from gatefield.experiments.nearly_gaussian import class_at
from gatefield.experiments.orders import squashed_task
from gatefield.gates import HalfSpace, Scheduled
from gatefield.lab import Bench, Parameters
from gatefield.lab.kinds import Count, Gains, LengthScale, Rate, Seed, Several
from gatefield.measures import best_match, cosine
from gatefield.nets import Committee, GatedLinear
from gatefield.theory.gated_linear import Mixture, refreshed_path, relu_path

GIVEN, OWN = "ReLU's", "its own"
"""Whose gates the network gets: those of the ReLU network, or those of its own weights."""
MANY = 8
"""A network that is trained sees fresh inputs: where it should end is computed on so many times as large a sample."""
MARKS = 40
"""At about so many times, evenly on a logarithmic scale, the record says how like its end a network is."""


APART = 2**20
"""`fold_in(key, i)` is key i of `split(key, ...)`: a number beyond all that are split off."""


class Settings(Parameters):
    """ReLU networks for each number of units, gain and seed, over `time` in K² tau; up to gain 0.05 data count as Gaussian.

    Gates are refreshed every dt: `time` divided by 1, 2, 4, ... and so on for `halvings` halvings. A network that is trained
    by SGD gets them after `trained_halvings` of these. `samples` of each class stand for data without closed forms.
    """

    n: Count = 40
    xi1: LengthScale = 2.0
    xi0: LengthScale = 1.0
    gains: Gains = (0.0, 3.0, float("inf"))
    units: Annotated[tuple[Count, ...], Field(min_length=1)] = (1, 4)
    time: Rate = 128.0
    halvings: Annotated[int, Field(ge=4, le=16)] = 10
    samples: Count = 50_000
    learning_rate: Rate = 0.02
    batch_size: Count = 1_000
    trained_halvings: Annotated[int, Field(ge=0, le=4)] = 3
    seeds: Several = 8
    seed: Seed = 0


class Paths(NamedTuple):
    """Networks over time: fields (seed, time, unit, position) and losses (seed, time)."""

    fields: np.ndarray
    loss: np.ndarray


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    parts = []
    for K in p.units:
        start_key, sample_key = jax.random.split(unit_key(p, K))
        starts = np.asarray(Committee(p.n, K, key=jax.random.split(start_key, p.seeds)).fields, float)
        studies = [
            bench.keep(f"paths-{K}-gain={gain:g}", functools.partial(_study, p, gain, starts, sample_key)) for gain in p.gains
        ]
        trained = _trained(p, bench, K, starts, np.stack([study.directions.values for study in studies]))
        apart = [relative_distance(trained[g], study.exact_end.values) for g, study in enumerate(studies)]
        shown = [study.drop_vars(["directions", "exact_end"]) for study in studies]
        part = xr.concat(shown, "gain").assign_coords(gain=list(p.gains))
        parts.append(
            part.assign(trained_distance=(("gain", "seed"), apart, {"long_name": "SGD from the exact path, at the end"}))
        )
    record = xr.concat(parts, "units").assign_coords(units=list(p.units))
    return record.assign_attrs(
        n=p.n, xi1=p.xi1, xi0=p.xi0, samples=p.samples, pieces=2**p.trained_halvings, batch_size=p.batch_size
    )


def periods(p: Settings) -> np.ndarray:
    """Every how many records gates are refreshed, from the finest to the whole time.

    >>> periods(Settings(halvings=4)).tolist()
    [1, 2, 4, 8, 16]
    """
    return 2 ** np.arange(p.halvings + 1)


def marked(count: int) -> np.ndarray:
    """The first record, and about MARKS more up to the last, evenly on a logarithmic scale.

    >>> marked(4).tolist()
    [0, 1, 2, 3, 4]
    """
    return np.unique(np.append(0, np.round(np.geomspace(1, count, MARKS)).astype(int)))


def _study(p: Settings, gain: float, starts: np.ndarray, key: Any) -> xr.Dataset:
    """At one gain: the measures, and of a network to be trained the gates for each piece of time, and where it should end."""
    data, more = (_classes(p, gain, key, count) for count in (p.samples, MANY * p.samples))
    K, count = starts.shape[1], 2**p.halvings
    step = p.time * K**2 / count
    relu = Paths(*map(np.asarray, relu_path(data, starts, step, count + 1, substeps=_substeps(data, K, p.time / count))))
    found = {**_following(p, data, relu, step), **_settling(p, data, relu)}
    every = 2 ** (p.halvings - p.trained_halvings)
    exact = _refreshed(more, relu, step, every, own=False).fields[:, -1]
    coords = {"dt": ("dt", p.time * periods(p) / count, {"units": "K² tau", "long_name": "time between refreshments"})}
    coords["time"] = ("mark", p.time * marked(count) / count, {"units": "K² tau"})
    found["directions"] = ("piece", "seed", "unit", "position"), np.moveaxis(relu.fields[:, :-1:every], 1, 0)
    found["exact_end"] = ("seed", "unit", "position"), exact
    return xr.Dataset(found, {**coords, "gates": [GIVEN, OWN], "position": np.arange(p.n)})


def _substeps(data: Mixture, K: int, dt: float) -> int:
    """At least 4 steps of the integrator between records, and each no longer than the fastest mode of K equal gates decays."""
    fastest = K * float(np.linalg.eigvalsh(np.asarray(data.covariance(), float))[-1]) / 2
    return max(4, math.ceil(dt * fastest))


def _classes(p: Settings, gain: float, key: Any, samples: int) -> Mixture:
    """Both classes; a larger sample begins with a smaller one."""
    key1, key0 = jax.random.split(key)
    return Mixture(class_at(p.n, p.xi1, gain, key1, samples), class_at(p.n, p.xi0, gain, key0, samples))


def _following(p: Settings, data: Mixture, relu: Paths, step: float) -> dict[str, Any]:
    """How far networks behind refreshed gates are from the ReLU network: in their fields at the end, and in their loss."""
    runs = [[_refreshed(data, relu, step, int(every), own=own) for every in periods(p)] for own in (False, True)]
    lead, shape = ("gates", "dt", "seed"), {"long_name": "relative distance of the final fields"}
    explained = 0.25 - relu.loss[:, -1]  # a network that says nothing has a loss of 1/4
    off = [[np.abs(run.loss - relu.loss).max(1) / explained for run in row] for row in runs]
    marks = marked(2**p.halvings)
    return {
        "distance": (lead, [[relative_distance(run.fields[:, -1], relu.fields[:, -1]) for run in row] for row in runs], shape),
        "match": (lead, [[_matches(run.fields[:, -1], relu.fields[:, -1]) for run in row] for row in runs]),
        "path_distance": (lead, [[_furthest(run, relu) for run in row] for row in runs], {"long_name": "largest on the way"}),
        "loss_distance": (lead, off, {"long_name": "largest distance of the losses, over the explained loss"}),
        "loss": (
            ("dt", "mark"),
            [run.loss[0, marks] for run in runs[0]],
            {"long_name": "loss behind ReLU's gates, first seed"},
        ),
        "relu_loss": (("seed", "mark"), relu.loss[:, marks], {"long_name": "loss of the ReLU network"}),
        "end": (
            ("dt", "position"),
            [run.fields[0, -1, 0] for run in runs[0]],
            {"long_name": "final field, first unit and seed"},
        ),
        "relu_end": ("position", relu.fields[0, -1, 0], {"long_name": "final field of the ReLU network"}),
    }


def _refreshed(data: Mixture, relu: Paths, step: float, every: int, *, own: bool) -> Paths:
    return Paths(*map(np.asarray, refreshed_path(data, relu.fields, relu.fields[:, 0], step, every, own=own)))


def _settling(p: Settings, data: Mixture, relu: Paths) -> dict[str, Any]:
    """How like their ends fields, their spectra and the mean inputs b behind the gates are, at the marked times."""
    fields = relu.fields[:, marked(2**p.halvings)]
    b, spectra = _pulls(data, fields), np.abs(np.fft.rfft(fields))
    others = np.roll(fields[:, -1:], 1, axis=0), np.roll(spectra[:, -1:], 1, axis=0)
    lead = ("seed", "mark")
    paths = {
        "b_end": (_mean_cosine(b, b[:, -1:]), "cosine of b(t) with its end"),
        "b_start": (_mean_cosine(b, b[:, :1]), "cosine of b(t) with that of the start's gates"),
        "position": (_mean_cosine(fields, fields[:, -1:]), "cosine of w(t) with its end"),
        "frequency": (_mean_cosine(spectra, spectra[:, -1:]), "cosine of |FFT w(t)| with its end"),
        "position_chance": (_mean_cosine(fields, others[0]), "cosine of w(t) with the end of another seed"),
        "frequency_chance": (_mean_cosine(spectra, others[1]), "cosine of |FFT w(t)| with the end of another seed"),
        "size": (np.sqrt((fields**2).sum((-2, -1))), "length of all fields together"),
        "b_size": (np.sqrt((b**2).sum((-2, -1))), "length of b"),
    }
    return {f"{name}_path": (lead, values, {"long_name": words}) for name, (values, words) in paths.items()}


def _pulls(data: Mixture, fields: np.ndarray) -> np.ndarray:
    """b behind the gates of fields (seed, time, unit, position)."""
    with jax.enable_x64(True):
        each = eqx.filter_jit(lambda both, w: jax.lax.map(both.mean_product, w))(data, fields.reshape(-1, *fields.shape[2:]))
    return np.asarray(each).reshape(fields.shape)


def unit_key(p: Settings, K: int) -> Any:
    """The stream of starts and samples for K units."""
    return jax.random.fold_in(jax.random.key(p.seed), K)


def batch_key(p: Settings, K: int) -> Any:
    """The stream of batches for K units: that of the number 2K + 1, or one apart where some network has so many units."""
    key = jax.random.fold_in(jax.random.key(p.seed), 2 * K + 1)
    return jax.random.fold_in(key, APART) if 2 * K + 1 in p.units else key


def _trained(p: Settings, bench: Bench, K: int, starts: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Final weights (gain, seed, unit, position) of gated linear networks by SGD; directions (gain, piece, seed, unit, n)."""
    grid, count = Grid(gain=p.gains, seed=p.seeds), directions.shape[1]
    times = p.time * K**2 * np.arange(count) / count
    turned = np.moveaxis(directions, 1, 2)  # gain, seed, piece, unit, position
    each = grid.share(turned, over=("gain", "seed"))
    gates = [Scheduled(times, [HalfSpace(each[:, piece, unit]) for piece in range(count)]) for unit in range(K)]
    steps = max(1, round(p.time / p.learning_rate))
    record = bench.train(
        f"behind-gates-{K}",
        GatedLinear(p.n, gates, init=grid.share(starts, over="seed"), key=jax.random.key(p.seed)),
        squashed_task(p, grid.gain),
        steps=steps,
        batch_size=p.batch_size,
        learning_rate=p.time * K**2 / steps,
        record_every=steps,
        key=grid.share(jax.random.split(batch_key(p, K), p.seeds), over="seed"),
        runs=grid,
    ).record
    return record.fields.isel(step=-1).values.astype(float)


def _furthest(run: Paths, relu: Paths) -> np.ndarray:
    """The largest distance of the fields on the way, over the length of ReLU's fields at the end, for each seed."""
    apart = np.sqrt(((run.fields - relu.fields) ** 2).sum((-2, -1))).max(1)
    return apart / np.sqrt((relu.fields[:, -1] ** 2).sum((-2, -1)))


def _matches(w: np.ndarray, reference: np.ndarray) -> np.ndarray:
    return np.array([best_match(one, two) for one, two in zip(w, reference, strict=True)])


def _mean_cosine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Mean over units of the cosine of fields (seed, time, unit, ...)."""
    return np.asarray(cosine(a, b)).mean(-1)
