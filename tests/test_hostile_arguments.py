"""What all public functions of theory, kernels, gates and measures do with NaN, and with what is no argument at all."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from every_function import CALLS, function, public

from gatefield import UserError

TRACED = [name for name, call in CALLS.items() if not call.host]
COUNTS = [10**30, -1, 1.5, "abc", None]
NO_NUMBERS = {
    "text": "abc",
    "nothing": None,
    "an object": object(),
    "complex numbers": np.array([1.0 + 1.0j, 2.0]),
    "a complex number": 1.0 + 2.0j,
    "rows of unequal length": [[1.0], [1.0, 2.0]],
    "no numbers": [],
    "four axes": np.ones((2, 1, 1, 2)),
}


def places(value, at=()):
    """Where numbers stand in an argument: it may be a list of arrays."""
    if isinstance(value, list | tuple):
        return [place for i, part in enumerate(value) for place in places(part, (*at, i))]
    return [at] if isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f") else []


def replaced(value, at, change):
    if not at:
        return change(value)
    return type(value)(replaced(part, at[1:], change) if i == at[0] else part for i, part in enumerate(value))


def with_nan(value, entry=0):
    array = np.array(value)
    array.flat[min(entry, array.size - 1)] = np.nan
    return float("nan") if isinstance(value, float) else array


def inexact(result):
    leaves = jax.tree.leaves(list(result) if hasattr(result, "__next__") else result)
    return [leaf for leaf in leaves if jnp.issubdtype(jnp.result_type(leaf), jnp.inexact)]


def outcome(name, arguments):
    """What the function gives, or its error if that is one for users."""
    try:
        return function(name)(**arguments)
    except UserError as error:
        return error


def test_every_public_function_has_a_call_here():
    assert set(CALLS) == public()


@pytest.mark.wrong_types
@pytest.mark.parametrize("name", CALLS)
def test_nan_is_refused_or_makes_nan(name):
    """Theory, kernels and gates refuse it; a measure refuses it or has a NaN in what it gives."""
    arguments = CALLS[name].arguments
    for parameter, value in arguments.items():
        for at in places(value):
            found = outcome(name, {**arguments, parameter: replaced(value, at, with_nan)})
            if isinstance(found, UserError):
                assert "nan" in str(found), parameter
            else:
                assert name.startswith("measures"), parameter
                assert any(np.isnan(leaf).any() for leaf in inexact(found)), parameter


@pytest.mark.parametrize("name", TRACED)
def test_under_jit_nan_makes_nan(name):
    """All at once: one program, whose first axis is that of which argument has the NaN, and where."""
    call = CALLS[name]
    known = {key: value for key, value in call.arguments.items() if key not in call.fixed and places(value)}
    wrong = [(key, at) for key, value in known.items() for at in places(value) if (key, *at) not in call.unread]
    variants = [(key, at, entry) for key, at in wrong for entry in (0, 1)]
    if not variants:
        pytest.skip("no numbers that can be traced")
    each = [{**known, key: replaced(known[key], at, functools.partial(with_nan, entry=entry))} for key, at, entry in variants]
    stacked = jax.tree.map(lambda *parts: jnp.stack([jnp.asarray(part, float) for part in parts]), *each)
    rest = {key: value for key, value in call.arguments.items() if key not in known}
    found = jax.jit(jax.vmap(lambda traced: [*map(jnp.asarray, jax.tree.leaves(function(name)(**traced, **rest)))]))(stacked)
    for i, variant in enumerate(variants):
        marks = [np.isnan(leaf[i]) if jnp.issubdtype(leaf.dtype, jnp.inexact) else leaf[i] == -1 for leaf in found]
        assert any(mark.any() for mark in marks) or found[0].dtype == bool, variant


@pytest.mark.wrong_types
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_what_is_no_argument_is_refused_in_a_sentence(name):
    """Numbers that are none, and counts that are too large, negative or broken; what a function can work with it may take."""
    arguments = CALLS[name].arguments
    for parameter, value in arguments.items():
        whole = isinstance(value, int) and not isinstance(value, bool)
        kinds = COUNTS if whole else [*NO_NUMBERS.values(), 10**30] if places(value) else ["abc", object()]
        spots = [(), *places(value)[:1]] if not callable(value) else []
        for at in dict.fromkeys(spots):
            for kind in kinds:
                found = outcome(name, {**arguments, parameter: replaced(value, at, lambda _, kind=kind: kind)})
                assert not isinstance(found, UserError) or len(str(found)) < 700, parameter
