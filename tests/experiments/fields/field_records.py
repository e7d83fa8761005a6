"""What the tests of the field experiments share: records of made-up numbers, and verdicts on them."""

import numpy as np

from gatefield import experiments

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


def unjudged(name, record):
    """The places of verdicts that are not judged, each of which says what to set."""
    verdicts = judge(name, record)
    assert all("run with" in verdict.why for verdict in verdicts if verdict.holds is None)
    return [place for place, verdict in enumerate(verdicts) if verdict.holds is None]


def assert_only(name, record, place, expected):
    """Of the verdicts, which hold on the record that the case comes from, at most the one at `place` does not."""
    found = holds(name, record)
    assert found == [expected if i == place else True for i in range(len(found))]


def figure(name, record):
    return experiments.get(name).figure(record)


def more(name, record):
    return experiments.get(name).more(record)


def assert_bars(container, values, errors):
    """Dots with error bars of that length to each side."""
    line, _, (bars,) = container
    np.testing.assert_allclose(np.asarray(line.get_ydata(), float), values)
    np.testing.assert_allclose([np.ptp(segment[:, 1]) / 2 for segment in bars.get_segments()], errors)
