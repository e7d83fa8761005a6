"""What the tests of the depth experiments share: runs of known mean and deviation, and what a figure shows."""

import matplotlib
import numpy as np
from matplotlib.colors import same_color

matplotlib.use("Agg")


def runs(mean, deviation, count=4):
    """An even number of values with that mean and standard deviation, along a new last axis."""
    mean, deviation = np.broadcast_arrays(mean, deviation)
    pattern = np.tile([-1.0, 1.0], count // 2) * np.sqrt((count - 1) / count)
    return mean[..., None] + deviation[..., None] * pattern


def changed(record, *changes):
    """A copy of the record with values put at places: (variable, {dimension: label}, value)."""
    record = record.copy(deep=True)
    for name, place, value in changes:
        record[name].loc[place] = value
    return record


def judged(experiment, record, words):
    (found,) = [verdict for verdict in experiment.verdicts(record) if words in verdict.claim]
    return found


def lines(axes, *, color=None, style=None, marker=None, label=None):
    """The lines of a panel with that look and with data."""
    return [
        line
        for line in axes.lines
        if len(line.get_xdata())
        and (color is None or same_color(line.get_color(), color))
        and (style is None or line.get_linestyle() == style)
        and (marker is None or line.get_marker() == marker)
        and (label is None or line.get_label() == label)
    ]


def assert_line(axes, x, y, **look):
    """There is one line of that look, with those places and values."""
    (line,) = lines(axes, **look)
    np.testing.assert_allclose(np.asarray(line.get_xdata(), float), x)
    np.testing.assert_allclose(np.asarray(line.get_ydata(), float), y)


def assert_bars(container, x, y, low, high):
    """Dots, and bars from `low` to `high`."""
    dots, _, (bars,) = container
    if dots is not None:
        np.testing.assert_allclose(dots.get_xydata(), np.transpose([x, y]))
    ends = np.array([segment[:, 1] for segment in bars.get_segments()])
    np.testing.assert_allclose(ends, np.transpose([low, high]))
    np.testing.assert_allclose([segment[0, 0] for segment in bars.get_segments()], x)
