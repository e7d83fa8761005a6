"""What `self-consistency` computes by itself; verdicts and figure on records made by hand."""

import jax
import numpy as np
import pytest
import xarray as xr
from drawn import assert_line, points
from judging import assert_only, changed_at, judged, scrambled, told

from gatefield.data import NonlinearGP
from gatefield.experiments.gates.self_consistency import experiment
from gatefield.experiments.gates.self_consistency.simulate import contraction, flat_limit, pushed
from gatefield.experiments.nearly_gaussian import class_at


@pytest.mark.parametrize("gain", [0.0, np.inf])
def test_flat_limit_is_the_mean_of_the_sum_where_it_is_positive(gain):
    """f = E|sum x|/(2n) at each site, and a flat field has one and the same eigenvalue of each covariance."""
    cov0 = np.asarray(NonlinearGP(5, 0.5, gain).covariance(), float)
    one = class_at(5, 1.0, gain, jax.random.key(0), 4000)
    mean = np.abs(np.asarray(one.x, float).sum(1)).mean() if gain else np.sqrt(2 * one.cov.sum() / np.pi)
    expected = mean / (one.cov + cov0).sum()
    np.testing.assert_allclose(flat_limit(one, np.asarray(one.cov + cov0)), np.full((1, 5), expected), rtol=1e-5)


def test_contraction_is_read_off_late_steps():
    """Steps from 1e-2 down to 1e-5 count if there are five; the first steps of the first path fall faster."""
    slow = np.concatenate([[1.0, 0.1], 0.009 * 0.7 ** np.arange(15)])
    quick = np.concatenate([[1.0, 0.1], 0.009 * 0.1 ** np.arange(15)])
    np.testing.assert_allclose(contraction(np.stack([slow, quick], axis=1)), [0.7, -1.0])


def test_a_push_has_its_size_relative_to_the_field():
    fields, noise = np.random.default_rng(0).normal(size=(2, 4, 6))
    step = pushed(fields, 0.1, noise) - fields
    np.testing.assert_allclose(np.linalg.norm(step, axis=1), 0.1 * np.linalg.norm(fields, axis=1))
    np.testing.assert_allclose(np.sum(step * noise, axis=1), np.linalg.norm(step, axis=1) * np.linalg.norm(noise, axis=1))


ORDERS, GAINS, N, SEEDS = ["long", "short"], [0.01, 1.0, 3.0, np.inf], 8, 10
KINDS = ["random"] * 17 + ["site", "bump", "sinusoid"]
EACH, STARTS = ("order", "gain"), (2, 4, 20)


def made(gains=GAINS):
    """A record in which all verdicts hold. At gain 0.01 all ends are flat, or alternate; at the others they are random."""
    rng = np.random.default_rng(0)
    ends = rng.normal(size=(*STARTS, N))
    ends[0, 0], ends[1, 0] = 1.0, (-1.0) ** np.arange(N)
    site = rng.normal(size=(2, 4, N))
    ends[:, -1, 17] = site[:, -1]
    returns = np.full(STARTS, 0.99)
    returns[1, 1:, :17] = 0.5
    contraction = np.full(STARTS, -1.0)
    contraction[0, 0, 12:], contraction[1, 0, 12:] = 0.8, 0.9
    state = np.zeros(STARTS, int)
    state[1, 1:] = np.arange(20)
    theory = np.array([[1.0, 0.8, 0.5, 0.2, 0.1], [0.1, 0.3, 0.6, 0.9, 1.0]])
    by_start = {"ipr": rng.uniform(0.1, 0.9, STARTS), "loss": rng.uniform(0.1, 0.2, STARTS), "contraction": contraction}
    by_start |= {"map_return": returns, "flow_return": returns.copy(), "flow_match": np.full(STARTS, 0.99), "state": state}
    runs = (2, 4, SEEDS)
    by_seed = {name: np.full(runs, 0.97) for name in ("sgd_match", "sgd_same_start", "sgd_flow")}
    by_seed |= {"sgd_loss": rng.uniform(0.1, 0.2, runs), "sgd_distance": np.zeros(runs, int)}
    data = {
        "multiplier_theory": (("order", "frequency"), theory),
        "multiplier": (("order", "frequency"), theory.copy()),
        "ends": ((*EACH, "start", "position"), ends),
        "rise": (EACH, np.full((2, 4), 1e-9)),
        "iterations": (EACH, np.full((2, 4), 77)),
        "site_state": ((*EACH, "position"), site),
        "site_margin": (EACH, np.full((2, 4), 0.3)),
        "flat_loss": (EACH, rng.uniform(0.2, 0.3, (2, 4))),
        "sgd": ((*EACH, "seed", "position"), rng.normal(size=(*runs, N))),
        **{name: ((*EACH, "start"), values) for name, values in by_start.items()},
        **{name: ((*EACH, "seed"), values) for name, values in by_seed.items()},
    }
    coords = {"order": ORDERS, "gain": gains, "kind": ("start", KINDS), "frequency": np.arange(5)}
    return xr.Dataset(data, coords, {"steps": 2000, "learning_rate": [0.1], "length_scales": [2.0, 1.0]})


