"""What is swept: a plain training, a recipe of the user's own, or an experiment."""

import abc
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from gatefield.core.errors import UserError, unknown_name
from gatefield.core.keys import as_key
from gatefield.core.runs import run_count
from gatefield.core.text.quoted import quoted
from gatefield.dynamics import fingerprint
from gatefield.lab.store.json import canonical
from gatefield.lab.sweeps.definition.ids import point_ids
from gatefield.lab.sweeps.definition.points import Points
from gatefield.lab.sweeps.definition.tables import one_kind_of_number, placed
from gatefield.lab.sweeps.trainings.objects import complete
from gatefield.lab.sweeps.trainings.stack import Pieces
from gatefield.lab.sweeps.trainings.training import (
    OPTIONS,
    Training,
    key_words,
    network_of,
    read_training,
    settings_of,
    task_of,
)

Columns = Mapping[str, Sequence[Any]]
Recipe = Callable[..., Any]
"""A function of a point's parameters that gives a network, a task, and settings for `gatefield.train`."""
_USUAL = ("steps", "batch_size", "learning_rate", "key", "optimizer", "loss", "record_every", "observe")
SETTINGS = (*_USUAL, "precision", "shared_stream")
_TASK = ("positive", "negative", "labels", "proportion", "stratified", "antithetic")
MOST = 200
"""How many characters of a foreign error are kept."""


class Trained(abc.ABC):
    """What is swept by trainings: points that can share a program are trained together."""

    seeded: bool = False
    """Whether a parameter `seed` makes keys, and nothing else."""

    @property
    @abc.abstractmethod
    def description(self) -> dict[str, Any]:
        """What all points share, in types that JSON knows."""

    @abc.abstractmethod
    def ids(self, points: Points) -> np.ndarray:
        """The id of each point."""

    @abc.abstractmethod
    def pieces(self, columns: Columns) -> Pieces:
        """What the points with these parameters are made of."""


class Tables(Trained):
    """A plain training, described by tables; the parameters of a point stand at their dotted names."""

    seeded = True

    def __init__(self, table: Mapping[str, Any], points: Points) -> None:
        self._table = dict(table)
        for name, value in points.at(0).items():
            self._table = placed(self._table, name, value)
        self._complete = read_training(self._table).chosen()

    @property
    def description(self) -> dict[str, Any]:
        return self._table

    def ids(self, points: Points) -> np.ndarray:
        def value(parameter: str, given: Any) -> Any:
            return one_kind_of_number(complete(given, parameter) if isinstance(given, Mapping) else given)

        return point_ids("training", one_kind_of_number(self._complete), points, value, without=OPTIONS)

    def pieces(self, columns: Columns) -> Pieces:
        return _TablePieces(self._table, columns).pieces


