"""Verdicts and figure of `localization`, on made-up records."""

import jax
import numpy as np
import pytest
import xarray as xr
from drawn import assert_drawn, lines, panel, scaled
from field_records import INF, assert_only, ending, figure, judge, seeds, unjudged
from judging import scrambled
from plain import flow_end, ipr, squashing
from watched import Watched

from gatefield import experiments
from gatefield.lab import headline

GAINS = (0.01, 1.0, 3.0, INF)
DIMS = ("order", "gain", "seed", "step", "unit")


USUAL = {"boundary": "ring", "init": "xavier", "readout": "mean", "output_bias": 0, "loss": "mse", "optimizer": "sgd"}


def made(
    low=0.05,
    high=0.64,
    swapped=0.09,
    top=0.8,
    bump=0.8,
    flow=0.09,
    n=40,
    scales=(2.0, 1.0),
    end=200.0,
    gains=GAINS,
    scatter=(1.0, 0.9999, 1.0002),
):
    """All that is not asked for is far off: other orders and gains, and the first step; the seeds lie around the median."""
    final = np.array([[low, 0.4, high, top], [0.9, 0.6, swapped, 0.3]])
    flows = np.array([[0.02, 0.02, 0.03, 0.02], [0.02, 0.02, 0.02, flow]])
    data = {
        "ipr": (DIMS, ending(np.multiply.outer(final, scatter))[..., None]),
        "flow_ipr": (DIMS[:3], seeds(flows)),
        "bump_ipr": (DIMS[:2], [[0.3, 0.3, 0.3, bump], [0.3, 0.3, 0.3, 0.3]]),
        "fields": ((*DIMS, "position"), np.ones((2, 4, 3, 3, 1, n))),
    }
    coords = {"order": ["long", "short"], "gain": list(gains), "time": ("step", [0.0, 50.0, end])}
    return xr.Dataset(data, coords, {"length_scales": list(scales), "steps": 1000})


LOCALIZES, SWAPPED, LOWEST, COVARIANCE, CUBE, RISE, BEFORE = range(7)


@pytest.mark.parametrize(
    ("place", "change", "expected"),
    [
        (SWAPPED, {"swapped": 0.099}, True),
        (SWAPPED, {"swapped": 0.101}, False),
        (LOWEST, {"low": 0.074}, True),
        (LOWEST, {"low": 0.076}, False),
        (COVARIANCE, {"flow": 0.0999}, True),
        (COVARIANCE, {"flow": 0.1001}, False),
        (CUBE, {"top": 0.771}, True),
        (CUBE, {"top": 0.829}, True),
        (CUBE, {"top": 0.769}, False),
        (CUBE, {"top": 0.831}, False),
        (CUBE, {"bump": 0.75}, False),
        (BEFORE, {"high": 0.6101}, True),
        (BEFORE, {"high": 0.6699}, True),
        (BEFORE, {"high": 0.6099}, False),
        (BEFORE, {"high": 0.6701}, False),
    ],
)
def test_both_sides_of_each_bound(place, change, expected):
    assert_only("localization", made(**change), place, expected)


@pytest.mark.parametrize(("high", "outcome"), [(0.151, "confirmed"), (0.149, "refuted"), (0.1501, "not decided")])
def test_what_counts_as_localized(high, outcome):
    """By hand: the deviation of 1, 0.999 and 1.002 is 0.0015; two errors of the median are 0.15 * 0.0015 * 1.45 = 0.0003."""
    verdict = judge("localization", made(high=high, scatter=(1.0, 0.999, 1.002)))[LOCALIZES]
    assert (verdict.outcome, verdict.kind) == (outcome, "claim")


def test_headline():
    verdicts = judge("localization", made())
    assert headline("?", verdicts) == (
        "On non-Gaussian data a field condenses within 200 τ (IPR 0.64 at gain 3); "
        "with the length scales swapped a field is still spread then (0.09)"
    )
    other = headline("?", judge("localization", made(high=0.05, swapped=0.3)))
    assert other == (
        "On non-Gaussian data a field does not condense within 200 τ (IPR 0.05 at gain 3); "
        "with the length scales swapped a field condenses too (0.30)"
    )


def test_numbers_are_medians_at_the_end():
    verdicts = judge("localization", made(scatter=(1.0, 0.1, 5.0)))
    assert [v.measured for v in verdicts] == pytest.approx([0.64, 0.09, 0.05, 0.09, 0.8, 1.0, 0.64])
    assert [v.predicted for v in verdicts] == [None, None, pytest.approx(0.02), None, 0.8, None, 0.64]


@pytest.mark.parametrize(
    ("change", "places"),
    [
        ({}, []),
        ({"n": 39}, [0, 1, 2, 6]),
        ({"scales": (1.0, 2.0)}, [0, 1, 2, 6]),
        ({"end": 199.0}, [0, 1, 2, 4, 5, 6]),
        ({"gains": (0.1, 1.0, 3.0, INF)}, []),
        ({"gains": (0.101, 1.0, 3.0, INF)}, [2]),
        ({"gains": (0.01, 1.0, 2.9, INF)}, [0, 1, 6]),
        ({"gains": (0.01, 1.0, 3.0, 10.0)}, [4]),
    ],
)
def test_published_sizes_alone_have_published_numbers(change, places):
    assert unjudged("localization", made(**change)) == places
    assert len(judge("localization", made(**change))) == 7


