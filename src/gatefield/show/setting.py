"""Parameters in a few words, and what a command needs beside them."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gatefield.lab import Experiment, parameter_values, written


def setting(experiment: Experiment, parameters: Mapping[str, Any]) -> str:
    """The nearest preset, and what differs from it, as in "preset full, gain = 5"."""
    preset, changes = _nearest(experiment, parameters)
    return ", ".join([f"preset {preset}", *(f"{name} = {written(value)}" for name, value in changes.items())])


def short_command(experiment: Experiment, parameters: Mapping[str, Any]) -> str:
    """What to type for these parameters, from the nearest preset: "gatefield run localization --preset full --set n=20"."""
    preset, changes = _nearest(experiment, parameters)
    settings = [f"--set {shlex.quote(f'{name}={written(value)}')}" for name, value in changes.items()]
    named = [] if preset == "quick" else [f"--preset {preset}"]
    return " ".join(["gatefield run", shlex.quote(experiment.origin or experiment.name), *named, *settings])


def _nearest(experiment: Experiment, parameters: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    names = sorted(experiment.presets, key=lambda name: name != "quick")
    changes = {name: _changes(experiment, name, parameters) for name in names}
    preset = min(names, key=lambda name: len(changes[name]))
    return preset, changes[preset]


def _changes(experiment: Experiment, preset: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    usual = parameter_values(experiment.Parameters(**experiment.presets[preset]))
    return {name: value for name, value in parameters.items() if name not in usual or usual[name] != value}


def store_option(run: Path) -> str:
    """What the command of a run needs to find its store again, unless that is the usual one."""
    store = run.parent.parent
    return "" if store == Path("gatefield-store") else f" --store {shlex.quote(str(store))}"
