"""Products of matrices side by side: one thread for each core, each with products of its own; few products on one thread.

A BLAS library that shares each product among threads makes them wait for each other, and on a busy machine wait long.
"""

import functools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from gatefield.core.machine import cores

R = TypeVar("R")
TINY, SMALL = 2e6, 1.5e8
"""Multiplications below which it is not worth while to set the threads of BLAS, and to have threads of our own."""

_one_at_a_time = threading.Lock()


def side_by_side(tasks: Sequence[Callable[[], R]], size: float | int) -> list[R]:
    """What the tasks give, in order; `size` is about how many multiplications of float32 numbers they take together."""
    if size < TINY or cores() == 1:
        return [task() for task in tasks]
    with _one_at_a_time, _blas().limit(limits=1, user_api="blas"):
        each = map if size < SMALL else _pool().map
        return list(each(lambda task: task(), tasks))


@functools.cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(cores(), "gatefield-kernels")


@functools.cache
def _blas() -> Any:
    import numpy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
