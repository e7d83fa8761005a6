"""Verdicts and figure of `moving-gates` on records made by hand; its networks, gates and speeds by plain routes."""

import types

import digit_records as records
import jax
import numpy as np
import pytest
import xarray as xr
from drawn import assert_line, lines
from judging import changed, scrambled
from rows import titled
from test_experiments import simulated, trained

from gatefield.experiments.deep.moving_gates import experiment
from gatefield.experiments.deep.moving_gates.simulate import CALM, FLOWS, MOVING, NETS, motion
from gatefield.experiments.deep.moving_gates.verdicts import flips_per_epoch, quarters, undone
from gatefield.lab import headline

SEED, STEPS, LAYERS = 2, 9, 3
EPOCH = 5.0 * np.arange(STEPS)
BY_LAYER = {"flipped": 0.2, "between": 0.02, "agreement": 0.9, "moved": 0.1, "open": 0.5}
PLAIN = {"loss": 0.1, "test_accuracy": 0.95, "nu": 0.5, "trace": 1.0, "least": 0.1, "overlap": 0.3}
SPEEDS = {"trace_w": 2.0, "trace_a": 1.0, "speed_w": 3.0, "speed_a": 1.0}


def made(**attrs):
    """Alike for both seeds and all times; frozen networks stand still."""
    shape = len(NETS), SEED, STEPS
    data = {name: (("net", "seed", "step", "layer"), np.full((*shape, LAYERS), value)) for name, value in BY_LAYER.items()}
    data |= {name: (("net", "seed", "step"), np.full(shape, value)) for name, value in PLAIN.items()}
    data |= {"overlap_chance": (("net", "seed"), np.full(shape[:2], 0.1))}
    data |= {name: (("flow", "seed", "step"), np.full((3, SEED, STEPS), value)) for name, value in SPEEDS.items()}
    data |= {"first_speed": (("flow", "seed"), np.array([[4.0] * 2, [3.0] * 2, [1.0] * 2]))}
    coords = {"net": list(NETS), "flow": list(FLOWS), "layer": range(1, LAYERS + 1), "step": range(STEPS)}
    record = xr.Dataset(data, {**coords, "epoch": ("step", EPOCH)}, {"ridge": 1e-8, "kernel_samples": 6, "epochs": 40, **attrs})
    return changed(record, *[(name, {"net": ["galu", "strengths"]}, 0.0) for name in ("flipped", "between", "moved")])


(CHANGING, RESTS, DRIFTS, SLOWS, SETTLES, MOVED, DEEPEST, LEFT, ADD_UP, SPEED, ALONE, BETTER, FURTHER) = range(13)
"""The places of the verdicts."""


def verdict(record, place):
    return experiment.verdicts(record)[place]


def seeds(mean, half=0.001):
    """Two values, whose one-sided 95 % interval reaches 6.314 `half` to each side."""
    return np.array([mean - half, mean + half])


ABOVE = ((0.007, "confirmed"), (0.006, "not decided"), (-0.006, "not decided"), (-0.007, "refuted"))
"""Distances from a bound, and what follows."""


CASES = [dict(zip(MOVING, (ABOVE[(first + at) % 4] for at in range(3)), strict=True)) for first in range(4)]
"""Each network with another distance; each has each of them once."""


@pytest.mark.parametrize("cases", CASES)
def test_gates_of_each_network_are_judged_at_both_sides_of_each_bound(cases):
    """Of all layers the one that moves least, and the last against the first; rates, agreement and overlap of all together."""
    record = made()
    for net, (off, _) in cases.items():
        for layer, values in ((1, 0.2), (2, seeds(0.05 + off)), (3, 0.2 + seeds(off))):
            record.flipped.loc[{"net": net, "step": 8, "layer": layer}] = values
        record.agreement.loc[{"net": net}] = np.array([0.5, 0.0, 0.6, 0.0, 0.6, 0.0, 0.0, 0.0, 1.0])[:, None]
        record.agreement.loc[{"net": net, "step": 4}] = 0.6 + seeds(off)[:, None]  # the quarter that rises least
        record.agreement.loc[{"net": net, "step": 6}] = 1 - np.multiply.outer(seeds(0.01 + off), [0.0, 1.5, 1.5])
        record.between.loc[{"net": net}] = np.array([0.0, 0.1, 0.1, 0.9, 0.9, 0.9, 0.9, 0.0, 0.0])[:, None]
        record.between.loc[{"net": net, "step": [7, 8]}] = 0.1 * seeds(0.5 - off)[:, None, None]
        record.overlap.loc[{"net": net, "step": 8}] = seeds(0.5 - off)
    found = experiment.verdicts(record)
    for net, (off, outcome) in cases.items():
        at = MOVING[net]
        records.assert_judged(found[MOVED], 0.05 + off, outcome, at)
        records.assert_judged(found[CHANGING], 0.01 + off, outcome, at)
        records.assert_judged(found[SETTLES], off, outcome, at)
        records.assert_judged(found[DEEPEST], 100 * off, outcome, at)
        records.assert_judged(found[SLOWS], 0.5 - off, outcome, at)
        records.assert_judged(found[LEFT], 0.5 - off, outcome, at)
    assert [found[place].kind for place in (MOVED, CHANGING)] == ["claim"] * 2


