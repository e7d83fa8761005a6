"""How figures look."""

import contextlib
from collections.abc import Iterator
from typing import Any

import matplotlib
from cycler import cycler

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""The colours of Okabe and Ito, told apart with every kind of colour vision; the darker first, the pale yellow left out."""

SEQUENTIAL = "cividis"
"""For values with an order; equal steps look equal."""

DIVERGING = "RdBu_r"
"""For signed fields; centre it at zero."""

THEORY = {"color": "black", "linestyle": "-"}
"""What theory predicts, in every figure; simulations are coloured dots."""

PRINTED = {"color": COLOURS[1], "linestyle": "--"}
"""What a source prints where it is wrong."""

DATA = {"linestyle": "none", "marker": "o"}
"""What was simulated, in every figure: coloured dots."""

_RC: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.grid": False,
    "axes.labelsize": 9,
    "axes.linewidth": 0.8,
    "axes.prop_cycle": cycler(color=COLOURS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 9,
    "figure.constrained_layout.h_pad": 0.05,
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.w_pad": 0.05,
    "figure.dpi": 100,
    "figure.facecolor": "white",
    "figure.figsize": (7.0, 3.2),
    "figure.titlesize": 11,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "image.cmap": SEQUENTIAL,
    "image.interpolation": "nearest",
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "mathtext.fontset": "dejavusans",
    "savefig.dpi": 200,
    "svg.fonttype": "path",  # letters as outlines: the same everywhere, with no font to fetch
    "svg.hashsalt": "gatefield",  # the same picture, the same bytes
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}


@contextlib.contextmanager
def style() -> Iterator[None]:
    """The project's matplotlib style, for as long as the block lasts; whatever was set before comes back after it.

    >>> import matplotlib
    >>> with style():
    ...     print(matplotlib.rcParams["font.size"], matplotlib.rcParams["axes.spines.top"])
    9.0 False
    """
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_RC)
        yield
