"""Pictures of sweeps, drawn from their data."""

import json

import numpy as np
import pytest
import xarray as xr

from gatefield.core.errors import UserError
from gatefield.show import draw_sweep
from gatefield.show.sweeps.picture import first_map


@pytest.fixture
def found():
    values = np.arange(24.0).reshape(2, 3, 4)
    values[0, 0, 0] = np.nan
    swept = {"positive": {"n": 40, "gain": 1.0}, "network": {"K": 2}, "steps": 1000}
    return xr.Dataset(
        {"ipr": (("gain", "xi", "seed"), values), "loss": (("gain", "xi", "seed"), -values)},
        {"gain": [1.0, np.inf], "xi": [0.5, 1.0, 2.0], "seed": np.arange(4)},
        {"sweep": "mine-0123456789ab", "swept": json.dumps(swept), "axes": ["gain", "xi", "seed"]},
    )


def test_a_map_is_the_median_over_all_other_axes(found):
    figure = draw_sweep(found, "ipr", ["gain", "xi"])
    drawn = np.ma.filled(figure.axes[0].collections[0].get_array(), np.nan).reshape(3, 2)
    np.testing.assert_allclose(drawn, np.nanmedian(found.ipr.values, axis=2).T)
    words = figure.get_supxlabel()
    assert words.replace("\n", " ") == (
        "mine-0123456789ab, n = 40, K = 2, steps = 1,000, median over seed (4), 1 of 24 values missing, "
        "grey where none is there"
    )
    assert figure.get_suptitle() == "ipr over gain and xi"
    assert figure.axes[1].get_ylabel() == "inverse participation ratio"


def test_one_axis_gives_dots(found):
    panel = draw_sweep(found, "loss", ["xi"]).axes[0]
    *dots, line = panel.get_lines()
    assert len(dots) == 8
    np.testing.assert_allclose(line.get_ydata(), np.nanmedian(found.loss.values, axis=(0, 2)))


def test_the_first_map_is_of_the_first_measure(found):
    figure = first_map(found)
    assert figure is not None
    assert figure.get_suptitle() == "ipr over gain and xi"
    assert first_map(found * np.nan) is None


def test_what_has_a_profile_is_not_drawn_nor_offered(found):
    profiles = found.assign(fields=found.ipr.expand_dims(position=5), units=found.ipr.expand_dims(unit=2))
    with pytest.raises(UserError, match=r"^fields has the dimension position beside the axes; draw .* of it, such as ipr"):
        draw_sweep(profiles, "fields", ["gain"])
    with pytest.raises(UserError, match=r"there are: ipr, loss, units\.$"):
        draw_sweep(profiles, "nothing", ["gain"])
    assert draw_sweep(profiles, "units", ["gain"]).get_suptitle() == "units over gain"
    assert first_map(profiles[["fields", "loss"]]).get_suptitle() == "loss over gain and xi"


@pytest.mark.parametrize(
    ("measure", "axes", "text"),
    [
        ("irp", ["gain"], "Unknown measure of the sweep 'irp': did you mean 'ipr'?"),
        ("ipr", ["gian"], "Unknown axis of ipr 'gian': did you mean 'gain'?"),
        ("ipr", ["gain", "gain"], "one axis or two different ones"),
        ("ipr", ["gain", "xi", "seed"], "one axis or two different ones"),
    ],
)
def test_wrong_names_are_one_sentence(found, measure, axes, text):
    with pytest.raises(UserError) as error:
        draw_sweep(found, measure, axes)
    assert text in str(error.value)
