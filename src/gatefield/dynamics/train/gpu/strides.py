"""Loops whose length is data, in strides of constant length.

A GPU asks the host after each turn of a loop of unknown length whether to go on, and waits for the answer: for one small run
that takes as long as the step. In a loop of constant length it does not ask.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int

SECONDS = 5e-3
"""How long a stride may take: many times what asking takes, and little beside what one waits for anyway."""
NUMBERS_PER_SECOND = 4e10
"""Numbers in batches that a large GPU makes and trains on in a second, about; it only has to say which steps are short."""
SHORTEST, ASKING = 1e-5, 2e-5
"""Seconds of the smallest step, and of a question, about."""
MOST = 128
"""Steps of a stride: there asking is a sixtieth of the time at most."""
MOST_BLIND = 32
"""The same where the steps to the next record are not known, so that some behind it are dropped."""


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

    Of the strides that are short enough, the one with which the steps to a record take least, and of those the longest.
    """
    if jax.default_backend() == "cpu":
        return 1
    seconds = max(SHORTEST, numbers / NUMBERS_PER_SECOND)
    most = max(1, int(SECONDS / seconds))
    if every is None:
        return min(MOST_BLIND, most)
    return min(range(1, min(MOST, most) + 1), key=lambda stride: (_seconds(every, stride, seconds), -stride))


def _seconds(every: int, stride: int, step: float) -> float:
    """What the steps to a record take, with those that are dropped and all questions."""
    return -(-every // stride) * (stride * step + ASKING)
