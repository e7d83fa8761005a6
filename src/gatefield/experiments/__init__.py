"""The experiments, in folders by subject; each is one file, or one folder with its simulation, verdicts and figure.

Listing them loads none: what a list shows stands in `index.json`, which `make index` writes from the experiments themselves.
"""

import functools
import importlib
import importlib.metadata
import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gatefield.core.errors import UserError, unknown_name

if TYPE_CHECKING:
    from gatefield.lab import Experiment

SUBJECTS = {
    "fields": "Receptive fields",
    "gates": "Gates",
    "cube": "The hypercube",
    "deep": "Deep gated networks",
    "convolution": "Convolutions",
}
"""The folders, in the order in which they are shown, and their names for readers."""

INDEX = Path(__file__).with_name("index.json")
GROUP = "gatefield.experiments"
"""The group of entry points by which an installed package offers experiments of its own, name -> `Experiment`."""

__all__ = ["GROUP", "SUBJECTS", "Listed", "get", "listed", "names"]


class Listed(NamedTuple):
    """What a list shows of an experiment."""

    name: str
    subject: str
    """A key of `SUBJECTS`, or the name of the package that offers it."""
    title: str = ""
    durations: dict[str, str] = {}  # noqa: RUF012
    """Preset -> how long it takes."""


@functools.cache
def listed() -> tuple[Listed, ...]:
    """All experiments by subject, those of other installed packages last; none is loaded for it."""
    own = tuple(Listed(**item) for item in json.loads(INDEX.read_text()))
    taken = {item.name for item in own}
    others = sorted(_offered().items())
    return own + tuple(Listed(name, point.dist.name if point.dist else "?") for name, point in others if name not in taken)


def names() -> tuple[str, ...]:
    """The names of all experiments."""
    return tuple(item.name for item in listed())


def get(name: str) -> "Experiment":
    """The experiment of that name."""
    found = {item.name: item for item in listed()}
    if name not in found:
        raise unknown_name("experiment", name, found)
    if found[name].subject in SUBJECTS:
        return importlib.import_module(f"{__name__}.{found[name].subject}.{name.replace('-', '_')}").experiment
    from gatefield.lab import Experiment

    value = _offered()[name].load()
    if not isinstance(value, Experiment) or value.name != name:
        raise UserError(f"The entry point '{name}' of {found[name].subject} must be an Experiment of that name, not {value!r}.")
    return value


def _offered() -> dict[str, importlib.metadata.EntryPoint]:
    return {point.name: point for point in importlib.metadata.entry_points(group=GROUP)}
