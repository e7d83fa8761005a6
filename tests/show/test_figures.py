"""Figures as files: the same record gives the same bytes, whatever the user has set."""

import matplotlib
import matplotlib.pyplot as plt
import pytest
from show_fakes import BUMP, bump_record

from gatefield import UserError
from gatefield.show import draw, save, svg_text


def figure():
    return draw(BUMP, bump_record())


def test_settings_of_the_user_do_not_change_the_figure():
    plain = svg_text(figure())
    with matplotlib.rc_context({"font.size": 30, "axes.grid": True, "svg.hashsalt": "other"}):
        assert svg_text(figure()) == plain


def test_no_text_is_smaller_than_nine_points():
    picture = figure()
    texts = [text for axes in picture.axes for text in (*axes.get_xticklabels(), axes.title, axes.xaxis.label)]
    assert min(float(text.get_fontsize()) for text in texts) >= 9


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
