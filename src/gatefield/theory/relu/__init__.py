"""ReLU units on Gaussian data: expectations, gradient flow, loss; path and steady states of one neuron, and their stability."""

from gatefield.theory.relu.expectations import gate_agreement as gate_agreement
from gatefield.theory.relu.expectations import gate_mean as gate_mean
from gatefield.theory.relu.expectations import gate_second_moment as gate_second_moment
from gatefield.theory.relu.expectations import kernel as kernel
from gatefield.theory.relu.expectations import pair_mean as pair_mean
from gatefield.theory.relu.flow import loss as loss
from gatefield.theory.relu.flow import velocity as velocity
from gatefield.theory.relu.generalised import generalised_modes as generalised_modes
from gatefield.theory.relu.modes import growth_rates as growth_rates
from gatefield.theory.relu.modes import mode_velocity as mode_velocity
from gatefield.theory.relu.modes import steady_amplitude as steady_amplitude
from gatefield.theory.relu.modes import steady_loss as steady_loss
from gatefield.theory.relu.modes import winning_mode as winning_mode
from gatefield.theory.relu.path import single_path as single_path

__all__ = [
    "gate_agreement",
    "gate_mean",
    "gate_second_moment",
    "generalised_modes",
    "growth_rates",
    "kernel",
    "loss",
    "mode_velocity",
    "pair_mean",
    "single_path",
    "steady_amplitude",
    "steady_loss",
    "velocity",
    "winning_mode",
]
