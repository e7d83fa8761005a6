"""Verdicts and figure of `stability`, on records made by hand, and networks that stay where they start."""

import functools
import json

import jax
import judging
import numpy as np
import pytest
import xarray as xr
from drawn import assert_drawn, points, scaled

from gatefield.data import NonlinearGP
from gatefield.experiments.gates.stability import experiment
from gatefield.experiments.gates.stability.students import teacher_fields
from gatefield.lab import MemoryBench
from gatefield.nets import Committee

INF, N, SEEDS = float("inf"), 8, 20
PATHWAYS, GAINS, SIZES = ("none", "trained", "frozen 0.1", "frozen 0.4"), (0.01, 3.0, INF), (0.25, 0.5, 0.75, 1.0, 4.0)
PUSHES, TEACHERS, STUDENTS = ("random", "other"), ("localized", "oscillating", "random"), (4, 8)
AXES = {"pathway": 4, "gain": 3, "seed": SEEDS, "push": 2, "size": 5, "teacher": 3, "student": 2, "taught_unit": 2}
AXES |= {"position": N, "mode": N}


def full(value, *dims):
    return dims, np.full([AXES[dim] for dim in dims], value)


def made(sizes=SIZES):
    """A record in which all verdicts hold; at the lowest gain, where fields do not localize, nothing does. The first seed is
    far off wherever the median decides."""
    rng, lead = np.random.default_rng(0), ("pathway", "gain", "seed")
    w = rng.normal(size=(3, SEEDS, N))
    v = rng.normal(size=(2, 3, SEEDS, N))
    back = np.zeros((2, 5, 3, SEEDS), bool)
    back[:, :2] = True
    back[1, 2] = back[0, 2, 1, :15] = back[0, 3, 1, :8] = True
    push = ("push", "size", "gain", "seed")
    match = ("student", "teacher", "gain", "seed", "taught_unit")
    record = xr.Dataset(
        {
            "fields": ((*lead, "position"), np.stack([w, 2 * w, *(w - v)])),
            "linear": ((*lead, "position"), np.stack([0 * w, -w, *v])),
            "ipr": full(0.6, *lead),
            "sum_ipr": full(0.6, *lead),
            "loss": full(0.2, *lead),
            "eigenvalues": full(-0.2, "gain", "seed", "mode"),
            "damping": (("gain", "mode"), -0.2 + 0.01 * np.arange(24.0).reshape(3, N) / 10),
            "top": full(-0.1, *lead),
            "top_error": full(0.01, *lead),
            "unrest": full(0.05, *lead),
            "return_cosine": (push, np.where(back, 0.951, 0.949)),
            "return_ipr": full(0.151, *push),
            "foretold": (push, back.copy()),
            "teacher_fields": (("teacher", "seed", "taught_unit", "position"), rng.normal(size=(3, SEEDS, 2, N))),
            "teacher_ipr": full(0.3, "teacher", "seed", "taught_unit"),
            "match_cosine": full(0.951, *match),
            "student_ipr": full(0.3, *match),
            "student_fields": ((*match, "position"), rng.normal(size=(2, 3, 3, SEEDS, 2, N))),
        },
        {"pathway": list(PATHWAYS), "gain": list(GAINS), "push": list(PUSHES), "size": list(SIZES), "teacher": list(TEACHERS)}
        | {"student": list(STUDENTS), "seed": np.arange(SEEDS), "position": np.arange(N), "mode": np.arange(N)},
    )
    record.loss[1] = 0.15
    record.teacher_ipr[1:], record.student_ipr[:, 1:] = 0.149, 0.149
    for name in ("ipr", "sum_ipr", "unrest"):
        record[name][1:, :, 0] = 30.0
    off = {"ipr": 0.149, "top": 1.0, "loss": 0.25, "return_cosine": 0.0, "return_ipr": 0.0}
    for name, value in off.items():
        record[name].loc[{"gain": 0.01}] = value
    record.foretold.loc[{"gain": 0.01}] = True
    return record.sel(size=list(sizes))


def changed(*changes):
    return judging.changed(made(), *changes)


judged = functools.partial(judging.judged, experiment)


HIGH = {"gain": [3.0, INF]}


def counted(name, where, count, old, new):
    """The record with `count` of the values that are `old` there turned into `new`."""
    record = made()
    part = record[name].loc[where].values.copy()
    part[tuple(np.argwhere(np.isclose(part, old))[:count].T)] = new
    record[name].loc[where] = part
    return record


