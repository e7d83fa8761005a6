"""Panels draw the data that they are given."""

import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from gatefield import plot
from gatefield.plot import DIVERGING, style

RNG = np.random.default_rng(0)


@pytest.fixture
def axes():
    with style():
        yield Figure().subplots()


def field(n=5):
    return xr.DataArray(RNG.normal(size=n), dims="position", coords={"position": np.arange(n)})


def line(axes, label):
    return next(one for one in axes.lines if one.get_label() == label)


def test_a_trained_field_and_its_prediction(axes):
    trained, predicted = field(), field()
    plot.two_fields(axes, trained, predicted, "a title")
    np.testing.assert_array_equal(line(axes, "SGD").get_ydata(), trained)
    np.testing.assert_array_equal(line(axes, "flow").get_ydata(), predicted)
    np.testing.assert_array_equal(line(axes, "flow").get_xdata(), predicted.position)
    assert line(axes, "SGD").get_marker() == "o"
    assert (line(axes, "flow").get_color(), line(axes, "flow").get_linestyle()) == ("black", "-")  # theory, as everywhere
    assert axes.get_title(loc="left") == "a title"


def test_a_field_over_time_is_an_image_with_its_times(axes):
    values = xr.DataArray(RNG.normal(size=(3, 5)), dims=("step", "position"), coords={"time": ("step", [0.0, 2.0, 8.0])})
    image = plot.field_over_time(axes, values, "a title", limit=2.0)
    np.testing.assert_array_equal(image.get_array(), values.values.T)
    assert image.get_extent() == [0.0, 8.0, -0.5, 4.5]
    assert image.get_clim() == (-2.0, 2.0)
    assert image.get_cmap().name == DIVERGING
    assert image.origin == "lower"


def test_small_fields_are_scaled_to_their_own_maximum(axes):
    values = field()
    plot.small_field(axes, values, "--", color="C2")
    drawn = axes.lines[-1]
    np.testing.assert_allclose(drawn.get_ydata(), values / np.abs(values).max())
    assert drawn.get_linestyle() == "--"
    assert axes.get_xticks().tolist() == [0, 2, 4]


def test_there_is_a_dot_for_each_seed(axes):
    values = xr.DataArray(RNG.normal(size=(4, 3)), dims=("gain", "seed"))
    plot.dots_by_seed(axes, [0, 1, 2, 3], values, "gain", "C1")
    assert len(axes.lines) == 3
    for seed, dots in enumerate(axes.lines):
        np.testing.assert_array_equal(dots.get_ydata(), values[:, seed])
        assert np.abs(dots.get_xdata() - np.arange(4)).max() < 0.125
    assert len({dots.get_xdata()[0] for dots in axes.lines}) == 3  # none hides another
    plot.dots_by_seed(axes, [0, 1, 2, 3], values[:, :1], "gain", "C1")
    np.testing.assert_array_equal(axes.lines[-1].get_xdata(), np.arange(4))


def test_a_signed_matrix_has_zero_in_the_middle(axes):
    values = RNG.normal(size=(3, 4))
    image = plot.signed_matrix(axes, values, 1.5)
    np.testing.assert_array_equal(image.get_array(), values)
    assert image.get_clim() == (-1.5, 1.5)
    assert image.origin == "upper"


def accuracies():
    return xr.DataArray(
        RNG.uniform(size=(2, 3, 4)),
        dims=("net", "seed", "step"),
        coords={"net": ["relu", "galu"], "epoch": ("step", [0.0, 1.0, 2.0, 5.0])},
    )


