"""Activation functions, by name or given."""

from collections.abc import Callable, Mapping
from typing import Literal

import jax
import jax.numpy as jnp
from jax.scipy.special import erf
from jaxtyping import Array, Float

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.tracing.functions import shape_of

Activation = Callable[[Array], Array]
ActivationName = Literal["relu", "erf", "sigmoid", "linear"]


def erf_unit(h: Float[Array, "..."]) -> Float[Array, "..."]:
    """erf(h / sqrt 2), the activation whose Gaussian averages have closed forms."""
    return erf(h / jnp.sqrt(2.0).astype(h.dtype))


ACTIVATIONS: Mapping[ActivationName, Activation] = {
    "relu": jax.nn.relu,
    "erf": erf_unit,
    "sigmoid": jax.nn.sigmoid,
    "linear": lambda h: h,
}


def as_activation(value: ActivationName | Activation) -> ActivationName | Activation:
    """A known name, or a function of an array that gives one of the same shape."""
    if not callable(value):
        return checks.choice("activation", value, ACTIVATIONS)
    rule = "activation must be an elementwise function, such as jax.nn.softplus"
    shape = shape_of(rule, value, jax.ShapeDtypeStruct((2, 3), jnp.result_type(float)))
    if shape != (2, 3):
        raise UserError(f"activation must be elementwise, such as jax.nn.softplus, but makes shape {shape} of (2, 3).")
    return value


def activation_function(value: ActivationName | Activation) -> Activation:
    """The function that a name stands for, or the given one."""
    return value if callable(value) else ACTIVATIONS[value]