def ranked(*orders):
    """A record whose last values of the first order of the length scales have these ranks, seed by seed."""
    record = made()
    for seed, ranks in enumerate(orders):
        record.ipr[{"order": 0, "seed": seed, "step": -1, "unit": 0}] = 0.1 * np.array(ranks)
    return judge("localization", record)[RISE]


@pytest.mark.parametrize(
    ("orders", "outcome", "measured"),
    [
        ([(1, 2, 3, 4)] * 3, "confirmed", 1.0),
        ([(1, 3, 2, 4)] * 3, "refuted", 0.8),  # one pair of neighbours in the wrong order costs 6 * 2/(4 * 15)
        ([(4, 3, 2, 1)] * 3, "refuted", -1.0),
        ([(1, 2, 3, 4), (1, 2, 3, 4), (1, 2, 4, 3)], "not decided", 2.8 / 3),
    ],
)
def test_rise_with_gain_is_judged_by_ranks_of_each_seed(orders, outcome, measured):
    verdict = ranked(*orders)
    assert (verdict.outcome, verdict.kind) == (outcome, "claim")
    assert verdict.measured == pytest.approx(measured)
    assert verdict.note.endswith("the correlation is -0.8")  # 0.9, 0.6, 0.09, 0.3


def test_rise_with_gain_needs_gains_and_seeds():
    record = made().isel(gain=[0, 2, 3])
    assert judge("localization", record)[RISE].why.startswith("needs 4 gains or more, has 3; run with --set 'gains=[0.01,0.3,")
    assert judge("localization", made().isel(seed=[0]))[RISE].outcome == "not decided"


def test_what_is_not_judged_says_what_to_set():
    verdicts = judge("localization", made(end=50.0, gains=(0.01, 1.0, 3.0, 10.0)))
    assert verdicts[COVARIANCE].outcome == "not decided"  # in that time nothing localizes
    assert verdicts[COVARIANCE].note.startswith("needs a training of 200 tau, has 50; run with --set steps=4000; after the")
    assert verdicts[CUBE].why == (
        "needs a training of 200 tau, has 50, and gains with inf, has 0.01, 1.0, 3.0 and 10.0; "
        "run with --set steps=4000 --set 'gains=[0.01,1.0,3.0,10.0,inf]'"
    )


@pytest.mark.parametrize(
    ("name", "value", "places"),
    [
        ("boundary", "line", [0, 1, 2, 4, 6]),
        ("init", "normal", [0, 1, 2, 6]),
        ("init", "basis", [0, 1, 2, 6]),
        ("readout", "learned", [0, 1, 2, 3, 4, 6]),
        ("output_bias", 1, [0, 1, 2, 3, 4, 6]),
        ("loss", "cross-entropy", [0, 1, 2, 3, 4, 6]),
        ("optimizer", "adam", [0, 1, 2, 3, 4, 5, 6]),
        ("optimizer", "momentum", [0, 1, 2, 4, 6]),  # its flow is known
    ],
)
def test_what_is_known_of_the_usual_conditions_is_judged_there_alone(name, value, places):
    record = made().assign_attrs({**USUAL, name: value})
    assert unjudged("localization", record) == places
    usual = {"output_bias": "false"}.get(name, USUAL[name])
    assert all(f"needs {name} = {usual}, has " in judge("localization", record)[place].why for place in places)


def test_records_that_do_not_name_the_conditions_have_the_usual_ones():
    assert judge("localization", made()) == judge("localization", made().assign_attrs(USUAL))


def test_figure_names_conditions_that_are_not_the_usual_ones():
    record = made(n=8).assign_attrs({**USUAL, "loss": "cross-entropy", "output_bias": 1})
    record["flow_ipr"] = record.flow_ipr * np.nan
    drawn = figure("localization", record)
    assert drawn.get_supxlabel().replace("\n", " ").endswith("largest entry, output_bias = true, loss = cross-entropy")
    names = [str(line.get_label()) for line in panel(drawn, "(b)").get_lines()]
    assert not any("flow" in name or "one site" in name for name in names)  # both are those of the squared error
    usual = figure("localization", made(n=8).assign_attrs(USUAL))
    assert usual.get_supxlabel().endswith("sites, 200 τ, 3 seeds, (c): of one, over their largest entry")
    assert len(lines(panel(usual, "(b)"), words="Gaussian flow")) == 2


def simulated(**settings):
    tiny = {"n": 8, "gains": 3.0, "batch_size": 20, "steps": 4, "record_every": 2, "seeds": 2}
    experiment, bench = experiments.get("localization"), Watched()
    record = experiment.simulate(experiment.Parameters(**tiny, **settings), bench)
    return record, bench.parts["sgd"]