class _TablePieces:
    """The pieces of some points: each part of a training is read and made once for each set of values that it has."""

    def __init__(self, table: Mapping[str, Any], columns: Columns) -> None:
        self._table, self._columns = table, columns
        self._parts = {part: [name for name in columns if _part(name) == part] for part in ("task", "network", "settings")}
        self._trainings = dict[Hashable, Training]()
        self._settings = dict[Hashable, dict[str, Any]]()
        self.pieces = Pieces([], [], [], [], [], {})
        count = len(next(iter(columns.values())))
        self._keys = {part: self._keys_of(part, count) for part in self._parts}
        self._collect(count, list(columns.get("seed", [table.get("seed", 0)] * count)))

    def _collect(self, count: int, seeds: Sequence[Any]) -> None:
        tasks, networks, pieces = dict[Hashable, int](), dict[Any, list[int]](), self.pieces
        for row in range(count):
            pieces.net_at.append((0, 0))
            pieces.task_at.append(0)
            pieces.settings.append({})
            try:
                read_seed(seeds[row])
                task = self._task(row, tasks)
                pieces.task_at[row] = task
                pieces.settings[row] = self._settings_of(row)
                networks.setdefault((self._keys["network"][row], pieces.tasks[task].n), []).append(row)
            except UserError as error:
                pieces.errors[row] = str(error)
        for (_, n), rows in networks.items():
            self._networks(rows, n, [int(seeds[row]) for row in rows])

    def _networks(self, rows: Sequence[int], n: int, seeds: Sequence[int]) -> None:
        """The networks of points that differ by their seeds only."""
        try:
            net = network_of(self._training("network", rows[0]), n, seeds)
        except UserError as error:
            self.pieces.errors |= dict.fromkeys(rows, str(error))
            return
        data = key_words(seeds)
        for run, row in enumerate(rows):
            self.pieces.net_at[row] = len(self.pieces.nets), run
            self.pieces.settings[row] = {"key": data[run], **self.pieces.settings[row]}
        self.pieces.nets.append(net)

    def _task(self, row: int, known: dict[Hashable, int]) -> int:
        key = self._keys["task"][row]
        if key not in known:
            self.pieces.tasks.append(task_of(self._training("task", row)))
            known[key] = len(self.pieces.tasks) - 1
        return known[key]

    def _settings_of(self, row: int) -> dict[str, Any]:
        key = self._keys["settings"][row]
        if key not in self._settings:
            self._settings[key] = settings_of(self._training("settings", row))
        return self._settings[key]

    def _keys_of(self, part: str, count: int) -> list[Hashable]:
        """Equal for points that have the same values in a part: numbers and words as they are, others written out."""
        columns = [
            [(type(one), one) if isinstance(one, float | int | str) else canonical(one) for one in self._columns[name]]
            for name in self._parts[part]
        ]
        return [(part, *values) for values in zip(*columns, strict=True)] if columns else [(part,)] * count

    def _training(self, part: str, row: int) -> Training:
        """The training with the values that a part of it has at a point; points that share them read it once."""
        key = self._keys[part][row]
        if key not in self._trainings:
            table = self._table
            for name in self._parts[part]:
                table = placed(table, name, self._columns[name][row])
            self._trainings[key] = read_training(table)
        return self._trainings[key]


def _part(name: str) -> str:
    first = name.partition(".")[0]
    return {"network": "network", "seed": "seed"}.get(first, "task" if first in _TASK else "settings")


def read_seed(value: Any) -> int:
    """A seed, checked."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**32:
        raise UserError(
            f"seed must be a whole number from 0 to {2**32 - 1}, but is {quoted(value)}; write for instance seed=0."
        )
    return value


class Recipes(Trained):
    """A function of the user's own, which gives each point its network, task and settings."""

    def __init__(self, recipe: Recipe, fixed: Mapping[str, Any]) -> None:
        self._recipe, self._fixed = recipe, dict(fixed)

    @property
    def description(self) -> dict[str, Any]:
        name = getattr(self._recipe, "__qualname__", type(self._recipe).__name__)
        return {"recipe": name, "code": fingerprint(self._recipe), "set": self._fixed}

    def ids(self, points: Points) -> np.ndarray:
        names = [parameter for parameter in points.parameters if "." in parameter]
        if names:
            raise UserError(f"A recipe takes parameters by plain names, but an axis sets '{names[0]}': leave the dot out.")
        return point_ids("recipe", self.description, points, within="set")

    def pieces(self, columns: Columns) -> Pieces:
        pieces = Pieces([], [], [], [], [], {})
        for row in range(len(next(iter(columns.values())))):
            pieces.net_at.append((len(pieces.nets), 0))
            pieces.task_at.append(len(pieces.tasks))
            pieces.settings.append({})
            try:
                net, task, settings = self._made({name: column[row] for name, column in columns.items()})
            except Exception as error:  # whatever a function of the user's own stumbles over
                text = (
                    str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {quoted(str(error))[1:-1][:MOST]}"
                )
                pieces.errors[row] = text
                continue
            pieces.nets.append(net)
            pieces.tasks.append(task)
            pieces.settings[row] = settings
        return pieces

    def _made(self, values: Mapping[str, Any]) -> tuple[Any, Any, dict[str, Any]]:
        given = self._recipe(**{**self._fixed, **values})
        if not isinstance(given, tuple) or len(given) != 3 or not isinstance(given[2], Mapping):
            raise UserError(f"A recipe must return (network, task, settings for train), but returned {quoted(given)}.")
        net, task, settings = given
        for name in settings:
            if name not in SETTINGS:
                raise unknown_name("setting of a training", name, SETTINGS)
        if run_count((net, task)) is not None:
            raise UserError("A recipe must give the network and the task of one run, but they have a run axis: leave it out.")
        key = np.asarray(jax.random.key_data(as_key(settings.get("key"), runs=False)))
        return net, task, {**settings, "key": key}
