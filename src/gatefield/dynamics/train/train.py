"""Training: stochastic gradient descent on fresh samples, many runs at once."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import PRNGKeyArray

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.keys import as_key
from gatefield.core.provenance import provenance
from gatefield.core.runs import run_count, spread
from gatefield.data import AnyTask
from gatefield.dynamics.train.describe import describe, run_parameters
from gatefield.dynamics.train.engine import Also, Problem, Program, State, look, runs_side_by_side
from gatefield.dynamics.train.identity import fingerprint
from gatefield.dynamics.train.losses import get_loss
from gatefield.dynamics.train.optimizers import Optimizer, get_optimizer
from gatefield.dynamics.train.parts import check_batch, check_parts, size_of_batch
from gatefield.dynamics.train.recorder import MemoryRecorder, Recorder
from gatefield.dynamics.train.session import Session


def train(
    net: Any,
    task: Any,
    *,
    steps: int,
    batch_size: int | Literal["all"] | None,
    learning_rate: Any,
    key: PRNGKeyArray,
    optimizer: str | Optimizer = "sgd",
    loss: str = "mse",
    record_every: int | None = None,
    also: Also | None = None,
    recorder: Recorder | None = None,
    progress: Callable[[int, int], None] | None = None,
    finished: Callable[[Any], None] | None = None,
    chunk: int | None = None,
    keep_network: bool = True,
) -> xr.Dataset:
    r"""Train a network on batches of a task: $\theta \leftarrow \theta - \eta \nabla_\theta L$ on a new batch each step.

    Many runs go at once when `net`, `task`, `learning_rate` or `key` carry a leading run axis. A run's numbers depend on its
    own arrays and key alone: not on chunks or interruptions and, up to rounding, not on the runs beside it.

    **Arguments**

    - `steps`, `batch_size`, `learning_rate`: with SGD on `"mse"`, `learning_rate * step` is the time of the gradient flow in
      units of tau. `batch_size="all"` takes the whole training set of a `Dataset` at each step, in order.
    - `key`: one key for each run; from a single key, run r of several takes `fold_in(key, r)`.
    - `optimizer`: `"sgd"`, `"momentum"`, `"adam"`, `"adamw"`, `"rmsprop"`, or a function from a learning rate to an optax
      transformation.
    - `loss`: `"mse"`, one half of the mean squared error, `"sse"`, one half of the sum of squared errors, or
      `"cross-entropy"`. For a network with an output for each class, errors are those from the one-hot label.
    - `record_every`: steps between records, by default a hundredth of all. Step 0 and the last step are always recorded.
    - `also`: further quantities to record, name -> (dimension names, function of the network).
    - `recorder`: where records go (memory by default); one that finds this very run begun goes on from its last commit.
    - `progress`: called after each commit with the steps done and the steps in all.
    - `finished`: called at the end with the trained network, which has a run axis; also if the run was finished before.
    - `chunk`: records per commit; by default as many as take about two seconds.
    - `keep_network`: whether the recorder keeps the trained network after the last commit, which takes room on the disk.

    **Returns** a record with the network's observables, among them `fields` (run, step, unit, position) if it has such; `loss`
    (run, step), measured on a fresh batch, or as the task measures it; what else the task measures; and `status` (run, step),
    which is 1 once a run has diverged.

    >>> import jax
    >>> from gatefield import Committee, Task, train
    >>> from gatefield.data import NonlinearGP
    >>> task = Task(NonlinearGP(20, 2.0, gain=3.0), NonlinearGP(20, 1.0, gain=3.0))
    >>> net = Committee(20, 1, key=jax.random.key(0))
    >>> record = train(net, task, steps=20, batch_size=50, learning_rate=0.05, record_every=10, key=jax.random.key(1))
    >>> dict(record.fields.sizes)
    {'run': 1, 'step': 3, 'unit': 1, 'position': 20}
    """
    steps, batch_size = checks.count("steps", steps), size_of_batch(batch_size)
    every = max(1, steps // 100) if record_every is None else checks.count("record_every", record_every)
    chunk = None if chunk is None else checks.count("chunk", chunk)
    check_parts(net, task, recorder)
    check_batch(net, task, steps, batch_size)
    rate = checks.positive("learning_rate", learning_rate)
    program = Program(
        get_optimizer(optimizer),
        get_loss(loss, task.labels, net.outputs),
        batch_size,
        tuple((name, function) for name, (_, function) in (also or {}).items()),
        every if net.apart and steps % every == 0 else None,
    )
    state, problem = _set_up(program, net, task, rate, as_key(key))
    marks = np.unique(np.append(np.arange(0, steps, every), steps))
    settings = {
        "kind": "training",
        "steps": steps,
        "batch_size": batch_size or "all",
        "learning_rate": np.ravel(rate).tolist(),
        "optimizer": optimizer if isinstance(optimizer, str) else getattr(optimizer, "__qualname__", str(optimizer)),
        "loss": loss,
        "network": describe(net),
        "task": describe(task),
    }
    identity = fingerprint(settings, program, state, problem, marks)
    session = Session(
        program=program,
        problem=problem,
        marks=marks,
        dims=_dims(net, also or {}, _measured(program, state, problem)),
        coords={**_coords(problem, marks, rate), **run_parameters(task)},
        attrs={**settings, "fingerprint": identity, **provenance()},
        identity=identity,
        group=1 if net.apart else runs_side_by_side(len(problem.train_key), batch_size or task.size, net.footprint),
        chunk=chunk,
        keep_network=keep_network,
    )
    precision = None if jax.default_backend() == "cpu" else "float32"  # a GPU's default is TF32, which keeps three digits
    with jax.default_matmul_precision(precision):
        return session.run(state, recorder or MemoryRecorder(), progress or (lambda done, total: None), finished)


def _set_up(program: Program, net: Any, task: Any, rate: Any, key: PRNGKeyArray) -> tuple[State, Problem]:
    """The first state and the fixed part, the network's arrays and the keys with a run axis."""
    runs = run_count((net, task, rate, key)) or 1
    if key.ndim == 0:
        key = key[None] if runs == 1 else jax.vmap(jax.random.fold_in, (None, 0))(key, jnp.arange(runs))
    trained, fixed = eqx.partition(spread(net, runs), net.trainable())
    rates = jnp.broadcast_to(jnp.asarray(rate, float), (runs,))
    train_key, evaluation_key = (jax.vmap(lambda k, i=i: jax.random.split(k)[i])(key) for i in range(2))
    return jax.vmap(program.start)(trained, rates), Problem(fixed, task, rates, train_key, evaluation_key)


