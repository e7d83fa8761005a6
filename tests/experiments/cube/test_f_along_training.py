"""What is read off a field along training, against direct sums; verdicts and figure on records made by hand."""

import functools

import jax
import judging
import numpy as np
import pytest
import xarray as xr
from drawn import lines, panel

from gatefield.data import Hypercube, NonlinearGP
from gatefield.experiments.cube.f_along_training import experiment
from gatefield.experiments.cube.f_along_training.figure import dropped
from gatefield.experiments.cube.f_along_training.simulate import head_sizes, site_drifts
from gatefield.experiments.cube.f_along_training.verdicts import takeover
from gatefield.experiments.many_drifts import sampled_drifts
from gatefield.lab import headline


def test_head_sizes_take_the_first_small_error_though_later_ones_rise():
    errors = np.array([[0.2, 0.04, 0.06, 0.0], [0.005, 0.3, 0.3, 0.0]])
    assert head_sizes(errors, (0.01, 0.05)).tolist() == [[4, 2], [1, 1]]


def test_a_head_may_err_on_exactly_the_share_of_samples():
    """25 of 500 samples, as a sum in float32 has it: 0.0500000045."""
    errors = np.nextafter(np.float32(25 / 500), np.float32(1)) * np.array([[4.0, 1.0, 1.0, 0.0]], np.float32)
    assert head_sizes(errors, (0.01, 0.05)).tolist() == [[4, 2]]


def test_takeover_is_the_time_from_which_on_one_form_stays_ahead():
    one = xr.Dataset(
        {
            "gaussian_distance": (("seed", "step"), np.full((3, 4), 0.5)),
            "site_distance": (("seed", "step"), np.array([[1, 0.1, 0.6, 0.2], [1, 0.1, 0.2, 0.1], [0.1, 0.1, 0.1, 0.9]])),
        },
        {"time": ("step", [0.0, 1.0, 2.0, 4.0])},
    )
    assert takeover(one).values.tolist() == [4.0, 1.0, np.inf]


def test_drift_of_the_largest_entry_alone_is_half_a_column_of_the_covariance_on_the_cube():
    fields = np.array([[0.1, -0.2, 0.9, 0.3, 0.0, 0.1], [0.1, -0.8, 0.4, 0.3, 0.0, 0.1]])
    cov = np.asarray(Hypercube(6, 1.5).covariance(), float)
    np.testing.assert_allclose(site_drifts(fields, 1.5, np.inf), [cov[2] / 2, -cov[1] / 2], atol=1e-6)


@pytest.mark.slow
def test_sampled_drifts_agree_with_plain_means():
    source = NonlinearGP(6, np.array([1.0, 2.0]), np.array([1.0, np.inf]))
    fields = np.array([[1.0, 1, 1, 1, 1, 1], [0.9, -0.4, 0.3, 0.2, 0.7, -0.1]])
    found = sampled_drifts(source, fields, jax.random.key(0), 20_000)
    x = np.asarray(source.sample(jax.random.key(1), 30_000), float)
    for r in range(2):
        for f, w in enumerate(fields):
            terms = 0.5 * x[r] * np.sign((x[r] @ w).round(5))[:, None]
            spread = np.hypot(found.error[r, f], terms.std(0) / np.sqrt(len(terms)))
            assert np.all(np.abs(found.value[r, f] - terms.mean(0)) < 4.5 * spread)
            assert np.all(found.error[r, f] < terms.std(0) / np.sqrt(20_000))


def test_head_has_dropped_when_half_way_in_its_logarithm_and_else_the_middle_is_shown():
    assert dropped(np.array([32, 20, 9, 8, 2])) == 3
    assert dropped(np.array([5, 7, 9, 8, 6])) == 2


GAINS, XI, SEEDS, TIMES, N = (1.0, 3.0, np.inf), ("2, 1", "1, 2"), 10, (0.0, 1.0, 3.0, 9.0), 40


