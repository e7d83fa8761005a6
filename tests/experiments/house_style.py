"""What the figures of all experiments have in common."""

import re

from matplotlib.colors import to_hex
from matplotlib.container import ErrorbarContainer
from matplotlib.lines import Line2D

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
    for axes in figure.axes:
        handles, labels = axes.get_legend_handles_labels()
        looks = [look for look in map(_look, handles) if look]
        names = [label for handle, label in zip(handles, labels, strict=True) if _look(handle)]
        found += [f"some readers take {names[i]!r} for {names[j]!r}" for i, j in confused(looks)]
    return found


def _look(handle):
    line = handle.lines[0] if isinstance(handle, ErrorbarContainer) else handle
    return (to_hex(line.get_color()), (line.get_marker(), line.get_linestyle())) if isinstance(line, Line2D) else None
