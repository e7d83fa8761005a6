"""When `gates-to-relu` holds the final field to be known; verdicts and figure on records made by hand."""

import numpy as np
import pytest
import xarray as xr
from drawn import assert_line, points
from judging import assert_only, changed_at, judged, scrambled, told

from gatefield.experiments.gates.gates_to_relu import experiment
from gatefield.experiments.gates.gates_to_relu.figure import example_steps
from gatefield.experiments.gates.gates_to_relu.verdicts import known_from
from gatefield.plot import gain_text

ATTRS = {"steps": 2000, "learning_rate": 0.1, "length_scales": [2.0, 1.0], "samples": 1000}
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
    return xr.Dataset(data, {"units": UNITS, "gain": gains, "time": ("step", TIME)}, ATTRS)


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


END, FIELDS, LOSS, OTHER, TENTH = (
    "behind the final gates",
    "the final fields at least",
    "final loss at least",
    "another seed",
    "a tenth",
)


@pytest.mark.parametrize(
    ("words", "gain", "changes", "measured", "expected"),
    [
        (END, 2, [("limit_match", at(2, step=-1), 0.9501)], 0.9501, True),
        (END, 2, [("limit_match", at(2, step=-1, seed=[0, 1]), 0.9499)], 0.9499, False),
        (END, 2, [("limit_match", at(2, step=-1, seed=0), 0.1)], 1.0, True),
        (END, 2, [("limit_match", at(0, step=-1), 0.1)], 1.0, True),
        (END, 0, [("limit_loss", at(0, step=-1), 0.1074)], 0.0074 / 0.15, True),
        (END, 0, [("limit_loss", at(0, step=-1), 0.1076)], 0.0076 / 0.15, False),
        (END, 0, [("limit_loss", at(0, step=-1), 0.0926)], 0.0074 / 0.15, True),
        (END, 0, [("limit_loss", at(0, step=-1), 0.0924)], 0.0076 / 0.15, False),
        ("random start", 0, [("limit_match", at(0, step=0), 0.4999)], 0.4999, True),
        ("random start", 0, [("limit_match", at(0, step=0), 0.5001)], 0.5001, False),
        ("random start", 2, [("limit_match", at(2, step=0, seed=0), 0.9)], 0.3, True),
        (FIELDS, 1, [("limit_match", at(1), SOON), ("own_match", at(1), [0.2, crossing(2.01), 1, 1, 1, 1])], 2.01, True),
        (FIELDS, 1, [("limit_match", at(1), SOON), ("own_match", at(1), [0.2, crossing(1.99), 1, 1, 1, 1])], 1.99, False),
        (LOSS, 1, [("limit_loss", at(1), explained(*SOON)),
                   ("own_loss", at(1), explained(0.1, crossing(2.01), 1, 1, 1, 1))], 2.01, True),
        (LOSS, 1, [("limit_loss", at(1), explained(*SOON)),
                   ("own_loss", at(1), explained(0.1, crossing(1.99), 1, 1, 1, 1))], 1.99, False),
        (OTHER, 1, [("wrong_loss", at(1), 0.1074)], 0.9507, True),
        (OTHER, 1, [("wrong_loss", at(1), 0.1076)], 0.9493, False),
        (OTHER, 1, [("wrong_loss", at(0), 0.2)], 1.0, True),
        (OTHER, 2, [("wrong_match", at(2), 0.4999)], 0.4999, True),
        (OTHER, 2, [("wrong_match", at(2), 0.5001)], 0.5001, False),
        (OTHER, 2, [("wrong_match", at(0), 0.9)], 0.1, True),
        (TENTH, 2, [("limit_ipr", at(2, step=3), 0.2501)], 0.5002, True),
        (TENTH, 2, [("limit_ipr", at(2, step=3), 0.2499)], 0.4998, False),
        (TENTH, 2, [("limit_ipr", at(2, step=[2, 4]), 0.01)], 0.8, True),
        (TENTH, 1, [("own_ipr", at(1, step=-1), 0.81)], 0.4 / 0.81, False),
    ],
)  # fmt: skip
def test_both_sides_of_each_bound(words, gain, changes, measured, expected):
    found = judged(experiment, changed_at(made(), *changes), words)
    assert found.holds is expected
    name = f"4 units, gain {gain_text(GAINS[gain])}"
    assert measured in [pytest.approx(bound.measured, rel=1e-4) for bound in found.table if bound.at == name]


