"""What a ledger entry is: one formula or claim of a source, checked anew each time it is asked."""

import dataclasses
from collections.abc import Callable
from typing import Literal

Status = Literal["holds", "holds with a condition", "corrected", "refuted", "open"]


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A value found by a route that does not use the formula it checks.

    `error` is the largest distance that rounding or truncation explains; for sampling it is one standard error, and
    `standard_errors` of them are allowed.
    """

    value: float
    error: float
    how: str
    standard_errors: float = 1.0

    def agrees(self, value: float) -> bool:
        """Whether `value` lies within the error."""
        return abs(value - self.value) <= self.standard_errors * self.error


@dataclasses.dataclass(frozen=True)
class Entry:
    """One formula or claim.

    To add one: put an `Entry` into the `ENTRIES` tuple of a `_ledger_*.py` file beside the theory it checks, and name that file
    in its room's ledger list. `value` calls the function that the library implements; `estimate` takes an independent route:
    quadrature, enumeration, finite differences, another algorithm, or sampling with an error bar. Both give one number. Where
    the printed equation differs, `printed` evaluates it as it stands, and must disagree with the estimate.
    """

    name: str
    """Short and unique, such as `002-eq25`."""
    source: str
    """`000` to `004`, or `sheet` for what no source prints."""
    place: str
    """Equation number or section."""
    says: str
    """What it says, in one line."""
    status: Status
    """The verdict on what the source says, as the ledger shows it."""
    implements: str
    """The implementing function, such as `theory.relu.steady_amplitude`."""
    value: Callable[[], float]
    estimate: Callable[[], Estimate]
    printed: Callable[[], float] | None = None
    note: str = ""
    """The condition, the correction, or what the number is."""
