"""Arrays of a gated network, checked: plain values become NumPy arrays, traced or accelerated ones stay JAX arrays."""

import functools
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import ArrayLike, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact, Numbers
from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted

Arrays = Sequence[Numbers]
"""One array for each layer."""
Samples = Real[ArrayLike, "samples inputs"] | Sequence
"""Inputs, as users have them."""
Kernel = Float[Exact, "samples samples"]
Products = Literal["float32", "tf32"]
"""The precision of float32 products on a GPU: full, or three digits of each factor and sums in float32."""
_PRODUCTS: dict[Products, str] = {"float32": "float32", "tf32": "tensorfloat32"}
_asked: ContextVar[Products] = ContextVar("precision", default="float32")
P = ParamSpec("P")
R = TypeVar("R")


def arrays(name: str, value: Any) -> None:
    """A list of arrays of finite numbers, one for each layer."""
    listed = isinstance(value, Sequence) and not isinstance(value, str | bytes)
    if not (listed or (isinstance(value, np.ndarray | jax.Array) and value.ndim)):
        raise UserError(f"{name} must be a list with one array for each layer, but is {quoted(value)}; write {name}=[...].")
    for at, array in enumerate(value, 1):
        checks.finite(f"{name} of layer {at}", checks.nameless(array))  # whose rows are what enters, such as sites


def numbers(name: str, value: Any) -> None:
    """Finite numbers of any shape, at least one."""
    if 0 in checks.shape(name, value):
        sizes = np.shape(value)
        raise UserError(f"{name} must have at least one sample, but its shape is {sizes}; give one row for each sample.")
    checks.finite(name, value)


def kernel(name: str, value: Any) -> None:
    """Kernels (..., samples, samples), finite."""
    checks.kernel(name, value)
    checks.finite(name, value)


def full_precision(function: Callable[P, R]) -> Callable[P, R]:
    """Products in the full precision of the arrays, also on a GPU, whose default keeps three digits.

    A function with an argument `precision` may be asked for another one, which then holds for all that it calls.
    """

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        before = _asked.set(kwargs.get("precision") or _asked.get())  # pyright: ignore[reportArgumentType]
        try:
            with jax.default_matmul_precision(None if jax.default_backend() == "cpu" else _PRODUCTS[_asked.get()]):
                return function(*args, **kwargs)
        finally:
            _asked.reset(before)

    return wrapper


def products(name: str, value: Any) -> None:
    """The name of a precision."""
    checks.choice(name, value, _PRODUCTS)


def on_device(*trees: Any) -> bool:
    """Whether JAX has to do the work: something is traced, or lies on an accelerator."""
    return any(
        isinstance(leaf, Tracer) or (isinstance(leaf, jax.Array) and any(d.platform != "cpu" for d in leaf.devices()))
        for leaf in jax.tree.leaves(trees)
    )


def is_traced(*trees: Any) -> bool:
    """Whether a value is not known yet."""
    return any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves(trees))


def float_arrays(*groups: Sequence[Any], exact: bool = False) -> tuple[list[Any], ...]:
    """The groups with arrays of one float type: float32 where all that is not whole or boolean is float32, or else float64.

    `exact` asks for float64 in any case; under a transformation, JAX's default float type is meant by that.
    """
    leaves = [leaf for leaf in jax.tree.leaves(groups) if _is_real(leaf)]
    if on_device(groups):
        kind = jnp.result_type(float) if exact or not leaves else jnp.result_type(*leaves)
        return tuple([jnp.asarray(a, kind) for a in group] for group in groups)
    single = bool(leaves) and not exact and all(getattr(leaf, "dtype", None) == np.float32 for leaf in leaves)
    return tuple([np.asarray(a, np.float32 if single else np.float64) for a in group] for group in groups)


class Checked(NamedTuple):
    """A network with given gates, its shapes checked: plain NumPy arrays, or JAX arrays."""

    weights: list[Any]
    """(fan-in, width), the last (width, outputs)."""
    gates: list[Any]
    """(samples, width), one for each layer but the last."""
    x: Any
    """(samples, fan-in of the first layer)."""
    biases: list[Any] | None
    """(width,), one for each layer."""


