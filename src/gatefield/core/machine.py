"""Whether what is asked for fits into the memory of this machine, before any of it is made."""

import contextlib
import os
from pathlib import Path

from gatefield.core.errors import UserError
from gatefield.core.text.words import size

RUN = 1000
"""Bytes that a run takes at least: its key, its parameters, and fields at several records, in JAX and beside it."""
_LIMIT = Path("/sys/fs/cgroup/memory.max")
"""What a container may take, on Linux."""


def memory() -> int:
    """How many bytes this process could have, if it had all."""
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with contextlib.suppress(OSError, ValueError):  # no such file, or it says "max"
        there = min(there, int(_LIMIT.read_text()))
    return there


def check_room(what: str, needed: int, way_out: str) -> None:
    """See that so many bytes can be had at all; a system that runs out of them ends processes without a word.

    >>> check_room("A record of 3 runs", 3 * RUN, "choose fewer runs")
    """
    there = memory()
    if needed > there:
        raise UserError(f"{what} would take {size(needed)} of memory or more, but there are {size(there)}; {way_out}.")
