"""What a figure shows, for the tests of all experiments."""

import matplotlib
import numpy as np
from matplotlib.colors import same_color

matplotlib.use("Agg")


def panel(figure, start):
    """The panel whose title begins so."""
    (found,) = [axes for axes in figure.axes if (axes.get_title(loc="left") or axes.get_title()).startswith(start)]
    return found


def lines(axes, *, color=None, style=None, marker=None, label=None, words=None):
    """The lines of a panel with that look (`words`: in the label) and with data, in the order in which they were drawn."""
    return [
        line
        for line in axes.lines
        if len(line.get_xdata())
        and (color is None or same_color(line.get_color(), color))
        and (style is None or line.get_linestyle() == style)
        and (marker is None or line.get_marker() == marker)
        and (label is None or line.get_label() == label)
        and (words is None or words in str(line.get_label()))
    ]


def points(axes, **look):
    """The (x, y) of these lines."""
    return [np.asarray(line.get_xydata(), float).T for line in lines(axes, **look)]


def assert_drawn(axes, values, at=None, **look):
    """There is one line of that look, with those values (at those places)."""
    ((x, y),) = points(axes, **look)
    np.testing.assert_allclose(y, np.ravel(values))
    if at is not None:
        np.testing.assert_allclose(x, np.broadcast_to(np.ravel(at), y.shape))


def assert_line(axes, x, y, **look):
    """There is one line of that look, through these points."""
    assert_drawn(axes, y, at=x, **look)


def assert_all_drawn(axes, rows, **look):
    """The lines of that look have the values of the rows, in that order."""
    np.testing.assert_allclose([y for _, y in points(axes, **look)], np.asarray(rows))


def scaled(field):
    """As fields are shown in small panels."""
    return np.asarray(field) / np.abs(field).max()
