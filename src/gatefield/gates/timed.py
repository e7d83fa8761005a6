"""Gates that change with time."""

from collections.abc import Callable, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, ArrayLike, Float

from gatefield.core import checks
from gatefield.core.arrays import ScalarLike
from gatefield.core.errors import UserError
from gatefield.core.precision import real
from gatefield.core.runs import leaf
from gatefield.core.text.quoted import quoted
from gatefield.core.ties import opened
from gatefield.core.tracing.functions import values_of
from gatefield.gates.gate import Gate, gate_inputs
from gatefield.gates.gate_set import listed
from gatefield.gates.half_space import HalfSpace


def moment(name: str, time: Any) -> Any:
    """A finite time, or one for each run."""
    if len(checks.shape(name, time)) > 1:
        raise UserError(f"{name} must be one time, or one for each run, but has shape {np.shape(time)}.")
    checks.finite(name, time)
    return np.asarray(time, float) if isinstance(time, list | tuple) else time


class Scheduled(Gate):
    """One gate after another: `gates[i]` from `times[i]` on, until the next.

    The first time must be 0. Called without a time, it is the first gate; `at(time)` is the gate of that time.

    >>> import numpy as np
    >>> from gatefield.gates import HalfSpace, Shut
    >>> gate = Scheduled([0.0, 5.0], [Shut(), HalfSpace([1.0, 0.0])])
    >>> [gate.at(t)(np.array([1.0, 0.0])).item() for t in (0.0, 4.9, 5.0)]
    [0.0, 0.0, 1.0]

    **Source:** note 000, section 5, first idea.
    """

    gates: tuple[Gate, ...]
    times: Float[ArrayLike, " pieces"] = leaf(1)
    now: Float[Array, ""] = leaf(0)

    def __init__(self, times: Any, gates: Sequence[Gate] | Any, *, now: Any = 0.0) -> None:
        grid = np.asarray(checks.finite("times", times), float)
        gates = listed(gates)
        if not gates or not all(isinstance(gate, Gate) for gate in gates):
            raise UserError(f"A schedule is made of gates, such as Open(), but was given {quoted(gates)}.")
        if grid.size == 0 or grid.ndim != 1 or len(grid) != len(gates) or np.any(np.diff(grid) <= 0) or grid[0] != 0:
            raise UserError(
                f"A schedule needs increasing times from 0 on, one for each of its {len(gates)} gates, not {quoted(times)}."
            )
        self.times, self.gates, self.now = grid, gates, moment("now", now)

    def __call__(self, x: Float[ArrayLike, "*samples n"]) -> Float[Array, "*samples"]:
        x = gate_inputs(self, x)
        piece = jnp.sum(real(self.now) >= real(self.times)) - 1
        return jnp.where(jnp.isnan(real(self.now)), jnp.nan, jnp.stack([gate(x) for gate in self.gates])[piece])

    @property
    def random(self) -> bool:
        return any(gate.random for gate in self.gates)

    def at(self, time: ScalarLike) -> Gate:
        return eqx.tree_at(lambda gate: gate.now, self, jnp.asarray(moment("time", time), float))

    def frozen(self) -> Gate:
        if isinstance(self.now, Tracer) or np.ndim(self.now):
            return self
        return self.gates[int(np.sum(np.asarray(self.now) >= np.asarray(self.times))) - 1].frozen()


class Moving(Gate):
    r"""A half-space gate whose direction moves: $g(x, t) = 1(\langle v(t),x\rangle > 0)$.

    **Arguments**

    - `path`: a function of time, in units of tau, that gives the direction (n,), and that JAX can trace.

    >>> import jax.numpy as jnp
    >>> gate = Moving(lambda t: jnp.stack([jnp.cos(t), jnp.sin(t)]))
    >>> [gate.at(t)(jnp.array([1.0, 0.0])).item() for t in (0.0, 3.0)]
    [1.0, 0.0]

    **Source:** note 000, section 5, first idea.
    """

    path: Callable[[Any], Any] = eqx.field(static=True)
    now: Float[Array, ""] = leaf(0)

    def __init__(self, path: Callable[[Any], Any] | Any, *, now: Any = 0.0) -> None:
        if not callable(path):
            raise UserError(f"A moving gate needs a function from time to direction, but was given {quoted(path)}.")
        self.path, self.now = path, moment("now", now)

    @property
    def direction(self) -> Float[Array, " n"]:
        """The direction at its time."""
        direction = values_of("path must be a function that gives a direction for a time", self.path, self.now)
        if direction.ndim != 1 or not direction.size:
            raise UserError(f"path must give a direction (n,) for a time, but gives shape {direction.shape}.")
        return direction

    def __call__(self, x: Float[ArrayLike, "*samples n"]) -> Float[Array, "*samples"]:
        return opened(gate_inputs(self, x, self.direction), self.direction[None])[..., 0]

    def at(self, time: ScalarLike) -> Gate:
        moment("time", time)
        return eqx.tree_at(lambda gate: gate.now, self, time if isinstance(time, jax.Array) else jnp.asarray(time, float))

    def frozen(self) -> Gate:
        return self if isinstance(self.now, Tracer) or np.ndim(self.now) else HalfSpace(np.asarray(self.direction))
