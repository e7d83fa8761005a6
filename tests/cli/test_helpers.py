"""Processes that examine formulas beside the command."""

import os
import signal

import pytest

from gatefield import ledger
from gatefield.cli.check import helpers

pytestmark = pytest.mark.xdist_group("cli")


def test_a_helper_finds_what_the_command_finds(monkeypatch):
    monkeypatch.setattr(helpers, "cores", lambda: 2)
    items = {formula.name: formula for formula in ledger.formulas()}
    chosen = [items["002-eq44"], items["000-eq2"]]
    with helpers.helping() as found:
        (helper,) = found
        there = [helper(formula) for formula in chosen]
        assert [finding.model_copy(update={"seconds": 0.0}) for finding in there] == [
            ledger.examine(formula).model_copy(update={"seconds": 0.0}) for formula in chosen
        ]
        os.kill(helper._process.pid, signal.SIGKILL)
        with pytest.raises((EOFError, OSError)):
            helper(chosen[0])
    assert helper._process.returncode == -signal.SIGKILL


def test_one_core_has_no_helper(monkeypatch):
    monkeypatch.setattr(helpers, "cores", lambda: 1)
    with helpers.helping() as found:
        assert list(found) == []
