"""A value that a user gave, as a message repeats it."""

MOST = 200
"""How many characters of a value a message repeats: more hides the sentence around it."""


def quoted(value: object) -> str:
    """`repr(value)` in one line, cut after 200 characters; a value without a `repr` is called by its type.

    >>> quoted("a\\nb"), len(quoted("x" * 5000)), quoted(10**5000)
    ("'a\\\\nb'", 200, 'a int too long to write')
    """
    try:
        text = " ".join(repr(value).split())
    except (RecursionError, ValueError):  # lists that hold themselves; whole numbers of more than 4,300 digits
        return f"a {type(value).__name__} too long to write"
    return text if len(text) <= MOST else text[: MOST - 3] + "..."
