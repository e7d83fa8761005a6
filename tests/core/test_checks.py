"""Checks of numbers: what is no number is named as it was given."""

from fractions import Fraction

import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

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
        (lambda: checks.real("m", 1, "above 10", lambda x: x > 10), "m must be above 10, but is 1; write for instance m=100."),
        (lambda: checks.real("m", 0, "a seventh", lambda x: x == 1 / 7), "m must be a .*; see help\\(\\) of what was called."),
        (lambda: checks.vector("means", np.ones((2, 2))), r"means must have .* shape \(2, 2\); write np.ravel\(means\)."),
        (lambda: checks.vector("means", []), r"means must have .* shape \(0,\); write for instance means=\[1.0, 0.5\]."),
        (lambda: checks.symmetric("K", np.ones((2, 3))), r"K must have .*, not \(2, 3\); write for instance x @ x.T."),
    ],
)
def test_a_sentence_says_what_to_write_instead(call, sentence):
    with pytest.raises(UserError, match=f"^{sentence}$"):
        call()


@pytest.mark.parametrize(
    "value",
    [1 + 1j, np.datetime64("2020-01-01"), True, [[1.0], [1.0, 2.0]], {"a": 1}, np.array([1j])],
    ids=["complex", "date", "truth", "ragged", "dictionary", "complex array"],
)
def test_what_only_looks_like_numbers_is_refused(value):
    with pytest.raises(UserError, match="which is not a number or an array of them"):
        checks.finite("xi", value)


def test_whole_numbers_beyond_64_bits_and_rows_of_truths_are_numbers():
    assert checks.finite("xi", 10**30) == 1e30
    assert checks.finite("x", [True, False]).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("value", ["abc", 1, np.nan, None, 1.0])
def test_a_flag_is_true_or_false(value):
    with pytest.raises(UserError, match=r"bias must be True or False, but is .*; write bias=True"):
        checks.flag("bias", value)


def test_flags_of_numpy_are_flags():
    assert checks.flag("bias", np.True_) is True
    assert checks.flag("bias", False) is False


def test_a_count_fits_32_bits():
    assert checks.count("steps", 2**31 - 1) == 2**31 - 1
    with pytest.raises(
        UserError, match="steps must be at most 2,147,483,647, but is 2147483648; write for instance steps=1000"
    ):
        checks.count("steps", 2**31)
    with pytest.raises(UserError, match="a int too long to write"):
        checks.count("steps", 10**5000)


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ([1.0, 2.0], "must be a square matrix"),
        (np.ones((2, 3)), "must be a square matrix"),
        (np.zeros((0, 0)), "must be a square matrix"),
        ([[1.0, np.nan], [np.nan, 1.0]], "must be finite"),
        ([[1.0, 0.5], [0.4, 1.0]], "must be symmetric, but two mirrored entries differ by 0.1"),
        ([[1.0, 3.0], [3.0, 1.0]], "must have no negative eigenvalue, but has -2"),
        ([[-1.0]], "must have no negative eigenvalue, but has -1"),
    ],
)
def test_what_is_no_covariance_is_refused(value, sentence):
    with pytest.raises(UserError, match=sentence):
        checks.covariance("cov", value)


def test_covariances_up_to_rounding_pass():
    checks.covariance("cov", jnp.eye(3, dtype=jnp.bfloat16))
    checks.covariance("cov", np.zeros((2, 2)))
    checks.covariance("cov", np.ones((3, 3), np.float32))
    checks.covariance("cov", np.ones((3, 3)) - 1e-8 * np.eye(3))


@pytest.mark.parametrize("value", [[], np.zeros(0), None, ["ring"]])
def test_a_choice_is_a_name(value):
    with pytest.raises(UserError, match="Unknown boundary"):
        checks.choice("boundary", value, ["ring", "line"])


def test_a_long_value_is_repeated_in_part():
    with pytest.raises(UserError) as error:
        checks.positive("xi", "x" * 9000)
    assert len(str(error.value)) < 350


MASKED = np.ma.array([[1.0, 0.5], [0.5, 3.0]], mask=[[0, 1], [1, 0]])


@pytest.mark.parametrize("value", [MASKED, list(MASKED)], ids=["array", "rows"])
@pytest.mark.parametrize("check", [checks.numbers, checks.finite, checks.shape, checks.covariance])
def test_masked_entries_are_refused(check, value):
    checks.covariance("w", MASKED.data)  # what is known of the numbers beneath the mask does not count
    with pytest.raises(
        UserError, match=r"^w must be numbers, but \d of \d are masked; fill them, as in np.ma.filled\(w, 0.0\)"
    ):
        check("w", value)
    assert checks.finite("w", np.ma.array([1.0, 2.0])).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("check", [checks.numbers, checks.finite, checks.shape])
def test_sites_come_last(check):
    fields = xr.DataArray(np.ones((1, 3, 2, 4)), dims=("run", "step", "unit", "position"))
    check("W", fields)
    with pytest.raises(UserError, match=r"^W must have the dimension position last, but has \('position', 'unit'\); write"):
        check("W", fields[0, 0].T)


def test_a_covariance_has_sites_on_both_sides():
    checks.covariance("cov", xr.DataArray(np.eye(3), dims=("position", "position_")))
