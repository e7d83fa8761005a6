"""Pure functions of `margins` and `gate-influence`, by enumeration and sampling."""

import itertools

import numpy as np

from gatefield.experiments.cube.fields import geometric_field
from gatefield.experiments.cube.gate_influence.simulate import counted, on_points
from gatefield.experiments.cube.margins.verdicts import truncation_chance


def test_geometric_field_falls_on_both_sides():
    field = geometric_field(8, 0.5)
    np.testing.assert_allclose(np.sort(field)[::-1], 0.5 ** np.arange(8))
    assert sorted([field[1], field[-1]]) == [0.25, 0.5]


def test_influence_by_turning_sites():
    w = np.array([0.9, -0.37, 0.21, 1.3, -0.55])
    corners = np.array(list(itertools.product([-1.0, 1.0], repeat=5)))
    opens = corners @ w > 0
    expected = [opens[corners[:, j] == 1].mean() - opens[corners[:, j] == -1].mean() for j in range(5)]
    differs, turns = on_points(w, corners)
    np.testing.assert_allclose(counted(w), np.abs(expected), atol=1e-12)
    np.testing.assert_allclose(differs, np.abs(expected), atol=1e-12)
    np.testing.assert_allclose(turns, np.abs(expected), atol=1e-12)  # equal, as all corners are alike


def test_turning_a_site_counts_ties_by_half():
    differs, turns = on_points(np.array([1.0, 1.0]), np.array(list(itertools.product([-1.0, 1.0], repeat=2))))
    np.testing.assert_allclose([differs, turns], 0.5)


def test_chance_of_a_weight_below_the_margin_of_the_others():
    n, draws = 9, 4_000
    w = np.random.default_rng(0).normal(size=(draws, n))
    order = np.take_along_axis(w, np.argsort(-np.abs(w), axis=1), axis=1)
    corners = np.array(list(itertools.product([-1.0, 1.0], repeat=n - 2)))
    sums = np.abs(order[:, :1] + order[:, 1 : n - 1] @ corners.T).min(axis=1)
    share = np.mean(np.abs(order[:, -1]) < sums)
    assert abs(share / truncation_chance(np.array(n)) - 1) < 0.25  # first order, and 4 % of sampling error
