"""Numbers and times in words a reader takes in at a glance."""

import math
from collections.abc import Sequence


def number(value: int | float) -> str:
    """Four significant digits, no trailing zeros.

    >>> number(0.797884), number(12345.678), number(2e-9), number(3), number(float("nan"))
    ('0.7979', '12346', '2e-09', '3', 'undefined')
    """
    value = float(value)
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.0f}" if 1e4 <= abs(value) < 1e6 else f"{value:.4g}"
    return text.replace("-", "−", 1) if text.startswith("-") else text


def seconds(value: int | float) -> str:
    """A length of time.

    >>> seconds(0.2), seconds(12.4), seconds(200), seconds(7320)
    ('less than 1 s', '12 s', '3 min 20 s', '2 h 2 min')
    """
    if value < 1:
        return "less than 1 s"
    whole = round(value)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def slug(text: str) -> str:
    """A text as a value or a class of a page.

    >>> slug("holds with a condition")
    'holds-with-a-condition'
    """
    return "-".join(text.split())


def size(value: int) -> str:
    """A number of bytes.

    >>> size(0), size(999), size(12_345), size(3_449_000), size(999_999), size(2 * 10**12)
    ('0 B', '999 B', '12 kB', '3.4 MB', '1 MB', '2 TB')
    """
    amount, unit = float(value), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if round(amount) < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{float(f'{amount:.2g}') if amount < 10 else round(amount):g} {unit}"


def joined(words: Sequence[str]) -> str:
    """Words as a sentence names them.

    >>> joined(["gain"]), joined(["gain", "range"]), joined(["gain", "range", "seed"])
    ('gain', 'gain and range', 'gain, range and seed')
    """
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
