"""The kernel: it draws samples of both classes, runs them through a committee and back, and sums gradients, all on chip."""

import functools
import itertools
import math
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from gatefield.dynamics.train.gpu.arithmetic import PLAIN, Arithmetic, Bits, Real, nvidia
from gatefield.dynamics.train.gpu.normals import four_normals
from gatefield.dynamics.train.gpu.squash import error_function

WORDS = 4
"""One counter makes four words, one for a sample of each quarter of a class."""
LEAST_BLOCK, LEAST_UNITS = 8, 16
"""The smallest sizes of a matrix product on the tensor cores, in sites and in units."""


class Tiling(NamedTuple):
    """How the work is cut; the numbers do not depend on it, but for the order of their sums."""

    rows: int = 64
    """Samples of each quarter that go together."""
    warps: int = 4
    tiles: int = 4
    """How many such tiles one program takes, one after the other."""
    least: int = LEAST_BLOCK
    """Sites are padded to a multiple of this, and cut into blocks whose sizes are powers of two."""


class Step(NamedTuple):
    """What is fixed of a training step: the committee, the batch, and how exact products are."""

    n: int
    units: int
    activation: Literal["relu", "erf"]
    sizes: tuple[int, int]
    """Samples of the positive and of the negative class."""
    parts: int
    """In how many numbers of TF32 the covariance's root, weights and residuals are split: 1 or 2."""
    tiling: Tiling = Tiling()
    interpret: bool = False

    @property
    def blocks(self) -> list[tuple[int, int]]:
        """Starts and sizes of the blocks of sites."""
        rest = -(-self.n // self.tiling.least) * self.tiling.least
        sizes = []
        while rest:
            sizes.append(min(1 << (rest.bit_length() - 1), 64))
            rest -= sizes[-1]
        return list(zip([0, *itertools.accumulate(sizes)], sizes, strict=False))

    @property
    def padded(self) -> tuple[int, int]:
        """Units and sites with padding."""
        return max(LEAST_UNITS, 1 << (self.units - 1).bit_length()), sum(self.blocks[-1])

    @property
    def quarters(self) -> tuple[int, int]:
        """Counters of each class: each makes one sample of every quarter, of which the last may be shorter."""
        return -(-self.sizes[0] // WORDS), -(-self.sizes[1] // WORDS)

    @property
    def programs(self) -> int:
        """How many programs share a class."""
        return -(-max(self.quarters) // (self.tiling.rows * self.tiling.tiles))


def gradient(
    step: Step,
    key: Int[Array, " 2"],
    at: Int[Array, ""],
    roots: Float[Array, "parts classes sites sites"],
    numbers: Float[Array, "classes 2"],
    weights: Float[Array, "units n"],
) -> Float[Array, "units n"]:
    r"""The gradient of half the mean squared error by the weights, on the batch of one step.

    $$\frac{1}{B}\sum_s r_s\,\frac{1}{K}\sigma'(\langle w_k, x_s\rangle)\,x_s, \qquad
    x_s = \operatorname{erf}(\varepsilon_s R_c)/Z_c$$

    **Arguments**

    - `key`, `at`: the key of the training, and the step: with class, site and sample they are the counter.
    - `roots`: for both classes the root $R_c$ of the latent covariance, times the gain; padded with zeros, in parts.
    - `numbers`: for both classes $1/Z_c$ and the label.
    """
    from jax.experimental import pallas as pl

    units, sites = step.padded
    whole = [(2,), (1,), (step.parts, 2, sites, sites), (2, 2), (step.units, step.n)]
    options: dict[str, Any] = {"interpret": True} if step.interpret else {"compiler_params": _options(step.tiling)}
    sums = pl.pallas_call(
        functools.partial(_program, step, PLAIN if step.interpret else nvidia()),
        grid=(2 * step.programs,),
        in_specs=[pl.BlockSpec(shape, functools.partial(_start, len(shape))) for shape in whole],
        out_specs=pl.BlockSpec((1, units, sites), lambda i: (i, 0, 0)),
        out_shape=jax.ShapeDtypeStruct((2 * step.programs, units, sites), jnp.float32),
        **options,
    )(key, at[None], roots, numbers, weights)
    return sums.sum(0)[: step.units, : step.n]


def _start(ndim: int, program: Any) -> tuple[int, ...]:
    """All programs read whole arrays."""
    return (0,) * ndim


def _options(tiling: Tiling) -> Any:
    from jax.experimental.pallas import triton

    return triton.CompilerParams(num_warps=tiling.warps, num_stages=1)


def _program(step: Step, by: Arithmetic, key: Any, at: Any, roots: Any, numbers: Any, weights: Any, out: Any) -> None:
    """One program: some tiles of one class, and the sum of their gradients."""
    from jax.experimental import pallas as pl

    tiling, blocks = step.tiling, step.blocks
    program = pl.program_id(0)
    label = (program >= step.programs).astype(jnp.int32)  # 0 is the positive class
    count, quarter = (positive + label * (negative - positive) for positive, negative in (step.sizes, step.quarters))
    inverse, target = numbers[label, 0], numbers[label, 1]
    root = [[[roots[p, label, pl.ds(*a), pl.ds(*b)] for b in blocks] for a in blocks] for p in range(step.parts)]
    w = [_split(_block(step, weights, *block) * inverse, step.parts, by) for block in blocks]
    words = key[0], key[1]
    row = jax.lax.broadcasted_iota(jnp.int32, (tiling.rows,), 0)

    def tile(number: Array, sums: tuple[Real, ...]) -> tuple[Real, ...]:
        first = ((program - label * step.programs) * tiling.tiles + number) * tiling.rows
        noise = [_noise(step, first, block, label, at[0], words, by) for block in blocks]
        for part, of in enumerate(zip(*noise, strict=True)):
            x = [by.raised(error_function(z, by)) for z in _products(of, root, by)]
            h = _sum(by.dot(a, v, ((1,), (1,))) for a, split in zip(x, w, strict=True) for v in split)
            within = (first + row < quarter) & (part * quarter + first + row < count)
            back = _backward(step, h, target, within, by)
            # Under a condition each product is laid out by itself. Beside the others all warps would repeat it.
            sums = tuple(
                jax.lax.cond(first < quarter, functools.partial(_added, back, a, by), lambda total: total, total)
                for total, a in zip(sums, x, strict=True)
            )
        return sums

    start = tuple(jnp.zeros((step.padded[0], size), jnp.float32) for _, size in blocks)
    sums = jax.lax.fori_loop(0, tiling.tiles, tile, start)
    scale = inverse * np.float32(1 / (step.units * sum(step.sizes)))
    for (begin, size), total in zip(blocks, sums, strict=True):
        out[0, :, pl.ds(begin, size)] = total * scale


def _noise(
    step: Step, first: Array, block: tuple[int, int], label: Array, at: Array, key: tuple[Bits, Bits], by: Arithmetic
) -> tuple[Real, ...]:
    """Normals of one tile and block of sites, for each of the four quarters."""
    begin, size = block
    shape = step.tiling.rows, size
    sample = first + jax.lax.broadcasted_iota(jnp.int32, shape, 0)
    site = begin + jax.lax.broadcasted_iota(jnp.int32, shape, 1)
    counter = sample, site, jnp.zeros_like(site) + label, jnp.zeros_like(site) + at
    return tuple(by.raised(normal) for normal in four_normals(counter, key, by))


def _products(noise: tuple[Real, ...], root: list[list[list[Real]]], by: Arithmetic) -> list[Real]:
    """Noise times root, for each block of sites."""
    pairs = [(e, [part[a] for part in root]) for a, e in enumerate(noise)]
    return [_sum(by.dot(e, part[b], ((1,), (0,))) for e, parts in pairs for part in parts) for b in range(len(noise))]


def _backward(step: Step, h: Real, target: Array, within: Array, by: Arithmetic) -> list[Real]:
    """What each sample and unit has to say to the gradient, in parts; samples that are not there say nothing."""
    share = np.float32(1 / step.units)
    if step.activation == "relu":
        residual = jnp.where(within, jnp.sum(jnp.maximum(h, np.float32(0)), axis=1) * share - target, np.float32(0))
        return [jnp.where(h > 0, part[:, None], np.float32(0)) for part in _split(residual, step.parts, by)]
    answer = error_function(h * np.float32(math.sqrt(0.5)), by)
    residual = jnp.where(within, jnp.sum(answer, axis=1) * share - target, np.float32(0))
    slope = by.exp2(h * h * np.float32(-0.5 / math.log(2))) * np.float32(math.sqrt(2 / math.pi))
    return _split(residual[:, None] * slope, step.parts, by)


def _added(back: list[Real], x: Real, by: Arithmetic, total: Real) -> Real:
    return _sum([total, *(by.dot(part, x, ((0,), (0,))) for part in back)])


def _split(x: Real, parts: int, by: Arithmetic) -> list[Real]:
    """Numbers of TF32 whose sum is x, as nearly as so many can."""
    first = by.rounded(x)
    return [first] if parts == 1 else [first, *_split(x - first, parts - 1, by)]


def _block(step: Step, weights: Any, begin: int, size: int) -> Real:
    """A block of the weights, with zeros for units and sites that are not there."""
    shape = step.padded[0], size
    unit, site = (jax.lax.broadcasted_iota(jnp.int32, shape, axis) + (0, begin)[axis] for axis in range(2))
    found = weights[jnp.minimum(unit, step.units - 1), jnp.minimum(site, step.n - 1)]
    return jnp.where((unit < step.units) & (site < step.n), found, np.float32(0))


def _sum(terms: Any) -> Any:
    return functools.reduce(lambda a, b: a + b, terms)
