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


@pytest.mark.parametrize(
    ("words", "changes", "measured", "expected"),
    [
        ("one iteration shrinks", [("multiplier", {"order": 1, "frequency": 4}, 1 + 0.9e-9)], 0.9e-9, True),
        ("one iteration shrinks", [("multiplier", {"order": 1, "frequency": 4}, 1 - 1.1e-9)], 1.1e-9, False),
        ("ends in the mode k = 0", [("ends", {"order": 0, "gain": 0, "start": 19}, wave(0.2))], 64 / 64.64, True),
        ("ends in the mode k = 0", [("ends", {"order": 0, "gain": 0, "start": 19}, wave(0.202))], 64 / 64.652864, False),
        ("long, pace", [("contraction", {"order": 0, "gain": 0, "start": slice(12, 20)}, 0.8099)], 0.8099, True),
        ("long, pace", [("contraction", {"order": 0, "gain": 0, "start": slice(12, 20)}, 0.8101)], 0.8101, False),
        ("long, pace", [("contraction", {"order": 0, "gain": 0, "start": slice(12, 20)}, 0.7899)], 0.7899, False),
        ("short, pace", [("contraction", {"order": 1, "gain": 0, "start": slice(12, 20)}, 0.9049)], 0.9049, True),
        ("short, pace", [("contraction", {"order": 1, "gain": 0, "start": slice(12, 20)}, 0.9051)], 0.9051, False),
        ("short, pace", [("contraction", {"order": 1, "gain": 0, "start": slice(12, 15)}, 0.99)], 0.9, True),
        ("never raises", [("rise", {"order": 1, "gain": 2}, 1e-7)], 1e-7, True),
        ("never raises", [("rise", {"order": 1, "gain": 2}, 1.01e-7)], 1.01e-7, False),
        ("stable under the map where", [("flow_return", {"order": 0, "gain": 0, "start": slice(8)}, 0.9499)], 0.95, True),
        ("stable under the map where", [("flow_return", {"order": 0, "gain": 0, "start": slice(9)}, 0.9499)], 151 / 160, False),
        ("stable under the map where", [("map_return", {"order": 0, "gain": 0, "start": slice(9)}, 0.9499)], 151 / 160, False),
        ("stable under the map where", [("flow_return", {"order": 0, "gain": 0, "start": slice(9)}, 0.95)], 1.0, True),
        ("gain 3: one stable", [("state", {"order": 0, "gain": 2, "start": 3}, 1)], 2, False),
        ("gain 3: one stable", [("state", {"order": 0, "gain": 2, "start": 3}, 1),
                                ("map_return", {"order": 0, "gain": 2, "start": 3}, 0.9499)], 1, True),
        ("gain 3: from random", [(way, {**FIRM, "start": slice(8)}, 0.95) for way in RETURNS], 8 / 17, True),
        ("gain 3: from random", [(way, {**FIRM, "start": slice(9)}, 0.95) for way in RETURNS], 9 / 17, False),
        ("short, one site", [("ends", SITE, near_site(1, 0.9901))], 0.9901, True),
        ("short, one site", [("ends", SITE, near_site(1, 0.9899))], 0.9899, False),
        ("short, one site", [("ends", SITE, near_site(1, 0.9899)), NO_SITE], 0.9899, True),
        ("short, one site", [("ends", SITE, near_site(1, 0.9901)), NO_SITE], 0.9901, False),
        ("shorter range positive, gain 3: SGD", [("sgd_match", {**FIRM, "seed": 0}, 0.9499)], 0.9, True),
        ("shorter range positive, gain 3: SGD", [("sgd_match", {**FIRM, "seed": [0, 1]}, 0.9499)], 0.8, False),
        ("shorter range positive, gain 3: SGD", [("sgd_match", {**FIRM, "seed": [0, 1]}, 0.95)], 1.0, True),
        ("choose the same place", [("sgd_distance", {"order": 0, "gain": 1}, 2),
                                   ("sgd_distance", {"order": 0, "gain": 2, "seed": slice(4)}, 2)], 16 / 30, True),
        ("choose the same place", [("sgd_distance", {"order": 0, "gain": 1}, 2),
                                   ("sgd_distance", {"order": 0, "gain": 2, "seed": slice(5)}, 2)], 0.5, False),
        ("choose the same place", [("sgd_distance", {"order": 0, "gain": slice(1, 4)}, 1)], 1.0, True),
        ("choose the same place", [("sgd_distance", {"order": 1}, 3), ("sgd_distance", {"gain": 0}, 3)], 1.0, True),
    ],
)  # fmt: skip
def test_both_sides_of_each_bound(words, changes, measured, expected):
    short_forms = {
        "long, pace": "longer range positive, gain 0.01: the last iterations contract",
        "short, pace": "shorter range positive, gain 0.01: the last iterations contract",
        "short, one site": "shorter range positive, gain ∞: the start from one site",
    }
    words, record = short_forms.get(words, words), changed_at(made(), *changes)
    assert_only(experiment, record, words, expected)
    assert judged(experiment, record, words).measured == pytest.approx(measured, rel=1e-6)


