"""What a training begins with: its parts checked, its program, and the first state of every run."""

import contextlib
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Key

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.keys import as_key
from gatefield.core.precision import detached
from gatefield.core.runs import one_run, run_count, spread
from gatefield.core.tracing.identity import code_fingerprint
from gatefield.data import AbstractTask
from gatefield.dynamics.train.describe import run_parameters
from gatefield.dynamics.train.engine import (
    Observe,
    Problem,
    Program,
    State,
    check_one_batch,
    flow_time,
    observe,
    runs_side_by_side,
)
from gatefield.dynamics.train.gpu.plan import Precision, check_precision, plan, prepare
from gatefield.dynamics.train.gpu.strides import stride_of
from gatefield.dynamics.train.losses import check_loss, get_loss
from gatefield.dynamics.train.network import check_forward
from gatefield.dynamics.train.observed import check_observed, check_record
from gatefield.dynamics.train.optimizers import check_rate, get_optimizer
from gatefield.dynamics.train.parts import check_batch, check_parts, check_time, size_of_batch
from gatefield.nets import Network


class Setup(NamedTuple):
    """A training before its first step."""

    program: Program
    state: State
    problem: Problem
    rate: Any
    """As given: a number or one for each run; NaN where the optimiser or a schedule knows it."""
    dims: dict[str, tuple[str, ...]]
    """The dimension names of all that is observed."""
    group: int
    """How many runs go side by side."""
    single: bool
    """Whether nothing that was given has a run axis."""

    def network(self, state: State, step: int) -> Any:
        """The network of a state as it stands at that step, with a run axis if there are several runs."""
        net = eqx.combine(state.trained, self.problem.fixed)
        net = eqx.filter_vmap(lambda net, time: net.at(time))(net, flow_time(state, self.problem, jnp.int32(step)))
        return one_run(net, 0) if self.single else net

    @staticmethod
    def precision() -> contextlib.AbstractContextManager[Any]:
        """The precision of products: a GPU's default is TF32, which keeps three digits."""
        return jax.default_matmul_precision(None if jax.default_backend() == "cpu" else "float32")


def set_up(
    net: Network,
    task: AbstractTask,
    *,
    batch_size: Any,
    learning_rate: Any,
    key: Any,
    optimizer: Any,
    loss: Any,
    observe: Observe | None = None,
    steps: int = 1,
    every: int | None = None,
    precision: Precision = "float32",
    shared_stream: bool = False,
) -> Setup:
    """Check what a training is made of, and put it together; see `train` for the arguments."""
    size, precision = size_of_batch(batch_size), check_precision(precision)
    check_parts(net, task)
    net, task = detached((net, task))
    check_batch(net, task, steps, size)
    rate, schedule = check_rate(learning_rate, optimizer)
    check_time(net, optimizer)
    check_one_batch(size or 1, net.footprint)
    key = _one_key(key) if checks.flag("shared_stream", shared_stream) else as_key(key)
    runs = run_count((net, task, rate, key))
    check_forward(net, size or task.size or 1)
    observed = check_observed(observe, one_run(net, 0))
    check_loss(loss, net.outputs, size or task.size, classes=task.classes is not None)
    program = Program(
        get_optimizer(optimizer, rate if schedule is None else schedule),
        get_loss(loss, task.labels, net.outputs),
        size,
        tuple((name, one.function) for name, one in observed.items()),
        every if every and net.sequential and steps % every == 0 else None,
        schedule,
    )
    many = runs_side_by_side(runs or 1, size or task.size or 1, net.footprint, shared_stream=shared_stream)
    side_by_side = 1 if net.sequential else many
    step = plan(precision, net, task, program.loss, size, side_by_side)
    if step is not None and shared_stream:
        raise UserError(
            f"precision={precision!r} makes the samples of each run by themselves, so that it does not go with "
            "shared_stream=True: leave one of them out."
        )
    stride = stride_of(every, side_by_side * (size or task.size or 1) * net.footprint)
    program = program._replace(fused=step, stride=stride, code=code_fingerprint(program, net, task))
    state, problem = _begin(program, net, task, rate, key, runs or 1, shared_stream)
    shapes = _recorded(program, state, problem)
    dims = dict.fromkeys(shapes, ()) | {name: tuple(dims) for name, (dims, _) in net.observables().items()}
    dims = check_record(dims, shapes, observed, run_parameters(task))
    return Setup(program, state, problem, rate, dims, side_by_side, runs is None)


def _one_key(key: Any) -> Key[Array, ""]:
    """The key of a stream that all runs share."""
    if np.ndim(as_key(key)):
        raise UserError(
            f"shared_stream=True needs one key, that of the stream, but there are {len(as_key(key))}; write "
            "key=jax.random.key(0)."
        )
    return as_key(key)


def _begin(
    program: Program, net: Network, task: AbstractTask, rate: Any, key: Key[Array, "..."], runs: int, shared_stream: bool
) -> tuple[State, Problem]:
    """The first state and the fixed part, the network's arrays and, unless there is one stream, the keys with a run axis."""
    if key.ndim == 0 and not shared_stream:
        key = key[None] if runs == 1 else jax.vmap(jax.random.fold_in, (None, 0))(key, jnp.arange(runs))
    trained, fixed = eqx.partition(spread(net, runs), net.trainable())
    rates = jnp.broadcast_to(jnp.asarray(rate, float), (runs,))
    halves = jax.random.split if shared_stream else jax.vmap(jax.random.split, out_axes=1)
    train_key, evaluation_key = halves(key)
    prepared = None if program.fused is None else prepare(program.fused, task)
    return jax.vmap(program.start)(trained, rates), Problem(fixed, task, rates, train_key, evaluation_key, prepared)


def _recorded(program: Program, state: State, problem: Problem) -> dict[str, tuple[int, ...]]:
    """The shapes of what is recorded of one run anyway; what the network does not name are numbers that the task measures."""
    shapes = eqx.filter_eval_shape(lambda: observe(program._replace(observed=()), state, problem, 1, jnp.int32(0)))
    if len(shapes["loss"].shape) != 1:  # one number for each run
        raise UserError(
            f"loss must give one number for a batch, but gives an array of shape {shapes['loss'].shape[1:]}; take its mean, as "
            f"in lambda output, label: jnp.mean((output - label) ** 2)."
        )
    return {name: shape.shape[1:] for name, shape in shapes.items()}
