"""Parameters in a few words."""

from collections.abc import Mapping
from typing import Any

from gatefield.lab import Experiment, parameter_values, written


def setting(experiment: Experiment, parameters: Mapping[str, Any]) -> str:
    """The nearest preset, and what differs from it, as in "preset full, gain = 5"."""
    names = sorted(experiment.presets, key=lambda name: name != "quick")
    changes = {name: _changes(experiment, name, parameters) for name in names}
    preset = min(names, key=lambda name: len(changes[name]))
    return ", ".join([f"preset {preset}", *(f"{name} = {written(value)}" for name, value in changes[preset].items())])


def _changes(experiment: Experiment, preset: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    usual = parameter_values(experiment.Parameters(**experiment.presets[preset]))
    return {name: value for name, value in parameters.items() if name not in usual or usual[name] != value}
