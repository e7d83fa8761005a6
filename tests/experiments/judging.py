"""Records of made-up numbers, and verdicts on them, for the tests of all experiments."""

import numpy as np


def judged(experiment, record, words):
    """The one verdict whose claim has these words."""
    (found,) = [verdict for verdict in experiment.verdicts(record) if words in verdict.claim]
    return found


def told(experiment, record):
    """The verdicts that are judged; each of the others says what to set."""
    verdicts = experiment.verdicts(record)
    assert all("run with" in verdict.why for verdict in verdicts if not verdict.bounds)
    return [verdict for verdict in verdicts if verdict.bounds]


def assert_only(experiment, record, words, expected):
    """The verdict with these words holds or not, as expected, and all others that are judged hold."""
    found = {verdict.claim: verdict.holds for verdict in experiment.verdicts(record) if verdict.bounds}
    assert [holds for claim, holds in found.items() if words in claim] == [expected]
    assert all(holds for claim, holds in found.items() if words not in claim)


def changed(record, *changes):
    """A copy of the record with values put at labels: (variable, {dimension: label}, value)."""
    record = record.copy(deep=True)
    for name, where, value in changes:
        record[name].loc[where] = value
    return record


def changed_at(record, *changes):
    """A copy of the record with values put at places: (variable, {dimension: place}, value)."""
    record = record.copy(deep=True)
    for name, place, value in changes:
        record[name][place] = value
    return record


def scrambled(record, low=0.1, high=0.9):
    """The record with numbers in place of its floats that are all different, so that one cannot be drawn for another."""
    rng = np.random.default_rng(0)
    drawn = {name: rng.uniform(low, high, value.shape) for name, value in record.items() if value.dtype.kind == "f"}
    return record.assign({name: (record[name].dims, values) for name, values in drawn.items()})