@pytest.mark.parametrize("cases", CASES)
@pytest.mark.parametrize(("last", "between"), [(40.0, [0.05, 0.15]), (38.0, [0.1, 0.9])])
def test_gates_that_drift_change_more_over_a_longer_time(cases, last, between):
    """Over the last quarter against one record, of those in it: 7, and 8 unless that comes sooner after the one before."""
    record = made().assign_coords(epoch=("step", [*EPOCH[:-1], last]))
    for net, (off, _) in cases.items():
        record.between.loc[{"net": net}] = np.array([0.9] * 7 + between)[:, None]
        record.agreement.loc[{"net": net, "step": 6}] = 1 - 0.1 * seeds(1 + off)[:, None]
    found = experiment.verdicts(record)
    for net, (off, outcome) in cases.items():
        records.assert_judged(found[DRIFTS], 1 + off, outcome, MOVING[net])


@pytest.mark.parametrize(("off", "outcome"), ABOVE)
def test_gates_come_to_rest_without_noise(off, outcome):
    """By the flips of the records 7 and 8, beside those of ReLU at a rate that stays."""
    record = made()
    record.between.loc[{"net": "relu"}] = np.array([0.9] * 7 + [0.1, 0.1])[:, None]
    record.between.loc[{"net": CALM}] = 0.9
    record.between.loc[{"net": CALM, "step": [7, 8]}] = 0.1 * seeds(0.5 - off)[:, None, None]
    records.assert_judged(verdict(record, RESTS), 0.5 - off, outcome)


def test_short_and_rough_records_are_not_judged_on_time():
    timed = [CHANGING, RESTS, DRIFTS, SLOWS, SETTLES]
    for record, what in ((made(epochs=19), "--set epochs=20"), (made().isel(step=slice(8)), "--set records=8")):
        found = experiment.verdicts(record)
        assert [at for at, one in enumerate(found) if one.outcome == "not judged"] == timed
        assert all(what in found[at].why for at in timed)
    assert all(one.bounds for one in experiment.verdicts(made(epochs=20)))


def test_one_seed_decides_nothing_about_means():
    found = experiment.verdicts(made().isel(seed=[0]))
    assert [at for at, one in enumerate(found) if one.outcome != "not decided"] == [ADD_UP, SPEED]


@pytest.mark.costly
@pytest.mark.parametrize(("size", "outcome"), [(0.009, "confirmed"), (0.011, "off")])
@pytest.mark.parametrize("sign", [1, -1])
def test_speeds_of_both_flows_add_up_at_the_start(size, sign, outcome):
    off = sign * size
    record = changed(made(), ("first_speed", {"flow": "strengths"}, np.array([3.0, 3.0 + 4.0 * off])))
    records.assert_judged(verdict(record, ADD_UP), abs(off), outcome)
    for flow, speed in (("soft-galu", 4.0), ("strengths", 3.0), ("gates-only", 1.0)):
        record = changed(made(), ("first_speed", {"flow": flow}, np.array([speed * (1 + off), speed])))
        records.assert_judged(verdict(record, SPEED), abs(off), outcome)


def test_speeds_of_kernels_count_at_the_common_start():
    """Later ones, and those that the other two flows are recorded with, do not."""
    record = made()
    for name in ("speed_w", "speed_a"):
        record[name].loc[{"step": slice(1, None)}] = 99.0
        record[name].loc[{"flow": ["strengths", "gates-only"]}] = 99.0
    assert verdict(record, SPEED).measured == 0.0


@pytest.mark.costly
@pytest.mark.parametrize(("off", "outcome"), ABOVE)
def test_what_gates_alone_reach(off, outcome):
    where = {"net": "gates-only", "step": 8}
    record = changed(made(), ("test_accuracy", where, seeds(0.9 + off)))
    records.assert_judged(verdict(record, ALONE), 0.9 + off, outcome)
    both, alone = {"net": "soft-galu", "step": 8}, {"net": "strengths", "step": 8}
    record = changed(made(), ("test_accuracy", both, 0.8 + seeds(off)), ("test_accuracy", alone, 0.8))
    records.assert_judged(verdict(record, BETTER), 100 * off, outcome)
    record = changed(made(), ("flipped", where, 0.2 + seeds(off)[:, None]))
    records.assert_judged(verdict(record, FURTHER), 100 * off, outcome)


