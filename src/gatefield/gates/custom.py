"""Gates given by a function of the user's own."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, ArrayLike, Float

from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted
from gatefield.core.tracing.functions import values_of
from gatefield.gates.gate import Gate, inputs


class Custom(Gate):
    """Any function of the input that JAX can trace: `function(x)` takes (samples, n) and gives values from 0 to 1, (samples,).

    >>> import numpy as np
    >>> ball = Custom(lambda x: (x**2).sum(-1) < 1.0)
    >>> ball(np.array([[0.1, 0.2], [1.0, 1.0]])).tolist()
    [1.0, 0.0]
    """

    function: Callable[[Any], Any] = eqx.field(static=True)

    def __init__(self, function: Callable[[Any], Any] | Any) -> None:
        if not callable(function):
            raise UserError(
                f"A custom gate needs a function of the input, but was given {quoted(function)}; write Custom(lambda x: ...)."
            )
        self.function = function

    def __call__(self, x: Float[ArrayLike, "*samples n"]) -> Float[Array, "*samples"]:
        values = values_of("A custom gate must be a function of the input", self.function, jnp.asarray(inputs(x)))
        if values.shape != jnp.shape(x)[:-1]:
            raise UserError(
                f"A custom gate must give one value for each input, but for inputs of shape {jnp.shape(x)} it gave shape "
                f"{values.shape}; return an array of shape {jnp.shape(x)[:-1]}."
            )
        return values
