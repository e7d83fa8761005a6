"""What the tests of the field experiments share: records of made-up numbers, verdicts on them, and what a figure shows."""

import matplotlib
import numpy as np
from matplotlib.colors import same_color

from gatefield import experiments

matplotlib.use("Agg")
INF = float("inf")


def seeds(median):
    """Values of three seeds with that median, and with another mean, least and largest: (..., 3)."""
    return np.multiply.outer(median, [1.0, 0.1, 5.0])


def ending(values, before=0.5):
    """Values after the last of three steps, with a step axis at the end."""
    values = np.asarray(values, float)
    return np.stack([np.full_like(values, before), np.full_like(values, before), values], axis=-1)


def judge(name, record):
    return experiments.get(name).verdicts(record)


def holds(name, record):
    return [verdict.holds for verdict in judge(name, record)]


def assert_only(name, record, place, expected):
    """Of the verdicts, which hold on the record that the case comes from, at most the one at `place` does not."""
    found = holds(name, record)
    assert found == [expected if i == place else True for i in range(len(found))]


def scrambled(record, low=0.1, high=0.9):
    """The record with numbers in place of its numbers that are all different, so that one cannot be drawn for another."""
    rng = np.random.default_rng(0)
    drawn = {name: rng.uniform(low, high, value.shape) for name, value in record.items() if value.dtype.kind == "f"}
    return record.assign({name: (record[name].dims, values) for name, values in drawn.items()})


def figure(name, record):
    return experiments.get(name).figure(record)


def panel(drawn, start):
    """The panel whose title begins so."""
    (found,) = [axes for axes in drawn.axes if axes.get_title().startswith(start)]
    return found


def lines(axes, *, color=None, style=None, marker=None, label=None):
    """The lines of a panel with that look."""
    return [
        line
        for line in axes.lines
        if (color is None or same_color(line.get_color(), color))
        and (style is None or line.get_linestyle() == style)
        and (marker is None or line.get_marker() == marker)
        and (label is None or label in str(line.get_label()))
    ]


def assert_drawn(axes, values, at=None, **look):
    """There is one line of that look, with those values (at those places)."""
    (line,) = lines(axes, **look)
    np.testing.assert_allclose(np.asarray(line.get_ydata(), float), np.ravel(values))
    if at is not None:
        np.testing.assert_allclose(np.asarray(line.get_xdata(), float), np.ravel(at))


def assert_all_drawn(axes, rows, **look):
    """The lines of that look have the values of the rows, in that order; lines without values are left out."""
    found = [np.asarray(line.get_ydata(), float) for line in lines(axes, **look) if len(line.get_ydata())]
    np.testing.assert_allclose(found, np.asarray(rows))


def assert_bars(container, values, errors):
    """Dots with error bars of that length to each side."""
    line, _, (bars,) = container
    np.testing.assert_allclose(np.asarray(line.get_ydata(), float), values)
    np.testing.assert_allclose([np.ptp(segment[:, 1]) / 2 for segment in bars.get_segments()], errors)


def scaled(field):
    """As fields are shown in small panels."""
    return field / np.abs(field).max()
