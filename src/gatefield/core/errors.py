"""Errors a user can cause, and how they are worded."""

import difflib
from collections.abc import Iterable

from gatefield.core.text.quoted import quoted


class UserError(ValueError):
    """Something the user can put right; its text is one sentence with the value, the rule and the way out.

    The command line prints the text and ends with exit code 2; in Python it is a `ValueError`. Where the way out in Python is
    none in a shell, `shell` is the sentence that the command line prints.
    """

    def __init__(self, text: str, *, shell: str | None = None) -> None:
        super().__init__(text)
        self.shell = shell or text


class StoreError(UserError):
    """A record cannot be written or read."""


class Diverged(UserWarning):
    """Some runs of a training left the finite numbers; its text says how many, when, and what to lower."""


def unknown_name(kind: str, name: object, options: Iterable[str]) -> UserError:
    """The error for a name that is not among `options`, with the nearest one suggested.

    >>> print(unknown_name("gate", "hlaf", ["half", "zero"]))
    Unknown gate 'hlaf': did you mean 'half'? There are: half, zero.
    """
    options = sorted(options)
    near = difflib.get_close_matches(str(name), options, n=1)
    hint = f"did you mean '{near[0]}'? There" if near else "there"
    return UserError(f"Unknown {kind} {quoted(name)}: {hint} are: {', '.join(options)}.")
