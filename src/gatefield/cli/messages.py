"""What the command line says beside its results: on standard error, at once."""

import sys

from gatefield.core.errors import UserError


def to_stderr(text: str) -> None:
    """One line beside the results."""
    print(text, file=sys.stderr, flush=True)


def report_error(error: UserError) -> int:
    """The sentence of an error, and the exit code for what the user can put right."""
    to_stderr(f"gatefield: {error.shell}")
    return 2
