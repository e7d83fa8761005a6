"""ReLU units on Gaussian data: expectations, gradient flow and loss."""

from gatefield.theory._relu_expectations import gate_mean as gate_mean
from gatefield.theory._relu_expectations import kernel as kernel
from gatefield.theory._relu_expectations import pair_mean as pair_mean
from gatefield.theory._relu_flow import loss as loss
from gatefield.theory._relu_flow import velocity as velocity

__all__ = ["gate_mean", "kernel", "loss", "pair_mean", "velocity"]
