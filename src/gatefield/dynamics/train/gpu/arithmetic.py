"""The elementary steps of the kernel, twice: as single instructions of an NVIDIA GPU, and in plain jax.numpy.

The plain ones say what is meant, and run wherever Pallas interprets a kernel; the tests compare them with other routes.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from gatefield.core.arrays import Exact

Bits = Int[Exact, "..."]
"""Words of 32 bits, kept as int32: Triton knows no unsigned types."""
Real = Float[Exact, "..."]
Unary = Callable[[Real], Real]

HALF, KEPT = 0x1000, -0x2000
"""TF32 has 13 bits fewer than float32: half of its last place, and the bits it keeps."""


class Arithmetic(NamedTuple):
    """What the kernel is written in."""

    wide: Callable[[Bits, int], tuple[Bits, Bits]]
    """The high and the low word of a product with a constant, both unsigned."""
    unit: Callable[[Bits], Real]
    """An unsigned word w as (w + 1/2) / 2^32, which is above 0 and at most 1."""
    log2: Unary
    exp2: Unary
    sqrt: Unary
    sin: Unary
    cos: Unary
    saturated: Callable[[Real, Real], Real]
    """x p + 1/2, kept between 0 and 1."""
    to_bits: Callable[[Real], Bits]
    from_bits: Callable[[Bits], Real]
    dot: Callable[[Real, Real, Any], Real]
    """A product of matrices whose entries have the precision of TF32, with sums in float32, and the axes to sum over."""

    def rounded(self, x: Real) -> Real:
        """The nearest number of TF32, ties away from zero."""
        return self.from_bits((self.to_bits(x) + HALF) & KEPT)

    def raised(self, x: Real) -> Real:
        """As `rounded`, for what only enters products: the bits that these leave out may be anything."""
        return self.from_bits(self.to_bits(x) + HALF)


def word(value: int) -> np.int32:
    """A constant of 32 bits."""
    return np.uint32(value).astype(np.int32)


def _wide(a: Bits, factor: int) -> tuple[Bits, Bits]:
    """By halves of 16 bits, since no type here has 64."""
    a = jax.lax.bitcast_convert_type(a, jnp.uint32)
    high, low = a >> 16, a & 0xFFFF
    top, bottom = np.uint32(factor >> 16), np.uint32(factor & 0xFFFF)
    middle = high * bottom + ((low * bottom) >> 16)
    other = low * top + (middle & 0xFFFF)
    upper = high * top + (middle >> 16) + (other >> 16)
    return jax.lax.bitcast_convert_type(upper, jnp.int32), jax.lax.bitcast_convert_type(a * np.uint32(factor), jnp.int32)


def _unit(a: Bits) -> Real:
    return jax.lax.bitcast_convert_type(a, jnp.uint32).astype(jnp.float32) * np.float32(2**-32) + np.float32(2**-33)


PLAIN = Arithmetic(
    wide=_wide,
    unit=_unit,
    log2=jnp.log2,
    exp2=jnp.exp2,
    sqrt=jnp.sqrt,
    sin=jnp.sin,
    cos=jnp.cos,
    saturated=lambda x, p: jnp.clip(x * p + np.float32(0.5), 0, 1),
    to_bits=lambda x: jax.lax.bitcast_convert_type(x, jnp.int32),
    from_bits=lambda a: jax.lax.bitcast_convert_type(a, jnp.float32),
    dot=lambda a, b, axes: jax.lax.dot_general(a, b, (axes, ((), ())), precision="highest"),
)


@functools.cache
def nvidia() -> Arithmetic:
    """Instructions of PTX; each of the approximate ones has an error of about 1e-6."""
    from jax.experimental.pallas import triton

    def assembled(code: str, types: str, kind: Any, *args: Any) -> Any:
        shape = jnp.broadcast_shapes(*(jnp.shape(a) for a in args))
        given = [jnp.broadcast_to(a, shape) for a in args]
        out = [jax.ShapeDtypeStruct(shape, jnp.dtype(kind))]
        return triton.elementwise_inline_asm(code, args=given, constraints=types, pack=1, result_shape_dtypes=out)[0]

    def single(name: str) -> Unary:
        return lambda x: assembled(f"{name}.approx.ftz.f32 $0, $1;", "=f,f", "float32", x)

    def wide(a: Bits, factor: int) -> tuple[Bits, Bits]:
        both = assembled("mul.wide.u32 $0, $1, $2;", "=l,r,r", "int64", a, jnp.int32(word(factor)))
        high = assembled("{ .reg .b32 t; mov.b64 {t, $0}, $1; }", "=r,l", "int32", both)
        return high, assembled("{ .reg .b32 t; mov.b64 {$0, t}, $1; }", "=r,l", "int32", both)

    def unit(a: Bits) -> Real:
        whole = assembled("cvt.rn.f32.u32 $0, $1;", "=f,r", "float32", a)
        return whole * np.float32(2**-32) + np.float32(2**-33)

    def saturated(x: Real, p: Real) -> Real:
        return assembled("fma.rn.ftz.sat.f32 $0, $1, $2, 0f3F000000;", "=f,f,f", "float32", x, p)

    def dot(a: Real, b: Real, axes: Any) -> Real:
        one_pass = jax.lax.DotAlgorithmPreset.TF32_TF32_F32
        return jax.lax.dot_general(a, b, (axes, ((), ())), precision=one_pass, preferred_element_type=jnp.float32)

    return Arithmetic(
        wide=wide,
        unit=unit,
        log2=single("lg2"),
        exp2=single("ex2"),
        sqrt=single("sqrt"),
        sin=single("sin"),
        cos=single("cos"),
        saturated=saturated,
        to_bits=lambda x: assembled("mov.b32 $0, $1;", "=r,f", "int32", x),
        from_bits=lambda a: assembled("mov.b32 $0, $1;", "=f,r", "float32", a),
        dot=dot,
    )
