"""Loops whose length is data, in strides of constant length.

A GPU asks the host after each turn of a loop of unknown length whether to go on, and waits for the answer: for one small run
that takes as long as the step. In a loop of constant length it does not ask.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int

SECONDS = 1e-3
"""How long a stride may take: many times what asking takes, and little beside what one waits for anyway."""
NUMBERS_PER_SECOND = 4e10
"""Numbers in batches that a large GPU makes and trains on in a second, about; it only has to say which steps are short."""
MOST = 32
"""Steps of a stride: asking takes as long as a small step, so that it is a thirtieth of the time; longer strides would drop
more steps behind the last one."""


def by_strides(stride: int, start: Any, stop: Any, step: Callable[[Array, Any], Any], carry: Any) -> Any:
    """`fori_loop(start, stop, step, carry)`, `stride` steps between questions; what steps from `stop` on make is dropped.

    All steps go through the same machine code, whatever `start` and `stop`, so that the cutting changes no bit.
    """

    def one(i: Int[Array, ""], carry: Any) -> Any:
        return jax.tree.map(lambda new, old: jnp.where(i < stop, new, old), step(i, carry), carry)

    def some(j: Int[Array, ""], carry: Any) -> Any:
        return jax.lax.fori_loop(0, stride, lambda k, carry: one(start + j * stride + k, carry), carry)

    return jax.lax.fori_loop(0, -((start - stop) // stride), some, carry)


def stride_of(every: int | None, numbers: int) -> int:
    """How many steps to take in a row, with so many steps between records and numbers in the batches of one step.

    Of the strides that are short enough, the one that wastes fewest steps before a record, and of those the longest.
    """
    if jax.default_backend() == "cpu":
        return 1
    most = max(1, min(MOST, int(SECONDS * NUMBERS_PER_SECOND / max(numbers, 1))))
    if every is None:
        return most
    return min(range(1, most + 1), key=lambda stride: (_asked(every, stride), -stride))


def _asked(every: int, stride: int) -> int:
    """What the steps to a record cost in units of a step, if asking costs as much as one step."""
    turns = -(-every // stride)
    return turns * stride + turns
