"""Networks on two digits whose gates are recorded while they train; and soft GaLU by its strengths or its gates alone."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import xarray as xr
from pydantic import Field

from gatefield.core.grid import Grid
from gatefield.data import Dataset
from gatefield.experiments.deep.digits.images import fit, measured, training_steps
from gatefield.experiments.deep.digits.pair import Digits, PairSettings
from gatefield.experiments.starts import seed_keys
from gatefield.kernels import strength_and_gate_ntk, tangent_kernel
from gatefield.lab import Bench
from gatefield.lab.kinds import Count, Rate
from gatefield.measures import flipped_gates, gate_change, subnetwork_overlap
from gatefield.nets import DeepGated

MOVING = {"relu": "ReLU", "soft-relu": "soft ReLU", "soft-galu": "soft GaLU"}
"""The networks whose gates move."""
FROZEN = {"galu": "GaLU, frozen gates", "strengths": "soft GaLU, strengths alone"}
"""Those whose gates must not."""
FLOWS = {"soft-galu": "both", "strengths": "strengths alone", "gates-only": "gates alone"}
"""What is trained of soft GaLU, from one start."""
CALM = "relu-falling"
"""ReLU again, with a learning rate that falls to zero along a line: without its noise, do gates come to rest?"""
NETS = {**MOVING, CALM: "ReLU, learning rate falling to 0", "gates-only": "soft GaLU, gates alone", **FROZEN}
FALL = 0.01
"""Part of the loss that a first step of gradient descent takes away: far above rounding in float32, yet nearly straight."""
TWINS = ("trace_w", "trace_a", "speed_w", "speed_a", "first_loss")
Gates = list[np.ndarray]
"""(seed, step, sample, gate) of each layer, as parts of their range."""


class Settings(PairSettings):
    """`beta` and `eps` belong to the soft gates (1 + eps) sigmoid(beta q). Gates are observed on `kernel_samples` images."""

    beta: Rate = 4.0
    eps: Annotated[float, Field(ge=0)] = 0.1
    records: Count = 40


def simulate(p: Settings, bench: Bench) -> xr.Dataset:
    """The record."""
    digits = Digits(p)
    nets, twins, parts = networks(digits), {}, {}
    for name in NETS:
        record, kept = _fitted(digits, bench, name, nets[name])
        top = 1.0 if nets[name].hard else 1 + p.eps
        parts[name] = kept.assign(motion(layered(record.gates, nets[name].widths, top)))
        if name in FLOWS:
            twins[name] = xr.Dataset({word: record.twin.isel(quantity=at, drop=True) for at, word in enumerate(TWINS)})
    flows = xr.concat([twins[name] for name in FLOWS], xr.Variable("flow", list(FLOWS)))
    start: Any = flows.isel(step=0).sel(flow="soft-galu")
    first = _first_speeds(digits, bench, {name: nets[name] for name in FLOWS}, start)
    described = flows.drop_vars("first_loss").assign(first_speed=first)
    record = digits.gathered(parts).assign({name: described[name] for name in described})
    return _named(record).assign_attrs(epochs=p.epochs, records=p.records, beta=p.beta, eps=p.eps)


def networks(digits: Digits) -> dict[str, DeepGated]:
    """All networks, a run for each seed. The three flows of soft GaLU have the same strengths and gates at the start."""
    p: Any = digits.p
    soft = {"beta": p.beta, "eps": p.eps}
    both = digits.net("soft-galu", **soft)
    return {
        "relu": digits.net("relu"),
        CALM: digits.net("relu"),
        "soft-relu": digits.net("soft-relu", **soft),
        "soft-galu": both,
        "gates-only": digits.net("gates-only", gates_from=both, **soft),
        "galu": digits.net("galu"),
        "strengths": digits.net("galu", gates_from=both, **soft),
    }


def layered(gates: xr.DataArray, widths: Sequence[int], top: float) -> Gates:
    """The recorded gates of each layer, as parts of their range from 0 to `top`."""
    values = gates.transpose("seed", "step", "sample", "gate").values / top
    return np.split(values, np.cumsum(widths)[:-1], axis=-1)


def motion(gates: Gates) -> dict[str, Any]:
    """How gates move: by layer against the start, the record before and the end; and what is left of open sub-networks."""
    start, end = ([layer[:, at] for layer in gates] for at in (slice(None, 1), slice(-1, None)))
    before = [np.concatenate([layer[:, :1], layer[:, :-1]], 1) for layer in gates]
    other = [np.roll(layer, 1, axis=0) for layer in start]  # another seed: units that have nothing to do with these
    by_layer = {
        "flipped": flipped_gates(start, gates),
        "between": flipped_gates(before, gates),
        "agreement": 1 - flipped_gates(end, gates),
        "moved": gate_change(start, gates),
        "open": np.stack([(layer > 0.5).mean((-2, -1)) for layer in gates], -1),
    }
    chance = _mean(subnetwork_overlap(start, other))[:, 0] if len(gates[0]) > 1 else np.full(1, np.nan)
    return {
        **{name: (("seed", "step", "layer"), values) for name, values in by_layer.items()},
        "overlap": (("seed", "step"), _mean(subnetwork_overlap(start, gates))),
        "overlap_chance": (("seed",), chance),
    }


def _mean(overlap: Any) -> np.ndarray:
    """Over samples that have an open path at both times; 0 if none has."""
    there = ~np.isnan(overlap)
    return np.where(there, overlap, 0.0).sum(-1) / np.maximum(there.sum(-1), 1)


def _fitted(digits: Digits, bench: Bench, name: str, net: DeepGated) -> tuple[xr.Dataset, xr.Dataset]:
    """The training with all that is observed, and what is kept of it: accuracies, and nu of the tangent kernel."""
    x, y = jnp.asarray(digits.probe.x), jnp.asarray(digits.probe.y)
    watch: dict[str, Any] = digits.probe.watch({"kernel": tangent_kernel})
    watch["gates"] = (("sample", "gate"), lambda net: jnp.concatenate(net.gates(x), -1))
    if name in FLOWS:
        watch["twin"] = (("quantity",), _twin(x, y))
    steps = training_steps(digits.task, digits.p)
    rate = optax.linear_schedule(digits.p.learning_rate, 0.0, steps) if name == CALM else None
    record = fit(bench, name, net, digits.task, digits.p, learning_rate=rate, loss="mse", observe=watch)[1]
    return record, measured(record).assign(digits.probe.judge(record.kernel))


def _twin(x: jax.Array, y: jax.Array) -> Callable[[Any], jax.Array]:
    """Traces of K^w and K^a; how fast either makes the loss fall in a gradient flow, e'Ke/n²; and the loss."""

    def quantities(net: Any) -> jax.Array:
        kernels = strength_and_gate_ntk(net.weights, net.gating_layers, x, net.beta, net.eps)
        error = net(x) - y
        speeds = [error @ K @ error / len(x) ** 2 for K in kernels]
        return jnp.stack([*map(jnp.trace, kernels), *speeds, jnp.mean(error**2) / 2])

    return quantities


