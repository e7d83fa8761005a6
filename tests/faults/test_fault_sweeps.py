"""Hostile input of sweeps, drawn as `benchmarks/faults/sweep_inputs.py` draws it."""

import json
from pathlib import Path

import pytest
import sweep_inputs
from harness import chance

from gatefield import lab
from gatefield.core.errors import StoreError
from gatefield.lab.store.format import checksum


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", "/")
        patch.chdir("/")
        yield sweep_inputs.World(tmp_path_factory.mktemp("world"))


@pytest.fixture
def replaced(world, monkeypatch):
    sweep_inputs.replace_running(world, monkeypatch.setattr)
    monkeypatch.delenv("GATEFIELD_STORE", raising=False)
    return world


@pytest.mark.wrong_types
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", sweep_inputs.KINDS)
def test_inputs_are_read_or_told_in_one_sentence(replaced, monkeypatch, kind):
    monkeypatch.setattr(sweep_inputs, "KINDS", {kind: sweep_inputs.KINDS[kind]})
    found = [sweep_inputs.tried(replaced, chance(1, case), 60.0) for case in range(40)]
    assert not [(one.what, one.reproduction) for one in found if one.failed]


ELSEWHERE = {
    "blocks": lambda plan: ["../../../outside"] * len(plan["blocks"]),
    "swept": lambda plan: {"experiment": "../outside"},
    "shape": lambda plan: [-size for size in plan["shape"]],
    "name": lambda plan: "../outside-0123456789ab",
    "home": lambda plan: plan["home"][:-8],
    "definition": lambda plan: {**plan["definition"], "axes": [1]},
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("key", ELSEWHERE)
def test_a_plan_with_a_good_seal_cannot_lead_out_of_the_store(world, key):
    path = world.fresh() / "sweeps" / f"{world.plan.name}.json"
    content = json.loads(path.read_text())
    content.pop("checksum")
    content[key] = ELSEWHERE[key](content)
    path.write_text(json.dumps({**content, "checksum": checksum(content)}))
    store = lab.Store(world.store)
    for use in (lambda: lab.open_sweep(world.plan.name, store).load(), lambda: lab.do_block(store, world.plan.name, 0)):
        with pytest.raises(StoreError, match=r"contradicts|cannot be read|another"):
            use()
    sweep_inputs.called(["store", "remove", world.plan.name, "--yes", "--store", str(world.store)])
    assert world.opened == []
    assert (Path(world.outside) / "record" / "committed.json").exists()
