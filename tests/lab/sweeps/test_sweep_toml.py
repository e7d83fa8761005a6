"""TOML files that say what to sweep: right ones, wrong ones, and generated ones."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sweep_small import definition, source, training

from gatefield import experiments
from gatefield.core.errors import UserError
from gatefield.lab import read_sweep
from gatefield.lab.sweeps.trainings.groups import check_some

EXAMPLE = Path(__file__).parents[3] / "examples" / "gain_and_range.toml"


def test_the_example_can_be_read():
    sweep = read_sweep(EXAMPLE)
    assert len(sweep.points) == 120
    assert sweep.points.at(119)["negative.gain"] == float("inf")
    assert list(sweep.measures) == ["ipr", "entropies"]


def wrong(**changes):
    return {**definition({"learning_rate": [0.1, 0.2]}), **changes}


def without(key, table):
    return {name: value for name, value in table.items() if name != key}


WRONG = {
    "nothing": ({}, "has no 'name'"),
    "no axes": (without("axes", definition()), "has no 'axes'"),
    "a misspelt entry": (wrong(measure=["ipr"]), "Unknown entry of a sweep 'measure': did you mean 'measures'?"),
    "a name with a slash": (wrong(name="../up"), "small letters and digits with hyphens"),
    "a name that is a number": (wrong(name=3), "'name' of a sweep must be a text, but is 3"),
    "nothing swept": (without("training", definition()), "either 'experiment' or the table 'training', but has neither"),
    "two things swept": (wrong(experiment="localization"), "but has both"),
    "a preset of a training": (wrong(preset="full"), "'set' and 'preset' do not belong"),
    "axes as a list": (wrong(axes=[1]), "'axes' of a sweep must be a table"),
    "an unknown measure": (wrong(measures=["iprr"]), "Unknown measure of fields 'iprr': did you mean 'ipr'?"),
    "an unknown thing to keep": (wrong(keep=["histories"]), "Unknown thing to keep 'histories': did you mean 'history'?"),
    "an unknown experiment": (
        {"name": "a", "experiment": "localisation", "axes": {"seed": 2}},
        "did you mean 'localization'?",
    ),
    "an unknown parameter of an experiment": (
        {"name": "a", "experiment": "localization", "axes": {"sede": 2}},
        "Unknown parameter of localization 'sede': did you mean 'seed'?",
    ),
    "an unknown preset": (
        {"name": "a", "experiment": "localization", "preset": "quik", "axes": {"seed": 2}},
        "Unknown preset 'quik': did you mean 'quick'?",
    ),
    "measures of an experiment": (
        {"name": "a", "experiment": "localization", "measures": ["ipr"], "axes": {"seed": 2}},
        "leave 'keep' and 'measures' out",
    ),
    "an unknown setting": (wrong(training=training(step=5)), "Unknown entry of the training 'step': did you mean 'steps'?"),
    "no steps": (wrong(training=without("steps", training())), "The training has no 'steps'"),
    "steps as text": (wrong(training=training(steps="many")), "steps must be a whole number, but is 'many'"),
    "no rate": (
        definition({"seed": 2}, training=training(learning_rate=0.0)),
        "learning_rate must be positive and finite, but is 0",
    ),
    "an unknown optimizer": (wrong(training=training(optimizer="sdg")), "optimizer must be 'sgd'"),
    "a seed that is none": (wrong(training=training(seed=-1)), "seed must be a whole number from 0"),
    "no kind": (wrong(training=training(positive={"n": 6, "xi": 2.0})), "positive must say what it is by 'kind'"),
    "an unknown source": (
        wrong(training=training(positive={"kind": "NonlinearGp"})),
        "Unknown kind of positive 'NonlinearGp': did you mean 'NonlinearGP'?",
    ),
    "an unknown network": (wrong(training=training(network={"kind": "Comittee"})), "did you mean 'Committee'?"),
    "the base class": (wrong(training=training(network={"kind": "Network"})), "Unknown kind of network 'Network'"),
    "an unknown argument": (
        wrong(training=training(positive={**source(1.0), "gian": 3.0})),
        "Unknown argument of positive, a NonlinearGP, 'gian': did you mean 'gain'?",
    ),
    "an argument too few": (
        wrong(training=training(positive={"kind": "Gaussian", "n": 6})),
        "positive, a Gaussian, needs 'xi'",
    ),
    "a source as text": (wrong(training=training(positive="Gaussian")), "positive must be a table"),
    "inputs of a network": (
        wrong(training=training(network={"kind": "Committee", "K": 1, "n": 6})),
        "leave n out of it",
    ),
    "an axis of no setting": (
        definition({"stepps": [1]}),
        "Unknown entry of the training 'stepps': did you mean 'steps'?",
    ),
    "an axis called like a measure": (
        definition({"ipr": {"values": [0.5], "sets": ["positive.gain"]}}),
        "An axis of a grid cannot be called 'ipr', which its record has for something else; choose another name, and say by",
    ),
    "an axis called like a result": (definition({"loss": ["mse", "sse"]}), "cannot be called 'loss', which its record has"),
    "an axis called like what is kept": (
        definition({"fields": {"values": [1.0], "sets": ["positive.xi"]}}, keep=["fields"]),
        "cannot be called 'fields', which its record has",
    ),
    "an axis of an experiment called seconds": (
        {"name": "a", "experiment": "localization", "axes": {"seconds": {"values": [2], "sets": ["seeds"]}}},
        "cannot be called 'seconds', which its record has",
    ),
    "an axis of no argument": (
        definition({"positive.gian": [1.0]}),
        "Unknown argument of positive, a NonlinearGP, 'gian': did you mean 'gain'?",
    ),
}


def find(word):
    return experiments.get(word)


@pytest.mark.parametrize(("table", "text"), WRONG.values(), ids=WRONG)
def test_a_wrong_definition_is_one_sentence(table, text):
    with pytest.raises(UserError) as error:
        read_sweep(table, find)
    assert text in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (training(positive=source(-2.0)), "xi must be a positive, finite length scale in sites, but is -2"),
        (training(positive={**source(1.0), "n": 7}), "must have the same number of sites, but have 7 and 6"),
        (training(network={"kind": "Committee", "K": 0}), "K must be a whole number of at least 1, but is 0"),
        (training(positive={**source(1.0), "xi": [1.0, 2.0]}), "list others as an axis"),
        (training(labels=[1.0, float("nan")]), "must be finite"),
    ],
)
def test_what_can_be_read_but_not_made_is_one_sentence(table, text):
    sweep = read_sweep(definition({"seed": 2}, training=table))
    with pytest.raises(UserError) as error:
        check_some(sweep.work, sweep.points)
    assert text in str(error.value)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"name = ", "is not TOML"),
        (b"\xff\xfe", "is not TOML"),
        (b"a = " + b"[" * 5000, "is not TOML"),
        (b"name = 'a'\n[axes]\nseed = 2", "either 'experiment' or the table 'training'"),
    ],
)
def test_a_file_that_is_no_sweep_is_one_sentence(tmp_path, content, text):
    (tmp_path / "a.toml").write_bytes(content)
    with pytest.raises(UserError) as error:
        read_sweep(tmp_path / "a.toml")
    assert text in str(error.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match="There is no file"):
        read_sweep(tmp_path / "a.toml")


def test_a_study_is_looked_for_beside_its_file(tmp_path, monkeypatch):
    (tmp_path / "inner").mkdir()
    study = "from gatefield.experiments import get\nstudy = get('fourier-basis')\n"
    (tmp_path / "inner" / "mine.py").write_text(study)
    (tmp_path / "inner" / "a.toml").write_text("name = 'a'\nexperiment = 'mine.py'\n[axes]\nn = [8, 12]\n")
    monkeypatch.chdir(tmp_path)
    assert read_sweep("inner/a.toml").work.name == "fourier-basis"


ATOMS = st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats() | st.text(max_size=8)
WORDS = [
    "name",
    "experiment",
    "preset",
    "set",
    "training",
    "axes",
    "keep",
    "measures",
    "kind",
    "values",
    "rows",
    "sets",
    "from",
]
WORDS += ["to", "count", "random", "low", "high", "seed", "scale", "network", "positive", "negative", "steps", "Committee", "n"]


def tables(inner):
    return st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=5), inner, max_size=4)


ANY = st.recursive(ATOMS | st.sampled_from(WORDS), lambda inner: st.lists(inner, max_size=3) | tables(inner), max_leaves=8)


@st.composite
def damaged(draw):
    """A right definition in which some values are anything."""
    table = json.loads(json.dumps(definition()))
    for _ in range(draw(st.integers(1, 3))):
        place, path = table, draw(st.lists(st.integers(0, 20), min_size=1, max_size=4))
        for step in path:
            keys = list(place)
            key = keys[step % len(keys)] if keys else "name"
            if not isinstance(place.get(key), dict) or step == path[-1]:
                place[key] = draw(ANY)
                break
            place = place[key]
    return table


@settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(damaged() | tables(ANY))
def test_every_definition_is_read_or_refused_in_one_sentence(table):
    said = ""
    try:
        read_sweep(table, find)
    except UserError as error:
        said = str(error)
    assert "\n" not in said
    assert len(said) < 1500
