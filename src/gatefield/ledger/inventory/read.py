"""The inventory as read from its files."""

import functools
import tomllib
from pathlib import Path

from gatefield.ledger.inventory.item import Item


@functools.cache
def inventory() -> tuple[Item, ...]:
    """All items, source by source, in the order in which the sources have them.

    >>> inventory()[0].source, inventory()[0].place
    ('000', 'section 1, equation 1')
    """
    files = sorted(Path(__file__).parent.glob("*.toml"))
    return tuple(
        Item(name=name, source=file.stem[-3:], **table)
        for file in files
        for name, table in tomllib.loads(file.read_text(encoding="utf-8")).items()
    )
