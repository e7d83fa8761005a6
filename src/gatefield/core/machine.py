"""What this process may use of the machine: its cores, and whether what is asked for fits into memory, before it is made."""

import contextlib
import os
from pathlib import Path

from gatefield.core.errors import UserError
from gatefield.core.text.words import size

RUN = 1000
"""Bytes that a run takes at least: its key, its parameters, and fields at several records, in JAX and beside it."""
_LIMIT = Path("/sys/fs/cgroup/memory.max")
"""What a container may take, on Linux."""


def core_numbers() -> list[int]:
    """The cores that this process may use, by their numbers."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


def cores() -> int:
    """How many cores this process may use: as many threads does JAX start, and others are given."""
    return len(core_numbers())


def memory() -> int:
    """How many bytes this process could have, if it had all."""
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with contextlib.suppress(OSError, ValueError):  # no such file, or it says "max"
        there = min(there, int(_LIMIT.read_text()))
    return there


def check_room(what: str, needed: int, way_out: str, *, there: int | None = None) -> None:
    """See that so many bytes can be had at all; a system that runs out of them ends processes without a word.

    `there`: how many there are, if it is not this process that needs them but a device with a memory of its own.

    >>> check_room("A record of 3 runs", 3 * RUN, "choose fewer runs")
    """
    there = memory() if there is None else there
    if needed > there:
        raise UserError(f"{what} would take {size(needed)} of memory or more, but there are {size(there)}; {way_out}.")
