"""A sweep, ready to be planned: its definition together with what is swept."""

import dataclasses
import functools
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gatefield.core.errors import UserError, unknown_name
from gatefield.core.text.expanded import expanded
from gatefield.dynamics import fingerprint
from gatefield.lab.experiment import Experiment
from gatefield.lab.parameters import resolve
from gatefield.lab.store.json import canonical
from gatefield.lab.store.store import run_id
from gatefield.lab.study import load_study
from gatefield.lab.sweeps.definition.definition import Definition, field_measures, read_definition, read_toml
from gatefield.lab.sweeps.definition.ids import DIGITS
from gatefield.lab.sweeps.definition.points import Points
from gatefield.lab.sweeps.trainings.work import Tables, Trained

Find = Callable[[str], Experiment | list[Experiment]]
"""From a word, the name of an experiment or a file, to the experiment, or all that it stands for."""
ALWAYS = ("loss", "status")
"""What every sweep of trainings has of a point, beside its seconds."""
Measure = Callable[..., Any]
"""A function of trained fields, a `DataArray` with the dimension `position`, that gives what is left without it."""


@dataclasses.dataclass(frozen=True)
class Sweep:
    """A definition, and what it sweeps: trainings that are made by `work`, or an experiment.

    `own` are measures of the user's own, name -> function.
    """

    definition: Definition
    work: Trained | Experiment
    own: Mapping[str, Measure] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        kept = [{"history": "loss_history"}.get(name, name) for name in self.definition.keep]
        trained = (*ALWAYS, *self.measures, *kept) if isinstance(self.work, Trained) else ()
        way_out = "choose another name, and say by sets = [...] what the axis sets"
        self.points.grid.check_names(dict.fromkeys((*trained, "seconds")), way_out)

    @functools.cached_property
    def points(self) -> Points:
        return Points(self.definition.axes)

    @functools.cached_property
    def ids(self) -> np.ndarray:
        """The id of each point: of an experiment, that of its entry in the store."""
        if isinstance(self.work, Trained):
            return self.work.ids(self.points)
        return np.asarray([self._entry_id(self.work, number) for number in range(len(self.points))])

    def _entry_id(self, experiment: Experiment, number: int) -> str:
        """That of an entry; for parameters that are not allowed together, one that no entry has."""
        try:
            return run_id(experiment.name, self.parameters(number))
        except UserError:
            return run_id("not allowed", {"experiment": experiment.name, **self.points.at(number)})

    def parameters(self, number: int) -> Any:
        """The parameters of one point of an experiment."""
        assert isinstance(self.work, Experiment), "trainings have none"
        return resolve(self.work, self.definition.preset, {**self.definition.set, **self.points.at(number)})

    @functools.cached_property
    def measures(self) -> dict[str, Measure]:
        """What is taken of trained fields: name -> function."""
        chosen = ("ipr",) if self.definition.measures is None and not self.own else self.definition.measures or ()
        return {**{name: field_measures()[name] for name in chosen}, **self.own}

    @functools.cached_property
    def recorded(self) -> dict[str, Any]:
        """What is kept of each point, in types that JSON knows; of functions of the user's own what they say."""
        named = {name: "" for name in self.measures if name not in self.own}
        own = {name: fingerprint(function)[:DIGITS] for name, function in self.own.items()}
        return {"keep": sorted(self.definition.keep), "measures": dict(sorted({**named, **own}.items()))}

    @functools.cached_property
    def name(self) -> str:
        """NAME-ID: the id is a hash of what is swept and of all points."""
        digest = hashlib.sha256(canonical([self.definition.name, self._swept(), self.recorded]).encode())
        digest.update("".join(self.ids).encode())
        return f"{self.definition.name}-{digest.hexdigest()[:DIGITS]}"

    def _swept(self) -> Any:
        axes = {name: axis.places.tolist() for name, axis in self.points.axes.items()}
        return [list(axes), axes, self.work.name if isinstance(self.work, Experiment) else "training"]


def in_file(word: str) -> list[Experiment]:
    """Experiments in a file; those with names are known where they live, above this room."""
    if ".py" not in word:
        raise UserError(
            f"The experiment '{word}' cannot be found by its name here: pass find=gatefield.experiments.get, or name a file, "
            f"such as my_study.py."
        )
    return load_study(word)


def read_sweep(source: str | Path | Mapping[str, Any], find: Find = in_file) -> Sweep:
    """The sweep that a TOML file, or a table of the same form, describes.

    **Arguments**

    - `source`: the path of a TOML file, or a table.
    - `find`: from the name of an experiment, or a file with some, to the experiments.

    **Returns** the sweep, all of whose names and axes are checked.

    >>> source = {"kind": "Gaussian", "n": 8, "xi": 2.0}
    >>> training = {"network": {"kind": "Committee", "K": 1}, "positive": source, "negative": source}
    >>> training |= {"steps": 10, "batch_size": 5, "learning_rate": 0.1}
    >>> sweep = read_sweep({"name": "small", "training": training, "axes": {"positive.xi": [1.0, 2.0], "seed": 3}})
    >>> len(sweep.points), sweep.name.startswith("small-")
    (6, True)
    """
    if isinstance(source, Mapping):
        return made_sweep(read_definition(source), find)
    table, path = read_toml(source), expanded(source)
    word = table.get("experiment")
    if isinstance(word, str) and ".py" in word and (path.parent / word.partition(".py")[0]).with_suffix(".py").is_file():
        table["experiment"] = str((path.parent / word).absolute())  # a study beside the file, wherever the command is given
    return made_sweep(read_definition(table, f"The file '{source}'"), find)


def made_sweep(definition: Definition, find: Find = in_file, own: Mapping[str, Measure] | None = None) -> Sweep:
    """The sweep of a definition; `own` are measures of the user's own."""
    if definition.training is not None:
        return Sweep(definition, Tables(definition.training, Points(definition.axes)), own or {})
    meant = find(definition.experiment)
    found = [meant] if isinstance(meant, Experiment) else meant
    if len(found) != 1:
        names = ", ".join(f"{definition.experiment}:{one.name}" for one in found)
        raise UserError(f"A sweep is of one experiment, but '{definition.experiment}' has {len(found)}: name one of {names}.")
    return of_experiment(definition, found[0])


def of_experiment(definition: Definition, experiment: Experiment) -> Sweep:
    """The sweep of an experiment, whose parameters its axes and settings name."""
    sweep = Sweep(definition, experiment)
    if definition.preset not in experiment.presets:
        raise unknown_name("preset", definition.preset, experiment.presets)
    for name in (*definition.set, *sweep.points.parameters):
        if name not in experiment.Parameters.model_fields:
            raise unknown_name(f"parameter of {experiment.name}", name, experiment.Parameters.model_fields)
    return sweep
