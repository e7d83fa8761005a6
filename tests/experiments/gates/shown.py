"""What a panel of a figure shows."""

import matplotlib
import numpy as np
from matplotlib.colors import same_color

matplotlib.use("Agg")


def lines(axes, *, color=None, style=None, marker=None, label=None):
    """The (x, y) of the lines with data and that look, in the order in which they were drawn."""
    return [
        np.asarray(line.get_xydata(), float).T
        for line in axes.lines
        if len(line.get_xdata())
        and (color is None or same_color(line.get_color(), color))
        and (style is None or line.get_linestyle() == style)
        and (marker is None or line.get_marker() == marker)
        and (label is None or label == line.get_label())
    ]


def assert_line(axes, x, y, **look):
    """There is one line of that look, and it goes through these points."""
    (found,) = lines(axes, **look)
    np.testing.assert_allclose(found, [np.broadcast_to(x, np.shape(y)), y])


def scrambled(record, low=0.1, high=0.9):
    """The record with numbers in place of its floats that are all different, so that one cannot be drawn for another."""
    rng = np.random.default_rng(0)
    drawn = {name: rng.uniform(low, high, value.shape) for name, value in record.items() if value.dtype.kind == "f"}
    return record.assign({name: (record[name].dims, values) for name, values in drawn.items()})


def verdict(experiment, record, words):
    """The verdict whose claim has these words."""
    (found,) = [one for one in experiment.verdicts(record) if words in one.claim]
    return found


def assert_only(experiment, record, words, expected):
    """The verdict with these words holds or not, as expected, and all others hold."""
    found = {one.claim: one.holds for one in experiment.verdicts(record)}
    assert [holds for claim, holds in found.items() if words in claim] == [expected]
    assert all(holds for claim, holds in found.items() if words not in claim)


def changed(record, *changes):
    """The record with other values: (name, {dimension: place}, value) each."""
    record = record.copy(deep=True)
    for name, where, value in changes:
        record[name][where] = value
    return record
