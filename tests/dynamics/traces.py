"""How often a function is traced."""


class Traces:
    """Counts without being data that the function holds: with data that changes, it would be compiled anew."""

    __slots__ = ("number",)

    def __init__(self) -> None:
        self.number = 0

    def append(self, _: object) -> None:
        self.number += 1

    def __len__(self) -> int:
        return self.number
