"""Drawing an experiment's figure."""

import io
from pathlib import Path

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from gatefield.core.errors import unknown_name
from gatefield.lab import Experiment, write_file
from gatefield.plot import style

# Without dates and versions the same record gives the same bytes.
_METADATA = {"svg": {"Date": None, "Creator": None, "Format": None, "Type": None}, "png": {"Software": None}}


def draw(experiment: Experiment, record: xr.Dataset) -> Figure:
    """The experiment's figure, in the project's style, drawn from the record alone."""
    with style():
        figure = experiment.figure(record)
    plt.close(figure)  # pyplot lets go of it; the figure itself stays
    return figure


def save(figure: Figure, path: str | Path) -> Path:
    """Write the figure as `.svg` or `.png`, by the ending of `path`; the file is whole or not there."""
    path = Path(path)
    return write_file(path, _render(figure, path.suffix.lstrip(".").lower()))


def svg_text(figure: Figure) -> str:
    """The figure as SVG text; the same figure always gives the same text."""
    return _render(figure, "svg").decode()


def _render(figure: Figure, kind: str) -> bytes:
    if kind not in _METADATA:
        raise unknown_name("figure ending", kind, _METADATA)
    buffer = io.BytesIO()
    with style():
        figure.savefig(buffer, format=kind, metadata=_METADATA[kind])
    return buffer.getvalue()
