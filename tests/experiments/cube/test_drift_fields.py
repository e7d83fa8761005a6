"""Verdicts and figure of `drift-fields` on records made by hand."""

import functools

import judging
import numpy as np
import pytest
import xarray as xr
from scipy import special, stats

from gatefield.experiments.cube.drift_fields import experiment
from gatefield.lab import headline

FIELDS = [("site", 0), ("bump", 1.5), ("bump", 4), ("Gabor", 3), ("Gabor", 5), ("Gabor", 8), ("sinusoid", 3), ("sinusoid", 0),
          ("random", 0), ("random", 1), ("random", 2)]  # fmt: skip
NAMED = {"site": 0, "bump 1.5": 1, "bump 4": 2, "Gabor 5": 4, "cos 3": 6, "flat": 7}
"""Place of each field of the earlier table."""
RANDOM = slice(8, 11)
GAINS, XIS = (0.01, 1.0, 3.0, 100.0, np.inf), (1.0, 2.0, 5.0)
BEFORE = {
    1.0: "019/040/080 009/039/038 068/076/050 029/054/076 061/125/272 011/019/020 008/015/037",
    3.0: "023/047/119 039/031/058 101/128/083 036/069/125 086/228/467 013/022/032 009/018/044",
    100.0: "026/044/124 059/078/080 108/128/113 037/068/136 103/278/555 013/022/039 013/019/043",
}
"""Errors of the closure in thousandths, for length scales 1/2/5: random, site, bump 1.5, bump 4, Gabor 5, cos 3, flat."""


def cells(gain):
    rows = [[float(v) / 1000 for v in row.split("/")] for row in BEFORE[gain].split()]
    return dict(zip(("random", *NAMED), np.array(rows), strict=True))


def made(n=40, gains=GAINS, xis=XIS):
    """Six sites. Sampled drifts are one standard error off the exact ones, the closure is far off but at the lowest gain."""
    rng = np.random.default_rng(0)
    shape = (len(gains), len(xis), len(FIELDS), 6)
    error = rng.uniform(0.01, 0.02, shape)
    sampled = rng.normal(size=shape)
    closure = sampled + 9.0
    closure[0] = sampled[0] + error[0]
    missed = rng.uniform(0.1, 0.2, shape[:3])
    noise = np.full(shape[:3], 0.001)
    for at, gain in enumerate(gains):
        for name, row in (cells(gain) if gain in BEFORE else {}).items():
            missed[at, :, RANDOM if name == "random" else NAMED[name]] = row[:, None] if name == "random" else row
    small = rng.normal(size=(len(xis), 2, 4))
    axes, where = ("gain", "xi", "field", "position"), ("xi", "small_field", "small_position")
    return xr.Dataset(
        {
            "sampled": (axes, sampled),
            "error": (axes, error),
            "closure": (axes, closure),
            "gaussian": (axes, rng.normal(size=shape)),
            "closure_error": (axes[:3], missed),
            "noise": (axes[:3], noise),
            "passed": (axes[:3], rng.uniform(size=shape[:3])),
            "site_exact": (("gain", "xi", "position"), (sampled + error)[:, :, 0]),
            "w": (("field", "position"), rng.normal(size=shape[2:])),
            "small_exact": (where, small),
            "small_sampled": (where, small + 0.01),
            "small_sampling_error": (where, np.full(small.shape, 0.01)),
            "small_closure_error": (where[:2], [[0.1, 0.2], [0.3, 0.9], [0.4, 0.5]][: len(xis)]),
        },
        {
            "gain": list(gains),
            "xi": list(xis),
            "kind": ("field", [kind for kind, _ in FIELDS]),
            "value": ("field", [float(value) for _, value in FIELDS]),
            "position": np.arange(6),
            "small_kind": ("small_field", ["bump", "sinusoid"]),
        },
        {"n": n, "samples": 1000},
    )


judged = functools.partial(judging.judged, experiment)


