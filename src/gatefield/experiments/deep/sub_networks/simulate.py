"""Soft-GaLU networks are trained; their gates are sorted into active and sensitive ones before, during and after."""

from typing import Annotated, Any

import jax
import numpy as np
import xarray as xr
from pydantic import AfterValidator, Field, model_validator

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.grid import Grid
from gatefield.data import Images
from gatefield.experiments.deep.digits.images import DigitSettings, two_digits
from gatefield.experiments.deep.sub_networks.gates import PATHS, RANKED, READINGS, Gates, carried, path_slopes, shares
from gatefield.experiments.deep.sub_networks.memory import KEPT, KINDS, SETS, movement, overlaps, remembered
from gatefield.lab import Bench
from gatefield.lab.kinds import Count, Depth, Rates
from gatefield.nets import DeepGated

TAU = 0.9
"""The threshold of active gates at which claims are judged: the paper asks for one close to 1."""
PATH_SAMPLES = 10
"""On how many samples single paths are looked at, which costs the square of their number."""
SPLITS = ("training", "test")
JUDGED = 2_000
"""At most so many samples of each split tell an accuracy: to one percent."""
SIGNS, RANDOM_UNITS = 16, 61
"""Streams of the inputs that are labelled by signs, and of the units that are drawn at random beside those that are active."""
Data = Annotated[str, AfterValidator(lambda value: checks.choice("data", value, ["signs", "digits"]))]


class Settings(DigitSettings):
    """Networks of `depth` layers of weights and `width` units, with gates (1 + eps) sigmoid(beta q) for each of `betas`.

    `data`: "digits", 4 and 7 of MNIST; or "signs", `inputs` normal numbers, labelled by the sign of the product of the first
    two, with `samples` to train on and `test_samples` to test. `thresholds`: from which value on a gate is active, at least
    (1 + eps)/2. `factors`: by which the safe threshold of sensitive gates is lowered. `probe`: training samples on which gates
    and kernels are evaluated.
    """

    data: Data = "digits"
    inputs: Annotated[Count, Field(ge=2)] = 10
    test_samples: Count = 2_000
    width: Count = 100
    depth: Depth = 6
    betas: Rates = (1.0, 4.0, 16.0)
    eps: Annotated[float, Field(ge=0)] = 0.1
    thresholds: Rates = (0.6, 0.7, 0.8, 0.9, 1.0, 1.05)
    factors: Rates = (0.003, 0.01, 0.03, 0.1, 0.3)
    probe: Annotated[Count, Field(multiple_of=2)] = 200
    records: Count = 5

    @model_validator(mode="after")
    def _thresholds_fit(self) -> "Settings":
        least, top = (1 + self.eps) / 2, 1 + self.eps
        if self.thresholds[0] < least or self.thresholds[-1] >= top:
            raise UserError(
                f"thresholds must be between (1 + eps)/2 = {least:g}, above which the slope of a gate falls, and 1 + eps = "
                f"{top:g}, but are {list(self.thresholds)}; write for instance thresholds={(least + top) / 2:g}."
            )
        return self


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    data = two_digits(p) if p.data == "digits" else signs(p)
    grid = Grid(beta=p.betas, seed=p.seeds)
    record = _train(p, bench, data, grid)
    runs = [_one_run(p, data, record.isel(beta=b, seed=s)) for b in range(len(p.betas)) for s in range(p.seeds)]
    found = {name: grid.fold(np.stack([run[name] for run in runs])) for name in runs[0]}
    kept = record[["loss", "train_accuracy", "test_loss", "test_accuracy"]].drop_attrs(deep=False)
    return _described(kept, found, p).assign_attrs(
        data=p.data, eps=p.eps, width=p.width, depth=p.depth, probe=p.probe, epochs=p.epochs
    )


