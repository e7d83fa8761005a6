"""What a convolutional gated network is made of: its layers and their sizes, the passes through them, the soft gate."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.nets.layered.kinds import KINDS, soft_gate

PADDINGS, POOLS, HEADS = ("valid", "same", "circular"), ("max", "mean"), ("flatten", "mean")
POOL_SIDE = 2


class ConvLayer(NamedTuple):
    """One convolution, the gates behind it and the pooling behind those."""

    kernel: tuple[int, ...]
    """Its side along each axis of positions."""
    stride: int
    padding: str
    pool: str | None
    incoming: tuple[int, ...]
    """Positions and, last, channels that come in."""
    gated: tuple[int, ...]
    """Positions and channels of its sums and gates."""
    outgoing: tuple[int, ...]
    """Positions and channels after pooling."""

    @property
    def shape(self) -> tuple[int, int]:
        """Of its weights: all that enters a unit, and channels."""
        return math.prod(self.kernel) * self.incoming[-1], self.gated[-1]


def conv_layers(
    shape: Any, channels: Any, kernel_size: Any, padding: str, stride: Any, pool: Any
) -> tuple[tuple[int, ...], tuple[ConvLayer, ...]]:
    """The shape of an input, checked, and the convolutions, each with the sizes that the one before leaves it."""
    shape = _sizes("shape", shape)
    if len(shape) not in (2, 3):
        raise UserError(
            f"shape must be (positions, channels) or (height, width, channels), but is {shape}; name the channels too."
        )
    channels = _sizes("channels", channels)
    padding = checks.choice("padding", padding, PADDINGS)
    sides, strides = (_each(name, v, len(channels)) for name, v in (("kernel_size", kernel_size), ("stride", stride)))
    pools = _pools(pool, len(channels))
    incoming, found = shape, []
    for at, width in enumerate(channels):
        found.append(_layer(at + 1, incoming, width, sides[at], strides[at], padding, pools[at]))
        incoming = found[-1].outgoing
    return shape, tuple(found)


def _layer(at: int, incoming: tuple[int, ...], width: int, side: int, stride: int, padding: str, pool: str | None) -> ConvLayer:
    positions = incoming[:-1]
    if padding != "same" and side > min(positions):
        raise UserError(
            f"Convolution {at} has kernels of side {side}, but only {positions} positions enter; take smaller ones."
        )
    whole = [n - side + 1 if padding == "valid" else n for n in positions]
    sums = tuple(-(-n // stride) for n in whole)
    left = sums if pool is None else tuple(n // POOL_SIDE for n in sums)
    if min(left) < 1:
        raise UserError(f"Convolution {at} leaves no positions; take fewer layers, a smaller stride or no pooling there.")
    return ConvLayer((side,) * len(positions), stride, padding, pool, incoming, (*sums, width), (*left, width))


def convolve(z: Float[Array, "samples *positions channels"], weights: Array, layer: ConvLayer) -> Array:
    r"""The sums $q(i) = \sum_j \Theta_j\, z(i\,s + j)$ at each position i, for stride s."""
    axes = "NHWC" if len(layer.kernel) == 2 else "NHC"
    kernel = weights.reshape(*layer.kernel, layer.incoming[-1], layer.gated[-1])
    if layer.padding == "circular":
        for axis, side in enumerate(layer.kernel, 1):
            z = jnp.concatenate([z, jax.lax.slice_in_dim(z, 0, side - 1, axis=axis)], axis)
    padding = "SAME" if layer.padding == "same" else "VALID"
    numbers = (axes, f"{axes[1:-1]}IO", axes)
    return jax.lax.conv_general_dilated(
        z, kernel, (layer.stride,) * len(layer.kernel), padding, dimension_numbers=numbers, precision=_precision(z)
    )


def weighted(z: Float[Array, "samples width"], weights: Array) -> Array:
    """The sums of a dense layer."""
    return jnp.matmul(z, weights, precision=_precision(z))


def pooled(z: Array, layer: ConvLayer) -> Array:
    """The largest or the mean of each block of two positions along each axis; a last odd one is left out."""
    if layer.pool is None:
        return z
    blocks: list[int] = []
    for axis, left in enumerate(layer.outgoing[:-1], 1):
        z = jax.lax.slice_in_dim(z, 0, POOL_SIDE * left, axis=axis)
        blocks += [left, POOL_SIDE]
    z = z.reshape(len(z), *blocks, z.shape[-1])
    over = tuple(range(2, z.ndim - 1, 2))
    return z.max(over) if layer.pool == "max" else z.mean(over)


def layout(shape: Any, layers: Sequence[ConvLayer], head: str, dense: Sequence[int]) -> dict[str, Any]:
    """What decides which gates weights make, by the names of the arguments."""
    each = {
        "channels": [layer.gated[-1] for layer in layers],
        "kernel_size": [layer.kernel[0] for layer in layers],
        "padding": layers[0].padding,
        "stride": [layer.stride for layer in layers],
        "pool": [layer.pool for layer in layers],
    }
    return {"shape": tuple(shape), **each, "head": head, "dense": list(dense)}


def glorot(layers: Sequence[ConvLayer], dense: Sequence[tuple[int, int]]) -> list[float]:
    """sqrt(2/(fan-in + fan-out)) of each layer; the fan-out of a convolution counts the side of its kernel too."""
    fans = [(layer.shape[0], math.prod(layer.kernel) * layer.shape[1]) for layer in layers]
    return [math.sqrt(2 / (into + out)) for into, out in [*fans, *dense]]


def soft_gates(gating: str, beta: Any, eps: Any, gates_from: Any) -> tuple[Array, Array, bool]:
    """beta and eps, one number or one for each run, and whether gates are hard."""
    if beta is None and gates_from is not None and not (gates_from.hard and KINDS[gating].soft):
        beta, eps = np.asarray(gates_from.beta), np.asarray(gates_from.eps) if eps is None else eps
    shapes = [() if v is None else np.shape(v) for v in (beta, eps)]
    if len({s[0] for s in shapes if len(s) == 1} - {1}) > 1:
        raise UserError(
            f"beta and eps must have one value for each run, but have shapes {shapes[0]} and {shapes[1]}; give as many of both."
        )
    shape = max(shapes, key=lambda s: (len(s), s))
    if len(shape) > 1:
        raise UserError(f"beta and eps must be numbers, or one for each run, but have shape {shape}; give such values.")
    many = [np.ravel(np.broadcast_to(np.asarray(v, object), shape)) for v in (beta, eps)]
    pairs = np.array([soft_gate(gating, b, e) for b, e in zip(*many, strict=True)])
    hard = np.isinf(pairs[:, 0])
    if hard.any() and not hard.all():
        raise UserError("beta must be finite for all runs, or inf for all; train hard and soft gates apart.")
    found = pairs if shape else pairs[0]
    return jnp.asarray(found[..., 0], float), jnp.asarray(found[..., 1], float), bool(hard.all())


def _precision(z: Array) -> Any:
    """What is rounded to bfloat16 already needs no more than the plain product; else what the caller has set."""
    return jax.lax.Precision.DEFAULT if z.dtype == jnp.bfloat16 else None


def _sizes(name: str, values: Any) -> tuple[int, ...]:
    if np.ndim(values) != 1 or not len(values):
        raise UserError(f"{name} must be a list of one or more numbers, but is {values!r}; give such a list.")
    return tuple(checks.count(name, v) for v in values)


def _each(name: str, value: Any, layers: int) -> tuple[int, ...]:
    values = (value,) * layers if np.ndim(value) == 0 else tuple(value)
    if len(values) != layers:
        raise UserError(f"{name} must be one number, or one for each of the {layers} convolutions, but is {value!r}.")
    return tuple(checks.count(name, v) for v in values)


def _pools(pool: Any, layers: int) -> tuple[str | None, ...]:
    pools = (pool,) * layers if pool is None or isinstance(pool, str) else tuple(pool)
    if len(pools) != layers:
        raise UserError(f"pool must be one kind, or one for each of the {layers} convolutions, but is {pool!r}.")
    return tuple(None if p is None else checks.choice("pool", p, POOLS) for p in pools)
