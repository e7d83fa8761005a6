"""A sentence ends with something that one can type, and what it proposes is taken."""

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import Committee, Task, flow, train
from gatefield.core.errors import UserError
from gatefield.data import Finite, Gaussian, Marginal, SinglePulse
from gatefield.kernels import trace_normalised
from gatefield.measures import gate_stability
from gatefield.theory import drift, gated_linear, hypercube, neuron, relu

KEY = jax.random.key(0)
CORR = [[1.0, 0.5], [0.5, 1.0]]
LOPSIDED = Marginal(2, 2.0, lambda p: -jnp.log1p(-p) - 1)
PULSES = Task(SinglePulse(4, (1, 1)), SinglePulse(4, (2, 2)))
PROPOSED = re.compile(r".*(?:write|take|such as|for instance) (?:\w+=)?(.+?)\.$")


def proposed(sentence: str, **known):
    """What stands at the end of a sentence, as Python reads it."""
    names = {"np": np, "jax": jax, "Gaussian": Gaussian, "Finite": Finite, "Task": Task}
    return eval(PROPOSED.search(sentence)[1], names | known)


def trained(**settings):
    settings = {"learning_rate": 0.1, "steps": 1, "batch_size": 2, "progress": False, "key": KEY} | settings
    return train(Committee(2, 1, key=KEY), Task(Gaussian(2, 1.0), Gaussian(2, 0.5)), **settings)


CASES = {
    "readout": (lambda v: relu.velocity(np.eye(2), CORR, CORR, readout=v), np.ones((2, 1))),
    "kernel": (trace_normalised, np.ones((2, 3))),
    "complex field": (lambda v: hypercube.drift(v, CORR), np.ones(2) + 1j),
    "text for a field": (lambda v: hypercube.drift(v, CORR), ["a", "b"]),
    "zero field on the cube": (lambda v: hypercube.drift(v, CORR), np.zeros(2)),
    "zero field": (lambda v: drift(Gaussian(2, 1.0), v), np.zeros((3, 2))),
    "pattern": (lambda v: hypercube.orthant(CORR, v), [1, 1, 1]),
    "labels": (lambda v: relu.velocity(np.eye(2), CORR, CORR, v), ([1.0, 2.0], 0.0)),
    "times": (lambda v: flow(lambda w: -w, np.ones(2), v), [1.0, 0.0]),
    "fields of w0": (lambda v: flow(lambda w: -w, v, [0.0, 1.0]), np.ones((1, 1, 1, 3))),
    "parts of w0": (lambda v: flow(lambda w: -w, v, [0.0, 1.0]), ()),
    "observe": (lambda v: trained(observe=v), [1]),
    "learning rate": (lambda v: trained(learning_rate=v), [[0.1]]),
    "source": (lambda v: gate_stability(np.eye(3), np.eye(3), v), "gaussian"),
    "contrast": (lambda v: neuron.contrast(np.ones(2), Task(v, v), key=KEY, samples=100), LOPSIDED),
    "symmetric data": (lambda v: gated_linear.mixture(v), PULSES),
}


@pytest.mark.wrong_types
@pytest.mark.parametrize("name", CASES)
def test_what_is_proposed_is_taken(name):
    call, wrong = CASES[name]
    with pytest.raises(UserError) as refused:
        call(wrong)
    call(proposed(str(refused.value), readout=wrong, x=np.eye(2), w=wrong, source=wrong))