def signs(p: Settings) -> Images:
    """Normal inputs, labelled by the sign of the product of the first two: no single direction tells the labels apart."""
    rng = np.random.default_rng([p.seed, SIGNS])
    x = rng.standard_normal((p.samples + p.test_samples, p.inputs), np.float32)
    y = np.where(x[:, 0] * x[:, 1] > 0, 1.0, -1.0).astype(np.float32)
    return Images(x[: p.samples], y[: p.samples], x[p.samples :], y[p.samples :])


def _train(p: Settings, bench: Bench, data: Images, grid: Grid) -> xr.Dataset:
    """All steepnesses and seeds at once; those of one seed start from the same weights and see the same batches."""
    starts, batches = (jax.random.split(key, p.seeds) for key in jax.random.split(jax.random.key(p.seed)))
    task = data.dataset()
    keys = grid.share(starts, over="seed")
    widths = [p.width] * (p.depth - 1)
    soft = {"gating": "soft-galu", "beta": grid.beta, "eps": p.eps, "init": p.init}
    net = DeepGated(task.n, widths, **soft, record_weights=True, key=keys)
    steps = max(1, round(p.epochs * task.size / p.batch_size))
    record = bench.train(
        "soft-galu",
        net,
        task,
        steps=steps,
        batch_size=p.batch_size,
        learning_rate=p.learning_rate,
        optimizer="rmsprop",
        loss="mse",
        record_every=-(-steps // p.records),
        key=grid.share(batches, over="seed"),
        runs=grid,
    ).record
    epoch = ("step", record.step.values * p.batch_size / task.size, {"long_name": "epoch"})
    return record.drop_vars("time").assign_coords(epoch=epoch)


def _one_run(p: Settings, data: Images, run: xr.Dataset) -> dict[str, np.ndarray]:
    """All that is measured of one training."""
    chosen = data.subset(p.probe, seed=p.seed, balanced=True)
    over_time = [_network(p, run.isel(step=at), chosen.x) for at in range(run.sizes["step"])]
    y = chosen.y.astype(float)
    each = [{**shares(net, p.thresholds, p.factors, y), **carried(net, y)} for net in over_time]
    found = {name: np.stack([one[name] for one in each]) for name in each[0]}
    few = [_network(p, run.isel(step=at), chosen.x[:: max(1, p.probe // PATH_SAMPLES)]) for at in range(run.sizes["step"])]
    found["path_slope"] = np.stack([path_slopes(net, _main(p)) for net in few])
    together = np.stack([overlaps(over_time, tau) for tau in p.thresholds], 1)
    moves = np.stack([movement(over_time, tau) for tau in p.thresholds])
    found |= {"overlap": together[..., 0], "overlap_chance": together[..., 1], "moved": moves[..., 0], "held": moves[..., 1]}
    return found | _memory(p, data, run.isel(step=-1))


def _memory(p: Settings, data: Images, end: xr.Dataset) -> dict[str, np.ndarray]:
    rng = np.random.default_rng([p.seed, RANDOM_UNITS, int(end.seed)])
    pairs = [(data.x, data.y), (data.test_x, data.test_y)]
    found = [remembered(_network(p, end, x[:JUDGED]), y[:JUDGED], p.thresholds, rng) for x, y in pairs]
    return {"kept_accuracy": np.stack([one for one, _ in found]), "kept_likeness": np.stack([one for _, one in found])}


def _network(p: Settings, at: xr.Dataset, x: np.ndarray) -> Gates:
    """The network of one run at one record."""
    weights = [at[f"weights_{layer}"].values.astype(float) for layer in range(1, p.depth + 1)]
    gating = [at[f"gating_weights_{layer}"].values.astype(float) for layer in range(1, p.depth)]
    weights[-1] = weights[-1].reshape(p.width, 1)
    return Gates(weights, gating, x.astype(float), (float(at.beta), p.eps))


def _main(p: Settings) -> float:
    return min(p.thresholds, key=lambda tau: abs(tau - TAU))


AXES: dict[str, tuple[tuple[str, ...], str]] = {
    "active": (("step", "threshold", "layer"), "share of gates above tau_A"),
    "between": (("step", "threshold", "layer"), "share of gates between shut and active: 1 + eps - tau_A to tau_A"),
    "sensitive": (("step", "threshold", "layer"), "share of gates above the safe tau_S"),
    "path_share": (("step", "threshold", "sub_network"), "share of all paths, mean over samples"),
    "empty": (("step", "threshold", "sensitive_by"), "share of samples without any sensitive path"),
    "trace_part": (("step", "threshold", "reading"), "trace of K^a by these paths alone over the whole trace"),
    "label_part": (("step", "threshold", "reading"), "y'K^a y by these paths alone over the whole"),
    "loose_sensitive": (("step", "threshold", "factor"), "share of gates above a lowered tau_S"),
    "loose_both": (("step", "threshold", "factor"), "share of gates above it that are active too"),
    "loose_part": (("step", "threshold", "factor"), "trace of K^a by their paths alone over the whole trace"),
    "loose_sensitive_layer": (("step", "threshold", "factor", "layer"), "share of gates above a lowered tau_S"),
    "loose_both_layer": (("step", "threshold", "factor", "layer"), "share of gates above it that are active too"),
    "path_layer": (
        ("step", "threshold", "sensitive_by", "layer"),
        "share of all paths whose gate of this layer is sensitive and whose others are active, mean over samples",
    ),
    "path_through": (("step", "threshold", "sensitive_by"), "share of all paths with a sensitive gate and any others"),
    "loose_path": (("step", "threshold", "factor"), "share of all paths with a gate above a lowered tau_S, the rest active"),
    "loose_path_both": (("step", "threshold", "factor"), "share of all paths of active gates, one or more above it"),
    "loose_path_through": (("step", "threshold", "factor"), "share of all paths with a gate above it and any others"),
    "carried": (("step", "ranked"), "part of the trace of K^a carried by the steepest gates"),
    "needed": (("step",), "share of the steepest gates that carries 90 % of the trace of K^a"),
    "needed_label": (("step",), "share of the steepest gates that carries 90 % of y'K^a y"),
    "needed_least": (("step",), "least share of gates that carries 90 % of the trace of K^a"),
    "effective": (("step",), "effective share of gates in the trace of K^a"),
    "gate_part": (("step",), "trace of K^a over that of the whole kernel"),
    "off": (("step",), "relative difference of the sum of all parts from the trace of K^a"),
    "path_slope": (("step", "paths"), "root mean square length of equation 6 over paths"),
    "overlap": (("step", "threshold", "set"), "gates in a set now and in the end over those in either"),
    "overlap_chance": (("step", "threshold", "set"), "the same for sets of these sizes at random in each layer"),
    "moved": (("threshold", "kind"), "share of all squared changes of gates"),
    "held": (("threshold", "kind"), "share of gates"),
    "kept_accuracy": (("split", "threshold", "kept"), "accuracy with some gates alone"),
    "kept_likeness": (("split", "threshold", "kept"), "correlation of the output with that of all gates"),
}
"""The axes of each measure beside steepness and seed, and what it is."""


def _described(kept: xr.Dataset, found: dict[str, np.ndarray], p: Settings) -> xr.Dataset:
    coords: dict[str, Any] = {
        "threshold": list(p.thresholds),
        "layer": np.arange(1, p.depth),
        "sub_network": ["active", "safe", "between"],
        "sensitive_by": ["safe", "between"],
        "reading": list(READINGS),
        "factor": list(p.factors),
        "ranked": RANKED,
        "paths": list(PATHS),
        "set": list(SETS),
        "kind": list(KINDS),
        "split": list(SPLITS),
        "kept": list(KEPT),
    }
    data = {name: (("beta", "seed", *dims), found[name], {"long_name": words}) for name, (dims, words) in AXES.items()}
    return kept.assign_coords(coords).assign(data)
