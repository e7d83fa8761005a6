"""Verdicts and figures of `phase-diagram`, on made-up records; what its tiny trainings are, and its theory by other routes."""

import matplotlib
import numpy as np
import pytest
import xarray as xr
from drawn import assert_drawn, panel, points
from judging import changed, judged
from matplotlib.collections import QuadMesh
from plain import covariance, flow_end, ipr, site_gate_mean
from test_experiments import simulated, trained
from watched import assert_by_seed, assert_classes, assert_settings

from gatefield import UserError, experiments
from gatefield.lab import headline, resolve
from gatefield.theory import closure

matplotlib.use("Agg")
PHASES = experiments.get("phase-diagram")
INF = float("inf")
GAINS = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, INF)
RATIOS, SIZES, CUTS = (0.25, 0.5, 1.0, 2.0, 4.0), (20, 40, 80), (0.5, 2.0)
LONG, SHORT, ORDER, LINE, LIMIT, EXACT, EVERY, MOVES, FALLS = (
    "with the longer or the same range positive the closure",
    "with the shorter range positive the closure",
    "and only there",
    "less loss than the best wave",
    "ceases to exist",
    "have its IPR",
    "localize late at every ratio",
    "the same on larger rings",
    "falls as 1/n",
)


def medians(values, seeds=3):
    """Seeds with these medians; the others are off to both sides."""
    return np.stack([values, 0.5 * values, np.minimum(1.0, 1.5 * values)][:seeds], axis=-1)


def made(*changes, gains=GAINS, ratios=RATIOS, sizes=SIZES, cut_gains=GAINS, times=(200.0, 10_000.0), batch=1_000):
    """Early, ratios of 1 and more localize from gain 1 on; late, the others do from 5.6 on. Losses cross at 0.75 and at 4.5.

    The closure says the same. On the cube one site decides up to ratio 2; its exact state ends at 2.64.
    """
    gain, ratio = np.array(gains), np.array(ratios)
    longer, high = ratio >= 1, (gain >= 1)[:, None]
    early = np.where(high & longer, 0.6, 0.05)
    late = np.where((gain >= 5.6)[:, None] | (high & longer), 0.6, 0.05)
    lead = np.where(longer, np.log(np.minimum(gain, 100) / 0.75)[:, None], np.log(np.minimum(gain, 100) / 4.5)[:, None])
    map_ipr = medians(np.stack([early, late]))
    edges = np.array([[INF, 1.0], [5.6, 1.0]])  # early and late, at both cuts; on the cube early too
    spread = np.multiply.outer(2.0 / np.array(sizes), np.ones((2, 2, len(cut_gains))))
    cut = np.where(np.array(cut_gains) >= edges[..., None], 0.6, spread)
    cube = np.isinf(gain)[:, None] & (ratio < 3)
    record = xr.Dataset(
        {
            "ipr": (("when", "gain", "ratio", "seed"), map_ipr),
            "closure_ipr": (("when", "gain", "ratio", "seed"), map_ipr.copy()),
            "one_site": (("gain", "ratio", "seed"), np.repeat(cube[..., None], 3, axis=-1)),
            "end": (("gain", "ratio", "seed", "position"), np.ones((len(gain), len(ratio), 3, 40))),
            "noise": (("gain", "ratio", "seed"), np.zeros((len(gain), len(ratio), 3))),
            "records": (("gain", "ratio", "seed"), np.ones((len(gain), len(ratio), 3))),
            "reached": (("gain", "ratio", "seed"), np.repeat(cube[..., None], 3, axis=-1).astype(int)),
            "site_loss": (("gain", "ratio"), 0.2 - lead / 100),
            "wave_loss": (("gain", "ratio"), np.full(lead.shape, 0.2)),
            "state_ipr": (("ratio", "sites"), np.tile([0.6, 0.3], (len(ratio), 1))),
            "state_exists": (("ratio", "sites"), np.ones((len(ratio), 2), bool)),
            "state_lead": (("ratio", "sites"), np.stack([np.log(2**1.4 / ratio), np.ones(len(ratio))], axis=-1)),
            "cut_ipr": (("size", "when", "cut", "cut_gain", "seed"), medians(cut)),
        },
        {
            "when": ["early", "late"],
            "time": ("when", list(times)),
            "gain": list(gains),
            "ratio": list(ratios),
            "sites": [1, 3],
            "size": list(sizes),
            "cut": list(CUTS),
            "cut_gain": list(cut_gains),
        },
        {"learning_rate": [0.25], "steps": round(4 * times[-1]), "batch_size": batch, "mean_length": 2**0.5},
    )
    return changed(record, *changes)


