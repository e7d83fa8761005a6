"""Whether programs that are kept here can be taken again."""

import contextlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

from gatefield.cli.programs.kept import Kept

_WORKS, _TRIED = "works", "tried"


def works(kept: Kept) -> bool:
    """Whether taking a program works, tried once for each compiler and processor.

    Some versions of XLA do not know some processors again (jax issue 38445): each program is then refused, with an error on the
    terminal. A trial that ends the process is not made again.
    """
    if (kept.folder / _WORKS).exists():
        os.utime(kept.folder / _WORKS)
        return True
    if (kept.folder / _TRIED).exists():
        return False
    (kept.folder / _TRIED).touch()
    try:
        found = _tried(kept)
    except BaseException:  # an interruption says nothing of the compiler
        (kept.folder / _TRIED).unlink(missing_ok=True)
        raise
    if found:
        (kept.folder / _TRIED).replace(kept.folder / _WORKS)
    return found


def _tried(kept: Kept) -> bool:
    """Compile a small program in both ways that gatefield does, and take it again, without a word on the terminal."""
    import jax

    from gatefield.core.tracing.vectors import wide_jit

    ways: tuple[Callable[..., Any], ...] = (jax.jit, wide_jit)
    with _standard_error() as said:
        for _ in range(2):
            kept.taken = 0
            for way in ways:
                way(_small)(1.0)
            jax.clear_caches()
        return kept.taken >= len(ways) and not said()


def _small(x: Any) -> Any:
    return 2 * x + 1


@contextlib.contextmanager
def _standard_error() -> Iterator[Callable[[], bytes]]:
    """What this process writes to its standard error, also what is not written by Python, instead of where it goes."""
    sys.stderr.flush()
    with tempfile.TemporaryFile() as file:
        before = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield lambda: os.pread(file.fileno(), 1, 0)
        finally:
            sys.stderr.flush()
            os.dup2(before, 2)
            os.close(before)
