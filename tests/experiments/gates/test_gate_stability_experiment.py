"""What `gate-stability` reads off paths of fields; verdicts and figure on records made by hand."""

import jax
import numpy as np
import pytest
import xarray as xr
from drawn import assert_all_drawn, assert_line, panel, points
from judging import assert_only, changed_at, judged, scrambled, told
from scipy import stats

from gatefield.data import NonlinearGP, Task
from gatefield.experiments.gates.gate_stability import experiment
from gatefield.experiments.gates.gate_stability.paths import BATCH, SETTLED, follow, halfway_time, settling, settling_times

N, SAMPLES = 6, 4_000
TASK = Task(NonlinearGP(N, 2.0, 3.0), NonlinearGP(N, 1.0, 3.0))


def test_follow_against_counting():
    """Two paths of more states than fit into a batch, on an independent sample."""
    steps = BATCH + 4
    ends = np.random.default_rng(0).normal(size=(2, 2, 1, 2, N))
    share = np.linspace(0.0, 1.0, steps)[:, None, None] ** 0.5
    paths = ((1 - share) * ends[0] + share * ends[1]).astype(np.float32)
    found = {name: values for name, (_, values) in follow(paths, TASK, jax.random.key(0), SAMPLES).items()}
    x = np.concatenate([source.sample(jax.random.key(7), 50_000) for source in (TASK.positive, TASK.negative)])
    h = np.einsum("ptun,sn->ptus", paths[:, [0, 1, -1]], x)
    same = (h[:, 0] > 0) == (h[:, 1] > 0)
    like = (h[:, 0] > 0) == (h[:, 2] > 0)
    for value, counted in ((found["stability"][:, 0], same), (found["likeness"][:, 0], like)):
        p = counted.mean(-1)
        assert np.all(np.abs(value - p) < 4 * np.sqrt(p * (1 - p) / (2 * SAMPLES)) + 0.01)
    assert found["stability"].shape == (2, steps - 1, 2)
    np.testing.assert_allclose(found["likeness"][:, -1], 1.0)
    for inputs, part in ((0, slice(50_000)), (1, slice(50_000, None)), (2, slice(None))):
        expected = stats.kurtosis(h[:, 2, :, part], axis=-1)
        np.testing.assert_allclose(found["kurtosis"][:, -1, :, inputs], expected, atol=0.25)


def test_settling_finds_the_later_crossing():
    """The gate dips once more after it has settled; the field is half-way up from the third mark on."""
    likeness = xr.DataArray([[0.5], [0.96], [SETTLED - 0.01], [0.97], [1.0]], dims=("mark", "unit"))
    ipr = xr.DataArray([[0.1], [0.42], [0.6], [0.7], [0.8]], dims=("mark", "unit"))
    gate, shape = settling(xr.Dataset({"likeness": likeness, "ipr": ipr}))
    assert (int(gate[0]), int(shape[0])) == (3, 2)


GAINS, RATES, SAMPLES_MADE, SITES = [0.01, 3.0], [0.01, 0.12, 2.4], 20_000, 40
LEAD, SHAPE = ("gain", "rate", "seed"), (2, 3, 2)
TOP = {"gain": 1, "rate": 2}