def at(name, value, **where):
    return name, where, value


def test_all_claims_hold_as_made():
    outcomes = {verdict.claim: verdict.outcome for verdict in PHASES.verdicts(made())}
    assert set(outcomes.values()) == {"confirmed"}
    assert len(outcomes) == 9


LOW, HIGH = list(GAINS[:7]), list(GAINS[7:])
FAR_LONG, FAR_SHORT = {"when": "early", "gain": 8.0, "ratio": 4.0}, {"when": "late", "gain": 0.5, "ratio": 0.25}


@pytest.mark.parametrize(
    ("words", "changes", "expected"),
    [
        (LONG, [at("ipr", 0.151, **FAR_LONG)], True),
        (LONG, [at("ipr", 0.149, **FAR_LONG)], False),
        (LONG, [at("closure_ipr", 0.149, **FAR_LONG)], True),  # the settings beside it say so: one step of the grid
        (LONG, [at("ipr", 0.149, when="early", gain=1.0, ratio=2.0)], True),
        (LONG, [at("ipr", 0.149, when="early", gain=1.4, ratio=2.0)], False),  # two steps
        (SHORT, [at("ipr", 0.151, **FAR_SHORT)], False),
        (SHORT, [at("ipr", 0.149, **FAR_SHORT)], True),
        (SHORT, [at("ipr", 0.149, **FAR_LONG)], True),  # of the other side
        (ORDER, [at("ipr", 0.149, when="early", gain=4.0, ratio=4.0)], False),
        (ORDER, [at("ipr", 0.151, when="early", gain=4.0, ratio=4.0)], True),
        (ORDER, [at("ipr", 0.151, when="early", gain=INF, ratio=0.25)], False),
        (ORDER, [at("ipr", 0.151, when="early", gain=INF, ratio=0.5)], True),  # one step from 1
        (ORDER, [at("ipr", 0.151, when="early", gain=2.8, ratio=0.25)], True),  # below the gain of the claim
        (LINE, [at("ipr", 0.05, when="late", gain=[1.0, 1.4, 2.0], ratio=[2.0, 4.0])], False),
        (LINE, [at("ipr", 0.05, when="late", gain=[1.0, 1.4, 2.0], ratio=[4.0])], True),  # one ratio of three is not the median
        (LINE, [at("ipr", 0.6, when="late", gain=[1.4, 2.0, 2.8, 4.0], ratio=[0.25, 0.5])], False),
        (LIMIT, [at("one_site", True, gain=INF)], True),  # up to 4, one step of the grid
        (LIMIT, [at("one_site", False, gain=INF, ratio=2.0)], True),  # up to 1.41
        (LIMIT, [at("one_site", False, gain=INF, ratio=[1.0, 2.0])], False),
        (LIMIT, [at("one_site", False, gain=INF, ratio=1.0, seed=0)], True),  # one seed of three
        (EXACT, [at("ipr", 0.6099, when="late", gain=INF, ratio=1.0)], True),
        (EXACT, [at("ipr", 0.6101, when="late", gain=INF, ratio=1.0)], False),
        (EXACT, [at("ipr", 0.7, when="late", gain=INF, ratio=4.0)], True),  # which is none of the states
        (EXACT, [at("reached", 3, gain=INF, ratio=1.0)], False),
        (EVERY, [at("ipr", 0.151, when="late", gain=INF, ratio=0.5)], True),
        (EVERY, [at("ipr", 0.149, when="late", gain=INF, ratio=0.5)], False),
        (MOVES, [at("cut_ipr", 0.05, size=80, cut=2.0, cut_gain=1.0)], True),
        (MOVES, [at("cut_ipr", 0.05, size=80, cut=2.0, cut_gain=[1.0, 1.4])], False),
        (MOVES, [at("cut_ipr", 0.05, size=20, cut=2.0, cut_gain=[1.0, 1.4])], True),  # smaller than the usual ring
        (FALLS, [at("cut_ipr", 0.6 * 2**-0.49, size=80, when="late")], False),  # fine for localized ones, not for the others
        (FALLS, [at("cut_ipr", 0.6 * 2**-0.49, size=80, when="late", cut_gain=HIGH)], True),
        (FALLS, [at("cut_ipr", 0.6 * 2**-0.51, size=80, when="late", cut_gain=HIGH)], False),
        (FALLS, [at("cut_ipr", 0.025 * 2**0.49, size=80, when="late", cut=0.5, cut_gain=LOW)], True),
        (FALLS, [at("cut_ipr", 0.025 * 2**0.51, size=80, when="late", cut=0.5, cut_gain=LOW)], False),
    ],
)
def test_both_sides_of_each_bound(words, changes, expected):
    assert judged(PHASES, made(*changes), words).holds == expected