def wave(size):
    """A flat field with a wave of one cycle."""
    return 1.0 + size * np.cos(2 * np.pi * np.arange(N) / N)


def near_site(order, cosine):
    """A field with this cosine to the one-site state of the hypercube."""
    w = made().site_state.values[order, -1]
    other = np.roll(w, 1) - (np.roll(w, 1) @ w) / (w @ w) * w
    return cosine * w / np.linalg.norm(w) + np.sqrt(1 - cosine**2) * other / np.linalg.norm(other)


SITE = {"order": 1, "gain": 3, "start": 17}
NO_SITE = ("site_margin", {"order": 1, "gain": 3}, 0.0)
FIRM, RETURNS = {"order": 1, "gain": 2}, ("map_return", "flow_return")


BOTH = "stable under the map where"
MODE, PACE, ONE, TRAITS, ONE_SITE = (
    "in the mode of",
    "contract by",
    "has one stable state",
    "states of its sample",
    "the start from one site",
)
LONG, SHORT = "longer range positive", "shorter range positive"


@pytest.mark.parametrize(
    ("words", "where", "changes", "measured", "expected"),
    [
        (MODE, LONG, [("ends", {"order": 0, "gain": 0, "start": 19}, wave(0.2))], 64 / 64.64, True),
        (MODE, LONG, [("ends", {"order": 0, "gain": 0, "start": 19}, wave(0.202))], 64 / 64.652864, False),
        (PACE, LONG, [("contraction", {"order": 0, "gain": 0, "start": slice(12, 20)}, 0.8099)], 0.8099, True),
        (PACE, LONG, [("contraction", {"order": 0, "gain": 0, "start": slice(12, 20)}, 0.8101)], 0.8101, False),
        (PACE, LONG, [("contraction", {"order": 0, "gain": 0, "start": slice(12, 20)}, 0.7899)], 0.7899, False),
        (PACE, SHORT, [("contraction", {"order": 1, "gain": 0, "start": slice(12, 20)}, 0.9049)], 0.9049, True),
        (PACE, SHORT, [("contraction", {"order": 1, "gain": 0, "start": slice(12, 20)}, 0.9051)], 0.9051, False),
        (PACE, SHORT, [("contraction", {"order": 1, "gain": 0, "start": slice(12, 15)}, 0.99)], 0.9, True),
        (BOTH, "", [("flow_return", {"order": 0, "gain": 0, "start": slice(8)}, 0.9499)], 0.95, True),
        (BOTH, "", [("flow_return", {"order": 0, "gain": 0, "start": slice(9)}, 0.9499)], 151 / 160, False),
        (BOTH, "", [("map_return", {"order": 0, "gain": 0, "start": slice(9)}, 0.9499)], 151 / 160, False),
        (BOTH, "", [("flow_return", {"order": 0, "gain": 0, "start": slice(9)}, 0.95)], 1.0, True),
        (ONE, "gain 3", [("state", {"order": 0, "gain": 2, "start": 3}, 1)], 2, False),
        (ONE, "gain 3", [("state", {"order": 0, "gain": 2, "start": 3}, 1),
                         ("map_return", {"order": 0, "gain": 2, "start": 3}, 0.9499),
                         ("flow_return", {"order": 0, "gain": 2, "start": 3}, 0.9499)], 1, True),
        (TRAITS, "gain 3", [(way, {**FIRM, "start": slice(8)}, 0.95) for way in RETURNS], 8 / 17, True),
        (TRAITS, "gain 3", [(way, {**FIRM, "start": slice(9)}, 0.95) for way in RETURNS], 9 / 17, False),
        (ONE_SITE, SHORT, [("ends", SITE, near_site(1, 0.9901))], 0.9901, True),
        (ONE_SITE, SHORT, [("ends", SITE, near_site(1, 0.9899))], 0.9899, False),
        (ONE_SITE, SHORT, [("ends", SITE, near_site(1, 0.9899)), NO_SITE], 0.9899, True),
        (ONE_SITE, SHORT, [("ends", SITE, near_site(1, 0.9901)), NO_SITE], 0.9901, False),
        ("SGD ends in", f"{SHORT}, gain 3", [("sgd_match", {**FIRM, "seed": 0}, 0.9499)], 0.9, True),
        ("SGD ends in", f"{SHORT}, gain 3", [("sgd_match", {**FIRM, "seed": [0, 1]}, 0.9499)], 0.8, False),
        ("SGD ends in", f"{SHORT}, gain 3", [("sgd_match", {**FIRM, "seed": [0, 1]}, 0.95)], 1.0, True),
        ("choose the same place", "", [("sgd_distance", {"order": 0, "gain": 1, "seed": slice(9)}, 2)], 21 / 30, True),
        ("choose the same place", "", [("sgd_distance", {"order": 0, "gain": 1}, 2)], 20 / 30, False),
        ("choose the same place", "", [("sgd_distance", {"order": 0, "gain": slice(1, 4)}, 1)], 1.0, True),
        ("choose the same place", "", [("sgd_distance", {"order": 1}, 3), ("sgd_distance", {"gain": 0}, 3)], 1.0, True),
    ],
)  # fmt: skip
def test_both_sides_of_each_bound(words, where, changes, measured, expected):
    record = changed_at(made(), *changes)
    assert_only(experiment, record, words, expected)
    found = judged(experiment, record, words)
    value = next(bound.measured for bound in found.table if bound.at == where) if where else found.measured
    assert value == pytest.approx(measured, rel=1e-6)


