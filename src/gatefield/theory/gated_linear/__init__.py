"""Gated linear networks: exact paths, limits and losses, and the moments they learn from.

$\\hat y(x) = \\tfrac1K \\sum_k g_k(x)\\,\\langle w_k, x\\rangle$ with gates $g_k$ that do not depend on the weights. All
weights together form one vector of length Kn.
"""

from gatefield.theory.gated_linear.path import (
    explained,
    initial_rate,
    limit,
    limiting_loss,
    loss,
    loss_path,
    solve,
    velocity,
)
from gatefield.theory.gated_linear.search import Found, best_half_spaces, explained_by_directions
from gatefield.theory.gated_linear.special import half_time, single_gate_field, solve_pieces, solve_redundant
from gatefield.theory.gated_linear.statistics import Statistics, pieces, statistics, statistics_estimate

__all__ = [
    "Found",
    "Statistics",
    "best_half_spaces",
    "explained",
    "explained_by_directions",
    "half_time",
    "initial_rate",
    "limit",
    "limiting_loss",
    "loss",
    "loss_path",
    "pieces",
    "single_gate_field",
    "solve",
    "solve_pieces",
    "solve_redundant",
    "statistics",
    "statistics_estimate",
    "velocity",
]