def _first_speeds(digits: Digits, bench: Bench, nets: Mapping[str, DeepGated], start: xr.Dataset) -> Any:
    """How fast the loss falls in a first step of gradient descent on the images of the kernels, for each flow and seed.

    A whole and a half step of each: what is left of the curve after both is of third order.
    """
    grid = Grid(part=[1.0, 0.5], seed=digits.p.seeds)
    step = FALL * (start.first_loss / (start.speed_w + start.speed_a)).values
    rate, found = grid.part * grid.share(step, over="seed"), []
    for name, net in nets.items():
        record = bench.train(
            f"first-step-{name}",
            grid.share(net, over="seed"),
            Dataset(digits.probe.x, digits.probe.y),
            steps=1,
            batch_size="all",
            learning_rate=rate,
            record_every=1,
            key=grid.share(seed_keys(digits.p)[1], over="seed"),
            runs=grid,
        ).record
        loss = record.loss.transpose("part", "seed", "step").values.astype(float)
        whole, half = (loss[..., 0] - loss[..., 1]) / grid.fold(rate)
        found.append(2 * half - whole)
    return (("flow", "seed"), np.stack(found))


WORDS = {
    "flipped": "share of gates on the other side of half their range than at the start",
    "between": "share of gates on the other side than at the record before",
    "agreement": "share of gates on the same side as at the end",
    "moved": "mean change of a gate since the start, as a part of its range",
    "open": "share of gates above half their range",
    "overlap": "overlap of a sample's open sub-network with that of the start, mean over samples",
    "overlap_chance": "the same with the start of another seed",
    "trace_w": "trace of K^w, the part of the strengths",
    "trace_a": "trace of K^a, the part of the gates",
    "speed_w": "speed at which strengths make the loss fall in a gradient flow, e'K^w e/n²",
    "speed_a": "speed at which gates make the loss fall in a gradient flow, e'K^a e/n²",
    "first_speed": "speed of the loss measured in a first step of gradient descent",
}


def _named(record: xr.Dataset) -> xr.Dataset:
    """With the names of all quantities, and layers counted from 1."""
    record = record.assign_coords(layer=np.arange(1, record.sizes["layer"] + 1))
    for name, words in WORDS.items():
        record[name].attrs["long_name"] = words
    return record
