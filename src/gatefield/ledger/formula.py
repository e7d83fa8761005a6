"""What a formula of the ledger is, and what checking one gives."""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, get_args

import pydantic

from gatefield.core.estimate import Estimate

Status = Literal["holds", "holds with a condition", "corrected", "refuted", "open"]
Result = Literal["agrees", "disagrees", "inconsistent", "fails"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Formula:
    """One formula or claim of a source, evaluated anew each time it is checked.

    To add one: in the folder of its source under `notes/`, put `"its-name": holds(...)`, or `corrected(...)` and so on, into
    the `FORMULAS` of the file for its part, or of a new file there; nothing else has to learn of it. `value` calls the function
    of the library that implements it. `estimate` takes an independent route, one of `routes/` where it is longer than a line:
    quadrature, enumeration, differences, another algorithm, or sampling with an error bar. Both give one number. Where the
    printed equation differs, `printed` evaluates it as it stands, without the library, and must disagree with the estimate.
    """

    name: str = ""
    """Short and unique, such as `002-eq25`: its key in `FORMULAS`."""
    source: str
    """`000` to `004`, or `sheet` for what no source prints; its folder fills it in."""
    place: str
    """Equation number or section."""
    says: str
    """What it says, in one line that is understood without any other."""
    status: Status
    """What became of it as the source has it."""
    implements: str
    """The implementing function, such as `theory.relu.steady_amplitude`."""
    value: Callable[[], Any]
    estimate: Callable[[], Estimate]
    printed: Callable[[], Any] | None = None
    number: str = ""
    """What the number is that `value`, `estimate` and `printed` give, and where: "the first weight at t = 2, K = 2"."""
    right: str = ""
    """The right equation, in LaTeX."""
    printed_equation: str = ""
    """The equation as printed, in LaTeX, where it is not right."""
    note: str = ""
    """The condition, the correction, or the reason."""


def by_status(source: str) -> list[Callable[..., Formula]]:
    """For a folder of `notes/`: what makes formulas of that source, for each status in turn."""
    return [partial(Formula, source=source, status=status) for status in get_args(Status)]


def sampled(pair: tuple[float, float], method: str = "sampling") -> Estimate:
    """A mean and its standard error, of which four are allowed."""
    return Estimate(*pair, method, standard_errors=4.0)


class Finding(pydantic.BaseModel):
    """What checking one formula gave, as plain data; numbers are None where it failed or has none.

    `result` is `agrees` or `disagrees`, for the library's value against the estimate; `fails` when something raised an error,
    `inconsistent` when status and numbers do not fit. `error_text` says what is wrong, in words; it is empty where the formula
    is as it should be. `printed_disagrees` says whether the printed equation's value lies outside of the estimate's error.
    """

    model_config = pydantic.ConfigDict(frozen=True)

    name: str
    source: str
    place: str
    says: str
    status: Status
    implements: str
    number: str = ""
    right: str = ""
    printed_equation: str = ""
    note: str = ""
    value: float | None = None
    estimate: float | None = None
    error: float | None = None
    standard_errors: float | None = None
    method: str = ""
    printed: float | None = None
    printed_disagrees: bool | None = None
    result: Result
    error_text: str = ""
    seconds: float

    @property
    def in_order(self) -> bool:
        return self.result == "agrees"