def made():
    """A record in which all verdicts hold. The first six units of twelve localize, in both seeds, at the third mark of five."""
    rng = np.random.default_rng(0)
    exact = 1 - np.linspace(0.004, 0.002, 20)[:, None] * rng.uniform(0.9, 1.1, (*SHAPE, 20, 12))
    noise = rng.uniform(-1, 1, exact.shape) * np.sqrt(exact * (1 - exact) / (2 * SAMPLES_MADE))
    local = np.arange(12) < 6
    ipr = np.where(local, np.array([0.05, 0.06, 0.1, 0.4, 0.5])[:, None], np.linspace(0.05, 0.1, 5)[:, None])
    likeness = np.array([0.5, 0.96, 0.97, 0.98, 1.0])[:, None] * np.ones(12)
    kurtosis = np.zeros((*SHAPE, 5, 12, 3))
    kurtosis[0] = rng.choice([-0.05, 0.05], kurtosis[0].shape)
    kurtosis[1] = -np.linspace(0.5, 1.0, 5)[:, None, None]
    kurtosis[..., 2] = 0.3
    loss = np.linspace(0.25, 0.1, 21) + np.array([0.005, 0.002, 0.0])[:, None, None] * np.linspace(0, 1, 21)
    fields = rng.normal(size=(2, 1, 2, 12, SITES)) * np.array([1.0, 2.0, 3.0])[:, None, None, None]
    data = {
        "stability": ((*LEAD, "interval", "unit"), exact + noise),
        "gaussian_stability": ((*LEAD, "interval", "unit"), exact),
        "likeness": ((*LEAD, "mark", "unit"), np.broadcast_to(likeness, (*SHAPE, 5, 12)).copy()),
        "ipr": ((*LEAD, "mark", "unit"), np.broadcast_to(ipr, (*SHAPE, 5, 12)).copy()),
        "kurtosis": ((*LEAD, "mark", "unit", "inputs"), kurtosis),
        "final": ((*LEAD, "unit", "position"), fields),
        "loss": ((*LEAD, "step"), np.broadcast_to(loss, (*SHAPE, 21)).copy()),
    }
    coords = {
        "gain": GAINS,
        "rate": RATES,
        "step": 50 * np.arange(21),
        "interval": 50 * np.arange(20),
        "mark": 250 * np.arange(5),
        "inputs": ["positive", "negative", "both"],
    }
    return xr.Dataset(data, coords, {"samples": SAMPLES_MADE, "n": SITES, "units": 12})


def off(count, expected_flips=100.0):
    """So many of 1440 sampled probabilities at low gain three standard errors away, where so many flips are expected."""
    record = made()
    p = 1 - expected_flips / (2 * SAMPLES_MADE)
    places = np.unravel_index(np.arange(count), (3, 2, 20, 12))
    record.gaussian_stability.values[0][places] = p
    record.stability.values[0][places] = p + 3 * np.sqrt(p * (1 - p) / (2 * SAMPLES_MADE))
    return record


@pytest.mark.parametrize(
    ("count", "flips", "expected"), [(100, 100.0, True), (101, 100.0, False), (101, 10.1, False), (101, 9.9, True)]
)
def test_sampled_stability_is_held_against_the_exact_one_where_flips_are_seen(count, flips, expected):
    record = off(count, flips)
    found = judged(experiment, record, "agrees with the exact one")
    counted = 1440 - (count if flips < 10 else 0)
    assert found.holds is expected
    assert found.measured == pytest.approx(1.0 if flips < 10 else 1 - count / 1440)
    assert f"over {counted} intervals" in found.note
    assert found.predicted == 0.954


@pytest.mark.parametrize(("low", "count"), [(0.1, 8), (0.101, 6)])
def test_only_nearly_gaussian_data_are_held_against_gaussian_ones(low, count):
    assert len(told(experiment, made().assign_coords(gain=[low, 3.0]))) == count


def turned(record, rate, cosine, gain=1):
    """The record with fields at that rate that have this cosine with those of the longest training."""
    w = record.final.values[gain, -1]
    other = np.roll(w, 1, axis=-1)
    other -= (other * w).sum(-1, keepdims=True) / (w**2).sum(-1, keepdims=True) * w
    sizes = (np.linalg.norm(x, axis=-1, keepdims=True) for x in (w, other))
    along, across = (x / size for x, size in zip((w, other), sizes, strict=True))
    return changed_at(record, ("final", {"gain": gain, "rate": rate}, cosine * along + np.sqrt(1 - cosine**2) * across))


RARE = {"gain": 1, "rate": 0, "interval": 7}
FIRST, LAST = {"gain": 1, "rate": 0, "interval": slice(2)}, {"gain": 1, "rate": 0, "interval": slice(18, 20)}
NOTE_END, K_END = {"gain": 0, "rate": 0, "step": -1}, {"gain": 1, "rate": 1, "step": -1}


