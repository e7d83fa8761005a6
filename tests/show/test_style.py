import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from show_fakes import BUMP, bump_record

from gatefield import UserError
from gatefield.plot import COLOURS, style
from gatefield.show import draw, save, svg_text


def figure():
    return draw(BUMP, bump_record())


def test_what_was_set_before_comes_back():
    before = dict(matplotlib.rcParams)
    with style():
        assert matplotlib.rcParams["svg.fonttype"] == "path"
    assert dict(matplotlib.rcParams) == before


def test_settings_of_the_user_do_not_change_the_figure():
    plain = svg_text(figure())
    with matplotlib.rc_context({"font.size": 30, "axes.grid": True, "svg.hashsalt": "other"}):
        assert svg_text(figure()) == plain


def test_no_text_is_smaller_than_nine_points():
    picture = figure()
    texts = [text for axes in picture.axes for text in (*axes.get_xticklabels(), axes.title, axes.xaxis.label)]
    assert min(float(text.get_fontsize()) for text in texts) >= 9


def test_colours_are_told_apart_in_grey():
    rgb = np.array([to_rgb(colour) for colour in COLOURS[:2]])
    luminance = rgb @ [0.2126, 0.7152, 0.0722]
    assert abs(luminance[0] - luminance[1]) > 0.03


def test_the_same_record_gives_the_same_bytes(tmp_path):
    first, second = (save(figure(), tmp_path / name).read_bytes() for name in ("a.svg", "b.svg"))
    assert first == second
    assert b"<dc:date>" not in first
    assert b"<text" not in first


def test_png_by_its_ending(tmp_path):
    assert save(figure(), tmp_path / "new" / "a.PNG").read_bytes().startswith(b"\x89PNG")


def test_another_ending_is_refused(tmp_path):
    with pytest.raises(UserError, match="Unknown figure ending 'sgv': did you mean 'svg'"):
        save(figure(), tmp_path / "a.sgv")
    assert list(tmp_path.iterdir()) == []


def test_drawing_leaves_no_figure_open():
    draw(BUMP, bump_record())
    assert plt.get_fignums() == []
