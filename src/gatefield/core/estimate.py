"""A value with its error."""

from typing import Any

import equinox as eqx

from gatefield.core.text.shown import shown


class Estimate(eqx.Module):
    """A value that carries an error: what every function of the library gives that is asked for one (`with_error=True`).

    `value` and `error` are numbers or arrays of one shape. The error is a bound, or one standard error if `method` samples;
    a right value may lie `standard_errors` of them away. `method` says how the value was found.

    >>> estimate = Estimate(0.98, 0.01, "sampled", standard_errors=4.0)
    >>> estimate.agrees(1.0), estimate.agrees(1.1)
    (True, False)
    """

    value: Any
    error: Any
    method: str = eqx.field(static=True)
    standard_errors: float = eqx.field(static=True, default=1.0)

    def __repr__(self) -> str:
        return shown(self)

    def agrees(self, value: Any) -> Any:
        """Whether `value` lies within the error, entry by entry; NaN never does."""
        return abs(value - self.value) <= self.standard_errors * self.error
