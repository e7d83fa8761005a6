"""The ramps of `rotation-invariance`; its verdicts and figure on records made by hand."""

import functools
import itertools
import re

import judging
import numpy as np
import pytest
import xarray as xr
from drawn import panel
from pydantic import ValidationError
from scipy import special

from gatefield.experiments.convolution.rotation_invariance import experiment
from gatefield.experiments.convolution.rotation_invariance.moments import turned
from gatefield.experiments.convolution.rotation_invariance.ring import RingSettings, ramps, rotate
from gatefield.lab import headline


def test_rotations_go_the_same_way():
    x, _ = ramps(np.random.default_rng(0), 2, RingSettings(positions=7, length=3))
    one_by_one = rotate(np.tile(x[1], (7, 1)), np.arange(7))
    np.testing.assert_array_equal(turned(x), [x[0], *one_by_one])
    assert (one_by_one[2][:5] == x[1][2:]).all()


def test_ramps_rise_or_fall_at_one_place():
    x, y = ramps(np.random.default_rng(1), 2000, RingSettings(positions=12, length=4, noise=0.1))
    rising, falling = x[y > 0].mean(0), x[y < 0].mean(0)
    expected = np.concatenate([[0.25, 0.5, 0.75, 1.0], np.zeros(8)])
    assert abs(rising - expected).max() < 5 * 0.1 / 1000**0.5
    assert abs(falling[:4] - expected[3::-1]).max() < 5 * 0.1 / 1000**0.5


def test_ramps_must_leave_room():
    with pytest.raises(ValidationError, match=r"length must be at most half of the 8 positions, .* but is 5; write length=4"):
        RingSettings(positions=8, length=5)


N, SEEDS, NETS = 8, 4, ("rotating", "kept", "flatten")


def made():
    """Eight positions and ramps of three: no ramp was where it is after rotations 3 to 5."""
    rng = np.random.default_rng(0)
    exact = np.stack([np.full(N, 2.0), 1 + np.arange(N) / 10, 1 + np.arange(N) / 5])
    terms = rng.uniform(size=(2, N))
    terms *= 2.0 / terms.sum(1, keepdims=True)
    terms[1] = np.roll(terms[0], -2)
    error = rng.uniform(0.01, 0.02, (3, N))
    accuracy = rng.uniform(0.6, 0.9, (3, 2, SEEDS, N))
    accuracy[0] = 0.96
    accuracy[1:, 0, :, 0], accuracy[1:, 0, :, 3:6] = 0.95, 0.5
    blocks = np.where(np.arange(N) % 2, 0.5, 1e-6)
    return xr.Dataset(
        {
            "max_exact": ("rotation", np.full(N, 0.5)),
            "max_found": (("pooling", "rotation"), np.repeat([[0.51], [2.0], [0.3]], N, 1)),
            "max_error": (("pooling", "rotation"), np.repeat([[0.01], [0.02], [0.01]], N, 1)),
            "max_change": (("pooling", "rotation"), np.stack([np.full(N, 1e-6), np.full(N, 2e-6), blocks])),
            "exact": (("case", "rotation"), exact),
            "found": (("case", "rotation"), exact + error),
            "error": (("case", "rotation"), error),
            "change": ("gates", [1e-6, 0.7]),
            "terms": (("turn", "rotation"), terms),
            "accuracy": (("net", "training", "seed", "rotation"), accuracy),
            "output_change": (("net", "training", "seed"), rng.uniform(1e-6, 1e-5, (3, 2, SEEDS))),
            "loss": (("net", "training", "seed", "step"), rng.uniform(size=(3, 2, SEEDS, 5))),
        },
        {
            "case": ["rotating", "kept", "unpooled"],
            "pooling": ["chosen", "own", "blocks"],
            "rotation": np.arange(N),
            "turn": [0, 2],
            "gates": ["rotating", "kept"],
            "net": list(NETS),
            "training": ["one", "any"],
            "step": [0, 50, 100, 150, 200],
        },
        {"draws": 1000, "length": 3},
    )


def changed(*changes):
    return judging.changed_at(made(), *changes)


judged = functools.partial(judging.judged, experiment)


