"""The figures of `sub-networks`, and the headlines above them."""

import itertools

import numpy as np
from drawn import assert_drawn, assert_line
from judging import changed, scrambled
from rows import titled
from test_sub_networks import HERE, made

from gatefield.experiments.deep.sub_networks import experiment
from gatefield.lab import headline


def test_figure_shows_the_record():
    record = scrambled(made()).assign_attrs(made().attrs)
    drawn, more = experiment.figure(record), experiment.more(record)
    one, at = record.sel(beta=4.0), record.sel(beta=4.0, threshold=0.9)
    part = 100 * one.trace_part.mean(("seed", "step"))
    assert_line(titled(drawn, "(a)"), [0.7, 0.9], part.sel(reading="safe"), color="C1", marker="s")
    assert_line(titled(drawn, "(a)"), [0.7, 0.9], part.sel(reading="between, any rest"), color="C5")
    curves = 100 * record.carried.mean("seed")
    for beta, step in itertools.product((1.0, 4.0), (0, -1)):
        curve = curves.sel(beta=beta).isel(step=step).values
        assert any(np.allclose(line.get_ydata(), curve) for line in titled(drawn, "(d)").lines if len(line.get_xdata()) == 51)
    right = 100 * record.kept_accuracy.sel(split="training").mean("seed")
    for kept, label in (("active", "active"), ("rest", "all but the active"), ("random", "as many at random")):
        assert_drawn(titled(drawn, "(b)"), right.sel(beta=4.0, kept=kept), label=label)
    assert any(np.allclose(line.get_ydata(), right.sel(beta=1.0, kept="active")) for line in titled(drawn, "(b)").lines)
    for name in ("active", "between"):
        assert_line(titled(more, "(a)"), [0.0, 4.0, 9.0], 100 * at.overlap.sel(set=name).mean("seed"), label=name)
    assert_drawn(titled(more, "(b)"), one.path_slope.sel(paths="sensitive").mean("seed"), label="one gate between, rest active")
    for name, label in (("active", "active"), ("between", "between"), ("sensitive", r"sensitive: $|dG/d\theta| > \tau_S$")):
        assert_line(titled(more, "(c)"), [1, 2], 100 * at[name].mean(("seed", "step")), label=label)
    for name, label in (("loose_sensitive", "sensitive gates"), ("loose_both", "sensitive and active")):
        assert_drawn(titled(more, "(d)"), 100 * at[name].mean(("seed", "step")), label=label)
    assert_drawn(titled(more, "(d)"), 100 * at.loose_part.mean(("seed", "step")), label="part of the trace of $K^a$")
    heights = [bar.get_height() for bar in titled(drawn, "(c)").patches]
    share = 100 * record.active.sel(beta=4.0, threshold=0.9).isel(step=-1).mean()
    np.testing.assert_allclose(heights[9], share)  # beta = 4, end: the last of four bars of three
    (thin,) = [line for line in titled(drawn, "(a)").lines if line.get_linewidth() == 0.8 and len(line.get_xdata())]
    np.testing.assert_allclose(thin.get_ydata(), 100 * record.trace_part.sel(beta=1.0, reading="safe").mean(("seed", "step")))
    for letter in ("(a)", "(b)"):
        assert [0.9, 0.9] in [list(line.get_xdata()) for line in titled(drawn, letter).lines]


def test_the_numbers_of_the_titles_stand_at_their_marks():
    """Those of one steepness and threshold; other ones have other numbers."""
    record = changed(
        made(),
        ("trace_part", {**HERE, "reading": "safe"}, 0.039),
        ("kept_accuracy", {**HERE, "kept": "active"}, 0.879),
        ("path_slope", {"beta": 4.0, "paths": "active"}, np.array([0.4, 0.4, 0.64])),
        ("overlap", {**HERE, "set": "active", "step": 0}, 0.432),
        ("sensitive", {**HERE, "layer": 1}, 0.012),
        ("sensitive", {**HERE, "layer": 2}, 0.23),
        ("loose_both", HERE, 0.2),
    )
    found = experiment.verdicts(record)
    assert headline("?", found) == (
        "Paths with one steep gate and the rest active carry only 3.9 % of the kernel by which gates learn; "
        "active gates alone get 87.9 % right (β = 4)"
    )
    assert headline("?", found, more=True) == (
        "Paths of active gates have 0.60 of the slope of those with one gate between, not 0"
    )
    figure, more = experiment.figure(record), experiment.more(record)
    assert ": 3.9 %" in titled(figure, "(a)").get_title(loc="left")
    assert "30 % of the gates carry 90 %" in titled(figure, "(d)").get_title(loc="left")
    assert "87.9 % right" in titled(figure, "(b)").get_title(loc="left")
    assert (
        titled(more, "(b)").get_title(loc="left")
        == "(b) active paths have a slope, 0.60 of that\nof paths with one gate between"
    )
    assert titled(more, "(c)").get_title(loc="left") == "(c) 1.2 to 23 % of the gates of a layer\nare sensitive at $\\tau_S$"
    words = "(d) at 0.1 $\\tau_S$, 80 % are sensitive,\n25 % of them active"  # 0.2 of 0.8
    assert titled(more, "(d)").get_title(loc="left") == words
    for axes, text, place in (
        (titled(figure, "(a)"), "3.9 %", (0.9, 3.9)),
        (titled(figure, "(b)"), "87.9 %", (0.9, 87.9)),
        (titled(more, "(a)"), "43 %", (0.0, 43.2)),
        (titled(more, "(a)"), "30 %", (0.0, 30.0)),
        (titled(more, "(d)"), "25 % of these\nare active", (0.1, 50.0)),  # half-way between 80 and 20
        (titled(more, "(b)"), "× 0.60", (4.5, 0.64)),  # half-way between 0.8 and 0.48
    ):
        (number,) = [one for one in axes.texts if one.get_text() == text]
        np.testing.assert_allclose(number.xy, place)


def test_a_line_hidden_under_all_gates_is_named():
    hidden = changed(made(), ("kept_accuracy", {"kept": "active", "beta": 1.0}, 0.897))
    for record, name in ((made(), r"$\beta$ = 1"), (hidden, "$\\beta$ = 1:\nas all")):
        assert name in [text.get_text() for text in titled(experiment.figure(record), "(b)").texts]
