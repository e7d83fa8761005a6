"""Verdicts and figure of `tiling` on records made by hand, and what it trains."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_drawn, panel, points, scaled
from judging import changed_at, judged, scrambled
from plain import cosine, covariance, ipr
from test_experiments import simulated, trained
from watched import assert_classes, assert_settings

from gatefield.experiments.fields.tiling import experiment
from gatefield.experiments.fields.tiling.places import (
    circular_correlation,
    moved,
    parting_time,
    shared,
    spread,
    twins,
    yielding,
)
from gatefield.lab import headline

N, SEEDS = 40, 4
EVEN, CROWD = [0, 10, 20, 30], [0, 1, 3, 4]
RANDOM = [[0, 7, 14, 31], [5, 6, 27, 33], [2, 13, 17, 38], [10, 22, 29, 36]]
RANDOM_MEAN = sum(
    j**2 * (((N + 1 - j) / N) ** 4 - 2 * ((N - j) / N) ** 4 + (max(N - 1 - j, 0) / N) ** 4) for j in range(1, N)
) / N + N ** (1 - 4)  # a site is occupied, the next one j further on; or all four are at one
"""The mean of the sum of squared gaps of four random places, over N squared."""
LEAD = ("units", "pair", "gain", "seed", "unit")


def made(site=EVEN, sign=1.0, alone=RANDOM, alone_sign=1.0, start=None, end=0.1, count=0.5, alone_count=0.5, total=0.1):
    """Committees of four units at one pair of length scales and one gain."""
    cell = (1, 1, 1, SEEDS, 4)

    def put(values):
        return (LEAD, np.broadcast_to(np.asarray(values, float), cell).copy())

    paths = np.broadcast_to([1.0, 0.75, end], (1, 1, 1, SEEDS, 3)).copy()
    fields = (("units", "pair", "gain", "unit", "position"), np.ones((1, 1, 1, 4, N)))
    data = {"site": put(site), "sign": put(sign), "ipr": put(count), "start_site": put(site if start is None else start)}
    data |= {"alone_site": put(alone), "alone_sign": put(alone_sign), "alone_ipr": put(alone_count)}
    data |= {"sum_share": (LEAD[:4], np.full((1, 1, 1, SEEDS), total)), "parting_cosine": ((*LEAD[:4], "step"), paths)}
    data |= {"field": fields, "alone_field": fields}
    coords = {"units": [4], "pair": ["2, 1"], "gain": [3.0], "unit": np.arange(4), "position": np.arange(N)}
    time = {"time": ("step", [0.0, 10.0, 20.0])}
    return xr.Dataset(data, {**coords, **time}, {"n": N, "steps": 4000, "learning_rate": 0.05, "difference": 0.1})


SIGNS = [1.0, -1.0, 1.0, -1.0]
SPREAD, SHARE = "are spread more evenly", "two units of a committee share"
STAY, START, PARTED = "go where the same start goes", "peak where their start", "of their length part within"


@pytest.mark.parametrize(
    ("words", "change", "measured", "outcome"),
    [
        (SPREAD, {}, 0.25 / RANDOM_MEAN, "confirmed"),
        (SPREAD, {"site": CROWD}, (1 + 4 + 1 + 36**2) / 1600 / RANDOM_MEAN, "refuted"),
        (SPREAD, {"site": RANDOM}, None, "not decided"),
        (SPREAD, {"count": 0.0749}, None, "not judged"),
        (SHARE, {"site": [0, 2, 20, 30]}, 0.0, "not decided"),  # none of 24 pairs: up to 0.14 are not excluded
        (SHARE, {"site": [0, 1, 20, 21]}, 1 / 3, "refuted"),
        ("fields of a committee cancel", {"total": 0.199}, 0.199, "confirmed"),
        ("fields of a committee cancel", {"total": 0.201}, 0.201, "refuted"),
        (STAY, {"site": [1, 9, 21, 30], "alone": EVEN}, 1.0, "confirmed"),
        (STAY, {"site": [2, 12, 22, 32], "alone": EVEN}, 0.0, "refuted"),
        (STAY, {"alone": EVEN, "alone_sign": -1.0}, 0.0, "refuted"),
        (STAY, {"alone": EVEN, "alone_count": 0.05}, None, "not judged"),
        (START, {"start": [1, 9, 20, 31]}, 1.0, "confirmed"),
        (START, {"start": [2, 8, 22, 32]}, 0.0, "refuted"),
        ("as places drawn at random", {}, None, "confirmed"),
        ("as places drawn at random", {"alone": EVEN}, 0.25, "off"),
        ("as places drawn at random", {"alone": CROWD}, None, "off"),
        (PARTED, {"end": 0.499}, 0.499, "confirmed"),
        (PARTED, {"end": 0.501}, 0.501, "refuted"),
    ],
)  # fmt: skip
def test_both_sides_of_each_bound(words, change, measured, outcome):
    found = judged(experiment, made(**change), words)
    assert found.outcome == outcome
    if measured is not None:
        assert found.measured == pytest.approx(measured, abs=1e-9)


def test_contested_units_are_those_with_a_neighbour_alone():
    """Alone, units 0 and 1 end two sites apart; together unit 1 has moved. In one seed none is contested: it says nothing."""
    alone = [[0, 2, 20, 30], [0, 38, 20, 30], [0, 2, 20, 30], [0, 3, 20, 30]]
    record = made(site=[0, 10, 20, 30], alone=alone).sel(units=4)
    stays, contested, counted = moved(record)
    assert stays.isel(pair=0, gain=0).values.tolist() == [[True, False, True, True]] * 4
    assert contested.isel(pair=0, gain=0).values.tolist() == [[True, True, False, False]] * 3 + [[False] * 4]
    assert counted.all()
    assert yielding(record) == (0.5, 0.5, 0.5)
    words = "if another unit would take that place"
    assert judged(experiment, made(site=[0, 10, 20, 30], alone=alone), words).outcome == "confirmed"
    kept = made(site=[0, 2, 5, 15], alone=[0, 2, 20, 30])
    assert judged(experiment, kept, words).measured == pytest.approx(-1.0)
    assert judged(experiment, kept, words).outcome == "refuted"
    assert judged(experiment, made(), words).outcome == "not judged"  # in one seed only


def test_places_are_counted_around_the_ring_and_by_sign():
    record = made(site=[39, 0, 20, 22], sign=SIGNS, start=[39, 0, 20, 2]).sel(units=4)
    assert shared(record).mean == pytest.approx(1 / 6)
    assert shared(record, signs="same").mean == 0.0
    assert shared(record, signs="opposite").mean == pytest.approx(1 / 4)
    assert circular_correlation(record) == pytest.approx((3 - 1) / 4)
    assert twins(record).mean == pytest.approx(1 / 6)
    assert twins(made(site=[39, 0, 20, 22]).sel(units=4)).mean == 0.0  # at one place, but with one sign
    assert spread([], N) is None


def test_one_seed_that_differs_widens_the_interval():
    record = changed_at(made(alone=EVEN), ("site", {"seed": 0}, [5, 15, 25, 35]))
    found = judged(experiment, record, STAY)
    assert (found.measured, found.outcome) == (0.75, "not decided")


def test_units_part_between_two_records():
    time = np.array([0.0, 2.0, 4.0])
    assert parting_time(time, np.array([1.0, 0.8, 0.2])) == pytest.approx(3.0)
    assert parting_time(time, np.array([0.4, 0.8, 0.2])) == 0.0
    assert parting_time(time, np.array([1.0, 0.8, 0.6])) == np.inf
    assert judged(experiment, made(end=1 / 3), PARTED).note.endswith("K = 4: 16")
    assert judged(experiment, made(end=0.6), PARTED).note.endswith("K = 4: never")


def test_each_size_is_a_row_and_the_headline_names_them():
    record = xr.concat([made(), made(site=CROWD).assign_coords(units=[5])], "units")
    found = judged(experiment, record.reindex(unit=np.arange(5), fill_value=0.0), SPREAD)
    assert [(bound.at, bound.outcome) for bound in found.table] == [("K = 4", "holds"), ("K = 5", "missed")]
    gaps = f"squared gaps {0.25 / RANDOM_MEAN:.2f} of random"
    assert found.sentence == f"committees of 4, not 5, tile the ring ({gaps})"
    assert judged(experiment, made(), SPREAD).sentence == f"committees of 4 tile the ring ({gaps})"
    crowded = "committees of 4 do not tile the ring (squared gaps "
    assert judged(experiment, made(site=CROWD), SPREAD).sentence.startswith(crowded)
    stays = judged(experiment, made(site=[1, 9, 21, 30], alone=EVEN), STAY)
    assert stays.sentence == "most units (100 %) go where they go alone"
    assert judged(experiment, made(alone=CROWD), STAY).otherwise == "25 % of units go where they go alone"
    both = xr.concat([made(alone=CROWD), made(alone=EVEN).assign_coords(units=[5])], "units").reindex(unit=range(5))
    assert judged(experiment, both, STAY).otherwise == "25 to 100 % of units go where they go alone"
    three = xr.concat([made().assign_coords(units=[size]) for size in (2, 3, 4)], "units")
    assert judged(experiment, three, SPREAD).sentence.startswith("committees of 2, 3 and 4 tile the ring (squared gaps ")


@pytest.mark.parametrize(("signs", "words"), [([1.0, -1.0], "2 units: one place, two signs"), ([1.0, 1.0], "2 units together")])
def test_pairs_at_one_place_are_told_from_crowds(signs, words):
    """Two units that count, both at site 7, beside four that are spread evenly."""
    counted = [0.5, 0.5, 0.0, 0.0]
    two = made(site=7, sign=[*signs, 1.0, 1.0], count=counted).isel(unit=slice(2)).assign_coords(units=[2])
    record = xr.concat([two, made()], "units", join="outer", fill_value=0.0)
    found = judged(experiment, record, SPREAD)
    assert found.outcome == "refuted"
    assert found.sentence.startswith("committees of 4, not 2, tile the ring")
    assert panel(experiment.figure(record), "(a)").get_title(loc="left") == f"(a) {words}"


def test_parting_is_the_second_headline():
    start = "nits whose starts differ by 0.1 of their length part within 20 K² τ: their mean cosine falls below 0.5 in "
    start += "committees of"
    for end, words, title in [
        (-0.3, f"U{start} 4", "they end at the least cosine that is possible (dashed)"),
        (0.4, f"U{start} 4", "their mean cosine over time"),
        (0.6, f"Not all u{start} no size", "their mean cosine over time"),
    ]:
        record = made(end=end)
        assert headline("?", experiment.verdicts(record), more=True) == words
        assert experiment.more(record).axes[0].get_title(loc="left") == title


def test_titles_have_their_numbers():
    drawn = experiment.figure(made(alone=CROWD))
    titles = [panel(drawn, start).get_title(loc="left")[4:] for start in ("(d)", "(e)", "(f)")]
    assert titles == [f"4 units: {0.25 / RANDOM_MEAN:.2f} of random", "4 units: 0 % within 1 site", "25 % of units"]


def test_a_short_training_decides_nothing():
    assert {v.outcome for v in experiment.verdicts(made().assign_attrs(steps=3999))} <= {"not decided", "not judged"}


def test_figure():
    record = scrambled(made(site=RANDOM))
    for name in ("site", "sign", "ipr", "alone_site", "alone_sign", "alone_ipr"):
        record[name] = made(site=RANDOM, alone=EVEN)[name]
    figure = experiment.figure(record)
    for title, name in (("(a)", "field"), ("(b)", "field"), ("(c)", "alone_field")):
        fields = record[name].values[0, 0, 0]
        found = [y for x, y in points(panel(figure, title)) if len(y) == N]
        np.testing.assert_allclose(found, [scaled(w) for w in fields])
        peaks = [float(x[0]) for x, y in points(panel(figure, title), marker="v")]  # numbers made up are positive
        assert peaks == np.abs(fields).argmax(1).tolist()
    assert_drawn(panel(figure, "(d)"), [0.25 / RANDOM_MEAN], at=[0], color="k", marker="_")
    mean = np.mean([np.sum(np.diff([*row, row[0] + N]) ** 2) / 1600 for row in RANDOM]) / RANDOM_MEAN
    ((x, y),) = points(panel(figure, "(d)"), color="C2", marker="o")
    np.testing.assert_allclose((x[0], y[0]), (-0.1, mean), rtol=1e-5)
    ((x, y),) = points(panel(figure, "(f)"), color="C2", marker="o")
    assert (x[0], y[0]) == (0, 2 / 16)  # in the first row, at 0 and 31
    (bar,) = panel(figure, "(f)").containers[0].lines[2]
    seeds = np.array([2, 0, 0, 0]) / 4
    half = 3.182446 * seeds.std(ddof=1) / 2  # Student's, of four
    np.testing.assert_allclose(bar.get_segments()[0][:, 1], [max(0, 0.125 - half), 0.125 + half], rtol=1e-5)
    levels = [y[0] for _, y in points(panel(figure, "(f)"), style=":")]
    np.testing.assert_allclose(levels, [3 / 40 / 2, 0.5])
    ((lags, alone),) = points(panel(figure, "(e)"), color="0.45")
    (band,) = panel(figure, "(e)").collections
    upper = band.get_paths()[0].vertices[:, 1].max()  # 24 pairs, a chance of 1/40 at distance 0
    assert upper == pytest.approx(1 + 1.96 * np.sqrt(39 / 24))
    np.testing.assert_allclose(alone, np.select([lags == 10, lags == 20], [(4 / 6) / (2 / N), (2 / 6) / (1 / N)], 0.0))
    ((time, path),) = [(x, y) for x, y in points(experiment.more(record).axes[0], style="-") if len(y) == 3]
    np.testing.assert_allclose(path, np.median(record.parting_cosine.values[0, 0, 0], axis=0))
    np.testing.assert_allclose(time, [0, 10, 20])


@pytest.mark.xdist_group("tiling")
def test_every_unit_is_trained_with_the_others_and_alone_on_the_same_inputs():
    _, p, record = simulated("tiling")
    for K in (3,):
        parts = {name: trained("tiling")[f"{name}-{K}"] for name in ("together", "parting", "alone")}
        starts = {name: part.fold(part.net.fields) for name, part in parts.items()}
        rates = {"together": 0.05 * K**2, "parting": 0.05 * K**2, "alone": 0.05}
        for name, part in parts.items():
            steps = 6 if name == "parting" else 60
            assert_settings(part, p, learning_rate=rates[name], steps=steps, record_every=1 if name == "parting" else 15)
            assert_classes(part, 2.0, 1.0, 3.0)
            np.testing.assert_array_equal(part.keys.reshape(1, 1, 3, -1, 2)[:, :, :, 0], parts["together"].keys)
        np.testing.assert_allclose(starts["alone"][..., 0, :], starts["together"] / K, rtol=1e-6)
        assert len(np.unique(starts["together"])) == starts["together"].size
        one, alike = record.sel(units=K).isel(unit=slice(K)), starts["parting"][0, 0].astype(float)
        shared_part = alike * np.hypot(1, 0.1) - 0.1 * starts["together"][0, 0]
        np.testing.assert_allclose(shared_part, shared_part[:, :1].repeat(K, 1), atol=1e-6)
        near = [cosine(alike[:, i], alike[:, j]) for i in range(K) for j in range(i)]
        np.testing.assert_allclose(one.parting_cosine.values[0, 0, :, 0], np.mean(near, axis=0), atol=1e-5)
        ends, alone = parts["together"].record.fields.values[..., -1, :, :], parts["alone"].record.fields.values[..., -1, 0, :]
        for prefix, fields in (("", ends), ("alone_", alone)):
            sites = np.abs(fields).argmax(-1)
            np.testing.assert_array_equal(one[f"{prefix}site"], sites)
            np.testing.assert_array_equal(
                one[f"{prefix}sign"], np.sign(np.take_along_axis(fields, sites[..., None], -1)[..., 0])
            )
            np.testing.assert_allclose(one[f"{prefix}ipr"], ipr(fields.astype(float)), rtol=1e-5)
        filtered = starts["together"].astype(float) @ covariance(12, 2.0, 3.0)
        np.testing.assert_array_equal(one.start_site, np.abs(filtered).argmax(-1))
        products = np.einsum("...ip,...jp->...ij", ends, ends)
        np.testing.assert_allclose(one.sum_share, products.sum((-2, -1)) / np.trace(products, axis1=-2, axis2=-1), rtol=1e-4)
    np.testing.assert_allclose(record.time, 0.05 * np.arange(7))
