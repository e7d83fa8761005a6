"""Whether what a training is made of fits together."""

from typing import Any

import equinox as eqx
import numpy as np
import optax

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted
from gatefield.data import AbstractTask
from gatefield.dynamics.train.network import check_network
from gatefield.nets import Network

MOST_SAMPLES = 2**31
"""Places in the shuffled order are counted in 32 bits."""
MOST_RECORDS = 10**7
"""More steps in one record are a mistake: their list alone would fill memory."""


def size_of_batch(size: Any) -> int | None:
    """Samples in a batch; None stands for the whole training set."""
    if size is None or (isinstance(size, str) and size == "all"):
        return None
    if isinstance(size, str):
        raise UserError(
            f"batch_size must be a whole number, or 'all' for the whole training set of a Dataset, but is {quoted(size)}; "
            "write for instance batch_size=100."
        )
    return checks.count("batch_size", size)


def check_parts(net: Any, task: Any) -> None:
    """See that the network and the task are such, and fit each other."""
    if not isinstance(net, Network):
        raise UserError(
            f"net must be a network of gatefield, such as Committee(40, 1, key=key), but is {type(net).__name__}; to train one "
            f"of your own, make it a subclass of gatefield.Network: its arrays are fields with gatefield.leaf(ndim), its "
            f"methods forward(x) and observables(), and inputs a property if no observable is called 'fields'; see its help."
        )
    if not isinstance(task, AbstractTask):
        raise UserError(
            f"task must be a task, such as Task(positive, negative), but is {type(task).__name__}; inputs and labels in arrays "
            f"make one by Dataset(x, y)."
        )
    check_network(net)
    if net.inputs != task.n:
        raise UserError(f"The network has {net.inputs} inputs and the task {task.n} sites; give both the same n.")
    _check_outputs(net.outputs, task.classes)


def check_batch(net: Any, task: AbstractTask, steps: int, size: int | None) -> None:
    """Whether the task has such batches, and the network can take them."""
    if size is None and task.size is None:
        raise UserError("A task that draws fresh samples has no whole training set; give batch_size as a number.")
    if net.samples is not None and (size is not None or task.size != net.samples):
        raise UserError(
            f"The network has gates for {net.samples} samples and takes them all at once, but batch_size is {size or 'all'} of "
            f"{task.size}; train it on a Dataset of {net.samples} samples with batch_size='all'."
        )
    check_steps(task, steps, size)


def check_steps(task: AbstractTask, steps: int, size: int | None) -> None:
    """Whether so many steps, counted from the first, can be counted in 32 bits, and their samples too if they come in order."""
    checks.count("steps", steps)
    if size is not None and task.size is not None and (steps + 1) * size >= MOST_SAMPLES:
        raise UserError(
            f"steps * batch_size must stay below {MOST_SAMPLES:,} on a Dataset, but is {steps:,} * {size:,}; take fewer steps, "
            f"at most {max(MOST_SAMPLES // size - 2, 1):,}, or a smaller batch_size."
        )


def recorded_steps(steps: int, every: int) -> np.ndarray:
    """Every so many steps, from 0 on, and the last."""
    if steps // every >= MOST_RECORDS:
        raise UserError(
            f"A training has at most {MOST_RECORDS:,} records, but {steps:,} steps with record_every={every} make "
            f"{steps // every + 1:,}; write for instance record_every={-(-steps // 1000)}."
        )
    return np.unique(np.append(np.arange(0, steps, every), steps))


def check_time(net: Network, optimizer: Any) -> None:
    """Whether the time of the flow is known, if the network needs it."""
    if isinstance(optimizer, optax.GradientTransformation) and not eqx.tree_equal(net.at(0.0), net.at(1.0)):
        raise UserError(
            "This network changes with time, the sum of the learning rates, which this optimizer keeps to itself; give the "
            "function that makes it and the learning rate, such as optimizer=optax.adam and learning_rate=0.01."
        )


def _check_outputs(outputs: int, classes: int | None) -> None:
    if classes is None and outputs > 1:
        raise UserError(f"The network has {outputs} outputs, but the task's labels are single numbers; give it one output.")
    if classes is not None and outputs < classes and (outputs > 1 or classes > 2):
        raise UserError(f"The labels are {classes} classes, but the network has {outputs} outputs; give it outputs={classes}.")