@pytest.mark.parametrize(("far", "outcome"), [(9, "confirmed"), (10, "not decided"), (20, "not decided"), (21, "refuted")])
def test_the_same_place_is_decided_beyond_the_interval(far, outcome):
    """Of 30 runs, Wilson's intervals of 20 and of 10 still hold one half."""
    record = made()
    record["sgd_distance"][{"order": 0, "gain": slice(1, 4)}] = np.where(np.arange(30) < far, 2, 0).reshape(3, 10)
    assert judged(experiment, record, "choose the same place").outcome == outcome


@pytest.mark.parametrize(
    ("gains", "count"), [(GAINS, 8), ([0.05, 1, 3, np.inf], 8), ([0.06, 1, 3, np.inf], 6), ([0.01, 1, 3, 10], 7)]
)
def test_what_is_asked_of_nearly_gaussian_data_and_of_the_hypercube(gains, count):
    assert len(told(experiment, made(gains))) == count


def test_what_is_expected():
    found = {
        v.claim: [bound.predicted for bound in v.table] or v.predicted for v in experiment.verdicts(changed_at(made(), NO_SITE))
    }
    assert [value for claim, value in found.items() if PACE in claim] == [pytest.approx([0.8, 0.9])]
    assert [value for claim, value in found.items() if ONE_SITE in claim] == [[1.0, None]]
    assert [value for claim, value in found.items() if ONE in claim] == [[1.0, 1.0, 1.0]]


