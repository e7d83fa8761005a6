"""Showing what was found: the plot style, figures, and the report page.

The names below are loaded when first used, so that the command line can use the light parts of this room at once.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gatefield.show._figures import draw as draw
    from gatefield.show._figures import save as save
    from gatefield.show._figures import svg_text as svg_text
    from gatefield.show._ledger_page import write_ledger_page as write_ledger_page
    from gatefield.show._report import write_report as write_report
    from gatefield.show._style import COLOURS as COLOURS
    from gatefield.show._style import DIVERGING as DIVERGING
    from gatefield.show._style import SEQUENTIAL as SEQUENTIAL
    from gatefield.show._style import style as style

_HOMES = {
    "COLOURS": "_style",
    "DIVERGING": "_style",
    "SEQUENTIAL": "_style",
    "draw": "_figures",
    "save": "_figures",
    "style": "_style",
    "svg_text": "_figures",
    "write_ledger_page": "_ledger_page",
    "write_report": "_report",
}

__all__ = ["COLOURS", "DIVERGING", "SEQUENTIAL", "draw", "save", "style", "svg_text", "write_ledger_page", "write_report"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"gatefield.show.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'gatefield.show' has no attribute '{name}'")