@pytest.mark.parametrize(
    ("words", "changes", "measured", "expected"),
    [
        ("very small fraction", [("stability", RARE, 0.9901)], 0.0099, True),
        ("very small fraction", [("stability", RARE, 0.9899)], 0.0101, False),
        ("very small fraction", [("stability", {**RARE, "rate": 1}, 0.9)], 0.0040625, True),
        ("last tenth", [("stability", FIRST, 0.996), ("stability", LAST, 0.99601)], 0.9975, True),
        ("last tenth", [("stability", FIRST, 0.996), ("stability", LAST, 0.99599)], 1.0025, False),
        ("below 2.4", [("loss", NOTE_END, 0.1074)], 0.0074 / 0.15, True),
        ("below 2.4", [("loss", NOTE_END, 0.1076)], 0.0076 / 0.15, False),
        ("below 2.4", [("loss", K_END, 0.1076)], 0.0076 / 0.15, False),
        ("falls as the field", [("kurtosis", {**TOP, "seed": 0, "mark": -1, "unit": 2, "inputs": 0}, -0.49)], 11 / 12, True),
        ("falls as the field", [("kurtosis", {**TOP, "mark": -1, "unit": 2, "inputs": 0}, -0.49)], 5 / 6, False),
        ("falls as the field", [("kurtosis", {**TOP, "mark": -1, "unit": slice(6, 12), "inputs": 0}, -0.49)], 1.0, True),
        ("falls as the field", [("kurtosis", {**TOP, "mark": -1, "inputs": 1}, -0.49)], 1.0, True),
        ("stay Gaussian", [("kurtosis", {"gain": 0, "inputs": slice(2)}, -0.0692)], 0.0692, True),
        ("stay Gaussian", [("kurtosis", {"gain": 0, "inputs": slice(2)}, -0.0694)], 0.0694, False),
        ("settles before", [("likeness", {**TOP, "mark": 3, "unit": slice(1)}, 0.94)], 5 / 6, True),
        ("settles before", [("likeness", {**TOP, "mark": 2, "unit": slice(5)}, 0.94)], 1 / 6, False),
        ("settles before", [("likeness", {**TOP, "mark": 1, "unit": slice(5)}, 0.94)], 1.0, True),
        ("settles before", [("likeness", {**TOP, "mark": 3, "unit": slice(6, 12)}, 0.94)], 1.0, True),
    ],
)  # fmt: skip
def test_both_sides_of_each_bound(words, changes, measured, expected):
    record = changed_at(made(), *changes)
    assert_only(experiment, record, words, expected)
    assert judged(experiment, record, words).measured == pytest.approx(measured, rel=1e-3)


@pytest.mark.parametrize(("late", "outcome"), [(5, "refuted"), (4, "not decided"), (2, "not decided"), (1, "confirmed")])
def test_what_settles_first_is_decided_beyond_the_interval_over_units(late, outcome):
    """So many of 6 units in both seeds settle late; Wilson's interval of 2 of 12 ends at 0.45, that of 4 of 12 at 0.61."""
    found = judged(
        experiment, changed_at(made(), ("likeness", {**TOP, "mark": 3, "unit": slice(late)}, 0.94)), "settles before"
    )
    assert found.outcome == outcome
    words = "in 12 of 12 units that localize at gain 3 the gate is half-way before its field"
    assert found.found == found.otherwise == f"{words}; in {12 - 2 * late} is it as at the end (95 % of inputs) by then"


def test_the_headline_says_none_where_no_gate_settles_first():
    record = changed_at(made(), ("likeness", {**TOP, "mark": 3}, 0.94))
    assert judged(experiment, record, "settles before").otherwise.endswith(
        "in none is it as at the end (95 % of inputs) by then"
    )


