"""`gated-linear`: its exact paths against closed forms; verdicts and figure on records made by hand."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_line, points
from judging import assert_only, changed_at, judged, scrambled
from scipy.linalg import expm

from gatefield.data import NonlinearGP
from gatefield.experiments.gates.gated_linear import experiment
from gatefield.experiments.gates.gated_linear.simulate import solved
from gatefield.gates import half_spaces

CASES = ["single", "general", "exclusive", "redundant", "scheduled", "moving"]
LEAD = ("case", "gain", "seed", "step")


def test_solutions_behind_exclusive_gates_in_closed_form():
    """Each unit sees half of the inputs: A is block diagonal, (C1 + C0)/4 twice, and b is plus and minus the mean input."""
    n, time = 3, np.array([0.0, 0.7, 5.0, 4000.0])
    p = experiment.Parameters(n=n, gains=(0.0,), seeds=2)
    fields = np.random.default_rng(0).normal(size=(1, 2, 4, 2, n)).astype(np.float32)
    record = xr.Dataset({"fields": (("gain", "seed", "step", "unit", "position"), fields)}, {"time": ("step", time)})
    run = solved(p, record, half_spaces([[0.0, 1, 0], [0.0, -1, 0]]))
    cov1, cov0 = (np.asarray(NonlinearGP(n, xi, 0.0).covariance(), float) for xi in (2.0, 1.0))
    A, pull = (cov1 + cov0) / 4, cov1[1] / np.sqrt(2 * np.pi * cov1[1, 1]) / 2
    for shown, factor in ((run.exact, 1), (run.printed, 2)):
        for s in range(2):
            for u, b in enumerate((pull, -pull)):
                limit = 2 * np.linalg.solve(A, b) / factor
                away = fields[0, s, 0, u] - limit
                expected = [limit + expm(-factor * A * t / 4) @ away for t in time]
                np.testing.assert_allclose(shown[0, s, :, u], expected, atol=1e-7)
    for w, found in ((fields, run.loss), (run.exact, run.exact_loss)):
        square = np.einsum("...ui,ij,...uj", w, A, w) / 4
        np.testing.assert_allclose(found, 0.25 + square / 2 - (w[..., 0, :] - w[..., 1, :]) @ pull / 2, atol=1e-6)
    assert 0 < run.ode < 1e-9


def made(batch_size=10_000):
    """A record in which all verdicts hold; cases, gains, seeds and steps differ."""
    shape, rng = (6, 2, 2, 30), np.random.default_rng(0)
    printed = 0.2 + 0.1 * rng.random(shape)
    printed[..., :-1], printed[[0, 3, 4, 5]] = 0.0, 0.0  # right at first; and for one unit, or where it is not asked
    data = {
        "distance": (LEAD, 0.01 * rng.random(shape)),
        "printed_distance": (LEAD, printed),
        "loss": (LEAD, rng.random(shape)),
        "exact_loss": (LEAD, rng.random(shape)),
        "loss_distance": (LEAD, 0.01 * rng.random(shape)),
        "final": (("case", "gain", "unit", "position"), rng.normal(size=(6, 2, 2, 5))),
        "exact_final": (("case", "gain", "unit", "position"), rng.normal(size=(6, 2, 2, 5))),
        "ode_distance": ("case", [1e-13, 2e-13, 3e-13, 4e-13, 0, 0]),
        "kept": ("case", [0, 0, 0, 1e-7, 0, 0]),
    }
    coords = {"case": CASES, "gain": [0.0, 3.0], "time": ("step", 0.5 * np.arange(30))}
    return xr.Dataset(data, coords, {"batch_size": batch_size})


AT = {"case": 4, "gain": 1, "seed": 1, "step": 7}


@pytest.mark.parametrize(
    ("words", "change", "batch_size", "expected"),
    [
        ("scheduled gates", ("distance", AT, 0.0199), 10_000, True),
        ("scheduled gates", ("distance", AT, 0.0201), 10_000, False),
        ("scheduled gates", ("distance", AT, 0.0399), 2_500, True),
        ("scheduled gates", ("distance", AT, 0.0401), 2_500, False),
        ("scheduled gates", ("distance", AT, 0.0201), 40_000, False),
        ("scheduled gates", ("distance", AT, 0.0199), 40_000, True),
        ("ODE solver", ("ode_distance", {"case": 2}, 0.99e-9), 10_000, True),
        ("ODE solver", ("ode_distance", {"case": 2}, 1.01e-9), 10_000, False),
        ("printed solution", ("printed_distance", {"case": 2, "gain": 1, "seed": 0, "step": -1}, 0.1001), 10_000, True),
        ("printed solution", ("printed_distance", {"case": 2, "gain": 1, "seed": 0, "step": -1}, 0.0999), 10_000, False),
        ("printed solution", ("printed_distance", {"case": 1, "gain": 0, "seed": 1, "step": -1}, 0.0999), 10_000, False),
        ("keep their difference", ("kept", {"case": 3}, 0.99e-4), 10_000, True),
        ("keep their difference", ("kept", {"case": 3}, 1.01e-4), 10_000, False),
    ],
)  # fmt: skip
def test_both_sides_of_each_bound(words, change, batch_size, expected):
    record = changed_at(made(batch_size), change)
    assert_only(experiment, record, words, expected)
    assert judged(experiment, record, words).measured == change[2]


def test_what_is_expected_and_said():
    record = changed_at(made(), ("loss_distance", AT, 0.0456))
    assert [v.predicted for v in experiment.verdicts(record)] == [0.0] * 7 + [0.1, 0.0]
    assert "at most 0.0456 of its start" in judged(experiment, record, "scheduled").note
    assert "0.0456" not in judged(experiment, record, "moving").note


def test_figure_lays_sgd_beside_the_exact_path():
    """Scheduled and moving gates stand at the first gain only; the other cases have both."""
    record = scrambled(made())
    for name in ("distance", "printed_distance", "loss", "exact_loss"):
        record[name][{"case": [4, 5], "gain": 1}] = np.nan
    record["final"][{"case": 0, "unit": 1}] = np.nan
    drawn = experiment.figure(record)
    panels = np.reshape(drawn.axes, (3, 6))
    dots = [1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 29]  # 29^(k/13) for k = 0 to 13, rounded
    for c, case in enumerate(CASES):
        one = record.isel(case=c)
        loss, fields, distance = panels[:, c]
        assert loss.get_title().startswith(f"({'abcdef'[c]}) {case}")
        for g in range(1 if c > 3 else 2):
            run = one.isel(gain=g, seed=0)
            assert_line(loss, one.time[1:], run.exact_loss[1:], color=f"C{g}", style="-")
            assert_line(loss, one.time[dots], run.loss[dots], color=f"C{g}", marker="o")
            found = points(distance, color=f"C{g}")
            np.testing.assert_allclose([y for _, y in found], one.distance.values[g, :, 1:])
        for u in range(1 if c == 0 else 2):
            assert_line(fields, np.arange(5), one.exact_final[0, u], color=f"C{u + 2}", style="-")
            assert_line(fields, np.arange(5), one.final[0, u], color=f"C{u + 2}", style="None")
        if 0 < c < 4:
            assert_line(distance, one.time[1:], one.printed_distance[0, 0, 1:], style="--")
        else:
            assert not points(distance, style="--")
        assert {axes.get_xscale() for axes in (loss, distance)} == {"log"}
    labels = [text.get_text() for text in panels[0, 0].get_legend().get_texts()]
    assert labels == ["Gaussian: exact", "Gaussian: SGD", "gain 3: exact", "gain 3: SGD"]
    assert [text.get_text() for text in panels[1, 1].get_legend().get_texts()] == ["unit 1", "unit 2"]
