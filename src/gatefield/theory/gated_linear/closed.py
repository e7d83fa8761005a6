"""Moments of gated inputs in closed form."""

import jax
import numpy as np
from jaxtyping import Float, PRNGKeyArray

from gatefield.data import Source, Task
from gatefield.gates import Bernoulli, Constant, Gate, GateSet, HalfSpace
from gatefield.theory import relu
from gatefield.theory.drift.closed import closed_route
from gatefield.theory.drift.drift import drift

Moments = tuple[Float[np.ndarray, " m"], Float[np.ndarray, "m m"], Float[np.ndarray, " m"], Float[np.ndarray, "m m"]]


def why_not_closed(gates: GateSet, task: Task) -> str:
    """Why there is no closed form, in words, or nothing if there is one."""
    reasons = [] if why_not_plain(gates) else [_obstacle(gates, source) for source in (task.positive, task.negative)]
    return why_not_plain(gates) or next((reason for reason in reasons if reason), "")


def why_second_not_closed(gates: GateSet, task: Task) -> str:
    """Why A has no closed form, in words, or nothing if it has one. Without ties it needs no drift, only symmetry."""
    plain = why_not_plain(gates)
    reasons = [] if plain else [_second_obstacle(gates, source) for source in (task.positive, task.negative)]
    return plain or next((reason for reason in reasons if reason), "")


def closed_moments(gates: GateSet, source: Source) -> Moments:
    """E[g x] (Kn,) and E[g g' x x'] (Kn, Kn) of one class, with errors zero."""
    first = np.concatenate([_first(gate, source) for gate in _means(gates).gates])
    second = closed_second(gates, source)
    return first, second, 0 * first, 0 * second


def half_closed_moments(gates: GateSet, source: Source, key: PRNGKeyArray, samples: int) -> Moments:
    """The same with E[g x] by sampling where it has no closed form, and its standard error."""
    found = []
    for i, gate in enumerate(_means(gates).gates):
        if isinstance(gate, Constant):
            found.append((_first(gate, source), np.zeros(source.n)))
        else:
            assert isinstance(gate, HalfSpace)
            v, k = np.asarray(gate.direction), jax.random.fold_in(key, i)
            drawn = drift(source, v, key=k, samples=samples, with_error=True)
            found.append((np.asarray(drawn.value), np.asarray(drawn.error)))
    first, error = (np.concatenate(parts) for parts in zip(*found, strict=True))
    second = closed_second(gates, source)
    return first, second, error, 0 * second


def closed_second(gates: GateSet, source: Source) -> Float[np.ndarray, "m m"]:
    """E[g g' x x'] (Kn, Kn) of one class."""
    K, n, cov = gates.K, source.n, np.asarray(source.covariance(), float)
    second, means, together = np.zeros((K, n, K, n)), _means(gates).gates, gates.decided_together()
    for j, one in enumerate(means):
        for k, two in enumerate(means[: j + 1]):
            second[j, :, k] = _second(one, two, cov)
            if together[j, k] and isinstance(one, Constant) and isinstance(two, Constant):
                second[j, :, k] = min(float(one.value), float(two.value)) * cov
            second[k, :, j] = second[j, :, k].T
    return second.reshape(K * n, K * n)


def _means(gates: GateSet) -> GateSet:
    """The gates with random ones replaced by their mean. A random half-space is open or shut for sure, as the half-space is."""
    return GateSet([gate.gate if isinstance(gate, Bernoulli) else gate for gate in gates.gates])


def why_not_plain(gates: GateSet) -> str:
    """Why some gate is neither constant nor a half-space through 0, or nothing."""
    for gate in _means(gates).gates:
        if not isinstance(gate, Constant | HalfSpace):
            return f"a {type(gate).__name__} gate can be any function"
        if isinstance(gate, HalfSpace) and (gate.width or np.any(gate.threshold)):
            return "a gate is soft or does not pass through 0"
    return ""


def _second_obstacle(gates: GateSet, source: Source) -> str:
    name = type(source).__name__
    spaces = [gate for gate in _means(gates).gates if isinstance(gate, HalfSpace)]
    pairs = [(one, two) for i, one in enumerate(spaces) for two in spaces[:i]]
    if not source.symmetric:
        return f"{name} data are not known to be symmetric about 0"
    if spaces and not source.continuous and not _have_drifts(source, spaces):
        return f"{name} data can lie on the edge of a gate"
    if source.elliptical is None and any(one.alignment(two) == 0 for one, two in pairs):
        return f"two different gates on {name} data have no closed form"
    return ""


def _obstacle(gates: GateSet, source: Source) -> str:
    spaces = [gate for gate in _means(gates).gates if isinstance(gate, HalfSpace)]
    if source.symmetric and not _have_drifts(source, spaces):
        return f"the drift of {type(source).__name__} data behind such a gate has no closed form"
    return _second_obstacle(gates, source)


def _have_drifts(source: Source, spaces: list[HalfSpace]) -> bool:
    """Whether the drift behind each half-space has a closed form."""
    return all(closed_route(source, np.asarray(gate.direction)) is not None for gate in spaces)


def _first(gate: Gate, source: Source) -> np.ndarray:
    if isinstance(gate, Constant):
        return float(gate.value) * np.asarray(source.mean(), float)
    assert isinstance(gate, HalfSpace)
    return np.asarray(drift(source, np.asarray(gate.direction), method="closed"))


def _second(one: Gate, two: Gate, cov: np.ndarray) -> np.ndarray:
    if isinstance(one, Constant) or isinstance(two, Constant):
        factors = [float(gate.value) if isinstance(gate, Constant) else 0.5 for gate in (one, two)]
        return factors[0] * factors[1] * cov
    assert isinstance(one, HalfSpace)
    assert isinstance(two, HalfSpace)
    same = one.alignment(two)
    if same:
        return cov / 2 if same > 0 else 0 * cov
    return np.asarray(relu.gate_second_moment(np.asarray(one.direction), np.asarray(two.direction), cov))
