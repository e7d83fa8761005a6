"""Objects in one line: what was given, without defaults, whatever the values are."""

import jax
import numpy as np
import pytest

from gatefield.core.text.shown import shown


class Thing:
    def __init__(self, n, scale=1.0, *, rule="plain", key=None):
        self.n, self.scale, self.rule = n, scale, rule

    def __repr__(self):
        return shown(self)


@pytest.mark.parametrize(
    ("thing", "line"),
    [
        (Thing(3), "Thing(n=3)"),
        (Thing(3, np.asarray(1.0)), "Thing(n=3)"),
        (Thing(3, np.float32(0.1), rule=max), "Thing(n=3, scale=0.1, rule=max)"),
        (Thing(3, np.inf), "Thing(n=3, scale=inf)"),
        (Thing((4,), [1, None]), "Thing(n=(4,), scale=[1, None])"),
        (Thing(3, np.arange(8)), "Thing(n=3, scale=[0, 1, 2, 3, 4, 5, 6, 7])"),
        (Thing(3, np.zeros((3, 3), np.float32)), "Thing(n=3, scale=f32[3,3])"),
        (Thing(3, rule=Thing(1, 2 / 3)), "Thing(n=3, rule=Thing(n=1, scale=0.666667))"),
        (Thing(3, jax.random.key(0)), "Thing(n=3, scale=key<fry>[])"),
    ],
)
def test_a_thing_is_shown_as_it_was_made(thing, line):
    assert shown(thing) == line


def test_settings_stand_in_the_place_of_attributes():
    assert shown(Thing(3), rule="other", n=4, runs=2) == "Thing(n=4, rule='other', runs=2)"


def test_traced_values_are_shown_by_their_shape():
    seen = []
    jax.jit(lambda a: seen.append(shown(Thing(3, a))) or a)(np.ones(2, np.float32))
    assert seen == ["Thing(n=3, scale=f32[2])"]
