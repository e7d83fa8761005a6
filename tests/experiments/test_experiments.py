"""The contract of every experiment, at tiny size: it runs, its verdicts follow from the record, its figure draws."""

import functools
import re
import shlex

import matplotlib
import numpy as np
import pytest
from house_style import faults, unsaid
from made_up import made_up_data
from tiny import TINY
from watched import Watched

from gatefield import UserError, experiments
from gatefield.experiments import INDEX
from gatefield.experiments.index import index
from gatefield.lab import MemoryBench, resolve
from gatefield.lab.parameters import parsed
from gatefield.plot import style
from gatefield.show import draw, save

matplotlib.use("Agg")
PARTS = {name: experiments.get(name) for name in experiments.names()}


CLAIMS = {
    "gaussian-neuron": 2,
    "late-localization": 6,
    "phase-diagram": 9,
    "conditions": 17,
    "localization": 7,
    "gaussian-committee": 3,
    "steady-modes": 4,
    "fourier-basis": 4,
    "small-bump": 3,
    "gate-shaped-solution": 8,
    "erf-populations": 12,
    "amplifier": 6,
    "elliptical": 6,
    "single-pulse": 8,
    "kurtosis-law": 14,
    "uncertainty": 7,
    "gated-linear": 2,
    "gate-refresh": 8,
    "where": 9,
    "drift-fields": 7,
    "f-along-training": 6,
    "cube-states": 11,
    "depth-spectrum": 11,
    "galu-and-relu-depth": 7,
    "linear-depth": 8,
    "hard-pair": 3,
    "kernel-concentration": 6,
    "mnist-galu": 5,
    "learned-subnetworks": 3,
    "gate-adaptation": 5,
    "frozen-or-adapting": 2,
    "gates-lottery": 3,
    "sub-networks": 17,
    "moving-gates": 13,
    "rotation-invariance": 11,
    "gates-only": 3,
    "soft-gates-table": 6,
}
"""How many claims there are at full size, of experiments that do not repeat them for each value of a parameter."""
SUBJECTS_NAMED = {
    "small-bump",
    "amplifier",
    "gates-to-relu",
    "self-consistency",
    "where",
    "drift-fields",
    "kernel-concentration",
    "gate-adaptation",
    "frozen-or-adapting",
    "gates-lottery",
    "soft-gates-table",
}
"""Experiments whose title names a subject, or goes on after its question."""


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
    assert len({verdict.claim for verdict in verdicts}) == len(verdicts)
    for verdict in verdicts:
        assert alone(verdict.claim) == []
        if verdict.outcome == "not judged":
            assert "run with" in verdict.why
            assert "--set" in verdict.why
            continue
        assert np.isfinite(
            [bound.predicted for bound in verdict.bounds if bound.predicted is not None] + [verdict.measured]
        ).all()
        assert verdict.holds in (True, False)
        assert verdict.tolerance


WORDS = ("the lemma", "these", "as above", "the remark", "the winner")
"""What a claim must not lean on, since it is read by itself."""
SYMBOLS = ("tau_A", "tau_S", "K^a", "K^w", "D_min", "|w_i|", "b(t) settles", "x'")
"""Symbols that no claim explains."""


def alone(claim):
    """Why a claim does not stand alone as a sentence."""
    why = [] if claim.strip() else ["it is empty"]
    why += [f"it says {word!r}" for word in WORDS if re.search(rf"\b{re.escape(word)}\b", claim)]
    why += ["it says 'those found' of what is found nowhere"] if re.search(r"\bthose found(?! before)\b", claim) else []
    why += [f"it has the symbol {symbol}" for symbol in SYMBOLS if symbol in claim]
    if re.search(r"\bequations? \d", claim) and not re.search(r"\b(note|paper) \d{3}\b", claim):
        why.append("it names an equation without its source")
    return why


@pytest.mark.parametrize(
    "claim",
    ["", "E<y> is the sum of the lemma", "no clone of these laws", "equation 6 is 0", "gates above tau_S carry K^a"],
)
def test_claims_that_lean_on_others_are_seen(claim):
    assert alone(claim)


def test_figure_is_drawn_from_the_record_alone_in_the_style_of_the_house(case, tmp_path):
    experiment, _, record = case
    for more in (False, True)[: 1 + (experiment.more is not None)]:
        figure = draw(experiment, record.copy(deep=True), more=more)
        assert save(figure, tmp_path / "figure.png").stat().st_size > 5_000
        with style():
            assert faults(figure, experiment, more=more) == []
        assert more or unsaid(figure, record) == []
        verdicts = experiment.verdicts(record)
        headed = any(verdict.found and verdict.otherwise for verdict in verdicts)
        assert headed or any(verdict.outcome == "not judged" for verdict in verdicts)  # what has no numbers cannot head


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


def test_what_a_verdict_asks_to_be_set_can_be_set(case):
    """Each `--set name=value` that a tiny record is told names a parameter, and its value is one."""
    experiment, parameters, record = case
    for verdict in experiment.verdicts(record):
        text = verdict.why or (verdict.note if verdict.note.startswith("needs ") else "")
        words = shlex.split(text.partition("run with")[2].partition("; ")[0])
        settings = {name: parsed(value) for name, _, value in (word.partition("=") for word in words if "=" in word)}
        assert settings or not text
        resolve(experiment, overrides={**parameters.model_dump(), **settings})


def test_no_claim_vanishes_at_the_smallest_size(case):
    experiment, _, record = case
    found = len(experiment.verdicts(record))
    assert found == CLAIMS.get(experiment.name, found)


@pytest.mark.parametrize("experiment", PARTS.values(), ids=list(PARTS))
def test_titles_ask_and_do_not_tell(experiment):
    """A title stands above every run; what a run found is said by its verdicts."""
    assert experiment.title.endswith("?") or experiment.name in SUBJECTS_NAMED


def test_the_index_is_what_the_experiments_say():
    assert INDEX.read_text() == index(), "write it anew: make index"


def test_unknown_experiment():
    with pytest.raises(UserError, match="Unknown experiment 'localisation': did you mean 'localization'"):
        experiments.get("localisation")
