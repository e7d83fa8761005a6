"""Verdicts and figure of `fourier-basis`, on made-up records; and its basis against closed forms."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_drawn, panel
from field_records import assert_only, figure, judge, unjudged

from gatefield import experiments
from gatefield.lab import MemoryBench

LINE, DCT = {1.0: 0.07, 2.0: 0.13, 5.0: 0.21}, 0.177  # measured on 40 sites, at each length scale; at length scale 2


def made(ring=0.0, columns=0.0, dct=DCT, n=40, one=0.0, two=0.0, **line):
    """Shares off the diagonal; `line1` is that of the line at length scale 1, and so on."""
    left = np.full((2, 2, 3), 0.5)
    left[0, 0] = [0.0, 0.0, ring]
    left[0, 1] = [line.get(f"line{xi:g}", known) for xi, known in LINE.items()]
    left[1, 0, 1] = dct
    data = {
        "off_diagonal": (("transform", "boundary", "xi"), left),
        "orthonormality": ("transform", [columns, 0.1]),
        "printed_norm": ((), 0.5),
        "basis": (("transform", "position", "mode"), np.ones((2, n, n))),
        "behind_one": (("xi", "gate"), [[0.0, 0.0], [0.0, one], [0.0, 0.0]]),
        "behind_two": (("xi", "distance"), [[0.0, 0.0], [two, 0.0], [0.0, 0.0]]),
    }
    return xr.Dataset(data, {"transform": ["fourier", "dct"], "boundary": ["ring", "line"], "xi": list(LINE)})


@pytest.mark.parametrize(
    ("place", "change", "expected"),
    [
        (0, {"ring": 0.9e-12}, True),
        (0, {"ring": 1.1e-12}, False),
        (1, {"columns": 0.9e-12}, True),
        (1, {"columns": 1.1e-12}, False),
        (6, {"one": 0.9e-9}, True),
        (6, {"one": 1.1e-9}, False),
        (7, {"two": 0.9e-9}, True),
        (7, {"two": 1.1e-9}, False),
        *[
            (place, {name: known + change}, abs(change) < 0.005)
            for place, name, known in [(2, "line1", 0.07), (3, "line2", 0.13), (4, "line5", 0.21), (5, "dct", 0.177)]
            for change in (0.0049, -0.0049, 0.0051, -0.0051)
        ],
    ],
)
def test_both_sides_of_each_bound(place, change, expected):
    assert_only("fourier-basis", made(**change), place, expected)


def test_known_numbers_are_for_forty_sites_and_their_length_scales():
    assert [v.predicted for v in judge("fourier-basis", made())] == [0.0, 0.0, 0.07, 0.13, 0.21, 0.177, 0.0, 0.0]
    assert unjudged("fourier-basis", made()) == []
    assert unjudged("fourier-basis", made(n=39)) == [2, 3, 4, 5]
    assert unjudged("fourier-basis", made().isel(xi=[0, 2])) == [3, 5]
    assert unjudged("fourier-basis", made().drop_vars(["behind_one", "behind_two"])) == [6, 7]  # a record of before


@pytest.fixture(scope="module")
def record():
    experiment = experiments.get("fourier-basis")
    return experiment.simulate(experiment.Parameters(n=8, xis=(1.0, 2.5), gates=3), MemoryBench())


def test_basis_and_what_is_left(record):
    n, j = 8, np.arange(8)
    fourier = record.basis.sel(transform="fourier").values
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
    basis = record.basis.values[0]
    for i, xi in enumerate((1.0, 2.5)):
        assert_drawn(panel(drawn, "(a)"), record.behind_two.values[i], at=[1, 2, 3, 4], words=f"two, ξ = {xi:g}")
    assert_drawn(panel(drawn, "(a)"), [float(record.behind_one.max())], at=[0], words="one gate")
    for label, column in [("k = 0", 0), ("cosine", 5), ("k = 3, sine", 6)]:
        assert_drawn(panel(drawn, "(b)"), basis[:, column], words=label)
    for label, (i, j) in {"ring, Fourier": (0, 0), "line, Fourier": (0, 1), "ring, DCT": (1, 0), "line, DCT": (1, 1)}.items():
        assert_drawn(panel(drawn, "(c)"), record.off_diagonal.values[i, j], at=[1.0, 2.5], words=label)
    for start, (i, j) in {"(d)": (0, 0), "(e)": (0, 1), "(f)": (1, 0)}.items():
        shown = np.asarray(panel(drawn, start).images[0].get_array())
        np.testing.assert_allclose(np.sign(shown) * shown**4, record.rotated.values[i, j, 1], atol=1e-12)
    before = figure("fourier-basis", record.drop_vars(["behind_one", "behind_two"]))
    assert [text.get_text() for text in panel(before, "(a)").texts] == ["not in this record"]
