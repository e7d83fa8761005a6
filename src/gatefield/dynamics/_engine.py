"""The engine: one compiled program that moves many runs from record to record.

The program takes the number of records to make as data, not as a constant, so that the same machine code serves every chunk:
the size of a chunk cannot change a bit of the result. Inside, each run is a plain loop; `vmap` lays them side by side.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, PRNGKeyArray

from gatefield._runs import has_run_axis, run_axes
from gatefield.dynamics._losses import Loss
from gatefield.dynamics._optimizers import Optimizer

PyTree = Any
CACHE_BYTES = 2**22
Also = Mapping[str, tuple[Sequence[str], Callable[[Any], Array]]]


class State(NamedTuple):
    """All that the next step needs, and so all that a checkpoint holds: trained arrays and the optimiser's memory."""

    trained: PyTree
    memory: PyTree


class Problem(NamedTuple):
    """What does not change during training: for each run its fixed arrays, task, learning rate and keys."""

    fixed: PyTree
    task: PyTree
    rate: Float[Array, ""]
    train_key: PRNGKeyArray
    evaluation_key: PRNGKeyArray


class Program(NamedTuple):
    """What is compiled: how to step, and what to observe beside the network's own observables. Equal programs compile once."""

    optimizer: Optimizer
    loss: Loss
    batch_size: int | None
    also: tuple[tuple[str, Callable[[Any], Array]], ...]

    def start(self, trained: PyTree, rate: Float[Array, ""]) -> State:
        """The state before the first step of one run."""
        return State(trained, self.optimizer(rate).init(trained))

    def look(self, state: State, problem: Problem, step: Int[Array, ""]) -> dict[str, Array]:
        """What is recorded at a step: the network's observables, what the task measures, and the loss.

        Unless the task measures the loss, it is that on a fresh batch.
        """
        net = eqx.combine(state.trained, problem.fixed).at(problem.rate * step)
        own = {name: array for name, (_, array) in net.observables().items()}
        seen = {**own, **{name: function(net) for name, function in self.also}, **problem.task.measures(net, self.loss)}
        if "loss" in seen:
            return seen
        x, y = problem.task.sample(jax.random.fold_in(problem.evaluation_key, step), self.batch_size)
        return {**seen, "loss": self.loss(net(x), y)}

    def advance(
        self, state: State, problem: Problem, marks: Int[Array, " records"], capacity: int, first: Int, count: Int
    ) -> Any:
        """One run from record `first` on: `count` further records, in buffers with room for `capacity`."""
        stream = problem.task.stream(problem.train_key, self.batch_size)
        update = self.optimizer(problem.rate).update

        def batch_loss(trained: PyTree, i: Array, x: Array, y: Array) -> Array:
            return self.loss(eqx.combine(trained, problem.fixed).at(problem.rate * i)(x), y)

        def step(i: Array, carry: tuple[State, PyTree]) -> tuple[State, PyTree]:
            state, shared = carry
            (x, y), shared = stream.take(i, shared)
            gradient = jax.grad(batch_loss)(state.trained, i, x, y)
            change, memory = update(gradient, state.memory, state.trained)
            return State(optax.apply_updates(state.trained, change), memory), shared

        def record(i: Array, carry: tuple[State, dict[str, Array]]) -> tuple[State, dict[str, Array]]:
            state, rows = carry
            start, stop = marks[first + i], marks[first + i + 1]
            state, _ = jax.lax.fori_loop(start, stop, step, (state, stream.start(start)))
            seen = self.look(state, problem, stop)
            return state, jax.tree.map(lambda row, value: row.at[i].set(value), rows, seen)

        shapes = jax.eval_shape(self.look, state, problem, marks[first])
        rows = jax.tree.map(lambda s: jnp.zeros((capacity, *s.shape), s.dtype), shapes)
        return jax.lax.fori_loop(0, count, record, (state, rows))


@eqx.filter_jit
def advance(
    program: Program, state: State, problem: Problem, marks: Array, capacity: int, group: int, first: Any, count: Any
) -> Any:
    """All runs from record `first` on, `group` of them side by side; gives the new state and rows with a leading run axis."""
    arrays, rest = eqx.partition(problem, eqx.is_array)
    batched, shared = eqx.partition(arrays, has_run_axis(arrays))

    def one(run: tuple[State, PyTree]) -> Any:
        state, own = run
        return program.advance(state, eqx.combine(own, shared, rest), marks, capacity, first, count)

    runs = jax.tree.leaves(state)[0].shape[0]
    if group >= runs:
        return jax.vmap(one)((state, batched))
    return jax.lax.map(one, (state, batched), batch_size=group)


@eqx.filter_jit
def look(program: Program, state: State, problem: Problem, step: Any) -> dict[str, Array]:
    """What all runs show at a step, with a leading run axis."""
    arrays, rest = eqx.partition(problem, eqx.is_array)
    each = jax.vmap(lambda s, a: program.look(s, eqx.combine(a, rest), step), in_axes=(0, run_axes(arrays)))
    return each(state, arrays)


def runs_side_by_side(runs: int, batch_size: int, n: int) -> int:
    """How many runs to lay side by side: as many as fit into memory; on a CPU, no more than its caches like.

    Groups of equal size compile once, so a divisor of `runs` is taken if there is a large one.
    """
    batch = 4 * batch_size * n
    most = int(0.3 * _memory()) // (8 * batch)  # about eight arrays of a batch's size are alive at once
    if jax.default_backend() == "cpu":
        most = min(most, CACHE_BYTES // batch)
    most = max(1, min(runs, most))
    divisor = next(size for size in range(most, 0, -1) if runs % size == 0)
    return divisor if 2 * divisor >= most else most


def _memory() -> int:
    """The device's memory in bytes: all of it, not what is free just now, so that a resumed run is grouped as before."""
    stats = jax.devices()[0].memory_stats() or {}
    return stats.get("bytes_limit") or os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
