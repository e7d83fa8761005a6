"""Axes as they are written, and the points that they make."""

import numpy as np
import pytest
from sweep_small import definition, training

from gatefield.core.errors import UserError
from gatefield.lab import read_sweep
from gatefield.lab.store.store import run_id
from gatefield.lab.sweeps.definition.axes import read_axis
from gatefield.lab.sweeps.definition.points import Points
from gatefield.lab.sweeps.definition.tables import one_kind_of_number, placed
from gatefield.lab.sweeps.trainings.training import read_training


@pytest.mark.parametrize(
    ("given", "places"),
    [
        ([1.0, 3.0], [1.0, 3.0]),
        (3, [0, 1, 2]),
        ({"from": 0.0, "to": 1.0, "count": 3}, [0.0, 0.5, 1.0]),
        ({"from": 1, "to": 100, "count": 3, "scale": "log"}, [1, 10, 100]),
        ({"from": 10, "to": 40, "count": 4}, [10, 20, 30, 40]),
        ({"values": ["relu", "erf"]}, ["relu", "erf"]),
        ({"values": [[1, 2], [3, 4]]}, ["[1,2]", "[3,4]"]),
        ({"values": [True, False]}, ["true", "false"]),
    ],
)
def test_ways_to_write_an_axis(given, places):
    assert read_axis("gain", given).places.tolist() == places


def test_whole_ends_give_whole_numbers():
    assert all(isinstance(value, int) for value in read_axis("n", {"from": 10, "to": 40, "count": 4}).settings["n"])


@pytest.mark.parametrize(("random", "low", "high"), [("uniform", -1.0, 2.0), ("log-uniform", 0.01, 100.0), ("integers", 5, 90)])
def test_random_axes_are_drawn_by_their_seed(random, low, high):
    one, same, other = (
        read_axis("x", {"random": random, "low": low, "high": high, "count": 50, "seed": seed}).places for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)
    assert one.min() >= low
    assert one.max() <= high
    assert len(np.unique(one)) == 50
    # Half of the draws lie below the middle of the scale, to within four standard deviations of 50 coins.
    middle = np.sqrt(low * high) if random == "log-uniform" else (low + high) / 2
    assert abs(np.sum(one < middle) - 25) < 4 * np.sqrt(50) / 2


def test_rows_set_parameters_together():
    axis = read_axis("pair", {"sets": ["a", "b"], "rows": [[1.0, 2.0], [3.0, 4.0]]})
    assert [axis.at(0), axis.at(1)] == [{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 4.0}]
    assert axis.places.tolist() == [0, 1]


