"""Laws given by name, such as "student:5"."""

from collections.abc import Callable, Mapping
from typing import Any

from gatefield.core.errors import UserError, unknown_name


def from_text(kind: str, text: str, laws: Mapping[str, Callable[..., Any]]) -> Any:
    """The law of that name; what follows a colon is its parameter.

    >>> from_text("power", "square:3", {"square": lambda x: x**2})
    9.0
    """
    name, colon, value = text.partition(":")
    if name not in laws:
        raise unknown_name(kind, name, laws)
    try:
        arguments = [float(value)] if colon else []
    except ValueError:
        raise UserError(f"The {kind} '{text}' must end in a number, as in '{name}:3', but ends in '{value}'.") from None
    try:
        return laws[name](*arguments)
    except TypeError:
        rule = "takes no parameter; write" if colon else "needs a parameter; write"
        raise UserError(f"The {kind} '{text}' {rule} '{name if colon else name + ':3'}'.") from None
