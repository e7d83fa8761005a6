"""Which run, and which function, is this? Equal fingerprints mean equal numbers."""

import ast
import functools
import hashlib
import linecache
import re
from collections.abc import Iterator
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

Definition = ast.FunctionDef | ast.Lambda
PLAIN = (bool, int, float, complex, str, bytes, np.ndarray, np.generic, jax.Array)


def fingerprint(*parts: Any) -> str:
    """A SHA-256 over all arrays, settings and structure of the given trees; functions count by what they say and hold.

    A function counts by its name, its source text without comments and layout, its defaults and the values around it that it
    uses, those of its module too where they are plain data: the same on every version of Python. One whose source cannot be
    found counts by its compiled code instead, and an object that can be called by its class and its attributes.

    **Arguments**

    - `parts`: trees of arrays, settings, modules and functions.

    **Returns** 64 hexadecimal digits.

    >>> fingerprint({"a": 1.0}) == fingerprint({"a": 1.0}), fingerprint({"a": 1.0}) == fingerprint({"a": 2.0})
    (True, False)
    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 2)
    False
    """
    leaves, structure = _flat(parts)
    digest = hashlib.sha256(_text(structure).encode())
    for leaf in (*leaves, *_functions(_settings(structure))):
        digest.update(_bytes(leaf))
    return digest.hexdigest()


def code_fingerprint(*parts: Any) -> str:
    """The same over the functions in the given trees alone: what else than arrays and structure a compiled program depends on.

    A function that reads a value from around it is compiled with the value of that time.
    """
    try:
        leaves, structure = _flat(parts)
        return fingerprint(_functions(leaves), _functions(_settings(structure)))
    except (RecursionError, TypeError, ValueError):  # what cannot be told apart is taken for the same, as JAX does
        return ""


def _flat(tree: Any) -> tuple[list[Any], Any]:
    """Leaves and structure, of dictionaries too whose keys cannot be sorted."""
    try:
        return jax.tree.flatten(tree)
    except ValueError:
        return jax.tree.flatten(_by_words(tree))


def _by_words(tree: Any) -> Any:
    if isinstance(tree, dict):
        return sorted(
            [[f"{type(key).__name__} {_text(key)}", _by_words(value)] for key, value in tree.items()], key=lambda one: one[0]
        )
    return [_by_words(one) for one in tree] if type(tree) in (list, tuple) else tree


class Known(eqx.Module):
    """A function beside the fingerprint of what it holds: where that has changed, it is compiled anew.

    >>> by = [1.0]
    >>> def times(x):
    ...     return by[0] * x
    >>> before = Known(times)
    >>> by[0] = 2.0
    >>> Known(times) == before
    False
    """

    function: Any
    code: str = eqx.field(static=True)

    def __init__(self, function: Any) -> None:
        self.function, self.code = function, code_fingerprint(function)

    def __call__(self, *arguments: Any, **settings: Any) -> Any:
        return self.function(*arguments, **settings)


def _functions(tree: Any) -> list[Any]:
    return [value for value in _flat(tree)[0] if isinstance(value, FunctionType | functools.partial) or _called(value)]


def _called(value: Any) -> FunctionType | None:
    """How an object of a class written in Python is called; None if it cannot be, or is a function itself."""
    call = next((vars(kind)["__call__"] for kind in type(value).__mro__ if "__call__" in vars(kind)), None)
    return call if isinstance(call, FunctionType) else None


def _settings(structure: Any) -> list[Any]:
    """The static fields of all modules in a tree; its text names functions among them, but not what they do."""
    data = structure.node_data()
    return [*(() if data is None else (data[1],)), *(_settings(child) for child in structure.children())]


