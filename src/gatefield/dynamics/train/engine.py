"""The engine: one compiled program that moves many runs from record to record.

The program takes the number of records to make as data, not as a constant, so that the same machine code serves every chunk:
the size of a chunk cannot change a bit of the result. Inside, each run is a plain loop; `vmap` lays them side by side.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, PRNGKeyArray

from gatefield.core.machine import check_room, memory
from gatefield.core.runs import has_run_axis
from gatefield.core.tracing.vectors import wide_jit
from gatefield.dynamics.train.gpu.kernel import Step, Tiling
from gatefield.dynamics.train.gpu.plan import Prepared, gradient_by_kernel
from gatefield.dynamics.train.gpu.strides import by_strides
from gatefield.dynamics.train.losses import Loss
from gatefield.dynamics.train.optimizers import Optimizer, Schedule

PyTree = Any
CACHE_BYTES = 2**22
"""A batch of all runs side by side should not be larger than a core's share of the caches."""
Observe = Mapping[str, tuple[Sequence[str], Callable[[Any], Array]]]
"""What to observe beside the network's own observables: name -> (dimension names, function of the network)."""


class State(NamedTuple):
    """All that the next step needs, and so all that a checkpoint holds: trained arrays, the optimiser's memory and, if the
    learning rate follows a schedule, the time that has passed."""

    trained: PyTree
    memory: PyTree
    time: Float[Array, ""] | None = None


class Problem(NamedTuple):
    """What does not change during training: for each run its fixed arrays, task, learning rate and keys; and the task as the
    fused kernel reads it, if that makes the steps.

    Without a run axis the keys are those of one stream of batches, which is then made once for all runs side by side.
    """

    fixed: PyTree
    task: PyTree
    rate: Float[Array, ""]
    train_key: PRNGKeyArray
    evaluation_key: PRNGKeyArray
    prepared: Prepared | None = None


class Program(NamedTuple):
    """What is compiled: how to step, and what to observe beside the network's own observables. Equal programs compile once.

    `every` is the number of steps between records where it is part of the program: a GPU then need not ask after each step
    whether to go on, but programs for other numbers of steps are compiled anew. For the same reason a GPU takes `stride` steps
    in a row; those beyond the last that is asked for change nothing. With `fused`, one kernel makes batch and gradient.
    """

    optimizer: Optimizer
    loss: Loss
    batch_size: int | None
    observed: tuple[tuple[str, Callable[[Any], Array]], ...] = ()
    every: int | None = None
    schedule: Schedule | None = None
    stride: int = 1
    fused: Step | None = None
    code: str = ""
    """The fingerprint of all functions: one that reads a value from around it must be compiled anew when that has changed."""

    def what(self) -> "Program":
        """What the numbers depend on: not on how long a stride is, nor on how a kernel's work is cut."""
        fused = None if self.fused is None else self.fused._replace(tiling=Tiling())
        return self._replace(stride=1, fused=fused)

    def start(self, trained: PyTree, rate: Float[Array, ""]) -> State:
        """The state before the first step of one run."""
        return State(trained, self._optimizer(rate).init(trained), None if self.schedule is None else jnp.zeros(()))

    def observe(self, state: State, problem: Problem, draw: Callable[..., Any], step: Int[Array, ""]) -> dict[str, Array]:
        """What is recorded at a step: the network's observables, what the task measures, and the loss.

        Unless the task measures the loss, it is that on a fresh batch, which `draw`, the task's sampler, gives.
        """
        net = eqx.combine(state.trained, problem.fixed).at(flow_time(state, problem, step))
        own = {name: array for name, (_, array) in net.observables().items()}
        more = {name: function(net) for name, function in self.observed}
        rows = {**own, **more, **problem.task.measures(net, self.loss)}
        if "loss" in rows:
            return rows
        x, y = draw(jax.random.fold_in(problem.evaluation_key, step), self.batch_size)
        return {**rows, "loss": self.loss(net(x), y)}

    def advance(
        self, state: State, problem: Problem, marks: Int[Array, " records"], capacity: int, first: Array, count: Array
    ) -> Any:
        """Records `first`, `first + 1`, ... of one run, `count` of them, in buffers with room for `capacity`.

        The state is that of the record before; to the first record of all, at step 0, there is no step to take. A `count` of 0
        asks for the steps to record `first` without the record, which may take longer than the steps.
        """
        begin, gradients = self._gradients(problem)
        draw, update = problem.task.sampler(), self._optimizer(problem.rate).update

        def step(i: Array, carry: tuple[State, PyTree]) -> tuple[State, PyTree]:
            state, shared = carry
            gradient, shared = gradients(i, state, shared)
            change, memory = update(gradient, state.memory, state.trained)
            time = None if self.schedule is None else state.time + self.schedule(i)
            return State(optax.apply_updates(state.trained, change), memory, time), shared

        def steps(start: Array, stop: Array, state: State) -> State:
            if self.every is None and self.stride == 1:
                return jax.lax.fori_loop(start, stop, step, (state, begin(start)))[0]
            if self.every is None:
                return by_strides(self.stride, start, stop, step, (state, begin(start)))[0]
            loop = functools.partial(jax.lax.fori_loop, 0, self.every, lambda j, carry: step(start + j, carry))
            return jax.lax.cond(stop > start, lambda s: loop((s, begin(start)))[0], lambda s: s, state)

        def record(i: Array, carry: tuple[State, dict[str, Array]]) -> tuple[State, dict[str, Array]]:
            state, rows = carry
            start, stop = marks[jnp.maximum(first + i - 1, 0)], marks[first + i]
            state = steps(start, stop, state)
            new = jax.lax.cond(count > 0, lambda s: self.observe(s, problem, draw, stop), lambda _: nothing, state)
            return state, jax.tree.map(lambda row, value: row.at[i].set(value), rows, new)

        shapes = jax.eval_shape(lambda: self.observe(state, problem, draw, marks[first]))
        nothing = jax.tree.map(lambda s: jnp.zeros(s.shape, s.dtype), shapes)
        rows = jax.tree.map(lambda s: jnp.zeros((capacity, *s.shape), s.dtype), shapes)
        return jax.lax.fori_loop(0, jnp.maximum(count, 1), record, (state, rows))

    def _gradients(self, problem: Problem) -> tuple[Callable[[Array], PyTree], Callable[[Array, State, PyTree], Any]]:
        """What a loop of steps begins with, and the gradient of a step with what the next one needs."""
        if self.fused is not None and problem.prepared is not None:
            by_kernel = gradient_by_kernel(self.fused, problem.prepared, problem.train_key)
            return lambda start: (), lambda i, state, shared: (by_kernel(i, state.trained), shared)
        stream = problem.task.stream(problem.train_key, self.batch_size)

        def batch_loss(trained: PyTree, time: Array, x: Array, y: Array) -> Array:
            return self.loss(eqx.combine(trained, problem.fixed).at(time)(x), y)

        def gradient(i: Array, state: State, shared: PyTree) -> Any:
            (x, y), shared = stream.take(i, shared)
            return jax.grad(batch_loss)(state.trained, flow_time(state, problem, i), x, y), shared

        return stream.start, gradient

    def _optimizer(self, rate: Float[Array, ""]) -> optax.GradientTransformation:
        return self.optimizer(rate if self.schedule is None else self.schedule)


