"""Peers that need a package which gatefield does not: taken if it is there, said if not."""

import importlib
import importlib.util
from typing import Any

from gatefield.core.machine import cores


def package(name: str) -> Any:
    """The package of that name, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def installed(name: str) -> bool:
    """Whether it is there; nothing is loaded.

    >>> installed("numpy"), installed("no_such_package")
    (True, False)
    """
    return importlib.util.find_spec(name) is not None


def torch() -> Any:
    """PyTorch, with as many threads as JAX has; or None."""
    found = package("torch")
    if found is not None and found.get_num_threads() != cores():
        found.set_num_threads(cores())
    return found


def absent(name: str) -> str:
    """Why a peer is missing.

    >>> absent("torch")
    'not installed: torch'
    """
    return f"not installed: {name}"
