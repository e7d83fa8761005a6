"""Signs of a Gaussian vector on the corners of the cube: moments, orthants, drifts, threshold functions and steady states."""

from gatefield.data.numerics import corners
from gatefield.theory.hypercube.drift import drift
from gatefield.theory.hypercube.head import head_drift, head_errors, head_size, probable_head
from gatefield.theory.hypercube.law import pattern_law
from gatefield.theory.hypercube.margin import Margin, margin, sdp_margin
from gatefield.theory.hypercube.moments import sign_moment
from gatefield.theory.hypercube.orthant import orthant
from gatefield.theory.hypercube.states import (
    LocalizedState,
    States,
    head_state,
    is_localized,
    levels,
    localized_state,
    steady_states,
)
from gatefield.theory.hypercube.walsh import chow, influence, walsh

__all__ = [
    "LocalizedState",
    "Margin",
    "States",
    "chow",
    "corners",
    "drift",
    "head_drift",
    "head_errors",
    "head_size",
    "head_state",
    "influence",
    "is_localized",
    "levels",
    "localized_state",
    "margin",
    "orthant",
    "pattern_law",
    "probable_head",
    "sdp_margin",
    "sign_moment",
    "steady_states",
    "walsh",
]
