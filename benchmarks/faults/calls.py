"""Mutation fuzz of the Python interface: valid calls of every public function, with one or two arguments changed.

    python benchmarks/faults/calls.py [--seed 0] [--count 15000] [--limit 15] [--jobs 2]

The valid arguments stand in `table.py`, and so do the public names that are left out, with the reason. Types are not
checked here, as they are not for users. A failure is any exception but a `UserError` (or a `TypeError` for a keyword that
does not exist), more than `--limit` seconds, and a result that is wrong in silence: all finite though an argument has a
NaN, is complex, is text, a date, or None where that is no default, is an indefinite covariance or an asymmetric kernel, a
fraction in place of a whole number, or anything but a truth value in place of one.
"""

import dataclasses
import random
import re
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np
import xarray as xr
from harness import REPOSITORY, Case, Finding, TooLong, at_most, main, shortened
from table import COMPLEX, IGNORED, Entry, entries

COVARIANCES = {"cov", "cov1", "cov0", "corr", "total", "A", "A11"}
FREE = {"boundary", "radial", "quantile", "value", "init", "optimizer", "loss", "activation", "solver", "drift1"}
"""Arguments that take texts, functions or objects beside what the table gives; a text among them is still one of a list."""
RARE = {
    "train": 0.5,
    "dynamics.init": 0.5,
    "dynamics.advance": 0.5,
    "theory.descent": 0.1,
    "theory.flow_end": 0.2,
    "flow": 0.5,
    "theory.gated_linear.best_half_spaces": 0.3,
    "ConvGated": 0.5,
}
"""Slow ones are called less often than the others."""


@dataclasses.dataclass(frozen=True)
class Change:
    """Another value for an argument, in words; `wrong` says why a finite result would be wrong in silence, if it would."""

    words: str
    value: Any
    wrong: str = ""


def changes(name: str, value: Any, rng: random.Random) -> Change:
    """One change of an argument, drawn from those that its kind allows."""
    match value:
        case bool():
            return rng.choice(_of_flags())
        case int() | float() | np.number():
            return rng.choice([*_of_numbers(value), *_of_anything(value)])
        case str():
            return rng.choice([*_of_texts(), *_of_anything(value)])
        case list() | tuple() if value:
            return _of_lists(name, value, rng)
        case np.ndarray() | jax.Array() if not _is_key(value):
            return rng.choice([*_of_arrays(name, np.asarray(value)), *_of_anything(value)])
        case _ if _is_key(value):
            return rng.choice(_of_keys(value))
    return rng.choice([*_of_objects(value), *_of_anything(value)])


def _is_key(value: Any) -> bool:
    return isinstance(value, jax.Array) and jax.numpy.issubdtype(value.dtype, jax.dtypes.prng_key)


def _of_anything(value: Any) -> list[Change]:
    numeric = isinstance(value, int | float | np.ndarray | jax.Array)
    wrong = (lambda why: why) if numeric else (lambda why: "")
    return [
        Change("'abc'", "abc", wrong("text")),
        Change("None", None, wrong("None")),
        Change("a date", np.datetime64("2020-01-01"), wrong("a date")),
        Change("a class", dict, wrong("a class")),
        Change("an object", object(), wrong("an object")),
        Change("{}", {}),
        Change("[]", []),
    ]


def _of_numbers(value: Any) -> list[Change]:
    whole = isinstance(value, int)
    return [
        Change("nan", float("nan"), "NaN"),
        Change("inf", float("inf"), "an infinite whole number" if whole else ""),
        Change("-inf", -float("inf"), "an infinite whole number" if whole else ""),
        Change("1j", value + 1j, "complex"),
        Change("1.5", 1.5, "a fraction" if whole else ""),
        *(Change(repr(other), other) for other in (0, -1, 10**30, 1e300, 1e-300, True)),
        Change("two values", np.array([value, value])),
        Change("[[[value]]]", [[[value]]]),
        Change("as text", str(value), "text"),
        Change("float16", np.float16(value)),
        Change("ragged", [[value], [value, value]], "a ragged list"),
        Change("[nan]", [float("nan"), value], "NaN"),
    ]


def _of_flags() -> list[Change]:
    others = ["abc", "False", None, float("nan"), 1.5, [], np.array([True, False]), dict, 1j, 2]
    return [Change(repr(other), other, "not a truth value") for other in others]


def _of_texts() -> list[Change]:
    return [Change(repr(text)[:20], text, "an unknown name") for text in ("", "abd", "é\n", "x" * 5000)] + [
        Change("3", 3),
        Change("b'abc'", b"abc"),
    ]


def _of_keys(key: Any) -> list[Change]:
    others = [
        0,
        "abc",
        np.zeros(3, np.uint32),
        np.zeros(2, np.float32),
        jax.random.split(key, 3),
        jax.random.split(key, 3)[:0],
        dict,
        1.5,
        [key],
    ]
    return [Change(shortened(repr(other), 30), other) for other in others]