def slowest(xi1, xi0):
    """The slowest time of relaxation at the steady state on Gaussian data, from eigenvalues."""
    cov1, cov0 = (np.asarray(NonlinearGP(N, xi, 0.0).covariance(), float) for xi in (xi1, xi0))
    D = 1 + np.linalg.eigvals(np.linalg.solve(cov1, cov0)).real.min()
    rates = np.sort(np.linalg.eigvalsh(cov0 + cov1 - D * cov1)) / 4
    return 1 / rates[rates > 1e-6][0]


def test_notes_and_headline():
    record = changed_at(
        made(),
        ("state", {"order": 0, "gain": 1}, np.arange(20) % 3),
        ("flow_match", {"order": 0, "gain": 2}, 0.5),
        ("flow_return", {"order": 0, "gain": 0, "start": slice(8)}, 0.5),
    )
    words = f"a field iterated to its own gate has 3 stable ends with the {LONG}, gain 1"
    assert judged(experiment, record, ONE).otherwise == words
    assert judged(experiment, record, TRAITS).found == "with the shorter no random start ends stable (gain ≥ 1)"
    note = judged(experiment, record, "SGD ends in").note
    assert f"{LONG}: SGD ran 200 τ, the slowest Gaussian mode needs {slowest(2.0, 1.0):.2g} τ" in note
    assert f"{SHORT}: SGD ran 200 τ, the slowest Gaussian mode needs {slowest(1.0, 2.0):.2g} τ" in note
    note = judged(experiment, record, "choose the same").note
    assert "come to the same field from 0.67 of all starts" in note
    assert "by chance 0.375" in note
    assert "map alone 0.050, under the flow alone 0.000" in judged(experiment, record, "stable under the map where").note
    assert "-0" not in judged(experiment, record, ONE_SITE).note


@pytest.fixture(scope="module")
def drawn():
    record = scrambled(made())
    return record, experiment.figure(record)


