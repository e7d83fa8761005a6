"""How figures look."""

from gatefield.plot.epochs import accuracy_panel as accuracy_panel
from gatefield.plot.epochs import end_labels as end_labels
from gatefield.plot.epochs import over_epochs as over_epochs
from gatefield.plot.families import family_styles as family_styles
from gatefield.plot.families import shades as shades
from gatefield.plot.maps import median as median
from gatefield.plot.maps import value_map as value_map
from gatefield.plot.maps import values_along as values_along
from gatefield.plot.page import WIDTH as WIDTH
from gatefield.plot.page import entitle as entitle
from gatefield.plot.page import legend_below as legend_below
from gatefield.plot.page import letter as letter
from gatefield.plot.page import say_setting as say_setting
from gatefield.plot.panels import dots_by_seed as dots_by_seed
from gatefield.plot.panels import field_over_time as field_over_time
from gatefield.plot.panels import one_median as one_median
from gatefield.plot.panels import signed_matrix as signed_matrix
from gatefield.plot.panels import small_field as small_field
from gatefield.plot.panels import two_fields as two_fields
from gatefield.plot.rows import field_row as field_row
from gatefield.plot.scales import finite_join as finite_join
from gatefield.plot.scales import gain_axis as gain_axis
from gatefield.plot.scales import gain_places as gain_places
from gatefield.plot.scales import gain_text as gain_text
from gatefield.plot.scales import plain_log_scale as plain_log_scale
from gatefield.plot.style import COLOURS as COLOURS
from gatefield.plot.style import DATA as DATA
from gatefield.plot.style import DIVERGING as DIVERGING
from gatefield.plot.style import PRINTED as PRINTED
from gatefield.plot.style import SEQUENTIAL as SEQUENTIAL
from gatefield.plot.style import THEORY as THEORY
from gatefield.plot.style import style as style
from gatefield.plot.vision import confused as confused
from gatefield.plot.vision import difference as difference

__all__ = [
    "COLOURS",
    "DATA",
    "DIVERGING",
    "PRINTED",
    "SEQUENTIAL",
    "THEORY",
    "WIDTH",
    "accuracy_panel",
    "confused",
    "difference",
    "dots_by_seed",
    "end_labels",
    "entitle",
    "family_styles",
    "field_over_time",
    "field_row",
    "finite_join",
    "gain_axis",
    "gain_places",
    "gain_text",
    "legend_below",
    "letter",
    "median",
    "one_median",
    "over_epochs",
    "plain_log_scale",
    "say_setting",
    "shades",
    "signed_matrix",
    "small_field",
    "style",
    "two_fields",
    "value_map",
    "values_along",
]
