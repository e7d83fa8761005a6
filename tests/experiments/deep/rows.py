"""One row of a claim that is looked at in several places."""

import pytest

AS = {"confirmed": "holds", "refuted": "missed", "off": "missed", "not decided": "not decided"}
"""What a row says where a verdict of it alone would say that."""


def row(verdict, at, which=0):
    """The bound at that place; where there are several, the one that is asked for."""
    return [bound for bound in verdict.table if bound.at == at][which]


def assert_row(verdict, at, measured, outcome, which=0):
    found = row(verdict, at, which)
    assert found.measured == pytest.approx(measured, rel=1e-6, abs=1e-9)
    assert found.outcome == AS.get(outcome, outcome)


def titled(figure, start):
    """The panel whose letter and title begin so."""
    (found,) = [axes for axes in figure.axes if axes.get_title(loc="left").startswith(start)]
    return found
