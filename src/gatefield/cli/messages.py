"""What the command line says beside its results: on standard error, at once."""

import contextlib
import os
import sys

from gatefield.core.errors import UserError


def prepare_streams() -> None:
    """Streams that take every text: names of files may be no Unicode, and a stream that was closed is nowhere."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # pyright: ignore[reportAttributeAccessIssue]


def to_stderr(text: str) -> None:
    """One line beside the results; a terminal that was closed takes none."""
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)


def output_problem() -> int | None:
    """The exit code if standard output cannot be written, said in a sentence unless a pipe was closed; None if it can."""
    try:
        print(flush=True)  # a stream forgets what it could not write, so that it has to be tried with something
    except BrokenPipeError:
        code = 1
    except OSError as error:
        to_stderr(
            f"gatefield: Standard output cannot be written ({(error.strerror or str(error)).lower()}): send it elsewhere."
        )
        code = 2
    else:
        return None
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that Python does not try again when it ends
    return code


def report_error(error: UserError) -> int:
    """The sentence of an error, and the exit code for what the user can put right."""
    to_stderr(f"gatefield: {error.shell}")
    return 2
