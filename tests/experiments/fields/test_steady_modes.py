"""Energies, their count and time scales of the steady-modes experiment, by independent routes."""

import numpy as np
import pytest
import xarray as xr

from gatefield.data import fourier_basis
from gatefield.experiments.fields import steady_modes as experiment


@pytest.mark.parametrize("n", [7, 8])
def test_energy_by_frequency_is_the_power_spectrum(n):
    w = np.random.default_rng(0).normal(size=(3, n))
    power = np.abs(np.fft.rfft(w)) ** 2 / n
    alone = (np.arange(n // 2 + 1) == 0) | (2 * np.arange(n // 2 + 1) == n)
    expected = np.where(alone, 1, 2) * power
    np.testing.assert_allclose(experiment._energy(w @ np.asarray(fourier_basis(n))), expected, atol=1e-12)


def test_participation_counts_equal_shares():
    assert experiment._participation(np.array([2.0, 2.0, 2.0, 0.0])) == pytest.approx(3.0)


def test_time_scale_is_read_off_an_exponential():
    time = np.geomspace(1, 1000, 40)
    slow = np.exp(-2 * time / 30.0)
    share = np.stack([1 - slow, slow], axis=-1)[None, None]
    data = {"share": (("pair", "start", "time", "frequency"), share), "slowest": ("pair", [1]), "survivor": ("pair", [0])}
    record = xr.Dataset(data, {"time": time})
    np.testing.assert_allclose(experiment._measured_time_scale(record), 30.0, rtol=1e-9)