@pytest.mark.parametrize(
    ("words", "change", "measured", "holds"),
    [
        ("of up to half", ("return_cosine", {"push": "random", "size": [0.25, 0.5], **HIGH}, 3, 0.951, 0.949), 77 / 80, True),
        ("of up to half", ("return_cosine", {"push": "random", "size": [0.25, 0.5], **HIGH}, 5, 0.951, 0.949), 75 / 80, False),
        ("of 4 times", ("return_cosine", {"push": "random", "size": 4.0, **HIGH}, 19, 0.949, 0.951), 19 / 40, True),
        ("of 4 times", ("return_cosine", {"push": "random", "size": 4.0, **HIGH}, 20, 0.949, 0.951), 20 / 40, False),
        ("is localized again", ("return_ipr", HIGH, 19, 0.151, 0.149), 381 / 400, True),
        ("is localized again", ("return_ipr", HIGH, 21, 0.151, 0.149), 379 / 400, False),
        ("the larger wins", ("return_cosine", {"push": "other", "size": 0.5, **HIGH}, 7, 0.951, 0.949), 153 / 160, True),
        ("the larger wins", ("return_cosine", {"push": "other", "size": 0.5, **HIGH}, 9, 0.951, 0.949), 151 / 160, False),
        ("the larger wins", ("return_cosine", {"push": "other", "size": 4.0, **HIGH}, 9, 0.949, 0.951), 151 / 160, False),
        ("the larger wins", ("return_cosine", {"push": "other", "size": 1.0, **HIGH}, 40, 0.949, 0.951), 1, True),
        ("foretells", ("foretold", {"push": "random", **HIGH}, 39, True, False), 161 / 200, True),
        ("foretells", ("foretold", {"push": "random", **HIGH}, 41, True, False), 159 / 200, False),
        ("foretells", ("foretold", {"push": "other", **HIGH}, 120, True, False), 1, True),
        ("students find", ("match_cosine", {"student": 8}, 35, 0.951, 0.949), 325 / 360, True),
        ("students find", ("match_cosine", {"student": 8}, 37, 0.951, 0.949), 323 / 360, False),
        ("do not localize", ("student_ipr", {"teacher": ["oscillating", "random"]}, 23, 0.149, 0.151), 23 / 480, True),
        ("do not localize", ("student_ipr", {"teacher": ["oscillating", "random"]}, 25, 0.149, 0.151), 25 / 480, False),
    ],
)
def test_shares_on_both_sides_of_their_bounds(words, change, measured, holds):
    found = judged(counted(*change), words)
    assert found.holds is holds
    assert found.measured == pytest.approx(measured)


TRAINED, LAST = {"pathway": "trained"}, {"pathway": "frozen 0.4"}


@pytest.mark.parametrize(
    ("words", "name", "where", "value", "measured", "holds"),
    [
        ("leaves localization", "ipr", TRAINED, 0.6 * 1.0999, 1.0999, True),
        ("leaves localization", "ipr", TRAINED, 0.6 * 1.1001, 1.1001, False),
        ("leaves localization", "ipr", TRAINED, 0.6 * 0.9001, 0.9001, True),
        ("leaves localization", "ipr", TRAINED, 0.6 * 0.8999, 0.8999, False),
        ("doubles what", "loss", TRAINED, 0.25 - 0.05 * 2.1999, 2.1999, True),
        ("doubles what", "loss", TRAINED, 0.25 - 0.05 * 2.2001, 2.2001, False),
        ("doubles what", "loss", TRAINED, 0.25 - 0.05 * 1.8001, 1.8001, True),
        ("doubles what", "loss", TRAINED, 0.25 - 0.05 * 1.7999, 1.7999, False),
        ("stays localized", "sum_ipr", LAST, 0.6 * 1.1999, 1.1999, True),
        ("stays localized", "sum_ipr", LAST, 0.6 * 1.2001, 1.2001, False),
        ("stays localized", "sum_ipr", LAST, 0.6 * 0.8001, 0.8001, True),
        ("stays localized", "sum_ipr", LAST, 0.6 * 0.7999, 0.7999, False),
        ("stays localized", "sum_ipr", {"pathway": "frozen 0.1"}, 0.1, 1, True),
        ("in steady states of the flow", "unrest", {}, 0.0999, 0.0999, True),
        ("in steady states of the flow", "unrest", {}, 0.1001, 0.1001, False),
        ("is as localized as", "student_ipr", {"student": 8, "teacher": "localized", "gain": 0.01}, 0.3 * 1.0999, 1.0999, True),
        (
            "is as localized as",
            "student_ipr",
            {"student": 8, "teacher": "localized", "gain": 0.01},
            0.3 * 1.1001,
            1.1001,
            False,
        ),
        (
            "is as localized as",
            "student_ipr",
            {"student": 8, "teacher": "localized", "gain": 0.01},
            0.3 * 0.8999,
            0.8999,
            False,
        ),
        ("is as localized as", "student_ipr", {"student": 8, "teacher": "random"}, 0.9, 1, True),
        ("do not localize", "teacher_ipr", {"teacher": "random"}, 0.9, 0, True),
    ],
)
def test_verdicts_on_both_sides_of_their_bounds(words, name, where, value, measured, holds):
    found = judged(changed((name, where, value)), words)
    assert found.holds is holds
    assert found.measured == pytest.approx(measured, abs=1e-12)