def _of_objects(value: Any) -> list[Change]:
    """Sources, tasks, networks, gates, records and functions."""
    found = [
        Change("its class", type(value)),
        Change("3", 3),
        Change("a matrix", np.eye(3)),
        Change("[it]", [value]),
        Change("(it, it)", (value, value)),
    ]
    if callable(value) and type(value).__name__ == "function":
        given: list[Callable[..., Any]] = [lambda *_: None, lambda *_: "abc", lambda x: x[..., :1], lambda x: float("nan") * x]
        names = ["gives None", "gives text", "gives another shape", "gives NaN"]
        return found + [
            Change(f"a function that {name}", one, "NaN" if name == "gives NaN" else "")
            for name, one in zip(names, given, strict=True)
        ]
    if hasattr(value, "trainable") or type(value).__name__ in ("Committee", "DeepGated", "GatedLinear"):
        found.append(Change("NaN in its arrays", jax.tree.map(_with_nan, value), "NaN"))
    if isinstance(value, xr.Dataset):
        found += [Change("an empty record", xr.Dataset()), Change("a record of other names", value.rename({"fields": "field"}))]
    return found


def _with_nan(leaf: Any) -> Any:
    if not hasattr(leaf, "dtype") or _is_key(leaf) or np.dtype(leaf.dtype).kind != "f" or not leaf.size:
        return leaf
    flat = np.array(leaf).ravel()
    flat[0] = np.nan
    return jax.numpy.asarray(flat.reshape(leaf.shape))


def _of_arrays(name: str, value: np.ndarray) -> list[Change]:
    numbers = value.astype(float)
    found = [
        Change("NaN in it", _at_first(numbers, np.nan), "NaN"),
        Change("all NaN", numbers * np.nan, "NaN"),
        Change("inf in it", _at_first(numbers, np.inf)),
        Change("1e300 in it", _at_first(numbers, 1e300)),
        Change("10**30 in it", _at_first(numbers.astype(object), 10**30)),
        Change("complex", numbers + 1j, "complex"),
        Change("texts", numbers.astype(str), "text"),
        Change("dates", np.full(value.shape, np.datetime64("2020-01-01")), "a date"),
        Change("bools", numbers > 0),
        Change("float16", numbers.astype(np.float16)),
        Change("objects", numbers.astype(object)),
        Change("None in it", _at_first(numbers.astype(object), None), "None"),
        Change("negative", -abs(numbers) - 1),
        Change("zeros", 0 * numbers),
        Change("one dimension more", numbers[None]),
        Change("empty", np.zeros((0, *value.shape[1:]))),
        Change("no sites", numbers[..., :0]),
        Change("one less", numbers[..., :-1]),
        Change("one more", np.concatenate([numbers, numbers[..., :1]], -1)),
        Change("its first row", numbers[0]),
        *(Change(repr(other), other) for other in (0, -1, 1.5, 10**30, True)),
        Change("ragged", [[1.0], [1.0, 2.0]], "a ragged list"),
        Change("as a list", numbers.tolist()),
    ]
    if value.ndim >= 2 and value.shape[-1] == value.shape[-2] and value.shape[-1] > 1 and (name in COVARIANCES or name == "K"):
        found += 2 * _of_matrices(name, numbers)
    return found


def _of_matrices(name: str, value: np.ndarray) -> list[Change]:
    """A matrix that must be symmetric, and a covariance that may have no negative eigenvalue."""
    asymmetric = value.copy()
    asymmetric[..., 0, 1] += 0.7
    found = [Change("asymmetric", asymmetric, "an asymmetric matrix")]
    if name in COVARIANCES:
        found += [
            Change("indefinite", value + 3 * (1 - np.eye(value.shape[-1])), "an indefinite covariance"),
            Change("minus it", -value, "an indefinite covariance"),
        ]
    return found


def _at_first(value: np.ndarray, entry: Any) -> np.ndarray:
    changed = value.copy()
    changed[(0,) * value.ndim] = entry
    return changed


def _of_lists(name: str, value: Any, rng: random.Random) -> Change:
    """One of a list changed, or the list itself."""
    if rng.random() < 0.5:
        at = rng.randrange(len(value))
        one = changes(name, value[at], rng)
        return dataclasses.replace(
            one, words=f"[{at}] {one.words}", value=type(value)([*value[:at], one.value, *value[at + 1 :]])
        )
    return rng.choice(
        [
            Change("empty", type(value)()),
            Change("one less", value[:-1]),
            Change("one more", type(value)([*value, value[-1]])),
            Change("its first", value[0]),
            Change("a set", {1, 2}),
            Change("a generator", iter(value)),
            *_of_anything(value),
        ]
    )


