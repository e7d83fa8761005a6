"""A task whose labels come from a teacher."""

import dataclasses
from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.precision import real
from gatefield.core.runs import run_count
from gatefield.core.text.quoted import quoted
from gatefield.core.tracing.functions import shape_of
from gatefield.data.abstract_task import AbstractTask, Batch, DrawBatch
from gatefield.data.arrays import Draw, Parameter
from gatefield.data.numerics.normals import normal
from gatefield.data.source import Source, draws_of, per_run
from gatefield.data.task import Task

Teacher = Callable[[Float[Array, "samples n"]], Float[Array, " samples"]]


class Taught(AbstractTask):
    r"""Inputs of any kind with the labels that a teacher gives them: $y = T(x) + \sigma\varepsilon$.

    Here T is the teacher, $\varepsilon$ standard normal and $\sigma$ the noise.

    **Arguments**

    - `sources`: where inputs come from: one source, or a `Task`, whose mixture of two sources is used without its labels.
    - `teacher`: a function from inputs (samples, n) to labels (samples,), such as a `Committee`. It is not trained. A module
      that declares its arrays with `leaf(ndim)`, as networks do, may carry a run axis: one teacher for each run.
    - `noise`: $\sigma$, zero or more.

    >>> import jax
    >>> from gatefield import Committee
    >>> from gatefield.data import Gaussian
    >>> task = Taught(Gaussian(40, xi=2.0), Committee(40, 3, key=jax.random.key(1)))
    >>> x, y = task.sample(jax.random.key(0), 4)
    >>> x.shape, y.shape, task.labels
    ((4, 40), (4,), None)

    **Source:** note 002, section 6.2.
    """

    sources: Source | Task
    teacher: Teacher
    noise: Parameter

    def __init__(self, sources: Source | Task, teacher: Teacher, *, noise: Any = 0.0) -> None:
        if not isinstance(sources, Source | Task):
            raise UserError(
                f"sources must be a source or a Task of two, such as Gaussian(40, xi=2.0), but is {quoted(sources)}."
            )
        self.sources = sources
        self.teacher = _checked(teacher, sources.n)
        self.noise = checks.real("noise", noise, "zero or more and finite", lambda s: (s >= 0) & np.isfinite(s))

    @property
    def n(self) -> int:
        """Number of sites."""
        return self.sources.n

    @property
    def labels(self) -> None:
        """None: a teacher's labels can be any numbers."""
        return None

    def sampler(self) -> DrawBatch:
        inputs, noise = _inputs(self.sources), real(self.noise)

        def draw(key: PRNGKeyArray, size: int) -> Batch:
            input_key, noise_key = jax.random.split(key)
            x = inputs(input_key, size)
            return x, self.teacher(x) + noise * normal(noise_key, (size,))

        return draw


def _inputs(sources: Source | Task) -> Draw:
    if isinstance(sources, Source):
        return draws_of(sources)
    draw = sources.sampler()
    return lambda key, size: draw(key, size)[0]


def _checked(teacher: Any, n: int) -> Teacher:
    """The teacher, if it labels inputs of n sites."""
    if not callable(teacher):
        raise UserError(f"teacher must be a function of inputs, such as a Committee, but is {quoted(teacher)}.")
    teacher = teacher if _knows_runs(teacher) else _fixed(teacher)
    runs = run_count(teacher)
    rule = f"The teacher must take inputs of {n} sites, shape (samples, {n})"
    shape = shape_of(rule, lambda: per_run(lambda one: one(jnp.zeros((2, n))), teacher))
    if shape != ((2,) if runs is None else (runs, 2)):
        raise UserError(f"The teacher must give one label for each sample, but gives shape {shape[-1:]} for 2 samples.")
    return teacher


def _knows_runs(module: Any) -> bool:
    """Whether a module says of each of its arrays how many dimensions it has for one run."""
    if not isinstance(module, eqx.Module):
        return not any(eqx.is_array(leaf) for leaf in jax.tree.leaves(module))
    values = [(field, getattr(module, field.name)) for field in dataclasses.fields(module)]
    return all("ndim" in field.metadata or _knows_runs(value) for field, value in values)


def _fixed(teacher: Any) -> Teacher:
    """The same for all runs: a function, whose arrays no run axis is looked for in."""
    return lambda x: teacher(x)
