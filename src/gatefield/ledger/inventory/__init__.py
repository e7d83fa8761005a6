"""What the five sources say and ask, item by item, and where gatefield has it: one TOML file for each source.

A table of a file is one item; its name is the item's. `gatefield map` shows all of them.
"""

from gatefield.ledger.inventory.item import Item as Item
from gatefield.ledger.inventory.item import Kind as Kind
from gatefield.ledger.inventory.read import inventory as inventory

__all__ = ["Item", "Kind", "inventory"]