ALONE, BESIDE = "gain 3, alone", "gain 3, beside a trained pathway"


@pytest.mark.parametrize(
    ("where", "name", "at", "value", "outcome"),
    [
        (ALONE, "top", {"pathway": "none", "gain": 3.0, "seed": 3}, -0.0201, "holds"),
        (ALONE, "top", {"pathway": "none", "gain": 3.0, "seed": 3}, -0.0199, "not decided"),
        (ALONE, "top_error", {"pathway": "none", "gain": 3.0, "seed": 3}, 0.0499, "holds"),
        (ALONE, "top_error", {"pathway": "none", "gain": 3.0, "seed": 3}, 0.0501, "not decided"),
        (ALONE, "top", {"pathway": "trained"}, 0.1, "holds"),
        (BESIDE, "top", {"pathway": "trained", "gain": 3.0, "seed": 3}, 0.1, "missed"),
        (BESIDE, "top", {"pathway": "none"}, 0.1, "holds"),
        (BESIDE, "top", {"gain": INF}, 0.1, "holds"),
    ],
)
def test_stability_on_both_sides_of_its_bound(where, name, at, value, outcome):
    """At finite gains: on the hypercube it is an identity."""
    found = judged(changed((name, at, value)), "is stable")
    assert [bound.outcome for bound in found.table if bound.at == where] == [outcome]
    assert {bound.at for bound in found.table} == {ALONE, BESIDE}


@pytest.mark.parametrize(("ratio", "holds"), [(2.0999, True), (2.1001, False), (1.9001, True), (1.8999, False)])
def test_length_beside_a_trained_pathway(ratio, holds):
    record = made()
    record.fields[1] = ratio * record.fields[0]
    found = judged(record, "twice as long")
    assert (found.holds, found.measured) == (holds, pytest.approx(ratio))


@pytest.mark.parametrize(("left", "holds"), [(0.0999, True), (0.1001, False)])
def test_what_the_trained_pathway_leaves(left, holds):
    record = made()
    record.linear[1] = -(1 - left) * record.fields[1] / 2
    found = judged(record, "odd half")
    assert (found.holds, found.measured) == (holds, pytest.approx(left))


def test_students_of_localized_teachers_may_be_localized_where_those_are():
    record = changed(("student_ipr", {"teacher": "random"}, 0.9), ("teacher_ipr", {"teacher": "random"}, 0.151))
    assert judged(record, "do not localize").measured == 0
    record = changed(("student_ipr", {"teacher": "random"}, 0.9))
    assert judged(record, "do not localize").measured == 0.5


def test_what_is_expected():
    found = experiment.verdicts(made())
    assert all(verdict.holds for verdict in found)
    slow, damping = (3 - np.sqrt(5)) / 2, -0.2 + 0.001 * 15  # the last mode of the second gain
    assert [bound.predicted for bound in found[0].table] == pytest.approx([damping, slow * damping])
    assert [v.predicted for v in found[1:12]] == pytest.approx([1, 0, 1, 1, 1, 1, 2, 0, 2, 1, 0])
    assert [bound.predicted for bound in found[12].table] == [1, 1]
    assert [v.predicted for v in found[13:]] == [1, 0]


@pytest.mark.parametrize(("ipr", "count"), [(0.151, 15), (0.149, 14)])
def test_only_localized_fields_are_asked(ipr, count):
    """Whether they are is said by the median without a pathway; without a finite gain nothing is said of rates."""
    assert len(judging.told(experiment, changed(("ipr", {"pathway": "none", "gain": 3.0, "seed": slice(0, 10)}, ipr)))) == count


