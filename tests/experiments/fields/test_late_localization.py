"""Verdicts and figure of `late-localization`, on made-up records; what its tiny training is."""

import numpy as np
import pytest
import xarray as xr
from drawn import panel, points
from judging import judged
from plain import covariance
from test_experiments import simulated, trained
from watched import assert_by_seed, assert_classes, assert_settings

from gatefield import experiments
from gatefield.lab import headline

LATE = experiments.get("late-localization")
PAIRS = ((2.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.4, 0.7))
INF = float("inf")


def made(change=None, *, pairs=PAIRS, gains=(1.0, INF), end=40_000.0, time=(0.0, 200.0)):
    """All ends are a wave; at gain infinity one site, but for the third pair, whose ends are three; half of the seeds wait."""
    n, seeds = 12, 3
    shape = (len(pairs), len(gains), seeds)
    ipr = np.full(shape, 0.1)
    ipr[:, -1], ipr[1:2] = 0.8, 0.9
    reached = np.zeros(shape, int)
    reached[:, -1] = 1
    if len(pairs) > 2:
        ipr[2, -1], reached[2, -1] = 0.33, 3
    times = [*time, end]
    path = np.zeros((*shape, len(times)))
    path[-1, -1, :, 1] = 0.5
    record = xr.Dataset(
        {
            "ipr": (("pair", "gain", "seed", "step"), path),
            "end_ipr": (("pair", "gain", "seed"), ipr),
            "localized_at": (("pair", "gain", "seed"), np.where(ipr > 0.2, 700.0, np.nan)),
            "peak_frequency": (("pair", "gain", "seed"), np.full(shape, 5)),
            "reached": (("pair", "gain", "seed"), reached),
            "end": (("pair", "gain", "seed", "position"), np.random.default_rng(0).normal(size=(*shape, n))),
            "state": (("pair", "sites", "position"), np.random.default_rng(1).normal(size=(len(pairs), 2, n))),
            "state_ipr": (("pair", "sites"), np.tile([0.8, 0.33], (len(pairs), 1))),
        },
        {
            "pair": [f"{a:g}, {b:g}" for a, b in pairs],
            "gain": list(gains),
            "sites": [1, 3],
            "time": ("step", times),
            "xi1": ("pair", [a for a, _ in pairs]),
            "xi0": ("pair", [b for _, b in pairs]),
        },
        {"learning_rate": [0.25], "steps": round(end / 0.25)},
    )
    if len(pairs) > 1:
        record["state_ipr"][1] = [0.9, 0.33]
    for name, place, value in change or []:
        record[name][place] = value
    return record


ONE_ORDER, EXACT, EVERY, SAME, SHORT, WAVES = (
    "no field localizes",
    "have its IPR",
    "pairs of length scales",
    "two identical",
    "below one site",
    "oscillate over",
)


@pytest.mark.parametrize(
    ("words", "change", "expected"),
    [
        (ONE_ORDER, [], False),
        (ONE_ORDER, [("end_ipr", {"pair": [2, 3], "gain": 1}, 0.149)], True),
        (EXACT, [("end_ipr", {"pair": 2, "gain": 1}, 0.3399)], True),
        (EXACT, [("end_ipr", {"pair": 2, "gain": 1}, 0.3401)], False),
        (EXACT, [("end_ipr", {"pair": 0, "gain": 1, "seed": [0, 1]}, 0.7)], False),
        (EXACT, [("end_ipr", {"pair": 0, "gain": 1, "seed": 0}, 0.7)], True),  # one seed of three is not the median
        (EXACT, [("end_ipr", {"pair": 0, "gain": 0}, 0.7)], True),  # another gain
        (EVERY, [], True),
        (EVERY, [("end_ipr", {"pair": 0, "gain": 1}, 0.149)], False),
        (SAME, [("end_ipr", {"pair": 0, "gain": 0}, 0.8999)], True),
        (SAME, [("end_ipr", {"pair": 0, "gain": 0}, 0.9001)], False),
        (SHORT, [("ipr", {"pair": 3, "gain": 1, "step": 1}, 0.151)], True),
        (SHORT, [("ipr", {"pair": 3, "gain": 1, "step": 1}, 0.149)], False),
        (SHORT, [("ipr", {"pair": 2, "gain": 1, "step": 1}, 0.9), ("ipr", {"pair": 3, "gain": 1, "step": 1}, 0.0)], False),
        (WAVES, [("peak_frequency", {"pair": [2, 3], "gain": 0}, 4)], True),
        (WAVES, [("peak_frequency", {"pair": [2, 3], "gain": 0}, 3)], False),
        (WAVES, [("peak_frequency", {"pair": [0, 1], "gain": 0}, 0)], True),
    ],
)
def test_both_sides_of_each_bound(words, change, expected):
    assert judged(LATE, made(change), words).holds == expected


