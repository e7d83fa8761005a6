"""The map as a file: a page of its own, or Markdown."""

from pathlib import Path

from gatefield.core.version import __version__
from gatefield.lab import write_file
from gatefield.show.map.markdown import markdown
from gatefield.show.map.view import map_view
from gatefield.show.report import environment


def write_map(path: str | Path) -> Path:
    """Write the reproduction map: each item of the sources, what gatefield has of it, what became of it, what is missing.

    **Arguments**

    - `path`: the file to write: Markdown if it ends in `.md`, else a page that holds its style and asks for nothing from
      outside.

    **Returns** where it is.
    """
    path = Path(path)
    if path.suffix == ".md":
        return write_file(path, markdown().encode())
    return write_file(path, environment().get_template("map.html").render(map=map_view(), version=__version__).encode())
