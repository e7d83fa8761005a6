"""The numbers that a figure draws, as a table that spreadsheets open."""

import csv
import io
from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection, PathCollection, PolyCollection, QuadMesh
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure

_COLUMNS = ("panel", "series", "drawn as", "x", "y", "value")


def figure_data(figure: Figure) -> str:
    """Every line, dot, bar, band and map of a figure as CSV: panel, series, x, y, and the value at each place of a map.

    A band is given by the corners of its outline, an error bar, or another piece of a line, by its two ends.

    >>> figure = Figure()
    >>> axes = figure.subplots()
    >>> _ = axes.plot([0, 1], [2.0, 3.5], label="SGD")
    >>> axes.set_title("(a) the loss", loc="left")
    Text(0.0, 1.0, '(a) the loss')
    >>> print(figure_data(figure).replace("\\r", ""), end="")
    panel,series,drawn as,x,y,value
    (a) the loss,SGD,line,0,2,
    (a) the loss,SGD,line,1,3.5,
    """
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    for number, axes in enumerate(figure.axes, 1):
        if axes.get_label() == "<colorbar>":
            continue
        panel = axes.get_title(loc="left") or axes.get_title() or f"panel {number}"
        for series, kind, row in _rows(axes):
            writer.writerow([panel, series, kind, *(f"{value:.7g}" if value is not None else "" for value in row)])
    return out.getvalue()


def _rows(axes: Any) -> Iterator[tuple[str, str, tuple[float | None, ...]]]:
    names, caps = _error_bars(axes)
    for line in axes.get_lines():
        if id(line) in caps:
            continue
        for x, y in np.asarray(line.get_xydata(), float):
            yield (
                names.get(id(line)) or _name(line),
                "line" if line.get_linestyle() not in ("None", "none", "") else "dots",
                (x, y, None),
            )
    for container in axes.containers:
        if isinstance(container, BarContainer):
            for bar in container:
                yield _name(container), "bar", (bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height(), None)
    for found in axes.collections:
        if isinstance(found, PathCollection):
            for x, y in np.ma.filled(np.asarray(found.get_offsets(), float), np.nan):
                yield _name(found), "dots", (x, y, None)
        elif isinstance(found, PolyCollection):
            yield from ((_name(found), "band", (x, y, None)) for path in found.get_paths() for x, y in _corners(path))
        elif isinstance(found, LineCollection):
            kind = "error bar" if id(found) in names else "piece"
            series = names.get(id(found)) or _name(found)
            yield from ((series, kind, (x, y, None)) for path in found.get_paths() for x, y in np.asarray(path.vertices, float))
        elif isinstance(found, QuadMesh) and found.get_array() is not None:
            corners = np.asarray(found.get_coordinates())
            middles = (corners[:-1, :-1] + corners[1:, 1:]) / 2
            values = np.ma.filled(np.ma.asarray(found.get_array(), float), np.nan).reshape(middles.shape[:2])
            yield from ((_name(found), "map", (*middle, value)) for middle, value in _cells(middles, values))
    for image in axes.get_images():
        values = np.ma.filled(np.ma.asarray(image.get_array(), float), np.nan)
        if values.ndim == 2:  # a picture in colours is no data
            yield from ((_name(image), "map", (*middle, value)) for middle, value in _cells(_places(image, values), values))


def _error_bars(axes: Any) -> tuple[dict[int, str], set[int]]:
    """By the identity of what error bars are drawn with: the series of each, and those that only cap a bar."""
    names, caps = dict[int, str](), set[int]()
    for found in axes.containers:
        if isinstance(found, ErrorbarContainer):
            points, capped, bars = found.lines
            names |= {id(artist): _name(found) for artist in (points, *bars) if artist is not None}
            caps |= {id(artist) for artist in capped}
    return names, caps


def _corners(path: Any) -> np.ndarray:
    """The corners of a band, each once: its outline comes back to where it began."""
    corners = np.asarray(path.vertices, float)
    return corners[:-1] if len(corners) > 1 and (corners[0] == corners[-1]).all() else corners


def _places(image: Any, values: np.ndarray) -> np.ndarray:
    left, right, bottom, top = image.get_extent()
    rows, columns = values.shape
    x = left + (np.arange(columns) + 0.5) * (right - left) / columns
    y = bottom + (np.arange(rows) + 0.5) * (top - bottom) / rows
    return np.stack(np.meshgrid(x, y if image.origin == "lower" else y[::-1]), axis=-1)


def _cells(places: np.ndarray, values: np.ndarray) -> Iterator[tuple[Any, float]]:
    return zip(places.reshape(-1, 2), values.ravel(), strict=True)


def _name(artist: Any) -> str:
    label = str(artist.get_label() or "")
    return "" if label.startswith("_") else label.strip()
