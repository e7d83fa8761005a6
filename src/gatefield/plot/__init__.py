"""How figures look."""

from gatefield.plot.style import COLOURS as COLOURS
from gatefield.plot.style import DIVERGING as DIVERGING
from gatefield.plot.style import SEQUENTIAL as SEQUENTIAL
from gatefield.plot.style import style as style

__all__ = ["COLOURS", "DIVERGING", "SEQUENTIAL", "style"]
