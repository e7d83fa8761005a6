"""Verdicts and figure of `gaussian-neuron`, on made-up records."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_drawn, panel
from field_records import assert_only, figure, judge, seeds
from judging import scrambled

STEPS = np.array([0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100])
DIMS = ("run", "step", "unit", "position")


def made(cosine=0.995, distance=0.05, loss=0.2, steps=STEPS, noise=0.0):
    """The cosine is that of one run at step 200, or at the end of shorter trainings; before it and elsewhere all is far off."""
    late = int(np.argmax(steps >= min(200, steps[-1])))
    cosines = np.full((3, 12), 0.999)
    cosines[:, :late], cosines[1, late] = 0.1, cosine
    distances = np.full((3, 12), 0.5)
    distances[:, -1] = seeds(distance)
    batch_noise = noise * np.array([-1.0, 0.0, 1.0])
    wave = np.append(-0.9, np.full(9, 0.1))  # the mean of the last ten records counts, not the last nor their median
    data = {
        "cosine": (DIMS[:2], cosines),
        "distance": (DIMS[:2], distances),
        "flow_loss": (DIMS[:2], np.tile(np.append([0.9, 0.8], 0.2 + 0.1 * wave), (3, 1))),
        "loss": (DIMS[:2], np.tile(np.append([9.0, 9.0], loss + 0.1 * wave), (3, 1)) + batch_noise[:, None]),
        "fields": (DIMS, np.ones((3, 12, 1, 9))),
        "flow_fields": (DIMS, np.ones((3, 12, 1, 9))),
    }
    return xr.Dataset(data, {"step": steps, "time": ("step", 0.01 * steps)})


@pytest.mark.parametrize(
    ("place", "change", "expected"),
    [
        (0, {"cosine": 0.99}, True),
        (0, {"cosine": 0.9899}, False),
        (0, {"cosine": 0.9899, "steps": STEPS // 100}, False),
        (0, {"cosine": 0.9901, "steps": STEPS // 100}, True),
        (1, {"distance": 0.0999}, True),
        (1, {"distance": 0.1001}, False),
        (2, {"loss": 0.2 * 1.0199}, True),
        (2, {"loss": 0.2 * 0.9801}, True),
        (2, {"loss": 0.2 * 1.0201}, False),
        (2, {"loss": 0.2 * 0.9799}, False),
    ],
)
def test_both_sides_of_each_bound(place, change, expected):
    assert_only("gaussian-neuron", made(**change), place, expected)


@pytest.mark.parametrize(("noise", "outcome"), [(0.0, "refuted"), (0.001, "refuted"), (0.01, "not decided")])
def test_a_loss_that_batch_noise_can_explain_is_not_decided(noise, outcome):
    """By hand: 0.001 beyond the bound; the standard error of 30 numbers with a deviation of 0.83 noise is 0.15 noise."""
    assert judge("gaussian-neuron", made(loss=0.205, noise=noise))[2].outcome == outcome


def test_numbers():
    verdicts = judge("gaussian-neuron", made(loss=0.201))
    assert [v.measured for v in verdicts] == pytest.approx([0.995, 0.05, 0.201])
    assert [v.predicted for v in verdicts] == pytest.approx([1.0, 0.0, 0.2])


def test_figure():
    record = scrambled(made())
    drawn = figure("gaussian-neuron", record)
    for start, name in [("(a)", "fields"), ("(b)", "flow_fields")]:
        (image,) = panel(drawn, start).images
        np.testing.assert_allclose(image.get_array(), record[name].values[0, :, 0].T)
        assert image.get_clim()[1] == -image.get_clim()[0] == record.flow_fields.values[0].max()
    assert_drawn(panel(drawn, "(c)"), record.fields.values[0, -1, 0], marker="o")
    assert_drawn(panel(drawn, "(c)"), record.flow_fields.values[0, -1, 0], label="flow")


def test_amplitudes_are_those_of_known_waves():
    # a wave A sqrt(2/n) cos(2 pi k j/n + phase) has the amplitude A at frequency k, whatever its phase; here n = 9
    record, j = made(), np.arange(9)
    for name, k, A in [("fields", 2, 0.7), ("flow_fields", 3, 1.9)]:
        record[name][0, -1, 0] = A * np.sqrt(2 / 9) * np.cos(2 * np.pi * k * j / 9 + 1.0)
    spectra = panel(figure("gaussian-neuron", record), "(d)")
    np.testing.assert_allclose(spectra.lines[0].get_ydata(), [0, 0, 0.7, 0, 0], atol=1e-12)
    np.testing.assert_allclose(spectra.lines[1].get_ydata(), [0, 0, 0, 1.9, 0], atol=1e-12)
    assert [text.get_text() for text in spectra.get_legend().texts] == ["SGD", "flow"]
