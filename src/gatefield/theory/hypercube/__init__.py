"""Signs of a Gaussian vector on the corners of the cube: moments, orthants, drifts, threshold functions and steady states."""

from gatefield.theory.hypercube.drift import drift as drift
from gatefield.theory.hypercube.drift import drift_estimate as drift_estimate
from gatefield.theory.hypercube.head import head_errors as head_errors
from gatefield.theory.hypercube.head import head_size as head_size
from gatefield.theory.hypercube.head import probable_head as probable_head
from gatefield.theory.hypercube.law import corners as corners
from gatefield.theory.hypercube.law import pattern_law as pattern_law
from gatefield.theory.hypercube.margin import Margin as Margin
from gatefield.theory.hypercube.margin import margin as margin
from gatefield.theory.hypercube.margin import margin_estimate as margin_estimate
from gatefield.theory.hypercube.margin import sdp_margin as sdp_margin
from gatefield.theory.hypercube.moments import SignMoment as SignMoment
from gatefield.theory.hypercube.moments import sign_moment as sign_moment
from gatefield.theory.hypercube.moments import sign_moment_estimate as sign_moment_estimate
from gatefield.theory.hypercube.orthant import Orthant as Orthant
from gatefield.theory.hypercube.orthant import orthant as orthant
from gatefield.theory.hypercube.orthant import orthant_estimate as orthant_estimate
from gatefield.theory.hypercube.states import LocalizedState as LocalizedState
from gatefield.theory.hypercube.states import States as States
from gatefield.theory.hypercube.states import is_localized as is_localized
from gatefield.theory.hypercube.states import levels as levels
from gatefield.theory.hypercube.states import localized_state as localized_state
from gatefield.theory.hypercube.states import steady_states as steady_states
from gatefield.theory.hypercube.walsh import chow as chow
from gatefield.theory.hypercube.walsh import influence as influence
from gatefield.theory.hypercube.walsh import walsh as walsh

__all__ = [
    "LocalizedState",
    "Margin",
    "Orthant",
    "SignMoment",
    "States",
    "chow",
    "corners",
    "drift",
    "drift_estimate",
    "head_errors",
    "head_size",
    "influence",
    "is_localized",
    "levels",
    "localized_state",
    "margin",
    "margin_estimate",
    "orthant",
    "orthant_estimate",
    "pattern_law",
    "probable_head",
    "sdp_margin",
    "sign_moment",
    "sign_moment_estimate",
    "steady_states",
    "walsh",
]
