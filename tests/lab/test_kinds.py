"""Kinds of parameters: what each takes, and what it says of what it does not take."""

import dataclasses
import math

import pytest
from lab_toy import toy

from gatefield.core.errors import UserError
from gatefield.lab import Parameters, kinds, resolve


class Every(Parameters):
    """A parameter of each kind."""

    count: kinds.Count = 3
    several: kinds.Several = 2
    depth: kinds.Depth = 2
    seed: kinds.Seed = 0
    gain: kinds.Gain = 1.0
    xi: kinds.LengthScale = 2.0
    rate: kinds.Rate = 0.1
    gains: kinds.Gains = (0.0, 3.0)
    rates: kinds.Rates = (0.1, 1.0)
    excesses: kinds.Excesses = (0.0, 0.5)
    depths: kinds.Depths = (2, 4)
    widths: kinds.Widths = (1, 8)


EVERY = dataclasses.replace(toy(), name="every", Parameters=Every, presets={"quick": {}})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("count=1", 1),
        ("several=2", 2),
        ("seed=4294967295", 2**32 - 1),
        ("gain=0", 0.0),
        ("gain=inf", math.inf),
        ("xi=0.5", 0.5),
        ("gains=2", (2.0,)),
        ("gains=0,1,inf", (0.0, 1.0, math.inf)),
        ("rates=0.5", (0.5,)),
        ("excesses=0", (0.0,)),
        ("depths=2,3,9", (2, 3, 9)),
        ("widths=1,2", (1, 2)),
    ],
)
def test_what_is_taken(text, value):
    name = text.partition("=")[0]
    assert getattr(resolve(EVERY, overrides=[text]), name) == value


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("count=0", "count must be a whole number of at least 1, but is 0"),
        ("several=1", "several must be at least 2, but is 1; write for instance several=2."),
        ("count=99999999999999999999", "count must be at most 2,147,483,647, but is 99999999999999999999; write for instance"),
        ("several=3000000000", "several must be at most 2,147,483,647, but is 3000000000"),
        ("depths=2,3000000000", "depths must be at most 2,147,483,647, but is 3000000000"),
        ("count=true", "count must be a whole number, but is True"),
        ("widths=true,2", "widths must be a whole number, but is [True, 2]"),
        ("seed=-1", "seed must be a whole number from 0 to 4294967295, but is -1; write for instance seed=0."),
        ("seed=4294967296", "seed must be a whole number from 0 to 4294967295, but is 4294967296; write for instance seed=0."),
        ("gain=-0.5", "gain must be zero or more ('inf' is allowed), but is -0.5"),
        ("gain=nan", "gain must be zero or more ('inf' is allowed), but is nan"),
        ("xi=0", "xi must be a positive, finite length scale in sites, but is 0"),
        ("xi=inf", "xi must be a positive, finite length scale in sites, but is inf"),
        ("rate=inf", "rate must be positive and finite, but is inf"),
        ("gains=3,1", "gains must be one or more increasing numbers, but are [3.0, 1.0]; write for instance gains=0.5,1,3."),
        ("gains=1,1", "gains must be one or more increasing numbers, but are [1.0, 1.0]"),
        ("gains=[]", "gains must be one or more increasing numbers, but are none"),
        ("rates=0,1", "rates must be positive and finite, but is 0"),
        ("excesses=inf", "excesses must be zero or more and finite, but is inf"),
        ("depths=[4]", "depths must be two or more increasing whole numbers, but are [4]; write for instance depths=4,8."),
        ("depths=1,2", "depths[0] must be at least 2, but is 1; write for instance depths=[2,4]."),
        ("widths=8,4", "widths must be two or more increasing whole numbers, but are [8, 4]; write for instance widths=4,8."),
    ],
)
def test_what_is_not_taken_is_one_sentence(text, sentence):
    with pytest.raises(UserError) as error:
        resolve(EVERY, overrides=[text])
    assert str(error.value).startswith(sentence)
    assert "\n" not in str(error.value)


def test_every_kind_is_named():
    assert set(kinds.__all__) >= {"Count", "Gain", "LengthScale", "Rate", "Seed", "Gains", "Depths", "Widths"}
    assert all(hasattr(kinds, name) for name in kinds.__all__)
