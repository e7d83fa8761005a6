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
    words = "behind all 6 kinds of gates the loss of SGD is off the exact one by at most 4.6 % of its start"
    assert sgd.more_found == sgd.more_otherwise == words
    assert sgd.otherwise == "SGD leaves the exact path behind scheduled gates (by 3 %)"
    assert [bound.at for bound in printed.table] == ["general gates", "exclusive gates"]
    assert printed.outcome == "refuted"
    most = 100 * record.printed_distance.values[1:3, ..., -1].max()
    assert printed.otherwise == f"that of note 002, without a factor 1/K, ends up to {most:.0f} % off"


def case_panels(record, which):
    for name in ("distance", "printed_distance", "loss", "exact_loss"):
        record[name][{"case": [4, 5], "gain": 1}] = np.nan
    record["final"][{"case": 0, "unit": 1}] = np.nan
    return which(record).axes


DOTS = [1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 29]
"""29^(k/13) for k = 0 to 13, rounded."""


def with_jump(record):
    """The exact loss jumps between the records 14 and 15."""
    return changed_at(record, ("exact_loss", {"step": 14}, 0.0), ("exact_loss", {"step": 15}, 2.0))


def assert_losses(axes, record, c):
    """Scheduled and moving gates stand at the first gain only; the other cases have both."""
    dots = sorted([*DOTS, 15])
    for g, (dash, marker) in enumerate((("-", "o"), ("--", "s"))[: 1 if c > 3 else 2]):
        run = record.isel(case=c, gain=g, seed=0)
        assert_line(axes, record.time[1:], run.exact_loss[1:], color="black", style=dash)
        assert_line(axes, record.time[dots], run.loss[dots], marker=marker)
    assert axes.get_xscale() == "log"


def test_figure_shows_how_far_off_sgd_and_the_printed_solution_are():
    record = with_jump(scrambled(made()))
    record["printed_distance"][{"case": [0, 4, 5]}] = 0.0
    worst, *two, loss = case_panels(record, experiment.figure)
    for g, marker in enumerate("os"):
        expected = 100 * record.distance.values[:, g].max(-1).T
        np.testing.assert_allclose([y for _, y in points(worst, marker=marker)], expected)
    ends = 100 * record.printed_distance.values[1:4, ..., -1].max((1, 2))
    drawn = points(worst, color="#D55E00", style="--")
    np.testing.assert_allclose([y for _, y in drawn], np.stack([ends, ends], axis=1))
    np.testing.assert_allclose([x.mean() for x, _ in drawn], [1, 2, 3])
    said = [text.get_text() for text in worst.texts]
    assert said == [*(f"{end:.0f} %" for end in ends), f"{100 * np.nanmax(record.distance):.2g} %"]
    for c, axes in enumerate(two, start=1):
        for g, (marker, aside) in enumerate((("o", 1.12**-0.5), ("s", 1.12**0.5))):
            expected = 100 * record.distance.values[c, g][:, DOTS]
            np.testing.assert_allclose([y for _, y in points(axes, marker=marker)], expected)
            np.testing.assert_allclose(points(axes, marker=marker)[0][0], aside * record.time.values[DOTS])
        assert axes.get_title(loc="left").endswith(f"printed {ends[c - 1]:.0f} % off")
        expected = 100 * record.printed_distance.values[c, ..., 1:].reshape(4, -1)
        np.testing.assert_allclose([y for _, y in points(axes, color="#D55E00", style="--")], expected)
    for axes in (worst, *two):
        np.testing.assert_allclose(points(axes, color="0.6")[0][1], 2.0)
    assert_losses(loss, record, 4)


def test_second_figure_lays_sgd_on_the_exact_loss_and_shows_final_weights():
    record = with_jump(scrambled(made()))
    *panels, row, second = case_panels(record, experiment.more)
    for c, (axes, case) in enumerate(zip(panels, CASES, strict=True)):
        assert axes.get_title(loc="left").startswith(case if c else f"(a) {case}")
        assert_losses(axes, record, c)
        off = f"off by at most {100 * np.nanmax(record.loss_distance.values[c]):.2g} %"
        assert [text.get_text() for text in axes.texts] == [off]
    kept = [(c, u) for c in range(6) for u in (0, 1) if (c, u) != (0, 1)]
    for name, look in (("final", {"marker": "o"}), ("exact_final", {"color": "black"})):
        fields = [record[name].values[c, 0, u] for c, u in kept]
        drawn = [y for axes in (row, second) for _, y in points(axes, **look)]
        np.testing.assert_allclose(drawn, [w / np.abs(w).max() for w in fields])
    assert [text.get_text() for text in row.get_xticklabels()][:2] == ["single", "general, unit 1"]
