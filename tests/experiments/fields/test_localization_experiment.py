"""Verdicts and figure of `localization`, on made-up records."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_drawn, lines, scaled
from field_records import INF, assert_only, ending, figure, judge, seeds, unjudged
from judging import scrambled

GAINS = (0.01, 3.0, INF)
DIMS = ("order", "gain", "seed", "step", "unit")


def made(low=0.05, high=0.64, swapped=0.09, top=0.8, bump=0.8, flow=0.09, n=40, scales=(2.0, 1.0), end=200.0, gains=GAINS):
    """All that is not asked for is far off: other orders and gains, the first step, and two seeds of three."""
    final = np.array([[low, high, top], [0.9, swapped, 0.3]])
    flows = np.array([[0.02, 0.03, 0.02], [0.02, 0.02, flow]])
    data = {
        "ipr": (DIMS, ending(seeds(final))[..., None]),
        "flow_ipr": (DIMS[:3], seeds(flows)),
        "bump_ipr": (DIMS[:2], [[0.3, 0.3, bump], [0.3, 0.3, 0.3]]),
        "fields": ((*DIMS, "position"), np.ones((2, 3, 3, 3, 1, n))),
    }
    coords = {"order": ["long", "short"], "gain": list(gains), "time": ("step", [0.0, 50.0, end])}
    return xr.Dataset(data, coords, {"length_scales": list(scales), "steps": 1000})


@pytest.mark.parametrize(
    ("place", "change", "expected"),
    [
        (0, {"flow": 0.0999}, True),
        (0, {"flow": 0.1001}, False),
        (1, {"low": 0.0599}, True),
        (1, {"low": 0.0601}, False),
        (2, {"high": 0.6101}, True),
        (2, {"high": 0.6699}, True),
        (2, {"high": 0.6099}, False),
        (2, {"high": 0.6701}, False),
        (3, {"swapped": 0.0999}, True),
        (3, {"swapped": 0.1001}, False),
        (4, {"top": 0.7701}, True),
        (4, {"top": 0.8299}, True),
        (4, {"top": 0.7699}, False),
        (4, {"top": 0.8301}, False),
        (4, {"bump": 0.75}, False),
    ],
)
def test_both_sides_of_each_bound(place, change, expected):
    assert_only("localization", made(**change), place, expected)


def test_numbers_are_medians_at_the_end():
    verdicts = judge("localization", made())
    assert [v.measured for v in verdicts] == pytest.approx([0.09, 0.05, 0.64, 0.09, 0.8])
    assert [v.expected for v in verdicts] == pytest.approx([0.1, 0.06, 0.64, 0.1, 0.8])


@pytest.mark.parametrize(
    ("change", "places"),
    [
        ({}, []),
        ({"n": 39}, [1, 2, 3]),
        ({"scales": (1.0, 2.0)}, [1, 2, 3]),
        ({"end": 199.0}, [1, 2, 3, 4]),
        ({"gains": (0.1, 3.0, INF)}, []),
        ({"gains": (0.101, 3.0, INF)}, [1]),
        ({"gains": (0.01, 2.9, INF)}, [2, 3]),
        ({"gains": (0.01, 3.0, 10.0)}, [4]),
    ],
)
def test_published_sizes_alone_have_published_numbers(change, places):
    assert unjudged("localization", made(**change)) == places
    assert len(judge("localization", made(**change))) == 5


def test_what_is_not_judged_says_what_to_set():
    first, *_, last = judge("localization", made(end=50.0, gains=(0.01, 3.0, 10.0)))
    assert first.outcome == "not decided"  # in that time nothing localizes
    assert first.note.startswith("needs a training of 200 tau, has 50; run with --set steps=4000; over gains")
    assert last.why == (
        "needs a training of 200 tau, has 50, and gains with inf, has 0.01, 3.0 and 10.0; "
        "run with --set steps=4000 --set 'gains=[0.01,3.0,10.0,inf]'"
    )


def test_figure_shows_each_order_in_its_own_colour():
    record = scrambled(made(n=8))
    drawn = figure("localization", record)
    axes, *panels = drawn.axes
    for i, order in enumerate(["long", "short"]):
        final = record.ipr.values[i, :, :, -1, 0]
        name = f"SGD, positive class has the {order}er range"
        assert_drawn(axes, np.median(final, axis=1), color=f"C{i}", style="-", label=name)
        assert_drawn(axes, np.median(record.flow_ipr.values[i], axis=1), color=f"C{i}", style="--")
        dots = [line.get_ydata() for line in lines(axes, color=f"C{i}", marker="o")]
        np.testing.assert_allclose(dots, final.T)
    assert_drawn(axes, record.bump_ipr.values[0, -1], at=2, marker="*")
    fields = record.fields.values[:, :, 0, -1, 0].reshape(6, 8)
    for i, (small, field) in enumerate(zip(panels, fields, strict=True)):
        assert_drawn(small, scaled(field), color=f"C{i // 3}")
    assert [small.get_title() for small in panels[:3]] == ["gain 0.01", "gain 3", "gain ∞"]
