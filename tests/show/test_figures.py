"""Figures as files: the same record gives the same bytes, whatever the user has set."""

import re

import matplotlib
import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from show_fakes import BUMP, bump_record

from gatefield import UserError
from gatefield.show import draw, save, svg_text

MADE, USED = r'<clipPath id="(\w+)"', r"url\(#(\w+)\)"


def figure():
    return draw(BUMP, bump_record())


def test_settings_of_the_user_do_not_change_the_figure():
    plain = svg_text(figure())
    with matplotlib.rc_context({"font.size": 30, "axes.grid": True, "svg.hashsalt": "other"}):
        assert svg_text(figure()) == plain


def test_no_text_is_smaller_than_eight_points():
    picture = figure()
    texts = [text for axes in picture.axes for text in (*axes.get_xticklabels(), axes.title, axes.xaxis.label)]
    assert min(float(text.get_fontsize()) for text in texts) >= 8


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_the_same_record_gives_the_same_bytes(tmp_path, monkeypatch, ending):
    pictures = []
    for epoch in ("0", "2000000000"):  # what Matplotlib takes for the time, if it asks
        monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
        pictures.append(save(figure(), tmp_path / f"{epoch}.{ending}").read_bytes())
    assert pictures[0] == pictures[1]


def test_files_tell_no_dates_and_need_no_fonts(tmp_path):
    svg, pdf = (save(figure(), tmp_path / name).read_bytes() for name in ("a.svg", "b.pdf"))
    assert b"<dc:date>" not in svg
    assert b"<text" not in svg
    assert b"/CreationDate" not in pdf
    assert b"/Producer" not in pdf


def test_the_kind_of_file_by_its_ending(tmp_path):
    assert save(figure(), tmp_path / "new" / "a.PNG").read_bytes().startswith(b"\x89PNG")
    assert save(figure(), tmp_path / "new" / "a.pdf").read_bytes().startswith(b"%PDF-")


def test_another_ending_is_refused(tmp_path):
    with pytest.raises(UserError, match="Unknown figure ending 'sgv': did you mean 'svg'"):
        save(figure(), tmp_path / "a.sgv")
    assert list(tmp_path.iterdir()) == []


def test_drawing_leaves_no_figure_open():
    draw(BUMP, bump_record())
    assert plt.get_fignums() == []


def test_clips_have_names_of_their_own_picture_only():
    """Circles are clipped by paths, which Matplotlib names by where they are in memory."""

    def clipped(radius):
        figure = Figure()
        axes = figure.subplots()
        image = axes.imshow([[0.0, 1.0]])
        image.set_clip_path(Circle((0.5, 0.0), radius, transform=axes.transData))
        return figure

    texts = [svg_text(clipped(0.3)) for _ in range(3)]
    assert texts[0] == texts[1] == texts[2]
    made, used = ([set(re.findall(found, text)) for text in (texts[0], svg_text(clipped(0.2)))] for found in (MADE, USED))
    assert made[0] >= used[0] != set()
    assert not made[0] & made[1]
