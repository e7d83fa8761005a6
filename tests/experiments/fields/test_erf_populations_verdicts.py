"""Verdicts and figure of `erf-populations`, on made-up populations of a hundred units."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_drawn, lines, panel
from field_records import assert_only, figure, judge, more
from judging import scrambled

from gatefield.lab import headline

UNITS, N = 100, 10
LOCAL, WIDE = 0.61, 0.59  # IPRs to both sides of 6/n
DIMS = ("gain", "start", "biases", "seed", "unit")
NEGATIVE = 3 * 50 + np.array([59, 60, 61])  # units of negative bias in each seed, of 400


def first(count):
    """The first units, as many as said."""
    return np.arange(UNITS) < count


def last(count):
    """The last units, as many as said."""
    return first(count)[::-1]


def made(
    wide=0,
    still=0,
    astray=0,
    gaussian=0,
    unnamed=0,
    turned=0,
    cosine=0.96,
    positive=(59, 60, 61),
    balanced=44,
    against_field=0,
    against_bias=0,
    logistic=0,
    sort="negative",
):
    """Half of the units have a negative bias and localize, the others oscillate; from a positive start as many as `positive`.

    The rest are numbers of units that do otherwise: negative ones that stay wide, positive ones that do not oscillate, positive
    ones that localize, and so on. What belongs to the other gain, start or step is far off.
    """
    negative = np.broadcast_to(first(50), (2, 2, 2, 3, UNITS)).copy()
    negative[1, 1, 0] = [first(count) for count in positive]
    bias = np.where(negative, -0.3, 0.3)
    ipr = np.where(negative & ~first(wide), LOCAL, WIDE)
    ipr[0] = np.where(first(gaussian), LOCAL, WIDE)
    ipr[1, 0, 0] = np.where(last(astray), LOCAL, ipr[1, 0, 0])
    oscillates = ~negative & ~last(still)
    oscillates[0] = ~oscillates[0]
    given = np.where(first(against_bias), -bias, bias)
    begin = np.where((np.arange(2) == 1)[:, None, None], given, 0.0)
    push = np.where(first(against_field), bias, -bias)
    push[0], push[:, :, 1] = -push[0], -push[:, :, 1]
    logistic_bias, logistic_ipr, waves = _logistic(logistic, sort)
    data = {
        "bias": ((*DIMS, "step"), np.stack([begin, -begin, bias], axis=-1)),
        "ipr": (DIMS, ipr),
        "oscillates": (DIMS, oscillates),
        "push": (DIMS, push),
        "named_share": (DIMS, np.broadcast_to(np.where(first(unnamed), 0.49, 0.51), bias.shape)),
        "flow_bias": (DIMS[1:], bias[0] * np.where(first(turned), -2.0, 3.0)),
        "flow_cosine": (DIMS[1:], np.broadcast_to(np.where(first(30), 0.1, np.where(first(60), cosine, 1.0)), bias[0].shape)),
        "balanced_ipr": (("start", "seed", "unit"), [[np.where(first(x), LOCAL, WIDE)] * 3 for x in (100, balanced)]),
        "sigmoid_bias": (("gain", "seed", "unit"), np.stack([-logistic_bias, logistic_bias])),
        "sigmoid_ipr": (("gain", "seed", "unit"), np.stack([logistic_ipr] * 2)),
        "sigmoid_oscillates": (("gain", "seed", "unit"), np.stack([waves] * 2)),
        "position": ("position", np.arange(N)),
    }
    coords = {"gain": [0.01, 3.0], "start": ["xavier", "positive"], "biases": ["zero", "given"]}
    return xr.Dataset(data, {**coords, "time": ("step", [0.0, 1.0, 200.0 * UNITS])})


def _logistic(wrong, sort):
    """Biases, IPRs and waves of logistic units, (seed, unit); so many are wrong, of that sort."""
    negative = np.broadcast_to(first(50), (3, UNITS))
    ipr, waves = np.where(negative, LOCAL, WIDE), ~negative
    if sort == "negative":  # a negative unit that is not localized, though it oscillates
        ipr, waves = np.where(first(wrong), WIDE, ipr), waves | first(wrong)
    if sort == "localized":  # a positive unit that oscillates and is localized
        ipr = np.where(last(wrong), LOCAL, ipr)
    if sort == "still":
        waves = waves & ~last(wrong)
    return np.where(negative, -0.3, 0.3), ipr, waves


@pytest.mark.parametrize(
    ("place", "change", "measured", "expected"),
    [
        (3, {"gaussian": 4}, 0.96, True),
        (3, {"gaussian": 6}, 0.94, False),
        (4, {"unnamed": 4}, 0.96, True),
        (4, {"unnamed": 6}, 0.94, False),
        (5, {"turned": 4}, 0.96, True),
        (5, {"turned": 6}, 0.94, False),
        (6, {"cosine": 0.95}, 0.95, True),
        (6, {"cosine": 0.9499}, 0.9499, False),
        (7, {"positive": (52, 53, 54), "balanced": 30}, 0.53, True),  # 95 % interval: 4.303 / sqrt(3) = 2.48 to each side
        (7, {"positive": (51, 52, 53), "balanced": 30}, 0.52, False),
        (8, {"balanced": 57}, -0.03, True),  # the same interval: that of the committees without an output bias has no width
        (8, {"balanced": 58}, -0.02, False),
        (8, {"balanced": 70}, 0.1, False),
        (9, {"against_field": 25}, 0.75, True),
        (9, {"against_field": 26}, 0.74, False),
        (10, {"against_bias": 25}, 0.75, True),
        (10, {"against_bias": 26}, 0.74, False),
        *[
            (11, {"logistic": wrong, "sort": sort}, 1 - wrong / 100, wrong == 10)
            for sort in ("negative", "localized", "still")
            for wrong in (10, 11)
        ],
    ],
)
def test_both_sides_of_each_bound(place, change, measured, expected):
    record = made(**change)
    assert judge("erf-populations", record)[place].measured == pytest.approx(measured)
    assert_only("erf-populations", record, place, expected)


@pytest.mark.parametrize(
    ("place", "change", "shares", "expected"),
    [
        (0, {"wide": 5}, 1 - 20 / NEGATIVE, True),
        (0, {"wide": 6}, 1 - 24 / NEGATIVE, False),
        (1, {"still": 4}, 1 - 16 / (400 - NEGATIVE), True),
        (1, {"still": 5}, 1 - 20 / (400 - NEGATIVE), False),
        (2, {"astray": 2}, NEGATIVE / (NEGATIVE + 2), True),
        (2, {"astray": 3}, NEGATIVE / (NEGATIVE + 3), False),
    ],
)
def test_shares_of_populations_are_among_their_own_units(place, change, shares, expected):
    verdict = judge("erf-populations", made(**change))[place]
    assert verdict.measured == pytest.approx(shares.mean())
    assert verdict.holds == expected


def test_populations_without_units_are_not_judged():
    verdict = judge("erf-populations", made(wide=100, positive=(0, 0, 0)))[2]
    assert verdict.outcome == "not judged"
    assert "no unit is localized at the end" in verdict.why


def test_expected_and_compared():
    verdicts = judge("erf-populations", made())
    assert [v.predicted for v in verdicts] == [1.0] * 7 + [None] * 2 + [1.0] * 3
    assert "from a Xavier start 0.500" in verdicts[7].note
    assert verdicts[8].note.startswith("0.440 without, 0.600 with")


def test_the_populations_are_the_headline():
    localized, oscillating = judge("erf-populations", made(wide=3, still=2))[:2]
    assert localized.sentence == "at gain 3, 94.3 % of erf units with a negative bias localize"
    assert oscillating.sentence == "95.8 % of units with a positive bias oscillate"
    localized, oscillating = judge("erf-populations", made())[:2]
    assert localized.sentence == "at gain 3, all erf units with a negative bias localize"
    assert oscillating.sentence == "all units with a positive bias oscillate"
    localized, oscillating = judge("erf-populations", made(wide=25, still=25))[:2]
    assert localized.sentence == "at gain 3, only 52.4 % of erf units with a negative bias localize"
    assert oscillating.sentence == "only 47.4 % of units with a positive bias oscillate"


def test_what_is_not_decided_is_no_finding():
    for positive, outcome in [((58, 59, 60), "confirmed"), ((40, 60, 80), "not decided"), ((20, 21, 22), "refuted")]:
        assert judge("erf-populations", made(positive=positive))[7].outcome == outcome
    assert judge("erf-populations", made().isel(seed=[0]))[7].outcome == "not decided"


def test_more_shows_biases_and_fields_beside_the_flow():
    record = scrambled(made())
    for name in ("bias", "flow_bias"):  # to both sides of 0
        record[name] = record[name] - 0.5
    drawn = more("erf-populations", record)
    ends, theory = record.bias.values[0, ..., -1].ravel(), record.flow_bias.values.ravel()
    astray = np.sign(ends) != np.sign(theory)
    assert panel(drawn, "(a)").get_title(loc="left") == f"(a) {astray.sum()} of {ends.size} on the other side"
    for which, marker in ((~astray, "o"), (astray, "X")):
        assert_drawn(panel(drawn, "(a)"), ends[which], at=theory[which], marker=marker)
    for start, sign, color in (("(c)", -1, "C0"), ("(d)", 1, "C0")):
        here = ~astray & (sign * ends > 0)
        assert_drawn(panel(drawn, start), ends[here], at=theory[here], color=color)
        apart = np.median(abs(ends - theory)[here])
        assert panel(drawn, start).get_title(loc="left").endswith(f"biases: {apart:.2g} off (median)")
    cosines = np.sort(record.flow_cosine.values.ravel())
    steps = panel(drawn, "(b)").lines[0]
    np.testing.assert_allclose(steps.get_xdata(), np.maximum(1 - cosines, 1e-6)[::-1])
    np.testing.assert_allclose(steps.get_ydata(), np.arange(1, ends.size + 1) / ends.size)
    assert panel(drawn, "(b)").get_title(loc="left").endswith(f"{np.median(cosines):.3f}")


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        ({}, "follow the exact flow (median cosine 0.960), 0 of 1200 biases end on its other side"),
        (
            {"turned": 20, "cosine": 0.9},
            "do not follow the exact flow (median cosine 0.900), 240 of 1200 biases end on its other side",
        ),
    ],
)
def test_gaussian_data_are_the_second_headline(change, fields):
    verdicts = judge("erf-populations", made(**change))
    expected = f"On Gaussian data fields {fields}"
    assert headline("?", verdicts, more=True) == expected


def test_figure():
    record = scrambled(made())
    shape = tuple(record.sizes[dim] for dim in DIMS)
    record["fields"] = ((*DIMS, "step", "position"), np.random.default_rng(1).normal(size=(*shape, 3, N)))
    record["flow_fields"] = ((*DIMS[1:], "position"), np.random.default_rng(2).normal(size=(*shape[1:], N)))
    record["rate"] = (("gain", "frequency", "sign"), np.random.default_rng(3).normal(size=(2, 6, 2)))
    record = record.assign_coords(frequency=range(6), sign=[-1.0, 1.0])
    for name in ("peak_frequency", "sigmoid_peak_frequency"):
        record[name] = (record["sigmoid_ipr" if "sigmoid" in name else "ipr"] * 6).astype(int)
    record["bias"] = record.bias - 0.5
    drawn = figure("erf-populations", record)
    ends, iprs = record.bias.values[..., -1], record.ipr.values
    assert_drawn(panel(drawn, "(a)"), iprs[0], at=ends[0], words="erf, Gaussian data")
    for label, side, color in (("bias < 0", ends[1] < 0, "C0"), ("bias > 0", ends[1] > 0, "C1")):
        assert_drawn(panel(drawn, "(a)"), iprs[1][side], at=ends[1][side], words=f"erf, gain 3, {label}", color=color)
    negative, waves = ends[1] < 0, record.oscillates.values[1].astype(bool)
    few, fast = (iprs[1][negative] > 6 / N).sum(), waves[~negative].sum()
    assert panel(drawn, "(a)").get_title(loc="left").endswith(f"{few} of {negative.sum()} localize at bias < 0")
    assert panel(drawn, "(b)").get_title(loc="left").endswith(f"{fast} of {(~negative).sum()} oscillate at bias > 0")
    assert_drawn(panel(drawn, "(a)"), record.sigmoid_ipr.values[1], at=record.sigmoid_bias.values[1], words="logistic")
    assert_drawn(panel(drawn, "(a)"), [6 / N] * 2, style=":")
    peaks, final = record.peak_frequency.values[1], record.bias.values[1, ..., -1]
    for i, (label, side) in enumerate([("bias −1", final < 0), ("bias +1", final > 0)]):
        assert_drawn(panel(drawn, "(b)"), record.rate.values[1, :, i], words=label)
        dots, (at, count) = panel(drawn, "(b)").collections[i], np.unique(peaks[side], return_counts=True)
        np.testing.assert_allclose(dots.get_offsets(), np.stack([at, record.rate.values[1, at, i]], axis=1))
        np.testing.assert_allclose(dots.get_sizes() / dots.get_sizes().max(), count / count.max())
    found = [container[0].get_ydata()[0] for container in panel(drawn, "(c)").containers]
    local = (record.ipr.values[1] > 6 / N).mean((-2, -1))
    balanced = (record.balanced_ipr.values > 6 / N).mean((-2, -1))
    np.testing.assert_allclose(found, [*local[0], balanced[0], *local[1], balanced[1]])
    heading = panel(drawn, "(c)").get_title(loc="left")
    assert heading == f"(c) biases start at 0: {100 * local[0, 0]:.0f} % (even), {100 * local[1, 0]:.0f} % (positive)"
    started, push = record.bias.values[1, ..., 0], record.push.values[1]
    tells = [((final < 0) == (push > 0))[:, 0].mean(), (np.sign(final) == np.sign(started))[:, 1].mean()]
    np.testing.assert_allclose([bar[0].get_ydata()[0] for bar in panel(drawn, "(d)").containers], tells)
    words = [text.get_text() for text in panel(drawn, "(d)").texts[:2]]
    assert words == [f"{100 * share:.0f} %" for share in tells]
    for axes, (gain, sign) in zip(drawn.axes[-4:], [(0, -1), (0, 1), (1, -1), (1, 1)], strict=True):
        unit = np.argmax(sign * record.bias.values[gain, 0, 0, 0, :, -1])
        assert_drawn(axes, record.fields.values[gain, 0, 0, 0, unit, -1], color="C0" if sign < 0 else "C1")
        black = [line.get_ydata() for line in lines(axes, color="k")]
        np.testing.assert_allclose(black, [record.flow_fields.values[0, 0, 0, unit]] if gain == 0 else [])