def scaled(field):
    """Its peak in the middle and scaled to 1."""
    peak = np.argmax(np.abs(field))
    return field[(np.arange(N) + peak - N // 2) % N] / field[peak]


RANDOM, FROM_SITE, WAVE = "#0072B2", "#E69F00", "#009E73"


def test_figure_shows_how_many_states_there_are(drawn):
    record, figure = drawn
    axes = figure.axes[0]
    for o, (color, marker) in enumerate(((RANDOM, "o"), (FROM_SITE, "s"))):
        states = record.state.values[o]
        firm = record.map_return.values[o] >= 0.95
        everything, stable = (y for _, y in points(axes, color=color, marker=marker))
        assert everything.tolist() == [len(set(row)) for row in states]
        kept = [len(set(row[keep])) for row, keep in zip(states, firm, strict=True)]
        np.testing.assert_array_equal(stable, [count or np.nan for count in kept])


def test_figure_prints_the_counts_at_the_marks():
    record = made()
    record["map_return"][{"order": 1, "gain": 2, "start": [3, 17, 18, 19]}] = 0.99
    record["map_return"][{"order": 1, "gain": 3}] = 0.5
    axes = experiment.figure(record).axes[0]
    assert axes.get_yscale() == "log"
    assert [text.get_text() for text in axes.texts] == ["1"] * 5 + ["20", "3", "20", "4", "20", "0"]
    assert all(np.isfinite(text.xy).all() and text.xy[1] >= 0.8 for text in axes.texts)


def test_figure_shows_the_shares_that_the_title_names():
    record = made()
    record["map_return"][{"order": 1, "gain": 2, "start": [0, 5, 17]}] = 0.99
    record["sgd_match"][{"order": 0, "gain": 1, "seed": slice(3)}] = 0.9
    axes = experiment.figure(record).axes[2]
    ends, runs = ([100, 100, 100, 100], [100, 0, 200 / 17, 0]), ([100, 70, 100, 100], [100] * 4)
    np.testing.assert_allclose([line.get_ydata() for line in axes.lines], [*ends, *runs])
    head = axes.get_title(loc="left")
    assert head == "(c) shorter range, gain ≥ 1: 0 to 12 % of random starts end stable, 100 % of SGD's in a fixed point"
    words = "with the shorter ≤ 12 % of random starts end stable (gain ≥ 1)"
    assert judged(experiment, record, TRAITS).found == words
    assert judged(experiment, record, TRAITS).otherwise == words


def test_figure_shows_end_states(drawn):
    record, figure = drawn
    for o, color in enumerate((RANDOM, FROM_SITE)):
        one, rows = record.isel(order=o), figure.axes[3 + 3 * o : 6 + 3 * o]
        for axes, place in zip(rows, (0, 17), strict=False):
            np.testing.assert_allclose(
                [y for _, y in points(axes, color="black")], [scaled(w) for w in one.ends.values[[0, 2, 3], place]]
            )
        found = [y for _, y in points(rows[2], color=color, marker="o")]
        np.testing.assert_allclose(found, [scaled(w) for w in one.sgd.values[[0, 2, 3], 0]])
        assert [text.get_text() for text in rows[2].get_xticklabels()] == ["gain 0.01", "gain 3", "gain ∞"]
        assert rows[0].get_title(loc="left").startswith(f"({'de'[o]}) {(LONG, SHORT)[o]}")
        assert [axes.get_ylabel().replace("\n", " ") for axes in rows] == [
            "map, random start",
            "map, one site",
            "SGD, same random start",
        ]


def test_the_second_figure_is_headed_by_losses_at_the_highest_gain():
    changes = [("loss", {"order": o, "gain": 3, "start": 17}, 0.1830 + 0.01 * o) for o in (0, 1)]
    record = changed_at(made(), *changes, *(("loss", {"order": o, "gain": 3, "start": slice(17)}, 0.2) for o in (0, 1)))
    found = judged(experiment, record, ONE_SITE)
    words = "at gain ∞ random starts miss the loss of one site with the longer range positive (0.200, site 0.183), and with the"
    assert found.more_found == found.more_otherwise == f"{words} shorter (0.200, site 0.193)"
    near = changed_at(record, ("loss", {"order": 0, "gain": 3, "start": slice(17)}, 0.1834))
    words = (
        "at gain ∞ random starts reach the loss of one site with the longer range positive (0.183), miss it with the shorter"
    )
    assert judged(experiment, near, ONE_SITE).more_found == f"{words} (0.200, site 0.193)"
    last = [[text.get_text() for text in axes.texts if text.get_text()] for axes in experiment.more(near).axes]
    assert last == [[], ["missed"]]
    titles = [axes.get_title(loc="left") for axes in experiment.more(record).axes]
    assert titles == [
        f"({a}) {which}er range positive, gain ∞: from one\nsite {loss}, from random starts 0.200"
        for a, which, loss in (("a", "long", "0.183"), ("b", "short", "0.193"))
    ]


def test_more_shows_losses_of_all_ends(drawn):
    record, _ = drawn
    for o, axes in enumerate(experiment.more(record).axes):
        one = record.isel(order=o)
        for kinds, color, shift in ((slice(17), RANDOM, -0.27), ([17, 18], FROM_SITE, -0.06), ([19], WAVE, 0.12)):
            ((x, y),) = points(axes, color=color)
            np.testing.assert_allclose(y, one.loss.values[:, kinds].T.ravel())
            np.testing.assert_allclose(np.reshape(x, (-1, 4)).mean(0), np.arange(4) + shift)
        ((_, y),) = points(axes, color="black")
        np.testing.assert_allclose(y, one.sgd_loss.values.T.ravel())
        flat = [segment[0, 1] for segment in axes.collections[0].get_segments()]
        np.testing.assert_allclose(flat, one.flat_loss)


def test_figure_shows_what_one_iteration_does_to_each_mode(drawn):
    record, figure = drawn
    axes = figure.axes[1]
    np.testing.assert_allclose([y for _, y in points(axes, color="black")], record.multiplier_theory)
    for o, (color, marker) in enumerate(((RANDOM, "o"), (FROM_SITE, "s"))):
        assert_line(axes, np.arange(5), record.multiplier[o], color=color, marker=marker)
