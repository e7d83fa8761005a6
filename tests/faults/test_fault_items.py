"""The table of what was wrong once: every test that it names is there."""

import ast
import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ITEMS = (ROOT / "benchmarks" / "faults" / "ITEMS.md").read_text()
ROWS = [line for line in ITEMS.splitlines() if re.match(r"\| (?!item|-)", line)]
NAMED = re.findall(r"`((?:tests|src)/[\w/]+\.py)::(\w+)`", ITEMS)


@functools.cache
def defined(path: str) -> dict[str, str]:
    """The functions and classes of a file, with their docstrings."""
    tree = ast.parse((ROOT / path).read_text())
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {node.name: ast.get_docstring(node) or "" for node in tree.body if isinstance(node, kinds)}


@pytest.mark.parametrize(("path", "name"), sorted(set(NAMED)), ids=lambda part: part)
def test_every_test_that_is_named_is_there(path, name):
    assert name in defined(path)
    assert name.startswith("test_") if path.startswith("tests") else ">>>" in defined(path)[name]


def test_every_row_names_a_test_or_says_why_it_stays():
    assert len(ROWS) > 150
    assert [row for row in ROWS if "::" not in row and "| stays" not in row] == []
    assert len(NAMED) == ITEMS.count(".py::"), "some are not written as `path::name`"
