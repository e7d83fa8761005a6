"""What a figure shows, for the tests of these experiments."""

import matplotlib
import numpy as np
from matplotlib.colors import same_color

matplotlib.use("Agg")


def panel(figure, start):
    """The panel whose title begins so."""
    (found,) = [axes for axes in figure.axes if axes.get_title().startswith(start)]
    return found


def lines(axes, *, color=None, style=None, marker=None, label=None):
    """The lines of that look that have values, as (x, y) each."""
    return [
        (np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float))
        for line in axes.lines
        if len(line.get_xdata())
        and (color is None or same_color(line.get_color(), color))
        and (style is None or line.get_linestyle() == style)
        and (marker is None or line.get_marker() == marker)
        and (label is None or label == line.get_label())
    ]


def assert_drawn(axes, values, at=None, **look):
    """There is one line of that look, with those values (at those places)."""
    ((x, y),) = lines(axes, **look)
    np.testing.assert_allclose(y, np.ravel(values))
    if at is not None:
        np.testing.assert_allclose(x, np.ravel(at))


def scaled(field):
    """As fields are shown in small panels."""
    return np.asarray(field) / np.abs(field).max()
