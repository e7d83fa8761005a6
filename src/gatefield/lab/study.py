"""Experiments in a file of the user's own."""

import ast
import dataclasses
import hashlib
import importlib.util
import re
import sys
import textwrap
import traceback
from pathlib import Path
from types import ModuleType

from gatefield.core.errors import UserError, unknown_name
from gatefield.core.text.expanded import expanded
from gatefield.lab.experiment import Experiment

_WORD = re.compile(r"(?P<file>.+\.py)(:(?P<name>[^:/]*))?")
"""A Python file, or one of the experiments in it."""


def load_study(word: str) -> list[Experiment]:
    """The experiments in a Python file, all of them or the one named after a colon: `my_study.py`, `my_study.py:second`.

    The file is run as a module of its own, and its folder is added to `sys.path`; every `Experiment` among its names counts.

    **Arguments**

    - `word`: the path of the file, and perhaps a colon and the name of one experiment in it.

    **Returns** the experiments, which know where they come from (`origin`).

    >>> import tempfile
    >>> file = tempfile.mkdtemp() + "/my_study.py"
    >>> _ = Path(file).write_text("from gatefield.experiments import get\\nstudy = get('fourier-basis')")
    >>> [study.name for study in load_study(file)]
    ['fourier-basis']
    """
    found = _WORD.fullmatch(word)
    if found is None:
        raise UserError(f"'{word}' is not the path of a Python file: give one whose name ends in .py.")
    file, name = found["file"], found["name"]
    path = expanded(file).absolute()  # as tracebacks name it
    if not path.is_file():
        raise UserError(f"There is no file '{file}': give the path of a Python file with an Experiment in it.")
    inside = {value.name: value for value in vars(_module(path, file)).values() if isinstance(value, Experiment)}
    if not inside:
        raise UserError(f"The file '{file}' has no Experiment: end it with experiment = gatefield.lab.Experiment(...).")
    if name and name not in inside:
        raise unknown_name(f"experiment in '{file}'", name, inside)
    chosen = [inside[name]] if name else list(inside.values())
    code = _hash(path)
    return [dataclasses.replace(one, origin=file if len(inside) == 1 else f"{file}:{one.name}", code=code) for one in chosen]


def _hash(path: Path) -> str:
    """Of what a file says, without comments and layout: they change no number."""
    text = ast.unparse(ast.parse(path.read_bytes()))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _module(path: Path, file: str) -> ModuleType:
    """The file as a module, run."""
    name = f"gatefield_study_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None, "the ending .py has a loader"
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # so that classes in it can be found again by their module
    beside = str(path.parent.resolve())
    if beside not in sys.path:  # as Python does for a script: files beside it can be imported, also while it runs
        sys.path.insert(0, beside)
    try:
        spec.loader.exec_module(module)
    except UserError as error:
        raise UserError(f"The file '{file}' cannot be loaded{_line(error, path)}: {error}") from error
    except Exception as error:
        raise UserError(
            f"The file '{file}' cannot be loaded{_line(error, path)}: {type(error).__name__}: {_text(error)}; "
            f"`python {file}` shows where it comes from."
        ) from error
    return module


def _text(error: Exception) -> str:
    """What an error says, in one line."""
    text = str(error.msg if isinstance(error, SyntaxError) else error)
    return textwrap.shorten(text, 300, placeholder=" ...").rstrip(".")


def _line(error: Exception, path: Path) -> str:
    """Where in the file the error is, in words."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f", line {error.lineno}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f", line {lines[-1]}" if lines else ""
