"""Names that a parameter takes: its type lists those that there are, so that editors and type checkers know them."""

from typing import get_args

import pytest

from gatefield.dynamics.flow.path import SOLVERS, SolverName
from gatefield.dynamics.train.losses import CLASS_LOSSES, LOSSES, LossName
from gatefield.dynamics.train.optimizers import OPTIMIZERS, OptimizerName
from gatefield.nets.activations import ACTIVATIONS, ActivationName
from gatefield.nets.initial import INITIAL, InitialName
from gatefield.nets.layered.gating import KINDS, Gating


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (ActivationName, ACTIVATIONS),
        (InitialName, INITIAL),
        (Gating, KINDS),
        (LossName, LOSSES),
        (LossName, CLASS_LOSSES),
        (OptimizerName, OPTIMIZERS),
        (SolverName, SOLVERS),
    ],
)
def test_a_type_lists_the_names_that_there_are(kind, names):
    assert list(get_args(kind)) == list(names)
