"""Verdicts and figure of `gaussian-clone` on made-up records; its two trainings differ in their data alone."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_drawn, lines, panel, scaled
from field_records import INF, assert_only, ending, figure, judge, seeds
from judging import scrambled

from gatefield.core.grid import Grid
from gatefield.experiments.fields.gaussian_clone import Settings, _examples, _sources

DIMS = ("data", "gain", "seed", "step", "unit")


def made(original=0.5, clone=0.05, flow=0.04, cosine=0.95):
    """The numbers asked for are those at gain 3; the clone's final fields have that median cosine with the flow's."""
    angles = np.arccos(np.array([[cosine, 0.1, 0.99]] * 2))
    turned = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    straight = np.broadcast_to([3.0, 0.0], turned.shape)
    fields = np.stack([straight, 3 * turned])[:, :, :, None, None]
    data = {
        "ipr": (DIMS, ending(seeds([[original, 0.6], [clone, 0.06]]), before=0.2)[..., None]),
        "flow_ipr": (DIMS[1:3], seeds([flow, 0.03])),
        "fields": ((*DIMS, "position"), np.concatenate([np.full_like(fields, 0.7)] * 2 + [fields], axis=3)),
        "flow_fields": (("gain", "seed", "position"), straight),
        "inputs": (("data", "gain", "position"), np.ones((2, 2, 2))),
    }
    return xr.Dataset(data, {"data": ["original", "clone"], "gain": [3.0, INF], "time": ("step", [0.0, 1.0, 200.0])})


@pytest.mark.parametrize(
    ("place", "change", "expected"),
    [
        (0, {"clone": 0.0999}, True),
        (0, {"clone": 0.1001}, False),
        (0, {"original": 0.3001}, True),
        (0, {"original": 0.2999}, False),
        (1, {"cosine": 0.9001}, True),
        (1, {"cosine": 0.8999}, False),
    ],
)
def test_both_sides_of_each_bound(place, change, expected):
    assert_only("gaussian-clone", made(**change), place, expected)


def test_the_clone_is_measured_beside_the_flow():
    apart, end = judge("gaussian-clone", made())
    assert [(b.at, b.measured, b.predicted) for b in apart.table] == [
        ("gain 3", pytest.approx(0.05), pytest.approx(0.04)),
        ("gain 3", pytest.approx(0.5), None),
        ("gain ∞", pytest.approx(0.06), pytest.approx(0.03)),
        ("gain ∞", pytest.approx(0.6), None),
    ]
    assert (end.measured, end.predicted) == (pytest.approx(0.95), 1.0)


def test_the_headline_names_the_gain_that_fails():
    said = "after 200 τ the data localize the field (median IPR 0.50 and more), Gaussian data of the same covariance do not "
    said += "(0.06 at most)"
    assert judge("gaussian-clone", made())[0].sentence == said
    said = "after 200 τ at gain 3 the median IPR is 0.20 on the data and 0.05 on Gaussian data of the same covariance"
    assert judge("gaussian-clone", made(original=0.2))[0].sentence == said


def test_figure():
    record = scrambled(made())
    drawn = figure("gaussian-clone", record)
    top = panel(drawn, "(a)")
    for i, (color, name) in enumerate([("C0", "SGD on the data"), ("C1", "SGD on their Gaussian clone")]):
        final = record.ipr.values[i, :, :, -1, 0]
        median = np.median(final, axis=1)
        assert_drawn(top, [median[0], np.nan, median[1]], at=[0, np.nan, 1.5], color=color, label=name)
        small = [line.get_ydata() for line in lines(top, color=color, marker="o") if line.get_markersize() == 3]
        np.testing.assert_allclose(small, final.T)
    flow = np.median(record.flow_ipr.values, axis=1)
    assert_drawn(top, [flow[0], np.nan, flow[1]], color="k", style="-")
    for gain, (inputs, fields) in enumerate(np.reshape(drawn.axes[1:], (2, 2)).T):
        for i, color in enumerate(["C0", "C1"]):
            assert_drawn(inputs, record.inputs.values[i, gain], color=color, style="-")
            assert_drawn(fields, scaled(record.fields.values[i, gain, 0, -1, 0]), color=color)
        assert_drawn(fields, scaled(record.flow_fields.values[gain, 0]), color="k")
    clone, theory = record.fields.values[1, :, :, -1, 0], record.flow_fields.values
    lengths = np.linalg.norm(clone, axis=-1) * np.linalg.norm(theory, axis=-1)
    assert f"(cosine {np.median((clone * theory).sum(-1) / lengths):.2f})" in panel(drawn, "(c)").get_title(loc="left")


def test_the_clone_has_the_covariances_and_the_noise_of_the_original():
    p = Settings(n=8, gains=(1.0, INF), seeds=3)
    grid = Grid(gain=p.gains, seed=p.seeds)
    both = _sources(grid, p)
    for original, clone in zip(both["original"], both["clone"], strict=True):
        np.testing.assert_allclose(original.covariance(), clone.covariance(), atol=1e-12)
    inputs = _examples(both["original"][0], grid, p)
    np.testing.assert_array_equal(np.sign(inputs[0]), inputs[1])  # the same noise: at infinite gain only its sign is left
