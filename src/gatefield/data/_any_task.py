"""What every task offers."""

import abc
from collections.abc import Callable
from typing import Any

import equinox as eqx
from jaxtyping import Array, Float, PRNGKeyArray

from gatefield import _checks
from gatefield._keys import as_key
from gatefield.data._source import per_run

Batch = tuple[Float[Array, "size n"], Float[Array, " size"]]
DrawBatch = Callable[[PRNGKeyArray, int], Batch]


class AnyTask(eqx.Module):
    """Inputs with labels, drawn anew for each batch.

    To add one: a new file in `data/` with a final subclass, and one line in `data/__init__.py`. Its arrays are fields declared
    with `leaf(ndim)`, so that each may carry a leading run axis; `sampler` is written for one run.
    """

    @property
    @abc.abstractmethod
    def n(self) -> int:
        """Number of inputs."""

    @property
    @abc.abstractmethod
    def labels(self) -> tuple[Any, ...] | None:
        """The values that labels take, or None if they can be any numbers."""

    @abc.abstractmethod
    def sampler(self) -> DrawBatch:
        """A function `draw(key, size)` that gives samples and labels of one run; what draws share is prepared here, once."""

    def sample(self, key: PRNGKeyArray, size: int) -> tuple[Float[Array, "*runs size n"], Float[Array, "*runs size"]]:
        """`size` samples and their labels; with a run axis, both have it in front and the key is the same for all runs."""
        size, key = _checks.count("size", size), as_key(key)
        return per_run(lambda task: task.sampler()(key, size), self)
