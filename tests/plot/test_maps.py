"""Maps of values over places of any kind."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from gatefield.plot import median, value_map, values_along


def test_a_map_shows_each_value_at_its_place():
    values = xr.DataArray(
        [[1.0, 2.0, np.nan], [4.0, 5.0, 6.0]],
        {"xi": ("xi", [0.5, 2.0], {"units": "site"}), "gain": [0.01, 3.0, np.inf]},
        ("xi", "gain"),
    )
    panel = Figure().subplots()
    mesh = value_map(panel, values)
    np.testing.assert_array_equal(np.ma.filled(mesh.get_array(), np.nan).reshape(2, 3), values)
    assert [text.get_text() for text in panel.get_xticklabels()] == ["0.01", "3", "∞"]
    assert [text.get_text() for text in panel.get_yticklabels()] == ["0.5", "2"]
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("gain", "xi (site)")
    assert panel.get_facecolor()[:3] == (0.88, 0.88, 0.88)


def test_places_of_a_long_axis_are_named_sparsely():
    panel = Figure().subplots()
    value_map(panel, xr.DataArray(np.zeros((2, 100)), {"a": ["x", "y"], "b": np.arange(100)}, ("a", "b")))
    assert len(panel.get_xticklabels()) == 12
    assert [text.get_text() for text in panel.get_yticklabels()] == ["x", "y"]


def test_values_along_an_axis_are_dots_around_their_median():
    values = xr.DataArray([[1.0, 2.0], [3.0, 8.0], [2.0, np.nan]], {"gain": [1.0, 3.0]}, ("seed", "gain"))
    panel = Figure().subplots()
    values_along(panel, values)
    *dots, line = panel.get_lines()
    np.testing.assert_array_equal([one.get_ydata() for one in dots], values)
    np.testing.assert_array_equal(line.get_ydata(), [2.0, 5.0])


def test_a_median_is_of_what_is_there():
    values = np.array([[1.0, 5.0, 3.0], [np.nan, 2.0, 4.0], [np.nan] * 3])
    found = median(xr.DataArray(values, dims=("gain", "seed")), ["seed"])
    np.testing.assert_array_equal(found, [3.0, 3.0, np.nan])
    assert median(found, []) is found