def test_rates_leave_out_a_last_record_that_comes_sooner():
    """Two of three intervals of the last stretch are whole: 0.04 + 0.02 in ten epochs; the figure shows no others."""
    record = made().assign_coords(epoch=("step", [*EPOCH[:-1], 36.0]))
    record = changed(record, ("between", {"net": "relu", "step": [6, 7, 8]}, np.array([0.04, 0.02, 0.9])[:, None]))
    np.testing.assert_allclose(flips_per_epoch(record.sel(net="relu"), 5, 8), 0.006)
    drawn = titled(experiment.figure(record), "(b)")
    assert_line(drawn, EPOCH[1:-1] - 2.5, [0.4] * 5 + [0.8, 0.4], color="C0")


def test_quarters_and_flips_that_are_undone():
    """Of 4 % that flip in the last quarter, 3 % show at its end."""
    assert quarters(EPOCH) == [0, 2, 4, 6, 8]
    record = changed(made(), ("agreement", {"step": 6}, 0.97)).sel(net="relu")
    np.testing.assert_allclose(undone(record), 0.25)
    np.testing.assert_allclose(undone(record.assign(between=0 * record.between)), 0.0)


@pytest.mark.slow
def test_unrelated_networks_are_those_of_other_seeds():
    """Two seeds, two samples, layers of three and two units: common gates of each layer over the root of both numbers."""
    one = np.array([[[1, 1, 0], [1, 0, 0]], [[1, 0, 0], [1, 1, 1]]], float)  # (seed, sample, gate)
    two = np.array([[[1, 1], [0, 1]], [[1, 1], [1, 1]]], float)
    found = motion([np.stack([layer, 1 - layer], 1) for layer in (one, two)])
    first = 1 / np.sqrt(2 * 1) * 2 / np.sqrt(2 * 2)
    second = 1 / np.sqrt(1 * 3) * 1 / np.sqrt(1 * 2)
    np.testing.assert_allclose(found["overlap_chance"][1], [(first + second) / 2] * 2)
    np.testing.assert_allclose(found["overlap"][1][:, 0], 1.0)


def test_figure_shows_the_record():
    record = scrambled(made()).assign_attrs(made().attrs)
    figure, more, end = experiment.figure(record), experiment.more(record), record.isel(step=-1)
    mean = record.mean(("seed", "layer"))
    for net, color in {"relu": "C0", "soft-relu": "C1", "soft-galu": "C2", CALM: "C4", "gates-only": "C3"}.items():
        assert_line(titled(figure, "(c)"), EPOCH, 100 * mean.flipped.sel(net=net), color=color)
        flipped = end.flipped.sel(net=net)
        by_layer, *dots = lines(titled(figure, "(d)"), color=color)
        np.testing.assert_allclose(by_layer.get_ydata(), 100 * flipped.mean("seed"))
        np.testing.assert_allclose([dot.get_ydata() for dot in dots], 100 * flipped)
        assert_line(titled(figure, "(b)"), EPOCH[1:] - 2.5, 100 * mean.between.sel(net=net)[1:] / 5, color=color)
        assert_line(_curves(titled(figure, "(a)")), EPOCH[:-1], 100 - 100 * mean.agreement.sel(net=net)[:-1], color=color)
        assert_line(titled(more, "(e)"), EPOCH, mean.overlap.sel(net=net), color=color, style="-")
        assert_line(titled(more, "(f)"), 100 * mean.flipped.sel(net=net), mean.nu.sel(net=net), color=color)
    unrelated = [line.get_ydata()[0] for line in lines(titled(more, "(e)"), style=":")]
    np.testing.assert_allclose(unrelated, record.overlap_chance.sel(net=list(MOVING)).mean("seed"))
    words = [text.get_text() for text in figure.subfigs[0].legends[0].get_texts()]
    numbers = end.mean("seed").sel(net="relu")
    assert words[0] == f"ReLU: loss {numbers.loss:.1g}, {100 * numbers.test_accuracy:.1f} % right"
    assert len(words) == 6


