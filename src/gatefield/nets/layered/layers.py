"""The layers of a network: what enters them, the sums they make of it, and what leaves their gates."""

import itertools
import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted

Padding = Literal["valid", "same", "circular"]
Pool = Literal["max", "mean"]
Head = Literal["flatten", "mean"]
PADDINGS: tuple[Padding, ...] = get_args(Padding)
POOLS: tuple[Pool, ...] = get_args(Pool)
HEADS: tuple[Head, ...] = get_args(Head)
POOL_SIDE = 2
"""Pooling takes neighbours together in pairs along each axis; one that is left over is dropped."""
Sizes = tuple[int, ...]


class Dense(NamedTuple):
    """All that enters goes into every sum."""

    incoming: Sizes
    """How many numbers enter, as a tuple of one."""
    gated: Sizes
    """The width: its sums and gates."""

    @property
    def shape(self) -> tuple[int, int]:
        """Of its weights."""
        return self.incoming[0], self.gated[0]

    @property
    def fans(self) -> tuple[int, int]:
        """Fan-in and fan-out."""
        return self.shape

    @property
    def outgoing(self) -> Sizes:
        return self.gated

    def sums(self, z: Float[Array, "*samples n"], weights: Float[Array, "n width"]) -> Float[Array, "*samples width"]:
        return jnp.matmul(z, weights, precision=_precision(z))

    def leaving(self, z: Array) -> Array:
        """What the next layer gets of sums times gates."""
        return z


