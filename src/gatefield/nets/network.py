"""What every network offers."""

import abc
from collections.abc import Mapping
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Real

from gatefield.core.errors import UserError

Observables = Mapping[str, tuple[tuple[str, ...], Array]]


def as_inputs(x: Any) -> Array:
    """Inputs as an array of floats: whole numbers, such as the pixels of images, and lists are made so."""
    if not hasattr(x, "dtype"):
        try:
            x = np.asarray(x, dtype=float)
        except (TypeError, ValueError):
            raise UserError("Inputs must be an array of numbers, all rows of the same length; give such inputs.") from None
    x = jnp.asarray(x)
    return x if jnp.issubdtype(x.dtype, jnp.floating) else x.astype(jnp.result_type(float))


class Network(eqx.Module):
    """A network from inputs to a scalar output, or to one output for each class.

    To add one: a new file in `nets/` with a final subclass, and one line in `nets/__init__.py`. Its arrays are fields declared
    with `leaf(ndim)`, so that each may carry a leading run axis; the methods are written for one run.
    """

    @abc.abstractmethod
    def __call__(self, x: Float[Array, "*samples n"]) -> Float[Array, "*samples"]:
        """The output for each input."""

    @abc.abstractmethod
    def observables(self) -> Observables:
        """What a training records of the network: name -> (dimension names, array)."""

    @property
    def inputs(self) -> int:
        """Number of inputs; by default that of the recorded `fields`."""
        return self.observables()["fields"][1].shape[-1]

    @property
    def outputs(self) -> int:
        """Number of outputs; with more than one, outputs have an axis for them behind the samples."""
        return 1

    @property
    def samples(self) -> int | None:
        """The number of samples, always the same ones in order, that the network is made for; None if it takes any."""
        return None

    @property
    def footprint(self) -> int:
        """How many numbers a pass holds for each sample, which says how many runs fit side by side."""
        return self.inputs

    @property
    def sequential(self) -> bool:
        """Whether runs are faster one after the other than side by side."""
        return False

    def trainable(self) -> Any:
        """A tree of the network's shape, True where gradient descent may move an array. By default: every float array."""
        return jax.tree.map(eqx.is_inexact_array, self)

    def at(self, time: Real[Any, ""]) -> "Network":
        """The network as it stands at a time of the flow; by default only training changes it."""
        return self
