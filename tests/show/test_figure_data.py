"""The table of what a figure draws, read back with the standard library."""

import csv
import io

import matplotlib

matplotlib.use("Agg")

from matplotlib.figure import Figure

from gatefield.show.figure_data import figure_data


def rows(figure):
    return [tuple(row.values()) for row in csv.DictReader(io.StringIO(figure_data(figure)))]


def test_error_bars_are_named_by_their_series_and_give_both_ends():
    figure = Figure()
    figure.subplots().errorbar([1, 2], [5.0, 6.0], yerr=[0.5, 1.0], fmt="o", capsize=2, label="SGD")
    found = rows(figure)
    assert {row[1] for row in found} == {"SGD"}
    assert [row[3:5] for row in found if row[2] == "dots"] == [("1", "5"), ("2", "6")]
    ends = [("1", "4.5"), ("1", "5.5"), ("2", "5"), ("2", "7")]
    assert [row[3:5] for row in found if row[2] == "error bar"] == ends
    assert len(found) == 6  # caps are no data


def test_bands_are_given_by_the_corners_of_their_outline():
    figure = Figure()
    figure.subplots().fill_between([0, 1, 2], [1.0, 2.0, 3.0], [4.0, 5.0, 6.0], label="range of seeds")
    found = rows(figure)
    assert {row[1:3] for row in found} == {("range of seeds", "band")}
    assert {row[3:5] for row in found} == {("0", "1"), ("1", "2"), ("2", "3"), ("0", "4"), ("1", "5"), ("2", "6")}


def test_pieces_of_lines_give_their_ends():
    figure = Figure()
    figure.subplots().vlines([3.0], 0.0, 2.0, label="where it changes")
    assert [row[1:5] for row in rows(figure)] == [
        ("where it changes", "piece", "3", "0"),
        ("where it changes", "piece", "3", "2"),
    ]