def check_network(weights: Any, gates: Any, x: Any, biases: Any = None) -> Checked:
    """A network whose shapes fit each other."""
    weights, gates, offsets, (x,) = float_arrays(list(weights), list(gates), [] if biases is None else list(biases), [x])
    deep = next((g.shape for g in gates if g.ndim > 2), None)
    if deep is not None:
        raise UserError(
            f"gates must have the shape (samples, width), but those of a layer have {deep}; convolutions are not covered, see "
            "tangent_kernel, conv_moment and expected_conv_ntk."
        )
    weights = check_layers("weights", weights, x)
    if len(gates) != len(weights) - 1:
        raise UserError(
            f"{len(weights)} weight layers need {len(weights) - 1} layers of gates, not {len(gates)}; give one for each."
        )
    widths = [w.shape[1] for w in weights[:-1]]
    each = [_per_sample(g, at, len(x), w) for at, (g, w) in enumerate(zip(gates, widths, strict=True), 1)]
    return Checked(weights, each, x, None if biases is None else check_biases("biases", offsets, weights))


def check_biases(name: str, biases: list[Any], weights: list[Any]) -> list[Any]:
    """One bias for each unit of these layers."""
    shapes, wanted = [b.shape for b in biases], [w.shape[1:] for w in weights]
    if shapes != wanted:
        raise UserError(f"{name} must have the shapes {wanted}, one for each unit of a layer, not {shapes}; add or cut some.")
    return biases


def check_layers(name: str, weights: list[Any], x: Any) -> list[Any]:
    """Weights whose shapes fit each other and the inputs; a last layer (width,) becomes (width, 1)."""
    if x.ndim != 2:
        raise UserError(f"x must have the shape (samples, inputs), not {x.shape}; put the samples first.")
    if not len(x):
        raise UserError(f"x must have at least one sample, but its shape is {x.shape}; give one row for each sample.")
    if len(weights) < 2:
        raise UserError(f"{name} must be a list of at least two layers, not {len(weights)}; give one array for each layer.")
    weights = [*weights[:-1], weights[-1].reshape(-1, 1) if weights[-1].ndim == 1 else weights[-1]]
    fan_in = x.shape[1]
    for layer, w in enumerate(weights, 1):
        if w.ndim != 2 or w.shape[0] != fan_in:
            rule = f"({fan_in}, width), because {fan_in} values enter"
            raise UserError(f"{name} of layer {layer} must have the shape {rule}, not {w.shape}; transpose or cut them.")
        fan_in = w.shape[1]
    return weights


def check_gates(gates: Any) -> list[Any]:
    """Gates (samples, width) of each layer, for the same samples; in float64."""
    (gates,) = float_arrays(list(gates), exact=True)
    if not gates or any(g.ndim != 2 or len(g) != len(gates[0]) for g in gates):
        shapes = [g.shape for g in gates]
        raise UserError(
            f"gates must be arrays (samples, width), one for each gated layer, but have shapes {shapes}; stack the samples."
        )
    if not len(gates[0]) or not all(g.size for g in gates):
        raise UserError(f"gates must be of one sample and one unit at least, but have shapes {[g.shape for g in gates]}.")
    return gates


def _per_sample(gate: Any, layer: int, samples: int, width: int) -> Any:
    if gate.shape == (samples, width):
        return gate
    if gate.shape in ((), (width,), (1, width)):
        return (jnp if isinstance(gate, jax.Array) else np).broadcast_to(gate, (samples, width))
    raise UserError(
        f"gates of layer {layer} must have the shape ({samples}, {width}), not {gate.shape}; give one row for each sample."
    )


def _is_real(leaf: Any) -> bool:
    return isinstance(leaf, float) or np.issubdtype(getattr(leaf, "dtype", np.int64), np.floating)
