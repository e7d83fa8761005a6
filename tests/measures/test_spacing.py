"""Spacing of places on a ring, its exact law and the test, against all patterns one by one and against drawn ones."""

import itertools

import numpy as np
import pytest
import xarray as xr

from gatefield import UserError
from gatefield.measures import peak_spacing, peak_spacing_law, peak_spacing_test


def squares(sites, n):
    """The sum of squared gaps, by walking around the ring from each occupied site to the next one."""
    occupied = sorted(set(sites))
    ways = [next(d for d in range(1, n + 1) if (site + d) % n in occupied) for site in occupied]
    return sum(way**2 for way in ways)


@pytest.mark.parametrize(("K", "n"), [(1, 5), (2, 6), (3, 7), (4, 5), (5, 3)])
def test_the_law_is_that_of_all_patterns(K, n):
    counts = np.zeros(n**2 + 1)
    for sites in itertools.product(range(n), repeat=K):
        counts[squares(sites, n)] += 1
    np.testing.assert_allclose(peak_spacing_law(K, n), counts / n**K, atol=1e-14)


def test_spacing_of_sets_in_any_order_and_with_labels():
    rng = np.random.default_rng(0)
    sites = rng.integers(0, 11, size=(20, 4))
    expected = [squares(row, 11) / 121 for row in sites]
    np.testing.assert_allclose(peak_spacing(sites, 11), expected)
    np.testing.assert_allclose(peak_spacing(sites + 11 * rng.integers(-3, 3, size=sites.shape), 11), expected)
    labelled = xr.DataArray(sites, dims=("seed", "unit"), coords={"seed": np.arange(20) + 5})
    found = peak_spacing(labelled, 11)
    assert found.dims == ("seed",)
    assert found.sel(seed=7).item() == pytest.approx(expected[2])


def test_random_places_have_the_mean_of_the_continuum_on_a_fine_ring():
    """On a circle K places have gaps with E sum d^2 = 2/(K+1)."""
    for K in (2, 5):
        law = peak_spacing_law(K, 60)
        assert np.arange(len(law)) @ law / 60**2 == pytest.approx(2 / (K + 1), rel=3e-3)


def test_p_values_are_shares_of_all_pairs_of_patterns():
    """One set of two places and one of three on a ring of five: both laws one by one."""
    two, three = ([squares(sites, 5) for sites in itertools.product(range(5), repeat=K)] for K in (2, 3))
    totals = np.add.outer(two, three)
    for sets in ([[0, 2], [1, 2, 4]], [[3, 3], [0, 0, 1]]):
        total = sum(squares(one, 5) for one in sets)
        found = peak_spacing_test(sets, 5)
        assert found.even == pytest.approx((totals <= total).mean(), abs=1e-12)
        assert found.uneven == pytest.approx((totals >= total).mean(), abs=1e-12)
        assert found.spacing == pytest.approx(total / 2 / 25)
        assert found.expected == pytest.approx(totals.mean() / 2 / 25)


def test_p_values_of_random_places_are_uniform_and_even_places_are_found():
    rng = np.random.default_rng(1)
    p = np.array([peak_spacing_test(rng.integers(0, 40, size=(6, 5)), 40).even for _ in range(200)])
    assert abs(p.mean() - 0.5) < 5 / np.sqrt(12 * 200)
    assert (p < 0.1).mean() == pytest.approx(0.1, abs=5 * 0.3 / np.sqrt(200))
    even = peak_spacing_test([[0, 8, 16, 24, 32]] * 6, 40)
    assert even.even == 1e-12
    assert even.uneven == 1.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: peak_spacing([0.5, 1.0], 4), r"whole number, but is 0\.5; of fields, give peak_position\(fields\)"),
        (lambda: peak_spacing([np.nan], 4), "a site, which is a whole number"),
        (lambda: peak_spacing(np.zeros((2, 0)), 4), "give one site or more"),
        (lambda: peak_spacing_law(65, 40), "K must be at most 64"),
        (lambda: peak_spacing_law(3, 129), "n must be at most 128"),
        (lambda: peak_spacing_test([], 40), "a list with the sites of each set"),
        (lambda: peak_spacing_test([[[1, 2]]], 40), "flatten it"),
        (lambda: peak_spacing_test([[1] * 65], 40), "the number of places must be at most 64"),
    ],
)
def test_errors_say_what_to_do(call, words):
    with pytest.raises(UserError, match=words):
        call()