@pytest.mark.parametrize(
    ("words", "settings", "why"),
    [
        (LONG, {"ratios": (0.25, 0.5)}, "needs ratios such as 2, has none"),
        (SHORT, {"ratios": (1.0, 2.0)}, "needs ratios such as 0.5"),
        (ORDER, {"ratios": (0.5, 1.0, 2.0)}, "needs ratios such as 4"),
        (ORDER, {"gains": (0.3, 1.0)}, "needs gains with 3.0"),
        (ORDER, {"times": (100.0, 10_000.0)}, "needs a record at 200 tau, has 100; run with --set record_every=800"),
        (LINE, {"gains": (10.0, 30.0)}, "needs gains between which the line lies"),
        (LIMIT, {"gains": (0.3, 1.0)}, "needs gains with inf"),
        (LIMIT, {"ratios": (0.5, 1.0, 2.0)}, "needs a ratio at which that state is none, has at most 2"),
        (EXACT, {"gains": (0.3, 1.0)}, "needs gains with inf"),
        (EVERY, {"gains": (0.3, 1.0)}, "needs gains with inf"),
        (MOVES, {"sizes": (20, 40)}, "needs rings larger than the usual one, has 40"),
        (MOVES, {"cut_gains": (0.1, 0.2)}, "needs gains between which fields begin to localize"),
        (FALLS, {"sizes": (20, 40)}, "needs rings larger than the usual one"),
    ],
)
def test_what_a_record_lacks_is_told(words, settings, why):
    found = judged(PHASES, made(**settings), words)
    assert not found.bounds
    assert why in found.why


def test_a_short_training_does_not_decide_what_happens_late():
    short, few = {"times": (200.0, 2_000.0)}, at("ipr", 0.1, when="late", gain=INF, ratio=0.5)
    assert judged(PHASES, made(**short), LINE).outcome == "not decided"
    assert judged(PHASES, made(**short), EVERY).outcome == "confirmed"
    assert "needs a training of 8000 tau, has 2000" in judged(PHASES, made(few, **short), EVERY).note


def test_noise_of_batches_does_not_decide_exact_numbers():
    near = [at("ipr", 0.615, when="late", gain=INF, ratio=1.0), at("noise", 0.01, gain=INF, ratio=1.0)]
    found = judged(PHASES, made(*near, at("records", 2, gain=INF, ratio=1.0)), EXACT)
    assert found.outcome == "not decided"
    assert found.bounds[0].error == pytest.approx(2 * 0.01 / 2 * 0.615)


def test_a_state_that_batches_leave_is_not_compared():
    """The lead at ratio 1 is log 2^1.4 = 0.97, and the square of each end is 40."""
    off = at("ipr", 0.7, when="late", gain=INF, ratio=1.0)
    assert judged(PHASES, made(off, at("noise", 0.99 * 0.97**2 / 40, gain=INF, ratio=1.0)), EXACT).outcome == "refuted"
    assert judged(PHASES, made(off, at("noise", 1.01 * 0.971**2 / 40, gain=INF, ratio=1.0)), EXACT).outcome == "confirmed"
    none = judged(PHASES, made(at("noise", 1.0, gain=INF)), EXACT)
    assert "needs ends in states that batches leave alone, has none; run with --set batch_size=2000" in none.why


def test_the_limit_is_known_to_where_batches_add_as_much_as_the_lead():
    """The lead is log(2^1.4 / ratio), less log(2) as of ratio 2^0.4; between ratios of the grid both are straight."""
    found = judged(PHASES, made(at("noise", np.log(2.0) ** 2 / 40, gain=INF)), LIMIT)
    assert found.bounds[0].error == pytest.approx(2**1.4 - 2**0.4)
    assert judged(PHASES, made(at("noise", np.log(4.0) ** 2 / 40, gain=INF)), LIMIT).outcome == "not decided"


