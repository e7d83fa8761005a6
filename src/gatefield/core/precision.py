"""Float64 where mathematics needs it, without switching it on for the user's whole program; sizes within the float type."""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Num

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


def exact(function: Callable[P, R]) -> Callable[P, R]:
    """Compute in float64 when called with plain values, whatever `jax_enable_x64` says.

    The result is then a float64 NumPy array, which keeps its precision in later NumPy arithmetic. Under a transformation
    (`jit`, `vmap`, `grad`), or with `jax_enable_x64` on, the function is called as it is and gives JAX arrays.
    """

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        traced = any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves((args, kwargs)))
        if traced or jax.config.jax_enable_x64:  # pyright: ignore[reportAttributeAccessIssue]
            return function(*args, **kwargs)
        with jax.enable_x64(True), jax.ensure_compile_time_eval():
            return jax.tree.map(np.asarray, function(*args, **kwargs))

    return wrapper


def detached(tree: T) -> T:
    """A tree with copies of its NumPy arrays.

    JAX keeps one device form of each NumPy array that a trace holds on to, found by its identity and not by its float type:
    what a flow traced in float64 would come back in float64 in a training in float32. So no trace is given the array itself.
    """
    return jax.tree.map(lambda leaf: np.array(leaf) if isinstance(leaf, np.ndarray) else leaf, tree)


def real(value: Any) -> jax.Array:
    """`value` as an array of the default float type: float64 inside `exact`, else float32 unless x64 is on."""
    return jnp.asarray(value, dtype=jnp.result_type(float))


def scaled(w: Num[Array, "*shape"], axis: int = -1) -> Num[Array, "*shape"]:
    """Fields times a power of two, so that the largest entry along the axis lies between 1/2 and 1.

    No digit is lost and none depends on the scale. The power is applied in two halves, since the whole may lie outside the
    range of the float type. It counts as a constant in derivatives, which is right for what does not depend on scale. A field
    of zeros or of no entries stays, and so does one of numbers so small that the device counts them as zero (below 2.2e-308 in
    float64, 1.2e-38 in float32).
    """
    if not w.size or not w.ndim:
        return w
    size = jax.lax.stop_gradient(jnp.maximum(jnp.abs(jnp.real(w)), jnp.abs(jnp.imag(w))))
    _, exponent = jnp.frexp(jnp.max(size, axis=axis, keepdims=True))
    half = exponent // 2
    one = jnp.ones((), size.dtype)
    return w * jnp.ldexp(one, -half) * jnp.ldexp(one, half - exponent)
