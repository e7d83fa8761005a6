"""Steps of equal length: gradient descent step by step, and ends of flows against their solutions."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import Committee, Task, UserError, flow
from gatefield.data import Gaussian
from gatefield.theory import descent, flow_end, relu

TASK = Task(Gaussian(5, 1.5), Gaussian(5, 0.7))
START = np.asarray(Committee(5, 2, key=jax.random.key(0)).fields, float)


def test_descent_makes_each_step_along_the_velocity():
    start = np.array([[[1.0, 2.0]], [[0.5, -1.0]]])
    path = descent(lambda w: -(w**3), start, 0.1, [0, 1, 3])
    w = [start]
    for _ in range(3):
        w.append(w[-1] - 0.1 * w[-1] ** 3)
    np.testing.assert_allclose(path, np.stack([w[0], w[1], w[3]]), rtol=1e-14)
    assert path.dtype == np.float64
    assert jnp.ones(1).dtype == np.float32


@pytest.mark.slow
def test_descent_goes_to_the_flow_as_its_steps_shrink():
    """By half with each halving of the learning rate, at the same time."""
    exact = flow(lambda w: relu.velocity(w, TASK), START, [0.0, 4.0]).fields.values[0, -1]
    errors = [
        np.abs(descent(lambda w: relu.velocity(w, TASK), START, rate, [round(4 / rate)])[0] - exact).max()
        for rate in (0.1, 0.05)
    ]
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)
    assert errors[1] < 0.01


def test_the_end_of_a_flow_is_of_fifth_order():
    """Each halving of the step takes off a factor of 32 of the error, in float64."""
    with jax.enable_x64(True):
        ends = [float(flow_end(lambda w: w - w**3, jnp.asarray(0.1), 4.0, step=step)) for step in (0.1, 0.05)]
    square = 0.01 * np.exp(8.0) / (0.99 + 0.01 * np.exp(8.0))  # w^2 of the logistic equation
    errors = [abs(end - np.sqrt(square)) for end in ends]
    assert errors[1] < 1e-9
    assert 16 < errors[0] / errors[1] < 64


def test_several_times_share_one_program():
    traces = []

    def velocity(w):
        traces.append(1)
        return -w

    end = jax.jit(lambda w, time: flow_end(velocity, w, time, step=0.1))
    first = end(jnp.ones(3), 1.0)
    made = len(traces)
    np.testing.assert_allclose([first[0], end(jnp.ones(3), 2.0)[0]], np.exp([-1.0, -2.0]), rtol=1e-5)
    assert len(traces) == made
    assert first.dtype == np.float32


@pytest.mark.parametrize("steps", [[], [1, 1], [2, 1], [0.5], 3])
def test_steps_that_are_none(steps):
    with pytest.raises(UserError, match="steps must be increasing whole numbers"):
        descent(lambda w: -w, [1.0], 0.1, steps)


def test_step_zero_is_the_start():
    assert descent(lambda w: -w, [1.0, 2.0], 0.1, [0]).tolist() == [[1.0, 2.0]]