def _bytes(leaf: Any) -> bytes:
    if isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    if isinstance(leaf, jax.Array | np.ndarray | np.generic):
        array = np.asarray(leaf)
        return f"{array.dtype}{array.shape}".encode() + array.tobytes()
    if isinstance(leaf, functools.partial):
        return _bytes(leaf.func) + fingerprint(leaf.args, leaf.keywords).encode()
    if isinstance(leaf, MethodType):
        return _bytes(leaf.__func__) + fingerprint(leaf.__self__, _data(leaf.__self__)).encode()
    if isinstance(leaf, FunctionType):
        held = [_held(cell) for cell in leaf.__closure__ or ()]
        name = f"{leaf.__module__}.{leaf.__qualname__}".encode()
        held = (leaf.__defaults__, leaf.__kwdefaults__, held, _around(leaf))
        return name + _code(leaf.__code__) + fingerprint(*held).encode()
    if hasattr(leaf, "__wrapped__"):  # a jitted function
        return _text(type(leaf)).encode() + _bytes(leaf.__wrapped__)
    call = _called(leaf)
    return _text(leaf).encode() + (b"" if call is None else _bytes(call) + fingerprint(_data(leaf)).encode())


def _around(function: FunctionType) -> dict[str, Any]:
    """The plain data of its module that a function names; what other functions do that it calls is not looked into."""
    known = function.__globals__
    found = {name: _data(known[name]) for name in sorted(_names(function.__code__) & known.keys())}
    return {name: data for name, data in found.items() if data is not None}


def _names(code: CodeType) -> set[str]:
    """All names in a function, those of inner functions too; names of attributes are among them, which does no harm."""
    inner = [_names(c) for c in code.co_consts if isinstance(c, CodeType)]
    return {name for name in code.co_names if not name.startswith("__")}.union(*inner)


def _data(value: Any) -> Any:
    """What is plain data, or the attributes of an object that are; else None. A function may know itself, and is left out."""
    if isinstance(value, ModuleType | type | FunctionType):
        return None
    if _is_plain(value):
        return value
    return {name: one for name, one in getattr(value, "__dict__", {}).items() if _is_plain(one)} or None


def _is_plain(value: Any) -> bool:
    return all(isinstance(leaf, PLAIN) for leaf in _flat(value)[0])


def _held(cell: CellType) -> Any:
    """What a function holds on to by one of its names; nothing, if that was never given a value."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _code(code: CodeType) -> bytes:
    """What a function does: its source, or else its instructions, names and constants, those of inner functions too."""
    source = _source(code)
    if source is not None:
        return source.encode()
    inner = [_code(c) if isinstance(c, CodeType) else _text(c).encode() for c in code.co_consts]
    return code.co_code + " ".join(code.co_names).encode() + b"".join(inner)


def _source(code: CodeType) -> str | None:
    """The text of the smallest definition of this name and place, as Python writes it; None if there is none."""
    definitions = _definitions("".join(linecache.getlines(code.co_filename)))
    fitting = [d for d in definitions if _name(d) == code.co_name and _encloses(d, code)]
    smallest = min(
        fitting, key=lambda d: ((d.end_lineno or 0) - d.lineno, (d.end_col_offset or 0) - d.col_offset), default=None
    )
    return None if smallest is None else ast.unparse(smallest)


@functools.lru_cache(maxsize=64)
def _definitions(text: str) -> tuple[Definition, ...]:
    try:
        return tuple(node for node in ast.walk(ast.parse(text)) if isinstance(node, Definition))
    except (SyntaxError, ValueError):  # not Python: a cell with magic commands, or no file at all
        return ()


def _name(definition: Definition) -> str:
    return definition.name if isinstance(definition, ast.FunctionDef) else "<lambda>"


def _encloses(definition: Definition, code: CodeType) -> bool:
    """Whether the code is that of this definition: by its first line or, for a lambda, by where its instructions stand."""
    if isinstance(definition, ast.FunctionDef):
        return code.co_firstlineno == min(node.lineno for node in (definition, *definition.decorator_list))
    body = definition.body
    first, last = (body.lineno, body.col_offset), (body.end_lineno or 0, body.end_col_offset or 0)
    places = list(_places(code))
    return bool(places) and all(first <= start and end <= last for start, end in places)


def _places(code: CodeType) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where each instruction stands in the text, as far as that is known."""
    for line, end_line, column, end_column in code.co_positions():
        if None not in (line, end_line, column, end_column) and (line, column) != (end_line, end_column):
            yield (line, column), (end_line, end_column)  # type: ignore


def _text(value: Any) -> str:
    """A text for `value` without memory addresses, which differ from one process to the next."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))
