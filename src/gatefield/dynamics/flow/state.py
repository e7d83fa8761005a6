"""The state that flows: fields alone, or fields with biases, each array with a run axis in front."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.tracing.functions import shapes_of

State = tuple[Any, ...]
Velocity = Callable[..., Any]

DIMS = {"fields": ("unit", "position"), "bias": ("unit",), "output_bias": ()}
"""What the arrays of a state are called, in order, and their dimensions in one run."""

_SHAPES = {"fields": "(n,), (K, n) or (runs, K, n)", "bias": "(K,) or (runs, K)", "output_bias": "() or (runs,)"}
_EXAMPLES = {"fields": "np.ones((1, 40))", "bias": "np.zeros(K)", "output_bias": "0.0"}
"""What a message proposes in their place."""


@dataclasses.dataclass(frozen=True)
class OneField:
    """The velocity of a single field (n,) as that of fields (1, n)."""

    velocity: Velocity

    def __call__(self, w: Any, **time: Any) -> jax.Array:
        return jnp.asarray(self.velocity(w[0], **time))[None]


def starts(w0: Any) -> tuple[dict[str, np.ndarray], bool]:
    """The arrays of a state by name, all with a run axis, and whether any came with one."""
    given = w0 if isinstance(w0, tuple) else (w0,)
    if not 1 <= len(given) <= len(DIMS):
        raise UserError(
            f"w0 must be an array of fields, or a tuple (fields, bias, output_bias), but has {len(given)} parts; "
            f"write for instance w0={_EXAMPLES['fields']}."
        )
    arrays = {name: _array(name, value, alone=len(given) == 1) for name, value in zip(DIMS, given, strict=False)}
    has_runs = {name for name, array in arrays.items() if array.ndim > len(DIMS[name])}
    runs = {array.shape[0] for name, array in arrays.items() if name in has_runs} or {1}
    if len(runs) > 1:
        raise UserError(
            f"The arrays of w0 must have equally many runs, but have {', '.join(map(str, sorted(runs)))}; "
            "give what all runs share without a run axis, such as bias[0]."
        )
    count = runs.pop()
    whole = {name: array if name in has_runs else np.repeat(array[None], count, 0) for name, array in arrays.items()}
    if "bias" in whole and whole["bias"].shape[1] != whole["fields"].shape[1]:
        units = whole["fields"].shape[1], whole["bias"].shape[1]
        raise UserError(
            f"w0 must have one bias for each unit, but has {units[0]} units and {units[1]} biases; "
            f"write for instance w0=(fields, np.zeros({units[0]}))."
        )
    return whole, bool(has_runs)


def _array(name: str, value: Any, *, alone: bool) -> np.ndarray:
    label = "w0" if alone else f"{name} in w0"
    array = np.asarray(checks.finite(label, value), np.float64)
    if array.ndim - len(DIMS[name]) not in (0, 1) or 0 in array.shape:
        raise UserError(
            f"{label} must have shape {_SHAPES[name]}, but has {array.shape}; write for instance {_EXAMPLES[name]}."
        )
    return array


def move(velocity: Velocity, state: State, time: Any = None) -> State:
    """The velocity of a state, array by array, in the default float type; `time` is handed on if it is given."""
    return tuple(jnp.asarray(part, jnp.result_type(float)) for part in _parts(velocity, state, time))


def _parts(velocity: Velocity, state: State, time: Any) -> Sequence[Any]:
    """What the velocity gives, as it is."""
    change = velocity(*state) if time is None else velocity(*state, time=time)
    return change if isinstance(change, tuple | list) else (change,)


def check_velocity(velocity: Velocity, arrays: dict[str, np.ndarray], timed: bool = False) -> None:
    """See that the velocity gives one array for each of the state, of the same shape."""
    state = tuple(jax.ShapeDtypeStruct(array.shape[1:], jnp.result_type(float)) for array in arrays.values())
    rule = f"velocity must be a function of {' and '.join(arrays)}{', and of time=,' * timed} that JAX can trace"
    parts = shapes_of(rule, lambda *state: [*map(jnp.asarray, _parts(velocity, state, 0.0 if timed else None))], *state)
    unreal = next((part.dtype for part in parts if jnp.issubdtype(part.dtype, jnp.complexfloating)), None)
    if unreal is not None:
        raise UserError(f"The velocity must give real numbers, but gives {unreal}; return its real part, jnp.real(v).")
    given = [part.shape for part in parts]
    wanted = [part.shape for part in state]
    if given != wanted:
        raise UserError(
            f"The velocity must give {_listed(wanted)} for {' and '.join(arrays)}, but gives {_listed(given)}: "
            f"return one array for each array of w0, of the same shape."
        )


def _listed(shapes: list[tuple[int, ...]]) -> str:
    return f"{'an array' if len(shapes) == 1 else f'{len(shapes)} arrays'} of shape {' and '.join(map(str, shapes))}"


def flattened(velocity: Velocity, state: State) -> tuple[jax.Array, Callable[[jax.Array], jax.Array], Callable[[Any], State]]:
    """A state as one vector, its velocity as a function of such vectors, and the way back."""
    vector, back = ravel_pytree(state)
    return vector, lambda x: ravel_pytree(move(velocity, back(x)))[0], back
