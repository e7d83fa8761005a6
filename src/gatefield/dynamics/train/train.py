"""Training: stochastic gradient descent on fresh samples, many runs at once."""

import warnings
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import jax
import numpy as np
import optax
import xarray as xr

from gatefield.core import checks
from gatefield.core.errors import Diverged, UserError
from gatefield.core.grid import Grid, check_grid
from gatefield.core.keys import Keys
from gatefield.core.progress import training_progress
from gatefield.core.provenance import provenance
from gatefield.core.text.portable import portable
from gatefield.core.text.quoted import quoted
from gatefield.core.tracing.identity import fingerprint
from gatefield.data import AbstractTask
from gatefield.data.numerics import NORMALS
from gatefield.dynamics.train.describe import describe, run_parameters
from gatefield.dynamics.train.divergence import divergence
from gatefield.dynamics.train.engine import Observe
from gatefield.dynamics.train.gpu.plan import Precision
from gatefield.dynamics.train.losses import Loss, LossName
from gatefield.dynamics.train.observed import COORDS
from gatefield.dynamics.train.optimizers import Optimizer, OptimizerName, Schedule
from gatefield.dynamics.train.parts import recorded_steps
from gatefield.dynamics.train.problem import Setup, set_up
from gatefield.dynamics.train.recorder import MemoryRecorder, Recorder
from gatefield.dynamics.train.session import Session
from gatefield.nets import Network

AT_ONCE = 2**22
"""Steps whose learning rates are asked for together: a long schedule does not fit into memory."""


class Training(NamedTuple):
    """What `train` gives: the trained network and its history."""

    net: Any
    """Of the class that was given, with a run axis if there were several runs; None if it was not kept."""
    record: xr.Dataset


