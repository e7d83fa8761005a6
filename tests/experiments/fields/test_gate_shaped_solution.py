"""Verdicts and figure of `gate-shaped-solution` on made-up records; sampled moments against plain sums."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_drawn, lines, panel
from field_records import assert_bars, assert_only, figure, judge, more, seeds, unjudged
from judging import scrambled

from gatefield.experiments.fields.gate_shaped_solution.simulate import Settings, _class_moments, _directions
from gatefield.lab import headline

SITE, GAINS = 17, (0.01, 1.0, 3.0, 100.0)
ROW = (0.841, -0.380, 0.075, -0.012)  # of (S0 + S1)^-1 at gain 3, for n = 40 and length scales 2 and 1
AGREED = (0.937, 0.958, 0.980, 0.9994)  # of the small bump in the positive class, at each gain
LEAD = ("gain", "gate", "position")
SQUARE = ("gain", "position", "position_")
ALONE = ": the gate alone does not tell what localizes"


def made(
    moment=5.0,
    drift=4.0,
    change=-0.1,
    row=(0.0,) * 4,
    iprs=(0.0, 0.0),
    agreed=(0.0,) * 4,
    trained=0.151,
    n=40,
    xi=(2.0, 1.0),
    gains=GAINS,
    steps=4000,
):
    """Deviations from what is expected; `moment` and `drift` in standard errors, `change` that of the hat's agreement.

    `trained` is the median IPR of trained neurons at the lowest gain.
    """
    z, inverse = np.zeros((4, 2, n, n)), np.full((4, n, n), 0.5)
    z[2, 1, 3, 4] = moment
    inverse[2, SITE, SITE : SITE + 4] = np.add(ROW, row)
    sampled = np.full((4, 2, n), 9.0)
    sampled[0, 1] = 0.3
    sampled[0, 1, 5] += 0.01 * drift
    agreement, error = np.full((4, 2, 2), 0.5), np.full((4, 2, 2), 0.0005)
    agreement[:, 0, 0] = np.add(AGREED, agreed)
    agreement[:, 1, 0], agreement[:, 1, 1] = [0.8, 0.1, 0.99, 0.8 + change], [0.1, 0.5, 0.5, 0.9]
    error[:, 1, 0] = [0.003, 0.9, 0.9, 0.004]
    ipr = np.array([[0.41 + iprs[0], 0.1], [0.5, 0.1], [0.76 + iprs[1], 0.1], [0.9, 0.1]])
    data = {
        "moment_z": ((*LEAD, "position_"), z),
        "inverse": (SQUARE, inverse),
        "covariance": (SQUARE, np.ones((4, n, n))),
        "drift_sampled": (LEAD, sampled),
        "drift_gaussian": (LEAD, np.full((4, 2, n), 0.3)),
        "drift_error": (LEAD, np.full((4, 2, n), 0.01)),
        "drift": (LEAD, sampled),
        "field": (LEAD, sampled),
        "direction": (LEAD[1:], sampled[0]),
        "ipr": (LEAD[:2], ipr),
        "agreement": (("gain", "gate", "label"), agreement),
        "agreement_error": (("gain", "gate", "label"), error),
        "agreement_gaussian": (("gain", "gate", "label"), agreement),
        "trained_ipr": (("gain", "seed"), seeds([trained, 0.3, 0.6, 0.8])),
    }
    coords = {"gain": list(gains), "gate": ["bump", "hat"], "label": ["positive", "negative"], "position": np.arange(n)}
    attrs = {"site": SITE, "xi1": xi[0], "xi0": xi[1], "samples": 100, "learning_rate": 0.05, "steps": steps}
    return xr.Dataset(data, coords, attrs)


def one(place, value, of=4):
    return tuple(value if i == place else 0.0 for i in range(of))


@pytest.mark.parametrize(
    ("place", "change", "expected"),
    [
        (0, {"moment": 5.49}, True),
        (0, {"moment": -5.49}, True),
        (0, {"moment": 5.51}, False),
        (0, {"moment": -5.51}, False),
        (1, {"drift": 4.49}, True),
        (1, {"drift": -4.49}, True),
        (1, {"drift": 4.51}, False),
        (1, {"drift": -4.51}, False),
        (2, {"trained": 0.1501}, True),
        (2, {"trained": 0.1499}, False),
        (3, {"agreed": (0.05, 0, 0, -0.05)}, False),
        (4, {"change": -0.0201}, True),  # four standard errors of the difference: 4 x 0.005
        (4, {"change": -0.0199}, False),
        (4, {"change": 0.1}, False),
        *[(5, {"row": one(lag, off)}, abs(off) < 0.001) for lag in range(4) for off in (0.00099, -0.00099, 0.00101, -0.00101)],
        *[(6, {"iprs": one(i, off, 2)}, abs(off) < 0.01) for i in (0, 1) for off in (0.0099, -0.0099, 0.0101, -0.0101)],
        *[(7, {"agreed": one(i, off)}, abs(off) < 0.003) for i in range(4) for off in (0.0029, -0.0029, 0.0031, -0.0031)],
    ],
)
def test_both_sides_of_each_bound(place, change, expected):
    if place == 3:  # its numbers are those of the table too
        assert judge("gate-shaped-solution", made(**change))[3].holds == expected
    else:
        assert_only("gate-shaped-solution", made(**change), place, expected)


def test_numbers():
    verdicts = judge("gate-shaped-solution", made(moment=-5.0, drift=-4.0))
    assert [v.measured for v in verdicts[:5]] == pytest.approx([5.0, 4.0, 1.0, 0.9994 - 0.937, -0.1])
    assert [v.predicted for v in verdicts[:5]] == [0.0, 0.0, 1.0, None, None]
    for verdict, expected in zip(verdicts[5:], [ROW, (0.41, 0.76), AGREED], strict=True):
        assert [bound.measured for bound in verdict.table] == pytest.approx(expected)
        assert [bound.predicted for bound in verdict.table] == pytest.approx(expected)
        assert verdict.kind == "regression"
    assert "over 6,560 entries" in verdicts[0].note
    assert [bound.at for bound in verdicts[7].table] == ["gain 0.01", "gain 1", "gain 3", "gain 100"]
    assert [judge("gate-shaped-solution", made(change=c))[4].outcome for c in (-0.019, 0.019, 0.1)] == [
        "not decided",
        "not decided",
        "refuted",
    ]
    # the error of the small bump's change is 4 x 0.0005 x sqrt(2) = 0.00283
    found = [judge("gate-shaped-solution", made(agreed=(0.0595 + x, 0, 0, 0)))[3].outcome for x in (0.0, 0.001, 0.006)]
    assert found == ["confirmed", "not decided", "refuted"]


def test_what_the_gate_asks_for_and_what_training_gives_is_the_headline():
    wrong = judge("gate-shaped-solution", made(trained=0.04))[2]
    assert wrong.outcome == "refuted"
    assert (
        wrong.sentence
        == "at gain 0.01 a one-site gate asks for a field of IPR 0.41, but training for 200 τ ends at 0.04" + ALONE
    )
    right = judge("gate-shaped-solution", made())[2]
    assert right.sentence == "from gain 0.01 to 100 a one-site gate asks for a localized field where trained ones are"
    assert judge("gate-shaped-solution", made(trained=0.04, steps=3999))[2].outcome == "not decided"


@pytest.mark.parametrize(
    ("off", "words"),
    [
        (0.0, "reaches beyond nearest neighbours (gain 3, lags 0 to 2: 0.84, −0.38, 0.07; gain 0.01, lag 2: 0.50)"),
        (-0.2, "is not the earlier one (gain 3, lags 0 to 2: 0.64, −0.38, 0.07; gain 0.01, lag 2: 0.50)"),
    ],
)
def test_the_inverse_is_the_second_headline(off, words):
    verdicts = judge("gate-shaped-solution", made(row=(off, 0.0, -0.0006, 0.0)))
    lead = "The inverse covariance (S₀ + S₁)⁻¹ "
    assert headline("?", verdicts, more=True) == lead + words
    drawn = panel(more("gate-shaped-solution", made(row=(off, 0.0, -0.0006, 0.0))), "(a)")
    assert [text.get_text() for text in drawn.texts] == ["gain 3, lag 2: 0.07"]


@pytest.mark.parametrize(
    ("change", "places", "rows"),
    [
        ({}, [], (2, 4)),
        ({"n": 39}, [5, 6, 7], (0, 0)),
        ({"xi": (1.0, 2.0)}, [5, 6, 7], (0, 0)),
        ({"gains": (0.02, 1.0, 3.0, 100.0)}, [], (1, 3)),
        ({"gains": (0.06, 1.0, 3.0, 100.0)}, [1], (1, 3)),
        ({"gains": (0.01, 1.0, 2.0, 90.0)}, [5], (1, 2)),
    ],
)
def test_known_sizes_alone_have_earlier_numbers(change, places, rows):
    assert unjudged("gate-shaped-solution", made(**change)) == places
    assert tuple(len(v.table) for v in judge("gate-shaped-solution", made(**change))[6:]) == rows


def test_figure():
    record = scrambled(made(gains=(0.01, 1.0, 4.0, 100.0)))
    drawn = figure("gate-shaped-solution", record)
    for i, name in enumerate(["one-site gate", "Mexican-hat gate"]):
        assert_drawn(panel(drawn, "(a)"), record.ipr.values[:, i], label=name)
    assert_drawn(panel(drawn, "(a)"), np.median(record.trained_ipr.values, 1), label="trained (median)")
    shown = [lines(panel(drawn, "(b)"), marker=marker)[0].get_ydata() for marker in "osD^"]
    np.testing.assert_allclose(shown, record.field.values[:, 0])
    for gate, start in enumerate(["(c)", "(d)"]):
        axes = panel(drawn, start)
        for label, container in enumerate(axes.containers):
            assert_bars(container, record.agreement.values[:, gate, label], record.agreement_error.values[:, gate, label])
            theory = record.agreement_gaussian.values[:, gate, label]
            assert_drawn(axes, theory, color="k", style=["-", "--"][label])


def test_panels_say_their_numbers():
    right, wrong = (figure("gate-shaped-solution", made(**change)) for change in ({}, {"trained": 0.04}))
    heads = [panel(right, f"({letter})").get_title(loc="left")[4:] for letter in "abcd"]
    assert heads[:1] == ["one-site gate: same side of 0.15 at 4 of 4"]
    assert panel(wrong, "(a)").get_title(loc="left") == "(a) one-site gate: same side of 0.15 at 3 of 4"
    numbers = [[text.get_text() for text in panel(drawn, "(a)").texts[1:]] for drawn in (right, wrong)]
    assert numbers == [[], ["0.41", "0.04"]]
    asked, agreed = (made()[name] for name in ("ipr", "agreement"))
    assert heads[1] == f"it asks for fields of IPR {float(asked[0, 0]):.2f} to {float(asked[-1, 0]):.2f}"
    assert heads[2] == "agrees with one site: 0.937 rises to 0.999"
    assert heads[3] == f"agrees with the hat: {float(agreed[0, 1, 0]):.3f} falls to {float(agreed[-1, 1, 0]):.3f}"


def test_more():
    record = scrambled(made())
    drawn = more("gate-shaped-solution", record)
    for i, name in enumerate(["(b) one site", "(b) hat"]):
        assert_drawn(panel(drawn, "(b)"), record.direction.values[i], label=name)
    rows = record.inverse.values[:, SITE, SITE : SITE + 7]
    shown = {"(c)": record.drift.values[:, 0] / 2, "(d)": record.drift.values[:, 1] / 2, "(a)": rows}
    shown["(e)"] = record.field.values[:, 1]
    for start, values in shown.items():
        found = [lines(panel(drawn, start), marker=marker)[0].get_ydata() for marker in "osD^"]
        np.testing.assert_allclose(found, values)


def test_moments_behind_gates():
    rng = np.random.default_rng(0)
    x, gates = rng.normal(size=(50, 3)), rng.choice([0.0, 0.5, 1.0], size=(2, 50))
    mean, mean_square, pair, pair_square = _class_moments(x, gates)
    for g in range(2):
        outer = [gates[g, s] * np.outer(x[s], x[s]) for s in range(50)]
        np.testing.assert_allclose(mean[g], np.mean(gates[g][:, None] * x, axis=0), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(mean_square[g], np.mean((gates[g][:, None] * x) ** 2, axis=0), rtol=1e-4)
        np.testing.assert_allclose(pair[g], np.mean(outer, axis=0), rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(pair_square[g], np.mean(np.square(outer), axis=0), rtol=1e-4)


def test_directions_lie_on_the_ring():
    bump, hat = _directions(Settings(n=12, site=14))
    np.testing.assert_array_equal(bump, np.eye(12)[2])
    assert hat.argmax() == 2
    np.testing.assert_allclose(np.roll(hat, -2)[1:], np.roll(hat, -2)[:0:-1])