def test_without_localized_fields_nothing_is_said_of_them():
    record = changed(("ipr", {"pathway": "none"}, 0.1))
    assert [v.holds for v in experiment.verdicts(record)] == [None] * 12 + [True] * 3


@pytest.mark.parametrize(("sizes", "count"), [((0.5, 1.0), 15), ((1.0, 4.0), 14), ((1.0,), 13)])
def test_pushes_that_were_not_made_are_not_judged(sizes, count):
    assert len(judging.told(experiment, made(sizes))) == count
    assert len(experiment.verdicts(made(sizes))) == 15


def test_notes():
    """By hand: at gain 3 0.75 return after a push of 0.75 and 0.4 after one of 1."""
    assert "after a push of 0.93 at gain 3, 0.62 at gain ∞ times" in judged(made(), "of up to half").note
    record = changed(("ipr", LAST, 0.15), ("match_cosine", {"student": 8, "teacher": "random", "gain": INF}, 0.95))
    record.fields[3] = -3 * record.linear[3]
    note = judged(record, "stays localized").note
    assert "1.00 (0.25) at length 0.4" in note
    assert note.endswith("cosine of w and -v is 1.00")
    assert judged(record, "students find").note == "lowest median cosine 0.9500, for the random teacher at gain ∞"
    assert "up to its length: 1.000" in judged(record, "leaves localization").note
    found = judged(record, "students find")
    assert found.found == found.otherwise == "students find at least 88 % of teachers' fields"
    assert judged(made(), "students find").found == "students find all teachers' fields"


@pytest.mark.parametrize(("lost", "words"), [(0, "no push {}"), (1, "hardly a push {}")])
def test_no_push_ends_localization_only_if_none_does(lost, words):
    """Of 400 pushes."""
    record = counted("return_ipr", HIGH, lost, 0.151, 0.149)
    found, again = judged(record, "is localized again"), f"{'99 %' if lost else 'all'} localized again"
    assert found.found == words.format("of up to 4 times the field's length ends localization")
    assert found.otherwise == f"pushes of up to 4 times the field's length can end localization ({again})"
    assert experiment.figure(record).axes[0].get_title(loc="left").startswith(f"(a) {again}, not all in place")


def test_titles_follow_the_record():
    record = changed(("return_cosine", {}, 1.0), ("match_cosine", {"student": 8, "teacher": "random", "gain": INF}, 0.95))
    titles = [axes.get_title(loc="left") for axes in experiment.figure(record).axes]
    assert titles[1] == "(b) students find at least 88 %\nof the teachers' fields"
    assert titles[0] == "(a) all localized again, in place"
    assert titles[2].startswith("(c) trained pathway: IPR × 1.00;")
    for ipr, words in ((0.1, "frozen 0.4: none localized"), (0.2, "frozen 0.4: still localized")):
        third = experiment.figure(changed(("sum_ipr", {}, ipr))).axes[2]
        assert third.get_title(loc="left").endswith(words)
    nowhere = experiment.figure(changed(("ipr", {"pathway": "none"}, 0.1))).axes
    assert nowhere[0].get_title(loc="left") == "(a) no field is localized"


def test_the_second_figure_is_headed_by_rates_and_by_students():
    record = changed(("top", {"gain": 3.0, "seed": 3}, -0.0512), ("student_ipr", {"teacher": "random", "seed": 0}, 0.2))
    stable, students = judged(record, "is stable"), judged(record, "do not localize")
    assert stable.more_found.startswith("localized fields are stable (largest rate −0.051/τ at gain 3")
    assert stable.more_otherwise == stable.more_found.replace("localized fields", "not all localized fields")
    assert students.more_found.endswith("do not localize")
    assert students.more_otherwise.endswith("teachers localize in 2.5 % of fields")
    legend = [text.get_text() for text in experiment.more(record).subfigs[0].legends[0].get_texts()]
    assert legend[0].startswith("gain 0.01: largest ")
    assert legend[0].endswith(", not localized")
    assert legend[1] == "gain 3: largest −0.051"


def scrambled():
    rng, record = np.random.default_rng(1), made()
    drawn = {name: rng.uniform(0.1, 0.9, values.shape) for name, values in record.items() if values.dtype.kind == "f"}
    drawn["return_cosine"] = rng.uniform(0.9, 1.0, record.return_cosine.shape)
    drawn["foretold"] = rng.random(record.foretold.shape) < 0.4
    drawn["match_cosine"][0, 0, 0] = 1.0
    drawn["fields"][1, 2, 7] = 5 * drawn["fields"][0, 2, 7]  # the seed that is shown
    return record.assign({name: (record[name].dims, values) for name, values in drawn.items()})


