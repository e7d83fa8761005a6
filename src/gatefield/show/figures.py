"""Drawing an experiment's figure."""

import hashlib
import io
import re
from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.figure import Figure

from gatefield.core.errors import UserError, unknown_name
from gatefield.lab import Experiment, Verdict, headline, judge, write_file
from gatefield.plot import entitle, style

# Without dates and versions the same record gives the same bytes.
_METADATA = {
    "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}

_CLIP = re.compile(rb'(?<=clipPath id=")\w+(?=")|(?<=url\(#)\w+(?=\))')
"""The name of a clip, where it is made and where it is used."""


def draw(
    experiment: Experiment, record: xr.Dataset, *, more: bool = False, verdicts: Sequence[Verdict] | None = None
) -> Figure:
    """The experiment's figure, in the project's style, drawn from the record alone; its title is what the verdicts found.

    **Arguments**

    - `more`: whether to draw the second figure, of an experiment that has one.
    - `verdicts`: those of the record, if they are known; else they are computed.
    """
    picture = experiment.more if more else experiment.figure
    if picture is None:
        raise UserError(f"Experiment {experiment.name} has one figure only; leave out more=True.")
    with style():
        figure = picture(record)
        said = judge(experiment, record) if verdicts is None else verdicts
        entitle(figure, headline(experiment.title, said, more=more))
    plt.close(figure)  # pyplot lets go of it; the figure itself stays
    return figure


def save(figure: Figure, path: str | Path) -> Path:
    """Write the figure as `.svg`, `.png` or `.pdf`, by the ending of `path`; the file is whole or not there."""
    return write_file(path, _render(figure, figure_kind(path)))


def figure_kind(path: str | Path) -> str:
    """What the ending of a file stands for: "svg", "png" or "pdf".

    >>> figure_kind("fields.PDF")
    'pdf'
    """
    kind = Path(path).suffix.lstrip(".").lower()
    if kind not in _METADATA:
        raise unknown_name("figure ending", kind, _METADATA)
    return kind


def svg_text(figure: Figure) -> str:
    """The figure as SVG text; the same figure always gives the same text."""
    return _render(figure, "svg").decode()


def _render(figure: Figure, kind: str) -> bytes:
    buffer = io.BytesIO()
    with style():
        figure.savefig(buffer, format=kind, metadata=_METADATA[kind])
    return _numbered(buffer.getvalue()) if kind == "svg" else buffer.getvalue()


def _numbered(svg: bytes) -> bytes:
    """The same picture with its clips named by its content, and in their order.

    Matplotlib names some of them by addresses in memory. Pictures on one page must not share names.
    """
    names = dict.fromkeys(re.findall(rb'<clipPath id="(\w+)"', svg))
    digest = hashlib.blake2b(_CLIP.sub(b"", svg), digest_size=5).hexdigest().encode()
    fresh = {name: b"c%s_%d" % (digest, number) for number, name in enumerate(names)}
    return _CLIP.sub(lambda found: fresh.get(found[0], found[0]), svg)