def test_hot_batches_confirm_but_do_not_refute():
    wrong = at("ipr", 0.3, **FAR_SHORT)
    assert judged(PHASES, made(batch=999), SHORT).outcome == "confirmed"
    assert judged(PHASES, made(wrong), SHORT).outcome == "refuted"
    hot = judged(PHASES, made(wrong, batch=999), SHORT)
    assert hot.outcome == "not decided"
    assert "needs batches of 1000, has 999; run with --set batch_size=1000" in hot.note
    spread = at("ipr", 0.1, when="late", gain=INF, ratio=0.5)
    assert judged(PHASES, made(spread, batch=200), EVERY).outcome == "not decided"


def test_numbers_and_places():
    wrong = [at("closure_ipr", 0.6, when="late", gain=[0.5, 0.7, 1.0], ratio=[0.25, 0.5])]
    found = judged(PHASES, made(*wrong), SHORT)
    # at gain 1 and at ratio 1/2 with gains below 1 there is a setting beside it where the closure says no
    assert [bound.measured for bound in found.bounds] == pytest.approx([1.0, 1 - 2 / 20])
    assert "wrong at 2 settings late, within gains 0.5 to 0.7, ratios 0.25 to 0.25" in found.note
    line, part = judged(PHASES, made(), LINE), (0.15 - 0.05) / (0.6 - 0.05)
    crossing = 0.7 * (1.0 / 0.7) ** part / 0.75, 4.0 * (5.6 / 4.0) ** part / 4.5
    assert [bound.measured for bound in line.bounds] == pytest.approx(crossing, rel=0.01)  # losses are not straight lines
    assert judged(PHASES, made(), LIMIT).bounds[0].predicted == pytest.approx(2**1.4)
    assert [bound.measured for bound in judged(PHASES, made(), FALLS).bounds] == pytest.approx([0.0, 1.0])


def test_headline():
    assert headline("?", PHASES.verdicts(made(at("ipr", 0.3, **FAR_SHORT)))) == (
        "A closure tells, to one grid step, where fields localize with the longer or same range positive; "
        "with the shorter it is off at 1 of 20 (10,000 τ)"
    )
    early = changed(made(), ("closure_ipr", {"when": "early", "gain": [4.0, 5.6, 8.0], "ratio": [0.25, 0.5]}, 0.6))
    early = changed(early, ("ipr", {"when": "early", "gain": 8.0, "ratio": 4.0}, 0.1))
    assert headline("?", PHASES.verdicts(early)) == (
        "After 200 τ a closure is off at 1 of 30 settings with the longer or same range positive; "
        "with the shorter it is off at 2 of 20"
    )


@pytest.mark.parametrize(
    ("spread", "words", "title"),
    [
        ([], "all", "all rings"),
        ([80], "those of 20 and 40", "n = 20, 40"),
        ([20, 40, 80], "none", "no ring"),
    ],
)
def test_rings_on_which_fields_localize_are_the_second_headline(spread, words, title):
    record = made(at("cut_ipr", 0.05, when="late", size=spread, cut=0.5, cut_gain=INF))
    said = headline("?", PHASES.verdicts(record), more=True)
    start = "At gain ∞ fields on rings of 20, 40 and 80 sites localize after 10,000 τ at ratio 0.5 on"
    assert said == f"{start} {words}, at ratio 2 on all"
    shown = panel(PHASES.more(record), "(a)").get_title(loc="left")
    assert shown == f"(a) ratio 0.5: gain ∞ localized on {title}"


def test_where_only_one_of_two_maps_is_localized_a_grid_step_around_stands_a_mark():
    """At three gains below those of SGD the closure localizes, at the lowest of them one step from where it does not."""
    record = made(at("closure_ipr", 0.6, when="late", gain=[2.0, 2.8, 4.0], ratio=[0.25, 0.5]))
    drawn = PHASES.figure(record)
    assert [len(mark.get_xydata()) for mark in panel(drawn, "(a)").lines] == [0]
    (far,) = [mark.get_xydata() for mark in panel(drawn, "(b)").lines]
    np.testing.assert_allclose(far, [[ratio, np.log10(gain)] for gain in (2.8, 4.0) for ratio in (-2.0, -1.0)])
    assert panel(drawn, "(b)").get_title(loc="left").endswith("closure off at\n4 of 20 below ratio 1, 0 of 30 from 1 on")
    assert panel(drawn, "(d)").get_title(loc="left").endswith("36 localize (SGD: 30),\nalike within one grid step at 46 of 50")


