"""Where a measured number has to lie."""

import dataclasses
import math
from typing import Literal


@dataclasses.dataclass(frozen=True)
class Bound:
    """Where a measured number has to lie: from `low` to `high`, the ends with it or not; None is no end on that side."""

    measured: float
    low: float | None
    high: float | None
    rule: str
    """In words: what is measured, and where it has to lie."""
    ends: bool = False
    error: float = 0.0
    predicted: float | None = None
    """The number that was predicted; None if only the bound was."""
    at: str = ""
    """Where the claim was looked at, in a table of several places; see `Verdict.each`."""
    note: str = ""
    """What a reader should know of this place."""

    @property
    def holds(self) -> bool:
        m, low, high = self.measured, self.low, self.high
        if self.ends:
            return (low is None or low <= m) and (high is None or m <= high)
        return (low is None or low < m) and (high is None or m < high)

    @property
    def ends_there(self) -> tuple[float, ...]:
        return tuple(end for end in (self.low, self.high) if end is not None)

    @property
    def defined(self) -> bool:
        """Whether all are numbers."""
        return not any(map(math.isnan, (self.measured, self.error, *self.ends_there)))

    @property
    def decided(self) -> bool:
        """Whether all are numbers, and the measured one is further from each end than its error, if it has one."""
        if not self.defined:
            return False
        return not self.error or all(abs(self.measured - end) > self.error for end in self.ends_there)

    @property
    def outcome(self) -> Literal["holds", "missed", "not decided"]:
        return "not decided" if not self.decided else "holds" if self.holds else "missed"

    @property
    def margin(self) -> float:
        """How far the measured number is inside its bound (positive) or outside it (negative), in units that can be compared.

        For an interval, in half-widths from its nearer end: 1 in its middle, 0 at an end. For one end, as a part of that end,
        or as it is where the end is 0.

        >>> Bound(3.5, 3.0, 5.0, "").margin, Bound(0.05, None, 0.1, "").margin, Bound(0.2, None, 0.1, "").margin
        (0.5, 0.5, -1.0)
        """
        if self.low is not None and self.high is not None:
            half = (self.high - self.low) / 2
            inside = min(self.measured - self.low, self.high - self.measured)
            return inside / half if half else 1.0 if not inside else -math.inf
        end = self.low if self.low is not None else self.high
        if end is None:
            return math.nan
        inside = self.measured - end if self.low is not None else end - self.measured
        return inside / abs(end) if end else inside
