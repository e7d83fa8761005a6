"""Whether a network of the user's own keeps what `Network` promises, found without computing."""

from collections.abc import Mapping, Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from gatefield.core.errors import UserError
from gatefield.core.runs import one_run, undeclared
from gatefield.core.text.quoted import quoted
from gatefield.core.tracing.functions import attempted, reason
from gatefield.dynamics.train.observed import COORDS, are_names
from gatefield.nets import Network

HOW = "a dict, name -> (dimension names, array), such as {'fields': (('position',), self.weights)}"


def check_network(net: Network) -> None:
    """See that a network names what is recorded, and says how many inputs and outputs it has."""
    name = type(net).__name__
    rule = f"observables() of {name} must be {HOW}"
    found = attempted(rule, net.observables)
    if not isinstance(found, Mapping):
        raise UserError(f"{rule}, but is {quoted(found)}.")
    for key, value in found.items():
        if not (isinstance(value, Sequence) and len(value) == 2 and are_names(value[0]) and eqx.is_array_like(value[1])):
            raise UserError(f"{rule}, but {quoted(key)} is {quoted(value)}.")
        if key in ("loss", *COORDS):
            raise UserError(
                f"observables() of {name} must not use the name '{key}', which is recorded anyway; choose another name."
            )
    for key, what in {"inputs": "the length of one input", "outputs": "1 or the number of classes"}.items():
        value = getattr(net, key)
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
            raise UserError(f"{key} of {name} must be a whole number, {what}, but is {quoted(value)}; return an int.")


def check_forward(net: Network, samples: int) -> None:
    """See that JAX can trace `forward`, and that its outputs have the right shape, for one run and so many samples."""
    x = jax.ShapeDtypeStruct((samples, net.inputs), jnp.result_type(float))
    try:
        eqx.filter_eval_shape(lambda net, x: one_run(net, 0).at(0.0)(x), net, x)
    except UserError:
        raise
    except Exception as error:
        raise UserError(
            f"forward(x) of {type(net).__name__} must be a function that JAX can trace, but fails: {reason(error)}; compute by "
            f"jax.numpy, without numpy, float() and decisions by value{undeclared(net)}."
        ) from error