def test_maps_are_white_at_the_limit():
    for start in ("(a)", "(b)", "(c)", "(d)"):
        cells = next(each for each in panel(PHASES.figure(made()), start).collections if isinstance(each, QuadMesh))
        np.testing.assert_allclose(cells.cmap(cells.norm(0.15))[:3], 1.0, atol=0.04)
        below, above = cells.cmap(cells.norm(0.05)), cells.cmap(cells.norm(0.6))
        assert below[2] > below[0] + 0.2
        assert above[0] > above[2] + 0.2


def scattered():
    """Other numbers in every map, so that none can be drawn for another."""
    rng, record = np.random.default_rng(0), made()
    for name in ("ipr", "closure_ipr", "cut_ipr", "state_ipr"):
        record[name][:] = rng.uniform(0.02, 0.98, record[name].shape)
    record["state_exists"][4, 0] = False
    return record


def test_maps_show_both_times_of_simulation_and_closure():
    record = scattered()
    drawn = PHASES.figure(record)
    for start, name, when in [("(a)", "ipr", 0), ("(b)", "ipr", 1), ("(c)", "closure_ipr", 0), ("(d)", "closure_ipr", 1)]:
        finite, infinite = [each for each in panel(drawn, start).collections if isinstance(each, QuadMesh)]
        wanted = np.median(record[name].values[when], axis=-1)
        np.testing.assert_allclose(finite.get_array(), wanted[:-1])
        np.testing.assert_allclose(infinite.get_array(), wanted[-1:])


def test_lines_run_where_the_other_map_crosses_the_level():
    drawn = PHASES.figure(made(at("closure_ipr", 0.05, when="early", gain=[1.0, 1.4])))
    contour = next(each for each in panel(drawn, "(a)").collections if not isinstance(each, QuadMesh))
    ends = contour.get_paths()[0].vertices
    at_four = ends[np.isclose(ends[:, 0], 2.0)][0, 1]  # log2 of the ratio, log10 of the gain
    assert at_four == pytest.approx(np.log10(1.4) + 0.1 / 0.55 * np.log10(2.0 / 1.4))


def test_the_cut_at_infinity_has_the_exact_states_where_they_exist():
    """Of seeds that lie together the median is drawn too."""
    record = scattered()
    for name in ("ipr", "closure_ipr"):
        record[name][:, -1] = [0.1, 0.2, 0.8]
        record[name][:, -1, 1:3] = [[0.52, 0.5, 0.51], [0.6, 0.64, 0.63]]
    cube = panel(PHASES.figure(record), "(e)")
    ((_, one),) = points(cube, label="1 site, exact")
    np.testing.assert_allclose(one, np.append(record.state_ipr.values[:4, 0], np.nan))
    assert_drawn(cube, record.state_ipr.values[:, 1], label="3 sites")
    for when, (name, shift) in enumerate([("SGD, 200 τ", -0.05), ("SGD, 10,000 τ", 0.05)]):
        values = record.ipr.values[when, -1]
        assert_drawn(cube, [np.nan, 0.51, 0.63, np.nan, np.nan], at=np.log2(RATIOS) + shift, label=name)
        small = [line.get_ydata() for line in cube.lines if line.get_markersize() == 3 and line.get_xdata()[0] == -2 + shift]
        np.testing.assert_allclose(small, values.T)
    assert_drawn(cube, [np.nan, 0.51, 0.63, np.nan, np.nan], label="closure, 10,000 τ")


def test_rings_of_all_sizes_are_drawn():
    record = scattered()
    drawn = PHASES.more(record)
    for start, when, cut in [("(a)", 1, 0), ("(c)", 1, 1)]:
        for i, n in enumerate(SIZES):
            values = np.median(record.cut_ipr.values[i, when, cut], axis=-1)
            assert_drawn(panel(drawn, start), np.insert(values, 9, np.nan), label=f"n = {n}")
    power = -np.polyfit(np.log(SIZES), np.log(np.median(record.cut_ipr.values[:, 1, 1], axis=-1)), 1)[0]
    assert_drawn(panel(drawn, "(d)"), np.insert(power, 9, np.nan), label="10,000 τ")


@pytest.mark.parametrize("gains", [(0.0, 1.0), (INF,)])
def test_gains_have_a_place_on_a_logarithmic_scale(gains):
    with pytest.raises(
        UserError, match=r"gains must be above 0 and begin with a finite one, .*, but begin with (0|inf); write"
    ):
        resolve(PHASES, overrides={"gains": gains})