def test_the_second_figure_is_headed_by_where_kurtosis_begins_and_ends():
    """Medians over the units of both seeds, at the highest rate, which stand beside their thick lines too."""
    last = ("kurtosis", {"gain": 0, "mark": -1, "inputs": 0}, 0.014)
    record = changed_at(
        made(), ("kurtosis", {"gain": 0, "inputs": 0}, -0.021), last, ("kurtosis", {**TOP, "inputs": 2}, -0.871)
    )
    there = "at gain 3, where 12 of 24 units localize, excess kurtosis within a class goes from −0.50 to −1.00"
    found = judged(experiment, record, "falls as the field")
    assert found.more_found == found.more_otherwise == f"{there}; at gain 0.01, from −0.02 to +0.01"
    said = [[text.get_text() for text in axes.texts] for axes in experiment.more(record).axes[:2]]
    assert said == [["−0.02", "+0.30", "+0.01"], ["−0.50", "−0.87", "−1.00"]]
    assert judged(experiment, record.isel(gain=[1]), "falls as the field").more_found == there


@pytest.mark.parametrize(("spread", "outcome"), [(0.0004, "confirmed"), (0.002, "not decided")])
def test_fewer_flips_are_told_beyond_their_error_over_seeds(spread, outcome):
    record = changed_at(made(), ("stability", FIRST, 0.996), ("stability", LAST, 0.997))
    record["stability"][{**LAST, "seed": 0}] += spread
    record["stability"][{**LAST, "seed": 1}] -= spread
    found = judged(experiment, record, "last tenth")
    assert found.outcome == outcome
    assert [bound.at for bound in found.table][:2] == ["rate 0.01, gain 0.01", "rate 0.01, gain 3"]
    # flips 0.003 + or - spread over 0.004: a standard error of spread / 0.004, and two of them
    assert found.table[1].error == pytest.approx(2 * spread / 0.004)


@pytest.mark.parametrize(("cosine", "expected"), [(0.901, True), (0.899, False)])
@pytest.mark.parametrize("rate", [0, 1])
def test_a_training_has_converged_only_if_its_fields_have_too(rate, cosine, expected):
    """The loss has: it is at 0.033 and 0.013 of what can be shed."""
    assert_only(experiment, turned(made(), rate, cosine), "below 2.4", expected)


def test_convergence_in_numbers():
    table = judged(experiment, turned(made(), 0, 0.93), "below 2.4").table
    assert [bound.at for bound in table[::2]] == [f"rate {rate}, gain {gain}" for rate in (0.01, 0.12) for gain in (0.01, 3)]
    assert [bound.measured for bound in table[:4]] == pytest.approx([0.0333, 1.0, 0.0333, 0.93], abs=1e-4)


@pytest.mark.parametrize(("ratio", "share"), [(0.1501, 12 / 14), (0.1499, 1.0)])
def test_a_unit_counts_as_localized_from_six_times_a_flat_field_on(ratio, share):
    """One more unit in each seed, whose kurtosis rises."""
    more = {**TOP, "mark": -1, "unit": 9}
    found = judged(experiment, changed_at(made(), ("ipr", more, ratio), ("kurtosis", {**more, "inputs": 0}, 0.0)), "falls as")
    assert found.measured == pytest.approx(share)


def flipping(shift, rate=2):
    """A record whose localized units flip more often than the others by a share of the spread, and those flips."""
    record = made()
    flips = np.linspace(0.001, 0.005, 12).reshape(6, 2)  # in turn: a localized unit, then another
    both = np.concatenate([flips[:, 0] + shift * 0.004, flips[:, 1]])
    record["stability"][{"gain": 1, "rate": rate}] = (
        1 - np.broadcast_to(both, (2, 20, 12)) * np.array([1.0, 1.001])[:, None, None]
    )
    total = 20 * both * np.array([[1.0], [1.001]])
    return record, total[:, :6].ravel(), total[:, 6:].ravel()