@pytest.mark.parametrize(
    ("gains", "count"), [(GAINS, 24), ([0.05, 1, 3, np.inf], 24), ([0.06, 1, 3, np.inf], 22), ([0.01, 1, 3, 10], 22)]
)
def test_what_is_asked_of_nearly_gaussian_data_and_of_the_hypercube(gains, count):
    assert len(told(experiment, made(gains))) == count


def test_what_is_expected():
    expected = [v.predicted for v in experiment.verdicts(changed_at(made(), NO_SITE))]
    assert expected[:7] == pytest.approx([0, 1, 0.8, 1, 0.9, 0, 1])
    assert expected[7:] == [1, 1, 1, 0, 0, 0, 1, 0, *[1] * 9]


def slowest(xi1, xi0):
    """The slowest time of relaxation at the steady state on Gaussian data, from eigenvalues."""
    cov1, cov0 = (np.asarray(NonlinearGP(N, xi, 0.0).covariance(), float) for xi in (xi1, xi0))
    D = 1 + np.linalg.eigvals(np.linalg.solve(cov1, cov0)).real.min()
    rates = np.sort(np.linalg.eigvalsh(cov0 + cov1 - D * cov1)) / 4
    return 1 / rates[rates > 1e-6][0]


def test_notes_on_states_and_training():
    record = changed_at(
        made(),
        ("state", {"order": 0, "gain": 1}, np.arange(20) % 3),
        ("map_return", {"order": 0, "gain": 1, "start": [1, 4, 7, 10, 13]}, 0.5),
        ("sgd_match", {"order": 0, "gain": 1}, np.linspace(0.9, 1.0, 10)),
        ("sgd_same_start", {"order": 0, "gain": 1, "seed": slice(3)}, 0.5),
        ("sgd_flow", {"order": 0, "gain": 1}, 0.888),
        ("sgd_loss", {"order": 0, "gain": 1}, 0.12345),
        ("flow_match", {"order": 0, "gain": 2}, 0.5),
        ("ends", {"order": 1, "gain": 3, "start": slice(4)}, np.roll(made().site_state.values[1, 3], 3)),
        ("flow_return", {"order": 0, "gain": 0, "start": slice(8)}, 0.5),
    )
    note = judged(experiment, record, "longer range positive, gain 1: one stable").note
    assert note.startswith(
        "3 states up to shift and sign from 20 starts; 0.75 of the ends return after a push on another sample, to 3"
    )
    one = record.isel(order=0, gain=1)
    assert f"IPR {one.ipr.min():.3f} to {one.ipr.max():.3f}, loss {one.loss.min():.5f} to {one.loss.max():.5f}" in note
    assert note.endswith(f"flat field {float(one.flat_loss):.5f}")
    note = judged(experiment, record, "longer range positive, gain 1: SGD").note
    assert note.startswith("median cosine 0.950. In 0.70 of seeds it is the field")
    assert f"same start 0.888. Losses: SGD 0.12345, map {np.median(one.loss):.5f}" in note
    assert f"SGD ran for 200 tau; on Gaussian data the slowest mode needs about {slowest(2.0, 1.0):.2g} tau" in note
    note = judged(experiment, record, "shorter range positive, gain 1: SGD").note
    assert f"the slowest mode needs about {slowest(1.0, 2.0):.2g} tau" in note
    assert "come to the same field from 0.67 of all starts" in judged(experiment, record, "choose the same").note
    assert "chance is 0.375" in judged(experiment, record, "choose the same").note
    assert "from random starts 0.24 end there" in judged(experiment, record, "shorter range positive, gain ∞: the start").note
    assert "map alone 0.050, under the flow alone 0.031" in judged(experiment, record, "stable under the map where").note


