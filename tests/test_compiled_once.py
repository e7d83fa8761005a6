"""What is called again with other numbers of the same shapes compiles nothing: programs are made once."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gatefield import Committee, DeepGated, Task, train
from gatefield.data import Gaussian, NonlinearGP
from gatefield.kernels import tangent_kernel
from gatefield.measures import ipr
from gatefield.theory import drift, gated_linear, hypercube, relu

COMPILED: list[str] = []
N = 6


def _note(event: str, duration_secs: float, **_) -> None:
    if event == "/jax/core/compile/backend_compile_duration":
        COMPILED.append(event)


jax.monitoring.register_event_duration_secs_listener(_note)


def numbers(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape)


def factor(seed):
    loads = np.random.default_rng(seed).uniform(0.2, 0.8, 4)
    return np.outer(loads, loads) + np.diag(1 - loads**2)


def pair(seed):
    return Task(Gaussian(N, 1.0 + seed / 10), Gaussian(N, 2.0))


CALLS = {
    "train": lambda seed: train(
        Committee(N, 2, key=jax.random.key(seed)),
        Task(NonlinearGP(N, 2.0, 1.0 + seed), NonlinearGP(N, 1.0, 1.0 + seed)),
        steps=4,
        batch_size=6,
        learning_rate=0.1 * seed,
        key=jax.random.key(seed),
    ),
    "relu.velocity": lambda seed: relu.velocity(numbers(seed, 2, N), pair(seed)),
    "gated_linear.solve": lambda seed: gated_linear.solve(np.eye(N) * seed, numbers(seed, N), np.zeros(N), [0.0, seed], 2),
    "hypercube.orthant": lambda seed: hypercube.orthant(factor(seed), np.ones(4), method="sampled", points=64),
    "drift": lambda seed: drift(NonlinearGP(N, 2.0, 1.0 + seed), numbers(seed, N), key=jax.random.key(seed), samples=64),
    "tangent_kernel": lambda seed: tangent_kernel(
        DeepGated(N, [4, 4], gating="relu", key=jax.random.key(seed)),  # pyright: ignore[reportArgumentType]
        numbers(seed, 5, N),
    ),
    "ipr": lambda seed: ipr(numbers(seed, 3, N)),
}


@pytest.mark.parametrize("name", CALLS)
def test_other_numbers_are_no_other_program(name):
    CALLS[name](1)
    before = len(COMPILED)
    CALLS[name](2)
    assert len(COMPILED) == before


def test_a_program_that_is_new_is_counted():
    before = len(COMPILED)
    jax.jit(lambda x: x + len(COMPILED))(jnp.zeros(3))
    assert len(COMPILED) > before