@pytest.mark.parametrize(("shift", "low", "high"), [(0.3, 0.05, 0.2), (0.6, 0.005, 0.05)])
def test_localized_units_and_others_are_told_apart_by_a_test(shift, low, high):
    record, local, other = flipping(shift)
    found = judged(experiment, record, "flip equally often")
    chance = stats.mannwhitneyu(local, other).pvalue
    assert low < chance < high
    assert found.holds is bool(chance >= 0.05)
    assert (found.predicted, found.measured) == pytest.approx((np.median(other), np.median(local)))
    assert "predicted from 12 units" in found.note
    assert "at a rate of 2.4" in found.note


def test_units_are_compared_at_the_longest_training_with_ten_of_each():
    few = changed_at(made(), ("ipr", {**TOP, "mark": -1, "unit": [0, 1]}, 0.1))  # 8 localized ones are left
    assert "at a rate of 0.12" in judged(experiment, few, "flip equally often").note
    ten = changed_at(made(), ("ipr", {**TOP, "mark": -1, "unit": 0}, 0.1))
    assert "measured on 10 that did, at a rate of 2.4" in judged(experiment, ten, "flip equally often").note
    none = changed_at(made(), ("ipr", {"gain": 1}, 0.1))
    whys = [v.why for v in experiment.verdicts(none) if not v.bounds]
    assert len(whys) == 3
    assert "needs 10 localized units and 10 others, has 0 and 24 at the rate 2.4; run with --set seeds=20" in whys


def test_notes_on_flips_settling_and_kurtosis():
    record = changed_at(
        made(),
        ("stability", TOP, 0.98),
        ("likeness", {**TOP, "mark": 0}, 0.75),
        ("kurtosis", {**TOP, "mark": -1, "unit": slice(6, 12), "inputs": 0}, -0.2),
    )
    note = judged(experiment, record, "very small fraction").note
    assert note == "flips add up: 0.40 per input in all for a net change of 0.25, at rate 2.4, gain 3"
    found = judged(experiment, record, "settles before")
    assert "12 of 24 units localize" in found.note
    assert "medians 600 and 1,800 τ; half-way" in found.note
    assert "half-way by both, medians 600 and 1800 τ" in found.note
    note = judged(experiment, record, "falls as the field").note
    assert note.startswith("median from -0.50 to -1.00; a single site has -1.")
    assert note.endswith("median change +0.30")
    assert "it is 0.30 at the end" in judged(experiment, record, "stay Gaussian").note


SHADES = ["#440154", "#2a788e", "#7ad151"]
"""Of viridis, from its start to four fifths of it: the learning rates."""


def drawn():
    return scrambled(made()).isel(unit=slice(3))


def test_second_figure_shows_kurtosis_and_every_unit_of_the_first_seed():
    record = drawn()
    panels = experiment.more(record).axes
    kurtosis, rows, flips = (sorted(panels, key=lambda axes: axes.get_title(loc="left"))[at : at + 2] for at in (0, 2, 4))
    some = np.unique(np.geomspace(1, 20, 30).round().astype(int)) - 1
    for g in range(2):
        for r, color in enumerate(SHADES):
            one = record.isel(gain=g, rate=r, seed=0)
            assert_all_drawn(rows[g], [field / np.abs(field).max() for field in one.final.values], color=color)
            assert_all_drawn(flips[g], (1 - one.stability.values[some].T) / (50 * RATES[r]), color=color)
            np.testing.assert_allclose(points(flips[g], color=color)[0][0], (50 * some + 25) * RATES[r])
        each = record.kurtosis.values[g, 2]
        for inputs, color, style in ((2, "#009E73", "-"), (0, "black", ":")):
            middle = np.median(each[..., inputs], axis=(0, 2))
            assert_all_drawn(kurtosis[g], [*each[0, 1:, :, inputs].T, middle[1:]], color=color, style=style)
            np.testing.assert_allclose(points(kurtosis[g], color=color, style=style)[-1][0], record.mark[1:] * 2.4)
            start = record.mark.values[1] * 2.4 / 3  # of the logarithmic axis, beside the records
            assert_line(kurtosis[g], [start], middle[:1], color=color, marker="D")
    assert [text.get_text() for text in rows[0].get_xticklabels()] == ["unit 1", "unit 2", "unit 3"]


