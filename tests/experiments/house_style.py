"""What the figures of all experiments have in common."""

import re

from matplotlib.collections import Collection, LineCollection, PathCollection
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from gatefield.plot import WIDTH, confused

MOST = 6
"""Panels of a figure; more of them go into the second one."""
LINES = 2
"""Of a title; what does not fit belongs above a panel."""


def faults(figure, experiment, *, more=False):
    """What of the house style a figure does not keep, in words."""
    found, caption = [], experiment.more_caption if more else experiment.caption
    if figure.get_figwidth() > WIDTH + 1e-9:
        found.append(f"it is {figure.get_figwidth():g} inches wide")
    if not figure.get_suptitle():
        found.append("it has no finding above it")
    if len(figure.get_suptitle().splitlines()) > LINES:
        found.append(f"its title has more than {LINES} lines: {figure.get_suptitle()}")
    if not figure.get_supxlabel():
        found.append("it does not say its setting (say_setting)")
    matches = [re.match(r"\((\w)\)", axes.get_title(loc="left")) for axes in figure.axes]
    letters = [match[1] for match in matches if match]
    drawn = [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]
    if len(drawn) > 1 and not letters:
        found.append("its panels have no letters")
    if letters != sorted(set(letters)) or (letters and letters[0] != "a"):
        found.append(f"its letters are {letters}")
    if len(letters) > MOST and not more:
        found.append(f"it has {len(letters)} panels; move some into `more`")
    if not caption:
        found.append("it has no caption")
    found += [f"the caption does not read panel ({letter})" for letter in letters if f"({letter})" not in caption]
    for handles, labels in _legends(figure):
        looks = [look for look in map(_look, handles) if look]
        names = [label for handle, label in zip(handles, labels, strict=True) if _look(handle)]
        found += [f"some readers take {names[i]!r} for {names[j]!r}" for i, j in confused(looks)]
    return found


SETTINGS = {
    "sizes": r"\bn = |\bw = |\bK = |\bsites\b|\bwidth|\bsamples\b|\bpositions\b|\bimages\b|\bpoints\b|\beach n\b",
    "time or steps": r"τ|\btau\b|\bsteps?\b|\bepochs?\b|\bbatches\b",
}
"""What stands below a figure, and how it may be said."""
SEEDS = r"\bseeds?\b|\bruns?\b|\bnetworks\b|\bcommittees\b|\bdraws\b"


def unsaid(figure, record):
    """What the first figure does not say below it: sizes; time, where something moves; seeds, where there are some."""
    words, wanted = figure.get_supxlabel(), dict(SETTINGS)
    if not {"step", "time"} & set(record.dims):
        del wanted["time or steps"]
    if record.sizes.get("seed", record.sizes.get("run", 1)) > 1:
        wanted["seeds"] = SEEDS
    return [f"it does not say its {what}: {words}" for what, said in wanted.items() if not re.search(said, words)]


def _legends(figure):
    """What each panel would name, and what legends name, those of the whole figure and of its parts too."""
    parts = [figure, *figure.subfigs]
    drawn = [legend for part in (*parts, *figure.axes) for legend in _own(part)]
    yield from (axes.get_legend_handles_labels() for axes in figure.axes)
    yield from ((legend.legend_handles, [text.get_text() for text in legend.get_texts()]) for legend in drawn)


def _own(part):
    return part.legends if hasattr(part, "legends") else filter(None, [part.get_legend()])


def _look(handle):
    """Its colour, and what else it looks like; None if it has none."""
    one = handle.lines[0] if isinstance(handle, ErrorbarContainer) else handle
    if isinstance(one, BarContainer):
        one = one.patches[0] if one.patches else None
    if isinstance(one, Line2D):
        return to_hex(one.get_color()), (one.get_marker(), one.get_linestyle())
    if isinstance(one, PathCollection):
        filled, path = len(one.get_facecolor()) > 0, one.get_paths()[0]
        colours = one.get_facecolor() if filled else one.get_edgecolor()
        return (to_hex(colours[0]), ("dots", filled, path.vertices.round(3).tobytes())) if len(colours) else None
    if isinstance(one, LineCollection):  # in a drawn legend it stands for an error bar, whose mark is looked at elsewhere
        return None
    if isinstance(one, Collection):
        colours = one.get_facecolor() if len(one.get_facecolor()) else one.get_edgecolor()
        return (to_hex(colours[0]), (type(one).__name__,)) if len(colours) else None
    return (to_hex(one.get_facecolor()), ("patch", one.get_hatch())) if isinstance(one, Patch) else None