def made():
    """A record in which f leaves the Gaussian form at the last time, and heads drop to 2, or 3 but for one percent."""
    rng = np.random.default_rng(0)
    shape = (2, 3, SEEDS, 4)
    axes, forms = ("pair", "gain", "seed", "step"), ("pair", "gain", "step", "position")
    site = np.broadcast_to([0.9, 0.8, 0.7, 0.05], shape).copy()
    heads = np.broadcast_to([[30, 25], [20, 12], [12, 6], [3, 2]], (*shape, 2)).copy()
    return xr.Dataset(
        {
            "gaussian_distance": (axes, np.broadcast_to([0.01, 0.3, 0.5, 0.2], shape).copy()),
            "site_distance": (axes, site),
            "pull": (axes, rng.uniform(0.5, 1.0, shape)),
            "head_size": ((*axes, "share"), heads),
            **{name: (forms, rng.normal(size=(2, 3, 4, N))) for name in ("drift", "gaussian_form", "site_form")},
            "end": (("pair", "gain", "seed", "position"), rng.normal(size=(2, 3, SEEDS, N))),
        },
        {
            "pair": list(XI),
            "gain": list(GAINS),
            "seed": range(SEEDS),
            "share": [0.01, 0.05],
            "time": ("step", list(TIMES)),
            "xi1": ("pair", [2.0, 1.0]),
            "xi0": ("pair", [1.0, 2.0]),
            "position": np.arange(N),
        },
        {"steps": 2400, "learning_rate": 0.05},
    )


judged = functools.partial(judging.judged, experiment)


def row(found, pair):
    (one,) = [one for one in found.table if one.at == f"ξ = ({pair})"]
    return one


def median_error(values):
    """Two standard errors of a median over seeds."""
    return 2 * np.sqrt(np.pi / 2) * np.std(values, ddof=1) / np.sqrt(len(values))


def test_what_is_said_of_the_record_made_by_hand():
    """All but that heads shrink with the gain: they are the same at all gains."""
    found = experiment.verdicts(made())
    assert [v.outcome for v in found] == ["confirmed"] * 4 + ["refuted", "confirmed"]
    assert [v.kind for v in found] == ["claim"] * 4 + ["prediction", "claim"]
    sections = ["3", "3", "3.1", "3.1"]
    assert [v.source for v in found if v.source] == [f"note 003, section {at}" for at in (*sections, "2")]
    assert [[one.at for one in v.table] for v in found[:2]] == [["ξ = (2, 1)"], ["ξ = (1, 2)"]]


@pytest.mark.parametrize("pair", XI)
@pytest.mark.parametrize("gain", range(3))
def test_the_start_is_judged_by_the_largest_median_over_gains(pair, gain):
    """Of ten seeds, five below and five above the median, all as far away: 2 sqrt(pi/2) * 0.002/sqrt(9) = 0.00167."""
    for middle, outcome in ((0.0983, "holds"), (0.0984, "not decided"), (0.1017, "missed")):
        record = made()
        record.gaussian_distance[{"pair": XI.index(pair), "gain": gain, "step": 0}] = middle + 0.002 * (-1.0) ** np.arange(10)
        found = judged(record, "at the start of training, from random weights, f has the Gaussian form")
        one = row(found, pair)
        assert one.outcome == outcome
        assert one.measured == pytest.approx(middle)
        assert f"at gain {('1', '3', '∞')[gain]}, the largest" in one.rule
        assert row(found, XI[1 - XI.index(pair)]).outcome == "holds"
        assert f"|f/2| is {float(record.pull[..., 0].median()):.2f} of" in found.note


