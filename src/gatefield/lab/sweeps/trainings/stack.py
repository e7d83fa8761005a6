"""Points that can share one program, stacked along a run axis."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from gatefield.core.runs import map_run_axes, one_run, run_count
from gatefield.data import AbstractTask
from gatefield.dynamics import fingerprint
from gatefield.nets import Network

PER_RUN = ("learning_rate", "key")
"""Settings of a training that may differ between the runs of one program; the key unless they share one stream."""


class Stacked(NamedTuple):
    """A training of many points at once: which of the points they are, and what `gatefield.train` takes."""

    rows: np.ndarray
    net: Network
    task: AbstractTask
    settings: dict[str, Any]


@dataclasses.dataclass
class Pieces:
    """What points are made of: each distinct network (with a run axis) and task once, and which of them each point has.

    `net_at` is the number of a point's network and the run in it, `settings` has the key as numbers, and `errors` says what is
    wrong with points that cannot be made.
    """

    nets: list[Network]
    tasks: list[AbstractTask]
    net_at: list[tuple[int, int]]
    task_at: list[int]
    settings: list[Mapping[str, Any]]
    errors: dict[int, str]

    def signatures(self) -> list[Any]:
        """One for each point, or None where it cannot be made; equal ones can share a program."""
        nets = [signature(one_run(net, 0)) for net in self.nets]
        tasks = [signature(task) for task in self.tasks]
        known: dict[Any, Any] = {}
        words: dict[Any, str] = {}

        def shared(row: int) -> str:
            own = _shared(self.settings[row])
            try:
                key = tuple(own.items())
                return words[key] if key in words else words.setdefault(key, fingerprint(own))
            except TypeError:  # a setting that has no hash
                return fingerprint(own)

        def of(row: int) -> Any:
            parts = (nets[self.net_at[row][0]], tasks[self.task_at[row]], shared(row))
            return known.setdefault(parts, parts)

        return [None if row in self.errors else of(row) for row in range(len(self.settings))]

    def stacked(self, padded: int = 0) -> list[Stacked]:
        """The trainings that the points make, nearly always one; its last run is repeated until there are `padded` runs."""
        groups: dict[Any, list[int]] = {}
        for row, key in enumerate(self.signatures()):
            if key is not None:
                groups.setdefault(key, []).append(row)
        return [self._stacked(rows, padded if len(groups) == 1 else 0) for rows in groups.values()]

    def _stacked(self, rows: list[int], padded: int) -> Stacked:
        runs = rows + rows[-1:] * (padded - len(rows))
        net = _joined_runs(self.nets, [self.net_at[row] for row in runs])
        task = _joined(self.tasks, [self.task_at[row] for row in runs])
        each = [self.settings[row] for row in runs]
        words = each[0]["key"] if each[0].get("shared_stream") else np.stack([one["key"] for one in each])
        settings = {**each[0], "key": jax.random.wrap_key_data(jnp.asarray(words))}
        if not callable(settings.get("learning_rate")) and settings.get("learning_rate") is not None:
            settings["learning_rate"] = np.asarray([one["learning_rate"] for one in each], float)
        return Stacked(np.asarray(rows), net, task, settings)


def signature(tree: Any) -> Any:
    """What a program depends on: structure with all settings in it, and shapes and types of arrays.

    >>> from gatefield.data import Gaussian
    >>> first = signature(Gaussian(8, xi=1.0))
    >>> first == signature(Gaussian(8, xi=2.0)), first == signature(Gaussian(9, xi=1.0))
    (True, False)
    """
    leaves, structure = jax.tree.flatten(tree)
    shapes = tuple((np.shape(leaf), str(leaf.dtype)) if eqx.is_array(leaf) else repr(leaf) for leaf in leaves)
    try:
        hash(structure)
    except TypeError:  # a setting that has no hash, such as a list
        return fingerprint(jax.tree.map(lambda leaf: None, tree)), shapes
    return structure, shapes


def _shared(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that all runs of a program share."""
    rate = settings.get("learning_rate")
    own = {name: value for name, value in settings.items() if name not in PER_RUN}
    stream = tuple(np.asarray(settings["key"]).tolist()) if settings.get("shared_stream") else None
    return {**own, "learning_rate": rate if callable(rate) else None, **({} if stream is None else {"stream": stream})}


def _joined_runs(nets: Sequence[Network], at: Sequence[tuple[int, int]]) -> Network:
    """One network, of which run r is a run of one of several networks."""
    used = sorted({net for net, _ in at})
    counts = [run_count(nets[net]) or 1 for net in used]
    starts = dict(zip(used, np.cumsum([0, *counts[:-1]]).tolist(), strict=True))
    index = np.asarray([starts[net] + run for net, run in at])
    if len(used) == 1 and np.array_equal(index, np.arange(counts[0])):
        return nets[used[0]]
    parts = [_with_runs(nets[net], count) for net, count in zip(used, counts, strict=True)]
    return jax.tree.map(lambda *leaves: _taken(leaves, index) if eqx.is_array(leaves[0]) else leaves[0], *parts)


def _with_runs(net: Network, runs: int) -> Network:
    """With a run axis on every array, as NumPy has them: JAX would compile a program for each number of networks."""

    def copied(value: Any, axis: int | None) -> Any:
        if not eqx.is_array(value):
            return value
        return np.asarray(value) if axis == 0 else np.broadcast_to(np.asarray(value), (runs, *np.shape(value)))

    return map_run_axes(copied, net)


def _taken(leaves: Sequence[np.ndarray], index: np.ndarray) -> jax.Array:
    return jnp.asarray(np.concatenate(leaves)[index])


def _joined(tasks: Sequence[AbstractTask], at: Sequence[int]) -> AbstractTask:
    """One task, of which run r is one of several tasks; arrays that are the same in all of them stay shared."""
    used = sorted(set(at))
    index = np.searchsorted(used, at)

    def join(*leaves: Any) -> Any:
        first = leaves[0]
        if not eqx.is_array(first) or all(leaf is first or np.array_equal(leaf, first) for leaf in leaves[1:]):
            return first
        stack = np.stack if all(isinstance(leaf, np.ndarray) for leaf in leaves) else jnp.stack
        return stack(leaves)[index]

    return jax.tree.map(join, *(tasks[one] for one in used))
