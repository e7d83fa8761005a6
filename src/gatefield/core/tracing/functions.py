"""Functions of the user's own: what they give, found without computing."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.precision import real

MOST = 200
"""How many characters of a foreign error a message repeats."""


def shapes_of(rule: str, function: Any, *arguments: Any) -> Any:
    """Shapes and types of what a function gives, as `jax.eval_shape` finds them; an error that begins with `rule` if it fails.

    >>> shapes_of("loss must be a function", lambda x: x.sum(), jax.ShapeDtypeStruct((3,), float)).shape
    ()
    """
    return attempted(rule, jax.eval_shape, function, *arguments)


def shape_of(rule: str, function: Any, *arguments: Any) -> tuple[int, ...]:
    """The shape of the array of real numbers that a function gives."""
    found = shapes_of(rule, function, *arguments)
    if (
        not hasattr(found, "shape")
        or not isinstance(found.dtype, np.dtype)  # the type of a key is JAX's own
        or not np.issubdtype(found.dtype, np.number)
        or np.issubdtype(found.dtype, np.complexfloating)
    ):
        kind = getattr(found, "dtype", type(found).__name__)
        raise UserError(f"{rule}, but gives {'nothing' if found is None else kind}; return an array of real numbers.")
    return found.shape


def values_of(rule: str, function: Callable[..., Any], *arguments: Any) -> jax.Array:
    """The real numbers that a function gives, in the default float type; an error that begins with `rule` if it gives others.

    >>> values_of("path must be a function of time", lambda t: [t, 2 * t], 1.0).tolist()
    [1.0, 2.0]
    """
    found = attempted(rule, function, *arguments)
    known = checks.traced if isinstance(found, Tracer) else checks.numbers
    return real(attempted(rule, known, "what it gives", found))


def attempted(rule: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function gives; an error that begins with `rule` if it fails. The failure itself stands behind that error."""
    try:
        return function(*arguments)
    except UserError as error:
        raise UserError(f"{rule}, but fails: {error}") from error
    except Exception as error:
        raise UserError(f"{rule}, but fails: {reason(error)}.") from error


def reason(error: Exception) -> str:
    """The first line of a foreign error, without a full stop."""
    return " ".join((str(error) or type(error).__name__).splitlines()[:1])[:MOST].rstrip(".")
