"""The search for steady states on the cube, against enumeration and the closed form of the localized state."""

import numpy as np
import pytest
import xarray as xr

from gatefield.data import Hypercube
from gatefield.experiments.cube.cube_states import search
from gatefield.experiments.cube.cube_states.verdicts import interval, persistence
from gatefield.theory.hypercube import corners, localized_state, pattern_law


def test_lead_map_is_that_of_the_state_in_closed_form():
    xis = np.array([0.7, 1.5, 4.0])
    leads = search.lead_map(8, xis)
    covs = np.asarray(Hypercube(8, xis).covariance(), float)
    for i, cov1 in enumerate(covs):
        for j, cov0 in enumerate(covs):
            w = np.linalg.inv(cov0 + cov1) @ cov1[:, 3]
            assert leads[i, j] == pytest.approx(1 - np.abs(np.delete(w, 3)).sum() / w[3], abs=1e-6)


def test_site_state_is_that_of_the_theory():
    found = search.site_state(6, 0.8, 1.6)
    state = localized_state(*search.covariances(6, 0.8, 1.6), site=3)
    np.testing.assert_allclose(found.field, state.field, atol=1e-12)
    assert found.loss == pytest.approx(float(state.loss), abs=1e-12)
    assert found.lead == pytest.approx(float(state.lead), abs=1e-12)


def test_exact_states_rest_on_the_law_itself():
    n, rng = 5, np.random.default_rng(0)
    found = search.exact_states(n, 0.8, 1.6, rng.standard_normal((6, n)), step=0.2, most=2000)
    cov1, cov0 = search.covariances(n, 0.8, 1.6)
    points = corners(n)
    latent = np.sin(np.pi / 2 * cov1)
    chances = pattern_law(latent)
    assert found.settled.all()
    for w, loss in zip(found.fields, found.losses, strict=True):
        output = np.maximum(points @ w, 0)
        assert loss == pytest.approx(0.25 * chances @ (output - 1) ** 2 + w @ cov0 @ w / 8, abs=1e-7)
        pull = chances @ (((output > 0) * (1 - output))[:, None] * points)
        np.testing.assert_allclose(pull - 0.5 * cov0 @ w, 0, atol=1e-6)


def test_interval_holds_the_share():
    assert interval(39, 100) == "39/100 = 0.390 (0.294 to 0.493)"


def test_persistence_is_judged_by_the_least_share_over_sampled_sizes():
    lasting = np.array([[False] * 10, [True] * 10, [True] * 8 + [False] * 2])
    record = xr.Dataset(
        {"lasting": (("size", "start"), lasting), "localized": (("size", "start"), ~lasting)},
        {"size": [7, 16, 40], "exact": ("size", [True, False, False]), "pair": "1, 2"},
        {"samples": 100},
    )
    (found,) = persistence(record)
    assert not found.holds
    assert found.measured == pytest.approx(0.8)
    assert [text in found.note for text in ("n = 7:", "n = 16: 10/10", "n = 40: 8/10")] == [False, True, True]
    assert persistence(record.isel(size=[0])) == []
