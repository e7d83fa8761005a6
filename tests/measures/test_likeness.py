"""Likeness of fields against sums over all shifts and pairings, and by hand."""

import itertools

import numpy as np
import pytest
import xarray as xr

from gatefield.measures import aligned, best_match, cosine, groups, shifted_cosine

RNG = np.random.default_rng(0)


def angle_cosine(a, b):
    return a @ b / np.sqrt((a @ a) * (b @ b))


def test_cosines_of_stacks_and_of_zero_fields():
    a, b = RNG.normal(size=(2, 3, 7))
    np.testing.assert_allclose(cosine(a, b), [angle_cosine(x, y) for x, y in zip(a, b, strict=True)], rtol=1e-12)
    np.testing.assert_allclose(cosine(a[:, None], b[None])[2, 1], angle_cosine(a[2], b[1]), rtol=1e-12)
    assert cosine(a, 0 * b).tolist() == [0.0, 0.0, 0.0]
    assert shifted_cosine(np.zeros(7), a[0]) == 0.0


@pytest.mark.parametrize("n", [7, 8])
def test_the_largest_cosine_is_that_of_the_best_shift(n):
    a, b = RNG.normal(size=(2, n))
    expected = max(abs(angle_cosine(np.roll(a, s), b)) for s in range(n))
    assert shifted_cosine(a, b) == pytest.approx(expected, rel=1e-12)
    for s in range(n):
        assert shifted_cosine(a, -3.0 * np.roll(a, s)) == pytest.approx(1.0, rel=1e-12)


def test_groups_are_shifts_and_signs_of_their_first():
    one, two = RNG.normal(size=(2, 9))
    fields = np.stack([one, two, -np.roll(one, 4), 0.1 * np.roll(two, 7), one + 1e-3 * two, RNG.normal(size=9)])
    assert groups(fields, 0.99).tolist() == [0, 1, 0, 1, 0, 2]
    assert groups(fields, 1.01).tolist() == [0, 1, 2, 3, 4, 5]
    assert groups(np.zeros((0, 9)), 0.9).tolist() == []


def test_a_field_joins_the_nearest_of_several_groups():
    a, b = np.array([1.0, 0, 0, 0, 0, 0, 0, 0]), np.array([1.0, 0.5, 0, 0, 0, 0, 0, 0])
    assert shifted_cosine(a, b) > 0.8
    nearer = np.array([1.0, 0.4, 0, 0, 0, 0, 0, 0])
    assert groups(np.stack([a, b, nearer]), 0.9).tolist() == [0, 1, 1]


@pytest.mark.parametrize("n", [7, 8])
def test_aligned_fields_have_their_peak_in_the_middle(n):
    field = RNG.normal(size=n)
    for s in range(n):
        moved = aligned(-2.0 * np.roll(field, s))
        assert moved[n // 2] == 1.0
        assert np.abs(moved).max() == 1.0
        np.testing.assert_allclose(moved, aligned(field))


def test_the_best_match_is_that_over_all_pairings():
    a, b = RNG.normal(size=(2, 4, 6))
    table = [[angle_cosine(x, y) for y in b] for x in a]
    expected = max(np.mean([table[i][j] for i, j in enumerate(order)]) for order in itertools.permutations(range(4)))
    assert best_match(a, b) == pytest.approx(expected, rel=1e-12)
    assert best_match(a, 2.0 * a[::-1]) == pytest.approx(1.0, rel=1e-12)
    assert best_match(a, -a[::-1]) < 1.0  # signs count


def test_labels_are_kept():
    fields = xr.DataArray(RNG.normal(size=(3, 6)), dims=("seed", "position"), coords={"seed": [5, 6, 7]})
    for measure in (cosine, shifted_cosine):
        found = measure(fields, fields.isel(seed=0, drop=True))
        assert found.dims == ("seed",)
        np.testing.assert_allclose(found, measure(fields.values, fields.values[0]))
        assert float(found.sel(seed=5)) == pytest.approx(1.0)
