"""The contract of every formula of the library, and of the independent routes that check them."""

import ast
import re
import sys
from collections import Counter
from functools import cache, reduce
from pathlib import Path

import pytest

import gatefield
from gatefield import ledger
from gatefield.ledger import notes, routes

NOTES, ROUTES = Path(notes.__file__).parent, Path(routes.__file__).parent


LONG = {
    "000-eq6",
    "000-one-basis",
    "000-tiling",
    "000-tiling-of-all",
    "000-wlog",
    "001-decouple",
    "002-erf-bias-scale",
    "002-flat-limit-short-range",
    "002-gabor-hypothesis",
    "002-no-solution",
    "002-one-or-two-modes",
    "002-race-gates",
    "002-smallest-inverse-sum",
    "002-uncertainty-monotone",
    "003-extra-fact",
    "003-one-mode",
    "003-two-modes",
    "004-depth-hurts",
    "004-lemma3.1-gates",
    "004-lemma3.1-strength",
    "cube-majority-state",
    "erf-collapse",
    "erf-collapse-pm1",
    "erf-linear-nlgp",
    "erf-loss",
    "sheet-characteristic-ising",
    "sheet-characteristic-kurtosis",
    "sheet-closure-error",
    "sheet-entropic-gabor",
    "sheet-few-points",
    "sheet-generalised-modes",
    "sheet-half-time",
    "sheet-jacobian-lines",
    "sheet-jacobian-site",
    "sheet-kurtosis-0.3",
    "sheet-other-gates-deep",
    "sheet-own-gates-deep",
    "sheet-soft-distance",
    "sheet-wide-galu-networks",
    "sheet-wide-relu-networks",
}
"""Formulas that take longest, most of them for their many samples: two thirds of the time of a check."""


@pytest.mark.parametrize("long", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_every_formula_agrees_with_its_estimate_and_its_status_with_the_numbers(long):
    """The ledger test of the whole project, most of a minute; `gatefield check` shows the same as a table."""
    formulas = [formula for formula in ledger.formulas() if (formula.name in LONG) == long]
    assert len(formulas) == len(LONG) if long else formulas
    findings = ledger.check(formulas).findings
    assert [f"{finding.name}: {finding.error_text}" for finding in findings if finding.error_text] == []
    wrong = [finding for finding in findings if finding.status in ("corrected", "refuted") and finding.printed is not None]
    assert [finding.name for finding in wrong if not finding.printed_disagrees] == []
    assert [finding.name for finding in findings if finding.status == "corrected" and finding.printed is None] == []


def test_every_formula_has_one_name_and_says_what_and_where_it_is():
    formulas = ledger.formulas()
    assert [name for name, number in Counter(item.name for item in formulas).items() if number > 1] == []
    assert [item.name for item in formulas if not (item.name and item.place and item.says)] == []
    assert [item.name for item in formulas if item.status != "holds" and item.status != "refuted" and not item.note] == []
    shown = [item.name for item in formulas if item.printed_equation and item.status == "holds"]
    assert shown == []  # what holds has one equation
    assert [item.name for item in formulas if item.status == "corrected" and not item.right] == []


def test_every_formula_is_understood_alone():
    """What it says points to no other formula, and it tells what its number is."""
    formulas = ledger.formulas()
    pointing = re.compile(r"^(its?|the same|and|nor|they|these|this|that|here)\b|\b(as before|such a)\b", re.IGNORECASE)
    assert [item.name for item in formulas if pointing.search(item.says)] == []
    assert [item.name for item in formulas if not item.number] == []
    assert [(source, says) for (source, says), n in Counter((i.source, i.says) for i in formulas).items() if n > 1] == []


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


class Source:
    """A file of `notes`, read: what its names stand for, and what its formulas are made of."""

    def __init__(self, path):
        tree = ast.parse(path.read_text())
        self.defined = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        for node in (node for node in tree.body if isinstance(node, ast.Assign)):
            self.defined |= {name.id: node.value for name in ast.walk(node.targets[0]) if isinstance(name, ast.Name)}
        lines = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
        self.imported = {alias.asname or alias.name: f"{node.module}.{alias.name}" for node in lines for alias in node.names}
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        self.claims = [key.value for call in calls for key in call.keywords if key.arg in ("estimate", "printed")]


@cache
def source(name):
    """The file of `notes` that this module is, or None."""
    path = NOTES.joinpath(*name.removeprefix(f"{notes.__name__}.").split(".")).with_suffix(".py")
    return Source(path) if name.startswith(notes.__name__) and path.is_file() else None


def library(file, node, seen):
    """What of the library an expression reaches, through functions and constants of these files too."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield from reached(file, part.id, seen)
        elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            other = source(file.imported.get(part.value.id, ""))
            yield from reached(other, part.attr, seen) if other else ()


def reached(file, name, seen):
    """The same for a name in one of these files."""
    if (file, name) in seen:
        return
    seen.add((file, name))
    if name in file.defined:
        yield from library(file, file.defined[name], seen)
    elif name in file.imported:
        module, _, original = file.imported[name].rpartition(".")
        if source(module):
            yield from reached(source(module), original, seen)
        elif module.startswith("gatefield.") and not module.startswith((routes.__name__, "gatefield.ledger", "gatefield.core")):
            yield file.imported[name]


def test_estimates_and_printed_equations_use_nothing_of_the_library():
    files = {path.relative_to(NOTES).as_posix(): Source(path) for path in NOTES.glob("*/*.py")}
    assert sum(len(file.claims) for file in files.values()) > len(ledger.formulas())
    wrong = {name: {used for claim in file.claims for used in library(file, claim, set())} for name, file in files.items()}
    assert {name: used for name, used in wrong.items() if used} == {}


def test_routes_import_numpy_and_scipy_alone():
    known = {*sys.stdlib_module_names, "numpy", "scipy"}
    for path in ROUTES.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.split(".")[0] in known or name.startswith(routes.__name__), (path.name, name)


@pytest.mark.parametrize("folder", sorted(path.name for path in NOTES.glob("*_00?")))
def test_every_note_lists_its_files(folder):
    listed = re.findall(r"^- `(\w+)\.py`: ", (NOTES / folder / "__init__.py").read_text(), flags=re.M)
    assert sorted(listed) == sorted(path.stem for path in (NOTES / folder).glob("*.py") if path.stem != "__init__")
