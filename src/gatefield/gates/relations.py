"""How the gates of a set lie to each other."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, ArrayLike, Float, Real

from gatefield.core import checks
from gatefield.core.arrays import Exact
from gatefield.core.errors import UserError
from gatefield.core.precision import exact, real
from gatefield.gates.constant import Constant
from gatefield.gates.gate import inputs
from gatefield.gates.gate_set import GateSet
from gatefield.gates.half_space import HalfSpace


@exact
def overlap(gates: Any, x: Real[ArrayLike, "samples n"] | Sequence) -> Float[Exact, "K K"]:
    """How often two gates are open together: the mean of g_j(x) g_k(x) over the given inputs, and over random gates.

    **Arguments**

    - `gates`: a `GateSet`, or a list of gates.
    - `x`: inputs (samples, n).

    **Returns** the shares of inputs (K, K); on the diagonal how often each gate is open. Float64 NumPy unless traced.

    >>> from gatefield.gates import half_spaces
    >>> overlap(half_spaces([[1.0, 0.0], [-1.0, 0.0]]), [[1.0, 0.0], [-2.0, 0.0]]).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """
    g = real(_values(gates, x))
    return g.T @ g / g.shape[0] + GateSet(gates).covariance(jnp.asarray(x)).mean(0)


def are_exclusive(gates: Any, x: Any = None) -> bool:
    """Whether no two gates are ever open together: for the given inputs, or by their directions if none are given.

    **Arguments**

    - `gates`: a `GateSet`, or a list of gates, none of them random.
    - `x`: inputs to try (samples, n); without them it is read off the directions of hard half-spaces through 0, and constants.

    >>> from gatefield.gates import half_spaces
    >>> are_exclusive(half_spaces([[1.0, 0.0], [-1.0, 0.0]])), are_exclusive(half_spaces([[1.0, 0.0], [0.0, 1.0]]))
    (True, False)
    """
    if x is None:
        return all(_pair(one, two) in ("exclusive", "shut") for one, two in _pairs(gates))
    g = np.sort(
        np.asarray(_fixed_values(gates, x)), axis=-1
    )  # on the edge of a hard gate, two opposite ones are open by one half
    soft = any(not isinstance(gate, HalfSpace) or gate.width for gate in GateSet(gates).gates)
    edge = (g[..., -2:] == 0.5).all(-1) & (g[..., :-2] == 0).all(-1) & (not soft)
    return g.shape[-1] < 2 or bool(np.all((g[..., -2] == 0) | edge))


def are_redundant(gates: Any, x: Any = None) -> bool:
    """Whether all gates open and shut together.

    **Arguments**

    - `gates`: a `GateSet`, or a list of gates, none of them random.
    - `x`: inputs to try (samples, n); without them it is read off the directions of hard half-spaces through 0, and constants.

    >>> from gatefield.gates import half_spaces
    >>> are_redundant(half_spaces([[1.0, 0.0], [2.0, 0.0]]))
    True
    """
    if x is None:
        return all(_pair(one, two) in ("redundant", "shut") for one, two in _pairs(gates))
    g = np.asarray(_fixed_values(gates, x))
    return bool(np.allclose(g, g[..., :1]))


def are_tiling(gates: Any, x: Any = None) -> bool:
    """Whether for every input exactly one gate is open (on an edge, two by one half).

    **Arguments**

    - `gates`: a `GateSet`, or a list of gates, none of them random.
    - `x`: inputs to try (samples, n); without them it is read off the directions of hard half-spaces through 0, and constants.

    >>> from gatefield.gates import half_spaces
    >>> are_tiling(half_spaces([[1.0, 0.0], [-1.0, 0.0]]))
    True
    """
    if x is not None:
        return bool(np.allclose(np.asarray(_fixed_values(gates, x)).sum(axis=-1), 1.0))
    gates = GateSet(gates)
    for gate in gates.gates:
        _check_plain(gate)
    active = [gate for gate in gates.gates if not (isinstance(gate, Constant) and not np.any(gate.value))]
    if all(isinstance(gate, Constant) for gate in active):
        return bool(np.allclose(sum(np.asarray(gate.value) for gate in active), 1.0))
    return len(active) == 2 and all(isinstance(gate, HalfSpace) for gate in active) and _pair(*active) == "exclusive"


def _pairs(gates: Any) -> list[tuple[Any, Any]]:
    gates = GateSet(gates)
    return [(one, two) for i, one in enumerate(gates.gates) for two in gates.gates[:i]]


def _pair(one: Any, two: Any) -> str:
    """`"exclusive"`, `"redundant"`, `"overlapping"`, or `"shut"` if both are always shut, by what the two gates are."""
    for gate in (one, two):
        _check_plain(gate)
    shut = [isinstance(gate, Constant) and not np.any(gate.value) for gate in (one, two)]
    if any(shut):
        return "shut" if all(shut) else "exclusive"
    if isinstance(one, Constant) or isinstance(two, Constant):
        both = isinstance(one, Constant) and isinstance(two, Constant)
        return "redundant" if both and np.all(np.asarray(one.value) == np.asarray(two.value)) else "overlapping"
    return {1: "redundant", -1: "exclusive", 0: "overlapping"}[one.alignment(two)]


def _check_plain(gate: Any) -> None:
    """An error if how a gate lies to others cannot be read off its parameters."""
    plain = isinstance(gate, Constant) or (isinstance(gate, HalfSpace) and not gate.width and not np.any(gate.threshold))
    if not plain:
        raise UserError(
            f"How a gate of kind {type(gate).__name__} lies to others cannot be read off its parameters; "
            "give inputs to try, such as are_exclusive(gates, x)."
        )


def _values(gates: Any, x: Any) -> Array:
    gates = GateSet(gates)
    sizes = checks.shape("x", x)
    if len(sizes) != 2 or 0 in sizes:
        raise UserError(f"x must have shape (samples, n), but has shape {sizes}; give one row for each input.")
    gates.check_sites(sizes[-1])
    return gates(jnp.asarray(inputs(x)))


def _fixed_values(gates: Any, x: Any) -> Array:
    """Of gates that are not random."""
    if GateSet(gates).random:
        raise UserError("How random gates lie to each other is a matter of chance; overlap(gates, x) says how often.")
    return _values(gates, x)
