"""Which inputs a unit answers to: gates and sets of them."""

from gatefield.gates.bernoulli import Bernoulli
from gatefield.gates.constant import Constant, Open, Shut
from gatefield.gates.custom import Custom
from gatefield.gates.directions import bump, delta, fourier_mode, mexican_hat, random
from gatefield.gates.gate import Gate
from gatefield.gates.gate_set import GateSet, half_spaces
from gatefield.gates.half_space import HalfSpace
from gatefield.gates.learned import learned, learned_from
from gatefield.gates.relations import are_exclusive, are_redundant, are_tiling, overlap
from gatefield.gates.timed import Moving, Scheduled

__all__ = [
    "Bernoulli",
    "Constant",
    "Custom",
    "Gate",
    "GateSet",
    "HalfSpace",
    "Moving",
    "Open",
    "Scheduled",
    "Shut",
    "are_exclusive",
    "are_redundant",
    "are_tiling",
    "bump",
    "delta",
    "fourier_mode",
    "half_spaces",
    "learned",
    "learned_from",
    "mexican_hat",
    "overlap",
    "random",
]
