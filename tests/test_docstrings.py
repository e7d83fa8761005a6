"""The layout of public docstrings: every parameter of a library function stands in a bullet of its **Arguments**."""

import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

LIBRARY = ["data", "gates", "theory", "kernels", "nets", "dynamics", "measures"]


def _public(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The functions that a room or a module it names offers."""
    names = getattr(module, "__all__", None) or [
        name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__
    ]
    for name in names:
        value = getattr(module, name)
        if inspect.ismodule(value):
            yield from _public(value)
        elif inspect.isfunction(inspect.unwrap(value)) and not name.startswith("_"):
            yield f"{module.__name__}.{name}", value


FUNCTIONS = dict(pair for room in LIBRARY for pair in _public(importlib.import_module(f"gatefield.{room}")))


def _without_bullet(function: Callable[..., Any]) -> list[str]:
    """Parameters that no bullet of the Arguments names; one parameter alone needs none, the first sentence has it."""
    parameters = list(inspect.signature(inspect.unwrap(function)).parameters)
    section = (inspect.getdoc(function) or "").partition("**Arguments**\n")[2].partition("\n**")[0]
    heads = " ".join(re.findall(r"^- (.*?):", section, flags=re.MULTILINE))
    missing = [name for name in parameters if f"`{name}`" not in heads]
    return missing if len(parameters) > 1 or "**Arguments**" in (function.__doc__ or "") else []


def test_every_parameter_has_its_bullet():
    found = {name: missing for name, function in FUNCTIONS.items() if (missing := _without_bullet(function))}
    assert found == {}


@pytest.mark.parametrize("text", ["", "**Arguments** as for `g`: `a` and `b`.", "**Arguments**\n\n- `a`: as `b` is.\n\n"])
def test_a_missing_bullet_is_seen(text):
    def function(a: float, b: float) -> None: ...

    function.__doc__ = text
    assert "b" in _without_bullet(function)


def test_functions_are_found():
    assert {"gatefield.gates.bump", "gatefield.theory.relu.velocity", "gatefield.dynamics.train"} <= FUNCTIONS.keys()
