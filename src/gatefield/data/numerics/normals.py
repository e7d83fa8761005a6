r"""Standard normal numbers in float32: counter-based, and written so that XLA makes one loop of them.

Number f of a key comes from block f // 2 of Threefry-2x32 with 20 rounds, whose counter is (f // 2, 0): it depends on key and f
alone. The two words of a block give u and v in (0, 1), and these a pair of normals,

$$z_0 + i z_1 = \sqrt{-2 \ln u}\, e^{2\pi i v}$$

with u of 31 bits, so that |z| <= 6.67, both rounded to float32. For these u and v, the error is below 3e-7 max(1, |z|).

**Source:** J. K. Salmon et al., *Parallel random numbers: as easy as 1, 2, 3*, SC11 (Threefry); G. E. P. Box and M. E. Muller,
Annals of Mathematical Statistics 29, 610 (1958); the polynomials are those of S. Moshier's Cephes library.
"""

import functools
import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Complex64, Float, PRNGKeyArray, UInt32

from gatefield.core.errors import UserError

NORMALS = "Threefry-2x32-20, Box-Muller"
"""How normal numbers are made: another way gives other trainings of the same key."""

U = np.uint32
F = np.float32

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
PARITY = U(0x1BD11BDA)
ROUNDS = 20
MOST_BLOCKS = 2**32
"""Blocks are counted in one word of 32 bits; further ones would repeat the first."""

HALF_ROOT = U(0x3F3504F3)
"""The bits of sqrt(1/2): mantissas are taken from there to sqrt(2)."""
LOG = (7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1)
LOG += (-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)
SINE = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
COSINE = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)

Words = UInt32[Array, "..."]
Floats = Float[Array, "..."]


def normal(key: PRNGKeyArray, shape: tuple[int, ...], dtype: jnp.dtype | type = float) -> Float[Array, "..."]:
    """Standard normal numbers, in place of `jax.random.normal`, which is slower on a CPU.

    The numbers of a key do not depend on the shape: of two shapes the larger one begins, in C order, with those of the smaller.

    In other types than float32, and from other keys than those of Threefry, they are `jax.random.normal`.

    **Arguments**

    - `key`: one key of `jax.random`.
    - `shape`, `dtype`: those of the array.

    **Returns** the numbers.

    >>> import jax
    >>> few, more = (normal(jax.random.key(0), (size, 3)) for size in (2, 4))
    >>> bool((few == more[:2]).all())
    True
    """
    dtype = jnp.dtype(jnp.result_type(dtype))
    words = jax.random.key_data(key)
    if dtype != np.float32 or words.shape != (2,):
        return jax.random.normal(key, shape, dtype)
    return _normal(words, tuple(shape))


