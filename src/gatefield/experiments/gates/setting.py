"""What figures of gates say of their setting."""


def seeds(count: int) -> str:
    """How many seeds there are.

    >>> seeds(1), seeds(4)
    ('1 seed', '4 seeds')
    """
    return f"{count} seed{'s' * (count != 1)}"
