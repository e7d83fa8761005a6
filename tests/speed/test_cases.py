"""Cases by name, and what a new process is started with."""

import importlib
import json

import pytest

from gatefield.core.errors import UserError
from gatefield.speed import CASES, bench, chosen
from gatefield.speed.cases import start
from gatefield.speed.machine import processor


@pytest.mark.parametrize("name", CASES)
def test_every_case_has_its_file(name):
    assert callable(importlib.import_module(f"gatefield.speed.cases.{name}").entries)


def test_a_wrong_name_is_told_the_nearest():
    assert chosen([]) == list(CASES)
    with pytest.raises(UserError, match="Unknown case 'trainin': did you mean 'training'"):
        chosen(["trainin"])
    with pytest.raises(UserError, match="Unknown case"):
        next(bench(["nope"], quick=True, repeats=1))


def test_a_new_process_has_the_cache_that_it_is_to_have(tmp_path, monkeypatch):
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "/of/the/user")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("GATEFIELD_CACHE", "/of/the/user")
    program = "import json, os; print(json.dumps({k: v for k, v in os.environ.items() if 'CACHE' in k or 'BYTE' in k}))"
    without, with_one = (json.loads(start._python("-c", program, cache=cache)().stdout) for cache in (None, str(tmp_path)))
    assert without == {"JAX_ENABLE_COMPILATION_CACHE": "false", "GATEFIELD_CACHE": "/of/the/user"}
    assert with_one["JAX_COMPILATION_CACHE_DIR"] == str(tmp_path)
    assert "PYTHONDONTWRITEBYTECODE" not in with_one
    off, kept = (json.loads(start._python("-c", program, "gatefield", cache=cache)().stdout) for cache in (None, str(tmp_path)))
    assert (off, kept) == ({"GATEFIELD_CACHE": "off"}, {"GATEFIELD_CACHE": str(tmp_path)})


def test_contests_of_a_start_have_names_of_their_own():
    names = [one.name for one in start.entries(False)]
    assert len(set(names)) == len(names) == 5


def test_the_machine_is_told_without_its_name(tmp_path):
    told = tmp_path / "cpuinfo"
    told.write_text("processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\n")
    assert processor(told) == "Some CPU @ 2 GHz"
    assert isinstance(processor(tmp_path / "nowhere"), str)