def test_verdicts_are_those_of_each_number_of_units_and_gain():
    assert_only(experiment, changed_at(made(), ("wrong_match", at(2), 0.9)), OTHER, False)
    low, high = [[f"{units}, gain {gain}" for units in ("one neuron", "4 units") for gain in gains]
                 for gains in (("0.01", "1", "∞"), ("1", "∞"))]  # fmt: skip
    for words, places in ((END, low), ("random start", low), (FIELDS, high), (LOSS, high), (OTHER, high), (TENTH, high)):
        assert list(dict.fromkeys(bound.at for bound in judged(experiment, made(), words).table)) == places


def test_without_gains_of_one_and_above_only_random_gates_are_judged():
    (found,) = told(experiment, made([0.01, 0.1, 0.5]))
    assert "random start" in found.claim


def test_a_short_training_decides_nothing():
    assert {v.outcome for v in experiment.verdicts(made().assign_attrs(steps=1999))} == {"not decided"}


def test_notes_and_headline():
    record = changed_at(made(), ("own_ipr", {"units": 0, "gain": 1, "step": 3}, 0.15), ("limit_match", at(2), SOON))
    assert judged(experiment, record, END).note.endswith("by 2.0e-03 at most")
    assert judged(experiment, record, TENTH).note == "at 10 K²τ; ReLU fields themselves have 0.30 of the final IPR or more"
    found = judged(experiment, record, FIELDS)
    words = "from gain 1 on fields need in the median 8.6 to 25 times as long to reach their end as gates need to fix it"
    assert found.found == found.otherwise == f"{words} (claimed: 2 or more)"
    assert not found.more_found
    found = judged(experiment, record, LOSS)
    one, four = ([bound.measured for bound in found.table if bound.at.startswith(K)] for K in ("one", "4"))
    pairs = sorted(((one, "one neuron"), (four, "4 units")), key=lambda pair: -max(pair[0]))
    first, second = (f"{min(x):.2g} to {max(x):.2g} times {{}}with {K}" for x, K in pairs)
    words = f"frozen gates know the final loss {first.format('earlier than ReLU ')}, only {second.format('')} (gain ≥ 1)"
    assert found.more_found == found.more_otherwise == words


DRAWN = scrambled(made())


def test_second_figure_shows_losses_of_each_committee():
    """Time 0 stands at a third of the first time."""
    panels = np.reshape(experiment.more(DRAWN).axes[1:], (2, 2))
    time = [1 / 3, *TIME[1:]]
    for k in range(2):
        for g, axes in enumerate(panels[k]):
            one = DRAWN.isel(units=k, gain=g + 1)
            for name, color, style in (("limit", "black", "-"), ("own", ("#0072B2", "#E69F00")[k], "--")):
                values = one[f"{name}_loss"].values
                runs = [run for run in points(axes, color=color, style=style) if len(run[0]) == 6]
                np.testing.assert_allclose([y for _, y in runs], [*values, np.median(values, axis=0)])
                np.testing.assert_allclose([x for x, _ in runs], [time] * 4)
                assert_line(axes, time[:1], [np.median(values[:, 0])], color=color, marker="o")
                known = [run for run in points(axes, color=color, style=style) if len(run[0]) == 2]
                shares = (0.25 - values) / (0.25 - one.own_loss.values[:, -1:])
                expected = np.median([max(1.0, known_from(np.array(TIME), run)) for run in shares])
                np.testing.assert_allclose([x for x, _ in known], [[expected] * 2])
            ((_, wrong),) = points(axes, color="0.5", style=":")
            np.testing.assert_allclose(wrong, np.median(one["wrong_loss"]))
    assert [axes.get_title(loc="left").split(":")[0] for axes in panels[0]] == ["(b) gain 1", "gain ∞"]
    assert [axes.get_ylabel() for axes in panels[:, 0]] == ["one neuron\nloss", "4 units\nloss"]


