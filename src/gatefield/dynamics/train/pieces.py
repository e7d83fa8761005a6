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

from gatefield.dynamics.pace import Pace, nothing_left_behind
from gatefield.dynamics.train.engine import State, advance
from gatefield.dynamics.train.problem import Setup


def pieces(
    setup: Setup, state: State, marks: np.ndarray, first: int, count: int, capacity: int, pace: Pace
) -> Iterator[tuple[State, Any, int]]:
    """`count` records from `first` on, piece by piece: the state after it, rows, and how many of them are records.

    A piece that ends between records makes none; a program with a fixed number of steps between records has no such pieces.
    """
    at, end = int(marks[max(first - 1, 0)]), first + count
    while first < end:
        reached = int(np.searchsorted(marks[first:end], at + pace.steps, side="right"))
        whole = reached or int(setup.program.every is not None)
        stride = setup.program.stride
        some = max(stride, pace.steps - pace.steps % stride)  # no step of a stride is taken in vain
        whole = whole or int(at + some >= marks[first])
        stop = int(marks[first + whole - 1]) if whole else at + some
        begin = time.perf_counter()
        steps = jnp.asarray(_from(marks, first, at, None if whole else stop), jnp.int32)
        records = jnp.int32(first), jnp.int32(whole)
        with nothing_left_behind():
            state, rows = advance(setup.program, state, setup.problem, steps, capacity, setup.group, *records)
            jax.block_until_ready(state)
        pace.learn(stop - at, time.perf_counter() - begin)
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
