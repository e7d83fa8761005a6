"""One ReLU neuron on any two sources that are symmetric about zero: gradient flow and loss from the sources' drifts."""

from gatefield.theory.neuron.flow import loss as loss
from gatefield.theory.neuron.flow import velocity as velocity

__all__ = ["loss", "velocity"]
