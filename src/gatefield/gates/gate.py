"""What every gate offers."""

import abc
from typing import Any

import equinox as eqx
from jaxtyping import Array, ArrayLike, Float, Real


class Gate(eqx.Module):
    """A gate: a function of the input with values from 0 (shut) to 1 (open).

    To add one: a new file in `gates/` with a final subclass that has `__call__`, and one line in `gates/__init__.py` and in the
    contract test. Its arrays are fields declared with `leaf(ndim)`, so that each may carry a leading run axis. A gate that
    changes with time also has `at`.
    """

    @abc.abstractmethod
    def __call__(self, x: Float[ArrayLike, "*samples n"]) -> Float[Array, "*samples"]:
        """How far the gate is open for each input."""

    def at(self, time: Real[Any, ""]) -> "Gate":
        """The gate as it stands at a time, in units of tau; by default it never changes."""
        return self

    def still(self) -> "Gate":
        """The gate that stands in this one's place at its time: a plain one, if it can be told."""
        return self