@pytest.mark.parametrize(
    ("words", "name", "exact", "error", "at", "count"),
    [
        ("the gate of one site", "sampled", "site_exact", "error", {"gain": 2, "xi": 1, "field": 0, "position": 5}, 90),
        ("of signs on 4", "small_sampled", "small_exact", "small_sampling_error",
         {"xi": 2, "small_field": 1, "small_position": 0}, 24),
        ("(gain 0.01) the closure is the drift", "sampled", "closure", "error", {"gain": 0, "xi": 2, "field": 7, "position": 1},
         198),
    ],
)  # fmt: skip
@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize(("size", "unit"), [(0.02, 0.02), (0.0, 1e-6)])
def test_the_worst_deviation_is_judged_in_standard_errors_or_in_rounding(
    words, name, exact, error, at, count, sign, size, unit
):
    """In a hundredth of all runs chance takes the largest of so many to the bound: each with a chance of 0.01/count."""
    bound = np.sqrt(2) * special.erfcinv(0.01 / count)
    for z, holds in ((bound - 0.01, True), (bound + 0.01, False)):
        record = made()
        record[error][at] = size
        record[name][at] = record[exact].isel({dim: i for dim, i in at.items() if dim in record[exact].dims}) + sign * z * unit
        found = judged(record, words)
        assert found.holds is holds
        assert found.measured == pytest.approx(z, rel=1e-6)
        assert (found.predicted, found.kind) == (None, "control" if "signs" in words else "prediction")


def test_drifts_that_noise_hides_say_nothing_of_the_closure():
    record, words = made(), "(gain 0.01) the closure is the drift"
    record.closure[{"gain": 0, "xi": 1, "field": 4}] += 1.0
    assert not judged(record, words).holds
    record.noise[{"gain": 0, "xi": 1, "field": 4}] = 0.1
    found = judged(record, words)
    assert found.holds
    assert found.note.startswith("192 comparisons of the 32 of 33 drifts whose noise is below 0.1 of them")
    record.noise[{"gain": 0}] = 0.3
    assert judged(record, words).why == ("needs a drift with noise below 0.1 of it, has 0.3; run with --set samples=100000")


@pytest.mark.parametrize("gain", BEFORE)
@pytest.mark.parametrize(("name", "xi"), [(name, i % 3) for i, name in enumerate(NAMED)])
def test_a_cell_of_the_earlier_table_may_be_off_by_its_room_and_twice_the_noise(gain, name, xi):
    sign = 1 if xi == 1 else -1
    for off, holds in ((0.0049, True), (0.0051, False)):
        record = made()
        at = {"gain": GAINS.index(gain), "xi": xi, "field": NAMED[name]}
        record.noise[at] = 0.002
        record.closure_error[at] = cells(gain)[name][xi] + sign * (off + 0.004)
        found = judged(record, "a Gabor and two sinusoids are those found before")
        assert (found.holds, found.kind) == (holds, "regression")
        rows = {row.at: row for row in found.table}
        assert {at for at, row in rows.items() if not row.holds} == (set() if holds else {f"gain {gain:g}"})
        row = rows[f"gain {gain:g}"]
        assert row.predicted == pytest.approx(cells(gain)[name][xi])
        assert row.measured == pytest.approx(cells(gain)[name][xi] + sign * (off + 0.004))
        assert row.rule.startswith(f"error for {name} at ξ = {XIS[xi]:g}, within")


@pytest.mark.parametrize("gain", BEFORE)
@pytest.mark.parametrize(("sign", "others"), [(1, (0.05, 0.02)), (-1, (-0.02, -0.05))])
def test_the_earlier_random_field_lies_in_the_spread_of_random_ones(gain, sign, others):
    """All other fields on one side: the nearest one may be 0.005 away."""
    for off, holds, inside in ((0.0049, True, 3), (0.0051, False, 2)):
        record = made()
        record.closure_error[{"gain": GAINS.index(gain), "xi": 1, "field": RANDOM}] = cells(gain)["random"][1] + np.array(
            [others[0], sign * off, others[1]]
        )
        found = judged(record, "the random field tried before")
        assert (found.holds, found.kind) == (holds, "regression")
        assert {row.at: row.measured for row in found.table} == {f"gain {g:g}": inside if g == gain else 3 for g in BEFORE}