def test_figure_shows_flips_by_time():
    record = drawn()
    first, second = experiment.figure(record), experiment.more(record)
    flips = panel(first, "(d)")
    middles = 50 * np.arange(20) + 25.0
    some = np.unique(np.geomspace(1, 20, 30).round().astype(int)) - 1
    for r, (rate, color) in enumerate(zip(RATES, SHADES, strict=True)):
        for g, marker in enumerate("os"):
            one = record.isel(gain=g, rate=r)
            shown = (1 - one.stability.values).mean((0, 2)) / (50 * rate)
            assert_line(flips, middles[some] * rate, shown[some], color=color, marker=marker)
    exact = points(flips, color="black")
    np.testing.assert_allclose([x for x, _ in exact], np.outer(RATES, middles))
    expected = [(1 - record.gaussian_stability.values[0, r]).mean((0, 2)) / (50 * rate) for r, rate in enumerate(RATES)]
    np.testing.assert_allclose([y for _, y in exact], expected)
    names = [f"rate {rate:g}" for rate in RATES]
    of_first = first.subfigs[1].subfigs[1], ["exact", *names, "gain 0.01", "gain 3"]
    for part, expected in (of_first, (second.subfigs[-1], names)):
        assert [text.get_text() for text in part.legends[0].get_texts()] == expected


def test_figure_shows_p_at_the_notes_rate_beside_the_exact_one():
    record = drawn()
    axes = panel(experiment.figure(record), "(c)")
    most = 100 * (1 - record.stability.values[:, 0].mean((1, 3)).min())
    assert axes.get_title(loc="left") == f"(c) gates: at most {most:.2g} % flip in 50 steps"
    time = (50 * np.arange(20) + 25) * 0.01
    for g, marker in enumerate("os"):
        assert_line(axes, time, record.stability.values[g, 0].mean((0, 2)), marker=marker)
    assert_line(axes, time, record.gaussian_stability.values[0, 0].mean((0, 2)), color="black")


def test_figure_shows_when_gates_and_fields_of_each_localized_unit_settle():
    """By hand: two of three units localize, and their fields are half-way at the fourth mark of five; a gate of one settles
    only at the last, and is half-way at the second."""
    record = changed_at(made().isel(unit=slice(4, 7)), ("likeness", {**TOP, "mark": 3, "unit": 0, "seed": 1}, 0.94))
    half, end = experiment.figure(record).axes[:2]
    ((x, both),), ((again, settled),) = (points(axes, marker="o") for axes in (half, end))
    np.testing.assert_allclose([x, again], [[1800.0] * 4] * 2)
    assert (sorted(both), sorted(settled)) == ([600.0] * 4, [600.0] * 3 + [2400.0])
    titles = ["(a) half-way before its field: 4 of 4", "(b) at 95 % before field half-way: 3 of 4"]
    assert [axes.get_title(loc="left") for axes in (half, end)] == titles
    for axes in (half, end):
        ((line, same),) = points(axes, color="black")
        np.testing.assert_allclose(line, same)
        assert axes.get_xlim() == axes.get_ylim() == half.get_xlim()


def test_gates_are_half_way_when_half_of_what_they_lack_is_gone():
    """From 0.5 to 1: half-way is 0.75, reached for good at the third of five marks; 0.95 at the last but one."""
    record = changed_at(
        made(), *(("likeness", {**TOP, "mark": at}, value) for at, value in enumerate((0.5, 0.8, 0.76, 0.96, 1.0)))
    )
    one = record.isel(gain=1, rate=2)
    assert halfway_time(one) == 600.0
    late = changed_at(record, ("likeness", {**TOP, "mark": 2}, 0.74)).isel(gain=1, rate=2)
    assert halfway_time(late) == settling_times(late)[0] == 1800.0
