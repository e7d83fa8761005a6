"""The run axis, on modules, nets and plain trees."""

import equinox as eqx
import jax
import numpy as np
import pytest

from gatefield import Committee, Task, UserError, one_run
from gatefield.core.runs import has_run_axis, leaf, map_run_axes, run_axes, run_count, spread
from gatefield.data import NonlinearGP


class Thing(eqx.Module):
    """A module with an array of each kind: a number, a field, a matrix, and things that are no arrays."""

    scale: np.ndarray
    field: np.ndarray = leaf(1)
    matrix: np.ndarray = leaf(2)
    name: str = eqx.field(static=True, default="thing")
    plain: float = 3.0


def thing(scale=(), field=(), matrix=()):
    """With these shapes in front of what one run has."""
    return Thing(np.ones(scale), np.ones((*field, 4)), np.ones((*matrix, 4, 4)))


def test_an_array_in_excess_is_the_run_axis():
    assert jax.tree.leaves(run_axes(thing()), is_leaf=lambda x: x is None) == [None, None, None, None]
    assert jax.tree.leaves(has_run_axis(thing(scale=(3,), matrix=(3,)))) == [True, False, True, False]
    assert [run_count(thing(**shape)) for shape in ({}, {"scale": (3,)}, {"field": (5,)}, {"matrix": (2,)})] == [None, 3, 5, 2]


def test_it_is_what_vmap_needs():
    things = thing(field=(3,))
    out = jax.vmap(lambda one: one.scale * one.matrix @ one.field, in_axes=(run_axes(things),))(things)
    assert out.shape == (3, 4)


def test_spread_copies_what_is_shared():
    whole = spread(thing(field=(3,)), 3)
    assert whole.scale.shape == (3,)
    assert whole.field.shape == (3, 4)
    assert whole.matrix.shape == (3, 4, 4)
    assert whole.plain == 3.0
    assert run_count(whole) == 3


def test_one_run_is_what_that_run_has():
    task = Task(NonlinearGP(6, 2.0, gain=[0.5, 3.0]), NonlinearGP(6, 1.0, gain=[0.5, 3.0]))
    second = one_run(task, 1)
    assert float(second.positive.gain) == 3.0
    assert run_count(second) is None
    nets = Committee(6, 2, key=jax.random.split(jax.random.key(0), 3))
    np.testing.assert_array_equal(one_run(nets, 2).fields, nets.fields[2])
    assert one_run(thing(), 0).field.shape == (4,)


@pytest.mark.parametrize("run", [-1, 2])
def test_a_run_that_is_not_there_is_named(run):
    with pytest.raises(UserError, match=f"run must be one of the 2 runs, counted from 0, but is {run}"):
        one_run({"gain": np.array([1.0, 3.0])}, run)


def test_run_axes_of_different_lengths_are_refused():
    with pytest.raises(UserError, match=r"All run axes must have the same length, but there are lengths \[2, 3\]"):
        run_count(thing(scale=(2,), field=(3,)))


def test_two_axes_in_excess_are_refused():
    with pytest.raises(
        UserError, match=r"field must have 1 dimensions, or 2 with a run axis, but has shape \(2, 3, 4\); .*leaf"
    ):
        run_count(thing(field=(2, 3)))


def test_plain_trees_have_numbers_only():
    tree = {"gain": np.ones(3), "nested": [np.ones(()), (np.ones(3), "word")]}
    assert map_run_axes(lambda value, axis: axis, tree) == {"gain": 0, "nested": [None, (0, None)]}
    with pytest.raises(UserError, match="or 1 with a run axis"):
        run_count({"gain": np.ones((3, 3))})
