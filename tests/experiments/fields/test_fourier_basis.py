"""Verdicts and figure of `fourier-basis`, on made-up records; and its basis against closed forms."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_drawn, panel, scaled
from field_records import assert_only, figure, judge, unjudged

from gatefield import experiments
from gatefield.lab import MemoryBench

XIS = (1.0, 2.0, 5.0)


def made(line=(0.0, 0.0, 0.0), dct=(0.0, 0.0, 0.0), one=0.0, two=0.0):
    """Shares off the diagonal, by length scale; the line in the cosine transform is far off."""
    left = np.array([[[0.0] * 3, line], [dct, [0.5] * 3]])
    data = {
        "off_diagonal": (("transform", "boundary", "xi"), left),
        "behind_one": (("xi", "gate"), [[0.0, 0.0], [0.0, one], [0.0, 0.0]]),
        "behind_two": (("xi", "distance"), [[0.0, 0.0], [0.0, two], [0.0, 0.0]]),
    }
    return xr.Dataset(data, {"transform": ["fourier", "dct"], "boundary": ["ring", "line"], "xi": list(XIS)})


@pytest.mark.parametrize(
    ("place", "change"),
    [
        (0, lambda value: {"line": (value, 0.0, 0.0)}),
        (0, lambda value: {"line": (0.0, 0.0, value)}),
        (1, lambda value: {"dct": (0.0, value, 0.0)}),
        (2, lambda value: {"one": value}),
        (3, lambda value: {"two": value}),
    ],
)
def test_both_sides_of_each_bound(place, change):
    assert_only("fourier-basis", made(**change(0.9e-9)), place, True)
    assert_only("fourier-basis", made(**change(1.1e-9)), place, False)


def test_numbers():
    line, dct, one, two = judge("fourier-basis", made(line=(0.07, 0.13, 0.21), dct=(0.1, 0.2, 0.3), one=0.5, two=0.25))
    assert [bound.measured for bound in line.table] == [0.07, 0.13, 0.21]
    assert [bound.at for bound in dct.table] == ["length scale 1", "length scale 2", "length scale 5"]
    assert {bound.predicted for bound in (*line.table, *dct.table, *two.table)} == {0.0}
    assert (one.measured, two.measured) == (0.5, 0.25)
    assert line.sentence == "the Fourier basis leaves up to 21 % of a line's covariance off the diagonal, nothing of a ring's"
    assert two.sentence == "two gates couple modes, by up to 25 %"
    before = made().drop_vars(["behind_one", "behind_two"])  # a record of before
    assert unjudged("fourier-basis", before) == [2, 3]


@pytest.fixture(scope="module")
def record():
    experiment = experiments.get("fourier-basis")
    return experiment.simulate(experiment.Parameters(n=8, xis=(1.0, 2.5), gates=3), MemoryBench())


def test_basis_and_what_is_left(record):
    n, j = 8, np.arange(8)
    fourier = record.basis.sel(transform="fourier").values
    np.testing.assert_allclose(fourier.T @ fourier, np.eye(n), atol=1e-12)
    np.testing.assert_allclose(fourier[:, 5], np.sqrt(2 / n) * np.cos(2 * np.pi * 3 * j / n), atol=1e-12)
    np.testing.assert_allclose(fourier[:, 7], (-1.0) ** j / np.sqrt(n), atol=1e-12)
    dct = record.basis.sel(transform="dct").values
    np.testing.assert_allclose(dct[:, 3], np.sqrt(2 / n) * np.cos(np.pi * 3 * (j + 0.5) / n), atol=1e-12)
    assert (record.off_diagonal.sel(transform="fourier", boundary="ring") < 1e-12).all()
    one = record.sel(transform="dct", boundary="line", xi=2.5)
    lag = np.subtract.outer(j, j)
    turned = dct.T @ np.exp(-((lag / 2.5) ** 2)) @ dct
    rest = np.linalg.norm(turned - np.diag(np.diag(turned))) / np.linalg.norm(turned)
    np.testing.assert_allclose(one.off_diagonal, rest, rtol=1e-9)


def test_moments_behind_gates(record):
    """Between two gates of one site each, on samples: a million, whose share off the diagonal is known to some 0.003."""
    assert record.behind_one.shape == (2, 3)
    assert record.behind_one.max() < 1e-12
    lag = np.subtract.outer(np.arange(8), np.arange(8))
    cov = sum(np.exp(-(((lag + 8 * turn) / 2.5) ** 2)) for turn in range(-4, 5))
    values, vectors = np.linalg.eigh(cov / cov[0, 0])
    x = np.random.default_rng(0).normal(size=(1_000_000, 8)) * np.sqrt(np.maximum(values, 0)) @ vectors.T
    for d in (1, 3):
        seen = x[(x[:, 0] > 0) & (x[:, d] > 0)]
        turned = record.basis.values[0].T @ (seen.T @ seen) @ record.basis.values[0]
        share = np.linalg.norm(turned - np.diag(np.diag(turned))) / np.linalg.norm(turned)
        assert float(record.behind_two.sel(xi=2.5, distance=d)) == pytest.approx(share, abs=0.01)
        assert share > 0.05


def test_figure(record):
    drawn = figure("fourier-basis", record)
    for label, (i, j) in {"ring, Fourier": (0, 0), "line, Fourier": (0, 1), "ring, DCT": (1, 0), "line, DCT": (1, 1)}.items():
        assert_drawn(panel(drawn, "(a)"), 100 * record.off_diagonal.values[i, j], at=[1.0, 2.5], words=label)
    for i, xi in enumerate((1.0, 2.5)):
        assert_drawn(panel(drawn, "(b)"), 100 * record.behind_two.values[i], at=[1, 2, 3, 4], words=f"ξ = {xi:g}")
    assert_drawn(panel(drawn, "(b)"), [100 * float(record.behind_one.max())], at=[0], words="one gate")
    named = {start: panel(drawn, start).texts[0] for start in ("(a)", "(b)")}
    line, two = record.off_diagonal.values[0, 1], record.behind_two.values
    assert named["(a)"].get_text() == f"{100 * line.max():.0f} %"
    assert named["(b)"].get_text() == f"{100 * two.max():.0f} %"
    assert named["(b)"].xy == pytest.approx((1 + two.max(axis=0).argmax(), 100 * two.max()))
    for start, (i, j) in {"(c)": (0, 0), "(d)": (0, 1), "(e)": (1, 0)}.items():
        (image,) = panel(drawn, start).images
        np.testing.assert_allclose(image.get_array(), scaled(abs(record.rotated.values[i, j, 1])), atol=1e-12)
        assert (image.norm.vmin, image.norm.vmax) == (1e-2, 1)
    share = 100 * record.off_diagonal.values[0, 1, 1]
    assert panel(drawn, "(d)").get_title(loc="left") == f"(d) line, Fourier: {share:.0f} % off"
    assert panel(drawn, "(c)").get_title(loc="left") == "(c) ring, Fourier: diagonal"
    ends = f"{100 * line.min():.0f} to {100 * line.max():.0f}"
    assert panel(drawn, "(a)").get_title(loc="left") == f"(a) Fourier basis: ring 0, line {ends} % off"
    before = figure("fourier-basis", record.drop_vars(["behind_one", "behind_two"]))
    assert [text.get_text() for text in panel(before, "(b)").texts] == ["not in this record"]