GAPS = np.array([0.01, 0.02, 0.03, 0.04])
"""By seed: the mean less 2.3534 standard errors, Student's one-sided 95 %, is 0.025 - 2.3534 * 0.006455 = 0.009809."""


def better(net, shift):
    """Accuracies at any place, the mean over rotations being 0.9 and less by the gaps; the other net is at 0.5."""
    waves = 0.01 * np.sin(2 * np.pi * np.arange(N) / N)
    return [
        ("accuracy", {"training": 1}, 0.5),
        ("accuracy", {"net": 0, "training": 1}, 0.9),
        ("accuracy", {"net": NETS.index(net), "training": 1}, 0.9 - (GAPS + shift)[:, None] + waves),
    ]


ONE, AWAY = {"training": 0}, {"training": 0, "rotation": slice(3, 6)}
MEAN = {"case": 2, "rotation": 6}


def by_chance(count):
    """What the largest of so many normal deviations exceeds in a hundredth of all cases, at most."""
    return float(np.sqrt(2) * special.erfcinv(0.01 / count))


@pytest.mark.parametrize(
    ("words", "changes", "measured", "holds"),
    [
        ("each term of which", [("terms", {"rotation": 0}, [2, 2 + 1.8e-12])], 9e-13, True),
        ("each term of which", [("terms", {"rotation": 0}, [2, 2 + 2.2e-12])], 1.1e-12, False),
        # the largest of 24 distances
        ("over sampled networks", [("error", MEAN, 0.1), ("found", MEAN, 2.2 - 0.1 * (by_chance(24) - 0.01))], 3.519, True),
        ("over sampled networks", [("error", MEAN, 0.1), ("found", MEAN, 2.2 + 0.1 * (by_chance(24) + 0.01))], 3.539, False),
        ("over sampled networks", [("error", {"case": 0}, 0.0)], 1, True),
        ("a gating network chooses", [("max_found", {"pooling": 0}, 0.5 - 0.0257)], 2.57, True),
        ("a gating network chooses", [("max_found", {"pooling": 0}, 0.5 + 0.0258)], 2.58, False),
        ("the outputs themselves choose", [("max_found", {"pooling": 1}, 0.5 + 0.0514)], 2.57, True),
        ("the outputs themselves choose", [], 75, False),
        ("maxima of blocks of two", [("max_change", {"pooling": 2, "rotation": 3}, 0.0101)], 0.0101, True),
        ("maxima of blocks of two", [("max_change", {"pooling": 2, "rotation": 3}, 0.0099)], 0.0099, False),
        ("maxima of blocks of two", [("max_change", {"pooling": 2, "rotation": 4}, 0.99e-4)], 0.5, True),
        ("maxima of blocks of two", [("max_change", {"pooling": 2, "rotation": 4}, 1.01e-4)], 0.5, False),
    ],
)  # fmt: skip
def test_verdicts_on_both_sides_of_their_bounds(words, changes, measured, holds):
    found = judged(changed(*changes), words)
    assert found.holds is holds
    assert found.predicted is None
    assert found.measured == pytest.approx(measured, rel=1e-3)


def row(record, words, at):
    (found,) = [one for one in judged(record, words).table if one.at == at]
    return found


@pytest.mark.parametrize(
    ("at", "name", "place"),
    [
        ("mean, sampled networks", "change", {"gates": 0}),
        ("mean, trained networks", "output_change", {"net": 0, "training": 1, "seed": 3}),
        ("maximum, sampled networks", "max_change", {"pooling": 1, "rotation": 5}),
    ],
)
def test_no_output_may_change_but_by_rounding(at, name, place):
    for change, holds in ((0.99e-4, True), (1.01e-4, False)):
        found = row(changed((name, place, change)), "rotations change no output", at)
        assert (found.holds, found.measured) == (holds, change)


