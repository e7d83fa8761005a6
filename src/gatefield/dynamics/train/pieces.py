"""A training sent to the device in pieces of about a second: what is sent cannot be called back.

Ctrl-C then ends it at the next piece, and what follows in the process waits no longer than that. The pieces are of one
compiled program, which takes the steps from where to where as data, so that they change no bit of the result.
"""

import time
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from gatefield.dynamics.train.engine import State, advance
from gatefield.dynamics.train.problem import Setup

SECONDS = 1.0
"""How long a piece should take, if what it shows at its end, which may be thrown away, takes no more than a share of it."""
SHARE = 0.01
FIRST, FASTER = 16, 16
"""Steps of the first piece, when nothing is known yet, and by how much the next one may be longer at most."""


class Pace:
    """How many steps make a piece, learned from the pieces before."""

    def __init__(self) -> None:
        self.steps = FIRST
        self._last: tuple[int, float] | None = None
        self._showing = 0.0

    def learn(self, steps: int, seconds: float, *, part: bool) -> None:
        """From a piece of so many steps; in `part` of a record, its time is that of the steps and of one look at the end."""
        if part and self._last is not None and steps != self._last[0]:
            before, earlier = self._last
            self._showing = max(seconds - steps * (seconds - earlier) / (steps - before), 0.0)
        self._last = (steps, seconds) if part else self._last
        if steps:
            fitting = int(steps * max(SECONDS, self._showing / SHARE) / max(seconds, 1e-9))
            self.steps = int(np.clip(fitting, 1, min(FASTER * max(steps, self.steps), 2**30)))


def pieces(
    setup: Setup, state: State, marks: np.ndarray, first: int, count: int, capacity: int, pace: Pace
) -> Iterator[tuple[State, Any, int]]:
    """`count` records from `first` on, piece by piece: the state after it, rows, and how many of them are records.

    A program with a fixed number of steps between records makes at least one record in a piece.
    """
    at, end = int(marks[max(first - 1, 0)]), first + count
    while first < end:
        reached = int(np.searchsorted(marks[first:end], at + pace.steps, side="right"))
        whole = reached or int(setup.program.every is not None)
        stop = int(marks[first + whole - 1]) if whole else at + pace.steps
        begin = time.perf_counter()
        steps = jnp.asarray(_from(marks, first, at, None if whole else stop), jnp.int32)
        records = jnp.int32(first), jnp.int32(whole or 1)
        state, rows = advance(setup.program, state, setup.problem, steps, capacity, setup.group, *records)
        try:
            jax.block_until_ready(state)
        except KeyboardInterrupt:
            jax.block_until_ready(state)  # the device goes on: nothing is to wait behind it, nor is Python to end before it
            raise
        pace.learn(stop - at, time.perf_counter() - begin, part=not whole)
        yield state, rows, whole
        at, first = stop, first + whole


def _from(marks: np.ndarray, first: int, at: int, stop: int | None) -> np.ndarray:
    """The recorded steps with the place of the training instead of the record before `first`, and with `stop` instead of it."""
    if stop is None and at == marks[max(first - 1, 0)]:
        return marks
    moved = np.array(marks)
    moved[first - 1] = at
    moved[first] = moved[first] if stop is None else stop
    return moved
