"""The look: it lasts as long as its block, and colours are told apart."""

import matplotlib
import numpy as np
from matplotlib.colors import to_rgb

from gatefield.plot import COLOURS, style


def test_what_was_set_before_comes_back():
    before = dict(matplotlib.rcParams)
    with style():
        assert matplotlib.rcParams["svg.fonttype"] == "path"
    assert dict(matplotlib.rcParams) == before


def test_colours_are_told_apart_in_grey():
    rgb = np.array([to_rgb(colour) for colour in COLOURS[:2]])
    luminance = rgb @ [0.2126, 0.7152, 0.0722]
    assert abs(luminance[0] - luminance[1]) > 0.03
