"""Trainings in plain JAX: the whole in one jitted scan, and a jitted step that Python calls."""

from collections.abc import Callable

import jax
import jax.numpy as jnp

from gatefield.speed.peers.problem import Problem

Step = Callable[[jax.Array, jax.Array], jax.Array]
"""From weights (units, n) and a key to the weights after one step."""


def step_of(problem: Problem) -> Step:
    """One step as a user would write it: normals, covariance roots, erf, gradient, descent."""
    factors, gain, scale = jnp.asarray(problem.factors), problem.gain, problem.scale
    y = jnp.concatenate([jnp.ones(problem.batch // 2), jnp.zeros(problem.batch // 2)])

    def loss(w: jax.Array, x: jax.Array) -> jax.Array:
        return 0.5 * jnp.mean((jax.nn.relu(x @ w.T).mean(1) - y) ** 2)

    def step(w: jax.Array, key: jax.Array) -> jax.Array:
        z = jax.random.normal(key, (2, problem.batch // 2, problem.n))
        x = jax.lax.erf(gain * jnp.concatenate([z[0] @ factors[0], z[1] @ factors[1]])) / scale
        return w - problem.rate * jax.grad(loss)(w, x)

    return step


def scan(problem: Problem, keys: jax.Array, steps: int) -> Callable[[], jax.Array]:
    """All steps in one jitted scan, the best that one can plainly write; without a run axis if there is one run."""
    whole = _whole(problem, steps)
    if problem.runs == 1:
        one = jax.jit(whole)
        return lambda: jax.block_until_ready(one(problem.start[0], keys[0])[None])
    every = jax.jit(jax.vmap(whole))
    return lambda: jax.block_until_ready(every(problem.start, keys))


def scan_one_by_one(problem: Problem, keys: jax.Array, steps: int) -> Callable[[], jax.Array]:
    """The same, one run after the other, whose batches then fit into the cache."""
    whole = _whole(problem, steps)
    every = jax.jit(lambda start, keys: jax.lax.map(lambda both: whole(*both), (start, keys)))
    return lambda: jax.block_until_ready(every(problem.start, keys))


def loop(problem: Problem, keys: jax.Array, steps: int) -> Callable[[], jax.Array]:
    """One jitted step, called from Python: usual research code."""
    alone = problem.runs == 1
    step, fold = step_of(problem), jax.random.fold_in
    once = jax.jit(step) if alone else jax.jit(jax.vmap(step))
    folded = jax.jit(fold) if alone else jax.jit(jax.vmap(fold, (0, None)))
    start, key = (problem.start[0], keys[0]) if alone else (problem.start, keys)

    def go() -> jax.Array:
        w = jnp.asarray(start)
        for i in range(steps):
            w = once(w, folded(key, i))
        return jax.block_until_ready(w[None] if alone else w)

    return go


def _whole(problem: Problem, steps: int) -> Step:
    step = step_of(problem)

    def whole(w: jax.Array, key: jax.Array) -> jax.Array:
        return jax.lax.scan(lambda w, i: (step(w, jax.random.fold_in(key, i)), None), w, jnp.arange(steps))[0]

    return whole