@functools.partial(jax.jit, static_argnums=1)
def _normal(words: UInt32[Array, " two"], shape: tuple[int, ...]) -> Float[Array, "..."]:
    size = math.prod(shape)
    blocks = -(-size // 2)
    if blocks > MOST_BLOCKS:
        raise UserError(f"At most {2 * MOST_BLOCKS:,} normal numbers can be drawn at once, but {size:,} were asked for.")
    if not size:
        return jnp.zeros(shape, F)
    pairs = _stored(_rows(blocks))(words)
    first = lax.broadcasted_iota(np.int32, (*pairs.shape, 2), 2) == 0
    return jnp.where(first, pairs.real[..., None], pairs.imag[..., None]).reshape(-1)[:size].reshape(shape)


def _rows(blocks: int) -> tuple[int, int]:
    """Rows and columns for so many blocks or a few more: rows are shared among threads, columns fill vector registers."""
    exact = (width for width in range(512, 127, -16) if blocks % width == 0)
    width = min(next(exact, 256), blocks)
    return -(-blocks // width), width


@functools.lru_cache(maxsize=256)
def _stored(shape: tuple[int, int]) -> Callable[[Words], Complex64[Array, "..."]]:
    """The function from the words of a key to pairs of normals, which on a CPU are made once and then read twice.

    XLA for CPUs would make each pair anew for each of its two readers. What leaves a conditional is stored, and this one always
    goes one way. Under `vmap` a conditional with a condition for each run makes both ways, so there is one condition for all.
    """

    def once(words: Words) -> Complex64[Array, "..."]:
        def on_cpu(words: Words) -> Complex64[Array, "..."]:
            always = (words.ravel()[0] | U(1)) != 0
            return lax.cond(always, made, lambda words: jnp.zeros(words.shape[:-1] + shape, np.complex64), words)

        return lax.platform_dependent(words, cpu=on_cpu, default=made)

    def made(words: Words) -> Complex64[Array, "..."]:
        k0, k1 = words[..., 0, None, None], words[..., 1, None, None]
        counter = lax.iota(np.uint32, math.prod(shape)).reshape(shape)
        return lax.complex(*box_muller(*threefry(k0, k1, counter, jnp.zeros_like(counter))))

    stored = jax.custom_batching.custom_vmap(once)
    stored.def_vmap(lambda size, batched, words: (stored(words), True))
    return stored


def threefry(k0: Words, k1: Words, c0: Words, c1: Words) -> tuple[Words, Words]:
    """The two words of the block with counter (c0, c1) under the key (k0, k1)."""
    keys = (k0, k1, k0 ^ k1 ^ PARITY)
    c0, c1 = c0 + k0, c1 + k1
    for i in range(ROUNDS):
        c0 = c0 + c1
        turn = ROTATIONS[i // 4 % 2][i % 4]
        c1 = ((c1 << U(turn)) | (c1 >> U(32 - turn))) ^ c0
        if i % 4 == 3:
            s = i // 4 + 1
            c0, c1 = c0 + keys[s % 3], c1 + keys[(s + 1) % 3] + U(s)
    return c0, c1


def box_muller(w0: Words, w1: Words) -> tuple[Floats, Floats]:
    """Two normals from two words: the first is the radius; of the second, two bits are the quadrant and 30 the angle in it."""
    radius = jnp.sqrt(F(-2) * _log_uniform(w0))
    sine, cosine = _sine_cosine(_signed(w1 << U(2)).astype(F) * F(np.pi / 4 * 2.0**-31))
    swapped, sign = (w1 >> U(31)) == 1, (w1 << U(1)) & U(1 << 31)
    first, second = jnp.where(swapped, sine, cosine), jnp.where(swapped, cosine, sine)
    return _float(_bits(radius * first) ^ sign), _float(_bits(radius * second) ^ sign)


def _log_uniform(word: Words) -> Floats:
    """ln u, with u = (w + 1/2)/2^31 for the upper 31 bits w of a word."""
    uniform = _signed(word >> U(1)).astype(F) + F(0.5)
    shifted = _bits(uniform) + (U(127 << 23) - HALF_ROOT)
    exponent = (_signed(shifted >> U(23)) - np.int32(127 + 31)).astype(F)
    m = _float((shifted & U((1 << 23) - 1)) + HALF_ROOT) - F(1)
    return (m + (m * m * (m * _polynomial(LOG, m)) - F(0.5) * (m * m))) + exponent * F(np.log(2))


def _sine_cosine(angle: Floats) -> tuple[Floats, Floats]:
    """The sine and the cosine of an angle within 45 degrees."""
    square = angle * angle
    sine = angle + angle * (square * _polynomial(SINE, square))
    return sine, F(1) + square * (square * _polynomial(COSINE, square) - F(0.5))


def _polynomial(coefficients: tuple[float, ...], x: Floats) -> Floats:
    return functools.reduce(lambda sum, c: sum * x + F(c), coefficients[1:], jnp.full_like(x, coefficients[0]))


def _signed(word: Words) -> Array:
    return lax.bitcast_convert_type(word, np.int32)


def _float(word: Words) -> Floats:
    return lax.bitcast_convert_type(word, F)


def _bits(x: Floats) -> Words:
    return lax.bitcast_convert_type(x, np.uint32)
