"""Showing what was found: figures, and the report page.

The names below are loaded when first used, so that the command line can use the light parts of this room at once.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gatefield.show.figures import draw as draw
    from gatefield.show.figures import save as save
    from gatefield.show.figures import svg_text as svg_text
    from gatefield.show.ledger_page import write_ledger_page as write_ledger_page
    from gatefield.show.report import write_report as write_report

_HOMES = {
    "draw": "figures",
    "save": "figures",
    "svg_text": "figures",
    "write_ledger_page": "ledger_page",
    "write_report": "report",
}

__all__ = ["draw", "save", "svg_text", "write_ledger_page", "write_report"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"gatefield.show.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'gatefield.show' has no attribute '{name}'")
