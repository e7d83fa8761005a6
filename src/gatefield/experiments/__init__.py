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
    source: str = ""
    """Which figure, table or section it reproduces."""


@functools.cache
def listed() -> tuple[Listed, ...]:
    """All experiments by subject, those of other installed packages last; none is loaded for it."""
    own = tuple(Listed(**item) for item in json.loads(INDEX.read_text()))
    taken = {item.name for item in own}
    others = sorted(_offered().items())
    return own + tuple(Listed(name, _package(point)) for name, point in others if name not in taken)


def names() -> tuple[str, ...]:
    """The names of all experiments.

    >>> names()[:2]
    ('gaussian-neuron', 'localization')
    """
    return tuple(item.name for item in listed())


def get(name: str) -> "Experiment":
    """The experiment of that name, loaded.

    >>> get("localization").title
    'Which data make receptive fields localize?'
    """
    found = {item.name: item for item in listed()}
    if name not in found:
        raise unknown_name("experiment", name, found)
    if found[name].subject in SUBJECTS:
        return importlib.import_module(f"{__name__}.{found[name].subject}.{name.replace('-', '_')}").experiment
    return _offered_experiment(name, found[name].subject)


def _offered_experiment(name: str, package: str) -> "Experiment":
    """What an installed package offers by that name, loaded."""
    from gatefield.lab import Experiment

    try:
        value = _offered()[name].load()
    except Exception as error:  # whatever another package stumbles over
        raise UserError(
            f"The experiment '{name}' of the package {package} cannot be loaded ({type(error).__name__}: {error}): "
            f"update that package, or uninstall it."
        ) from error
    if not isinstance(value, Experiment) or value.name != name:
        raise UserError(
            f"The entry point '{name}' of the package {package} must be an Experiment of that name, but is {value!r}: "
            f"update that package, or uninstall it."
        )
    return value


def _offered() -> dict[str, importlib.metadata.EntryPoint]:
    """Name -> entry point; of two packages with the same name for one, the first in the alphabet counts."""
    points = sorted(importlib.metadata.entry_points(group=GROUP), key=_package, reverse=True)
    return {point.name: point for point in points}


def _package(point: importlib.metadata.EntryPoint) -> str:
    return point.dist.name if point.dist else ""
