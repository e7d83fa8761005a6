"""One ReLU neuron on any two sources that are symmetric about zero.

Gradient flow and loss from the sources' drifts; the map from its gate to the limit behind it, whose fixed points are its steady
states; the neuron with a linear pathway. Also its velocity on laws of few points, symmetric or not; and its loss at the best
size of the field, which says what training is after.
"""

from gatefield.theory.neuron.contrast import Contrast, contrast
from gatefield.theory.neuron.finite import finite_velocity
from gatefield.theory.neuron.flow import loss, velocity
from gatefield.theory.neuron.map import GatePath, GateValues, gate_flow, gate_map, iterate_gate_map
from gatefield.theory.neuron.pathway import SampledDrift, Spectrum, pathway_velocity, sampled_jacobian, velocity_spectrum

__all__ = [
    "Contrast",
    "GatePath",
    "GateValues",
    "SampledDrift",
    "Spectrum",
    "contrast",
    "finite_velocity",
    "gate_flow",
    "gate_map",
    "iterate_gate_map",
    "loss",
    "pathway_velocity",
    "sampled_jacobian",
    "velocity",
    "velocity_spectrum",
]
