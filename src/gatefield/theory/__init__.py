"""What mathematics says: closed forms, velocities, exact solutions."""

from gatefield.theory import closure as closure
from gatefield.theory import elliptical as elliptical
from gatefield.theory import erf as erf
from gatefield.theory import gated_linear as gated_linear
from gatefield.theory import hypercube as hypercube
from gatefield.theory import nlgp as nlgp
from gatefield.theory import relu as relu
from gatefield.theory import single_neuron as single_neuron
from gatefield.theory._drift import Drift as Drift
from gatefield.theory._drift import drift as drift
from gatefield.theory._drift import drift_estimate as drift_estimate

__all__ = [
    "Drift",
    "closure",
    "drift",
    "drift_estimate",
    "elliptical",
    "erf",
    "gated_linear",
    "hypercube",
    "nlgp",
    "relu",
    "single_neuron",
]