@pytest.mark.parametrize(("case", "at"), [(1, "mean, gates kept in place"), (2, "no mean, gates rotate")])
def test_controls_must_change_more_than_the_largest_of_28_differences_does_by_chance(case, at):
    bound = by_chance(28)
    for z, holds in ((bound + 0.01, True), (bound - 0.01, False)):
        values = np.full(N, 2.0)
        values[[2, 5]] = 2 - 0.05 * z / 2, 2 + 0.05 * z / 2
        error = np.full(N, 9.0)
        error[[2, 5]] = 0.03, 0.04  # together 0.05
        found = row(
            changed(("found", {"case": case}, values), ("error", {"case": case}, error)), "when one input is rotated", at
        )
        assert (found.holds, found.measured) == (holds, pytest.approx(z))


@pytest.mark.parametrize("net", ["kept", "flatten"])
@pytest.mark.parametrize(
    ("words", "place"),
    [("at one place, a network with", {**AWAY, "net": 0}), ("at any place, a network with", {"training": 1})],
)
def test_the_network_with_both_must_be_better_beyond_the_interval_of_seeds(net, words, place):
    """Gaps by seed are 0.01 to 0.04 and a shift; at one place, where no ramp was, their mean over three rotations."""
    for shift, outcome in ((-0.0097, "holds"), (-0.0099, "not decided"), (-0.0403, "missed")):
        if "any" in words:
            record = changed(*better(net, shift))
        else:
            gaps = 0.9 - (GAPS + shift)[:, None] + np.array([-0.1, 0.1, 0.0])
            record = changed(
                ("accuracy", AWAY, 0.5), ("accuracy", place, 0.9), ("accuracy", {**AWAY, "net": NETS.index(net)}, gaps)
            )
        found = row(record, words, {"kept": "mean, gates kept in place", "flatten": "no mean, gates rotate"}[net])
        assert found.outcome == outcome
        assert found.measured == pytest.approx(100 * (0.025 + shift))


@pytest.mark.parametrize(("net", "at"), [(1, "mean, gates kept in place"), (2, "no mean, gates rotate")])
def test_other_networks_must_guess_where_no_ramp_was(net, at):
    """Student's 99 % interval of four seeds 0.01 around their mean: 5.8409 * 0.01 * sqrt(4/3)/2 = 3.372 points."""
    for mean, holds in ((0.5337, True), (0.5338, False), (0.4663, True), (0.4662, False)):
        seeds = mean + 0.01 * np.array([-1.0, 1.0, -1.0, 1.0])
        found = row(changed(("accuracy", {**AWAY, "net": net}, seeds[:, None] + np.array([-0.1, 0.0, 0.1]))), "guess where", at)
        assert (found.holds, found.predicted, found.measured) == (holds, 50, pytest.approx(100 * mean))
        assert "(95.00 ± 0.00 where they were seen)" in found.rule


def test_ramps_must_be_told_apart_to_ninety_percent_beyond_the_interval_of_seeds():
    """Student's one-sided 95 % of four seeds 0.01 around their mean: 2.3534 * 0.01 * sqrt(4/3)/2 = 1.359 points."""
    for mean, outcome in ((0.9136, "confirmed"), (0.9135, "not decided"), (0.8864, "refuted")):
        seeds = mean + 0.01 * np.array([-1.0, 1.0, -1.0, 1.0])
        found = judged(changed(("accuracy", {"net": 0, "training": 0}, seeds[:, None])), "are told apart at all")
        assert (found.outcome, found.measured) == (outcome, pytest.approx(100 * mean))


def test_what_is_said_of_the_record_made_by_hand():
    found = experiment.verdicts(made())
    refuted = [v.claim for v in found if v.outcome == "refuted"]
    assert refuted == [
        "the mean product E<y,y'> of two outputs behind a mean over positions is a sum over rotations, each term of which is "
        "invariant to translations by itself",
        "with max pooling at positions that the outputs themselves choose, the mean product E<y,y'> of two outputs is the sum "
        "over paths of paper 004, lemma 4.1",
    ]
    assert [v.kind for v in found].count("control") == 3
    assert len(found) == 11


