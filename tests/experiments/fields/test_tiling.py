"""Verdicts and figure of `tiling` on records made by hand, and what it trains."""

import jax
import numpy as np
import pytest
import xarray as xr
from drawn import assert_drawn, lines, panel, points
from judging import assert_only, changed, judged
from plain import covariance
from plain import ipr as plain_ipr
from test_experiments import simulated, trained
from watched import assert_classes, assert_settings

from gatefield.experiments.fields.tiling import experiment, places
from gatefield.measures import peak_spacing

N, SEEDS = 40, 4
EVEN, CROWD = [0, 10, 20, 30], [0, 1, 3, 4]
RANDOM = [[0, 7, 14, 31], [5, 6, 27, 33], [2, 13, 17, 38], [10, 22, 29, 36]]


def made(site=EVEN, sign=1.0, alone=RANDOM, alone_sign=1.0, start=None, end=0.1, ipr=0.5):
    """Committees of four units at one pair of length scales and one gain; all verdicts hold but those on moving units."""
    lead, cell = ("units", "pair", "gain", "seed", "unit"), (1, 1, 1, SEEDS, 4)

    def put(values):
        return (lead, np.broadcast_to(np.asarray(values, float), cell).copy())

    cosines = np.broadcast_to([[0.0, 0.1, 0.0], [1.0, 0.75, end]], (1, 1, 1, SEEDS, 2, 3))
    data = {
        "site": put(site),
        "sign": put(sign),
        "ipr": put(ipr),
        "alone_site": put(alone),
        "alone_sign": put(alone_sign),
        "alone_ipr": put(ipr),
        "start_site": put(site if start is None else start),
        "cosine": (("units", "start", *lead[1:4], "step"), np.moveaxis(cosines, 4, 1).copy()),
        "field": (("units", "pair", "gain", "unit", "position"), np.ones((1, 1, 1, 4, N))),
        "alone_field": (("units", "pair", "gain", "unit", "position"), np.ones((1, 1, 1, 4, N))),
    }
    coords = {"units": [4], "pair": ["2, 1"], "gain": [3.0], "start": ["own", "alike"], "unit": np.arange(4)}
    time = {"time": ("step", [0.0, 10.0, 200.0]), "position": np.arange(N)}
    return xr.Dataset(data, {**coords, **time}, {"n": N, "steps": 4000, "learning_rate": 0.05, "difference": 0.1})


@pytest.mark.parametrize(
    ("words", "change", "measured", "outcome"),
    [
        ("of one sign are spread", {}, 400 / 16.017, "confirmed"),
        ("of one sign are spread", {"site": CROWD}, None, "refuted"),
        ("of one sign are spread", {"site": RANDOM}, None, "not decided"),
        ("of one sign are spread", {"ipr": 0.15}, None, "not judged"),
        ("whatever their sign", {"sign": [1.0, -1.0, 1.0, -1.0]}, None, "confirmed"),
        ("of one sign share", {"site": [0, 2, 20, 30]}, 0.0, "not decided"),
        ("of one sign share", {"site": [0, 1, 20, 21]}, 1 / 3, "refuted"),
        ("opposite sign share", {"site": [0, 1, 20, 21], "sign": [1.0, -1.0, 1.0, -1.0]}, 0.5, "confirmed"),
        ("opposite sign share", {"site": [0, 20, 1, 21], "sign": [1.0, -1.0, 1.0, -1.0]}, -1.0, "refuted"),
        ("opposite sign share", {}, None, "not judged"),
        ("most units of a committee", {"site": [0, 9, 21, 5], "alone": EVEN}, 0.75, "not decided"),
        ("most units of a committee", {"alone": EVEN}, 1.0, "confirmed"),
        ("most units of a committee", {"alone": EVEN, "alone_sign": -1.0}, 0.0, "refuted"),
        ("the start decides", {"start": [1, 9, 20, 31]}, 1.0, "confirmed"),
        ("the start decides", {"start": [2, 8, 22, 32]}, 0.0, "refuted"),
        ("as places drawn at random", {}, None, "confirmed"),
        ("as places drawn at random", {"alone": EVEN}, 0.25, "off"),
        ("as places drawn at random", {"alone": CROWD}, None, "off"),
        ("start alike part", {"end": 0.499}, 0.499, "confirmed"),
        ("start alike part", {"end": 0.501}, 0.501, "refuted"),
    ],
)  # fmt: skip
def test_both_sides_of_each_bound(words, change, measured, outcome):
    found = judged(experiment, made(**change), words)
    assert found.outcome == outcome
    if words == "of one sign are spread" and not change:
        measured = 0.25 / peak_spacing_mean(4)
    if measured is not None:
        assert found.measured == pytest.approx(measured, abs=1e-9)


def peak_spacing_mean(K):
    """By the law of a beta variable: on n sites the mean of the squared gap of K places is that of a sum of coincidences."""
    rng = np.random.default_rng(0)
    drawn = peak_spacing(rng.integers(0, N, size=(200_000, K)), N)
    return float(drawn.mean())
