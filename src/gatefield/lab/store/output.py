"""Files that a command writes beside the store: what they may replace."""

import os
from pathlib import Path

from gatefield.core.errors import StoreError
from gatefield.core.text.quoted import quoted
from gatefield.lab.store.disk import check_file, reading
from gatefield.lab.store.records import ABOUT, PARTS, RECORD
from gatefield.lab.store.store import ID

_BEGINS: dict[str, tuple[bytes, ...]] = {
    "html": (b"<!doctype html", b"<html"),
    "md": (b"# the reproduction map",),
    "svg": (b"<?xml", b"<svg"),
    "png": (b"\x89png",),
    "pdf": (b"%pdf",),
    "json": (b'{\n "what": "gatefield bench"',),
}
"""How a file of each kind begins, in small letters."""
_WORDS = {
    "html": "an HTML page",
    "md": "a reproduction map",
    "svg": "an SVG picture",
    "png": "a PNG picture",
    "pdf": "a PDF",
    "json": "a result of gatefield bench",
}


def check_output(path: Path, kind: str) -> None:
    """See that a file of that kind can be written at `path`, and that what it replaces is one of its kind.

    A plain file that is empty, or begins as that kind does, is replaced; nothing of an entry of a store ever is.

    **Arguments**

    - `path`: where a command was told to write.
    - `kind`: "html", "md", "svg", "png", "pdf", or "json" for a result of `gatefield bench`.
    """
    check_file(path)
    target = Path(os.path.realpath(path))
    for folder in target.parents:
        if ID.fullmatch(folder.name) and any((folder / name).exists() for name in (ABOUT, RECORD, PARTS)):
            raise StoreError(f"Cannot write to {quoted(str(path))}, which lies in an entry of a store: choose another name.")
    with reading(path):
        begins = b"" if not target.exists() else _beginning(target)
    if begins and not begins.startswith(_BEGINS[kind]):
        raise StoreError(
            f"Cannot write to {quoted(str(path))}, since the file that is there is not {_WORDS[kind]}, and would be lost: "
            "choose another name, or remove it."
        )


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(100).removeprefix(b"\xef\xbb\xbf").lstrip().lower()