class Convolution(NamedTuple):
    """A kernel goes over all positions; behind its gates there may be pooling and, last of all convolutions, a head."""

    kernel: Sizes
    """Its side along each axis of positions."""
    stride: int
    padding: Padding
    pool: Pool | None
    head: Head | None
    """What the last convolution hands on: all positions side by side ("flatten") or their "mean"."""
    incoming: Sizes
    """Positions and, last, channels that come in."""
    gated: Sizes
    """Positions and channels of its sums and gates."""

    @property
    def shape(self) -> tuple[int, int]:
        """Of its weights: all that enters a unit, and channels."""
        return math.prod(self.kernel) * self.incoming[-1], self.gated[-1]

    @property
    def fans(self) -> tuple[int, int]:
        """Fan-in and fan-out; both count the side of the kernel."""
        return self.shape[0], math.prod(self.kernel) * self.shape[1]

    @property
    def pooled(self) -> Sizes:
        """Positions and channels after pooling."""
        return self.gated if self.pool is None else (*(n // POOL_SIDE for n in self.gated[:-1]), self.gated[-1])

    @property
    def outgoing(self) -> Sizes:
        """Positions and channels that leave it, or as many numbers as the head makes of them."""
        whole = {None: self.pooled, "mean": self.pooled[-1:], "flatten": (math.prod(self.pooled),)}
        return whole[self.head]

    def sums(self, z: Float[Array, "samples *positions channels"], weights: Float[Array, "fan_in width"]) -> Array:
        r"""$q(i) = \sum_j \Theta_j\, z(i\,s + j)$ at each position i, for stride s."""
        axes = "NHWC" if len(self.kernel) == 2 else "NHC"
        kernel = weights.reshape(*self.kernel, self.incoming[-1], self.gated[-1])
        if self.padding == "circular":
            for axis, side in enumerate(self.kernel, 1):
                z = jnp.concatenate([z, jax.lax.slice_in_dim(z, 0, side - 1, axis=axis)], axis)
        padding = "SAME" if self.padding == "same" else "VALID"
        numbers = (axes, f"{axes[1:-1]}IO", axes)
        return jax.lax.conv_general_dilated(
            z, kernel, (self.stride,) * len(self.kernel), padding, dimension_numbers=numbers, precision=_precision(z)
        )

    def leaving(self, z: Float[Array, "samples *positions channels"]) -> Array:
        """What the next layer gets of sums times gates."""
        z = z if self.pool is None else self._pooled(z)
        if self.head is None:
            return z
        return z.mean(tuple(range(1, z.ndim - 1))) if self.head == "mean" else z.reshape(len(z), -1)

    def _pooled(self, z: Array) -> Array:
        """The largest or the mean of each block of two positions along each axis; a last odd one is left out."""
        blocks: list[int] = []
        for axis, left in enumerate(self.pooled[:-1], 1):
            z = jax.lax.slice_in_dim(z, 0, POOL_SIDE * left, axis=axis)
            blocks += [left, POOL_SIDE]
        z = z.reshape(len(z), *blocks, z.shape[-1])
        over = tuple(range(2, z.ndim - 1, 2))
        return z.max(over) if self.pool == "max" else z.mean(over)


Layer = Dense | Convolution


def dense_layers(incoming: int, widths: Sequence[int], outputs: int | None) -> tuple[Dense, ...]:
    """Layers of these widths, and one that reads them out, unless `outputs` is None."""
    sizes = [incoming, *widths, *([] if outputs is None else [checks.count("outputs", outputs)])]
    return tuple(Dense((fan_in,), (width,)) for fan_in, width in itertools.pairwise(sizes))


def convolutions(
    shape: Any, channels: Any, kernel_size: Any, padding: Padding, stride: Any, pool: Any, head: Head
) -> tuple[Convolution, ...]:
    """The convolutions, each with the sizes that the one before leaves it."""
    incoming = _sizes("shape", shape)
    if len(incoming) not in (2, 3):
        raise UserError(
            f"shape must be (positions, channels) or (height, width, channels), but is {incoming}; name the channels too."
        )
    channels = _sizes("channels", channels)
    padding, head = checks.choice("padding", padding, PADDINGS), checks.choice("head", head, HEADS)
    sides, strides = (_each(name, v, len(channels)) for name, v in (("kernel_size", kernel_size), ("stride", stride)))
    found: list[Convolution] = []
    for at, options in enumerate(zip(channels, sides, strides, _pools(pool, len(channels)), strict=True), 1):
        found.append(_convolution(at, incoming, *options, padding, head if at == len(channels) else None))
        incoming = found[-1].outgoing
    return tuple(found)


def _convolution(
    at: int, incoming: Sizes, width: int, side: int, stride: int, pool: Pool | None, padding: Padding, head: Head | None
) -> Convolution:
    positions = incoming[:-1]
    if padding != "same" and side > min(positions):
        raise UserError(
            f"Convolution {at} has kernels of side {side}, but only {positions} positions enter; "
            f"take kernel_size={min(positions)} there, or padding='same'."
        )
    whole = [n - side + 1 if padding == "valid" else n for n in positions]
    sums = tuple(-(-n // stride) for n in whole)
    found = Convolution((side,) * len(positions), stride, padding, pool, head, incoming, (*sums, width))
    if min(found.pooled) < 1:
        raise UserError(f"Convolution {at} leaves no positions; take fewer layers, a smaller stride or no pooling there.")
    return found


def _precision(z: Array) -> Any:
    """What is rounded to bfloat16 already needs no more than the plain product; else what the caller has set."""
    return jax.lax.Precision.DEFAULT if z.dtype == jnp.bfloat16 else None


def is_list(value: Any) -> bool:
    """Whether a value is a list of numbers or names, and not one of them or rows of unequal length."""
    try:
        return np.ndim(value) == 1
    except ValueError:
        return False


def _sizes(name: str, values: Any) -> Sizes:
    if not is_list(values) or not len(values):
        raise UserError(
            f"{name} must be a list of one or more numbers, but is {quoted(values)}; write for instance {name}=[8, 8]."
        )
    return tuple(checks.count(name, v) for v in values)


def _each(name: str, value: Any, layers: int) -> Sizes:
    values = tuple(value) if is_list(value) else (value,) * layers
    if len(values) != layers:
        raise UserError(f"{name} must be one number, or one for each of the {layers} convolutions, but is {quoted(value)}.")
    return tuple(checks.count(name, v) for v in values)


def _pools(pool: Any, layers: int) -> tuple[Pool | None, ...]:
    pools = tuple(pool) if is_list(pool) else (pool,) * layers
    if len(pools) != layers:
        raise UserError(f"pool must be one kind, or one for each of the {layers} convolutions, but is {quoted(pool)}.")
    return tuple(None if p is None else checks.choice("pool", p, POOLS) for p in pools)