def test_the_headline_gives_accuracies_elsewhere_and_says_what_the_remark_misses():
    record = changed(("terms", {"rotation": 0}, [0.25, 0.125]), ("accuracy", {**AWAY, "net": 2}, 0.48))
    found = experiment.verdicts(record)
    assert headline("?", found) == (
        "Ramps learned at one place are told apart elsewhere by a mean with rotating gates "
        "(96 % right; gates kept in place 50 %, no mean 48 %)"
    )
    assert headline("?", found, more=True) == (
        "The first term of the paper's sum changes by 50 % when x' is turned, the sum does not; "
        "behind a maximum over all positions no output changes"
    )


def test_the_numbers_of_the_headlines_stand_in_the_panels():
    """Beside the lines those of the shaded places, and the change of the first term where it is drawn."""
    record = changed(("terms", {"rotation": 0}, [0.25, 0.125]), ("accuracy", {**AWAY, "net": 2}, 0.48))
    axes = panel(experiment.figure(record), "(b)")
    assert [text.get_text() for text in axes.texts] == ["96 %", "50 %", "48 %"]
    (span,) = axes.patches
    assert (span.get_x(), span.get_width()) == (3, 2)  # ramps of three on a ring of eight
    assert not panel(experiment.figure(record), "(c)").texts
    terms = panel(experiment.figure(record), "(e)")
    arrow, beside = terms.texts
    assert beside.get_text() == "−50 %"
    assert sorted([arrow.xy[1], arrow.get_position()[1]]) == [0.125, 0.25]
    assert terms.get_title(loc="left").endswith("invariant: −50 % if x' turns by 2")
    (small,) = panel(experiment.more(record), "(a)").child_axes
    assert [bar.get_height() for bar in small.patches] == [0.25, 0.125]
    assert [text.get_text() for text in small.texts] == ["−50 %"]
    short = record.isel(rotation=slice(5))  # no place is free of a ramp of training
    assert not panel(experiment.figure(short), "(b)").texts


def test_short_trainings_decide_nothing_of_trained_networks():
    found = experiment.verdicts(made().assign_coords(step=[0, 50, 100, 150, 199]))
    assert sum(v.outcome == "not decided" for v in found) == 4


def test_notes():
    record = changed(("terms", {"rotation": 0}, [0.25, 0.125]), ("change", {"gates": 1}, 0.33))
    assert judged(record, "each term of which").note.startswith("term 0 is 0.25 for x' turned by 0, 0.125 for x' turned by 2")
    assert judged(record, "rotations change no output").note.endswith("with gates kept in place outputs change by up to 0.33")
    assert judged(made(), "a gating network chooses").note.startswith("0.5, sampled 0.51 ± 0.01")
    assert judged(made(), "the outputs themselves").note.startswith("0.5, sampled 2 ± 0.02, 4 times the sum")
    assert judged(made(), "maxima of blocks").note == "E<y,y'> from 0.3 to 0.3"


def test_blocks_need_an_even_number_of_positions():
    odd = judged(made().isel(rotation=slice(7)), "maxima of blocks of two")
    assert odd.outcome == "not judged"
    assert odd.why == "needs positions = 8, has 7; run with --set positions=8"


def test_figure_shows_maxima():
    record = made()
    moments = panel(experiment.figure(record), "(f)")
    times = record.max_found.values[list(record.pooling.values).index("own")].mean() / record.max_exact.values.mean()
    assert moments.get_title(loc="left") == f"(f) maxima of outputs are\n{times:.2g} times the lemma's sum"
    np.testing.assert_array_equal(moments.lines[0].get_ydata(), record.max_exact)
    labels = ["maximum of the gating network", "maximum of the outputs", "maxima of blocks of two, mean"]
    assert [bars.get_label() for bars in moments.containers] == labels
    for bars, found in zip(moments.containers, record.max_found.values, strict=True):
        np.testing.assert_array_equal(bars.lines[0].get_ydata(), found)
    *changes, floor = panel(experiment.more(record), "(b)").lines
    assert set(floor.get_ydata()) == {1e-8}
    for line, change in zip(changes, record.max_change.values, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), change)