@pytest.mark.slow
def test_conditions_that_are_set_are_those_of_the_training():
    settings = {"boundary": "line", "init": "basis", "readout": "learned", "output_bias": True}
    record, part = simulated(**settings, loss="cross-entropy", optimizer="adam")
    assert part.task.positive.boundary == part.task.negative.boundary == "line"
    assert None not in (part.net.readout, part.net.output_bias)
    assert (part.settings["loss"], part.settings["optimizer"]) == ("cross-entropy", "adam")
    np.testing.assert_array_equal(part.net.fields, np.broadcast_to(np.eye(8)[0], (4, 1, 8)))
    assert record.flow_ipr.isnull().all()
    assert {name: record.attrs[name] for name in USUAL} == {**settings, "loss": "cross-entropy", "optimizer": "adam"}


@pytest.mark.slow
def test_flow_beside_momentum_on_a_line_has_ten_times_the_time():
    record, _ = simulated(boundary="line", init="normal", optimizer="momentum", learning_rate=0.2)
    lag = np.subtract.outer(np.arange(8), np.arange(8))
    kappa = squashing(3.0)
    cov = {xi: np.arcsin(kappa * np.exp(-((lag / xi) ** 2))) / np.arcsin(kappa) for xi in (1.0, 2.0)}
    starts = record.fields.values[0, 0, :, 0, 0].astype(float)
    for i, (xi1, xi0) in enumerate([(2.0, 1.0), (1.0, 2.0)]):
        ends = [flow_end(w, cov[xi1], cov[xi0], 4 * 0.2 * 10, steps=400) for w in starts]
        np.testing.assert_allclose(record.flow_ipr[i, 0], ipr(np.array(ends)), rtol=1e-4)
        mean = np.arcsin(np.sqrt(kappa) * np.exp(-((lag[4] / xi1) ** 2)))
        bump = np.linalg.solve(cov[xi1] + cov[xi0], mean)
        assert float(record.bump_ipr[i, 0]) == pytest.approx(ipr(bump), rel=1e-5)
    normal = jax.random.split(jax.random.split(jax.random.key(0))[0], 2)
    np.testing.assert_array_equal(starts, [jax.random.normal(key, (1, 8))[0] for key in normal])


def test_figure_shows_each_order_with_its_own_mark():
    record = scrambled(made(n=8))
    drawn = figure("localization", record)
    axes = panel(drawn, "(b)")
    places, at = [0, 1, 2, 3.5], [0, 1, 2, np.nan, 3.5]
    for i, (order, colour, marker, dash) in enumerate([("long", "C0", "o", "-"), ("short", "C1", "s", "--")]):
        final = record.ipr.values[i, :, :, -1, 0]
        dots = lines(axes, color=colour, marker=marker)
        np.testing.assert_allclose([line.get_ydata() for line in dots], final.T)
        np.testing.assert_allclose(dots[1].get_xdata(), places)
        flow = np.median(record.flow_ipr.values[i], axis=1)
        assert_drawn(axes, np.insert(flow, 3, np.nan), at=at, style=dash, label=f"Gaussian flow, {order}er range positive")
    assert_drawn(axes, record.bump_ipr.values[0, -1], at=3.75, marker="*")
    assert_drawn(axes, [0.15, 0.15], style="-.")
    told = record.ipr.values[:, 2, :, -1, 0]  # at gain 3
    found = [(text.get_text(), *text.xy) for text in axes.texts if "local" not in text.get_text()]
    assert found == [(f"{np.median(values):.2f}", 2.0, np.median(values)) for values in told]
    fields = record.fields.values[:, :, 0, -1, 0].reshape(8, 8)
    first = drawn.axes.index(panel(drawn, "(c)"))
    for i, (small, field) in enumerate(zip(drawn.axes[first:], fields, strict=True)):
        assert_drawn(small, scaled(field), color=f"C{i // 4}", style="-", marker="None", at=np.arange(8))
    titles = [small.get_title(loc="left") for small in drawn.axes[first : first + 4]]
    assert titles == ["(c) fields at gain 0.01", "gain 1", "gain 3", "gain ∞"]


def test_figure_shows_inputs_of_both_classes():
    """At infinite gain the signs of what is drawn at gain 0.01, which is nearly the latent field."""
    drawn = figure("localization", made(n=8))
    first = drawn.axes.index(panel(drawn, "(a)"))
    shown = np.array([axes.lines[1].get_ydata() for axes in drawn.axes[first : first + 6]]).reshape(2, 3, 8)
    np.testing.assert_array_equal(shown[:, 2], np.sign(shown[:, 0]))
    np.testing.assert_array_equal(np.sign(shown[:, 1]), np.sign(shown[:, 0]))
    assert not np.array_equal(shown[0], shown[1])


def test_panel_does_not_claim_one_order_where_both_condense():
    one = made(n=40)
    one["ipr"] = one.ipr.where(one.order == "long", 0.05)
    assert panel(figure("localization", one), "(b)").get_title(loc="left") == "(b) after 200 τ only one order has condensed"
    both = panel(figure("localization", made()), "(b)")
    assert both.get_title(loc="left") == "(b) how condensed fields are after 200 τ"
