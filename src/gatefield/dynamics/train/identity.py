"""Which run is this? Equal fingerprints mean equal numbers."""

import ast
import functools
import hashlib
import linecache
import re
from collections.abc import Iterator
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Definition = ast.FunctionDef | ast.Lambda


def fingerprint(*parts: Any) -> str:
    """A SHA-256 over all arrays, settings and structure of the given trees; functions count by what they say and hold.

    A function counts by its name, its source text without comments and layout, its defaults and the values around it that it
    uses: the same on every version of Python. One whose source cannot be found counts by its compiled code instead.

    **Arguments**

    - `parts`: trees of arrays, settings, modules and functions.

    **Returns** 64 hexadecimal digits.

    >>> fingerprint({"a": 1.0}) == fingerprint({"a": 1.0}), fingerprint({"a": 1.0}) == fingerprint({"a": 2.0})
    (True, False)
    >>> fingerprint(lambda x: x + 1) == fingerprint(lambda x: x + 2)
    False
    """
    leaves, structure = jax.tree.flatten(parts)
    digest = hashlib.sha256(_text(structure).encode())
    functions = [
        value for value in jax.tree.leaves(_settings(structure)) if isinstance(value, FunctionType | functools.partial)
    ]
    for leaf in (*leaves, *functions):
        digest.update(_bytes(leaf))
    return digest.hexdigest()


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
        return _bytes(leaf.__func__) + fingerprint(leaf.__self__).encode()
    if isinstance(leaf, FunctionType):
        held = [_held(cell) for cell in leaf.__closure__ or ()]
        name = f"{leaf.__module__}.{leaf.__qualname__}".encode()
        return name + _code(leaf.__code__) + fingerprint(leaf.__defaults__, leaf.__kwdefaults__, held).encode()
    if hasattr(leaf, "__wrapped__"):  # a jitted function
        return _text(type(leaf)).encode() + _bytes(leaf.__wrapped__)
    return _text(leaf).encode()


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
