"""Gates are called for one run, on inputs of their own number of sites."""

import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import GatedLinear, UserError, one_run
from gatefield.gates import Constant, Custom, GateSet, HalfSpace, Moving, Open, Scheduled, are_tiling, half_spaces, learned

N = 3
RUNS = np.eye(N) + 0.1
"""As many runs as sites and samples, so that a product along the wrong axes would fit."""
OF_RUNS = {
    "hard": HalfSpace(RUNS),
    "soft": HalfSpace(RUNS, width=0.5),
    "thresholds": HalfSpace(RUNS[0], np.arange(3.0)),
    "constant": Constant([0.0, 0.5, 1.0]),
    "moving": Moving(lambda t: jnp.cos(t + jnp.arange(N)), now=np.arange(3.0)),
    "set": GateSet([HalfSpace(RUNS), HalfSpace(RUNS[::-1])]),
    "mixed set": GateSet([HalfSpace(RUNS), Open()]),
}
X = np.random.default_rng(0).normal(size=(N, N))


@pytest.mark.parametrize("name", OF_RUNS)
def test_gates_of_several_runs_are_not_called_as_one(name):
    with pytest.raises(UserError, match=r"stands for 3 runs and cannot be called as one; .* gatefield.one_run\(gates, 0\)"):
        OF_RUNS[name](X)
    assert one_run(OF_RUNS[name], 1)(X).shape[0] == N


@pytest.mark.wrong_types
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: HalfSpace(np.ones(N))(np.ones((2, 4))), r"\(\.\.\., 3\), .* but has shape \(2, 4\)"),
        (lambda: HalfSpace(np.ones(N), width=1.0)(np.ones(2)), r"\(\.\.\., 3\), .* but has shape \(2,\)"),
        (lambda: half_spaces(np.eye(N))(np.ones((2, 4))), r"\(\.\.\., 3\), .* but has shape \(2, 4\)"),
        (lambda: GateSet([HalfSpace(np.ones(N)), Open()])(np.ones((2, 4))), r"\(\.\.\., 3\), .* but has shape \(2, 4\)"),
        (lambda: Moving(lambda t: jnp.ones(N))(np.ones(4)), r"x must have shape \(\.\.\., 3\)"),
        (lambda: Moving(lambda t: 1.0)(np.ones(N)), r"path must give a direction \(n,\) for a time, but gives shape \(\)"),
        (lambda: Moving(lambda t: None)(np.ones(N)), "path must be a function that gives a direction .* must be numbers"),
        (lambda: Custom(lambda x: None)(np.ones((2, N))), "A custom gate must be a function .* what it gives must be numbers"),
        (lambda: Custom(dict)(np.ones((2, N))), "A custom gate must be a function of the input, but fails"),
        (lambda: Scheduled([0.0], [Open()], now=[0.0, 1.0])(np.ones(N)), "stands for 2 runs and cannot be called as one"),
        (lambda: are_tiling([Open()], np.ones((2, N), object)), "x must be numbers"),
        (lambda: Open()(1.0), r"x must have shape \(\.\.\., n\)"),
        (lambda: HalfSpace(np.ones(N))("abc"), "x must be .* but is 'abc'"),
        (lambda: half_spaces(np.eye(N), [0.1, 0.2]), r"thresholds must be one number, or one for each of the 3 gates"),
        (lambda: learned(np.eye(N), bias=np.ones((1, 3))), r"bias must be one number, or one for each of the 3 gates"),
        (lambda: GatedLinear(N, None, init="zero"), "one or more gates, .* but was given None"),
        (lambda: GateSet("abc"), "one or more gates, .* but was given 'abc'"),
    ],
)  # fmt: skip
def test_inputs_that_do_not_fit_are_one_sentence(call, words):
    with pytest.raises(UserError, match=words):
        call()