def test_figure_shows_the_three_flows():
    record = scrambled(made()).assign_attrs(made().attrs)
    figure, mean = experiment.more(record), record.mean("seed")
    for flow, color in {"soft-galu": "C2", "strengths": "C5", "gates-only": "C3"}.items():
        assert_line(titled(figure, "(b)"), EPOCH, mean.loss.sel(net=flow), color=color)
        assert_line(titled(figure, "(c)"), EPOCH, mean.trace_w.sel(flow=flow), color=color)
        assert_line(titled(figure, "(d)"), EPOCH, mean.trace_a.sel(flow=flow), color=color)
        part = (record.speed_a / (record.speed_a + record.speed_w)).sel(flow=flow).mean("seed")
        assert_line(titled(figure, "(a)"), EPOCH, 100 * part, color=color)
    right = [text.get_text() for text in titled(figure, "(b)").texts]
    assert right == [f"test {100 * mean.test_accuracy.sel(net=flow)[-1]:.1f} %" for flow in FLOWS]


def late():
    """In the last quarter, from epoch 30 on, 4, 2 and 3 % change side; falling ReLU flips 0.1 of 0.04 in five epochs each."""
    record = made()
    for net, share in zip(MOVING, (0.04, 0.02, 0.03), strict=True):
        record.agreement.loc[{"net": net, "step": 6}] = 1 - share
    return changed(
        record,
        ("between", {"net": "relu", "step": [7, 8]}, 0.04),
        ("between", {"net": CALM, "step": [7, 8]}, 0.004),
        ("speed_a", {"flow": "soft-galu", "step": 8}, 0.75),
        ("test_accuracy", {"net": "gates-only", "step": 8}, 0.97),
    )


def test_headlines_tell_of_the_last_quarter_and_of_both_ends():
    found = experiment.verdicts(late())
    assert headline("?", found) == (
        "In the last quarter of 40 epochs 2.0 to 4.0 % of gates still change side; "
        "with a rate that falls to 0, ReLU gates flip only 0.10 times as often"
    )
    assert headline("?", found, more=True) == (
        "Gates make 25 % of the fall of soft GaLU's loss at the start, 20 % at the end; "
        "gates alone learn too (97.0 % of test digits right, both 95.0 %)"
    )
    few = changed(late(), ("agreement", {"net": "soft-galu", "step": 6}, 0.995))
    assert headline("?", experiment.verdicts(few)).startswith(
        "In the last quarter of 40 epochs only 0.5 to 4.0 % of gates change side"
    )


def test_the_numbers_of_the_headlines_stand_at_their_marks():
    figure, more = experiment.figure(late()), experiment.more(late())
    settle, rate, part = titled(figure, "(a)"), titled(figure, "(b)"), titled(more, "(a)")
    framed = [line.get_xydata().tolist()[0] for line in settle.lines if len(line.get_xdata()) == 1]
    np.testing.assert_allclose(framed, [[30, 4], [30, 2], [30, 3]])
    assert [text.get_text() for text in settle.texts] == [
        "fixed rate: 2.0 to 4.0 %",
        "rate falling\nto 0",
        "frozen gates: none",
    ]
    bracket = next(line for line in settle.lines if line.get_marker() == "_")
    np.testing.assert_allclose(bracket.get_xydata(), [[30, 2], [30, 4]])
    arrow, number, _ = rate.texts
    np.testing.assert_allclose([*arrow.get_position(), *arrow.xy], [35, 0.8, 35, 0.08])  # percent per epoch
    assert number.get_text() == "× 0.10"
    for axes in (settle, rate):
        assert (axes.patches[0].get_x(), axes.patches[0].get_width()) == (30, 10)
    assert [(text.get_text(), *text.xy) for text in part.texts] == [("25 %", 0, 25), ("20 %", 40, 20)]


def _curves(axes):
    """The same panel without its single marks."""
    return types.SimpleNamespace(lines=[line for line in axes.lines if len(line.get_xdata()) > 1])


TINY = pytest.mark.xdist_group("moving-gates")


@TINY
def test_flows_start_alike_and_train_what_they_should():
    parts = trained("moving-gates")
    start, moved = {}, {}
    for name in NETS:
        begin, end = parts[name].net, parts[name].end
        start[name] = begin
        moved[name] = tuple(
            None if a is None else any(np.any(np.asarray(x) != np.asarray(y)) for x, y in zip(a, b, strict=True))
            for a, b in ((begin.weights, end.weights), (begin.gating_weights, end.gating_weights))
        )
    assert moved == {
        "relu": (True, None),
        CALM: (True, None),
        "soft-relu": (True, None),
        "soft-galu": (True, True),
        "gates-only": (False, True),
        "galu": (True, False),
        "strengths": (True, False),
    }
    for name in ("strengths", "gates-only"):
        for part in ("weights", "gating_weights"):
            for one, two in zip(getattr(start[name], part), getattr(start["soft-galu"], part), strict=True):
                np.testing.assert_array_equal(one, two)
        assert (float(start[name].beta), float(start[name].eps)) == (4.0, pytest.approx(0.1))
    assert start["galu"].hard
    steps = parts[CALM].settings["steps"]
    falling = [float(parts[CALM].settings["learning_rate"](step)) for step in (0, steps / 2, steps)]
    np.testing.assert_allclose(falling, [0.01, 0.005, 0.0], atol=1e-9)
    for one, two in zip(start[CALM].weights, start["relu"].weights, strict=True):
        np.testing.assert_array_equal(one, two)