def test_figure_shows_the_moments_and_the_terms():
    record = made()
    figure = experiment.figure(record)
    first = panel(figure, "(d)")
    for at, bars in enumerate(first.containers):  # lines and bars in turn: rotating, kept
        np.testing.assert_array_equal(first.lines[2 * at].get_ydata(), record.exact[at])
        np.testing.assert_array_equal(bars.lines[0].get_ydata(), record.found[at])
        ends = np.array([segment[:, 1] for segment in bars.lines[2][0].get_segments()])
        np.testing.assert_allclose(ends[:, 1] - ends[:, 0], 4 * record.error[at])
    second = panel(figure, "(e)")
    for at in range(2):
        np.testing.assert_array_equal(second.lines[at].get_ydata(), record.terms[at])
    np.testing.assert_array_equal(second.containers[0].lines[0].get_ydata(), record.found[2])
    moment, *sums = panel(experiment.more(record), "(a)").lines
    assert set(moment.get_ydata()) == {2.0}
    for at, line in enumerate(sums):
        np.testing.assert_allclose(line.get_ydata(), [record.terms.values[at, : r + 1].sum() for r in range(N)])


def test_small_moments_are_shown_in_units_of_a_power_of_ten():
    record = made()
    record["exact"], record["found"], record["error"] = (record[name] / 1000 for name in ("exact", "found", "error"))
    axes = panel(experiment.figure(record), "(d)")
    assert axes.get_ylabel() == "E⟨y, y'⟩ ($10^{-3}$)"
    assert axes.yaxis.get_major_formatter()(0.0015, 0) == "1.5"
    assert axes.yaxis.get_major_formatter()(-0.001, 0) == "−1"


@pytest.mark.parametrize(("at", "title"), [(0, "(b) trained at one place"), (1, "(c) trained at any place")])
def test_figure_shows_accuracies_by_rotation(at, title):
    record = made()
    axes = panel(experiment.figure(record), title)
    for net, line in enumerate(axes.lines[1:]):
        values = 100 * record.accuracy.values[net, at]
        np.testing.assert_allclose(line.get_ydata(), values.mean(0))
        band = axes.collections[net].get_paths()[0].vertices
        ends = band[band[:, 0] == 6.0][:, 1]
        np.testing.assert_allclose([ends.min(), ends.max()], [values[:, 6].min(), values[:, 6].max()])


def test_the_task_is_drawn_with_gates_that_rotate_and_gates_that_stay():
    """Ramps of three on eight positions; half a turn moves the falling one to positions 4 to 6."""
    axes = panel(experiment.figure(made()), "(a)")
    heights = np.array([bar.get_height() for bar in axes.patches]).reshape(3, N)
    rising = np.array([1 / 3, 2 / 3, 1])
    np.testing.assert_allclose(heights[:, :3], [rising, rising[::-1], np.zeros(3)])
    np.testing.assert_allclose(heights[2, 4:7], rising[::-1])
    opened = [line.get_xdata().tolist() for line in axes.lines if len(line.get_xdata()) == 3]
    assert opened == [[4, 5, 6], [0, 1, 2]]


def followed():
    """Figure 9 by hand: each node of a layer sees its own position and the next one, on a ring of three."""
    return [(w, i) for w in itertools.product((0, 1), repeat=3) for i in range(3)]


def test_the_drawing_shows_every_path_once():
    """Each small panel has the three paths of one strength, step by step from the input, by the weights of its title."""
    whole, *small = experiment.more(made()).axes[2:]
    assert len(small) == 8
    drawn = set()
    for axes in small:
        weights = tuple(int(digit) - 1 for digit in re.findall(r"\)\}_(\d)", axes.get_title()))
        for colour in ("C0", "C1", "C2"):
            steps = [line.get_ydata() for line in axes.lines if line.get_color() == colour]
            positions = [int(-y[0]) for y in steps]
            assert [y[1] for y in steps[:-1]] == [y[0] for y in steps[1:]]
            assert steps[-1][1] == -1  # the output
            end = positions[-1]
            assert positions == [(end + sum(weights[layer:])) % 3 for layer in range(4)]
            drawn.add((weights, end))
    assert drawn == set(followed())
    edges = {(line.get_xdata()[0], *line.get_ydata()) for line in whole.lines if len(line.get_xdata()) == 2}
    assert len(edges) == 3 * 6 + 3
