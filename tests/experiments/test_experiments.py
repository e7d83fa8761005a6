"""The contract of every experiment, at tiny size: it runs, its verdicts follow from the record, its figure draws."""

import functools

import matplotlib
import numpy as np
import pytest
from made_up import made_up_data
from tiny import TINY
from watched import Watched

from gatefield import UserError, experiments
from gatefield.experiments import INDEX
from gatefield.experiments.index import index
from gatefield.lab import MemoryBench

matplotlib.use("Agg")
PARTS = {name: experiments.get(name) for name in experiments.names()}


def simulated(name):
    """The experiment, its parameters and its record."""
    return watched(name)[:3]


def trained(name):
    """The trainings of that record, by the names of their parts."""
    return watched(name)[3]


@functools.cache
def watched(name):
    """Once for each worker: a fixture would be set up again whenever another experiment's tests come in between."""
    experiment, bench = PARTS[name], Watched()
    parameters = experiment.Parameters(**TINY[name])
    return experiment, parameters, simulate(experiment, parameters, bench), bench.parts


def simulate(experiment, parameters, bench):
    with made_up_data():
        return experiment.simulate(parameters, bench)


@pytest.fixture(scope="module", params=[pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in PARTS])
def case(request):
    return simulated(request.param)


def test_describes_itself(case):
    experiment, _, _ = case
    assert experiment.name in experiments.names()
    assert experiment.title
    assert experiment.source
    assert len(experiment.text) > 100
    assert {"quick", "full"} <= set(experiment.presets)
    assert set(experiment.durations) <= set(experiment.presets)


def test_verdicts_are_numbers_and_verdicts(case):
    experiment, _, record = case
    verdicts = experiment.verdicts(record)
    assert verdicts
    for verdict in verdicts:
        assert np.isfinite([verdict.expected, verdict.measured]).all()
        assert verdict.holds in (True, False)
        assert verdict.claim
        assert verdict.tolerance


def test_figure_is_drawn_from_the_record_alone(case, tmp_path):
    experiment, _, record = case
    experiment.figure(record.copy(deep=True)).savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 5_000


def test_presets_are_valid(case):
    experiment, _, _ = case
    for values in experiment.presets.values():
        experiment.Parameters(**values)


@pytest.mark.slow
def test_same_parameters_same_numbers(case):
    experiment, parameters, record = case
    again = simulate(experiment, parameters, MemoryBench())
    for name in record.data_vars:
        np.testing.assert_array_equal(record[name], again[name])


def test_the_index_is_what_the_experiments_say():
    assert INDEX.read_text() == index(), "write it anew: make index"


def test_unknown_experiment():
    with pytest.raises(UserError, match="Unknown experiment 'localisation': did you mean 'localization'"):
        experiments.get("localisation")