def test_the_earlier_table_is_asked_only_at_its_own_size():
    def said(record):
        found = [v for v in judging.told(experiment, record) if "before" in v.claim]
        return [len(v.table) for v in found]

    assert said(made()) == [3, 3]
    assert said(made(n=39)) == []
    assert said(made(xis=(1.0, 2.0, 4.0))) == []
    assert said(made(gains=(0.01, 3.0, np.inf))) == [1, 1]


@pytest.mark.parametrize(
    ("ranks", "rank", "holds"),
    [([4, 2, 3, 1, 6, 5, 8, 7, 9], 1 - 22 / 120, True), ([4, 2, 3, 1, 7, 6, 5, 8, 9], 1 - 26 / 120, False)],
)
def test_errors_of_gabors_rise_with_frequency_over_bandwidth(ranks, rank, holds):
    """By hand: frequency times length scale of (3, 5, 8) and (1, 2, 5) in rising order, and Spearman's 1 - 6 sum d²/(9*80).

    Below the bandwidth, 9.003/ξ, are the first four; 25 and 40 are above twice of it.
    """
    rising = [(0, 3), (0, 4), (1, 3), (0, 5), (1, 4), (2, 3), (1, 5), (2, 4), (2, 5)]  # (length scale, field)
    record = made()
    record.closure_error[{"gain": -1, "field": 0}] = 9.0
    for (xi, field), error in zip(rising, ranks, strict=True):
        record.closure_error[{"gain": -1, "xi": xi, "field": field}] = error / 10
    found = judged(record, "at gain ∞ the closure fails the more for a Gabor")
    assert found.holds is holds
    assert found.measured == pytest.approx(rank)
    errors = f"0.25 below it, {sum(ranks[-2:]) / 20:.2f} above twice of it"
    assert found.note.endswith(f": {errors}")
    one = record.closure_error.values[-1]
    kinds = [np.median(one[:, at]) for at in ([0], [1, 2], [3, 4, 5], [6, 7], RANDOM)]
    low, high = (100 * end(kinds) for end in (min, max))
    assert headline("?", experiment.verdicts(record)) == (
        f"At gain ∞ the closure errs by {low:.0f} to {high:.0f} % (medians by kind), by {100 * sum(ranks[-2:]) / 20:.0f} % for "
        "Gabors above twice the data's bandwidth"
        + (": the more, the faster they are" if holds else "; frequency alone does not decide")
    )


def test_the_headline_leaves_out_what_is_not_there():
    """At ξ = 1 and 2 no Gabor of three or five cycles is above twice the bandwidth, 9.003/ξ."""
    record = made().isel(xi=[0, 1], field=[0, 1, 3, 4])
    said = headline("?", experiment.verdicts(record))
    assert "% (medians by kind) of the drift" in said
    assert "Gabors" not in said
    assert headline("?", experiment.verdicts(record), more=True) == "?"
    assert list(drawn(record, more=True))[1].startswith("(b) ξ = 2\ngain 1 to ∞: ")


def test_the_second_headline_gives_the_fast_gabors_at_the_ends_of_the_gains():
    """Above twice the bandwidth at ξ = 5, 3.6 cycles, are those of five and of eight cycles."""
    record = made()
    record.closure_error[{"xi": 2, "gain": 1, "field": [4, 5]}] = [0.2, 0.4]
    record.closure_error[{"xi": 2, "gain": 4, "field": [4, 5]}] = [0.6, 0.7]
    assert headline("?", experiment.verdicts(record), more=True) == (
        "For Gabors above twice the data's bandwidth the closure errs by 30 % at gain 1, 65 % at gain ∞ (medians at ξ = 5)"
    )
    assert drawn(record, more=True)["(c) ξ = 5, above 2 $k_c$\ngain 1 to ∞: 30 % to 65 %"]