WRONG = {
    "no values": ([], "must be a list, a count or a table"),
    "a text": ("0.5", "must be a list, a count or a table"),
    "true": (True, "must be a list, a count or a table"),
    "a count of none": (0, "must be a whole number of at least 1, but is 0"),
    "an unknown entry": ({"form": 0.1, "to": 1.0, "count": 3}, "Unknown entry of the axis 'gain' 'form': did you mean 'from'?"),
    "two ways": ({"values": [1.0], "from": 0.1, "to": 1.0, "count": 3}, "but has 'values' and 'from'"),
    "no way": ({"count": 3}, "but has none of them"),
    "an end too few": ({"from": 0.1, "count": 3}, "has 'from' but no 'to': give both"),
    "a scale of values": ({"values": [1.0], "scale": "log"}, "does not go with 'scale'"),
    "ends that are turned": ({"from": 1.0, "to": 0.1, "count": 3}, "the smaller first, but are 1.0 and 0.1"),
    "a logarithm of zero": ({"from": 0.0, "to": 1.0, "count": 3, "scale": "log"}, "two positive numbers of at most 1e+300"),
    "an infinite end": ({"from": 0.0, "to": float("inf"), "count": 3}, "two numbers of at most 1e+300"),
    "ends too far apart": ({"from": -1e308, "to": 1e308, "count": 3}, "two numbers of at most 1e+300"),
    "draws too far apart": ({"random": "uniform", "low": -1e308, "high": 1e308, "count": 3}, "two numbers of at most 1e+300"),
    "an end beyond all floats": ({"random": "uniform", "low": 0, "high": 10**400, "count": 3}, "two numbers of at most"),
    "integers beyond floats": ({"random": "integers", "low": 0, "high": 10**20, "count": 3}, "of at most 2**53"),
    "a scale of another name": (
        {"from": 0.1, "to": 1.0, "count": 3, "scale": "cubic"},
        "'scale' of the axis 'gain' is 'cubic'",
    ),
    "a count as text": ({"from": 0.1, "to": 1.0, "count": "3"}, "'count' of the axis 'gain' is '3'"),
    "a law of another name": (
        {"random": "normal", "low": 0.0, "high": 1.0, "count": 3},
        "'random' of the axis 'gain' is 'normal'",
    ),
    "more integers than there are": ({"random": "integers", "low": 1, "high": 3, "count": 4}, "all different"),
    "rows of unequal length": ({"rows": [[1.0], [1.0, 2.0]], "sets": ["a", "b"]}, "a value for each of a, b in each row"),
    "rows of nothing": ({"rows": [[1.0]]}, "has 'rows' but no 'sets'"),
    "a parameter twice": ({"values": [1.0], "sets": ["a", "a"]}, "must name different parameters"),
    "no number": ({"values": [1.0, float("nan")]}, "one is NaN"),
    "a number of 100 digits": ({"values": [10**100]}, "numbers of 64 bits"),
}


@pytest.mark.parametrize(("given", "text"), WRONG.values(), ids=WRONG)
def test_a_wrong_axis_is_one_sentence(given, text):
    with pytest.raises(UserError) as error:
        read_axis("gain", given)
    assert text in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("axes", "text"),
    [
        ({}, "at least one axis"),
        ({"step": [1, 2]}, "cannot be called 'step'"),
        ({"a\nb": [1, 2]}, "named by letters, digits and dots, such as positive.gain, but it is 'a\\nb'"),
        ({"a": {"values": [1], "sets": ["b..c"]}}, "but it is 'b..c'"),
        ({"gain": [1.0, 1.0]}, "must differ from each other"),
        ({"a": [1.0], "b": {"values": [2.0], "sets": ["a"]}}, "'a' is set twice"),
        ({"positive": {"values": [1], "sets": ["positive"]}, "positive.xi": [1.0]}, "'positive.xi' is set twice"),
        ({"a": 10**4, "b": 10**4}, "at most 10,000,000 points, but these axes make 100,000,000"),
    ],
)
def test_wrong_points_are_one_sentence(axes, text):
    with pytest.raises(UserError) as error:
        Points(axes)
    assert text in str(error.value)


def test_ids_are_those_of_the_whole_description():
    """By the long way: a table for each point, completed and hashed as the store does it."""
    axes = {"gain": {"values": [1, 3.0, float("inf")], "sets": ["positive.gain", "negative.gain"]}, "learning_rate": [0.1, 0.2]}
    sweep = read_sweep(definition(axes))
    for number, id in enumerate(sweep.ids):
        table = training()
        for name, value in sweep.points.at(number).items():
            table = placed(table, name, value)
        whole = read_training(table).model_dump()
        for option in ("antithetic", "precision", "shared_stream", "stream_seed"):  # by default no part of an id
            del whole[option]
        assert id == run_id("training", one_kind_of_number(whole))
    assert len(set(sweep.ids)) == 6


def test_an_id_does_not_depend_on_how_a_number_is_written_nor_on_defaults():
    one = read_sweep(definition({"seed": 2})).ids
    again = training(positive={"kind": "NonlinearGP", "n": 6, "xi": 2, "gain": 1, "boundary": "ring"}, labels=[1, 0])
    assert read_sweep(definition({"seed": 2}, training=again, name="other")).ids.tolist() == one.tolist()
    assert read_sweep(definition({"seed": 2}, training=training(steps=7))).ids.tolist() != one.tolist()