@pytest.mark.parametrize(
    ("words", "settings", "why"),
    [
        (ONE_ORDER, {"pairs": PAIRS[:2]}, "needs pairs with the shorter range positive"),
        (EXACT, {"gains": (0.5, 1.0)}, "needs gains with inf"),
        (EVERY, {"gains": (0.5, 1.0)}, "needs gains with inf"),
        (SAME, {"pairs": PAIRS[1:2]}, "needs pairs with two different length scales"),
        (SHORT, {"pairs": PAIRS[:3]}, "needs pairs with the shorter range positive, both below one site"),
        (SHORT, {"time": (0.0, 300.0)}, "needs a record at 200 tau, has 300; run with --set record_every=800"),
        (WAVES, {"pairs": PAIRS[:2]}, "needs pairs with the shorter range positive"),
        (
            WAVES,
            {"change": [("end_ipr", {}, 0.9)]},
            "needs a field that stays spread at the lowest gain, has none; run with --set 'gains=[0.1,1.0,inf]'",
        ),
        (WAVES, {"change": [("end_ipr", {}, 0.9)], "gains": (0.0, 3.0)}, "has none; run with --set seeds=6"),
    ],
)
def test_what_a_record_lacks_is_told(words, settings, why):
    found = judged(LATE, made(**settings), words)
    assert not found.bounds
    assert why in found.why


def test_a_short_training_can_refute_but_not_confirm():
    late = [("end_ipr", {"pair": [2, 3], "gain": 1}, 0.1)]
    assert judged(LATE, made(end=1_000.0), ONE_ORDER).holds is False
    assert "needs a training of 20000 tau, has 1000" in judged(LATE, made(late, end=1_000.0), ONE_ORDER).note
    assert "needs a training of 20000 tau" in judged(LATE, made(late, end=1_000.0), EVERY).note


def test_every_pair_of_identical_classes_must_be_ahead():
    pairs = [*PAIRS, (2.0, 2.0)]
    ahead = made([("end_ipr", {"pair": 4}, 0.95)], pairs=pairs)
    behind = made([("end_ipr", {"pair": 4, "gain": 1}, 0.7)], pairs=pairs)
    assert judged(LATE, ahead, SAME).holds is True
    found = judged(LATE, behind, SAME)
    assert found.holds is False
    assert [bound.outcome for bound in found.table] == ["holds", "missed"]


def test_scattered_seeds_do_not_decide():
    ahead = [("end_ipr", {"pair": 0, "gain": 0}, np.array([0.88, 0.89, 0.91]))]  # 0.01 behind, ± 0.022
    assert judged(LATE, made(ahead), SAME).outcome == "not decided"
    near = [("end_ipr", {"pair": [2, 3], "gain": 1}, np.array([0.1, 0.14, 0.2]))]
    assert judged(LATE, made(near), ONE_ORDER).outcome == "not decided"


def test_headline():
    assert headline("?", LATE.verdicts(made())) == (
        "Fields localize with the shorter range positive too, in 2 of 4 settings, the last at 700 τ; "
        "on the hypercube all 4 pairs localize"
    )


def test_the_title_is_of_the_setting_that_takes_longest_and_stays():
    slow = [("localized_at", {"pair": 3, "gain": 1}, np.array([800.0, 900.0, np.nan]))]
    assert "in 2 of 4 settings, the last at 850 τ" in judged(LATE, made(slow), ONE_ORDER).otherwise
    one_seed = [("localized_at", {"pair": 3, "gain": 1}, np.array([900.0, np.nan, np.nan]))]
    assert "in 1 of 4 settings, the last at 700 τ" in judged(LATE, made(one_seed), ONE_ORDER).otherwise
    passing = [("localized_at", {"pair": 3, "gain": 0}, 900.0)]  # ends at 0.10
    assert "in 2 of 4 settings, the last at 700 τ" in judged(LATE, made(passing), ONE_ORDER).otherwise
    one_left = [(name, {"pair": 3, "gain": 0}, value) for name, value in (("localized_at", 9.0), ("end_ipr", 0.5))]
    assert judged(LATE, made(one_left), ONE_ORDER).otherwise.endswith("in 3 of 4 settings, the last at 700 τ")
    other_order = [("localized_at", {"pair": 0, "gain": 1}, 900.0)]
    assert "the last at 700 τ" in judged(LATE, made(other_order), ONE_ORDER).otherwise


