"""Gated linear networks: exact paths, limits and losses, the moments they learn from, and the search for the best gates.

$\\hat y(x) = \\tfrac1K \\sum_k g_k(x)\\,\\langle w_k, x\\rangle$ with gates $g_k$ that do not depend on the weights. All
weights together form one vector of length Kn.
"""

from gatefield.theory.gated_linear.best_gates import BestGates, best_gates
from gatefield.theory.gated_linear.frozen import FrozenLimits, frozen_limits, frozen_losses
from gatefield.theory.gated_linear.judge import Judged, judge
from gatefield.theory.gated_linear.listed import ListedMoments, Posterior, explained_by_gates, listed_moments, posterior
from gatefield.theory.gated_linear.mixture import Mixture, mixture
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
from gatefield.theory.gated_linear.refreshed import GatedPaths, refreshed_path, relu_path
from gatefield.theory.gated_linear.search import SearchResult, best_half_spaces, explained_by_directions
from gatefield.theory.gated_linear.special import half_time, single_gate_field, solve_pieces, solve_redundant
from gatefield.theory.gated_linear.statistics import Statistics, pieces, statistics

__all__ = [
    "BestGates",
    "FrozenLimits",
    "GatedPaths",
    "Judged",
    "ListedMoments",
    "Mixture",
    "Posterior",
    "SearchResult",
    "Statistics",
    "best_gates",
    "best_half_spaces",
    "explained",
    "explained_by_directions",
    "explained_by_gates",
    "frozen_limits",
    "frozen_losses",
    "half_time",
    "initial_rate",
    "judge",
    "limit",
    "limiting_loss",
    "listed_moments",
    "loss",
    "loss_path",
    "mixture",
    "pieces",
    "posterior",
    "refreshed_path",
    "relu_path",
    "single_gate_field",
    "solve",
    "solve_pieces",
    "solve_redundant",
    "statistics",
    "velocity",
]