def test_one_setting_alone_is_drawn_and_judged():
    record = made(gains=(1.0,), ratios=(2.0,), cut_gains=(1.0,), sizes=(40,)).isel(seed=[0])
    assert {verdict.outcome for verdict in PHASES.verdicts(record)} <= {"confirmed", "not judged", "not decided"}
    (cells,) = [each for each in panel(PHASES.figure(record), "(a)").collections if isinstance(each, QuadMesh)]
    np.testing.assert_allclose(cells.get_array(), [[0.6]])
    assert_drawn(panel(PHASES.more(record), "(c)"), [0.6], label="n = 40")
    assert panel(PHASES.more(record), "(d)").get_title(loc="left").endswith("fall with n")


@pytest.mark.xdist_group("phase-diagram")
def test_what_is_trained():
    _, p, record = simulated("phase-diagram")
    parts = trained("phase-diagram")
    part, gain, ratio = parts["sgd"], np.array(p.gains)[:, None, None], np.array(p.ratios)[:, None]
    assert_settings(part, p)
    assert_classes(part, p.mean_length * ratio**0.5, p.mean_length * ratio**-0.5, gain)
    assert_by_seed(part)
    fields = part.record.fields.values[..., 0, :].astype(float)
    np.testing.assert_allclose(record.ipr[0], ipr(fields[..., -1, :]), rtol=1e-5)  # 20 tau is the nearest to 200
    np.testing.assert_allclose(record.ipr[1], ipr(record.end.values), rtol=1e-5)
    near = (record.end * fields[..., -1, :]).sum("position") ** 2 / (record.end**2).sum("position")
    assert (near > 0.95 * (fields[..., -1, :] ** 2).sum(-1)).all()  # a field that stays is a mean, which is much like its last
    np.testing.assert_array_equal(record.time, [20.0, 20.0])
    np.testing.assert_array_equal(record.one_site, 2 * np.abs(record.end).max("position") > np.abs(record.end).sum("position"))
    for i, n in enumerate(p.sizes):
        sized = parts[f"sgd-n{n}"]
        assert_settings(sized, p, batch_size=round(p.batch_size * n / p.n))
        cut = np.array(p.cuts)[:, None, None]
        assert sized.task.n == n
        np.testing.assert_allclose(sized.fold(sized.task.positive.xi), np.broadcast_to(p.mean_length * cut**0.5, (2, 2, 2)))
        last = sized.record.fields.values[..., -1, 0, :].astype(float)
        np.testing.assert_allclose(record.cut_ipr.sel(when="early")[i], ipr(last), rtol=1e-5)


@pytest.mark.xdist_group("phase-diagram")
def test_theory_by_other_routes():
    _, p, record = simulated("phase-diagram")
    starts = trained("phase-diagram")["sgd"].record.fields.values[:, :, :, 0, 0].astype(float)
    for g, r in [(0, 2), (1, 0), (2, 1)]:
        gain, (xi1, xi0) = p.gains[g], (p.mean_length * p.ratios[r] ** power for power in (0.5, -0.5))
        cov1, cov0 = (covariance(p.n, xi, gain) for xi in (xi1, xi0))
        f = site_gate_mean(p.n, xi1, gain)
        limit = np.linalg.lstsq((cov1 + cov0) / 4, f / 2)[0]
        assert record.site_loss[g, r] == pytest.approx(0.25 + limit @ (cov1 + cov0) @ limit / 8 - limit @ f / 2, abs=1e-9)
        share = np.linalg.eigvals(np.linalg.solve(cov0 + cov1, cov1)).real.max()
        assert record.wave_loss[g, r] == pytest.approx(0.25 - share / (4 * np.pi), abs=1e-9)

        def push(w, cov1, cov0, gain=gain):
            return closure.drift(w, cov1, gain) / 2 - (cov1 + cov0) @ w / 4

        end = flow_end(starts[g, r, 0], cov1, cov0, 20.0, steps=60, push=push)
        np.testing.assert_allclose(record.closure_ipr[:, g, r, 0], ipr(end), rtol=1e-3)
    cov1, cov0 = (covariance(p.n, p.mean_length, INF) for _ in range(2))
    np.testing.assert_allclose(record.state[1, 0], np.linalg.solve(cov1 + cov0, cov1[p.n // 2]), atol=1e-9)
