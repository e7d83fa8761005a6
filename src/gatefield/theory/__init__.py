"""What mathematics says: closed forms, velocities, exact solutions."""

from gatefield.theory import closure as closure
from gatefield.theory import elliptical as elliptical
from gatefield.theory import erf as erf
from gatefield.theory import gated_linear as gated_linear
from gatefield.theory import hypercube as hypercube
from gatefield.theory import neuron as single_neuron
from gatefield.theory import nlgp as nlgp
from gatefield.theory import relu as relu
from gatefield.theory.drift.drift import drift as drift

__all__ = [
    "closure",
    "drift",
    "elliptical",
    "erf",
    "gated_linear",
    "hypercube",
    "nlgp",
    "relu",
    "single_neuron",
]
