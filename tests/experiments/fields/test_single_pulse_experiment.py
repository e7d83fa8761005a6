"""Verdicts and figure of `single-pulse` on made-up records; what it trains, and its theory by a plain route."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_all_drawn, assert_drawn, lines, panel, points, scaled
from field_records import assert_only, ending, figure, judge, more, seeds, unjudged
from judging import changed, scrambled
from plain import ipr
from test_experiments import simulated, trained
from watched import assert_by_seed, assert_settings

from gatefield.experiments.fields.single_pulse.simulate import KINDS, ORDERS, Settings
from gatefield.lab import headline

CASE = ("order", "kind")
COORDS = {"data": ["pulse", "clone"], "order": list(ORDERS), "kind": list(KINDS), "start": ["site", "minus site", "wave"]}


def made(sharp=0.8, clone=0.05, swapped=0.05, raw=0.06, clones=0.07, descent=0.8, deep=(0.2, 0.3, 0.25), more=0.0):
    """Wide pulses of kind "both" localize, and centred ones of both orders; `deep` is explained in the first of these cases."""
    pulses = [[sharp, 0.5, 0.05, 0.04], [swapped, 0.4, raw, 0.05]]
    copies = [[clone, 0.05, 0.05, 0.06], [0.05, clones, 0.05, 0.06]]
    exact = np.array([[descent, 0.5, 0.05, 0.04], [swapped, 0.4, raw, 0.05]])
    explained = np.tile([0.1, 0.2, 0.3], (2, 4, 1))
    explained[:, 1] = [0.1, 0.3, 0.2]
    explained[0, 0] = deep
    data = {
        "ipr": (("data", *CASE, "seed", "step", "unit"), ending(seeds([pulses, copies]), before=0.9)[..., None]),
        "fields": (("data", *CASE, "seed", "step", "unit", "position"), np.ones((2, 2, 4, 3, 3, 1, 40))),
        "descent_ipr": ((*CASE, "seed"), seeds(exact)),
        "descent_fields": ((*CASE, "seed", "position"), np.ones((2, 4, 3, 40))),
        "explained": ((*CASE, "seed"), seeds(explained.max(-1))),
        "descent_explained": ((*CASE, "seed"), seeds(explained.max(-1) - more * (np.arange(4) == 2))),
        "special_explained": ((*CASE, "start"), explained),
        "special_ipr": ((*CASE, "start"), np.tile([0.9, 0.9, 0.05], (2, 4, 1))),
        "wave_explained": (CASE, explained[..., 2]),
        "inputs": ((*CASE, "position"), np.ones((2, 4, 40))),
    }
    attrs = {"wide": [12, 20], "narrow": [2, 10], "steps": 3000, "learning_rate": 0.5}
    return xr.Dataset(data, {**COORDS, "time": ("step", [0.0, 1.0, 1500.0])}, attrs)


@pytest.mark.parametrize(
    ("place", "change", "expected"),
    [
        (0, {"clone": 0.0999}, True),
        (0, {"clone": 0.1001}, False),
        (1, {"swapped": 0.1499}, True),
        (2, {"raw": 0.1499}, True),
        (3, {"clones": 0.1499}, True),
        (3, {"clones": 0.1501}, False),
        (4, {"descent": 0.7001}, True),
        (4, {"descent": 0.6999}, False),
        (5, {"more": 0.0199}, True),
        (5, {"more": 0.0201}, False),
        (5, {"more": -0.0201}, False),
        (6, {"deep": (0.2, 0.251, 0.25)}, True),
        (6, {"deep": (0.2, 0.249, 0.25)}, False),
        (6, {"deep": (0.26, 0.2, 0.25)}, True),
        (7, {"sharp": 0.7401}, True),
        (7, {"sharp": 0.7399}, False),
    ],
)
def test_both_sides_of_each_bound(place, change, expected):
    assert_only("single-pulse", made(**change), place, expected)


@pytest.mark.parametrize(
    ("change", "off"),
    [({"swapped": 0.1501}, [1, 6]), ({"raw": 0.1501}, [2, 6]), ({"sharp": 0.2999, "descent": 0.2999}, [0, 7])],
)
def test_where_a_field_localizes_or_not_several_claims_fall(change, off):
    found = [verdict.holds for verdict in judge("single-pulse", made(**change))]
    assert [place for place, holds in enumerate(found) if not holds] == off


def test_other_settings_are_not_compared_with_the_earlier_run_and_short_ones_leave_all_open():
    assert unjudged("single-pulse", made().assign_attrs(wide=[11, 20])) == [7]
    short = judge("single-pulse", made().assign_attrs(steps=2990))
    assert [verdict.outcome for verdict in short] == ["not decided"] * 7 + ["not judged"]


def test_verdicts_name_the_case_that_is_furthest_off():
    verdicts = judge("single-pulse", made(raw=0.12, descent=0.75))
    assert verdicts[2].measured == pytest.approx(0.12)
    assert [len(v.table) for v in verdicts] == [0, 0, 4, 8, 8, 8, 0, 0]
    assert [(b.at, b.measured) for b in verdicts[2].table][2] == ("narrow positive, with complement", pytest.approx(0.12))
    first = verdicts[4].table[0]
    assert (first.at, first.predicted, first.measured) == (
        "wide positive, centred, with complement",
        pytest.approx(0.75),
        pytest.approx(0.8),
    )
    assert "wrong: wide positive, as they are" in judge("single-pulse", changed_last(made()))[6].note


def changed_last(record):
    """The last kind of wide pulses would localize, if the states told."""
    return changed(record, ("special_ipr", {"order": "wide", "kind": "plain", "start": "wave"}, 0.5))


def test_both_orders_are_the_headline():
    wide, narrow = judge("single-pulse", made())[:2]
    start = "SGD on centred pulses with complement"
    assert wide.sentence == f"{start} localizes a field if wide ones are positive (IPR 0.80)"
    assert narrow.sentence == "not if narrow ones are (0.05); other kinds vary"
    wide, narrow = judge("single-pulse", made(clone=0.2, swapped=0.3))[:2]
    assert wide.sentence == f"{start}, wide ones positive, ends at IPR 0.80, on its clone at 0.20"
    assert narrow.sentence == "if narrow ones are, too (0.30); other kinds vary"


def test_pulses_and_clones_are_counted_in_the_second_headline():
    start = "SGD localizes fields on 3 of 8 kinds and orders of pulses, on"
    none, one = (headline("?", judge("single-pulse", made(clones=value)), more=True) for value in (0.0749, 0.1501))
    assert none == f"{start} none of their Gaussian clones (median IPR 0.07 at most)"
    assert one == f"{start} 1 of their Gaussian clones (median IPR up to 0.15)"


def calm(record):
    """Seeds of the first kind lie together, those of the others in two groups."""
    for name in ("ipr", "descent_ipr", "explained"):
        values = record[name].transpose("kind", "seed", ...)
        values[:, 0], values[:, 1:] = 0.1, 0.9
        values[0] = 0.5 + 0.01 * np.arange(values[0].size).reshape(values[0].shape) / values[0].size
        record[name] = values.transpose(*record[name].dims)
    return record


def test_figure():
    record = calm(scrambled(made()))
    drawn = figure("single-pulse", record)
    final = record.ipr.values[..., -1, 0]
    for letter, place in (("c", 0), ("d", 1)):
        axes = panel(drawn, f"({letter})")
        for i, (color, shift, name) in enumerate([("C0", -0.25, "SGD on pulses"), ("C1", 0.25, "SGD on Gaussian clones")]):
            assert_drawn(axes, first_median(final[i, place]), at=np.arange(4) + shift, color=color, label=name)
            small = [line.get_ydata() for line in lines(axes, color=color, marker="o") if line.get_markersize() == 3]
            np.testing.assert_allclose(small, final[i, place].T)
        exact = record.descent_ipr.values[place]
        assert_all_drawn(axes, [*exact.T, first_median(exact)], color="k", marker="_")
        assert_drawn(axes, [0.15, 0.15], style=":")
    medians = [np.median(values[0, 0]) for values in (final[0], final[1], record.descent_ipr.values)]
    assert [text.get_text() for text in panel(drawn, "(c)").texts] == [f"{value:.2f}" for value in medians]
    assert [text.get_text() for text in panel(drawn, "(d)").texts] == [f"{np.median(final[0, 1, 0]):.2f}"]
    for letter, place in (("e", 0), ("f", 1)):
        axes = panel(drawn, f"({letter})")
        special = record.special_explained.values[place]
        site = special[:, :2].max(axis=1)
        assert_drawn(axes, site, words="one site")
        assert_drawn(axes, special[:, 2], words="wave")
        assert_drawn(axes, first_median(record.explained.values[place]), words="SGD")
        assert axes.get_ylim()[0] < 0


def first_median(rows):
    """Of the kind whose seeds lie together."""
    return [np.median(rows[0]), np.nan, np.nan, np.nan]


@pytest.mark.parametrize(
    ("deep", "words"),
    [
        ((0.2, 0.319, 0.3), "wide positive: site, wave alike (0.319, 0.300)"),
        ((0.321, 0.2, 0.3), "wide positive: site 0.321, wave 0.300"),
        ((0.2, 0.279, 0.3), "wide positive: wave 0.300, site 0.279"),
    ],
)
def test_titles_say_why(deep, words):
    assert panel(figure("single-pulse", made(deep=deep)), "(e)").get_title(loc="left") == f"(e) {words}"


def test_titles_say_whether_exact_descent_ends_elsewhere():
    near, far = (figure("single-pulse", made(descent=value)) for value in (0.7001, 0.6999))
    heads = [[panel(drawn, start).get_title(loc="left") for start in ("(b)", "(c)")] for drawn in (near, far)]
    assert heads[0] == ["(b) exact descent ends there, too", "(c) wide positive: both descents 0.80"]
    assert heads[1] == ["(b) exact descent ends elsewhere", "(c) wide positive: SGD 0.80, exact 0.70"]


def test_inputs_of_each_kind_are_pulses_in_the_middle_with_their_complements():
    """Pulses of 12 to 20 sites on a ring of 40 with the levels of their kind; two are drawn as their complements."""
    record = made()
    low, high = np.array([-0.5, -0.4, 0.0, 0.0]), np.array([0.5, 0.6, 1.0, 1.0])
    for at, (start, size, turned) in enumerate([(35, 12, True), (5, 13, False), (22, 16, True), (30, 20, False)]):
        pulse = np.isin(np.arange(40), np.arange(start, start + size) % 40) != turned
        record.inputs[0, at] = np.where(pulse, high[at], low[at])
    axes = panel(figure("single-pulse", record), "(a)")
    shown = [y for _, y in points(axes, color="0.2")]
    for at, (y, size) in enumerate(zip(shown, (12, 13, 16, 20), strict=True)):
        up = np.flatnonzero(y == high[at])
        assert len(up) == size
        assert np.ptp(up) == size - 1
        assert abs(up.mean() - 20) <= 0.5
        assert set(y) == {low[at], high[at]}
    for y, at in zip((y for _, y in points(axes, style="--")), (0, 2), strict=True):
        np.testing.assert_array_equal(y, np.where(shown[at] == high[at], low[at], high[at]))


def test_the_fields_of_the_headline_stand_side_by_side():
    record = scrambled(made())
    row = panel(figure("single-pulse", record), "(b)")
    trained = record.fields.values[:, 0, 0, 0, -1, 0]
    fields = [trained[0], record.descent_fields.values[0, 0, 0], trained[1]]
    for color, field in zip(["C0", "k", "C1"], fields, strict=True):
        ((_, shown),) = [line for line in points(row, color=color) if not np.isnan(line[1]).any()]
        np.testing.assert_allclose(shown, scaled(field))
    ended = record.ipr.values[:, 0, 0, 0, -1, 0]
    assert [text.get_text() for text in row.get_xticklabels()] == [
        f"SGD\nIPR {ended[0]:.2f}",
        f"exact descent\nIPR {record.descent_ipr.values[0, 0, 0]:.2f}",
        f"SGD, clone\nIPR {ended[1]:.2f}",
    ]


def test_neurons_that_died_are_counted():
    assert "activates" not in figure("single-pulse", made()).get_supxlabel()
    dead = changed(made().assign_coords(seed=range(3)), ("explained", {"order": "wide", "kind": "plain", "seed": 1}, 0.0))
    assert figure("single-pulse", dead).get_supxlabel().endswith("(1 of 24)")


def test_second_figure_has_the_fields_of_every_case():
    record = scrambled(made())
    for axes, (order, kind) in zip(more("single-pulse", record).axes, np.ndindex(2, 4), strict=True):
        for i, color in enumerate(["C0", "C1"]):
            assert_drawn(axes, scaled(record.fields.values[i, order, kind, 0, -1, 0]), color=color)
        medians = np.median(record.ipr.values[:, order, kind, :, -1, 0], axis=-1)
        assert [text.get_text() for text in axes.texts] == [f"pulses {medians[0]:.2f}", f"clone {medians[1]:.2f}"]


def pulses(n, low, high, complement, centre):
    """All pulses, one after the other."""
    rows = [[float((i - start) % n < width) for i in range(n)] for width in range(low, high + 1) for start in range(n)]
    x = np.array(rows + [[1 - v for v in row] for row in rows] if complement else rows)
    return x - x.mean(axis=0) if centre else x


def classes(order, kind):
    wide, narrow = (pulses(12, *widths, *KINDS[kind]) for widths in ((4, 6), (1, 3)))
    return (wide, narrow) if order == "wide" else (narrow, wide)


@pytest.mark.xdist_group("single-pulse")
def test_pulses_and_clones_are_trained_alike():
    _, p, record = simulated("single-pulse")
    parts = trained("single-pulse")
    assert set(parts) == {"pulse", "clone"}
    for name, part in parts.items():
        assert_settings(part, p, learning_rate=np.tile(np.repeat([0.5, 0.5, 0.1, 0.1], 2), 2))
        assert_by_seed(part)
        np.testing.assert_array_equal(part.net.fields, parts["pulse"].net.fields)
        np.testing.assert_array_equal(record.fields.sel(data=name), part.record.fields)
        for side, source in enumerate((part.task.positive, part.task.negative)):
            means, covariances = part.fold(source.mean()), part.fold(source.covariance())
            for (i, order), (j, kind) in ((a, b) for a in enumerate(ORDERS) for b in enumerate(KINDS)):
                x = classes(order, kind)[side]
                np.testing.assert_allclose(means[i, j], np.broadcast_to(x.mean(0), (2, 12)), atol=1e-6)
                np.testing.assert_allclose(covariances[i, j, 1], np.cov(x.T, bias=True), atol=1e-6)
    np.testing.assert_allclose(record.ipr, ipr(record.fields.values.astype(float)), rtol=1e-5)


@pytest.mark.xdist_group("single-pulse")
def test_descent_and_what_is_explained_are_plain_sums():
    _, p, record = simulated("single-pulse")
    for order, kind in (("wide", "both"), ("narrow", "plain"), ("wide", "centred")):
        x1, x0 = classes(order, kind)
        one = record.sel(order=order, kind=kind)
        w = one.fields.sel(data="pulse").isel(seed=1, step=0, unit=0).values.astype(float)
        for _ in range(p.steps):
            h1, h0 = x1 @ w, x0 @ w
            w = (
                w
                + (0.5 if kind != "plain" else 0.1)
                * (((h1 > 0) * (1 - h1)) @ x1 / len(x1) - ((h0 > 0) * h0) @ x0 / len(x0))
                / 2
            )
        np.testing.assert_allclose(one.descent_fields.isel(seed=1), w, atol=1e-9)
        assert float(one.descent_ipr.isel(seed=1)) == pytest.approx(ipr(w))
        end = one.fields.sel(data="pulse").isel(seed=1, step=-1, unit=0).values.astype(float)
        h1, h0 = np.maximum(x1 @ end, 0), np.maximum(x0 @ end, 0)
        share = h1.mean() ** 2 / ((h1**2).mean() + (h0**2).mean())
        assert float(one.explained.isel(seed=1)) == pytest.approx(share, rel=1e-6)
    flat = 1 / np.sqrt(12)  # without centring the flat wave, the sum of the input, tells wide from narrow
    h1, h0 = (x.sum(1) * flat for x in classes("wide", "plain"))
    expected = h1.mean() ** 2 / ((h1**2).mean() + (h0**2).mean())
    assert float(record.wave_explained.sel(order="wide", kind="plain")) == pytest.approx(expected)


def test_widths_are_checked_beforehand():
    with pytest.raises(ValueError, match="widths must obey 1 <= lo <= hi <= n = 12"):
        Settings(n=12)
    with pytest.raises(ValueError, match="wide pulses must be wider"):
        Settings(wide=(2, 10), narrow=(12, 20))
