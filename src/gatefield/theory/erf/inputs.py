"""Checks of what is handed to the functions of error-function units."""

from typing import Any

import numpy as np

from gatefield.core import checks
from gatefield.core.errors import UserError
from gatefield.theory.inputs import covariance, field

ONE_UNIT = {"w": field, "b": checks.number, "cov": covariance}
TWO_UNITS = {"w_j": field, "b_j": checks.number, "w_k": field, "b_k": checks.number, "cov": covariance}


def per_unit(name: str, value: Any, units: int) -> None:
    """One finite number for each unit, or one for all."""
    checks.finite(name, value)
    if np.shape(value) not in ((), (1,), (units,)):
        raise UserError(f"{name} must be one number, or one for each of the {units} units, but has shape {np.shape(value)}.")
