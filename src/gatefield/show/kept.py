"""Figures kept beside their records, each with what it was drawn from: they are drawn again when that has changed."""

import contextlib
import functools
import hashlib
import importlib.metadata
import json
import re
import sys
from pathlib import Path

import xarray as xr

from gatefield.core.errors import StoreError
from gatefield.lab import Experiment, read_file, write_file

FIGURE = "figure.svg"
"""The name of a figure beside its record."""
_DRAWING = ("matplotlib", "numpy", "scipy", "xarray")
"""Packages whose versions change what a figure looks like."""
_OWN = {"created", "finished", "seconds", "resumed", "host", "device", "commit", "packages", "system"}
"""Attributes in which equal runs differ, and that no figure shows."""
_STAMP = re.compile(rb"<!-- gatefield: record (\w{16}), code (\w{16}), picture (\w{16}) -->\n\Z")


Source = tuple[str, str]
"""What a figure is drawn from: the digests of its record and of the code that draws it."""


def source_of(experiment: Experiment, record: xr.Dataset) -> Source:
    """What the figure of that record is drawn from."""
    return _record_digest(record), code_digest(experiment)


def keep_figure(svg: bytes, source: Source, folder: Path) -> bytes:
    """Keep a figure in a folder with what it was drawn from; the figure as it is kept. A folder that cannot be written to, or
    is not there, keeps nothing."""
    stamped = _stamped(svg, *source)
    if folder.is_dir() and kept_figure(folder) != stamped:
        with contextlib.suppress(StoreError):
            write_file(folder / FIGURE, stamped)
    return stamped


def kept_figure(folder: Path, source: Source | None = None) -> bytes | None:
    """The figure in a folder as it was drawn; None if there is none, or something else, or only a part of it; or if it was not
    drawn from that source."""
    try:
        svg = read_file(folder / FIGURE)
    except OSError:
        return None
    stamp = _stamp(svg)
    if not stamp or stamp[2] != _digest(_STAMP.sub(b"", svg)) or source not in (None, stamp[:2]):
        return None
    return svg


def code_digest(experiment: Experiment) -> str:
    """Of all that has a say in what is concluded and drawn: this package, the experiment's, and those that draw."""
    functions = (experiment.figure, experiment.more, experiment.frames, experiment.verdicts)
    packages = sorted({"gatefield", *((getattr(one, "__module__", None) or "").partition(".")[0] for one in functions if one)})
    lines = [getattr(getattr(one, "__code__", None), "co_firstlineno", 0) for one in functions]
    return _digest(*map(_source_digest, packages), json.dumps([experiment.name, lines, _versions()]).encode())


@functools.cache
def _versions() -> list[str]:
    return [importlib.metadata.version(name) for name in _DRAWING]


@functools.cache
def _source_digest(package: str) -> bytes:
    """Of the files of a package, or of the one of a module alone."""
    file = Path(getattr(sys.modules.get(package), "__file__", None) or "")
    files = sorted(file.parent.rglob("*.py")) if file.name == "__init__.py" else [file] * file.is_file()
    return _digest(*(file.read_bytes() for file in files)).encode()


def _record_digest(record: xr.Dataset) -> str:
    shared = {name: value for name, value in record.attrs.items() if name not in _OWN}
    parts = [json.dumps(shared, sort_keys=True, default=str).encode()]
    for name in sorted(map(str, record.variables)):
        variable = record.variables[name]
        words = [name, variable.dims, variable.shape, str(variable.dtype), variable.attrs]
        values = variable.values.astype(str) if variable.dtype.kind == "O" else variable.values  # not where in memory they are
        parts += [json.dumps(words, sort_keys=True, default=str).encode(), values.tobytes()]
    return _digest(*parts)


def _stamped(svg: bytes, record: str, code: str) -> bytes:
    """The picture, and after it, where viewers do not look, what it was drawn from."""
    return svg + f"<!-- gatefield: record {record}, code {code}, picture {_digest(svg)} -->\n".encode()


def _stamp(svg: bytes) -> tuple[str, ...]:
    found = _STAMP.search(svg)
    return tuple(part.decode() for part in found.groups()) if found else ()


def _digest(*parts: bytes) -> str:
    sizes = ",".join(str(len(part)) for part in parts).encode()
    return hashlib.sha256(b"".join([sizes, *parts])).hexdigest()[:16]
