"""What moves along the gain: inputs above, trained fields below."""

import numpy as np
import pytest
import xarray as xr

from gatefield.experiments.fields.localization.frames import frames


@pytest.fixture(scope="module")
def record():
    rng, dims = np.random.default_rng(0), ("order", "gain", "seed", "step", "unit", "position")
    fields = rng.normal(size=(2, 2, 2, 3, 1, 12))
    ipr = rng.uniform(size=fields.shape[:-1])
    coords = {"order": ["long", "short"], "gain": [0.5, np.inf]}
    usual = {"boundary": "ring", "init": "xavier", "readout": "mean", "output_bias": 0, "loss": "mse", "optimizer": "sgd"}
    return xr.Dataset({"fields": (dims, fields), "ipr": (dims[:-1], ipr)}, coords, {"length_scales": [2.0, 1.0], **usual})


def test_each_gain_has_its_picture_of_the_first_seeds_final_fields(record):
    drawn = frames(record)
    assert list(drawn) == ["gain 0.5", "gain ∞"]
    for g, figure in enumerate(drawn.values()):
        for axes, order in zip(figure.axes[2:], ("long", "short"), strict=True):
            end = record.fields.sel(order=order).isel(gain=g, seed=0, step=-1, unit=0).values
            largest = max(end, key=abs)
            np.testing.assert_allclose(axes.lines[1].get_ydata(), end / largest)
            said = float(record.ipr.sel(order=order).isel(gain=g, seed=0, step=-1, unit=0))
            assert f"IPR {said:.2f}" in axes.get_title(loc="left")


def test_inputs_are_the_same_latent_field_squashed(record):
    soft, hard = (np.array([axes.lines[1].get_ydata() for axes in figure.axes[:2]]) for figure in frames(record).values())
    assert set(np.unique(hard)) <= {-1.0, 1.0}
    np.testing.assert_array_equal(np.sign(soft), hard)
