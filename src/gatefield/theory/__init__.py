"""What mathematics says: closed forms, velocities, exact solutions."""

from gatefield.theory import classes, closure, elliptical, erf, gated_linear, hypercube, neuron, nlgp, relu
from gatefield.theory.drift.drift import drift, drift_estimate
from gatefield.theory.drift.result import Drift
from gatefield.theory.steps import descent, flow_end

__all__ = [
    "Drift",
    "classes",
    "closure",
    "descent",
    "drift",
    "drift_estimate",
    "elliptical",
    "erf",
    "flow_end",
    "gated_linear",
    "hypercube",
    "neuron",
    "nlgp",
    "relu",
]