def _measured(program: Program, state: State, problem: Problem) -> list[str]:
    """The names of all that is recorded anyway; those that the network does not name are numbers that the task measures."""
    if type(problem.task).measures is AnyTask.measures:
        return ["loss"]
    return list(eqx.filter_eval_shape(lambda: look(program._replace(also=()), state, problem, 1, jnp.int32(0))))


def _dims(net: Any, also: Also, measured: Sequence[str]) -> dict[str, tuple[str, ...]]:
    own = {name: tuple(dims) for name, (dims, _) in net.observables().items()}
    taken = {**dict.fromkeys(measured, ()), **own}
    for name in also:
        if name in {*taken, "status"}:
            raise UserError(f"also must not use the name '{name}', which is recorded anyway; choose another name.")
    return taken | {name: tuple(dims) for name, (dims, _) in also.items()}


def _coords(problem: Problem, marks: np.ndarray, rate: Any) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
    """Each run's keys; and flow time, if all runs have the same learning rate."""
    keys = {
        name: (("run", "word"), np.asarray(jax.random.key_data(key)))
        for name, key in [("train_key", problem.train_key), ("evaluation_key", problem.evaluation_key)]
    }
    return keys | ({"time": (("step",), marks * float(rate))} if np.ndim(rate) == 0 else {})
