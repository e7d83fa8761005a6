"""What the experiments on colour images are made of: rows of the table, layouts, missing files, and how rows are judged."""

import numpy as np
import pytest
import xarray as xr
from made_up import made_up_data

from gatefield import UserError, experiments
from gatefield.experiments.convolution.colour_images import CHANNELS, DENSE, ImageSettings, colour_images, conv_net
from gatefield.experiments.convolution.soft_gates_table.rows import PAPER, paper, rows_of
from gatefield.experiments.convolution.soft_gates_table.simulate import Settings
from gatefield.experiments.convolution.soft_gates_table.verdicts import judge
from gatefield.lab import MemoryBench
from gatefield.lab.parameters import resolve


def table(test, epochs=18, seeds=2, samples=50_000):
    """A record of the whole table in which row r has the test accuracy `test(r)` in each epoch but the last, then 0.03 less."""
    p = Settings()
    rows = rows_of(p.plain, p.betas, p.epsilons)
    level = np.array([test(row) for row in rows])[:, None, None] + np.array([-0.001, 0.001])[None, :seeds, None]
    curve = np.broadcast_to(level, (len(rows), seeds, 4)).copy()
    curve[..., 0], curve[..., -1] = 0.1, curve[..., -1] - 0.03
    dims = ("row", "seed", "step")
    record = xr.Dataset(
        dict.fromkeys(("test_accuracy", "train_accuracy"), (dims, curve)),
        {"row": [row.name for row in rows], "step": [0, 1, 2, 3], "epoch": ("step", [0.0, 1.0, 2.0, 3.0])},
    )
    names = {name: ("row", np.array([getattr(row, name) for row in rows])) for name in ("gating", "beta", "eps")}
    size = {"samples": samples, "epochs": epochs, "channels": list(CHANNELS), "dense": list(DENSE)}
    words = {"padding": "valid", "stride": [1, 1, 1, 1], "pool": "none", "pooled": [2, 4], "sigma": "glorot"}
    return record.assign_coords(names).assign_attrs(size | words)


def test_the_table_has_the_papers_eighteen_rows():
    p = Settings()
    names = [row.name for row in rows_of(p.plain, p.betas, p.epsilons)]
    assert len(names) == len(set(names)) == len(PAPER) == 18
    assert all(paper(name) for name in names)
    assert paper("beta=3+eps=0.1") is None


def test_rows_as_in_the_paper_hold_and_others_do_not():
    """By hand: all rows at the paper's numbers, then the ReLU row three points below."""
    as_printed = judge(table(lambda row: paper(row.name)[1]))
    assert len(as_printed) == 2 + 2 + 1 + 1 + 18 + 1
    assert all(v.holds for v in as_printed if v.claim.endswith("best test accuracy (%)"))
    assert [v.holds for v in as_printed if "tells the same as its end" in v.claim] == [
        False
    ]  # three points are lost at the end
    lower = judge(table(lambda row: paper(row.name)[1] - 0.03 * (row.name == "relu")))
    assert [v.claim for v in lower if v.claim.endswith("best test accuracy (%)") and not v.holds] == [
        "ReLU: best test accuracy (%)"
    ]
    (relu,) = (v for v in lower if v.claim.startswith("ReLU:"))
    assert relu.measured == pytest.approx(68.0)
    assert "final 65.00" in relu.note


def test_a_flat_table_has_no_trend():
    flat = judge(table(lambda row: 0.7))
    assert [v.holds for v in flat if "generalise better" in v.claim or "from one beta to the next" in v.claim] == [False] * 4


def test_a_rise_needs_three_values_of_beta_and_names_them():
    record = table(lambda row: paper(row.name)[1])
    named = [v.claim for v in judge(record) if "from one beta to the next" in v.claim]
    assert all(claim.endswith("up to 8 (1, 2, 4, 8)") for claim in named)
    few = record.isel(row=~np.isin(record.beta, [1.0, 2.0]))
    assert len(named) == 2
    assert not [v for v in judge(few) if "from one beta to the next" in v.claim]


def test_images_are_at_most_as_many_as_are_asked_for():
    with made_up_data() as all_of_them:
        few, more = (colour_images(ImageSettings(samples=size, tested=size)) for size in (100, 10_000))
    assert (len(few.y), len(few.test_y)) == (100, 100)
    assert (len(more.y), len(more.test_y)) == (len(all_of_them.y), len(all_of_them.test_y)) == (600, 300)


@pytest.mark.parametrize(
    ("strengths", "holds", "words"),
    [((0.7, 0.71), True, "strengths learn more"), ((0.3, 0.31), True, "gates learn more"), ((0.3, 0.7), False, "neither")],
)
def test_which_of_strengths_and_gates_learns_more(strengths, holds, words):
    """By hand: gates at 50 %; t = 12.7 for two seeds, so that differences of 20 and 21 points are seen, -20 and 20 are not."""
    test = np.stack([np.full((2, 2), 0.5), np.repeat(np.array(strengths)[:, None], 2, 1)])
    record = xr.Dataset({"test_accuracy": (("net", "seed", "step"), test)}, {"net": ["beta=8", "galu"]})
    record = record.assign_attrs(samples=3000, epochs=6, channels=[8], dense=[8])
    (found,) = (v for v in experiments.get("gates-only").verdicts(record) if "which learns more" in v.claim)
    assert found.holds is holds
    assert found.note.startswith(words)
    assert found.measured == pytest.approx(100 * (np.mean(strengths) - 0.5))


def test_small_tables_are_not_laid_beside_the_paper():
    assert not [v for v in judge(table(lambda row: 0.7, samples=4000)) if "best test accuracy (%)" in v.claim]


def test_pooling_goes_behind_the_named_convolutions():
    with made_up_data():
        net = conv_net(ImageSettings(channels=(2, 2), stride=(1, 1), dense=(4,), pool="mean", pooled=(2,), seeds=1), "relu")
    assert [layer.pool for layer in net.convolutions] == [None, "mean"]
    assert net.units == [(6, 6, 2), (4, 4, 2), (4,)]


def test_without_cifar_the_way_out_is_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("GATEFIELD_DATA", str(tmp_path))
    with pytest.raises(UserError, match=r"The data set cifar10 is not in .*: run `gatefield data cifar10` ") as caught:
        experiments.get("soft-gates-table").simulate(Settings(), MemoryBench())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"padding": "circular"}, "Unknown padding 'circular'"),
        ({"plain": ("rellu",)}, "did you mean 'relu'"),
        ({"betas": (4.0, 1.0)}, "betas must be one or more increasing numbers"),
        ({"betas": (0.0, 1.0)}, "betas must be positive and finite, but is 0"),
        ({"betas": "inf"}, "betas must be positive and finite, but is inf"),
        ({"epsilons": (-0.1,)}, "epsilons must be zero or more and finite, but is -0.1"),
        ({"pool": "max", "pooled": (9,)}, r"pooled must name convolutions from 1 to 4, but is \[9\]"),
        ({"channels": 8}, "channels must be a list, but is 8"),
        ({"precision": "float16"}, "did you mean"),
        ({"samples": 60_000}, "samples must be at most 50000, the images of CIFAR-10, but is 60000"),
        ({"tested": 20_000}, "tested must be at most 10000, the images of CIFAR-10, but is 20000"),
    ],
)
def test_wrong_parameters_are_named(changes, words):
    with pytest.raises(UserError, match=words):
        resolve(experiments.get("soft-gates-table"), "quick", changes)