def test_values_over_epochs_are_means_and_standard_errors_over_seeds(axes):
    values = accuracies()
    plot.over_epochs(axes, values, {"galu": "GaLU", "relu": "ReLU"})
    for at, (net, name) in enumerate([("galu", "GaLU"), ("relu", "ReLU")]):
        one = values.sel(net=net)
        np.testing.assert_allclose(line(axes, name).get_ydata(), one.mean("seed"))
        np.testing.assert_array_equal(line(axes, name).get_xdata(), values.epoch)
        corners = axes.collections[at].get_paths()[0].vertices
        mean, error = one.values.mean(0), one.values.std(0, ddof=1) / np.sqrt(3)
        np.testing.assert_allclose([corners[:, 1].min(), corners[:, 1].max()], [(mean - error).min(), (mean + error).max()])


def test_accuracies_are_in_percent_from_the_first_record_after_the_start(axes):
    values = accuracies()
    plot.accuracy_panel(axes, values, {"relu": "ReLU"}, "a title")
    np.testing.assert_allclose(line(axes, "ReLU").get_ydata(), 100 * values.sel(net="relu").mean("seed")[1:])
    assert axes.get_xlim()[0] == 0


def test_labels_at_ends_of_lines_stand_at_their_height_or_apart(axes):
    axes.set(ylim=(0, 10))
    plot.end_labels(axes, [2.0, 5.0, 5.1], ["two", "five", "more"])
    places = [text.get_position()[1] for text in axes.texts]
    assert places[0] == pytest.approx(0.2)
    assert places[2] - places[1] == pytest.approx(0.085)
    axes.clear()
    axes.set(yscale="log", ylim=(1, 100))
    plot.end_labels(axes, [10.0], ["ten"])
    assert axes.texts[0].get_position()[1] == pytest.approx(0.5)


def test_numbers_on_a_logarithmic_axis_are_plain(axes):
    axes.plot([1, 2], [300, 9000])
    plot.plain_log_scale(axes)
    assert axes.get_yscale() == "log"
    texts = [axes.yaxis.get_major_formatter()(value, 0) for value in (0.5, 2, 2000, 10_000)]
    assert texts == ["0.5", "2", "2,000", "10,000"]
    assert {500.0, 1000.0, 2000.0, 5000.0} <= set(axes.yaxis.get_major_locator().tick_values(300, 9000))


def test_families_keep_their_look_and_others_are_shades():
    looks = plot.family_styles(["geometric 0.9", "random", "geometric 0.5"], {"random": ("C6", "o")})
    assert list(looks) == ["geometric 0.9", "random", "geometric 0.5"]
    assert looks["random"] == {"color": "C6", "marker": "o"}
    first, second = looks["geometric 0.9"], looks["geometric 0.5"]
    assert first["marker"] != second["marker"]
    brightness = [int(look["color"][3:5], 16) for look in (first, second)]
    assert brightness[0] > brightness[1]  # the later, the darker


def test_shades_are_ordered_and_distinct():
    for count in (1, 2, 7):
        colours = plot.shades(count)
        assert len(set(colours)) == count
    assert plot.shades(7)[0] == plot.shades(3)[0]
    assert plot.shades(7)[-1] == plot.shades(3)[-1]
    assert all(to_hex(colour) == colour for colour in plot.shades(3, "cividis", (0.0, 1.0)))


def test_a_median_stands_only_where_seeds_lie_together():
    rows = [
        [0.1, 0.2, 0.3, 0.4],
        [0.1, 0.12, 0.8, 0.82],
        [0.8, 0.1, 0.82, 0.12],
        [0.1, 0.1, 0.1, 0.149],
        [0.1, 0.1, 0.1, 0.151],
    ]
    values = xr.DataArray(rows, dims=("gain", "seed"), coords={"gain": range(5)})
    np.testing.assert_allclose(plot.one_median(values), [0.25, np.nan, np.nan, 0.1, np.nan])
    np.testing.assert_allclose(plot.one_median(values, least=0.06), [0.25, np.nan, np.nan, 0.1, 0.1])
    np.testing.assert_allclose(plot.one_median(values.isel(seed=[0])), [0.1, 0.1, 0.8, 0.1, 0.1])
    assert float(plot.one_median(values.isel(gain=0))) == pytest.approx(0.25)
