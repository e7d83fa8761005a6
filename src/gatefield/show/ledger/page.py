"""The ledger's page."""

from pathlib import Path

from gatefield.core.version import __version__
from gatefield.lab import write_file
from gatefield.ledger import Ledger
from gatefield.show.ledger.view import view
from gatefield.show.report import environment


def write_ledger_page(ledger: Ledger, path: str | Path) -> Path:
    """Write the page of a check: every formula, its independent estimate, and what the printed equation gives.

    The page holds its style and asks for nothing from outside.

    **Arguments**

    - `ledger`: a check, as `gatefield.ledger.check` gives it.
    - `path`: the HTML file to write.

    **Returns** where the page is.
    """
    text = environment().get_template("ledger.html").render(ledger=view(ledger), version=__version__)
    return write_file(Path(path), text.encode())
