"""What went wrong with blocks: one small file for each, until it goes right."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import pydantic

from gatefield.core.errors import StoreError
from gatefield.core.version import __version__
from gatefield.lab.store.disk import make_folder, writing
from gatefield.lab.store.format import RECORD_FORMAT, read_model, sealed
from gatefield.lab.store.json import write_json
from gatefield.lab.store.store import ID, Store, names_in
from gatefield.lab.sweeps.plan import FOLDER

_VARIES = re.compile(r"'[^']*'|\d[\d.,e+-]*|inf|nan")
"""Parts of a sentence that differ between errors of one kind: values and names."""


class Failure(pydantic.BaseModel):
    """What is wrong with points of a block, by their rows."""

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    format: int = RECORD_FORMAT
    gatefield: str = __version__
    block: str
    errors: dict[int, str]


def _folder(store: Store) -> Path:
    return store.root / FOLDER / "failed"


def note_failure(store: Store, block: str, errors: Mapping[int, str]) -> None:
    """Keep what went wrong with a block, or forget it where nothing did."""
    path = _folder(store) / f"{block}.json"
    if errors:
        make_folder(path.parent)
        with writing(path, "all blocks are kept"):
            write_json(path, sealed(Failure(block=block, errors=dict(errors))))
    elif path.exists():
        with writing(path, "all blocks are kept"):
            path.unlink(missing_ok=True)


def failed_blocks(store: Store) -> set[str]:
    """The ids of blocks with which something went wrong."""
    return {name.removesuffix(".json") for name in names_in(_folder(store)) if ID.fullmatch(name.removesuffix(".json"))}


def has_failed(store: Store, block: str) -> bool:
    """Whether something went wrong with a block."""
    return (_folder(store) / f"{block}.json").exists()


def failure_of(store: Store, block: str) -> Failure | None:
    """What went wrong with a block; a note that is damaged says that it is."""
    try:
        advice = "run the same sweep again, which tries that block again"
        found = read_model(_folder(store), f"{block}.json", Failure, advice, what="note")
    except StoreError as error:
        return Failure(block=block, errors={0: str(error)})
    return found


def first_of_each_kind(errors: Iterable[str]) -> dict[str, int]:
    """The first sentence of each kind, and how many there are of it: those that differ in values only are one kind.

    >>> first_of_each_kind(["gain must be zero or more, but is -1", "gain must be zero or more, but is -2", "no room"])
    {'gain must be zero or more, but is -1': 2, 'no room': 1}
    """
    first: dict[str, str] = {}
    counts: dict[str, int] = {}
    for error in errors:
        sentence = first.setdefault(_VARIES.sub("*", error), error)
        counts[sentence] = counts.get(sentence, 0) + 1
    return counts
