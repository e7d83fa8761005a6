"""The contract of every formula of the library, and of the independent routes that check them."""

import ast
import re
import sys
from collections import Counter
from functools import cache, reduce
from pathlib import Path

import gatefield
from gatefield import ledger
from gatefield.ledger import notes, routes

NOTES, ROUTES = Path(notes.__file__).parent, Path(routes.__file__).parent


@cache
def findings():
    """All formulas, checked once: it takes most of a minute."""
    return ledger.check().findings


def test_every_formula_agrees_with_its_estimate_and_its_status_with_the_numbers():
    """The ledger test of the whole project; `gatefield check` shows the same as a table."""
    assert [f"{finding.name}: {finding.error_text}" for finding in findings() if finding.error_text] == []


def test_every_printed_equation_that_is_called_wrong_is_wrong():
    wrong = [finding for finding in findings() if finding.status in ("corrected", "refuted")]
    assert [finding.name for finding in wrong if finding.printed_disagrees is False] == []
    assert [finding.name for finding in wrong if finding.status == "corrected" and not finding.printed_disagrees] == []


def test_every_formula_has_one_name_and_says_what_and_where_it_is():
    formulas = ledger.formulas()
    assert [name for name, number in Counter(item.name for item in formulas).items() if number > 1] == []
    assert [item.name for item in formulas if not (item.name and item.place and item.says)] == []
    assert [item.name for item in formulas if item.status != "holds" and item.status != "refuted" and not item.note] == []
    shown = [item.name for item in formulas if item.printed_equation and item.status == "holds"]
    assert shown == []  # what holds has one equation


def test_every_formula_stands_in_the_folder_of_its_source():
    assert set(ledger.SOURCES) == {item.source for item in ledger.formulas()}
    for path in sorted(NOTES.glob("*/*.py")):
        if path.name != "__init__.py":
            module = sys.modules[f"{notes.__name__}.{path.parent.name}.{path.stem}"]
            kind, _, number = path.parent.name.partition("_")
            assert {item.source for item in module.FORMULAS.values()} == {number or {"unprinted": "sheet"}[kind]}


def test_every_formula_names_a_public_function_of_the_library():
    wrong = []
    for item in ledger.formulas():
        try:
            room, *names = item.implements.split(".")
            reduce(public, names, getattr(gatefield, room))
        except AttributeError:
            wrong.append((item.name, item.implements))
    assert wrong == []


def public(parent, name):
    """An attribute that its room or module names in `__all__`."""
    if name not in getattr(parent, "__all__", [name]):
        raise AttributeError(name)
    return getattr(parent, name)


def test_equations_have_their_brackets():
    for item in ledger.formulas():
        for equation in (item.right, item.printed_equation):
            assert equation.count("{") == equation.count("}"), item.name
            assert len(re.findall(r"\\left\b", equation)) == len(re.findall(r"\\right\b", equation)), item.name
            assert "$" not in equation


def test_routes_import_numpy_and_scipy_alone():
    known = {*sys.stdlib_module_names, "numpy", "scipy"}
    for path in ROUTES.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.split(".")[0] in known or name.startswith(routes.__name__), (path.name, name)
