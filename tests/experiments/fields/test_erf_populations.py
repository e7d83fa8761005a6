"""What `erf-populations` reads off fields whose answer is known; and how its trainings start."""

from types import SimpleNamespace

import jax
import numpy as np
import pydantic
import pytest
import xarray as xr

from gatefield.experiments.fields.erf_populations.simulate import (
    Settings,
    _push,
    _read,
    _spectra,
    _train_balanced,
    _train_erf,
    _train_sigmoid,
)

P = Settings(n=24, units=3, seeds=2)
GAINS = (0.01, 3.0)


class Recorder:
    """Keeps what would be trained."""

    def train(self, part, net, task, **settings):
        return SimpleNamespace(record=(net, task, settings))


def populations():
    """Fields of one committee: a slow wave, a fast one, and one site, with biases -, +, -."""
    j = np.arange(P.n)
    fields = np.stack([np.cos(2 * np.pi * 2 * j / P.n), np.sin(2 * np.pi * 9 * j / P.n), (j == 5) * 1.0])
    lead = ("gain", "seed", "unit")
    shape = (2, 1, 3)
    return xr.Dataset(
        {
            "fields": ((*lead, "position"), np.broadcast_to(fields, (*shape, P.n))),
            "bias": (lead, np.broadcast_to([-1.0, 1.0, -1.0], shape)),
        }
    )


def test_reads_known_fields():
    seen = _read(populations(), xr.Dataset(_spectra(GAINS, P)))
    np.testing.assert_allclose(seen["ipr"].isel(seed=0), [[1.5 / P.n, 1.5 / P.n, 1.0]] * 2)
    np.testing.assert_array_equal(seen["peak_frequency"].isel(seed=0, unit=slice(0, 2)), [[2, 9]] * 2)
    np.testing.assert_array_equal(seen["oscillates"].isel(seed=0, unit=slice(0, 2)), [[False, True]] * 2)
    np.testing.assert_allclose(seen["named_share"].isel(seed=0, unit=slice(0, 2)), 1.0)


def test_share_of_a_single_site_counts_each_mode_once():
    # a single site has the same energy in each of the n modes; on Gaussian data the spectra cross where 2 exp(-3 x) = 1
    crossing = np.sqrt(np.log(2) / 3) * P.n / np.pi
    slow = sum(1 for k in range(-P.n // 2 + 1, P.n // 2 + 1) if abs(k) < crossing)
    seen = _read(populations(), xr.Dataset(_spectra(GAINS, P)))
    assert float(seen["named_share"][0, 0, 2]) == pytest.approx(slow / P.n)


def test_push_is_positive_for_slow_fields_and_negative_for_fast_ones():
    push = _push(populations().fields, GAINS, P)
    assert (push.isel(unit=0) > 0).all()
    assert (push.isel(unit=1) < 0).all()


def test_linear_stage_grows_slow_modes_for_negative_bias_and_fast_ones_for_positive():
    rate = xr.Dataset(_spectra(GAINS, Settings(n=40, units=20))).rate
    assert (rate.sel(frequency=0, sign=-1.0) > 0).all()
    assert (rate.sel(frequency=15, sign=-1.0) < 0).all()
    assert (rate.sel(frequency=0, sign=1.0) < 0).all()
    assert (rate.sel(frequency=15, sign=1.0) > 0).all()


@pytest.mark.slow
@pytest.mark.wrong_types
def test_runs_of_a_seed_share_start_and_key():
    net, task, settings = _train_erf(Recorder(), GAINS, P)
    grid = settings["runs"]
    assert grid.shape == (2, 2, 2, P.seeds)
    fields, bias, keys = (grid.fold(x) for x in (net.weights, net.bias, jax.random.key_data(settings["key"])))
    np.testing.assert_array_equal(fields[0], fields[1])
    np.testing.assert_array_equal(fields[:, :, 0], fields[:, :, 1])
    np.testing.assert_array_equal(bias[:, :, 0], 0.0)
    np.testing.assert_array_equal(bias[:, :, 1], np.broadcast_to(bias[:1, :1, 1], bias[:, :, 1].shape))
    assert len(np.unique(bias[0, 0, 1])) == P.seeds * P.units
    np.testing.assert_array_equal(keys, np.broadcast_to(keys[:1, :1, :1], keys.shape))
    np.testing.assert_array_equal(grid.fold(task.positive.gain)[:, 0, 0, 0], GAINS)
    assert (fields[0, 0, 0] > 0).mean() < 0.65  # of 144 entries: even chances, and nine of ten
    assert (fields[0, 1, 0] > 0).mean() > 0.75
    balanced, _, others = _train_balanced(Recorder(), P)
    np.testing.assert_array_equal(others["runs"].fold(balanced.weights), fields[0, :, 0])
    np.testing.assert_array_equal(balanced.bias, 0.0)
    assert (balanced.output_bias is None, net.output_bias is None) == (True, False)
    sigmoid, _, others = _train_sigmoid(Recorder(), GAINS, P)
    np.testing.assert_array_equal(others["runs"].fold(sigmoid.weights), fields[:, 0, 0])


def test_a_rate_at_which_the_output_bias_swings_is_refused():
    with pytest.raises(
        pydantic.ValidationError, match=r"must be below 2, or the output bias never settles, but is 4; lower rate_per_unit"
    ):
        Settings(units=40, rate_per_unit=0.1)
