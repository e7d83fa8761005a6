"""The table of what was wrong once: every test that it names is there."""

import ast
import functools
import re
from pathlib import Path

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


def is_test(path: str, name: str) -> bool:
    """Whether a file has such a test, or such a function with an example."""
    if not (ROOT / path).is_file() or name not in defined(path):
        return False
    return name.startswith("test_") if path.startswith("tests") else ">>>" in defined(path)[name]


def test_every_test_that_is_named_is_there():
    assert len(set(NAMED)) > 100
    assert [f"{path}::{name}" for path, name in sorted(set(NAMED)) if not is_test(path, name)] == []


def test_every_row_names_a_test_or_says_why_it_stays():
    assert len(ROWS) > 150
    assert [row for row in ROWS if "::" not in row and "| stays" not in row] == []
    assert len(NAMED) == ITEMS.count(".py::"), "some are not written as `path::name`"
