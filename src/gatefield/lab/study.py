"""Experiments in a file of the user's own."""

import dataclasses
import importlib.util
import sys
from pathlib import Path

from gatefield.core.errors import UserError, unknown_name
from gatefield.lab.experiment import Experiment


def load_study(word: str) -> list[Experiment]:
    """The experiments in a Python file, all of them or the one named after a colon.

    The file is run as a module of its own; every `Experiment` among its names counts.
    """
    stem, ending, name = word.partition(".py")
    file, name = stem + ending, name.removeprefix(":")
    path = Path(file).expanduser()
    if not path.is_file():
        raise UserError(f"There is no file '{file}': give the path of a Python file with an Experiment in it.")
    found = {value.name: value for value in vars(_module(path)).values() if isinstance(value, Experiment)}
    if not found:
        raise UserError(f"The file '{file}' has no Experiment: end it with experiment = gatefield.lab.Experiment(...).")
    if name and name not in found:
        raise unknown_name(f"experiment in '{file}'", name, found)
    chosen = [found[name]] if name else list(found.values())
    return [dataclasses.replace(one, origin=file if len(found) == 1 else f"{file}:{one.name}") for one in chosen]


def _module(path: Path) -> object:
    name = f"gatefield_study_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UserError(f"The file '{path}' cannot be loaded as Python: give a file whose name ends in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # so that classes in it can be found again by their module
    sys.path.insert(0, str(path.parent.resolve()))  # as Python does for a script: files beside it can be imported
    try:
        spec.loader.exec_module(module)
    except (ImportError, SyntaxError, NameError, AttributeError, TypeError) as error:
        line = _line(error, path)
        raise UserError(f"The file '{path}' cannot be loaded{line}: {type(error).__name__}: {error}.") from error
    finally:
        sys.path.pop(0)
    return module


def _line(error: Exception, path: Path) -> str:
    """Where in the file the error is, in words."""
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}"
    lines, frame = [], error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == str(path):
            lines.append(frame.tb_lineno)
        frame = frame.tb_next
    return f", line {lines[-1]}" if lines else ""
