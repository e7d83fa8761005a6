"""A gate of a user's own, defined here by public names alone: it works wherever gates do."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import GatedLinear, Task, UserError, gates, leaf, train
from gatefield.data import Gaussian, Hypercube
from gatefield.gates import Gate, GateSet, HalfSpace, Open, Scheduled
from gatefield.theory import gated_linear

KEY = jax.random.key(0)
TASK = Task(Gaussian(3, 1.0), Gaussian(3, 0.5))


class Ball(Gate):
    """Open inside a ball."""

    radius: np.ndarray = leaf(0, converter=np.asarray)

    def __call__(self, x):
        return (jnp.sum(jnp.asarray(x) ** 2, axis=-1) < self.radius**2).astype(float)


class Growing(Gate):
    """A ball whose radius grows with time."""

    speed: np.ndarray = leaf(0, converter=np.asarray)
    now: np.ndarray = leaf(0, converter=np.asarray, default=0.0)

    def __call__(self, x):
        return Ball(self.speed * self.now)(x)

    def at(self, time):
        return Growing(self.speed, time)

    def frozen(self):
        return Ball(self.speed * self.now)


def test_it_stands_in_a_set_beside_others():
    x = np.array([[0.5, 0.5, 0.0], [2.0, 0.0, 0.0]])
    made = GateSet([Ball(1.0), Open(), HalfSpace([-1.0, 0.0, 0.0])])
    assert made(x).tolist() == [[1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]
    assert GateSet(Ball(3.0))(x).tolist() == [[1.0], [1.0]]
    assert repr(made) == "GateSet(gates=(Ball(radius=1.0), Open(), HalfSpace(direction=[-1.0, 0.0, 0.0])))"
    assert gates.are_exclusive(GateSet([Ball(1.0), HalfSpace([1.0, 0.0, 0.0])]), x[:1]) is False
    with pytest.raises(UserError, match=r"How a gate of kind Ball lies to others cannot be read off .*give inputs to try"):
        gates.are_exclusive([Ball(1.0), Open()])


def test_its_moments_are_sampled():
    """Inside a ball a Gaussian of independent sites has E x = 0 and E g x x' a multiple of the identity, by quadrature."""
    task = Task(Gaussian(3, 0.01), Gaussian(3, 0.01))
    A, b, _ = gated_linear.statistics([Ball(1.5)], task, key=KEY, samples=200_000)
    r = np.linspace(0, 1.5, 20_001)
    second = np.trapezoid(r**4 * np.exp(-(r**2) / 2), r) * np.sqrt(2 / np.pi) / 3
    np.testing.assert_allclose(A, second * np.eye(3), atol=0.005)
    np.testing.assert_allclose(b, 0.0, atol=0.005)
    with pytest.raises(UserError, match="a Ball gate can be any function; use method='sampled' with a key"):
        gated_linear.statistics([Ball(1.5)], task, method="closed")


def test_a_network_behind_it_trains():
    net = GatedLinear(3, [Ball(1.5), Open()], key=KEY)
    assert net(jnp.full((2, 3), 5.0)).shape == (2,)
    trained, record = train(net, TASK, steps=50, batch_size=50, learning_rate=0.2, key=KEY)
    assert bool(record.loss[0, -1] < record.loss[0, 0])
    assert float(trained.gates.gates[0].radius) == 1.5


def test_one_radius_for_each_run():
    net = GatedLinear(3, [Ball([0.0, 10.0])], init=np.ones((1, 3)))
    _, record = train(net, TASK, steps=20, batch_size=50, learning_rate=0.2, record_every=20, key=KEY)
    shut, opened = record.fields.values[:, -1, 0]
    np.testing.assert_array_equal(shut, 1.0)
    assert np.abs(opened - 1).max() > 0.1


def test_time_moves_it():
    x = np.array([[1.0, 0.0, 0.0]])
    growing = GateSet([Growing(1.0)])
    assert [growing.at(t)(x).item() for t in (0.5, 1.5)] == [0.0, 1.0]
    assert repr(growing.at(1.5).frozen()) == "GateSet(gates=(Ball(radius=1.5),))"
    later = Scheduled([0.0, 2.0], [Ball(0.5), Growing(1.0)])
    assert isinstance(later.at(3.0).frozen(), Ball)
    A, _, _ = gated_linear.statistics(growing.at(100.0), TASK, key=KEY, samples=20_000)
    np.testing.assert_allclose(np.diag(A), 1.0, atol=0.05)


def test_symmetric_data_give_it_no_closed_form_by_mistake():
    """The gate is even, so that its first moment vanishes on symmetric data, which each sample shows by both of its signs."""
    task = Task(Hypercube(3, 1.0), Hypercube(3, 0.5))
    _, b, _ = gated_linear.statistics([Ball(2.0)], task, key=KEY, samples=1000)
    np.testing.assert_allclose(b, 0.0, atol=1e-12)
