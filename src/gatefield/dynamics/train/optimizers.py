"""Optimisers: functions from a learning rate, or a schedule, to an optax transformation. Names are short forms of some."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, Literal

import jax
import numpy as np
import optax

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted
from gatefield.core.tracing.functions import attempted

Optimizer = Callable[[Any], optax.GradientTransformation]
Schedule = Callable[[Any], Any]
"""A learning rate that changes: a function of the step, such as those of optax."""


def _momentum(rate: Any) -> optax.GradientTransformation:
    return optax.sgd(rate, momentum=0.9)


OptimizerName = Literal["sgd", "momentum", "adam", "adamw", "rmsprop"]
OPTIMIZERS: Mapping[OptimizerName, Optimizer] = {
    "sgd": optax.sgd,
    "momentum": _momentum,
    "adam": optax.adam,
    "adamw": optax.adamw,
    "rmsprop": optax.rmsprop,
}


def get_optimizer(optimizer: OptimizerName | Optimizer | optax.GradientTransformation, rate: Any) -> Optimizer:
    """The named optimiser, the given function, or one that gives the transformation, which has its own learning rate."""
    if isinstance(optimizer, optax.GradientTransformation):
        return _regardless(optimizer)
    if callable(optimizer):
        rule = "optimizer must be a function from a learning rate to an optax transformation, such as optax.adam"
        found = attempted(rule, optimizer, rate if callable(rate) else float(np.ravel(rate)[0]))
        if not isinstance(found, optax.GradientTransformation):
            raise UserError(f"{rule}, but gives {quoted(found)}.")
        return optimizer
    return OPTIMIZERS[checks.choice("optimizer", optimizer, OPTIMIZERS)]


@functools.lru_cache(maxsize=64)  # the same function for the same transformation, so that its program is compiled once
def _regardless(transformation: optax.GradientTransformation) -> Optimizer:
    return lambda rate: transformation


def _check_schedule(schedule: Schedule) -> None:
    first = attempted("learning_rate must be a number, or a function of the step", schedule, 0)
    checks.scalar("learning_rate at step 0", checks.finite("learning_rate at step 0", first))
    try:
        jax.eval_shape(schedule, jax.ShapeDtypeStruct((), int))
    except jax.errors.ConcretizationTypeError:
        raise UserError(
            "A schedule must be a function of the step that JAX can trace, but this one asks for the value of the step; write "
            "jnp.where(step < 100, 0.1, 0.01) in place of 'if', or take a schedule of optax."
        ) from None


def check_rate(rate: Any, optimizer: Any) -> tuple[Any, Schedule | None]:
    """The learning rate of each run, or a schedule; with a transformation that has its own rate, none is given."""
    if isinstance(optimizer, optax.GradientTransformation):
        if rate is not None:
            raise UserError(
                "This optimizer has its learning rate already; leave learning_rate out, or pass the function that makes it, "
                "such as optimizer=optax.adam."
            )
        return np.asarray(np.nan), None
    if rate is None:
        raise UserError("learning_rate is missing; give a number, one for each run, or a schedule.")
    if callable(rate):
        _check_schedule(rate)
        return np.asarray(np.nan), rate
    rate = checks.positive("learning_rate", rate)
    if np.ndim(rate) > 1 or not np.size(rate):
        raise UserError(
            f"learning_rate must be one number, or one for each run, but has shape {np.shape(rate)}; "
            "write for instance learning_rate=0.01."
        )
    return rate, None
