"""The single pulse, against a list of all pulses."""

from typing import Any

import jax
import numpy as np
import pytest

from gatefield.data import SinglePulse


def all_pulses(n, low, high, complement):
    pulses = [np.roll((np.arange(n) < width).astype(float), start) for start in range(n) for width in range(low, high + 1)]
    return np.array(pulses + [1 - pulse for pulse in pulses] if complement else pulses)


@pytest.mark.parametrize(("n", "low", "high"), [(1, 1, 1), (2, 1, 2), (5, 2, 4), (6, 1, 6), (6, 3, 3), (7, 6, 7)])
@pytest.mark.parametrize("complement", [False, True])
@pytest.mark.parametrize("centre", [False, True])
def test_moments_are_those_of_the_list(n, low, high, complement, centre):
    source = SinglePulse(n, (low, high), complement=complement, centre=centre)
    pulses = all_pulses(n, low, high, complement)
    np.testing.assert_allclose(source.mean(), 0 * pulses[0] if centre else pulses.mean(axis=0), atol=1e-15)
    np.testing.assert_allclose(source.covariance(), np.cov(pulses.T, bias=True).reshape(n, n), atol=1e-15)


@pytest.mark.parametrize("complement", [False, True])
def test_every_pulse_comes_equally_often(complement):
    pulses, size = all_pulses(5, 2, 3, complement), 100_000
    x = np.asarray(SinglePulse(5, (2, 3), complement=complement).sample(jax.random.key(0), size))
    code = 2 ** np.arange(5)
    kinds, counts = np.unique(x @ code, return_counts=True)
    expected_kinds, expected = np.unique(pulses @ code, return_counts=True)
    np.testing.assert_array_equal(kinds, expected_kinds)
    share = expected / len(pulses)
    assert np.all(np.abs(counts / size - share) < 5 * np.sqrt(share * (1 - share) / size))


def test_centred_samples_are_shifted_ones():
    plain, centred = (SinglePulse(8, (1, 3), centre=centre).sample(jax.random.key(0), 10) for centre in (False, True))
    np.testing.assert_allclose(plain - centred, 0.25, rtol=1e-6)


@pytest.mark.parametrize("widths", [(3, 2), (2, 9)])
def test_error_of_the_order(widths):
    low, high = widths
    with pytest.raises(
        ValueError, match=rf"widths must obey 1 <= lo <= hi <= n = 8, but are \({low}, {high}\); change them or n\."
    ):
        SinglePulse(8, widths)


@pytest.mark.wrong_types
def test_errors():
    wrong: Any = 3
    with pytest.raises(ValueError, match=r"The least width must be a whole number of at least 1, but is 0; 1 would do\."):
        SinglePulse(8, (0, 2))
    with pytest.raises(ValueError, match=r"widths must be a pair \(lo, hi\) of whole numbers, but is 3\."):
        SinglePulse(8, wrong)