@pytest.mark.parametrize(
    ("steps", "text"), [(10, "there SGD is not in a steady state"), (10**7, "there SGD has had that time")]
)
def test_whether_sgd_had_the_time_of_the_slowest_mode(steps, text):
    record = made().assign_attrs(steps=steps)
    assert judged(experiment, record, "longer range positive, gain 3: SGD").note.endswith(text)


@pytest.fixture(scope="module")
def drawn():
    record = scrambled(made())
    return record, experiment.figure(record)


def scaled(field):
    """Its peak in the middle and scaled to 1."""
    peak = np.argmax(np.abs(field))
    return field[(np.arange(N) + peak - N // 2) % N] / field[peak]


def test_figure_shows_end_states(drawn):
    record, figure = drawn
    panels = np.reshape(figure.axes[:8], (2, 4))
    for o in range(2):
        for g in range(4):
            one, axes = record.isel(order=o, gain=g), panels[o, g]
            assert_line(axes, np.arange(N) - 4, scaled(one.ends.values[0]), color="C0")
            assert_line(axes, np.arange(N) - 4, scaled(one.ends.values[17]), color="C1")
            assert_line(axes, np.arange(N) - 4, scaled(one.sgd.values[0]), color="k", marker="o")
            text = "20 states from 20 starts" if (o and g) else "1 state from all starts"
            assert [part.get_text() for part in axes.texts] == [text]
    assert [axes.get_title() for axes in panels[0]] == ["gain 0.01", "gain 1", "gain 3", "gain ∞"]
    assert [row[0].get_ylabel().split("\n")[0] for row in panels] == ["longer range positive", "shorter range positive"]


def test_figure_shows_losses_of_all_ends(drawn):
    record, figure = drawn
    for o, axes in enumerate(figure.axes[8:10]):
        one = record.isel(order=o)
        for kinds, color, shift in ((slice(17), "C0", -0.22), ([17, 18], "C1", 0.0), ([19], "C2", 0.11)):
            found = points(axes, color=color)
            np.testing.assert_allclose([y for _, y in found], one.loss.values[:, kinds].T)
            np.testing.assert_allclose(np.mean([x for x, _ in found], axis=0), np.arange(4) + shift)
        np.testing.assert_allclose([y for _, y in points(axes, color="k")], one.sgd_loss.values.T)
        assert_line(axes, np.arange(4), one.flat_loss, marker="_")


def test_figure_shows_what_one_iteration_does_to_each_mode(drawn):
    record, figure = drawn
    for o, color in enumerate(("C3", "C4")):
        assert_line(figure.axes[10], np.arange(5), record.multiplier_theory[o], color=color, style="-")
        assert_line(figure.axes[10], np.arange(5), record.multiplier[o], color=color, marker="o")
    labels = [text.get_text() for text in figure.axes[10].get_legend().get_texts()]
    assert labels[:2] == ["longer range positive", "shorter range positive"]
