import jax
import numpy as np
import pytest

from gatefield import Estimate


@pytest.mark.parametrize(
    ("value", "agrees"), [(0.9, True), (1.1, True), (0.85, False), (1.15, False), (float("nan"), False), (float("inf"), False)]
)
def test_a_value_agrees_within_the_error_its_ends_included(value, agrees):
    assert bool(Estimate(1.0, 0.125, "by hand").agrees(value)) is agrees
    assert Estimate(1.0, 0.125, "by hand").agrees(1.125)
    assert Estimate(1.0, 0.125, "by hand").agrees(0.875)


def test_so_many_standard_errors_are_allowed():
    assert not Estimate(1.0, 0.125, "sampled").agrees(1.25)
    assert Estimate(1.0, 0.125, "sampled", standard_errors=2.0).agrees(1.25)


def test_an_estimate_that_is_no_number_agrees_with_nothing():
    assert not Estimate(float("nan"), 1.0, "lost").agrees(1.0)
    assert not Estimate(1.0, float("nan"), "lost").agrees(1.0)


def test_arrays_agree_entry_by_entry():
    estimate = Estimate(np.array([1.0, 2.0]), np.array([0.1, 0.5]), "sampled")
    assert estimate.agrees(np.array([1.2, 2.2])).tolist() == [False, True]
    assert estimate.agrees(2.0).tolist() == [False, True]


def test_it_goes_through_jax():
    doubled = jax.jit(lambda estimate: Estimate(2 * estimate.value, 2 * estimate.error, estimate.method))(
        Estimate(np.float32(1.0), np.float32(0.25), "sampled")
    )
    assert (float(doubled.value), float(doubled.error), doubled.method) == (2.0, 0.5, "sampled")


def test_its_line_shows_the_numbers():
    shown = repr(Estimate(np.array([0.5, 0.25]), 0.125, "sampled", standard_errors=4.0))
    assert shown == "Estimate(value=[0.5, 0.25], error=0.125, method='sampled', standard_errors=4.0)"
    assert repr(Estimate(np.ones(9), 0.0, "closed")) == "Estimate(value=f64[9], error=0.0, method='closed')"
