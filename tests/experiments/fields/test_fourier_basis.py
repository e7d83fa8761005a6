"""Verdicts and figure of `fourier-basis`, on made-up records; and its basis against closed forms."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_drawn, panel
from field_records import assert_only, figure, judge, unjudged

from gatefield import experiments
from gatefield.lab import MemoryBench

LINE, DCT = {1.0: 0.07, 2.0: 0.13, 5.0: 0.21}, 0.177  # measured on 40 sites, at each length scale; at length scale 2


def made(ring=0.0, columns=0.0, dct=DCT, n=40, **line):
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
    }
    return xr.Dataset(data, {"transform": ["fourier", "dct"], "boundary": ["ring", "line"], "xi": list(LINE)})


@pytest.mark.parametrize(
    ("place", "change", "expected"),
    [
        (0, {"ring": 0.9e-12}, True),
        (0, {"ring": 1.1e-12}, False),
        (1, {"columns": 0.9e-12}, True),
        (1, {"columns": 1.1e-12}, False),
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
    assert [v.expected for v in judge("fourier-basis", made())] == [0.0, 0.0, 0.07, 0.13, 0.21, 0.177]
    assert unjudged("fourier-basis", made()) == []
    assert unjudged("fourier-basis", made(n=39)) == [2, 3, 4, 5]
    assert unjudged("fourier-basis", made().isel(xi=[0, 2])) == [3, 5]


@pytest.fixture(scope="module")
def record():
    experiment = experiments.get("fourier-basis")
    return experiment.simulate(experiment.Parameters(n=8, xis=(1.0, 2.5)), MemoryBench())


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


def test_figure(record):
    drawn = figure("fourier-basis", record)
    basis = record.basis.values[0]
    np.testing.assert_allclose(panel(drawn, "(a)").images[0].get_array(), basis)
    for label, column in [("k = 0", 0), ("cosine", 5), ("k = 3, sine", 6)]:
        assert_drawn(panel(drawn, "(b)"), basis[:, column], words=label)
    for label, (i, j) in {"ring, Fourier": (0, 0), "line, Fourier": (0, 1), "ring, DCT": (1, 0), "line, DCT": (1, 1)}.items():
        assert_drawn(panel(drawn, "(c)"), record.off_diagonal.values[i, j], at=[1.0, 2.5], words=label)
    for start, (i, j) in {"(d)": (0, 0), "(e)": (0, 1), "(f)": (1, 0)}.items():
        shown = np.asarray(panel(drawn, start).images[0].get_array())
        np.testing.assert_allclose(np.sign(shown) * shown**4, record.rotated.values[i, j, 1], atol=1e-12)