def mutated(entry: Entry, rng: random.Random) -> tuple[dict[str, Any], list[tuple[str, Change]]]:
    """The arguments with one or two of them changed, and the changes; sometimes a keyword that does not exist is added."""
    arguments = dict(entry.arguments)
    if rng.random() < 0.02:
        return {**arguments, "lr": 0.1}, [("lr", Change("a keyword that does not exist", 0.1))]
    names = rng.sample(sorted(arguments), min(len(arguments), rng.choice([1, 1, 1, 2])))
    made = [(name, changes(name, arguments[name], rng)) for name in names]
    return arguments | {name: change.value for name, change in made}, made


def numbers_in(result: Any) -> Iterable[np.ndarray]:
    """All arrays of numbers in a result."""
    if isinstance(result, xr.Dataset | xr.DataArray):
        variables = result.variables.values() if isinstance(result, xr.Dataset) else [result]
        return [np.asarray(variable.values) for variable in variables if variable.dtype.kind in "fciub"]
    leaves = jax.tree.leaves(dataclasses.astuple(result) if _is_plain_dataclass(result) else result)
    return [
        np.asarray(leaf)
        for leaf in leaves
        if isinstance(leaf, int | float | complex | np.ndarray | np.number | jax.Array) and not _is_key(leaf)
    ]


def _is_plain_dataclass(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type) and jax.tree.leaves(value) == [value]


def looked_at(result: Any) -> str:
    """Whether a result is finite."""
    arrays = [array for array in numbers_in(result) if array.dtype.kind in "fc"]
    if any(np.isnan(array).any() for array in arrays):
        return "NaN out"
    return "inf out" if any(np.isinf(array).any() for array in arrays) else "finite"


def wrongly_finite(entry: Entry, made: list[tuple[str, Change]], result: Any) -> str:
    """Why a finite result is wrong, if it is."""
    for name, change in made:
        allowed = (change.value is None and entry.defaults.get(name) is None) or f"{entry.name}.{name}" in IGNORED
        kinds = {array.dtype.kind for array in numbers_in(result)}
        gives_complex = change.wrong == "complex" and ("c" in kinds or entry.name in COMPLEX)
        free_text = change.wrong == "text" and name in FREE
        if change.wrong and not allowed and not gives_complex and not free_text:
            return f"{change.wrong} for {name} gives finite numbers"
    return ""


def tried(entry: Entry, arguments: Mapping[str, Any], made: list[tuple[str, Change]], limit: float) -> tuple[str, str]:
    """The outcome of one call, and what failed."""
    from gatefield import UserError

    try:
        with at_most(limit):
            result = entry(arguments)
            outcome = looked_at(result)
    except TooLong:
        return "too long", f"longer than {limit:g} s"
    except UserError as error:
        return ("bad message", "the message is long or has several lines") if _is_bad(str(error)) else ("UserError", "")
    except Exception as error:
        if isinstance(error, TypeError) and made[0][0] == "lr":
            return "TypeError for a keyword", ""
        return "raw exception", f"{type(error).__name__}: {_short(error)}"
    wrong = wrongly_finite(entry, made, result) if outcome != "NaN out" else ""
    return ("wrong in silence", wrong) if wrong else (outcome, "")


def _is_bad(text: str) -> bool:
    return len(text) > 1500 or "\n" in text


def _short(error: Exception) -> str:
    """Where the error comes from, and the beginning of what it says, without the numbers that make each one another."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/gatefield/" in frame.filename]
    place = f"{Path(frames[-1].filename).parent.name}/{Path(frames[-1].filename).name}" if frames else "?"
    said = " ".join(str(error).split()).replace(f"{REPOSITORY}/", "")  # results name no folder of this machine
    return f"{re.sub(r'[0-9.]+', '#', said)[:60]} ({place})"


def start(scratch: Path, limit: float) -> Case:
    """The function that makes one call. Programs for many shapes are compiled, so that they are given back now and then."""
    table, count = entries(), [0]
    weights = [RARE.get(entry.name, 1.0) for entry in table]

    def attempt(rng: random.Random, _: int) -> Finding:
        count[0] += 1
        if count[0] % 500 == 0:
            jax.clear_caches()
        entry = rng.choices(table, weights)[0]
        arguments, made = mutated(entry, rng)
        outcome, what = tried(entry, arguments, made, limit)
        if outcome == "too long":  # compiling on a busy machine counts once only
            outcome, what = tried(entry, arguments, made, 2 * limit)
        words = ", ".join(f"{name} = {change.words}" for name, change in made)
        remark = "NaN without a word" if outcome == "NaN out" else ""
        said = f"{entry.name}: {what or remark}" if what or remark else ""
        return Finding(outcome, bool(what), said, f"{entry.name}(..., {words})" if said else "", entry.room)

    return attempt


if __name__ == "__main__":
    main(__file__, __doc__ or "", start, count=15_000)
