"""Checks of numbers: what is no number is named as it was given."""

from fractions import Fraction

import numpy as np
import pytest

from gatefield import UserError
from gatefield.core import checks


@pytest.mark.parametrize("value", ["2", None, [1.0, None], ["1", "2"], "two"])
def test_what_is_no_number_is_named(value):
    with pytest.raises(UserError) as error:
        checks.positive("xi", value)
    assert f"but is {value!r}, which is not a number" in str(error.value)


def test_numbers_of_any_library_are_kept():
    assert checks.positive("xi", Fraction(1, 2)) == 0.5
    assert checks.positive("xi", np.float32(2.0)) == 2.0
    assert checks.positive("xi", [1, 2.5]).tolist() == [1.0, 2.5]


@pytest.mark.parametrize("value", [0.0, -1.0, np.inf, np.nan, [1.0, np.nan]])
def test_what_breaks_the_rule_is_refused(value):
    with pytest.raises(UserError, match="xi must be positive and finite"):
        checks.positive("xi", value)