FIGURE = scrambled()
DRAWN, MORE = experiment.figure(FIGURE).axes, experiment.more(FIGURE).axes
GAIN_COLOURS = ("#440154", "#2a788e", "#7ad151")


def test_figure_shows_spectra():
    axes = MORE[0]
    for i, color in enumerate(GAIN_COLOURS):
        values = FIGURE.eigenvalues.values[i]
        assert_drawn(axes, np.median(values, axis=0), np.arange(N), color=color, style="-")
        heights = axes.collections[i].get_paths()[0].vertices[:, 1]
        np.testing.assert_allclose([heights.min(), heights.max()], [values.min(0).min(), values.max(0).max()])
        (left_out,) = [y for _, y in points(axes, color=color, style=":")]
        np.testing.assert_allclose(left_out, FIGURE.damping[i])


def test_figure_shows_who_returns():
    same, told = (FIGURE.return_cosine.values > 0.95).mean(-1), FIGURE.foretold.values.mean(-1)
    for i, color in enumerate(GAIN_COLOURS):
        assert_drawn(DRAWN[0], same[0, :, i], SIZES, color=color, style="-")
        assert_drawn(DRAWN[0], same[1, :, i], SIZES, color=color, style="--")
        assert_drawn(DRAWN[0], told[0, :, i] + 0.05, SIZES, color=color, style=":")  # set off
    again = (FIGURE.return_ipr.values > 0.15).mean((0, 2, 3))
    assert_drawn(DRAWN[0], again, SIZES, words="localized again")


def test_figure_shows_pushes_only_where_fields_localize():
    record = changed(("return_ipr", {"gain": 3.0, "push": "random", "size": 4.0, "seed": slice(0, 9)}, 0.1))
    axes = experiment.figure(record).axes[0]
    assert not points(axes, color=GAIN_COLOURS[0])
    assert_drawn(axes, [1, 1, 1, 1, 1 - 10 / 80], SIZES, label="localized again: 97 %")


def test_setting_has_length_scales_and_time():
    words = {"xi1": 2.0, "xi0": 1.0, "steps": 3000, "learning_rate": 0.1, "student_steps": 4000}
    said = experiment.figure(FIGURE.assign_attrs(parameters=json.dumps(words))).get_supxlabel()
    assert "length scales 2 and 1, 300 τ" in said.replace("\n", " ")


def test_figure_shows_localization_beside_pathways():
    axes, at = DRAWN[2], np.arange(3)
    for i, (name, shift, color) in enumerate((("no", -0.2, "#0072B2"), ("trained", 0.0, "#D55E00"))):
        assert_drawn(axes, np.median(FIGURE.ipr.values[i], axis=1), at + shift, label=f"{name} pathway")
        dots = [y for x, y in points(axes, color=color, marker="o") if not np.allclose(x, at + shift)]
        assert len(dots) == SEEDS
        np.testing.assert_array_equal(dots, FIGURE.ipr.values[i].T)
    for i, name in ((2, "frozen 0.1"), (3, "frozen 0.4")):
        assert_drawn(axes, np.median(FIGURE.sum_ipr.values[i], axis=1), label=f"{name}: w + v")
    assert_drawn(axes, [1 / N, 1 / N], style=":")


def test_figure_shows_fields_most_alike_at_the_highest_gain():
    axes, sites = DRAWN[3], np.arange(N)
    none, trained, linear = FIGURE.fields.values[0, 2, 7], FIGURE.fields.values[1, 2, 7], FIGURE.linear.values[1, 2, 7]
    assert_drawn(axes, trained, sites, label="field beside a trained v")
    assert_drawn(axes, 2 * none, sites, color="black", style="-")
    assert_drawn(axes, linear, sites, label="trained pathway v")
    assert_drawn(axes, -none, sites, color="black", style="--")