@pytest.mark.parametrize(("pair", "order"), [("2, 1", "longer"), ("1, 2", "shorter")])
def test_the_head_is_judged_by_its_median_at_the_end_and_the_highest_gain(pair, order):
    """A tenth of forty entries are few. At all other gains, times and shares heads are large."""
    for middle, outcome in ((3, "holds"), (4, "not decided"), (6, "missed")):
        record = made()
        record.head_size[{"gain": slice(0, 2)}] = 40
        record.head_size[{"share": 0}] = 39
        record.head_size[{"gain": 2, "step": 0, "share": 1}] = 25
        heads = middle + np.array([0, 0, 0, 1, -1, 0, 0, 0, 0, 0])
        record.head_size[{"pair": XI.index(pair), "gain": 2, "step": 3, "share": 1}] = heads
        found = judged(record, f"at gain ∞, the {order} range being positive, a tenth of the entries or fewer decide")
        (one,) = found.table
        assert (one.at, one.measured, one.outcome) == (f"ξ = ({pair})", middle, outcome)
        assert one.error == pytest.approx(median_error(heads))
        assert found.note.startswith("of 40 entries, on 95 % of inputs; 25 at the start")
        assert found.claim.startswith("after 9 τ at gain ∞, the ")
        assert found.claim.endswith(f" for ξ = ({pair})")


def four():
    """Two pairs of each order."""
    record = xr.concat([made(), made().assign_coords(pair=["4, 2", "2, 4"])], "pair")
    record["xi1"], record["xi0"] = ("pair", [2.0, 1.0, 4.0, 2.0]), ("pair", [1.0, 2.0, 2.0, 4.0])
    return record


def test_the_headline_gives_the_numbers_of_both_orders_with_their_pairs_and_the_time():
    record = four()
    record.head_size[{"pair": [0, 2], "step": 3}] = 1
    record.head_size[{"pair": 1, "step": 3}] = 30
    record.head_size[{"pair": 3, "step": 3}] = 19
    said = "After 9 τ at gain ∞ 1 of 40 entries decides a gate on 95 % of inputs for ξ = (2, 1) and (4, 2)"
    assert headline("?", experiment.verdicts(record)) == f"{said}, 19 to 30 of 40 for (1, 2) and (2, 4)"
    title = panel(experiment.figure(record), "(f)").get_title(loc="left")
    assert title == "(f) gain ∞: 1 if ξ₁ > ξ₀,\n19 to 30 if ξ₁ < ξ₀"
    record.head_size[{"pair": 0, "gain": 2, "step": 3}] = 3 + np.arange(10)[:, None] % 3  # the first order is not decided
    said = "After 9 τ at gain ∞ 1 to 4 of 40 entries decide a gate on 95 % of inputs for ξ = (2, 1) and (4, 2)"
    assert headline("?", experiment.verdicts(record)).startswith(said)
    assert headline("?", experiment.verdicts(record.isel(pair=[1]))) == (
        "After 9 τ at gain ∞ 30 of 40 entries decide a gate on 95 % of inputs for ξ = (1, 2)"
    )
    equal = made().isel(pair=[0])
    equal["xi0"] = ("pair", [2.0])
    assert "decide" not in headline("?", experiment.verdicts(equal))


def test_the_second_headline_says_which_form_f_is_nearer_to_in_which_pairs():
    record = four()
    said = "After 9 τ at gain ∞ the drift f is nearer to "
    one_site, gaussian = "to that of one site for ξ = {}", "to that of Gaussian data for ξ = {}"
    everywhere = one_site.format("(2, 1), (1, 2), (4, 2) and (2, 4)").removeprefix("to ")
    assert headline("?", experiment.verdicts(record), more=True) == said + everywhere
    record.site_distance[{"pair": [1, 3], "gain": 2, "step": 3}] = 0.9
    parts = f"{one_site.format('(2, 1) and (4, 2)')}, {gaussian.format('(1, 2) and (2, 4)')}".removeprefix("to ")
    assert headline("?", experiment.verdicts(record), more=True) == said + parts
    assert experiment.more(record).axes[3].get_title(loc="left") == "ξ = (2, 4)\nbalance −0.64"


