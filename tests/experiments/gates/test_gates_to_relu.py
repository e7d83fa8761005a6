"""When `gates-to-relu` holds the final field to be known; verdicts and figure on records made by hand."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_line, points
from judging import assert_only, changed_at, judged, scrambled, told

from gatefield.experiments.gates.gates_to_relu import experiment
from gatefield.experiments.gates.gates_to_relu.verdicts import known_from

UNITS, GAINS, TIME, SITES = [1, 4], [0.01, 1.0, np.inf], [0.0, 1.0, 3.0, 10.0, 25.0, 100.0], 8
LEAD = ("units", "gain", "seed", "step")


def test_known_from_counts_only_the_last_rise():
    time = np.array([0.0, 1.0, 10.0, 100.0])
    assert known_from(time, np.array([1.0, 0.2, 1.0, 1.0])) > 1.0
    assert known_from(time, np.array([0.0, 0.0, 0.0, 0.5])) == 100.0
    assert known_from(time, np.ones(4)) == 0.0
    assert known_from(time, np.array([0.0, 0.95, 1.0, 1.0])) == 1.0
    assert known_from(time, np.array([0.0, 0.85, 1.05, 1.0])) == pytest.approx(10**0.5)


def made(gains=GAINS):
    """A record in which all verdicts hold, alike for all units, gains and seeds; the ReLU network ends with a loss of 0.1."""
    paths = {
        "limit_match": [0.3, 0.5, 0.97, 0.98, 0.99, 1.0],
        "own_match": [0.2, 0.3, 0.4, 0.5, 0.96, 1.0],
        "limit_loss": [0.2, 0.15, 0.105, 0.102, 0.1, 0.1],
        "own_loss": [0.5, 0.2, 0.18, 0.15, 0.11, 0.1],
        "limit_ipr": [0.1, 0.1, 0.1, 0.4, 0.45, 0.5],
        "own_ipr": [0.1, 0.1, 0.1, 0.2, 0.4, 0.5],
    }
    data = {name: (LEAD, np.broadcast_to(path, (2, 3, 3, 6)).copy()) for name, path in paths.items()}
    data |= {name: (LEAD[:3], np.full((2, 3, 3), 0.1)) for name in ("wrong_match", "wrong_loss")}
    data["start_matters"] = (LEAD[:2], np.array([[1e-3, 2e-3, 5e-4], [1e-4, 1e-5, 1e-6]]))
    data["example"] = (("units", "gain", "step", "position"), np.zeros((2, 3, 6, SITES)))
    data["example_end"] = (("units", "gain", "position"), np.zeros((2, 3, SITES)))
    return xr.Dataset(data, {"units": UNITS, "gain": gains, "time": ("step", TIME)}, {"steps": 2000, "learning_rate": 0.1})


def at(gain, **where):
    return {"units": 1, "gain": gain, **where}


def explained(*shares):
    """Losses that explain these shares of what the ReLU network does."""
    return [0.25 - 0.15 * share for share in shares]


def crossing(time):
    """A cosine after one unit of time from which the straight way to 1 after three crosses 0.95 at that time."""
    part = np.log(time) / np.log(3)
    return (0.95 - part) / (1 - part)


SOON = [0.3, 0.96, 0.97, 0.98, 0.99, 1.0]


@pytest.mark.parametrize(
    ("words", "changes", "measured", "expected"),
    [
        ("behind the final gates", [("limit_match", at(2, step=-1), 0.9501)], 0.9501, True),
        ("behind the final gates", [("limit_match", at(2, step=-1, seed=[0, 1]), 0.9499)], 0.9499, False),
        ("behind the final gates", [("limit_match", at(2, step=-1, seed=0), 0.1)], 1.0, True),
        ("behind the final gates", [("limit_match", at(0, step=-1), 0.1)], 1.0, True),
        ("behind the final gates", [("limit_loss", at(0, step=-1), 0.1074)], 1.0, True),
        ("behind the final gates", [("limit_loss", at(0, step=-1), 0.1076)], 1.0, False),
        ("behind the final gates", [("limit_loss", at(0, step=-1), 0.0926)], 1.0, True),
        ("behind the final gates", [("limit_loss", at(0, step=-1), 0.0924)], 1.0, False),
        ("random gates", [("limit_match", at(0, step=0), 0.4999)], 0.4999, True),
        ("random gates", [("limit_match", at(0, step=0), 0.5001)], 0.5001, False),
        ("random gates", [("limit_match", at(2, step=0, seed=0), 0.9)], 0.3, True),
        ("final fields before", [("limit_match", at(1), SOON),
                                 ("own_match", at(1), [0.2, crossing(2.01), 1, 1, 1, 1])], 2.01, True),
        ("final fields before", [("limit_match", at(1), SOON),
                                 ("own_match", at(1), [0.2, crossing(1.99), 1, 1, 1, 1])], 1.99, False),
        ("final loss before", [("limit_loss", at(1), explained(*SOON)),
                               ("own_loss", at(1), explained(0.1, crossing(2.01), 1, 1, 1, 1))], 2.01, True),
        ("final loss before", [("limit_loss", at(1), explained(*SOON)),
                               ("own_loss", at(1), explained(0.1, crossing(1.99), 1, 1, 1, 1))], 1.99, False),
        ("of another seed", [("wrong_loss", at(1), 0.1074)], 0.9507, True),
        ("of another seed", [("wrong_loss", at(1), 0.1076)], 0.9493, False),
        ("of another seed", [("wrong_loss", at(0), 0.2)], 1.0, True),
        ("of another seed", [("wrong_match", at(2), 0.4999)], 1.0, True),
        ("of another seed", [("wrong_match", at(2), 0.5001)], 1.0, False),
        ("of another seed", [("wrong_match", at(0), 0.9)], 1.0, True),
        ("a tenth of training", [("limit_ipr", at(2, step=3), 0.2501)], 0.5002, True),
        ("a tenth of training", [("limit_ipr", at(2, step=3), 0.2499)], 0.4998, False),
        ("a tenth of training", [("limit_ipr", at(2, step=[2, 4]), 0.01)], 0.8, True),
        ("a tenth of training", [("own_ipr", at(1, step=-1), 0.81)], 0.4 / 0.81, False),
    ],
)  # fmt: skip
def test_both_sides_of_each_bound(words, changes, measured, expected):
    found = judged(experiment, changed_at(made(), *changes).isel(units=[1]), words)
    assert found.holds is expected
    assert found.measured == pytest.approx(measured, rel=1e-4)


def test_verdicts_are_those_of_each_number_of_units():
    record = changed_at(made(), ("wrong_match", at(2), 0.9))
    assert_only(experiment, record, "4 units: trained gates of another", False)
    assert [v.predicted for v in experiment.verdicts(record)] == [1, 0.5, 2, 2, 1, 1] * 2
    assert [v.claim.split(":")[0] for v in experiment.verdicts(record)] == ["one neuron"] * 6 + ["4 units"] * 6


def test_without_gains_of_one_and_above_only_random_gates_are_judged():
    assert [v.claim for v in told(experiment, made([0.01, 0.1, 0.5]))] == [
        "one neuron: random gates do not know the answer",
        "4 units: random gates do not know the answer",
    ]


def test_a_short_training_decides_nothing():
    assert {v.outcome for v in experiment.verdicts(made().assign_attrs(steps=1999))} == {"not decided"}


def test_notes_give_the_numbers_of_every_gain():
    record = changed_at(
        made(),
        ("limit_match", {"units": 0, "gain": 1, "step": -1}, 0.98),
        ("limit_loss", {"units": 0, "gain": 2, "step": -1}, 0.103),
        ("wrong_match", {"units": 0, "gain": 0}, -0.2),
        ("limit_match", {"units": 0, "gain": 2, "step": 0}, 0.45),
        ("limit_match", {"units": 0, "gain": 2}, SOON),
        ("limit_ipr", {"units": 0, "gain": 0, "step": 3}, 0.3),
    )
    notes = [v.note for v in experiment.verdicts(record)[:6]]
    assert "gain 0.01: 1.000, 1.000; gain 1: 0.980, 1.000; gain ∞: 1.000, 0.980. Whether" in notes[0]
    assert notes[0].endswith("by 2.0e-03 at most")
    assert notes[1].endswith("gain 1: 0.300, 0.333; gain ∞: 0.300, 0.333")
    assert notes[2].endswith("gain 0.01: 2.86 / 24.5; gain 1: 2.86 / 24.5; gain ∞: 1 / 24.5")
    assert "training ends at 100" in notes[2]
    assert "gain 0.01: -0.200, 1.000; gain 1: 0.100, 1.000" in notes[4]
    assert notes[5] == "at 10 K² tau, IPR over that of the end, limit and ReLU field: " + "; ".join(
        f"gain {gain}: {ratio}, 0.40" for gain, ratio in (("0.01", "0.60"), ("1", "0.80"), ("∞", "0.80"))
    )


@pytest.fixture(scope="module")
def drawn():
    record = scrambled(made())
    return record, experiment.figure(record)


def test_figure_shows_matches_and_losses_of_each_committee(drawn):
    """Time 0 stands at a third of the first time."""
    record, figure = drawn
    panels = np.reshape(figure.axes[:12], (2, 2, 3))
    time = [1 / 3, *TIME[1:]]
    for k in range(2):
        for g in range(3):
            for axes, what in zip(panels[k, :, g], ("match", "loss"), strict=True):
                one = record.isel(units=k, gain=g)
                for name, color in (("limit", "C0"), ("own", "C1")):
                    values = one[f"{name}_{what}"].values
                    runs = points(axes, color=color, style="-")
                    np.testing.assert_allclose([y for _, y in runs], [*values, np.median(values, axis=0)])
                    np.testing.assert_allclose([x for x, _ in runs], [time] * 4)
                    assert_line(axes, time[:1], [np.median(values[:, 0])], color=color, marker="o")
                ((_, wrong),) = points(axes, color="k", style=":")
                np.testing.assert_allclose(wrong, np.median(one[f"wrong_{what}"]))
    assert [axes.get_title() for axes in panels[0, 0]] == ["gain 0.01", "gain 1", "gain ∞"]
    assert [axes.get_ylabel() for axes in panels[1, :, 0]] == ["4 units\ncosine with the end", "4 units\nloss"]
    assert panels[0, 0, 0].get_ylabel() == "one neuron\ncosine with the end"


def test_figure_shows_how_the_limit_comes_to_the_final_field(drawn):
    """Of the first committee, at the gain nearest to 3, shifted and scaled as the final field."""
    record, figure = drawn
    one = record.isel(units=0, gain=1)
    end = one.example_end.values
    peak = int(end.argmax())
    places = (np.arange(SITES) + peak - SITES // 2) % SITES
    for axes, step in zip(figure.axes[12:], (0, 1, 2, 4, 5), strict=True):
        assert_line(axes, np.arange(SITES) - 4, end[places] / end[peak], color="C1")
        assert_line(axes, np.arange(SITES) - 4, one.example.values[step][places] / end[peak], color="C0")
        assert axes.get_title() == f"gates of t = {TIME[step]:g}"
    assert figure.axes[12].get_ylabel().startswith("gain 1:")
