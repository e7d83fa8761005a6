"""How figures look."""

from gatefield.plot.epochs import accuracy_panel as accuracy_panel
from gatefield.plot.epochs import over_epochs as over_epochs
from gatefield.plot.families import family_styles as family_styles
from gatefield.plot.families import shades as shades
from gatefield.plot.panels import dots_by_seed as dots_by_seed
from gatefield.plot.panels import field_over_time as field_over_time
from gatefield.plot.panels import signed_matrix as signed_matrix
from gatefield.plot.panels import small_field as small_field
from gatefield.plot.panels import two_fields as two_fields
from gatefield.plot.scales import gain_text as gain_text
from gatefield.plot.scales import plain_log_scale as plain_log_scale
from gatefield.plot.style import COLOURS as COLOURS
from gatefield.plot.style import DIVERGING as DIVERGING
from gatefield.plot.style import PRINTED as PRINTED
from gatefield.plot.style import SEQUENTIAL as SEQUENTIAL
from gatefield.plot.style import THEORY as THEORY
from gatefield.plot.style import style as style

__all__ = [
    "COLOURS",
    "DIVERGING",
    "PRINTED",
    "SEQUENTIAL",
    "THEORY",
    "accuracy_panel",
    "dots_by_seed",
    "family_styles",
    "field_over_time",
    "gain_text",
    "over_epochs",
    "plain_log_scale",
    "shades",
    "signed_matrix",
    "small_field",
    "style",
    "two_fields",
]
