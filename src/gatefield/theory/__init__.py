"""What mathematics says: closed forms, velocities, exact solutions."""

from gatefield.theory import classes, closure, elliptical, erf, gated_linear, hypercube, neuron, nlgp, relu
from gatefield.theory.characteristic import characteristic
from gatefield.theory.drift.drift import drift
from gatefield.theory.drift.jacobian import drift_jacobian
from gatefield.theory.steps import descent, flow_end

__all__ = [
    "characteristic",
    "classes",
    "closure",
    "descent",
    "drift",
    "drift_jacobian",
    "elliptical",
    "erf",
    "flow_end",
    "gated_linear",
    "hypercube",
    "neuron",
    "nlgp",
    "relu",
]