@pytest.mark.parametrize(("part", "holds"), [(0.58, True), (0.59, False)])
def test_errors_fall_with_the_power_that_the_data_leave(part, holds):
    """The rank correlation, here by SciPy, is -0.516 and -0.498."""
    record = made()
    error = record.closure_error.isel(gain=-1)
    noise = np.random.default_rng(3).permutation(error.size).reshape(error.shape)
    order = stats.rankdata(error).reshape(error.shape)
    record.passed[{"gain": -1}] = -(1 - part) * order + part * noise
    found = judged(record, "the less power of a field the data leave")
    rank = stats.spearmanr(record.passed.isel(gain=-1).values.ravel(), error.values.ravel()).statistic
    assert abs(rank + 0.5) < 0.03
    assert found.measured == pytest.approx(rank)
    assert found.holds is holds is bool(rank < -0.5)
    assert f"site {float(error[:, 0].median()):.3f}, bump" in found.note


def test_notes_name_what_else_was_found():
    assert judged(made(), "of signs on 4 sites").note.startswith(
        "24 comparisons; the closure is off by 0.350 at the median, at most by 0.900 (sinusoid)"
    )
    assert judged(made(), "the gate of one site").note.startswith("90 comparisons")


def drawn(record, more=False):
    figure = (experiment.more if more else experiment.figure)(record)
    return {axes.get_title(loc="left"): axes for axes in figure.axes}


def test_figure_shows_drifts_of_four_fields_at_the_highest_gain():
    record, last = made(), {"gain": -1, "xi": -1}
    record.closure_error[{**last, "field": [1, 6, 4, 8]}] = [0.114, 0.04, 0.564, 0.1]
    panels = drawn(record)
    for title, field in {
        "(c) bump, width 1.5:\noff by 11 %": 1,
        "(d) cosine, 3 cycles:\noff by 4 %": 6,
        "(e) Gabor, 5 cycles:\noff by 56 %": 4,
        "(f) random:\noff by 10 %": 8,
    }.items():
        one = record.isel(**last, field=field)
        length = np.sqrt((one.sampled**2).sum())
        _, w, sampled, closure, gaussian = panels[title].lines
        for line, name in ((sampled, "sampled"), (closure, "closure"), (gaussian, "gaussian")):
            np.testing.assert_allclose(line.get_ydata(), one[name] / length)
        np.testing.assert_allclose(w.get_ydata(), one.w / abs(one.w).max() * abs(one.sampled).max() / length)


def test_figure_shows_the_errors_of_the_closure():
    record = made()
    record.closure_error[{"gain": -1, "xi": 1, "field": 2}] = 1e-6  # shown at the lower edge
    record["noise"] = 0.01 * record.closure_error + 0.003
    panels = drawn(record)
    kinds = {"site": [0], "bump": [1, 2], "sinusoid": [6, 7], "Gabor": [3, 4, 5], "random": [8, 9, 10]}
    axes = panels["(b) all fields, gain ∞: medians by kind"]
    lines = iter(axes.lines)
    medians = [line.get_ydata() for line in axes.lines if line.get_linewidth() == 4]
    shown = [float(record.closure_error[-1, :, fields].median()) for fields in kinds.values()]
    np.testing.assert_allclose(medians, [[value] * 2 for value in shown])
    names = [label.get_text().splitlines()[1] for label in axes.get_xticklabels()]
    assert names == [f"{100 * value:.2g} %" for value in shown]
    for at, fields in enumerate(kinds.values()):
        for i in range(3):
            for name in ("noise", "closure_error"):
                line = next(lines)
                np.testing.assert_allclose(line.get_ydata(), np.maximum(record[name][-1, i, fields], 1e-4))
                assert line.get_xdata().mean() == pytest.approx(at + 0.24 * (i - 1))
    lines = [line for line in panels["(a) Gabors by their frequency, gain ∞"].lines if len(line.get_xdata()) == 3]
    assert len(lines) == 2 * 3
    for xi, (curve, noise) in enumerate(zip(lines[::2], lines[1::2], strict=True)):
        np.testing.assert_allclose(curve.get_ydata(), record.closure_error[-1, xi, 3:6])
        np.testing.assert_allclose(noise.get_ydata(), record.noise[-1, xi, 3:6])
        for line in (curve, noise):
            np.testing.assert_allclose(line.get_xdata(), np.array([3, 5, 8]) * XIS[xi] * np.sqrt(2) * np.pi / 40)