def test_titles_say_which_form_is_nearer_at_which_gains():
    record = made()
    assert panel(experiment.figure(record), "(e)").get_title(loc="left").endswith("\nsite at gains 1, 3, ∞")
    record.site_distance[{"gain": 0, "step": 3}] = 0.9
    assert panel(experiment.figure(record), "(e)").get_title(loc="left").endswith("\nsite at gains 3, ∞")
    record.site_distance[{"step": 3}] = 0.9
    assert panel(experiment.figure(record), "(e)").get_title(loc="left") == "(e) f stays nearer to\nthe Gaussian form"
    assert panel(experiment.figure(record), "(d)").get_title(loc="left") == (
        "(d) fewer entries decide: 2, 2, 2\nin the end at gains 1, 3, ∞"
    )
    record.head_size[{"step": 3}] = 30
    assert "entries that decide: 30, 30, 30" in panel(experiment.figure(record), "(d)").get_title(loc="left")


@pytest.mark.parametrize(("pair", "order"), [("2, 1", "longer"), ("1, 2", "shorter")])
def test_the_nearer_form_is_judged_by_the_median_balance_of_the_distances(pair, order):
    """By hand: d_G = 0.2, so that the balance of d_1 = 0.2 (1 - b)/(1 + b) is b; at other gains one site is far."""
    for middle, outcome in ((0.15, "holds"), (0.01, "not decided"), (-0.15, "missed")):
        record = made()
        record.site_distance[{"gain": slice(0, 2)}] = 0.9
        b = middle + 0.1 * (-1.0) ** np.arange(10)
        where = {"pair": XI.index(pair), "gain": 2, "step": 3}
        record.site_distance[where] = 0.2 * (1 - b) / (1 + b)
        record.site_distance[{**where, "step": 2}] = 0.1
        (one,) = judged(record, f"the {order} range being positive, f is nearer").table
        assert (one.at, one.outcome) == (f"ξ = ({pair})", outcome)
        assert one.measured == pytest.approx(middle)
        assert one.error == pytest.approx(median_error(b))
        assert f"nearer in {np.sum(b > 0)} of 10 seeds{', from 3 τ on' if (b > 0).any() else ''})" in one.rule


def test_an_order_that_is_not_there_is_not_judged():
    found = judged(made().isel(pair=[0]), "the shorter range being positive, f is nearer")
    need = "needs a pair with the shorter range positive, has 2, 1; run with --set 'pairs=[[2.0,1.0],[1.0,2.0]]'"
    assert (found.outcome, found.why) == ("not judged", need)


def test_heads_must_shrink_with_the_gain_for_every_pair():
    """Seed by seed: the differences are -3 and -1 in turns: their median is -2, and its error 2 sqrt(pi/2)/sqrt(9)."""
    record = made()
    record.head_size[{"gain": 0, "step": 3, "share": 1}] = 4 + (-1) ** np.arange(10)
    record.head_size[{"gain": 1, "step": 3}] = 1
    found = judged(record, "fewer entries decide the gate at gain ∞ than at gain 1")
    assert [(one.measured, one.outcome) for one in found.table] == [(-2, "holds")] * 2
    assert found.table[0].error == pytest.approx(2 * np.sqrt(np.pi / 2) / 3)
    assert "(medians by gain 4, 1, 2)" in found.table[0].rule
    record.head_size[{"pair": 1, "gain": 2, "step": 3, "share": 1}] = 4
    assert row(judged(record, "fewer entries decide the gate"), "1, 2").outcome == "not decided"
    record.head_size[{"pair": 1, "gain": 2, "step": 3, "share": 1}] = 6
    assert row(judged(record, "fewer entries decide the gate"), "1, 2").outcome == "missed"


def test_short_trainings_decide_nothing_but_the_start():
    found = experiment.verdicts(made().assign_attrs(steps=2399))
    assert [v.outcome for v in found] == ["not decided"] * 5 + ["confirmed"]


def drawn_at_random():
    record, rng = made(), np.random.default_rng(5)
    for name in ("gaussian_distance", "site_distance", "head_size"):
        record[name] = (record[name].dims, rng.integers(1, 40, record[name].shape))
    return record