def test_figures_show_students_beside_their_teachers():
    axes, row = DRAWN[1], MORE[1]
    for i, kind in enumerate(TEACHERS):
        for j, size in enumerate(STUDENTS):
            off = np.reshape(1 - FIGURE.match_cosine.values[j, i], (3, -1))
            place = np.arange(3) + 0.1 * (i - 1) + (-0.2, 0.2)[j]
            middle, most = (np.maximum(np.quantile(off, q, axis=1), 1e-7) for q in (0.5, 0.9))
            assert_drawn(axes, middle, place, label=f"{kind} teacher, student of {size} units")
            tips = np.array(axes.collections[2 * i + j].get_segments())
            np.testing.assert_allclose(tips, np.stack([np.stack([place, y], -1) for y in (middle, most)], 1))
    assert_drawn(axes, [0.05, 0.05], label="the same: cosine above 0.95")
    assert_drawn(axes, [1e-7, 1e-7], label="1e-07 or less: rounding")
    students, teachers = FIGURE.student_fields.values[0, :, 2, 0, 0], FIGURE.teacher_fields.values[:, 0, 0]
    np.testing.assert_allclose([y for _, y in points(row, marker="o")], [scaled(w) for w in students])
    np.testing.assert_allclose([y for _, y in points(row, color="black")], [scaled(w) for w in teachers])


def cosine(a, b):
    return (a * b).sum(-1) / np.sqrt((a * a).sum(-1) * (b * b).sum(-1))


@pytest.mark.slow
def test_record_of_networks_that_stay_where_they_start():
    """As they are trained at a vanishing rate, all that is measured is known from the starts."""
    n, gains, sizes = 6, (1.0, INF), (0.5, 3.0)
    rates = {"learning_rate": 1e-12, "student_rate": 1e-12, "steps": 1, "student_steps": 1, "batch_size": 4, "student_batch": 4}
    few = {"seeds": 3, "samples": 64, "teacher_units": 2, "students": (2,), "pathway_sizes": (0.4,), "sizes": sizes}
    record = experiment.simulate(experiment.Parameters(n=n, gains=gains, **few, **rates), MemoryBench())
    keys = jax.random.split(jax.random.key(0), 5)
    w = np.asarray(Committee(n, 1, key=jax.random.split(jax.random.split(keys[0], 3)[0], 3)).fields, float)[:, 0]
    assert record.pathway.values.tolist() == ["none", "trained", "frozen 0.4"]
    np.testing.assert_allclose(record.fields, np.broadcast_to(w, (3, 2, 3, n)), rtol=1e-6)
    np.testing.assert_allclose(np.sqrt((record.linear.values**2).sum(-1))[:, 0, 0], [0, 0, 0.4], rtol=1e-6, atol=1e-9)
    with_v = w + record.linear.values
    np.testing.assert_allclose(record.sum_ipr, (with_v**4).sum(-1) / (with_v**2).sum(-1) ** 2, rtol=1e-6)
    far = np.roll(w, n // 2, axis=-1)
    for i, size in enumerate(sizes):
        pushed = w + size * far  # the same field at the far side has the same length
        np.testing.assert_allclose(record.return_cosine[1, i], np.broadcast_to(cosine(pushed, w), (2, 3)), rtol=1e-5)
        for g, gain in enumerate(gains):
            seen = pushed @ np.asarray(NonlinearGP(n, 2.0, gain).covariance())
            peaks, old = np.abs(seen).argmax(-1), np.abs(w).argmax(-1)
            near = np.isin((peaks - old) % n, [0, 1, n - 1])
            sign = np.sign(seen[np.arange(3), peaks]) == np.sign(w[np.arange(3), old])
            np.testing.assert_array_equal(record.foretold[1, i, g], near & sign)
    assert (record.return_cosine[0, 0] > record.return_cosine[0, 1]).all()
    total = sum(np.asarray(NonlinearGP(n, xi, INF).covariance(), float) for xi in (2.0, 1.0))
    rates = np.sort(-np.linalg.eigvalsh(total) / 4)[::-1]
    np.testing.assert_allclose(record.damping[1], rates, atol=1e-6)
    np.testing.assert_allclose(record.eigenvalues[1], np.broadcast_to(rates, (3, n)), atol=1e-6)
    np.testing.assert_allclose(record.top.sel(gain=INF), np.multiply.outer([1, (3 - 5**0.5) / 2, 1], [rates[0]] * 3), atol=1e-6)
    net_key, _ = jax.random.split(jax.random.fold_in(keys[3], 2))
    students = np.asarray(Committee(n, 2, key=jax.random.split(net_key, 3)).fields, float)
    for t, kind in enumerate(TEACHERS):
        for s in range(3):
            taught = teacher_fields(kind, n, 2, s)
            table = cosine(taught[:, None], students[s][None])
            best = max([[table[0, 0], table[1, 1]], [table[0, 1], table[1, 0]]], key=sum)
            np.testing.assert_allclose(record.match_cosine[0, t, :, s], [best, best], rtol=1e-5)
            np.testing.assert_allclose(record.teacher_fields[t, s], taught)
