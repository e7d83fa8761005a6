"""`gated-linear`: its exact paths against closed forms; verdicts and figure on records made by hand."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_line, points
from judging import changed_at, judged, scrambled
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


def test_redundant_units_keep_their_difference():
    """A is singular along it: what both units see is the same."""
    p = experiment.Parameters(n=3, gains=(0.0,), seeds=1)
    fields = np.random.default_rng(0).normal(size=(1, 1, 3, 2, 3)).astype(np.float32)
    times = ("step", np.array([0.0, 2.0, 50.0]))
    record = xr.Dataset({"fields": (("gain", "seed", "step", "unit", "position"), fields)}, {"time": times})
    exact = solved(p, record, half_spaces([[0.0, 1, 0], [0.0, 1, 0]])).exact[0, 0]
    np.testing.assert_allclose(exact[:, 0] - exact[:, 1], np.tile(fields[0, 0, 0, 0] - fields[0, 0, 0, 1], (3, 1)), atol=1e-6)
    assert np.abs(exact[2] - exact[0]).max() > 0.1


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


SGD, AS_PRINTED = "trained by SGD", "as printed"
AT = {"case": 4, "gain": 1, "seed": 1, "step": 7}


@pytest.mark.parametrize(
    ("words", "change", "batch_size", "expected"),
    [
        (SGD, ("distance", AT, 0.0199), 10_000, True),
        (SGD, ("distance", AT, 0.0201), 10_000, False),
        (SGD, ("distance", AT, 0.0399), 2_500, True),
        (SGD, ("distance", AT, 0.0401), 2_500, False),
        (SGD, ("distance", AT, 0.0201), 40_000, False),
        (SGD, ("distance", AT, 0.0199), 40_000, True),
        (AS_PRINTED, ("printed_distance", {"case": 2, "step": -1}, 0.0201), 10_000, False),
        (AS_PRINTED, ("printed_distance", {"case": 2, "step": -1}, 0.0199), 10_000, True),
        (AS_PRINTED, ("printed_distance", {"case": 1, "gain": 0, "seed": 1, "step": -1}, 0.0201), 10_000, False),
        (AS_PRINTED, ("printed_distance", {"case": 1, "step": 3}, 0.5), 10_000, True),
    ],
)
def test_both_sides_of_each_bound(words, change, batch_size, expected):
    """Where the printed solution is asked about, it is right but for the change."""
    record = made(batch_size)
    if words == AS_PRINTED:
        record["printed_distance"][{}] = 0.0
    found = judged(experiment, changed_at(record, change), words)
    assert found.holds is expected
    assert expected or found.measured == change[2]


def test_what_is_expected_and_said():
    record = changed_at(made(), ("loss_distance", AT, 0.0456), ("distance", AT, 0.03))
    sgd, printed = experiment.verdicts(record)
    assert [(bound.at, bound.predicted) for bound in sgd.table] == [(f"{case} gates", 0.0) for case in CASES]
    assert "at most 0.0456 of its start" in sgd.note
    assert sgd.otherwise == "SGD leaves the exact path behind scheduled gates (by 3 %)"
    assert [bound.at for bound in printed.table] == ["general gates", "exclusive gates"]
    assert printed.outcome == "refuted"
    most = 100 * record.printed_distance.values[1:3, ..., -1].max()
    assert printed.otherwise == f"the printed one, without 1/K, ends up to {most:.0f} % off"


def case_panels(record, which):
    for name in ("distance", "printed_distance", "loss", "exact_loss"):
        record[name][{"case": [4, 5], "gain": 1}] = np.nan
    record["final"][{"case": 0, "unit": 1}] = np.nan
    return which(record).axes


def test_figure_lays_sgd_on_the_exact_loss():
    """Scheduled and moving gates stand at the first gain only; the other cases have both."""
    record = scrambled(made())
    panels = case_panels(record, experiment.figure)
    dots = [1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 29]  # 29^(k/13) for k = 0 to 13, rounded
    for c, (axes, case) in enumerate(zip(panels, CASES, strict=True)):
        assert axes.get_title(loc="left").startswith(f"({'abcdef'[c]}) {case}")
        for g, (dash, marker) in enumerate((("-", "o"), ("--", "s"))[: 1 if c > 3 else 2]):
            run = record.isel(case=c, gain=g, seed=0)
            assert_line(axes, record.time[1:], run.exact_loss[1:], color="black", style=dash)
            assert_line(axes, record.time[dots], run.loss[dots], marker=marker)
        assert axes.get_xscale() == "log"
    labels = [text.get_text() for text in panels[5].get_legend().get_texts()]
    assert labels == ["SGD, Gaussian data", "exact, Gaussian data", "SGD, gain 3", "exact, gain 3"]


def test_second_figure_shows_distances_and_final_weights():
    record = scrambled(made())
    record["printed_distance"][{"case": [0, 4, 5]}] = 0.0
    *panels, row = case_panels(record, experiment.more)
    for c, axes in enumerate(panels):
        for g, color in enumerate(("#0072B2", "#56B4E9")[: 1 if c > 3 else 2]):
            np.testing.assert_allclose([y for _, y in points(axes, color=color)], record.distance.values[c, g, :, 1:])
        if 0 < c < 4:
            assert_line(axes, record.time[1:], record.printed_distance[c, 0, 0, 1:], color="#D55E00", style="--")
        else:
            assert not points(axes, color="#D55E00")
        np.testing.assert_allclose(points(axes, color="0.6")[0][1], 0.02)
    kept = [(c, u) for c in range(6) for u in (0, 1) if (c, u) != (0, 1)]
    for name, look in (("final", {"marker": "o"}), ("exact_final", {"color": "black"})):
        fields = [record[name].values[c, 0, u] for c, u in kept]
        np.testing.assert_allclose([y for _, y in points(row, **look)], [w / np.abs(w).max() for w in fields])
    assert [text.get_text() for text in row.get_xticklabels()][:2] == ["single", "general\n1"]
