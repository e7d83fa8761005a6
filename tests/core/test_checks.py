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


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: checks.positive("rate", -1), "rate must be positive and finite, but is -1; write for instance rate=2."),
        (lambda: checks.positive("learning_rate", 0), "learning_rate must be .*; write for instance learning_rate=0.01."),
        (
            lambda: checks.finite("w", [[0.0, 1.0], [2.0, np.nan]]),
            r"w must be finite, but is nan; change its value at \[1, 1\].",
        ),
        (
            lambda: checks.finite("w", [np.inf, 1.0, np.nan]),
            r"w must be finite, but is inf; change its value at \[0\] and 1 more.",
        ),
        (lambda: checks.count("steps", True), "steps must be a whole .*, but is True; write for instance steps=1000."),
        (lambda: checks.count("depth", 1, least=2), "depth must be .* at least 2, but is 1; write for instance depth=2."),
        (lambda: checks.count("The width", "3"), "The width must be a whole number of at least 1, but is '3'; 1 would do."),
        (lambda: checks.real("m", 1, "above 10", lambda x: x > 10), "m must be above 10, but is 1; choose another."),
    ],
)
def test_a_sentence_says_what_to_write_instead(call, sentence):
    with pytest.raises(UserError, match=f"^{sentence}$"):
        call()