def test_second_figure_shows_how_many_times_as_early_the_loss_is():
    early = experiment.more(DRAWN).axes[0]
    for k, color in enumerate(("#0072B2", "#E69F00")):
        one = DRAWN.isel(units=k)
        shares = [
            [(0.25 - one[f"{name}_loss"][g]) / (0.25 - one.own_loss[g, :, -1]) for name in ("own", "limit")] for g in range(3)
        ]
        known = [
            [[max(1.0, known_from(np.array(TIME), run)) for run in x.transpose("seed", "step").values] for x in pair]
            for pair in shares
        ]
        expected = [np.divide(*pair) for pair in np.array(known)]
        np.testing.assert_allclose([y for x, y in points(early, color=color, marker="o") if len(x) == 3], expected)


def times_as_early(record, k, g):
    one = record.isel(units=k, gain=g)
    own, limit = (
        [max(1.0, known_from(np.array(TIME), run)) for run in one[f"{name}_match"].values] for name in ("own", "limit")
    )
    return np.divide(own, limit)


def test_figure_shows_how_many_times_as_early_of_each_seed_and_one_example():
    early, example = experiment.figure(DRAWN).axes[:2]
    for k, color in enumerate(("#0072B2", "#E69F00")):
        expected = np.array([times_as_early(DRAWN, k, g) for g in range(3)])
        dots = [(x, y) for x, y in points(early, color=color, marker="o") if len(x) == 3]
        np.testing.assert_allclose([y for _, y in dots], expected)
        np.testing.assert_allclose([x.mean() for x, _ in dots], np.arange(3) + (-0.19, 0.19)[k])
        medians = np.array(early.collections[k].get_segments())[:, :, 1]
        np.testing.assert_allclose(medians, np.repeat(np.median(expected, axis=1)[:, None], 2, axis=1))
    assert_line(early, [0, 1], [2, 2], color="#D55E00", style="--")
    twice = sum(int((times_as_early(DRAWN, k, g) >= 2).sum()) for k in range(2) for g in (1, 2))
    assert early.get_title(loc="left") == f"(a) ratio 2 or more in {twice} of 12 trainings"
    values = DRAWN.isel(units=0, gain=1).limit_match.values
    drawn = [y for _, y in points(example, color="black", style="-") if len(y) == 6]
    np.testing.assert_allclose(drawn, [*values, np.median(values, axis=0)])
    assert example.get_title(loc="left").startswith("(b) one neuron, gain 1: ")
    assert example.get_title(loc="left").rpartition(" ")[0].endswith("ratio")


def test_the_fields_that_are_shown_are_those_of_the_start_the_end_and_the_times_when_it_is_known():
    """Gates know it between the times at 3 and 4, the network right after; or both at the last."""
    one = DRAWN.isel(units=0, gain=1).copy(deep=True)
    one["limit_match"][:], one["own_match"][:] = [0, 0, 0, 0.9, 1, 1], [0, 0, 0, 0.5, 1, 1]
    assert example_steps(one).tolist() == [0, 2, 3, 4, 5]
    one["limit_match"][:] = [0, 0.9, 1, 1, 1, 1]
    assert example_steps(one).tolist() == [0, 1, 2, 5]
    one["limit_match"][:], one["own_match"][:] = 0, 0
    assert example_steps(one).tolist() == [0, 2, 3, 5]


def test_figure_shows_how_the_limit_comes_to_the_final_field():
    """Of the first committee, at the gain nearest to 3, shifted and scaled as the final field."""
    one = DRAWN.isel(units=0, gain=1)
    end = one.example_end.values
    peak = int(end.argmax())
    places = (np.arange(SITES) + peak - SITES // 2) % SITES
    panels = experiment.figure(DRAWN).axes[2:]
    for axes, step in zip(panels, example_steps(one), strict=True):
        assert_line(axes, np.arange(SITES) - 4, end[places] / end[peak], color="#0072B2")
        assert_line(axes, np.arange(SITES) - 4, one.example.values[step][places] / end[peak], color="black")
        assert axes.get_title(loc="left").endswith(f"t = {TIME[step]:g}")
    assert panels[0].get_ylabel().endswith("gain 1")
