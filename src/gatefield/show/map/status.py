"""What became of an item, from what became of the formulas or verdicts behind it."""

from collections.abc import Sequence
from typing import Literal

Status = Literal["holds", "holds with a condition", "corrected", "refuted", "answered", "implemented", "open", "not reproduced"]

OUTCOMES: dict[str, Status] = {
    "confirmed": "holds",
    "refuted": "refuted",
    "not decided": "open",
    "not judged": "open",
    "off": "not reproduced",
}
"""What a verdict makes of the claim of a source."""
OPPOSITE: dict[str, Status] = {**OUTCOMES, "confirmed": "refuted", "refuted": "holds"}
"""What the verdict on the opposite makes of it."""
_GOOD = {"holds", "holds with a condition"}
_WORST: tuple[Status, ...] = ("refuted", "corrected", "not reproduced", "open")
"""Where nothing holds, the first of these that occurs."""


def together(found: Sequence[Status]) -> Status:
    """The status of an item with several parts: what holds in part holds with a condition.

    >>> together(["holds", "corrected"]), together(["holds", "refuted"]), together(["corrected", "refuted"])
    ('corrected', 'holds with a condition', 'refuted')
    """
    if len(set(found)) == 1:
        return found[0]
    if _GOOD & set(found):
        rest = set(found) - _GOOD
        return "corrected" if rest == {"corrected"} else "holds with a condition"
    return next(status for status in _WORST if status in found)
