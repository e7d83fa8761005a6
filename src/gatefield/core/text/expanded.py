"""A path as it is written, as the system knows it."""

import os
from pathlib import Path

from gatefield.core.errors import UserError
from gatefield.core.text.quoted import quoted


def expanded(path: str | os.PathLike[str]) -> Path:
    """The path, of which the first word may be `~`, the user's home folder, or `~NAME`, that of another user.

    >>> str(expanded("a/~b"))
    'a/~b'
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise UserError(
            f"The path {quoted(str(path))} begins with a home folder that this machine does not know: write that folder out, "
            "or put ./ in front if a folder is called so."
        ) from None
