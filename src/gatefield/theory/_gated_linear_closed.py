"""Moments of gated inputs in closed form."""

import numpy as np
from jaxtyping import Float

from gatefield.data import Elliptical, Gaussian, GaussianClone, Hypercube, NonlinearGP, Source, Task
from gatefield.gates import Constant, Gate, GateSet, HalfSpace, alignment
from gatefield.theory import relu
from gatefield.theory._drift import drift
from gatefield.theory._drift_closed import has_closed

Moments = tuple[Float[np.ndarray, " m"], Float[np.ndarray, "m m"], Float[np.ndarray, " m"], Float[np.ndarray, "m m"]]


def why_not_closed(gates: GateSet, task: Task) -> str:
    """Why there is no closed form, in words, or nothing if there is one."""
    for gate in gates.gates:
        if not isinstance(gate, Constant | HalfSpace):
            return f"a {type(gate).__name__} gate can be any function"
        if isinstance(gate, HalfSpace) and (gate.width or np.any(gate.threshold)):
            return "a gate is soft or does not pass through 0"
    reasons = [_obstacle(gates, source) for source in (task.positive, task.negative)]
    return next((reason for reason in reasons if reason), "")


def closed_moments(gates: GateSet, source: Source) -> Moments:
    """E[g x] (Kn,) and E[g g' x x'] (Kn, Kn) of one class, with errors zero."""
    K, n = gates.K, source.n
    cov, centre = np.asarray(source.covariance(), float), np.asarray(source.mean(), float)
    first = np.concatenate([_first(gate, source, centre) for gate in gates.gates])
    second = np.zeros((K, n, K, n))
    for j, one in enumerate(gates.gates):
        for k, two in enumerate(gates.gates[: j + 1]):
            second[j, :, k] = _second(one, two, cov)
            second[k, :, j] = second[j, :, k].T
    return first, second.reshape(K * n, K * n), np.zeros(K * n), np.zeros((K * n, K * n))


def _obstacle(gates: GateSet, source: Source) -> str:
    name = type(source).__name__
    if not symmetric(source):
        return f"{name} data are not known to be symmetric about 0"
    spaces = [gate for gate in gates.gates if isinstance(gate, HalfSpace)]
    if not all(has_closed(source, np.asarray(gate.direction)) for gate in spaces):
        return f"the drift of {name} data behind such a gate has no closed form"
    pairs = [(one, two) for i, one in enumerate(spaces) for two in spaces[:i]]
    if not _ellipsoidal(source) and any(alignment(one.direction, two.direction) == 0 for one, two in pairs):
        return f"two different gates on {name} data have no closed form"
    return ""


def symmetric(source: Source) -> bool:
    """Whether the law is known to be symmetric about 0."""
    if isinstance(source, GaussianClone):
        return not np.any(np.asarray(source.mean()))
    return isinstance(source, Gaussian | Elliptical | NonlinearGP | Hypercube)


def _ellipsoidal(source: Source) -> bool:
    """Whether two gates have the Gaussian second moment: it depends on directions alone, and so do ellipsoidal laws'."""
    return isinstance(source, Gaussian | Elliptical | GaussianClone) or (
        isinstance(source, NonlinearGP) and not np.any(np.asarray(source.gain))
    )


def _first(gate: Gate, source: Source, centre: np.ndarray) -> np.ndarray:
    if isinstance(gate, Constant):
        return float(gate.value) * centre
    assert isinstance(gate, HalfSpace)
    return np.asarray(drift(source, np.asarray(gate.direction), method="closed"))


def _second(one: Gate, two: Gate, cov: np.ndarray) -> np.ndarray:
    if isinstance(one, Constant) or isinstance(two, Constant):
        factors = [float(gate.value) if isinstance(gate, Constant) else 0.5 for gate in (one, two)]
        return factors[0] * factors[1] * cov
    assert isinstance(one, HalfSpace)
    assert isinstance(two, HalfSpace)
    same = alignment(one.direction, two.direction)
    if same:
        return cov / 2 if same > 0 else 0 * cov
    return np.asarray(relu.gate_second_moment(np.asarray(one.direction), np.asarray(two.direction), cov))