def balance(one):
    gaussian, site = one.gaussian_distance, one.site_distance
    return (gaussian - site) / (gaussian + site)


def assert_over_time(axes, values):
    for g in range(3):
        (line,) = [line for line in axes.lines if line.get_label() == f"gain {('1', '3', '∞')[g]}"]
        np.testing.assert_array_equal(line.get_xdata(), TIMES)
        np.testing.assert_allclose(line.get_ydata(), np.median(values[g], axis=0))
        band = axes.collections[g].get_paths()[0].vertices
        at = band[band[:, 0] == 3.0][:, 1]
        np.testing.assert_allclose([at.min(), at.max()], np.percentile(values[g, :, 2], [25, 75]))


def test_figure_shows_heads_and_forms_of_the_first_pair_over_time():
    record = drawn_at_random()
    one = record.isel(pair=0)
    figure = experiment.figure(record)
    assert_over_time(panel(figure, "(d)"), one.head_size.sel(share=0.05).values)
    assert_over_time(panel(figure, "(e)"), balance(one).values)


def test_figure_shows_heads_at_the_end_by_gain_without_a_join_to_infinity():
    record = drawn_at_random()
    for at, bars in enumerate(panel(experiment.figure(record), "(f)").containers):
        heads = record.head_size[at, :, :, -1, 1].values
        expected = np.median(heads, axis=1)
        np.testing.assert_allclose(bars.lines[0].get_ydata(), [*expected[:2], np.nan, expected[2]])
        ends = [part for part in bars.lines[2][0].get_segments() if len(part)]
        np.testing.assert_allclose(ends[0][:, 1], np.percentile(heads[0], [25, 75]))


def test_more_shows_all_pairs_and_all_final_fields():
    """Of a record with one pair, that one."""
    record = drawn_at_random()
    for count, at in ((2, 0), (2, 1), (1, 0)):
        figure, one = experiment.more(record.isel(pair=slice(0, count))), record.isel(pair=at)
        forms, heads = (figure.axes[place] for place in (at, count + at))
        words = f"ξ = ({float(one.xi1):g}, {float(one.xi0):g})\n" + ("longer range +", "shorter range +")[at]
        assert heads.get_title(loc="left") == ("(b) " if at == 0 else "") + words
        assert_over_time(heads, one.head_size.sel(share=0.05).values)
        assert_over_time(forms, balance(one).values)
        assert not lines(heads, style=":")  # of 95 % of inputs only
    figure = experiment.more(record)
    for name, gain in (("(c)", 0), ("(d)", 2)):
        fields = [line.get_ydata() for line in panel(figure, name).lines if len(line.get_ydata()) == N]
        for shown, pair in zip(fields, range(2), strict=True):
            field = record.end.values[pair, gain, 0]
            peak = np.argmax(np.abs(field))
            np.testing.assert_allclose(shown, [field[(peak + k) % N] / field[peak] for k in range(-20, 20)])


def test_figure_shows_f_and_its_forms_at_three_times():
    """The head of the first seed falls from 25 to 1: it is at most their geometric mean, 5, at the third time."""
    record = made()
    record.head_size[{"seed": slice(1, None)}] = 1
    record.head_size[{"seed": 0, "step": 2}], record.head_size[{"seed": 0, "step": 3}] = 5, 1
    panels = experiment.figure(record).axes[:3]
    titles = ["(a) 0 τ: 25 entries decide", "(b) 3 τ: 5 entries decide", "(c) 9 τ: one entry decides"]
    assert [axes.get_title(loc="left") for axes in panels] == titles
    for axes, step in zip(panels, (0, 2, 3), strict=True):
        _, drift, site, gaussian = axes.lines
        for line, name in ((gaussian, "gaussian_form"), (site, "site_form"), (drift, "drift")):
            np.testing.assert_array_equal(line.get_ydata(), record[name][0, 2, step])