def train(
    net: Network,
    task: AbstractTask,
    *,
    steps: int,
    batch_size: int | Literal["all"] | None,
    learning_rate: Any = None,
    key: Keys,
    optimizer: OptimizerName | Optimizer | optax.GradientTransformation = "sgd",
    loss: LossName | Loss = "mse",
    record_every: int | None = None,
    runs: Grid | None = None,
    observe: Observe | None = None,
    recorder: Recorder | None = None,
    progress: bool | Callable[[int, int], None] | None = None,
    chunk: int | None = None,
    keep_network: bool = True,
    precision: Precision = "float32",
    shared_stream: bool = False,
) -> Training:
    r"""Train a network on batches of a task: $\theta \leftarrow \theta - \eta \nabla_\theta L$ on a new batch each step.

    Many runs go at once when `net`, `task`, `learning_rate` or `key` carry a leading run axis. A run's numbers depend on its
    own arrays and key alone: not on chunks or interruptions and, up to rounding, not on the runs beside it.

    **Arguments**

    - `net`, `task`: a `Network` and a task, such as `Task(positive, negative)` or `Dataset(x, y)`.
    - `steps`, `batch_size`: how many steps, and samples in each. `batch_size="all"` takes the whole training set of a `Dataset`
      at each step, in order.
    - `learning_rate`: a number, one for each run, or a schedule, a function of the step such as those of optax. With SGD on
      `"mse"` the sum of the learning rates is the time of the gradient flow, in units of tau.
    - `key`: one key for each run; from a single key, run r of several takes `fold_in(key, r)`.

    Then, as needed:

    - `optimizer`: `"sgd"`, `"momentum"`, `"adam"`, `"adamw"`, `"rmsprop"`; a function from a learning rate to an optax
      transformation, such as `optax.lion`; or the transformation itself, which has its own learning rate.
    - `loss`: `"mse"`, one half of the mean squared error, `"sse"`, one half of the sum of squared errors, `"cross-entropy"`, or
      a function of outputs and labels. For a network with an output for each class, errors are those from the one-hot label.
    - `record_every`: steps between records, by default a hundredth of all. Step 0 and the last step are always recorded.
    - `runs`: a `Grid` that names the axes of the runs; the record has them in place of `run`. An axis called like a coordinate
      of the record, such as `learning_rate`, must be what the runs are trained with; `seed` may number them as it likes.
    - `observe`: further quantities to record, name -> (dimension names, function of the network). Keep one function for many
      trainings: one that is made anew, such as a lambda within a loop, compiles the training anew, and is kept with it.
    - `shared_stream`: whether all runs are trained, and judged, on the same batches up to what differs in their tasks: many
      starts, gains or learning rates on one stream of random numbers, that of the one key given, which is made once for all
      of them. Runs are then not independent: their spread is that of starts and settings, not of samples, and errors of means
      over runs do not fall with their number as far as they come from samples. Differences between runs become clearer.

    Rarely:

    - `recorder`: where records go (memory by default); one that finds this very run begun goes on from its last commit.
    - `progress`: whether progress is shown, by default in terminals and notebooks; or a function that is called after each
      commit with the steps done and the steps in all.
    - `chunk`: records per commit; by default as many as take about two seconds.
    - `keep_network`: whether the trained network is kept after the last commit, which takes room on the disk.
    - `precision`: `"float32"`, or on NVIDIA GPUs, for a `Committee` with a fixed mean and no biases on a stratified `Task` of
      squashed Gaussian fields, one kernel that is several times faster: `"tf32"` rounds samples, the root of their covariance,
      weights and residuals to TF32 (11 bits, relative errors up to 5e-4); `"tf32x2"` takes root, weights and residuals in two
      such parts, and only samples are rounded. Samples come from a generator of its own (Philox 4x32-10): their law is the
      same, up to that rounding and 3e-5 in the error function, but not their numbers. The loss is recorded in float32.

    **Returns** `net, record`: the trained network, with a run axis if there were several runs, and a record with the network's
    observables, among them `fields` (run, step, unit, position) if it has such; `loss` (run, step), measured on a fresh batch,
    or as the task measures it; what else the task measures; `status` (run, step), which is 1 once a run has diverged (which
    a warning, `gatefield.Diverged`, tells at the end). Its coordinates are `step` and `time`, which is (run, step) where rates
    differ; `learning_rate`, and parameters of the task that differ, of each run; `seed`, the number of each run's key (0 on a
    shared stream); `train_key` and `evaluation_key` (run, word), the numbers that make the keys of batches and of what is
    recorded; and the numbers of each `unit` and `position`. With an optimizer object, which alone knows its rate, the
    attribute `learning_rate` is NaN, and neither that coordinate nor `time` is there; with a schedule only `time` is. With
    `runs=Grid(...)` the axes of the grid stand in the place of `run`, and of all coordinates of runs only `time` stays. A
    `flow` has the dimension `time` in place of `step`: `record.swap_dims(step="time")` gives a record that dimension, so that
    one can be subtracted from the other (`flow` has an example).

    >>> import jax
    >>> from gatefield import Committee, Task, train
    >>> from gatefield.data import NonlinearGP
    >>> task = Task(NonlinearGP(20, 2.0, gain=3.0), NonlinearGP(20, 1.0, gain=3.0))
    >>> net = Committee(20, 1, key=jax.random.key(0))
    >>> net, record = train(net, task, steps=20, batch_size=50, learning_rate=0.05, record_every=10, key=jax.random.key(1))
    >>> dict(record.fields.sizes), net.fields.shape
    ({'run': 1, 'step': 3, 'unit': 1, 'position': 20}, (1, 20))
    """
    steps = checks.count("steps", steps)
    every = max(1, steps // 100) if record_every is None else checks.count("record_every", record_every)
    setup = set_up(
        net,
        task,
        batch_size=batch_size,
        learning_rate=learning_rate,
        key=key,
        optimizer=optimizer,
        loss=loss,
        observe=observe,
        steps=steps,
        every=every,
        precision=precision,
        shared_stream=shared_stream,
    )
    marks = recorded_steps(steps, every)
    coords = {**_coords(setup, marks), **run_parameters(task)}
    if runs is not None:
        check_grid(runs).check_runs(len(setup.problem.rate), "net, task, learning_rate and key are")
        runs.check_names(_names(setup, coords))
    _check_recorder(recorder)
    if progress is not None and not callable(progress):
        checks.flag("progress", progress)
    settings = {
        "kind": "training",
        "steps": steps,
        "batch_size": setup.program.batch_size or "all",
        "learning_rate": _in_words(learning_rate) if setup.program.schedule else np.ravel(setup.rate).tolist(),
        "optimizer": _in_words(optimizer),
        "loss": _in_words(loss),
        "network": describe(net),
        "task": describe(task),
        **({} if setup.program.fused is None else {"precision": precision}),
        "stream": "shared by all runs" if shared_stream else "one for each run",
        "normals": NORMALS,
    }
    identity = fingerprint(settings, setup.program.what(), setup.state, setup.problem, marks)
    session = Session(
        setup=setup,
        marks=marks,
        coords=coords,
        attrs={**settings, "fingerprint": identity, **provenance()},
        identity=identity,
        chunk=None if chunk is None else checks.count("chunk", chunk),
        keep_network=checks.flag("keep_network", keep_network),
    )
    with training_progress(progress) as report, setup.precision():
        trained, record = session.run(recorder or MemoryRecorder(), report)
    diverged = divergence(record, setup)
    if diverged:
        warnings.warn(diverged, Diverged, stacklevel=2)
        record = record.assign_attrs(diverged=diverged)
    return Training(trained, portable(record) if runs is None else runs.unfold(record))


def _check_recorder(recorder: Any) -> None:
    if recorder is not None and not isinstance(recorder, Recorder):
        raise UserError(f"recorder must be a recorder, but is {quoted(recorder)}; write gatefield.lab.ZarrRecorder(folder).")


def _in_words(value: Any) -> str:
    if isinstance(value, str):
        return value
    return getattr(value, "__qualname__", type(value).__name__)


def _names(setup: Setup, coords: dict[str, tuple[tuple[str, ...], np.ndarray]]) -> dict[str, np.ndarray | None]:
    """All names that the record will have; those of coordinates with what each run has there, if that is one value."""
    dims = {dim for names in setup.dims.values() for dim in names}
    one_each = {name: values for name, (along, values) in coords.items() if along == ("run",)}
    return {**dict.fromkeys((*COORDS, *dims, *setup.dims, *coords)), **one_each}


def _coords(setup: Setup, marks: np.ndarray) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
    """Each run's number, keys and learning rate; and the time of the flow, of each run if their learning rates differ."""
    problem, rate, schedule = setup.problem, np.asarray(setup.rate, float), setup.program.schedule
    runs, shared = len(problem.rate), problem.train_key.ndim == 0
    coords: dict[str, tuple[tuple[str, ...], np.ndarray]] = {
        name: (("run", "word"), np.array(np.broadcast_to(words, (runs, words.shape[-1]))))
        for name, words in [
            ("train_key", np.asarray(jax.random.key_data(problem.train_key))),
            ("evaluation_key", np.asarray(jax.random.key_data(problem.evaluation_key))),
        ]
    }
    coords["seed"] = ("run",), np.zeros(runs, int) if shared else np.arange(runs)
    if schedule is not None:
        return coords | {"time": (("step",), _times(schedule, marks))}
    if np.isnan(rate).all():  # known to the optimiser alone
        return coords
    coords["learning_rate"] = ("run",), np.broadcast_to(rate, runs).copy()
    return coords | {"time": (("step",), marks * float(rate)) if rate.ndim == 0 else (("run", "step"), np.outer(rate, marks))}


def _times(schedule: Schedule, marks: np.ndarray) -> np.ndarray:
    """The sum of the learning rates of all steps before each mark."""
    sums, total, last = np.empty(len(marks)), 0.0, int(marks[-1])
    for start in range(0, last, AT_ONCE):
        stop = min(start + AT_ONCE, last)
        rates = np.asarray(jax.vmap(schedule)(np.arange(start, stop)), float)
        running = np.cumsum(np.append(total, rates))  # the sum before each step
        within = (marks >= start) & (marks <= stop)
        sums[within], total = running[marks[within] - start], running[-1]
    return sums
