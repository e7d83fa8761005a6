"""Lists of depths and widths as parameters."""

from itertools import pairwise
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo

from gatefield.core.errors import UserError
from gatefield.lab.kinds import Count


def _increasing(values: tuple[int, ...], info: ValidationInfo) -> tuple[int, ...]:
    if len(values) < 2 or any(a >= b for a, b in pairwise(values)):
        raise UserError(
            f"{info.field_name} must be two or more increasing whole numbers, but are {list(values) or 'none'}; "
            f"write for instance {info.field_name}=4,8."
        )
    return values


Depth = Annotated[Count, Field(ge=2)]
Depths = Annotated[tuple[Depth, ...], AfterValidator(_increasing)]
Widths = Annotated[tuple[Count, ...], AfterValidator(_increasing)]
Several = Annotated[Count, Field(ge=2)]
