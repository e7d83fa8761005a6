"""Measures against plain NumPy, scipy and values known by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import gatefield
from gatefield import measures

FIELDS = arrays(np.float64, 12, elements=st.floats(-10, 10)).filter(lambda w: np.abs(w).max() > 1e-3)


@pytest.mark.parametrize(
    ("field", "expected"),
    [(np.ones(40), 1 / 40), (np.eye(40)[3], 1.0), (np.cos(2 * np.pi * 3 * np.arange(40) / 40), 1.5 / 40)],
)
def test_ipr_of_known_fields(field, expected):
    assert measures.ipr(field) == pytest.approx(expected, rel=1e-12)
    assert measures.ipr(1e-200 * field) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("n", "flat", "sites"), [(20, 3, 6), (40, 6, 6), (80, 13, 6)])
def test_the_most_equal_sites_that_count_as_localized(n, flat, sites):
    """k equal sites have the ratio 1/k: 1/6 is above 0.15, 1/7 is not; 6/n asks for less than n/6 sites."""
    blocks = np.tri(n)
    for rule, most in (("flat", flat), ("sites", sites)):
        assert measures.localized(blocks, rule).tolist() == [k <= most for k in range(1, n + 1)]
        assert 1 / (most + 1) <= measures.localized_ipr(n, rule) < 1 / most


def test_a_flat_or_zero_field_is_not_localized_and_of_nan_nothing_is_said():
    assert measures.localized([np.ones(12), np.zeros(12), np.eye(12)[3]]).tolist() == [False, False, True]
    with pytest.raises(gatefield.UserError, match="never NaN"):
        measures.localized([1.0, np.nan])
    with pytest.raises(gatefield.UserError, match=r"rule.*'flat'"):
        measures.localized([1.0, 0.0], rule="flta")


@settings(derandomize=True, max_examples=30, deadline=None)
@given(FIELDS)
def test_entropic_uncertainty_and_bounds(w):
    p = w**2 / np.sum(w**2)
    spatial, spectral = measures.entropies(w)
    assert spatial == pytest.approx(scipy.stats.entropy(p), abs=1e-9)
    assert spatial + spectral >= np.log(12) - 1e-9
    assert 1 / 12 - 1e-12 <= measures.ipr(w) <= 1 + 1e-12
    assert measures.position_resultant(w) == pytest.approx(abs(np.fft.fft(p)[1]), abs=1e-9)


def test_entropies_of_a_comb():
    comb = np.zeros(40)
    comb[::8] = 1.0
    np.testing.assert_allclose(measures.entropies(comb), [np.log(5), np.log(8)], rtol=1e-9)


def test_resultant_of_a_gabor():
    j = np.arange(40)
    gabor = np.exp(-((j - 20) ** 2) / 8) * np.cos(2 * np.pi * 8 * (j - 20) / 40)
    assert measures.position_resultant(gabor) == pytest.approx(0.9762057900828158, rel=1e-9)


def test_measures_work_on_stacks():
    stack = np.random.default_rng(0).normal(size=(2, 3, 10))
    assert measures.ipr(stack).shape == (2, 3)
    assert measures.ipr(stack)[1, 2] == pytest.approx(float(measures.ipr(stack[1, 2])))
    np.testing.assert_array_equal(measures.peak_position(stack), np.abs(stack).argmax(-1))


def test_the_zero_field_is_not_a_number_beside_others():
    fields = np.stack([np.zeros(5), np.eye(5)[1]])
    for measure in (measures.ipr, measures.position_resultant, lambda w: sum(measures.entropies(w))):
        np.testing.assert_array_equal(np.isnan(measure(fields)), [True, False])


def test_excess_kurtosis_agrees_with_scipy():
    x = np.random.default_rng(0).exponential(size=(500, 3))
    np.testing.assert_allclose(measures.excess_kurtosis(x), scipy.stats.kurtosis(x), rtol=1e-12)


SCALED = {
    "kurtosis": lambda w: measures.excess_kurtosis(w, axis=-1),
    "ipr": measures.ipr,
    "entropies": lambda w: sum(measures.entropies(w)),
    "position": measures.position_resultant,
    "slack": measures.harper_slack,
    "complex slack": lambda w: measures.harper_slack(w * (1 + 0.5j)),
    "spreads": lambda w: sum(measures.spreads(w, one_sided=True)),
}


@pytest.mark.costly
@pytest.mark.parametrize("name", SCALED)
def test_no_scale_is_too_small_or_large(name):
    """In both precisions, from near the smallest normal numbers to near the largest; one call each, as a stack."""
    w = np.random.default_rng(0).uniform(1.0, 10.0, size=12) * (-1.0) ** np.arange(12)
    double, single = 10.0 ** np.array([-307, -81, 0, 77, 307]), 10.0 ** np.array([-37, -10, 0, 9, 37])
    found = SCALED[name](double[:, None] * w)
    np.testing.assert_allclose(found, np.full(5, found[2]), rtol=1e-12)
    in_single = jax.jit(SCALED[name])(np.float32(single[:, None] * w))
    np.testing.assert_allclose(in_single, np.full(5, found[2]), rtol=1e-4)


def test_derivatives_do_not_see_the_scaling():
    w, step = 5.0 * np.random.default_rng(1).normal(size=8), 1e-5

    def plain(w):
        p = w**2 / np.sum(w**2)
        return np.array([p @ p, abs(np.fft.fft(p)[1]), scipy.stats.kurtosis(w)])

    def found(w):
        both = measures.spreads(w, one_sided=True)
        return jnp.stack([measures.ipr(w), measures.position_resultant(w), measures.excess_kurtosis(w), both[1]])

    with jax.enable_x64(True):
        slope = jax.jit(jax.jacfwd(found))
        by_step = [(plain(w + step * e) - plain(w - step * e)) / (2 * step) for e in np.eye(8)]
        np.testing.assert_allclose(slope(w)[:3], np.transpose(by_step), atol=1e-8)
        assert np.isfinite(slope(np.eye(8)[3])).all()
        assert np.isfinite(slope(np.ones(8))[np.array([0, 1, 3])]).all()  # equal samples have no kurtosis


@pytest.mark.parametrize(("i", "j", "expected"), [(0, 39, 1), (5, 25, 20), (39, 0, 1), (7, 7, 0)])
def test_circular_distance(i, j, expected):
    assert measures.circular_distance(i, j, 40) == expected
