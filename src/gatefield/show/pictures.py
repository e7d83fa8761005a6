"""All that is drawn of an entry, kept beside its record: it is drawn again when record or code have changed."""

import base64
import contextlib
import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from gatefield.core.errors import StoreError
from gatefield.lab import Experiment, Verdict, read_file, write_file
from gatefield.plot import style
from gatefield.show.figure_data import figure_data
from gatefield.show.figures import draw, svg_text
from gatefield.show.kept import FIGURE, keep_figure, kept_figure, source_of

PICTURES = "pictures.json"
"""The file beside the figure that holds the rest."""
UNREADABLE = (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError)
"""What reading a damaged file may raise."""
_THUMBNAIL = 300
"""Pixels across."""


@dataclass(frozen=True)
class Pictures:
    """What is drawn of one record."""

    figure: bytes
    """As SVG."""
    thumbnail: bytes
    """The same, small, as PNG."""
    data: str
    """The numbers in it, as CSV."""
    more: bytes = b""
    """The second figure, if there is one."""
    more_data: str = ""
    """The numbers in the second figure, as CSV."""
    frames: tuple[tuple[str, bytes], ...] = ()
    """What moves: a label and a picture each, if there is such a thing."""


def pictures_of(
    experiment: Experiment, record: xr.Dataset, folder: Path, verdicts: Sequence[Verdict] | None = None
) -> Pictures:
    """The pictures of a record: those in `folder` if they were drawn from this record by this code, else drawn now and kept.

    Of an experiment in a file of the user's own it is not known what that file reads, so that its pictures are always drawn. A
    folder that cannot be written to, or is not there, keeps nothing.
    """
    source = source_of(experiment, record)
    if not experiment.origin:
        svg = kept_figure(folder, source)
        kept = svg and _read(folder, svg)
        if kept:
            return kept
    figure = draw(experiment, record, verdicts=verdicts)
    second = draw(experiment, record, more=True, verdicts=verdicts) if experiment.more else None
    pictures = Pictures(
        figure=keep_figure(svg_text(figure).encode(), source, folder),
        data=figure_data(figure),
        thumbnail=_thumbnail(figure),
        more=svg_text(second).encode() if second else b"",
        more_data=figure_data(second) if second else "",
        frames=_frames(experiment, record),
    )
    if folder.is_dir():
        with contextlib.suppress(StoreError):
            write_file(folder / PICTURES, _text(pictures))
    return pictures


def kept_pictures(folder: Path) -> Pictures | None:
    """The pictures in a folder as they were drawn, whatever they were drawn by; None if the figure is not there whole."""
    svg = kept_figure(folder)
    return None if svg is None else _read(folder, svg) or Pictures(svg, b"", "")


def _frames(experiment: Experiment, record: xr.Dataset) -> tuple[tuple[str, bytes], ...]:
    if experiment.frames is None:
        return ()
    with style():
        frames = experiment.frames(record)
    for figure in frames.values():
        plt.close(figure)
    return tuple((label, svg_text(figure).encode()) for label, figure in frames.items())


def _thumbnail(figure: Figure) -> bytes:
    """Small, without the words around the panels, which nobody could read at that size; the figure loses them."""
    buffer = io.BytesIO()
    with style():
        figure.suptitle("")
        figure.supxlabel("")
        figure.savefig(buffer, format="png", dpi=_THUMBNAIL / figure.get_figwidth(), metadata={"Software": None})
    return buffer.getvalue()


def _text(pictures: Pictures) -> bytes:
    content = {
        "figure": digest_of(pictures.figure),
        "thumbnail": _encoded(pictures.thumbnail),
        "data": pictures.data,
        "more": _encoded(pictures.more),
        "more_data": pictures.more_data,
        "frames": [[label, _encoded(svg)] for label, svg in pictures.frames],
    }
    return sealed(content)


def sealed(content: dict[str, Any]) -> bytes:
    """As JSON, with a digest by which one sees later that it is whole."""
    return json.dumps({"digest": digest_of(json.dumps(content).encode()), **content}).encode()


def unsealed(text: bytes) -> dict[str, Any]:
    """What was sealed; a `ValueError` or `KeyError` if it is not whole."""
    content = json.loads(text)
    if content.pop("digest") != digest_of(json.dumps(content).encode()):
        raise ValueError("its digest is another")
    return content


def _read(folder: Path, svg: bytes) -> Pictures | None:
    """What is kept beside that figure; None if it is not whole, or was drawn beside another."""
    try:
        content = unsealed(read_file(folder / PICTURES))
    except UNREADABLE:
        return None
    if content["figure"] != digest_of(svg):
        return None
    frames = tuple((label, base64.b64decode(frame)) for label, frame in content["frames"])
    data, more_data = content["data"], content.get("more_data", "")  # which earlier versions did not keep
    return Pictures(svg, base64.b64decode(content["thumbnail"]), data, base64.b64decode(content["more"]), more_data, frames)


def _encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def digest_of(content: bytes) -> str:
    """Its first 32 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()[:32]


__all__ = ["FIGURE", "PICTURES", "UNREADABLE", "Pictures", "digest_of", "kept_pictures", "pictures_of", "sealed", "unsealed"]
