"""Processes that examine formulas beside the command itself.

They are started anew, not forked, as a process that has used JAX must not be. Formulas are functions, which cannot be sent, and
go by their names.
"""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gatefield.core.machine import cores

if TYPE_CHECKING:
    from gatefield.ledger import Finding, Formula

MOST = 3
"""Helpers: each takes seconds to load what it needs, and up to two gigabytes."""


class Helper:
    """One process, which is asked for one formula at a time."""

    def __init__(self) -> None:
        # -P: what lies in the current folder is no module. A session of its own: Ctrl-C is for the command, which ends it.
        words = [sys.executable, "-P", "-m", "gatefield.cli.check.helpers"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(words, stdin=pipe, stdout=pipe, start_new_session=True)

    def __call__(self, formula: "Formula") -> "Finding":
        """Its finding; an error if the process is no more."""
        from gatefield.ledger import Finding

        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{formula.name}\n".encode())
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer.endswith(b"\n"):
            raise EOFError("The helper is no more.")
        return Finding(**json.loads(answer))

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        with contextlib.suppress(BrokenPipeError):  # a name that it did not read
            self._process.communicate()


@contextlib.contextmanager
def helping() -> Iterator[Sequence[Helper]]:
    """Helpers for as long as the block lasts: one less than there are cores; none beside a GPU, which one process takes."""
    import jax

    helpers: list[Helper] = []
    try:
        if jax.default_backend() == "cpu":
            with contextlib.suppress(OSError):  # no room for more processes
                while len(helpers) < min(cores() - 1, MOST):
                    helpers.append(Helper())
        yield helpers
    finally:
        for helper in helpers:
            helper.end()


def serve() -> None:
    """Answer names of formulas with their findings, until there are no more or the command is gone."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a formula prints is no answer
    from gatefield.cli.programs import use_cache

    use_cache()
    from gatefield.ledger import examine, formulas

    known = {formula.name: formula for formula in formulas()}
    with contextlib.suppress(BrokenPipeError):
        for line in sys.stdin:
            # JSON as Python writes it: a float comes back to the bit, NaN and infinity do too
            answers.write(json.dumps(examine(known[line.rstrip("\n")]).model_dump()).encode() + b"\n")
            answers.flush()


if __name__ == "__main__":
    serve()