def flow_time(state: State, problem: Problem, step: Int[Array, ""]) -> Float[Array, "*runs"]:
    """The time of the flow: the sum of the learning rates of all steps before."""
    return problem.rate * step if state.time is None else state.time


@wide_jit
def advance(
    program: Program, state: State, problem: Problem, marks: Array, capacity: int, group: int, first: Any, count: Any
) -> Any:
    """`count` records of all runs, `group` of them side by side; gives the new state and rows with a leading run axis.

    With a `count` of 0 only the state moves, to the step of record `first`.
    """
    return _each_run(lambda s, p: program.advance(s, p, marks, capacity, first, count), state, problem, group)


@eqx.filter_jit
def observe(program: Program, state: State, problem: Problem, group: int, step: Any) -> dict[str, Array]:
    """What all runs show at a step, with a leading run axis."""
    return _each_run(lambda s, p: program.observe(s, p, p.task.sampler(), step), state, problem, group)


def _each_run(function: Callable[[State, Problem], Any], state: State, problem: Problem, group: int) -> Any:
    """The function of each run's state and problem, `group` of them side by side."""
    arrays, rest = eqx.partition(problem, eqx.is_array)
    batched, shared = eqx.partition(arrays, has_run_axis(arrays))

    def one(run: tuple[State, PyTree]) -> Any:
        return function(run[0], eqx.combine(run[1], shared, rest))

    if group == 1:
        return jax.lax.map(one, (state, batched))
    if group >= len(problem.rate):
        return jax.vmap(one)((state, batched))
    return jax.lax.map(one, (state, batched), batch_size=group)


def runs_side_by_side(runs: int, batch_size: int, n: int, *, shared_stream: bool = False) -> int:
    """How many runs to lay side by side: as many as fit into memory; on a CPU, no more than its caches like.

    Where all runs have one stream, those side by side have one batch in the caches.

    Groups of equal size compile once, so a divisor of `runs` is taken if there is a large one.

    **Arguments**

    - `runs`: how many there are.
    - `batch_size`, `n`: samples of a batch, and sites of an input.
    - `shared_stream`: whether all runs see the same samples.

    **Returns** a number from 1 to `runs`.

    >>> runs_side_by_side(3, 10, 4)
    3
    """
    batch = 4 * batch_size * n
    # about eight arrays of a batch's size are alive at once; and the memory is all there is, also what others hold, so that
    # they get a third of it, a guess on the safe side
    most = int(0.3 * _memory()) // (8 * batch)
    if jax.default_backend() == "cpu" and not shared_stream:
        most = min(most, CACHE_BYTES // batch)
    most = max(1, min(runs, most))
    divisor = next(size for size in range(most, 0, -1) if runs % size == 0)
    return divisor if 2 * divisor >= most else most


def check_one_batch(batch_size: int, n: int) -> None:
    """An error if one batch alone, n numbers for each sample, is larger than the device's memory."""
    check_room(f"A batch of {batch_size:,} samples", 4 * batch_size * n, "make batch_size smaller", there=_memory())


def _memory() -> int:
    """The device's memory in bytes: all of it, not what is free just now, so that a resumed run is grouped as before.

    A CPU tells of none: it has what this process may have.
    """
    stats = jax.devices()[0].memory_stats() or {}
    return stats.get("bytes_limit") or memory()
