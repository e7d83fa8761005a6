"""What every gate offers."""

import abc
from typing import Any

import equinox as eqx
import numpy as np
from jaxtyping import Array, ArrayLike, Float

from gatefield.core import checks
from gatefield.core.arrays import ScalarLike
from gatefield.core.errors import UserError
from gatefield.core.precision import real
from gatefield.core.runs import run_count
from gatefield.core.text.shown import shown


def inputs(x: Any, n: int | None = None) -> Any:
    """Inputs (..., n) of a gate: finite numbers, of as many sites as the gate has."""
    sizes = checks.shape("x", x)
    if not sizes or (n is not None and sizes[-1] != n):
        raise UserError(f"x must have shape (..., {n or 'n'}), one number for each site of the gate, but has shape {sizes}.")
    checks.finite("x", x)
    return x


class Gate(eqx.Module):
    """A gate: a function of the input with values from 0 (shut) to 1 (open).

    To add one, here or in a file of your own, write a final class with `__call__`, in JAX. Its arrays are fields declared with
    `gatefield.leaf(ndim)`, so that each may carry a leading run axis; functions and names are static fields. A gate that
    changes with time also has `at` and `frozen`; one that is open or shut at random given the input has `random = True` and
    gives the probability of open. It then works in a `GateSet`, in `GatedLinear`, in
    `theory.gated_linear.statistics` (by sampling) and in training. In the package, a gate is also named in `gatefield.gates`
    and in the contract test.

    On an edge that inputs can hit exactly, as on a cube, give one half, as the gates here do: shut or open there is another
    gate. Where the edge is that of a half space, call a `HalfSpace`, which knows what is on it up to rounding; elsewhere
    compare by `jnp.heaviside(h, 0.5)`.

    >>> import numpy as np
    >>> from gatefield import leaf
    >>> from gatefield.gates import Gate, GateSet
    >>> class Ball(Gate):
    ...     radius: np.ndarray = leaf(0, converter=np.asarray)
    ...     def __call__(self, x):
    ...         return ((x**2).sum(-1) < self.radius**2).astype(float)
    >>> GateSet([Ball(1.0), Ball(3.0)])(np.array([[0.5, 0.5], [2.0, 0.0]])).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """

    def __repr__(self) -> str:
        return shown(self)

    @property
    def random(self) -> bool:
        """Whether the gate is open or shut at random given the input; what it gives is then the probability of open."""
        return False

    @property
    def coin(self) -> str:
        """The name of the random number that decides a random gate, the same for all gates that it decides; "" for its own."""
        return ""

    @abc.abstractmethod
    def __call__(self, x: Float[ArrayLike, "*samples n"]) -> Float[Array, "*samples"]:
        """How far the gate is open for each input; its mean, if the gate is random."""

    def at(self, time: ScalarLike) -> "Gate":
        """The gate as it stands at a time, in units of tau; by default it never changes."""
        return self

    def frozen(self) -> "Gate":
        """The gate as it stands at its time, as one that does not change with time: what closed forms can be found for.

        A gate that never changes is its own; so is one whose time is traced or differs between runs, because which gate stands
        in its place is then not known.
        """
        return self


def gate_inputs(gates: Any, x: Any, directions: Any = None) -> Float[Array, "*samples n"]:
    """Inputs for a gate or a set, in the default float type; an error if they have not the sites of the directions, or if the
    gates stand for several runs."""
    runs = run_count(gates)
    if runs is not None:
        raise UserError(
            f"This {type(gates).__name__} stands for {runs} runs and cannot be called as one; take run 0 by "
            f"gatefield.one_run(gates, 0)."
        )
    return real(inputs(x, None if directions is None else np.shape(directions)[-1]))
