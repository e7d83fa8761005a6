"""Sets of gates: one for each unit."""

from collections.abc import Iterable, Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.arrays import ScalarLike
from gatefield.core.errors import UserError
from gatefield.core.keys import as_key
from gatefield.core.precision import real
from gatefield.core.text.quoted import quoted
from gatefield.core.text.shown import shown
from gatefield.core.ties import opened
from gatefield.gates.gate import Gate, gate_inputs
from gatefield.gates.half_space import HalfSpace


class GateSet(eqx.Module):
    """The gates of K units, in order.

    **Arguments**

    - `gates`: gates, one for each unit; one gate, for one unit; or a set, which is taken as it is.

    >>> import numpy as np
    >>> from gatefield.gates import HalfSpace, Open
    >>> GateSet([Open(), HalfSpace([1.0, 0.0])])(np.array([[2.0, 1.0], [-2.0, 1.0]])).tolist()
    [[1.0, 1.0], [1.0, 0.0]]
    """

    gates: tuple[Gate, ...]

    def __init__(self, gates: "Gate | GateSet | Sequence[Gate] | Any") -> None:
        self.gates = gates.gates if isinstance(gates, GateSet) else (gates,) if isinstance(gates, Gate) else listed(gates)
        if not self.gates or not all(isinstance(gate, Gate) for gate in self.gates):
            raise UserError(f"A set needs one or more gates, such as HalfSpace([1.0, 0.0]), but was given {quoted(gates)}.")
        sites = {np.shape(gate.direction)[-1] for gate in self.gates if isinstance(gate, HalfSpace)}
        if len(sites) > 1:
            raise UserError(f"All gates of a set must have the same number of sites, but these have {sorted(sites)}.")

    def __repr__(self) -> str:
        return shown(self)

    @property
    def K(self) -> int:
        """Number of gates."""
        return len(self.gates)

    @property
    def random(self) -> bool:
        """Whether some gate is open or shut at random given the input."""
        return any(gate.random for gate in self.gates)

    def __call__(self, x: Float[ArrayLike, "*samples n"]) -> Float[Array, "*samples K"]:
        """How far each gate is open for each input; for random gates, the mean."""
        hard = all(isinstance(gate, HalfSpace) and not gate.width for gate in self.gates)
        inputs = gate_inputs(self, x, getattr(self.gates[0], "direction", None) if hard else None)
        if hard and self.K > 1:
            return _together(self.gates, inputs)
        given = x if hasattr(x, "dtype") else inputs  # gates of the user's own may look at its type
        return jnp.stack([gate(given) for gate in self.gates], axis=-1)

    def covariance(self, x: Float[ArrayLike, "*samples n"]) -> Float[Array, "*samples K K"]:
        r"""Covariance of the gates given each input, $E[g_jg_k|x] - E[g_j|x]\,E[g_k|x]$: 0 but for random gates.

        It is p(1-p) for a random gate of mean p with itself, and min(p, q) - pq for two that share a coin.
        """
        mean = self(x)
        p, q = mean[..., :, None], mean[..., None, :]
        return jnp.where(self.decided_together(), jnp.minimum(p, q) - p * q, 0.0)

    def draw(self, key: PRNGKeyArray, x: Float[ArrayLike, "*samples n"]) -> Float[Array, "*samples K"]:
        """The gates as they fall: random ones 0 or 1 for each input, the others as they are.

        >>> import jax, numpy as np
        >>> from gatefield.gates import Bernoulli, Constant, Open
        >>> GateSet([Open(), Bernoulli(Constant(0.0))]).draw(jax.random.key(0), np.ones((2, 3))).tolist()
        [[1.0, 0.0], [1.0, 0.0]]
        """
        mean, gates = self(x), self.frozen().gates
        coins = [gate.coin or k for k, gate in enumerate(gates)]
        uniform = jax.random.uniform(as_key(key, runs=False), mean.shape, mean.dtype)[..., [coins.index(c) for c in coins]]
        fallen = jnp.where(jnp.isnan(mean), mean, (uniform < mean).astype(mean.dtype))
        return jnp.where(np.array([gate.random for gate in gates]), fallen, mean)

    def decided_together(self) -> np.ndarray:
        """Which pairs of gates one random number decides (K, K): each random gate with itself, and those that share a coin."""
        coins = [(gate.coin or k) if gate.random else None for k, gate in enumerate(self.frozen().gates)]
        return np.array([[one is not None and one == two for two in coins] for one in coins])

    def check_sites(self, n: int) -> None:
        """An error if a gate has a direction of other than n sites."""
        for gate in self.frozen().gates:
            shape = np.shape(getattr(gate, "direction", 0.0))[-1:]
            if shape and shape != (n,):
                raise UserError(f"A gate has a direction of {shape[0]} sites, but there are {n} inputs; give both the same n.")

    def frozen(self) -> "GateSet":
        """The gates as they stand at their time, as gates that do not change with time; see `Gate.frozen`."""
        return GateSet([gate.frozen() for gate in self.gates])

    def at(self, time: ScalarLike) -> "GateSet":
        """The gates as they stand at a time."""
        return GateSet([gate.at(time) for gate in self.gates])


def listed(gates: Any) -> tuple[Any, ...]:
    """Gates as users list them; nothing if they are no list."""
    return tuple(gates) if isinstance(gates, Iterable) else ()


def per_gate(name: str, value: Any, K: int) -> np.ndarray:
    """One finite number for each gate, from one for all or one for each."""
    numbers = np.asarray(checks.finite(name, value), float)
    if numbers.shape not in ((), (K,)):
        raise UserError(f"{name} must be one number, or one for each of the {K} gates, but has shape {numbers.shape}.")
    return np.broadcast_to(numbers, (K,))


def _together(gates: Any, x: Float[Array, "*samples n"]) -> Float[Array, "*samples K"]:
    """All half-space gates by one product."""
    v, edges = (jnp.stack([real(getattr(gate, name)) for gate in gates]) for name in ("direction", "threshold"))
    return opened(x, v, edges)


def half_spaces(directions: Any, thresholds: Any = 0.0) -> GateSet:
    """Hard half-space gates, each open where <v, x> is above its threshold.

    **Arguments**

    - `directions`: v (K, n), none of them zero.
    - `thresholds`: one for each gate (K,), or one for all.

    **Returns** a set of K gates.

    >>> half_spaces([[1.0, 0.0], [0.0, 1.0]]).K
    2
    """
    rows = np.asarray(checks.finite("directions", directions))
    if rows.ndim != 2 or not rows.size:
        raise UserError(f"directions must have shape (K, n), but have {rows.shape}; give one row for each gate.")
    edges = per_gate("thresholds", thresholds, len(rows))
    return GateSet([HalfSpace(row, edge) for row, edge in zip(rows, edges, strict=True)])
