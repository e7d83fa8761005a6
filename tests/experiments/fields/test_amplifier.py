"""Verdicts and figure of `amplifier` on made-up records; its closure flow where it is exact."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_all_drawn, assert_drawn, lines, panel, scaled
from field_records import INF, assert_only, ending, figure, judge, unjudged
from judging import scrambled

GAINS, SEEDS = (0.01, 1.0, 3.0, INF), 51
KURTOSIS, A = np.array([-0.1, -1.4, -1.8, -2.0]), np.array([0.0, 0.05, 0.1, 0.3])
LEAD = ("order", "gain", "seed")


def medians(values):
    """51 seeds with those medians; the others are far off to both sides."""
    return np.multiply.outer(values, [0.1] * 25 + [1.0] + [9.0] * 25)


def made(bend=1.0, flat=False, low=(0.05, 0.05), ratio=0.57, hits=77, short=(0.1, 0.3), gains=GAINS):
    """`bend` is the lift over prediction at a = 0.1 and gain 1; `low` and `short` are IPRs of SGD and of the closure."""
    lift = np.outer(-KURTOSIS / 6, A**2) * np.array([1.0, 3.0, 1.0, 0.4])
    lift[1, 2] *= bend
    lift[2, 1] *= -1 if flat else 1
    sgd = np.array([[low[0], 0.4, 0.6, 0.8], [0.9, 0.9, 0.9, short[0]]])
    closure = np.array([[low[1], 0.0, 0.0, 0.0], [0.9, 0.05, 0.05, short[1]]])
    closure[0, 1:] = sgd[0, 1:] * (ratio + np.array([0.1, 0.05, -0.15]))
    apart = np.full((2, 4, SEEDS), 2.0)
    apart[0, 0], apart[1] = 0.0, 0.0
    apart[0, 1:].flat[:hits] = np.resize([0.0, 1.0], hits)
    data = {
        "ipr": ((*LEAD, "step", "unit"), ending(medians(sgd))[..., None]),
        "closure_ipr": (LEAD, medians(closure)),
        "peak_distance": (LEAD, apart),
        "amplifier": (("gain", "correlation"), A / np.sqrt(2 * np.pi) * (1 + lift)),
        "expansion": (("gain", "correlation"), A / np.sqrt(2 * np.pi) * (1 + lift)),
        "kurtosis": ("gain", KURTOSIS),
        "fine_kurtosis": ("fine_gain", [-0.1, -1.0]),
        "fields": ((*LEAD, "step", "unit", "position"), np.ones((2, 4, SEEDS, 3, 1, 6))),
        "closure_fields": ((*LEAD, "position"), np.ones((2, 4, SEEDS, 6))),
    }
    coords = {"order": ["long", "short"], "gain": list(gains), "correlation": A, "fine_gain": [0.1, 1.0]}
    return xr.Dataset(data, {**coords, "time": ("step", [0.0, 1.0, 600.0])})


@pytest.mark.parametrize(
    ("place", "change", "expected"),
    [
        (0, {"flat": True}, False),
        (1, {"bend": 1.0199}, True),
        (1, {"bend": 0.9801}, True),
        (1, {"bend": 1.0201}, False),
        (1, {"bend": 0.9799}, False),
        (2, {"low": (0.149, 0.149)}, True),
        (2, {"low": (0.151, 0.151)}, True),
        (2, {"low": (0.151, 0.149)}, False),
        (2, {"low": (0.149, 0.151)}, False),
        (3, {"hits": 77}, True),
        (3, {"hits": 76}, False),
        (4, {"ratio": 0.4501}, True),
        (4, {"ratio": 0.6999}, True),
        (4, {"ratio": 0.4499}, False),
        (4, {"ratio": 0.7001}, False),
        (5, {"short": (0.1, 0.1501)}, True),
        (5, {"short": (0.1, 0.1499)}, False),
        (6, {"short": (0.1499, 0.3)}, True),
        (6, {"short": (0.1501, 0.3)}, False),
    ],
)
def test_both_sides_of_each_bound(place, change, expected):
    assert_only("amplifier", made(**change), place, expected)


def test_numbers():
    verdicts = judge("amplifier", made(bend=0.99, low=(0.2, 0.1)))
    assert [v.measured for v in verdicts] == pytest.approx([1.0, 0.99, 3 / 4, 77 / 153, 0.57, 0.3, 0.1])
    assert [v.predicted for v in verdicts] == pytest.approx([1.0, 1.0, 1.0, 0.5, 0.57, 0.15, 0.15])
    assert verdicts[0].note == "excess kurtosis runs from -0.1 to -2"
    assert "at gain ∞" in verdicts[-1].claim
    assert judge("amplifier", made(flat=True))[0].measured == pytest.approx(11 / 12)
    assert unjudged("amplifier", made()) == []
    assert unjudged("amplifier", made(gains=(0.01, 0.3, 0.5, 0.9))) == [3, 4, 5, 6]
    assert "gain 1 and above" in judge("amplifier", made(gains=(0.01, 0.3, 0.5, 1.0)))[3].note


def test_figure():
    record = scrambled(made()).isel(seed=slice(3))
    drawn = figure("amplifier", record)
    amplifier, kurtosis = panel(drawn, "(a)"), panel(drawn, "(b)")
    line = record.correlation.values[1:] / np.sqrt(2 * np.pi)
    for look, name in [("-", "amplifier"), (":", "expansion")]:
        found = [np.asarray(each.get_ydata(), float)[1:] for each in lines(amplifier, style=look)]
        np.testing.assert_allclose(found, record[name].values[:, 1:] / line)
    assert [each.get_label() for each in lines(amplifier, style="-")] == ["0.01", "1", "3", "∞"]
    assert_drawn(kurtosis, record.fine_kurtosis.values, at=[0.1, 1.0], color="C2")
    for i, start in enumerate(["(c) positive class has the longer", "(d) positive class has the shorter"]):
        axes = panel(drawn, start)
        final, closure = record.ipr.values[i, :, :, -1, 0], record.closure_ipr.values[i]
        for values, color, name in [(final, "C0", "SGD"), (closure, "C1", "closure")]:
            assert_drawn(axes, np.median(values, axis=1), color=color, words=name)
            assert_all_drawn(axes, values.T, color=color, marker="o")
    for axes, (i, gain) in zip(drawn.axes[4:], np.ndindex(2, 4), strict=True):
        assert_drawn(axes, scaled(record.fields.values[i, gain, 0, -1, 0]), color="C0")
        assert_drawn(axes, scaled(record.closure_fields.values[i, gain, 0]), color="C1")