@TINY
@pytest.mark.parametrize("net", ["relu", "soft-relu", "soft-galu"])
def test_gates_at_start_and_end_by_plain_sums(net):
    """Gates are open where the sums of the deciding weights are positive."""
    _, _, record = simulated("moving-gates")
    part, x = trained("moving-gates")[net], _images()

    def open_gates(seed, layers):
        z, found = x, []
        for w in (np.asarray(layer[seed], float) for layer in layers):
            q = z @ w
            found.append(q > 0)
            z = q * (found[-1] if net == "relu" else 1.1 / (1 + np.exp(-4 * q)))
        return np.stack(found)

    one = record.sel(net=net)
    for seed in range(2):
        before, after = (open_gates(seed, end.gating_layers) for end in (part.net, part.end))
        np.testing.assert_allclose(one.flipped[seed, -1], (before != after).mean((1, 2)), atol=1e-9)
        np.testing.assert_allclose(one.agreement[seed, 0], (before == after).mean((1, 2)), atol=1e-9)
        np.testing.assert_allclose(one.open[seed, 0], before.mean((1, 2)), atol=1e-9)
        if net == "relu":
            shared, sizes = (before & after).sum(2).prod(0), [g.sum(2).prod(0) for g in (before, after)]
            np.testing.assert_allclose(one.overlap[seed, -1], (shared / np.sqrt(sizes[0] * sizes[1])).mean(), rtol=1e-6)
    assert one.flipped.max() > 0


@TINY
def test_speeds_are_squared_gradients_of_the_loss():
    """Of half the mean squared error on the images of the kernels, by each network's own arrays."""
    _, _, record = simulated("moving-gates")
    x = _images()
    net = trained("moving-gates")["soft-galu"].net
    y = np.asarray(trained("moving-gates")["first-step-strengths"].task.y, float)
    start = record.isel(step=0).sel(flow="soft-galu")

    def loss(arrays, seed):
        strengths, gating = arrays
        z = g = x
        for w, a in zip(strengths[:-1], gating, strict=True):
            q = g @ a
            gate = 1.1 * jax.nn.sigmoid(4 * q)
            z, g = gate * (z @ w), gate * q
        return 0.5 * ((z @ strengths[-1])[:, 0] - y).dot((z @ strengths[-1])[:, 0] - y) / len(y)

    for seed in range(2):
        arrays = [w[seed] for w in net.weights], [a[seed] for a in net.gating_weights]
        sizes = [sum(float((g**2).sum()) for g in group) for group in jax.grad(loss)(arrays, seed)]
        np.testing.assert_allclose([start.speed_w[seed], start.speed_a[seed]], sizes, rtol=1e-3)
        wanted = [sum(sizes), *sizes]
        np.testing.assert_allclose(record.first_speed.isel(seed=seed), wanted, rtol=0.01)


@TINY
def test_frozen_gates_do_not_move():
    _, _, record = simulated("moving-gates")
    for name in ("flipped", "between", "moved"):
        np.testing.assert_array_equal(record[name].sel(net=["galu", "strengths"]), 0.0)


@TINY
def test_between_records_flips_are_counted_from_one_to_the_next():
    """No fewer than those since the start, and the last record agrees with itself."""
    _, _, record = simulated("moving-gates")
    np.testing.assert_array_equal(record.between.isel(step=0), 0.0)
    np.testing.assert_allclose(record.between.isel(step=1), record.flipped.isel(step=1))
    assert (record.between.sum("step") >= record.flipped.isel(step=-1) - 1e-9).all()
    np.testing.assert_array_equal(record.agreement.isel(step=-1), 1.0)
    last = record.agreement.isel(step=-2) + record.between.isel(step=-1)
    np.testing.assert_allclose(last, 1.0)


def _images():
    """Those on which gates are observed, as the first step of a flow has them."""
    return np.asarray(trained("moving-gates")["first-step-strengths"].task.x, float)