def test_figure_draws_the_medians_and_points_at_errors_that_fall_again():
    """Below the bandwidth are three Gabors at ξ = 1 and one at 2; above twice of it two at ξ = 5."""
    record = made()
    record.closure_error[{"gain": -1, "field": slice(3, 6)}] = [[0.1, 0.2, 0.3], [0.4, 0.8, 0.5], [0.6, 0.9, 0.95]]
    axes = drawn(record)["(a) Gabors by their frequency, gain ∞"]
    medians = [line.get_ydata() for line in axes.lines if line.get_linewidth() == 4]
    np.testing.assert_allclose(medians, [[0.25, 0.25], [0.925, 0.925]])
    texts = [text.get_text() for text in axes.texts]
    assert texts == ["median 25 %", "median 92 %", "ξ = 2: falls again\nabove the bandwidth"]
    assert axes.texts[2].xy == pytest.approx((8 * 2 * np.sqrt(2) * np.pi / 40, 0.5))
    record.closure_error[{"gain": -1, "xi": 1, "field": 5}] = 0.7
    assert len(drawn(record)["(a) Gabors by their frequency, gain ∞"].texts) == 2


def test_more_shows_the_errors_of_gabors_by_gain():
    """A panel for each length scale; gain 0.01 is nearly Gaussian, and 100 lies on infinity."""
    record = made()
    panels = list(drawn(record, more=True).values())
    for xi, axes in enumerate(panels[:3]):
        curves = [line for line in axes.lines if len(line.get_xdata()) == 3]
        assert [line.get_label() for line in curves] == ["gain 1", "gain 3", "gain ∞"]
        for gain, line in zip((1, 2, 4), curves, strict=True):
            np.testing.assert_allclose(line.get_ydata(), record.closure_error[gain, xi, 3:6])
            np.testing.assert_allclose(line.get_xdata(), np.array([3, 5, 8]) * XIS[xi] * np.sqrt(2) * np.pi / 40)


def test_more_shows_sampled_drifts_of_one_site_beside_exact_ones():
    record = made()
    lines = list(drawn(record, more=True).values())[3].lines
    for g in range(5):
        exact, marks = lines[2 * g : 2 * g + 2]
        np.testing.assert_array_equal(exact.get_xdata(), np.arange(-3, 3))
        np.testing.assert_array_equal(exact.get_ydata(), record.site_exact[g, -1])
        np.testing.assert_array_equal(marks.get_ydata(), record.sampled[g, -1, 0])


def test_more_shows_the_shares_of_deviations_above_each_size():
    record = made()
    record.sampled[{"field": 0}] = record.site_exact - record.error[:, :, 0] * np.random.default_rng(1).normal(size=(5, 3, 6))
    record.error[{"gain": 2, "xi": 0, "field": 0, "position": 0}] = 0.0  # in rounding errors then
    site, small, law = list(drawn(record, more=True).values())[4].lines
    z = np.abs(record.sampled[:, :, 0] - record.site_exact).values / np.maximum(record.error[:, :, 0].values, 1e-6)
    assert len(site.get_xdata()) == 90
    for x, share in zip(site.get_xdata(), site.get_ydata(), strict=True):
        assert share == pytest.approx(np.mean(z >= x))
    np.testing.assert_allclose(small.get_xdata(), 1.0)
    np.testing.assert_allclose(law.get_ydata(), 2 * special.ndtr(-law.get_xdata()))
