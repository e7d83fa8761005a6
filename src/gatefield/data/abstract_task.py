"""What every task offers."""

import abc
from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
from jaxtyping import Array, Float, Int, PRNGKeyArray, Real

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.core.keys import as_key
from gatefield.core.text.shown import shown
from gatefield.data.numerics.words import fold_in
from gatefield.data.source import per_run

Batch = tuple[Float[Array, "size n"], Real[Array, " size"]]
DrawBatch = Callable[[PRNGKeyArray, int], Batch]


class Stream(NamedTuple):
    """The batches of one training, each a function of its step alone. What neighbours share is kept in the memory."""

    start: Callable[[Int[Any, ""]], Any]
    """The memory before a step."""
    take: Callable[[Int[Any, ""], Any], tuple[Batch, Any]]
    """The batch of a step, and the memory before the next."""


class AbstractTask(eqx.Module):
    """Inputs with labels, by default drawn anew for each batch.

    To add one, here or in a file of your own, write a final class with `n`, `labels` and `sampler`. Its arrays are fields
    declared with `gatefield.leaf(ndim)`, so that each may carry a leading run axis; `sampler` is written for one run.
    """

    def __repr__(self) -> str:
        return shown(self)

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

    @property
    def size(self) -> int | None:
        """The number of training samples, or None if there is no end of them."""
        return None

    @property
    def classes(self) -> int | None:
        """The number of classes if labels are class numbers 0, 1, ..., else None."""
        return None

    def stream(self, key: PRNGKeyArray, size: int | None) -> Stream:
        """The batches of one training: by default a fresh draw at each step, with the key `fold_in(key, step)`.

        A size of None asks for the whole training set, in order.
        """
        if size is None:
            raise UserError("A task that draws fresh samples has no whole training set; give the size of a batch.")
        draw = self.sampler()
        return Stream(lambda step: (), lambda step, memory: (draw(fold_in(key, step), size), memory))

    def measures(self, net: Any, loss: Any = None) -> dict[str, Float[Array, ""]]:
        """What a training records of the network on this task; `loss` takes the place of the loss on a fresh batch."""
        return {}

    def sample(self, key: PRNGKeyArray, size: int) -> tuple[Float[Array, "*runs size n"], Float[Array, "*runs size"]]:
        """`size` samples and their labels; with a run axis, both have it in front and the key is the same for all runs."""
        size, key = checks.count("size", size), as_key(key, runs=False)
        return per_run(lambda task: task.sampler()(key, size), self)
