"""What the check of figures sees: series that readers confuse, however they are drawn, and a setting that is not said."""

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pytest
import xarray as xr
from house_style import faults, unsaid
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from gatefield.plot import entitle, say_setting

ALIKE, APART = ("#009E73", "#CC79A7"), ("#0072B2", "#D55E00")


class Plain:
    caption = more_caption = "Two series."


def framed(draw):
    figure = Figure(figsize=(7, 3))
    draw(figure, figure.subplots())
    entitle(figure, "both are there")
    say_setting(figure, "n = 40")
    return figure


def scattered(colours):
    return lambda figure, axes: [axes.scatter([0], [1], color=c, label=name) for c, name in zip(colours, "ab", strict=True)]


def bars(colours):
    return lambda figure, axes: [axes.bar([0], [1], color=c, label=name) for c, name in zip(colours, "ab", strict=True)]


def below(colours):
    """A legend of the whole figure, of marks that no panel has."""
    marks = [Line2D([], [], color=c, label=name) for c, name in zip(colours, "ab", strict=True)]
    return lambda figure, axes: figure.legend(handles=marks)


@pytest.mark.parametrize("drawn", [scattered, bars, below])
def test_series_that_some_readers_confuse_are_seen(drawn):
    assert "some readers take 'a' for 'b'" in faults(framed(drawn(ALIKE)), Plain)
    assert faults(framed(drawn(APART)), Plain) == []


def test_dots_of_another_shape_are_told_apart():
    def draw(figure, axes):
        for colour, marker in zip(ALIKE, "os", strict=True):
            axes.scatter([0], [1], color=colour, marker=marker, label=marker)

    assert faults(framed(draw), Plain) == []


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        (["n = 40", "200 τ", "3 seeds"], []),
        (["200 τ", "3 seeds"], ["sizes"]),
        (["n = 40", "3 seeds"], ["time or steps"]),
        (["n = 40", "200 steps"], ["seeds"]),
    ],
)
def test_what_is_not_said_of_a_setting_is_named(words, missing):
    record, figure = xr.Dataset({"loss": (("seed", "step"), np.zeros((3, 2)))}), Figure()
    say_setting(figure, *words)
    assert [one.partition("its ")[2].partition(":")[0] for one in unsaid(figure, record)] == missing
    untrained = xr.Dataset({"loss": ("gain", [0.0])})
    assert [one for one in unsaid(figure, untrained) if "sizes" not in one] == []
