"""Labels against kernels: nu = y'K^-1 y by elimination and its least value; and how steep an active gate can be."""

import numpy as np


def nu(kernel: np.ndarray, y: np.ndarray, ridge: float = 0.0) -> float:
    """y'(K + r I)^-1 y by elimination, r so many times the mean eigenvalue."""
    n = len(y)
    return float(y @ np.linalg.solve(kernel + ridge * np.trace(kernel) / n * np.eye(n), y))


def least_nu(along: np.ndarray) -> float:
    """The least sum of along_i^2/rho_i over rho of sum one, by steps that keep them positive."""
    rho = np.full(len(along), 1 / len(along))
    for _ in range(60):
        rho = np.sqrt(rho * abs(along))
        rho /= rho.sum()
    return float(np.sum(along**2 / rho))


def steepest_active(active: float, beta: float, eps: float, bound: float) -> float:
    """The largest slope of all gates above the threshold, on a fine grid of sums, by differences."""
    q = np.linspace(-3, 3, 600_001)
    gate = (1 + eps) / (1 + np.exp(-beta * q))
    return float((np.gradient(gate, q) * bound)[gate > active].max())


def printed_threshold(active: float, eps: float) -> float:
    """d chi/dv at chi = tau_A, where chi(v) = (1 + eps)/(1 + exp v): section 3.1 of paper 004 as printed."""
    return -active * (1 - active / (1 + eps))