def test_figure_says_what_was_reached_and_when():
    record = made()
    drawn = LATE.figure(record)
    table = panel(drawn, "(a)")
    texts = [text.get_text() for text in table.texts]
    wanted = "0.10 (–) 0.80 (700) 0.90 (700) 0.90 (700) 0.10 (–) 0.33 (700) 0.10 (–) 0.80 (700)"
    assert " ".join(texts) == wanted + " longer range\npositive same range shorter range\npositive"
    bold = [text.get_text() for text in table.texts if text.get_fontweight() == "bold"]
    assert bold == ["0.33 (700)", "0.80 (700)"]  # with the shorter range positive, and localized
    over_time = panel(drawn, "(b)")
    assert [line.get_color() == "0.6" for line in over_time.lines[:8:2]] == [True, True, False, False]
    assert [text.get_text() for text in over_time.texts] == ["1, 3", "0.4, 0.7", "localized: 0.15"]
    np.testing.assert_allclose(over_time.lines[6].get_ydata(), [0.5, 0.0])
    assert [line.get_ydata()[0] for line in over_time.lines[1:8:2]] == [0.8, 0.9, 0.33, 0.8]
    ticks = [line.get_xdata().tolist() for line in over_time.lines if line.get_marker() == "|"]
    diamonds = [
        line.get_xdata().tolist() for line in over_time.lines if line.get_marker() == "D" and line.get_markersize() == 4.5
    ]
    assert (ticks, diamonds) == ([[700.0] * 3], [[700.0]])
    first = drawn.axes.index(panel(drawn, "(c)"))
    titles = [axes.get_title(loc="left") for axes in drawn.axes[first + 1 :]]
    assert titles == ["2, 1: 1 site", "1, 1: 1 site", "1, 3: 3 sites", "0.4, 0.7: 1 site"]
    ((_, state),) = points(drawn.axes[first + 3], label="exact")
    np.testing.assert_allclose(state, record.state.values[2, 1])


def test_what_localized_before_the_first_record_is_told_so():
    at_once = made([("localized_at", {"pair": 3, "gain": 1}, 200.0)])
    texts = [text.get_text() for text in panel(LATE.figure(at_once), "(a)").texts]
    assert texts[:8] == [
        "0.10 (–)",
        "0.80 (700)",
        "0.90 (700)",
        "0.90 (700)",
        "0.10 (–)",
        "0.33 (700)",
        "0.10 (–)",
        "0.80",
    ]


def test_the_title_over_time_says_how_long_the_shorter_range_takes():
    late = [("localized_at", {"pair": 2, "gain": 1}, 5_800.0), ("localized_at", {"pair": 0, "gain": 1}, 9_000.0)]
    title = panel(LATE.figure(made(late)), "(b)").get_title(loc="left")
    assert title == "(b) gain ∞: with the shorter range positive it takes up to 5,800 τ in the median (2 other pairs: grey)"
    never = made([("localized_at", {"pair": 2, "gain": 1}, np.nan)])
    assert "some never localize" in panel(LATE.figure(never), "(b)").get_title(loc="left")


@pytest.mark.xdist_group("late-localization")
def test_what_is_trained():
    _, p, record = simulated("late-localization")
    part = trained("late-localization")["sgd"]
    assert_settings(part, p)
    xi1, xi0 = np.array(p.pairs).T[:, :, None, None]
    assert_classes(part, xi1, xi0, np.array(p.gains)[:, None])
    assert_by_seed(part)
    fields = part.record.fields.values[..., 0, :].astype(float)
    np.testing.assert_allclose(record.ipr, (fields**4).sum(-1) / (fields**2).sum(-1) ** 2, rtol=1e-5)
    last = fields[..., -1, :]  # in a training this short every field still moves
    np.testing.assert_allclose(record.end, last, rtol=1e-5)
    np.testing.assert_array_equal(record.peak_frequency, np.abs(np.fft.rfft(last)).argmax(-1))
    one = record.isel(pair=0).sel(sites=1)
    cov1, cov0 = (covariance(p.n, xi, INF) for xi in p.pairs[0])
    np.testing.assert_allclose(one.state, np.linalg.solve(cov1 + cov0, cov1[p.n // 2]), atol=1e-9)


def test_an_end_is_the_state_that_it_is_like_up_to_shift_and_sign():
    from gatefield.experiments.fields.late_localization.simulate import _named

    rng = np.random.default_rng(0)
    state = rng.normal(size=(1, 2, 12))
    ends = np.stack([np.roll(-2 * state[0, 1], 5), state[0, 0], rng.normal(size=12)])
    record = made(pairs=PAIRS[:1], gains=(INF,)).drop_vars("reached").assign_coords(sites=[1, 3])
    record["end"] = (("pair", "gain", "seed", "position"), ends[None, None])
    record["state"] = (("pair", "sites", "position"), state)
    for name in ("state_loss", "state_lead"):
        record[name] = (("pair", "sites"), np.zeros((1, 2)))
    for exists, reached in ((True, [3, 1, 0]), (False, [3, 0, 0])):
        record["state_exists"] = (("pair", "sites"), [[exists, True]])
        assert _named(record.copy()).reached.values.ravel().tolist() == reached
