"""The plan: which points share a program, how they are cut, what is found elsewhere, and its file."""

import json
import threading

import numpy as np
import pytest
from sweep_small import definition, source, training

from gatefield.core.errors import StoreError
from gatefield.lab import Plan, Store, planned, plans, read_sweep, run_sweep
from gatefield.lab.sweeps.plan import plan_file, read_plan
from gatefield.lab.sweeps.planner import make_plan
from gatefield.lab.sweeps.trainings.groups import SECONDS, Size, grouped, size_of


def groups(axes, **changes):
    sweep = read_sweep(definition(axes, **changes))
    return grouped(sweep.work, sweep.points)


@pytest.mark.parametrize(
    ("axes", "expected"),
    [
        ({"positive.gain": [0.0, 1.0, float("inf")]}, [0, 0, 0]),
        ({"seed": 3}, [0, 0, 0]),
        ({"learning_rate": [0.1, 0.2], "positive.xi": [1, 2]}, [0, 0, 0, 0]),
        ({"network.init_scale": [0.1, 1.0]}, [0, 0]),
        ({"network.K": [1, 2, 1.0]}, None),
        ({"network.K": [1, 2]}, [0, 1]),
        ({"steps": [6, 8], "seed": 2}, [0, 0, 1, 1]),
        ({"seed": 2, "batch_size": [8, 10]}, [0, 1, 0, 1]),
        ({"proportion": [0.5, 0.25]}, [0, 1]),
        ({"network.activation": ["relu", "erf"]}, [0, 1]),
        ({"n": {"values": [6, 8], "sets": ["positive.n", "negative.n"]}}, [0, 1]),
        ({"positive.boundary": ["ring", "line", "ring "]}, [0, 1, 2]),
        ({"data": {"values": [source(1.0), {"kind": "Gaussian", "n": 6, "xi": 1.0}], "sets": ["positive"]}}, [0, 1]),
    ],
)
def test_points_share_a_program_where_shapes_and_settings_are_equal(axes, expected):
    if expected is None:
        with pytest.raises(ValueError, match="must differ from each other"):
            groups(axes)
    else:
        assert groups(axes).tolist() == expected


def test_a_long_axis_is_looked_at_in_few_places_unless_they_differ():
    many = groups({"positive.gain": {"from": 0.1, "to": 5.0, "count": 100}})
    assert not many.any()
    assert len(set(groups({"proportion": {"from": 0.1, "to": 0.9, "count": 70}}).tolist())) == 70


def sizes(count, **changes):
    sweep = read_sweep(definition({"seed": count}, training=training(**changes)))
    return size_of(sweep.work, sweep.points, 0, count)


def test_blocks_are_sized_to_the_device_and_to_seconds(monkeypatch):
    import gatefield.lab.sweeps.trainings.groups as module

    wide = {"kind": "NonlinearGP", "n": 40, "xi": 1.0, "gain": 1.0}
    published = {"positive": wide, "negative": wide, "batch_size": 1000}
    few, many = sizes(1000, steps=200, **published), sizes(1000, steps=20_000, **published)
    per_run = 200 * 1000 * 40 / module.RATES["cpu"]
    assert few == Size(few.runs, few.runs)
    assert 0.5 * SECONDS <= few.runs * per_run <= 1.5 * SECONDS
    assert many.runs == module.NARROW["cpu"]  # a run takes longer than a block should
    assert sizes(3) == Size(3, 3)


def test_all_blocks_of_a_group_have_as_many_runs(monkeypatch, tmp_path):
    import gatefield.lab.sweeps.planner as module

    monkeypatch.setattr(module, "size_of", lambda work, points, first, count: Size(4, 4))
    plan = make_plan(Store(tmp_path), read_sweep(definition({"seed": 5, "network.K": [1, 2]})))
    assert plan.runs == (4, 4, 4, 4)
    assert [members.tolist() for members in plan.members] == [[0, 2, 4, 6], [8], [1, 3, 5, 7], [9]]
    assert plan.group == (0, 0, 1, 1)
    assert sorted(np.concatenate(plan.members).tolist()) == list(range(10))


def test_a_larger_sweep_leaves_out_what_is_finished(tmp_path):
    store = Store(tmp_path)
    small, large = read_sweep(definition({"seed": 3})), read_sweep(definition({"seed": 5}, name="large"))
    run_sweep(small, store)
    plan = make_plan(store, large)
    assert plan.own == 1
    assert plan.blocks[1:] == read_plan(store, small.name).blocks
    assert [members.tolist() for members in plan.members] == [[3, 4], [0, 1, 2]]
    more = read_sweep(definition({"seed": 3}, keep=["fields"]))
    assert make_plan(store, more).own == 1  # it keeps what the small one did not
    less = read_sweep(definition({"seed": 3}, measures=[]))
    assert make_plan(store, less).own == 0


def test_what_other_processes_plan_is_taken(tmp_path):
    sweep, store, found = read_sweep(definition()), Store(tmp_path), []

    def plan():
        found.append(planned(store, sweep)[0])

    threads = [threading.Thread(target=plan) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({plan.created + "".join(plan.blocks) for plan in found}) == 1
    assert [one.name for one in plans(store)] == [sweep.name]


def damage(path, how):
    content = path.read_text()
    if how == "cut":
        path.write_text(content[: len(content) // 2])
    elif how == "changed":
        path.write_text(content.replace('"own": 1', '"own": 2'))
    elif how == "other":
        path.write_text(json.dumps({**json.loads(content), "name": "other-000000000000"}))
    else:
        path.write_bytes(b"\x00" * 100)


@pytest.mark.parametrize("how", ["cut", "changed", "other", "zeros"])
def test_a_damaged_plan_is_told_and_made_anew(tmp_path, how):
    sweep, store = read_sweep(definition()), Store(tmp_path)
    whole, _ = planned(store, sweep)
    damage(plan_file(store, sweep.name), how)
    with pytest.raises(StoreError) as error:
        read_plan(store, sweep.name)
    assert "\n" not in str(error.value)
    assert [str(problem) for problem in plans(store)] == [str(error.value)]
    again, remark = planned(store, sweep)
    assert "It is made anew now" in remark
    assert again.blocks == whole.blocks
    assert read_plan(store, sweep.name) == again
    assert len(list((tmp_path / "sweeps").glob("*.old-1"))) == 1


def test_a_plan_of_another_format_is_named_by_its_file(tmp_path):
    sweep, store = read_sweep(definition()), Store(tmp_path)
    planned(store, sweep)
    path = plan_file(store, sweep.name)
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 7, "gatefield": "9.0"}))
    with pytest.raises(StoreError) as error:
        read_plan(store, sweep.name)
    assert f"The plan '{path}' has format 7" in str(error.value)
    assert "gatefield 9.0, or move it away" in str(error.value)


def test_a_plan_whose_foreign_blocks_are_gone_is_made_anew(tmp_path):
    import shutil

    store = Store(tmp_path)
    small, large = read_sweep(definition({"seed": 2})), read_sweep(definition({"seed": 3}, name="large"))
    run_sweep(small, store)
    plan, _ = planned(store, large)
    assert plan.own == 1
    shutil.rmtree(tmp_path / "sweeps" / "blocks" / plan.blocks[1])
    again, remark = planned(store, large)
    assert "are gone" in remark
    assert len(again.members[0]) == 3


def test_a_plan_says_the_definition_as_it_was_given(tmp_path):
    given = definition({"positive.gain": [1.0, float("inf")]})
    plan, _ = planned(Store(tmp_path), read_sweep(given))
    assert plan.table() == given
    assert isinstance(plan, Plan)
